//! ULogs: recorded ones against the truth beside them, built ones for layouts and damage.
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
use std::ops::ControlFlow;

use heartline::observation::{DamageKind, LoggedFact, Observation, PathId, Sighting};
use heartline::source::ulog::{Completeness, UlogError, read_ulog_watched};
use heartline::time::Micros;
use proptest::prelude::*;

use support::on_board::{UlogBuilder, facts, missing, ulog};
use support::{files, sidecar};

#[test]
fn recordings_say_what_the_vehicle_wrote() {
    let mut losses = 0;
    for path in files("px4", "ulg") {
        let name = path.display();
        let truth = sidecar(&path);
        let (observations, summary) = ulog(&std::fs::read(&path).unwrap()).unwrap();
        assert_eq!(summary.completeness, Completeness::Complete, "{name}");
        assert!(observations.is_sorted_by_key(|o| o.at), "{name}");
        let version = truth["firmware"]["px4"].as_str().unwrap();
        assert!(summary.release.unwrap().starts_with(version), "{name}");
        assert_eq!(
            summary.git.as_deref(),
            truth["firmware"]["git"].as_str(),
            "{name}"
        );

        let facts = facts(&observations);
        let mut parameters = BTreeMap::new();
        for (_, fact) in &facts {
            if let LoggedFact::Parameter { name, value } = fact {
                parameters.insert(&**name, *value);
            }
        }
        for (parameter, value) in truth["params"].as_object().unwrap() {
            assert_eq!(
                parameters.get(&**parameter),
                value.as_f64().as_ref(),
                "{name} {parameter}"
            );
        }
        for loss in truth["losses"].as_array().unwrap() {
            let Some(lost) = loss["gcs_connection_lost_vehicle_status_ulog_us"].as_i64() else {
                continue;
            };
            losses += 1;
            assert!(
                facts.contains(&(lost, LoggedFact::GcsConnectionLost(true))),
                "{name}: no loss at {lost}"
            );
            // Written from seconds as a float: off by a microsecond in places.
            if let Some(regained) = loss["regained_ulog_us"].as_i64() {
                assert!(
                    facts.iter().any(|(at, fact)| {
                        (at - regained).abs() <= 1 && *fact == LoggedFact::GcsConnectionLost(false)
                    }),
                    "{name}: not regained at {regained}"
                );
            }
            let instance = loss["last_true_report_instance"].as_u64().unwrap() as u8;
            for (key, flag) in [
                ("last_true_report_ulog_us", true),
                ("first_false_report_ulog_us", false),
            ] {
                let at = loss[key].as_i64().unwrap();
                let report = LoggedFact::TelemetryStatus {
                    instance,
                    heartbeat_type_gcs: flag,
                    last_gcs_heartbeat_us: None,
                };
                assert!(
                    facts.contains(&(at, report)),
                    "{name}: no report {flag} at {at}"
                );
            }
        }
    }
    assert!(losses >= 5);
}

/// The rows per topic that pyulog 1.3.0 counts in the bundled files.
#[test]
fn rows_are_counted_as_pyulog_counts_them() {
    for (file, topic, instance, rows) in [
        (
            "s06_mission_comp0872_T10_hold_inc0143",
            "telemetry_status",
            0,
            64,
        ),
        (
            "s06_mission_comp0872_T10_hold_inc0143",
            "vehicle_status",
            0,
            91,
        ),
        (
            "s21_v1123_bench_gcsonly_multi4_T5",
            "telemetry_status",
            0,
            111,
        ),
        (
            "s21_v1123_bench_gcsonly_multi4_T5",
            "telemetry_status",
            1,
            90,
        ),
        (
            "s21_v1123_bench_gcsonly_multi4_T5",
            "vehicle_status",
            0,
            138,
        ),
        (
            "s21_v1123_bench_gcsonly_multi4_T5",
            "commander_state",
            0,
            138,
        ),
    ] {
        let path = format!("{}/tests/data/px4/{file}.ulg", env!("CARGO_MANIFEST_DIR"));
        let (_, summary) = ulog(&std::fs::read(path).unwrap()).unwrap();
        assert_eq!(
            summary.rows[&(topic.into(), instance)],
            rows,
            "{file} {topic}"
        );
    }
}

