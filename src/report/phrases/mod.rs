//! Every sentence of a report that the rules and the session do not give themselves, in one place: who
//! changes the wording, or puts it into another language, finds all of it here.

mod ekf;
mod loss;
mod record;

pub(super) use ekf::{
    ASSUMED_ARMED, ASSUMED_DISARMED, LOGGED_TRIP, REPLAYED_CAUSE, UNKNOWN_MODE, bounds, count,
    ekf_candidate, ekf_sentence, first_failed_check, logged_trip, observed, replayed_clear,
    replayed_trip, trips_under, would_act,
};
pub use loss::loss_sentence;
pub(super) use loss::{after, doubt_sentence, incident_heading, origin, rate, what_if, without};
pub use record::damage_lines;
pub(super) use record::{
    LIMIT_OF_RULES, NO_DAMAGE, NO_TALKERS, NO_VEHICLE, damage_consequences, limits_of_kind,
    limits_of_vehicle, logged_error, logged_gcs_failsafe, no_incident, no_silence, of_vehicle,
    parameters,
};

/// A parameter's value as its owner wrote it: autopilots keep single precision, in which 0.8 is
/// 0.800000011920929.
pub(super) fn value(value: f64) -> String {
    let single = value as f32;
    if f64::from(single).to_bits() == value.to_bits() {
        single.to_string()
    } else {
        value.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_shown_as_they_were_set() {
        assert_eq!(value(10.0), "10");
        assert_eq!(value(f64::from(0.8_f32)), "0.8");
        assert_eq!(value(0.1), "0.1");
    }
}
