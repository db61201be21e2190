use super::*;
use crate::observation::EkfFlags;
use crate::rules::ardupilot::VehicleKind;
use crate::rules::firmware::FirmwareVersion;
use crate::rules::{Parameters, Provenance};
use crate::time::Micros;

fn select(kind: VehicleKind, version: Option<(u8, u8)>, parameters: &[(&str, f64)]) -> EkfRule {
    let mut known = Parameters::default();
    for &(name, value) in parameters {
        known.learn(name.into(), value, Provenance::Read, Micros::default());
    }
    let version = version.map(|(major, minor)| FirmwareVersion {
        major,
        minor,
        patch: 0,
    });
    EkfRule::select(kind, version, &known, Micros::MAX)
}

fn ratios(velocity: f32, position: f32, compass: f32) -> Ratios {
    Ratios {
        velocity,
        position,
        compass,
    }
}

#[test]
fn what_is_over_per_vehicle_and_version() {
    use Truth::{No, Unknown, Yes};
    use VehicleKind::{Copter, Rover, Sub};
    // Vehicle, version, velocity, position, compass as reported, over.
    let table = [
        (Rover, (4, 6), 0.8, 0.0, 0.0, Yes),
        (Rover, (4, 3), 2.9, 0.0, 0.0, No),
        (Rover, (4, 3), 0.8, 0.8, 0.0, Yes),
        (Rover, (4, 6), 0.0, 14.0, 0.0, No),
        (Rover, (4, 6), 0.0, 14.0, 0.81, Yes),
        (Rover, (4, 6), 0.0, 14.0, 0.62, Unknown),
        (Rover, (4, 6), 0.0, 14.0, 0.46, No),
        (Copter, (4, 6), 0.9, 0.0, 0.0, No),
        (Copter, (4, 6), 1.6, 0.0, 0.0, Yes),
        (Copter, (4, 6), 0.0, 14.0, 0.79, No),
        (Copter, (4, 6), 0.0, 14.0, 0.81, Yes),
        (Copter, (4, 0), 0.9, 0.9, 0.0, Yes),
        (Sub, (4, 6), 0.8, 0.0, 0.0, Yes),
        (Sub, (4, 6), 0.0, 9.0, 0.5, Unknown),
    ];
    for (kind, version, velocity, position, compass, over) in table {
        let rule = select(
            kind,
            Some(version),
            &[("FS_EKF_THRESH", 0.8), ("FLOW_TYPE", 0.0)],
        );
        assert_eq!(
            rule.over_report(ratios(velocity, position, compass)),
            over,
            "{kind:?} {version:?} {velocity} {position} {compass}"
        );
    }
}

#[test]
fn an_unknown_version_leaves_open_what_differs_and_no_more() {
    let rule = select(VehicleKind::Rover, None, &[]);
    assert_eq!(rule.over_report(ratios(2.0, 0.0, 0.0)), Truth::Unknown);
    assert_eq!(rule.over_report(ratios(2.0, 2.0, 0.0)), Truth::Yes);
    assert_eq!(rule.hypotheses().len(), 2);
    // FS_GCS_TIMEOUT exists only where velocity counts twice.
    let rule = select(VehicleKind::Rover, None, &[("FS_GCS_TIMEOUT", 5.0)]);
    assert_eq!(rule.over_report(ratios(2.0, 0.0, 0.0)), Truth::Yes);
    let copter = select(VehicleKind::Copter, None, &[]);
    assert!(matches!(copter.filter, Filter::Either(_)));
    let copter = select(VehicleKind::Copter, None, &[("FS_EKF_FILT", 5.0)]);
    assert!(matches!(copter.filter, Filter::LowPass(_)));
}

#[test]
fn when_the_check_does_not_run() {
    let off = |kind, parameters: &[(&str, f64)]| select(kind, Some((4, 6)), parameters).enabled;
    assert_eq!(
        off(VehicleKind::Rover, &[("FS_EKF_THRESH", 0.0)]),
        Err(Disabled::Threshold)
    );
    assert_eq!(off(VehicleKind::Sub, &[]), Err(Disabled::Action));
    assert_eq!(off(VehicleKind::Plane, &[]), Err(Disabled::NoSuchCheck));
    assert_eq!(off(VehicleKind::Plane, &[("Q_ENABLE", 1.0)]), Ok(()));
    let quad = select(VehicleKind::Plane, Some((4, 6)), &[("Q_ENABLE", 1.0)]);
    assert_eq!(quad.runs(Truth::Yes, Some(19)), Truth::Yes, "QLoiter");
    assert_eq!(quad.runs(Truth::Yes, Some(18)), Truth::No, "QHover");
    assert_eq!(quad.runs(Truth::Yes, Some(10)), Truth::Unknown, "Auto");
    let copter = select(VehicleKind::Copter, Some((4, 6)), &[]);
    assert_eq!(copter.runs(Truth::No, Some(0)), Truth::Yes);
    let copter = select(VehicleKind::Copter, Some((4, 0)), &[]);
    assert_eq!(copter.runs(Truth::No, Some(0)), Truth::No);
    let rover = select(VehicleKind::Rover, Some((4, 6)), &[]);
    assert_eq!(rover.runs(Truth::No, Some(0)), Truth::No);
}

