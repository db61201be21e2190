//! DataFlash logs: recorded ones against the truth beside them, built ones for eras and damage.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::float_cmp,
    reason = "a broken expectation must stop the test; extremes and ratios are copied, so equal bit for bit"
)]

mod support;

use std::collections::BTreeMap;

use heartline::observation::{DamageKind, LoggedFact, MavType, SensorSelection, Sighting};
use heartline::session::{Session, SessionSettings};
use heartline::source::dataflash::DataflashError;
use heartline::time::Micros;
use proptest::prelude::*;

use support::on_board::{DataflashBuilder, dataflash, facts, missing};
use support::{files, sidecar};

#[test]
fn recordings_say_what_the_vehicle_wrote() {
    let mut errors = 0;
    for path in files("ardupilot", "BIN") {
        let name = path.display();
        let truth = sidecar(&path);
        let (observations, summary) = dataflash(&std::fs::read(&path).unwrap()).unwrap();
        assert!(observations.is_sorted_by_key(|o| o.at), "{name}");
        assert_eq!(
            (summary.holes, summary.quarantined, summary.restarts),
            (0, 0, 0),
            "{name}"
        );
        assert_eq!(
            summary.firmware.as_deref(),
            truth["firmware"].as_str(),
            "{name}"
        );

        let facts = facts(&observations);
        let mut parameters = BTreeMap::new();
        for (_, fact) in &facts {
            if let LoggedFact::Parameter { name, value } = fact {
                parameters.entry(&**name).or_insert(*value);
            }
        }
        for (parameter, value) in truth["parameters"].as_object().unwrap() {
            assert_eq!(
                parameters.get(&**parameter),
                value.as_f64().as_ref(),
                "{name} {parameter}"
            );
        }
        for event in truth["dataflash_events"].as_array().unwrap() {
            let at = event["TimeUS"].as_i64().unwrap();
            let byte = |key: &str| event[key].as_u64().unwrap() as u8;
            let fact = match event["type"].as_str().unwrap() {
                "ERR" => {
                    errors += 1;
                    LoggedFact::Error {
                        subsystem: byte("Subsys"),
                        code: byte("ECode"),
                    }
                }
                "MODE" => LoggedFact::Mode {
                    mode: byte("ModeNum"),
                    reason: byte("Rsn"),
                },
                "MSG" => LoggedFact::Text {
                    severity: 6,
                    text: event["text"].as_str().unwrap().into(),
                },
                _ => continue,
            };
            assert!(
                facts.contains(&(at, fact.clone())),
                "{name}: no {fact:?} at {at}"
            );
        }
    }
    assert!(errors >= 4);
}

fn recorded() -> &'static [u8] {
    include_bytes!("data/ardupilot/rover_ekf_01_verr_1hz.BIN")
}

/// What pymavlink 2.4.50 (DFReader) counts in the bundled file.
#[test]
fn records_are_counted_as_pymavlink_counts_them() {
    let (observations, summary) = dataflash(recorded()).unwrap();
    let expected = [
        ("AHR2", 1095),
        ("ARM", 1),
        ("ATT", 1096),
        ("DCM", 217),
        ("DSF", 22),
        ("EAHR", 217),
        ("ERR", 4),
        ("EV", 1),
        ("FILE", 268),
        ("FMT", 180),
        ("FMTU", 191),
        ("GUIP", 1),
        ("MAV", 66),
        ("MAVC", 2),
        ("MODE", 2),
        ("MSG", 13),
        ("MULT", 15),
        ("ORGN", 4),
        ("PARM", 1293),
        ("PIDA", 1095),
        ("PIDS", 1095),
        ("POS", 1095),
        ("SIM", 1095),
        ("SIM2", 1095),
        ("SRTL", 12),
        ("UART", 44),
        ("UNIT", 37),
        ("VER", 1),
        ("XKF4", 2190),
        ("XKTV", 84),
        ("XKY0", 322),
        ("XKY1", 322),
    ];
    for (message, count) in expected {
        assert_eq!(summary.records[message], count, "{message}");
    }
    assert_eq!(summary.records.len(), expected.len());
    let ratios = facts(&observations)
        .iter()
        .filter(|(_, fact)| matches!(fact, LoggedFact::InnovationRatios { .. }))
        .count();
    assert_eq!(ratios as u64, summary.records["XKF4"]);
}