/// A bool layout with a row of `telemetry_status` per entry of `rows`: time and flag.
fn telemetry(rows: &[(u64, u8)]) -> UlogBuilder {
    let mut log = UlogBuilder::new(1_000_000);
    log.format("telemetry_status:uint64_t timestamp;float data_rate;bool heartbeat_type_gcs;uint8_t[3] _padding0;")
        .announce(2, 0, "telemetry_status");
    for (at, flag) in rows {
        log.row(0, &[&at.to_le_bytes(), &[0; 4], &[*flag]]);
    }
    log
}

fn status(instance: u8, flag: bool, heard: Option<i64>) -> LoggedFact {
    LoggedFact::TelemetryStatus {
        instance,
        heartbeat_type_gcs: flag,
        last_gcs_heartbeat_us: heard,
    }
}

#[test]
fn booleans_give_the_flag() {
    let log = telemetry(&[(1_100_000, 1), (2_100_000, 0)]);
    let (observations, summary) = ulog(&log.0).unwrap();
    assert_eq!(
        facts(&observations),
        [
            (1_100_000, status(2, true, None)),
            (2_100_000, status(2, false, None))
        ]
    );
    assert_eq!(summary.completeness, Completeness::Complete);
}

#[test]
fn four_heartbeats_give_the_ground_stations_newest() {
    let mut log = UlogBuilder::new(0);
    log.format("telemetry_heartbeat:uint64_t timestamp;uint8_t system_id;uint8_t component_id;uint8_t type;uint8_t state;uint8_t[4] _padding0;")
        .format("telemetry_status:uint64_t timestamp;telemetry_heartbeat[4] heartbeats;float data_rate;")
        .announce(0, 0, "telemetry_status");
    let heartbeat =
        |at: u64, kind: u8| [&at.to_le_bytes()[..], &[255, 190, kind, 4], &[0; 4]].concat();
    let row = |beats: [(u64, u8); 4]| beats.map(|(at, kind)| heartbeat(at, kind)).concat();
    let some = row([(900_000, 18), (700_000, 6), (800_000, 6), (0, 0)]);
    let none = row([(900_000, 18), (0, 6), (0, 0), (0, 0)]);
    log.row(0, &[&1_000_000_u64.to_le_bytes(), &some, &[0; 4]])
        .row(0, &[&2_000_000_u64.to_le_bytes(), &none, &[0; 4]]);
    let (observations, summary) = ulog(&log.0).unwrap();
    assert_eq!(
        facts(&observations),
        [
            (1_000_000, status(0, true, Some(800_000))),
            (2_000_000, status(0, false, None))
        ]
    );
    assert_eq!(summary.refused, 0);
}

#[test]
fn one_heartbeat_time_counts_for_a_ground_station_only() {
    let mut log = UlogBuilder::new(0);
    log.format("telemetry_status:uint64_t timestamp;uint64_t heartbeat_time;uint8_t remote_type;")
        .announce(0, 0, "telemetry_status")
        .row(
            0,
            &[
                &1_000_000_u64.to_le_bytes(),
                &900_000_u64.to_le_bytes(),
                &[6],
            ],
        )
        .row(
            0,
            &[
                &2_000_000_u64.to_le_bytes(),
                &1_900_000_u64.to_le_bytes(),
                &[18],
            ],
        );
    let (observations, _) = ulog(&log.0).unwrap();
    assert_eq!(
        facts(&observations),
        [
            (1_000_000, status(0, true, Some(900_000))),
            (2_000_000, status(0, false, None))
        ]
    );
}

