use super::*;
use crate::rules::ardupilot::test_rules::rule;

fn periods_us(rule: &GcsRule) -> (i64, i64) {
    (
        rule.check_period.as_micros(),
        rule.evaluation_period.as_micros(),
    )
}

#[test]
fn checks_run_every_whole_number_of_turns() {
    use VehicleKind::{Copter, Plane, Rover};
    assert_eq!(periods_us(&rule(Rover, (4, 6), &[])), (100_000, 20_000));
    let without_rc = rule(Rover, (4, 6), &[("FS_THR_ENABLE", 0.0)]);
    assert_eq!(periods_us(&without_rc), (100_000, 100_000));
    assert_eq!(periods_us(&rule(Copter, (4, 6), &[])), (332_500, 332_500));
    assert_eq!(periods_us(&rule(Plane, (4, 6), &[])).0, 320_000);
    let quadplane = rule(Plane, (4, 6), &[("Q_ENABLE", 1.0)]);
    assert_eq!(periods_us(&quadplane).0, 333_334);
    let fast = rule(Rover, (4, 6), &[("SCHED_LOOP_RATE", 300.0)]);
    assert_eq!(periods_us(&fast), (100_000, 20_000));
    assert_eq!(fast.loop_period, Span::from_micros(3_334));
}

#[test]
fn an_absurd_loop_rate_does_no_harm() {
    for rate in [0.0, -1.0, 1e12, f64::NAN] {
        let rule = rule(VehicleKind::Rover, (4, 6), &[("SCHED_LOOP_RATE", rate)]);
        assert!(rule.check_period > Span::ZERO, "{rate}");
        assert!(rule.latest_delay < Span::from_secs(1), "{rate}");
    }
}

#[test]
fn parameters_that_exist_narrow_the_release() {
    let releases = |kind, known: &[&str], provenance| {
        GcsRule::plausible_releases(kind, &|name| {
            known.contains(&name).then_some(Parameter {
                value: 5.0,
                provenance,
                at: None,
            })
        })
    };
    let rover = |known| releases(VehicleKind::Rover, known, Provenance::Overheard);
    assert_eq!(rover(&[]), GcsRule::RELEASES);
    assert_eq!(rover(&["FS_GCS_TIMEOUT"]), [(4, 7), (4, 6), (4, 4)]);
    assert_eq!(rover(&["FS_GCS_TIMEOUT", "SYSID_MYGCS"]), [(4, 6), (4, 4)]);
    assert_eq!(rover(&["MAV_GCS_SYSID"]), [(4, 7)]);
    assert_eq!(rover(&["MAV_GCS_SYSID", "SYSID_MYGCS"]), GcsRule::RELEASES);
    let sub = releases(VehicleKind::Sub, &["FS_GCS_TIMEOUT"], Provenance::Log);
    assert_eq!(sub, [(4, 7), (4, 6)]);
    let tried = releases(VehicleKind::Sub, &["FS_GCS_TIMEOUT"], Provenance::Operator);
    assert_eq!(tried, GcsRule::RELEASES);
}

#[test]
fn the_deciding_parameters_are_those_that_move_the_failsafe() {
    let asked_for = |kind, release| {
        let asked = std::cell::RefCell::new(Vec::new());
        let _rule = GcsRule::select(kind, release, &|name| {
            asked.borrow_mut().push(name.to_owned());
            None
        });
        asked.into_inner()
    };
    let decides = |rule: &GcsRule| (rule.enabled(), rule.link_timeout + rule.hold_time);
    for kind in [
        VehicleKind::Rover,
        VehicleKind::Copter,
        VehicleKind::Plane,
        VehicleKind::Sub,
        VehicleKind::Blimp,
    ] {
        for release in GcsRule::RELEASES {
            let usual = rule(kind, release, &[]);
            for name in asked_for(kind, release) {
                let moved = [0.0, 7.0].iter().any(|value| {
                    decides(&rule(kind, release, &[(name.as_str(), *value)])) != decides(&usual)
                });
                assert_eq!(
                    moved,
                    usual.deciding_parameters().contains(&name.as_str()),
                    "{kind:?} {release:?} {name}"
                );
            }
        }
    }
}

#[test]
fn plane_4_0_looks_at_the_radio_alone_for_a_2() {
    let enabled = |release| rule(VehicleKind::Plane, release, &[("FS_GCS_ENABL", 2.0)]).enabled();
    assert!(!enabled((4, 0)));
    assert!(enabled((4, 1)));
}

#[test]
fn a_plane_ends_the_failsafe_by_the_whole_seconds_of_the_short_one() {
    let clears = |release, action, timeout| {
        let parameters = [("FS_SHORT_ACTN", action), ("FS_SHORT_TIMEOUT", timeout)];
        rule(VehicleKind::Plane, release, &parameters).clears_below
    };
    assert_eq!(clears((4, 6), 0.0, 1.5), Span::from_secs(1));
    assert_eq!(clears((4, 6), 3.0, 1.5), Span::from_secs(5));
    assert_eq!(clears((4, 7), 0.0, 1.5), Span::from_secs(5));
    assert_eq!(clears((4, 6), 0.0, 0.5), Span::ZERO, "never");
}
