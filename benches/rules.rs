//! What the rules cost: a million heartbeats through the session and both failsafe rules, a what-if over
//! an hour of record, one picture's worth of questions.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    reason = "criterion's macros make undocumented items; a broken fixture must stop the bench"
)]

use criterion::{Criterion, criterion_group, criterion_main};
use heartline::observation::{
    Autopilot, Direction, EkfFlags, EkfStatusReport, Frame, Heartbeat, MavType, Message,
    Observation, PathId, Sighting, SystemStatus, Talker,
};
use heartline::session::{Session, SessionSettings, WhatIf};
use heartline::time::{Micros, Span};

const VEHICLE: Talker = Talker::new(1, 1);

fn heartbeat(at: Micros, from: Talker, mav_type: MavType, autopilot: Autopilot) -> Observation {
    Observation {
        at,
        path: PathId::default(),
        what: Sighting::Frame(Frame {
            from,
            sequence: (at.as_micros() / 1_000_000) as u8,
            id: 0,
            length: 21,
            direction: Direction::Unknown,
            signed: false,
            message: Message::Heartbeat(Heartbeat {
                mav_type,
                autopilot,
                base_mode: 128,
                custom_mode: 0x0404_0000,
                system_status: SystemStatus::ACTIVE,
            }),
        }),
    }
}

/// A vehicle, a companion and a ground station that falls silent for 20 s every 10 minutes.
fn record(seconds: i64, autopilot: Autopilot) -> Vec<Observation> {
    let mut record = Vec::new();
    for second in 0..seconds {
        let at = |ms: i64| Micros::from_millis(1_000_000 + second * 1_000 + ms);
        record.push(heartbeat(at(100), VEHICLE, MavType(10), autopilot));
        record.push(heartbeat(
            at(284),
            Talker::new(1, 191),
            MavType(18),
            Autopilot::INVALID,
        ));
        if second % 600 < 580 {
            record.push(heartbeat(
                at(412),
                Talker::new(255, 190),
                MavType::GCS,
                Autopilot::INVALID,
            ));
        }
    }
    record
}

/// An hour of a Rover's ratios at ten reports a second: `velocity` says which value the n-th has.
fn estimated(velocity: impl Fn(i64) -> f32) -> Vec<Observation> {
    let mut record = record(3_600, Autopilot::ARDUPILOT);
    record.extend((0..36_000).map(|n| {
        let mut observation = heartbeat(
            Micros::from_millis(1_000_050 + n * 100),
            VEHICLE,
            MavType(10),
            Autopilot::ARDUPILOT,
        );
        if let Sighting::Frame(frame) = &mut observation.what {
            frame.id = 193;
            frame.message = Message::EkfStatusReport(EkfStatusReport {
                velocity: velocity(n),
                position_horizontal: 0.1,
                position_vertical: 0.1,
                compass: 0.1,
                terrain: 0.0,
                airspeed: None,
                // Attitude, velocity, position relative and absolute.
                flags: EkfFlags(0x1f),
            });
        }
        observation
    }));
    record.sort_by_key(|observation| observation.at);
    record
}

fn ekf(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("ekf");
    // A value that jumps around the threshold without a pattern that a branch predictor could learn.
    let noisy = |n: i64| (n.wrapping_mul(2_654_435_761) >> 16 & 0xff) as f32 / 160.0;
    let records = [
        ("quiet", folded(&estimated(|_| 0.1))),
        ("noise around the threshold", folded(&estimated(noisy))),
    ];
    for (name, hour) in &records {
        let what_if = WhatIf {
            parameters: [("FS_EKF_THRESH".to_owned(), 0.7)].into(),
            ..WhatIf::default()
        };
        group.bench_function(format!("a what-if over an hour, {name}"), |b| {
            b.iter(|| hour.ekf_episodes_under(VEHICLE, &what_if).len());
        });
    }
    group.finish();
}

fn folded(record: &[Observation]) -> Session {
    let mut session = Session::new(SessionSettings::default());
    for observation in record {
        session.observe(observation);
    }
    session
}

fn rules(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("rules");
    group.sample_size(10);
    for (name, autopilot) in [("px4", Autopilot::PX4), ("ardupilot", Autopilot::ARDUPILOT)] {
        let million = record(335_600, autopilot);
        group.bench_function(
            format!("{name}: a million heartbeats, folded and judged"),
            |b| {
                b.iter(|| folded(&million).link_losses(VEHICLE).len());
            },
        );
        let hour = folded(&record(3_600, autopilot));
        let what_if = WhatIf {
            parameters: [("COM_DL_LOSS_T", 5.0), ("FS_GCS_TIMEOUT", 3.0)]
                .map(|(name, value)| (name.to_owned(), value))
                .into(),
            ..WhatIf::default()
        };
        group.bench_function(format!("{name}: a what-if over an hour"), |b| {
            b.iter(|| hour.link_losses_under(VEHICLE, &what_if).len());
        });
        let end = hour.last().unwrap();
        group.bench_function(format!("{name}: one moment and its strips"), |b| {
            b.iter(|| {
                let view = hour.link_at(VEHICLE, end);
                let strips = hour.link_strips(VEHICLE, end - Span::from_secs(60), end);
                (view.is_some(), strips.countdown.len())
            });
        });
    }
    group.finish();
}

criterion_group!(benches, rules, ekf);
criterion_main!(benches);