#[test]
fn ratios_are_hundredths_exactly() {
    let mut log = DataflashBuilder::default();
    log.format(
        47,
        30,
        "XKF4",
        "QBcccccHBIb",
        "TimeUS,C,SV,SP,SH,SM,SVT,FS,TS,SS,PI",
    );
    let mut body = 5_000_000_u64.to_le_bytes().to_vec();
    body.push(1);
    for hundredths in [80_i16, 81, -1, 32_767, 0] {
        body.extend(hundredths.to_le_bytes());
    }
    body.extend([1, 0, 48]);
    body.extend(107_327_u32.to_le_bytes());
    body.push(1);
    log.record(47, &[&body]);
    assert_eq!(log.0.len(), 89 + 30);
    let (observations, _) = dataflash(&log.0).unwrap();
    assert_eq!(
        facts(&observations),
        [(
            5_000_000,
            LoggedFact::InnovationRatios {
                core: 1,
                velocity: 0.8,
                position: 0.81,
                height: -0.01,
                compass: 327.67,
                airspeed: 0.0,
                status: 107_327,
                primary: 1,
            }
        )]
    );
}

/// Both filters log; AHRS_EKF_TYPE says which one flies.
#[test]
fn ratios_of_the_filter_that_flies_are_used() {
    let build = |ekf_type: Option<f32>| {
        let mut log = DataflashBuilder::default();
        for (kind, name) in [(47, "XKF4"), (37, "NKF4")] {
            log.format(kind, 23, name, "QccccI", "TimeUS,SV,SP,SH,SM,SS");
        }
        log.format(32, 31, "PARM", "QNf", "TimeUS,Name,Value");
        if let Some(value) = ekf_type {
            log.record(
                32,
                &[
                    &1_u64.to_le_bytes(),
                    b"AHRS_EKF_TYPE\0\0\0",
                    &value.to_le_bytes(),
                ],
            );
        }
        for (kind, ratio) in [(47_u8, 300_i16), (37, 200)] {
            let mut body = 2_u64.to_le_bytes().to_vec();
            for _ in 0..4 {
                body.extend(ratio.to_le_bytes());
            }
            body.extend([0; 4]);
            log.record(kind, &[&body]);
        }
        let (observations, summary) = dataflash(&log.0).unwrap();
        let used: Vec<f32> = facts(&observations)
            .iter()
            .filter_map(|(_, fact)| match fact {
                LoggedFact::InnovationRatios { velocity, .. } => Some(*velocity),
                _ => None,
            })
            .collect();
        (used, summary.other_estimator)
    };
    assert_eq!(build(Some(3.0)), (vec![3.0], 1));
    assert_eq!(build(Some(2.0)), (vec![2.0], 1));
    assert_eq!(build(None), (vec![3.0], 1));
}

#[test]
fn old_logs_count_milliseconds_or_nothing() {
    let mut log = DataflashBuilder::default();
    log.format(1, 7, "ATT", "I", "TimeMS")
        .format(2, 5, "ERR", "BB", "Subsys,ECode")
        .format(3, 9, "MODE", "IMB", "TimeMS,Mode,Rsn")
        .record(1, &[&4_000_u32.to_le_bytes()])
        .record(2, &[&[8, 1]])
        .record(3, &[&4_100_u32.to_le_bytes(), &[6, 5]]);
    let (observations, _) = dataflash(&log.0).unwrap();
    assert_eq!(
        facts(&observations),
        [
            (
                4_000_000,
                LoggedFact::Error {
                    subsystem: 8,
                    code: 1
                }
            ),
            (4_100_000, LoggedFact::Mode { mode: 6, reason: 5 }),
        ]
    );
}

#[test]
fn arming_is_told_once_whichever_record_tells_it() {
    let mut log = DataflashBuilder::default();
    log.format(1, 12, "EV", "QB", "TimeUS,Id")
        .format(2, 12, "ARM", "QB", "TimeUS,ArmState")
        .format(3, 75, "MSG", "QZ", "TimeUS,Message");
    let mut text = b"Throttle armed".to_vec();
    text.resize(64, 0);
    log.record(3, &[&1_u64.to_le_bytes(), &text])
        .record(1, &[&2_u64.to_le_bytes(), &[10]])
        .record(2, &[&2_u64.to_le_bytes(), &[1]])
        .record(2, &[&3_u64.to_le_bytes(), &[0]])
        .record(1, &[&3_u64.to_le_bytes(), &[11]]);
    let armed: Vec<(i64, LoggedFact)> = facts(&dataflash(&log.0).unwrap().0)
        .into_iter()
        .filter(|(_, fact)| matches!(fact, LoggedFact::Armed(_)))
        .collect();
    assert_eq!(
        armed,
        [(1, LoggedFact::Armed(true)), (3, LoggedFact::Armed(false))]
    );
}

