use crate::rules::Parameters;
use crate::time::Micros;

/// What the estimator does with a GPS glitch before the failsafe is asked, in sentences with the
/// vehicle's own numbers.
///
/// EK3_POS_I_GATE and EK3_VEL_I_GATE are hundredths of standard deviations (300 and 500 by default);
/// EK3_GLITCH_RAD is in metres (25 by default). ArduPilot `AP_NavEKF3.cpp`, 4.0 to 4.6.
#[must_use]
pub fn explain_glitch_gates(parameters: &Parameters, at: Micros) -> String {
    let value = |name: &str, default: f64| {
        let parameter = parameters.at_or(name, at, default);
        (parameter.value, parameter.provenance.word())
    };
    let (position, position_from) = value("EK3_POS_I_GATE", 300.0);
    let (velocity, velocity_from) = value("EK3_VEL_I_GATE", 500.0);
    let (radius, radius_from) = value("EK3_GLITCH_RAD", 25.0);
    let (position, velocity) = (position / 100.0, velocity / 100.0);
    let gates = format!(
        "A ratio of 1.0 is the gate: {position} standard deviations for position \
         (EK3_POS_I_GATE, {position_from}), {velocity} for velocity (EK3_VEL_I_GATE, {velocity_from})."
    );
    let beyond = if radius > 0.0 {
        format!(
            "Beyond it GPS is rejected. The estimate is reset to GPS when the rejection lasts (about 7 s), \
             or when its own uncertainty has grown past {radius} m (EK3_GLITCH_RAD, {radius_from})."
        )
    } else {
        format!(
            "EK3_GLITCH_RAD is 0 ({radius_from}): beyond it GPS is not rejected but clipped to the gate, \
             and a glitch pulls the estimate along; gates of 300 are advised then."
        )
    };
    format!("{gates} {beyond} A wider gate lowers the ratios, and the failsafe comes later.")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Provenance;

    #[test]
    fn the_numbers_and_the_clipping_rule_are_told() {
        let mut parameters = Parameters::default();
        let text = explain_glitch_gates(&parameters, Micros::MAX);
        assert!(text.contains("3 standard deviations"));
        assert!(text.contains("5 for velocity"));
        assert!(text.contains("25 m (EK3_GLITCH_RAD, assumed default)"));
        parameters.learn(
            "EK3_GLITCH_RAD".into(),
            0.0,
            Provenance::Read,
            Micros::default(),
        );
        assert!(explain_glitch_gates(&parameters, Micros::MAX).contains("clipped"));
    }
}
