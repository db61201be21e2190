use crate::observation::EkfFlags;

use super::{EkfRule, PositionPart, Truth};

/// EKF_STATUS_PRED_POS_HORIZ_REL.
const PREDICTED_RELATIVE: EkfFlags = EkfFlags(256);

impl EkfRule {
    /// Whether the check fails for want of a position.
    ///
    /// `in_use`: whether the estimator is what the vehicle flies by, rather than the DCM fallback. No
    /// flag says so; the text `AHRS: DCM active` does (Rover, Plane; 4.1 and later).
    #[must_use]
    pub fn position_lost(&self, flags: EkfFlags, armed: Truth, in_use: Truth) -> Truth {
        if self.position == PositionPart::Ignored {
            return Truth::No;
        }
        let present = match armed {
            Truth::Yes => self.position_present(flags, true),
            Truth::No => self.position_present(flags, false),
            Truth::Unknown => self
                .position_present(flags, true)
                .either(self.position_present(flags, false)),
        };
        !present.and(in_use)
    }

    fn position_present(&self, flags: EkfFlags, armed: bool) -> Truth {
        let has = |flag: EkfFlags| Truth::from(flags.contains(flag));
        let moving = !has(EkfFlags::CONST_POS_MODE);
        let (absolute, relative) = if armed {
            (
                has(EkfFlags::POS_HORIZ_ABS).and(moving),
                has(EkfFlags::POS_HORIZ_REL).and(moving),
            )
        } else {
            (
                has(EkfFlags::POS_HORIZ_ABS).or(has(EkfFlags::PRED_POS_HORIZ_ABS)),
                // Copter's form. Rover's differs, but its check does not run disarmed.
                has(PREDICTED_RELATIVE),
            )
        };
        match self.position {
            PositionPart::Ignored => Truth::Yes,
            PositionPart::AbsoluteOrRelative => absolute.or(relative),
            PositionPart::Absolute { relative_allowed } => {
                absolute.or(relative.and(relative_allowed))
            }
        }
    }
}