#[test]
fn the_flag_comes_from_vehicle_status_or_else_from_failsafe_flags() {
    let build = |with_flag: bool| {
        let mut log = UlogBuilder::new(0);
        let flag = if with_flag {
            "bool gcs_connection_lost;"
        } else {
            ""
        };
        log.format(&format!(
            "vehicle_status:uint64_t timestamp;uint8_t nav_state;uint8_t arming_state;bool failsafe;{flag}"
        ))
        .format("failsafe_flags:uint64_t timestamp;bool gcs_connection_lost;")
        .announce(0, 0, "vehicle_status")
        .announce(0, 1, "failsafe_flags");
        for (at, lost) in [(1_000_000_u64, 0), (2_000_000, 1), (3_000_000, 1)] {
            let early = at - 10;
            log.row(1, &[&early.to_le_bytes(), &[lost]]);
            let fields = [4, 2, lost, lost];
            log.row(
                0,
                &[&at.to_le_bytes(), &fields[..if with_flag { 4 } else { 3 }]],
            );
        }
        let (observations, _) = ulog(&log.0).unwrap();
        facts(&observations)
            .into_iter()
            .filter(|(_, fact)| matches!(fact, LoggedFact::GcsConnectionLost(_)))
            .map(|(at, _)| at)
            .collect::<Vec<_>>()
    };
    assert_eq!(build(true), [1_000_000, 2_000_000]);
    assert_eq!(build(false), [999_990, 1_999_990]);
}

#[test]
fn a_changed_parameter_is_dated_by_the_newest_row() {
    let mut log = telemetry(&[(1_500_000, 1)]);
    log.parameter("COM_DL_LOSS_T", 5);
    let (observations, summary) = ulog(&log.0).unwrap();
    let (at, fact) = facts(&observations).pop().unwrap();
    assert_eq!(at, 1_500_000);
    assert_eq!(
        fact,
        LoggedFact::Parameter {
            name: "COM_DL_LOSS_T".into(),
            value: 5.0
        }
    );
    assert_eq!(summary.parameters, 1);
}

#[test]
fn records_that_lie_about_their_length_cost_themselves_only() {
    // Each of these made the decoder panic or stop when it was given them as they are.
    for (kind, payload) in [
        (b'P', &b""[..]),
        (b'P', b"\xFFint32_t X\0\0\0\0"),
        (b'Q', b"\x01"),
        (b'A', b"\0"),
        (b'D', b"\0"),
        (b'F', b"no colon"),
        (b'F', b"telemetry_status:uint64_t timestamp"),
        (b'I', b"\x40short"),
        (b'Z', b"unknown"),
    ] {
        let mut log = telemetry(&[(1_100_000, 1), (1_200_000, 1)]);
        log.record(kind, payload);
        for i in 0..8_u64 {
            log.row(
                0,
                &[&(1_300_000 + i * 100_000).to_le_bytes(), &[0; 4], &[0]],
            );
        }
        let (observations, _) = ulog(&log.0).unwrap();
        assert_eq!(
            facts(&observations).len(),
            10,
            "after {} {payload:?}",
            kind as char
        );
    }
}

#[test]
fn a_broken_format_of_another_topic_costs_nothing() {
    let mut log = UlogBuilder::new(0);
    log.format("other:nonsense x;")
        .format("loop:loop x;")
        .format("event:missing_type x;")
        .format("telemetry_status:uint64_t timestamp;bool heartbeat_type_gcs;")
        .announce(0, 0, "other")
        .announce(0, 1, "telemetry_status")
        .row(1, &[&5_u64.to_le_bytes(), &[1]]);
    let (observations, summary) = ulog(&log.0).unwrap();
    assert_eq!(facts(&observations), [(5, status(0, true, None))]);
    assert_eq!(summary.refused, 1, "the format of `event`");
}

#[test]
fn files_without_flags_are_read() {
    let mut log = UlogBuilder::bare(0);
    log.format("telemetry_status:uint64_t timestamp;bool heartbeat_type_gcs;")
        .announce(0, 0, "telemetry_status")
        .row(0, &[&5_u64.to_le_bytes(), &[1]]);
    let (observations, _) = ulog(&log.0).unwrap();
    assert_eq!(facts(&observations).len(), 1);
}

#[test]
fn appended_data_is_read_behind_a_record_cut_by_the_crash() {
    let mut log = telemetry(&[(1_100_000, 1)]);
    // The crash cut this row; what memory still held was appended behind it.
    log.0.extend([15, 0, b'D', 0, 0, 1]);
    let appended = log.0.len() as u64;
    log.row(0, &[&1_200_000_u64.to_le_bytes(), &[0; 4], &[0]]);
    let flags = 16 + 3;
    log.0[flags + 8] = 1;
    log.0[flags + 16..flags + 24].copy_from_slice(&appended.to_le_bytes());
    let (observations, summary) = ulog(&log.0).unwrap();
    assert_eq!(facts(&observations).len(), 2);
    assert!(!summary.unknown_features);
}