#[test]
fn a_lost_position_fails_the_check_whatever_the_ratios() {
    let rover = select(VehicleKind::Rover, Some((4, 6)), &[]);
    let lost = |flags, in_use| rover.position_lost(EkfFlags(flags), Truth::Yes, in_use);
    assert_eq!(lost(0x033f, Truth::Yes), Truth::No);
    assert_eq!(lost(0x0027, Truth::Yes), Truth::Yes, "neither rel nor abs");
    assert_eq!(lost(0x00bf, Truth::Yes), Truth::Yes, "constant position");
    assert_eq!(lost(0x033f, Truth::No), Truth::Yes, "DCM");
    let copter = |parameters: &[(&str, f64)]| {
        // Relative position only.
        select(VehicleKind::Copter, Some((4, 6)), parameters).position_lost(
            EkfFlags(0x012f),
            Truth::Yes,
            Truth::Yes,
        )
    };
    assert_eq!(copter(&[("DR_ENABLE", 0.0)]), Truth::Yes);
    assert_eq!(copter(&[]), Truth::Unknown, "dead reckoning may be at work");
    assert_eq!(
        copter(&[("DR_ENABLE", 0.0), ("FLOW_TYPE", 5.0)]),
        Truth::Unknown
    );
}

#[test]
fn what_a_trip_leads_to() {
    use VehicleKind::{Copter, Plane, Rover, Sub};
    let acts = |kind, action: f64, armed, mode| {
        let rule = select(
            kind,
            Some((4, 6)),
            &[("FS_EKF_ACTION", action), ("Q_ENABLE", 1.0)],
        );
        let act = rule.would_act(armed, mode);
        act.acts.then_some(act.name)
    };
    assert_eq!(acts(Rover, 1.0, true, 15), Some("Hold"));
    assert_eq!(acts(Rover, 1.0, true, 0), None, "Manual needs no position");
    assert_eq!(acts(Rover, 2.0, true, 15), None, "report only");
    assert_eq!(acts(Copter, 1.0, true, 4), Some("Land"));
    assert_eq!(acts(Copter, 2.0, true, 4), Some("AltHold"));
    assert_eq!(acts(Copter, 1.0, true, 0), None, "Stabilize");
    assert_eq!(acts(Copter, 3.0, true, 0), Some("Land"));
    assert_eq!(acts(Copter, 1.0, false, 4), None, "disarmed");
    assert_eq!(acts(Plane, 1.0, true, 19), Some("QHover"));
    assert_eq!(acts(Sub, 2.0, true, 0), Some("Disarm"));
    assert_eq!(acts(Sub, 1.0, true, 0), None);
}

#[test]
fn sub_waits_two_seconds_without_a_single_passed_check() {
    let rule = select(VehicleKind::Sub, Some((4, 6)), &[("FS_EKF_ACTION", 1.0)]);
    let mut check = EkfCheck::new(rule.clone());
    let input = |velocity| CheckInput {
        ratios: ratios(velocity, 0.0, 0.0),
        flags: EkfFlags(0),
        in_use: true,
        armed: false,
        mode: 0,
        flow_healthy: false,
    };
    let mut at = Micros::default();
    assert_eq!(check.tick(at, &input(0.1)), None);
    let mut tripped = None;
    for _ in 0..150 {
        at += rule.period();
        if check.tick(at, &input(1.0)) == Some(CheckEvent::Tripped) {
            tripped = Some(at);
        }
    }
    assert_eq!(tripped, Some(Micros::from_millis(2_000)));
    at += rule.period();
    assert_eq!(check.tick(at, &input(0.1)), Some(CheckEvent::Cleared));
}

#[test]
fn copter_counts_only_after_the_first_passed_check() {
    let mut check = EkfCheck::new(select(VehicleKind::Copter, Some((4, 6)), &[]));
    let input = |flags| CheckInput {
        ratios: Ratios::default(),
        flags: EkfFlags(flags),
        in_use: true,
        armed: false,
        mode: 0,
        flow_healthy: false,
    };
    for _ in 0..20 {
        assert_eq!(check.tick(Micros::default(), &input(0)), None);
    }
    assert_eq!(check.count(), 0);
    check.tick(Micros::default(), &input(0x033f));
    check.tick(Micros::default(), &input(0));
    assert_eq!(check.count(), 1);
}