/// A text that yields several facts: one stamp for all of them, which must not confirm itself.
#[test]
fn a_flipped_bit_in_the_time_of_arming_moves_nothing() {
    let mut log = DataflashBuilder::with_errors();
    log.format(2, 12, "ARM", "QB", "TimeUS,ArmState")
        .format(3, 75, "MSG", "QZ", "TimeUS,Message");
    let text = |text: &str| {
        let mut text = text.as_bytes().to_vec();
        text.resize(64, 0);
        text
    };
    let flipped = |at: u64| (at | 1 << 50).to_le_bytes();
    log.error(1_000_000, 16, 2)
        .record(3, &[&flipped(1_100_000), &text("ArduCopter V4.6.2 (x)")])
        .error(1_200_000, 17, 1)
        .record(3, &[&flipped(1_300_000), &text("Throttle armed")])
        .error(1_400_000, 16, 0)
        // What the refused records said is told by the next that is believed.
        .record(2, &[&1_500_000_u64.to_le_bytes(), &[1]])
        .record(
            3,
            &[&1_600_000_u64.to_le_bytes(), &text("ArduCopter V4.6.2 (x)")],
        );
    let (observations, summary) = dataflash(&log.0).unwrap();
    assert_eq!((summary.restarts, summary.quarantined), (0, 2));
    assert_eq!(
        summary.range,
        Some((
            Micros::from_micros(1_000_000),
            Micros::from_micros(1_600_000)
        ))
    );
    let times: Vec<i64> = facts(&observations).iter().map(|(at, _)| *at).collect();
    assert_eq!(
        times,
        [
            1_000_000, 1_200_000, 1_400_000, 1_500_000, 1_600_000, 1_600_000, 1_600_000
        ]
    );
    assert!(facts(&observations).contains(&(1_500_000, LoggedFact::Armed(true))));
}

#[test]
fn a_broken_description_displaces_no_good_one() {
    let mut log = DataflashBuilder::with_errors();
    log.format(10, 13, "ERR", "Q?B", "TimeUS,Subsys,ECode")
        .format(10, 200, "ERR", "QBB", "TimeUS,Subsys,ECode")
        .format(10, 2, "ERR", "", "")
        .format(11, 20, "NEW", "?!", "x,y")
        .record(11, &[&[9; 17]])
        .error(5, 16, 2);
    let (observations, summary) = dataflash(&log.0).unwrap();
    assert_eq!(
        facts(&observations),
        [(
            5,
            LoggedFact::Error {
                subsystem: 16,
                code: 2
            }
        )]
    );
    assert_eq!(summary.records["NEW"], 1, "stepped over by its length");
    assert_eq!(summary.lost_bytes, 0);
}

#[test]
fn an_unknown_type_is_stepped_over_and_named() {
    let mut log = DataflashBuilder::with_errors();
    log.error(5, 16, 2).record(77, &[&[1; 30]]).error(6, 16, 0);
    let (observations, summary) = dataflash(&log.0).unwrap();
    assert_eq!(facts(&observations).len(), 2);
    assert_eq!((summary.holes, summary.lost_bytes), (1, 33));
    assert!(observations.iter().any(|o| matches!(
        o.what,
        Sighting::Damage(d) if d.kind == DamageKind::UnknownId { id: 77 } && d.bytes == 33
    )));
}

/// Zeros over the tail of an error would turn "failsafe" into "resolved".
#[test]
fn a_record_with_an_overwritten_tail_is_not_believed() {
    let mut log = DataflashBuilder::with_errors();
    log.error(5, 8, 1);
    let tail = log.0.len() - 1;
    log.0[tail] = 0;
    log.0.extend([0; 40]);
    log.error(6, 17, 1);
    let (observations, summary) = dataflash(&log.0).unwrap();
    assert_eq!(
        facts(&observations),
        [(
            6,
            LoggedFact::Error {
                subsystem: 17,
                code: 1
            }
        )]
    );
    assert_eq!(summary.holes, 1);
}

#[test]
fn an_unwritten_rest_of_the_file_costs_nothing() {
    let mut log = DataflashBuilder::with_errors();
    log.error(5, 8, 1);
    log.0.extend([0; 4_000]);
    let (observations, summary) = dataflash(&log.0).unwrap();
    assert_eq!(facts(&observations).len(), 1);
    assert_eq!(summary.lost_bytes, 4_000);
}

