//! Which firmware a vehicle runs, from what it says of itself.

use std::fmt;

use crate::observation::AutopilotVersion;

/// A release: major, minor, patch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FirmwareVersion {
    /// Major.
    pub major: u8,
    /// Minor.
    pub minor: u8,
    /// Patch.
    pub patch: u8,
}

impl FirmwareVersion {
    /// The release `major.minor.patch`.
    #[must_use]
    pub const fn new(major: u8, minor: u8, patch: u8) -> Self {
        Self {
            major,
            minor,
            patch,
        }
    }

    /// From AUTOPILOT_VERSION.flight_sw_version. `None` when the field is empty.
    #[must_use]
    pub fn from_autopilot_version(version: &AutopilotVersion) -> Option<Self> {
        let [major, minor, patch, _kind] = version.flight;
        (version.flight != [0; 4]).then_some(Self::new(major, minor, patch))
    }

    /// The first `1.16.0`, `v4.5` or `V4.6.2` within a text.
    #[must_use]
    pub fn find_in(text: &str) -> Option<Self> {
        text.split(|c: char| c.is_whitespace() || matches!(c, '(' | ')' | ',' | '/'))
            .find_map(Self::parse_word)
    }

    /// A word that is a version: an optional `v`, then numbers with dots, then anything (`-beta1`).
    fn parse_word(word: &str) -> Option<Self> {
        let digits = word.trim_start_matches(['v', 'V']);
        let end = digits
            .find(|c: char| !c.is_ascii_digit() && c != '.')
            .unwrap_or(digits.len());
        let mut parts = digits.get(..end)?.split('.');
        let major = parts.next()?.parse().ok()?;
        let minor = parts.next()?.parse().ok()?;
        let patch = parts.next().and_then(|p| p.parse().ok()).unwrap_or(0);
        Some(Self::new(major, minor, patch))
    }
}

impl fmt::Display for FirmwareVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)
    }
}

/// Where the knowledge of the firmware comes from, weakest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FirmwareSource {
    /// A text that the vehicle sent, like ArduPilot's banner.
    Banner,
    /// The vehicle's own log.
    Log,
    /// AUTOPILOT_VERSION.
    AutopilotVersion,
    /// The operator said so.
    Operator,
}

impl FirmwareSource {
    /// The word shown to the user.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Banner => "banner text",
            Self::Log => "log",
            Self::AutopilotVersion => "AUTOPILOT_VERSION",
            Self::Operator => "set by operator",
        }
    }
}

/// A firmware version with its origin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Firmware {
    /// The release.
    pub version: FirmwareVersion,
    /// How it is known.
    pub source: FirmwareSource,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_found_in_the_texts_that_carry_them() {
        let cases = [
            ("ArduRover V4.6.2 (1ebd4d99)", Some((4, 6, 2))),
            ("ArduRover V4.3.0-beta14 (60ebf6fb)", Some((4, 3, 0))),
            ("v1.16.0", Some((1, 16, 0))),
            ("PX4 1.15.4-rc1", Some((1, 15, 4))),
            ("ArduCopter V4.5-dev", Some((4, 5, 0))),
            ("EKF3 IMU0 MAG0 in-flight yaw alignment complete", None),
            ("Frame: QUAD/X", None),
            ("", None),
        ];
        for (text, expected) in cases {
            let expected = expected.map(|(a, b, c)| FirmwareVersion::new(a, b, c));
            assert_eq!(FirmwareVersion::find_in(text), expected, "{text}");
        }
    }
}