#[test]
fn the_first_satellite_fix_dates_the_log() {
    let mut log = UlogBuilder::new(1_000_000);
    log.format("sensor_gps:uint64_t timestamp;uint64_t time_utc_usec;uint8_t fix_type;")
        .announce(0, 0, "sensor_gps");
    let utc = 1_767_484_800_000_000_u64;
    for (at, utc, fix) in [
        // Published before logging began, without a time, without a fix.
        (900_000_u64, utc - 7, 3_u8),
        (1_100_000, 0, 3),
        (1_200_000, utc - 5, 1),
        (1_300_000, utc, 3),
        (1_400_000, utc + 100_000, 3),
    ] {
        log.row(0, &[&at.to_le_bytes(), &utc.to_le_bytes(), &[fix]]);
    }
    let (observations, summary) = ulog(&log.0).unwrap();
    let told = LoggedFact::SatelliteTime {
        utc: Micros::from_micros(utc as i64),
    };
    assert_eq!(facts(&observations), [(1_300_000, told)]);
    assert_eq!(summary.completeness, Completeness::Complete);
}

#[test]
fn dropouts_are_told_and_added_up() {
    let mut log = telemetry(&[(1_100_000, 1)]);
    log.record(b'O', &250_u16.to_le_bytes());
    let (observations, summary) = ulog(&log.0).unwrap();
    assert_eq!(
        facts(&observations)[1],
        (1_100_000, LoggedFact::Dropout { millis: 250 })
    );
    assert_eq!((summary.dropouts, summary.dropout_millis), (1, 250));
    // Nobody may say of such a log that nothing is missing.
    assert_eq!(kinds(&observations), [DamageKind::Dropout]);
    assert_eq!(blind(&observations), 0);

    log.record(b'O', &500_u16.to_le_bytes());
    let (observations, _) = ulog(&log.0).unwrap();
    assert_eq!(kinds(&observations), [DamageKind::Dropout; 2]);
    assert_eq!(blind(&observations), 1, "long enough to hide a report");
}

/// The kinds of damage among observations.
fn kinds(observations: &[Observation]) -> Vec<DamageKind> {
    observations
        .iter()
        .filter_map(|o| match &o.what {
            Sighting::Damage(damage) => Some(damage.kind),
            _ => None,
        })
        .collect()
}

fn blind(observations: &[Observation]) -> usize {
    let is_blind = |o: &&Observation| matches!(o.what, Sighting::Blind(_));
    observations.iter().filter(is_blind).count()
}

#[test]
fn rows_of_a_topic_that_was_never_announced_are_told_but_not_a_million_times() {
    let mut log = telemetry(&[(1_100_000, 1)]);
    for _ in 0..3_000 {
        log.row(1, &[&[0; 8]]);
    }
    log.row(0, &[&2_100_000_u64.to_le_bytes(), &[0; 4], &[1]]);
    let (observations, summary) = ulog(&log.0).unwrap();
    assert_eq!(summary.refused, 3_000);
    let kinds = kinds(&observations);
    assert_eq!(kinds, vec![DamageKind::Refused; 1_001]);
    assert_eq!(facts(&observations).len(), 2);
}

#[test]
fn reading_can_be_ended_before_anything_is_told() {
    let log = telemetry(&[(1_100_000, 1), (2_100_000, 0)]);
    let mut passed = Vec::new();
    let mut observations = 0;
    read_ulog_watched(
        &log.0,
        PathId(0),
        &mut |at| {
            passed.push(at);
            if passed.len() < 3 {
                ControlFlow::Continue(())
            } else {
                ControlFlow::Break(())
            }
        },
        &mut |_| {
            observations += 1;
            ControlFlow::Continue(())
        },
    )
    .unwrap();
    assert_eq!(observations, 0, "neither row was read");
    assert_eq!(passed.len(), 3);
    assert!(passed.is_sorted());
}

