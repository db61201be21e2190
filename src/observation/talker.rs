use std::fmt;

use serde::{Deserialize, Serialize};

/// Who sent a MAVLink message: system and component id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Talker {
    /// MAVLink system id, 1 to 255. All components of one vehicle share it.
    pub system: u8,
    /// MAVLink component id: 1 is an autopilot, 190 a ground station's mission planner, 191 an onboard
    /// computer, by convention only.
    pub component: u8,
}

impl Talker {
    /// The talker `system`/`component`.
    #[must_use]
    pub const fn new(system: u8, component: u8) -> Self {
        Self { system, component }
    }
}

impl fmt::Display for Talker {
    /// As operators write it: `255/190`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.system, self.component)
    }
}

/// A way by which frames reach us: one link, one peer of a link, or one file.
///
/// Sequence numbers are accounted per path and talker, since two radios deliver the same series twice.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct PathId(pub u16);