#[test]
fn another_boot_in_the_same_file_is_told() {
    let mut log = DataflashBuilder::with_errors();
    log.error(900_000_000, 8, 1)
        .error(900_100_000, 8, 0)
        .error(3_000_000, 8, 1)
        .error(3_100_000, 8, 0);
    let (observations, summary) = dataflash(&log.0).unwrap();
    assert_eq!(summary.restarts, 1);
    let kinds: Vec<(i64, bool)> = observations
        .iter()
        .map(|o| (o.at.as_micros(), matches!(o.what, Sighting::Blind(_))))
        .collect();
    assert_eq!(
        kinds,
        [
            (900_000_000, false),
            (900_100_000, false),
            (3_000_000, true),
            (3_000_000, false),
            (3_100_000, false)
        ]
    );
}

#[test]
fn text_logs_say_the_same() {
    let log = "FMT, 128, 89, FMT, BBnNZ, Type,Length,Name,Format,Columns\n\
        FMT, 10, 13, ERR, QBB, TimeUS,Subsys,ECode\n\
        FMT, 47, 44, XKF4, QBcccccfffHBIHb, TimeUS,C,SV,SP,SH,SM,SVT,errRP,OFN,OFE,FS,TS,SS,GPS,PI\n\
        FMT, 59, 75, MSG, QZ, TimeUS,Message\n\
        MSG, 1000, ArduRover V4.6.2 (1ebd4d99)\n\
        MSG, 1000, one, two, three\n\
        XKF4, 2000, 1, 0.8, 0.81, 0, 0.02, 0, 0.1, 0.2, 0.3, 0, 48, 107327, 0, -1\n\
        garbage\n\
        ERR, 3000, 16, 2\n\
        ERR, 4000, 16";
    let (observations, summary) = dataflash(log.as_bytes()).unwrap();
    // Some editors put a byte order mark before the first line.
    let marked = dataflash(format!("\u{feff}{log}").as_bytes()).unwrap();
    assert_eq!(facts(&marked.0), facts(&observations));
    assert_eq!(marked.1, summary);
    let facts = facts(&observations);
    let text = |text: &str| LoggedFact::Text {
        severity: 6,
        text: text.into(),
    };
    assert_eq!(
        facts,
        [
            (
                1_000,
                LoggedFact::Firmware("ArduRover V4.6.2 (1ebd4d99)".into())
            ),
            (1_000, LoggedFact::Vehicle(MavType(10))),
            (1_000, text("ArduRover V4.6.2 (1ebd4d99)")),
            (1_000, text("one, two, three")),
            (
                2_000,
                LoggedFact::InnovationRatios {
                    core: 1,
                    velocity: 0.8,
                    position: 0.81,
                    height: 0.0,
                    compass: 0.02,
                    airspeed: 0.0,
                    status: 107_327,
                    primary: 255,
                }
            ),
            (
                3_000,
                LoggedFact::Error {
                    subsystem: 16,
                    code: 2
                }
            ),
        ]
    );
    assert_eq!((summary.holes, summary.cut_tail), (1, 13));
}

#[test]
fn a_satellite_fix_ties_the_clock_to_utc() {
    let mut log = DataflashBuilder::default();
    log.format(1, 18, "GPS", "QBIH", "TimeUS,Status,GMS,GWk");
    let fix = |status: u8| {
        let week = 2_400_u16.to_le_bytes();
        [
            &7_000_000_u64.to_le_bytes()[..],
            &[status],
            &1_500_u32.to_le_bytes(),
            &week,
        ]
        .concat()
    };
    log.record(1, &[&fix(1)]).record(1, &[&fix(3)]);
    let (observations, summary) = dataflash(&log.record(1, &[&fix(3)]).0).unwrap();
    let utc = summary.utc.unwrap();
    assert_eq!(utc.boot, Micros::from_millis(7_000));
    // Week 2400 of GPS time begins on 4 January 2026, 18 leap seconds before midnight UTC.
    assert_eq!(
        utc.utc,
        Micros::from_millis(1_767_484_800_000 - 18_000 + 1_500)
    );
    let told = LoggedFact::SatelliteTime { utc: utc.utc };
    assert_eq!(facts(&observations), [(7_000_000, told)], "once");
}