#[test]
fn a_flipped_bit_in_a_time_is_quarantined() {
    let log = telemetry(&[(1_100_000, 1), (1_200_000 + (1 << 50), 0), (1_300_000, 1)]);
    let (observations, summary) = ulog(&log.0).unwrap();
    assert_eq!(facts(&observations).len(), 2);
    assert_eq!(summary.quarantined, 1);
    assert_eq!(summary.completeness, Completeness::Damaged);
    assert!(
        observations
            .iter()
            .any(|o| matches!(o.what, Sighting::Damage(_)))
    );
}

#[test]
fn what_is_no_ulog_is_refused_with_the_reason() {
    assert_eq!(ulog(b"").unwrap_err(), UlogError::Empty);
    assert_eq!(ulog(b"\xA3\x95\x80").unwrap_err(), UlogError::NotUlog);
    let bare = UlogBuilder::bare(0);
    assert_eq!(
        ulog(&bare.0[..12]).unwrap_err(),
        UlogError::CutHeader { length: 12 }
    );
    assert!(ulog(&bare.0).is_ok());
}

fn recorded() -> &'static [u8] {
    include_bytes!("data/px4/s21_v1123_bench_gcsonly_multi4_T5.ulg")
}

/// The offset behind the last announcement of a topic. Without its announcement a topic's rows have no
/// meaning, so a hole there costs all of them in any reader.
fn announced() -> usize {
    let bytes = recorded();
    let (mut at, mut end) = (16, 0);
    while at + 3 < bytes.len() {
        let next = at + 3 + usize::from(u16::from_le_bytes([bytes[at], bytes[at + 1]]));
        if bytes[at + 2] == b'A' {
            end = next;
        }
        at = next;
    }
    end
}

/// Where the last whole record of the recording ends if it is cut at `cut`.
fn last_end(cut: usize) -> usize {
    let bytes = recorded();
    let mut end = 16;
    while end + 3 <= cut {
        let next = end + 3 + usize::from(u16::from_le_bytes([bytes[end], bytes[end + 1]]));
        if next > cut {
            break;
        }
        end = next;
    }
    end
}

proptest! {
    #[test]
    fn a_cut_file_keeps_all_before_the_cut(cut in 16_usize..recorded().len()) {
        let whole = facts(&ulog(recorded()).unwrap().0);
        let (observations, summary) = ulog(&recorded()[..cut]).unwrap();
        prop_assert!(missing(&whole, &facts(&observations)).is_some());
        prop_assert!(summary.completeness != Completeness::Damaged, "{summary:?}");
        // Every record that ends before the cut was used.
        prop_assert_eq!(summary.cut_tail, (cut - last_end(cut)) as u64);
    }

    #[test]
    fn a_hole_costs_what_it_hit_and_little_more(
        at in announced()..recorded().len() - 5_000,
        length in 1_usize..4_000,
        fill in any::<u8>(),
    ) {
        let whole = facts(&ulog(recorded()).unwrap().0);
        let mut bytes = recorded().to_vec();
        bytes[at..at + length].fill(fill);
        let (observations, _) = ulog(&bytes).unwrap();
        let kept = facts(&observations);
        let lost = whole.iter().filter(|fact| !kept.contains(fact)).count();
        // No needed record is shorter than 19 bytes; a dozen more may go until records chain again.
        prop_assert!(lost <= length / 19 + 12, "{lost} lost by {length} bytes");
        // A row of which the hole ate the middle cannot be told from a good one. It changes, and its
        // neighbours' repetitions may become changes.
        let invented = kept.iter().filter(|fact| !whole.contains(fact)).count();
        prop_assert!(invented <= 6, "{invented} invented by {length} bytes");
    }

    #[test]
    fn no_bytes_make_it_panic(
        flips in proptest::collection::vec((0_usize..recorded().len(), any::<u8>()), 1..200),
    ) {
        let mut bytes = recorded().to_vec();
        for (at, value) in flips {
            bytes[at] = value;
        }
        if let Ok((observations, _)) = ulog(&bytes) {
            prop_assert!(observations.is_sorted_by_key(|o| o.at));
        }
    }
}