#[test]
fn a_change_of_lane_or_sensors_is_told_once() {
    let mut log = DataflashBuilder::default();
    let columns = "TimeUS,C,SV,SP,SH,SM,SVT,SS,PI";
    log.format(47, 27, "XKF4", "QBcccccIb", columns);
    log.format(48, 16, "XKFS", "QBBBBB", "TimeUS,C,MI,BI,GI,AI");
    let mut at = 5_000_000_u64;
    let mut time = || {
        at += 100_000;
        at.to_le_bytes()
    };
    // Not chosen yet, three times lane 0, then lane 1; a damaged number between.
    for primary in [255, 0, 0, 0, 99, 1, 1] {
        log.record(47, &[&time(), &[0], &[0; 10], &[0; 4], &[primary]]);
    }
    for compass in [0, 0, 2] {
        log.record(48, &[&time(), &[1, compass, 0, 0, 0]]);
    }
    let (observations, _) = dataflash(&log.0).unwrap();
    let told: Vec<_> = facts(&observations)
        .into_iter()
        .filter(|(_, fact)| !matches!(fact, LoggedFact::InnovationRatios { .. }))
        .collect();
    let sensors = |compass| {
        LoggedFact::SensorSelection(SensorSelection {
            core: 1,
            compass,
            barometer: 0,
            gps: 0,
            airspeed: 0,
        })
    };
    assert_eq!(
        told,
        [
            (5_600_000, LoggedFact::LaneSwitch { from: 0, to: 1 }),
            (5_800_000, sensors(0)),
            (6_000_000, sensors(2)),
        ]
    );
    let mut session = Session::new(SessionSettings::default());
    for observation in &observations {
        session.observe(observation);
    }
    let texts: Vec<_> = session.events().iter().map(|e| e.text.as_str()).collect();
    assert_eq!(texts[0], "EKF switches from lane 0 to lane 1");
    assert!(
        texts[2].starts_with("EKF lane 1 uses compass 2,"),
        "{texts:?}"
    );
}

#[test]
fn what_is_no_log_is_refused_with_the_reason() {
    assert_eq!(dataflash(b"").unwrap_err(), DataflashError::Empty);
    assert_eq!(
        dataflash(&[0x55; 300]).unwrap_err(),
        DataflashError::NoFormats { length: 300 }
    );
}

/// The offset behind the last description of a message type.
fn described() -> usize {
    let bytes = recorded();
    let mut end = 0;
    for at in 0..bytes.len() - 3 {
        if bytes[at..at + 3] == [0xA3, 0x95, 128] {
            end = at + 89;
        }
    }
    end
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_cut_file_keeps_all_before_the_cut(cut in 89_usize..recorded().len()) {
        let whole = facts(&dataflash(recorded()).unwrap().0);
        let (observations, summary) = dataflash(&recorded()[..cut]).unwrap();
        prop_assert!(missing(&whole, &facts(&observations)).is_some());
        prop_assert_eq!(summary.holes, 0);
        prop_assert!(summary.cut_tail < 256);
    }

    #[test]
    fn a_hole_costs_what_it_hit_and_little_more(
        at in described()..recorded().len() - 5_000,
        length in 1_usize..4_000,
        fill in any::<u8>(),
    ) {
        let whole = facts(&dataflash(recorded()).unwrap().0);
        let mut bytes = recorded().to_vec();
        bytes[at..at + length].fill(fill);
        let (observations, _) = dataflash(&bytes).unwrap();
        let kept = facts(&observations);
        // In order, so that both can be walked once.
        let (mut lost, mut invented) = (0, 0);
        let mut rest = whole.iter().peekable();
        for fact in &kept {
            let ahead = rest.clone().take(1_000).position(|f| f == fact);
            match ahead {
                Some(ahead) => {
                    lost += ahead;
                    rest.nth(ahead);
                }
                None => invented += 1,
            }
        }
        lost += rest.count();
        // No needed record is shorter than 12 bytes.
        prop_assert!(lost <= length / 12 + 4, "{lost} lost by {length} bytes");
        prop_assert!(invented <= 2, "{invented} invented by {length} bytes");
    }

    #[test]
    fn no_bytes_make_it_panic(
        flips in proptest::collection::vec((0_usize..recorded().len(), any::<u8>()), 1..500),
    ) {
        let mut bytes = recorded().to_vec();
        for (at, value) in flips {
            bytes[at] = value;
        }
        prop_assert!(dataflash(&bytes).is_ok());
    }
}
