//! What the rules cost: a million heartbeats through the session and both failsafe rules, a what-if over
//! an hour of record, one picture's worth of questions.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    reason = "criterion's macros make undocumented items; a broken fixture must stop the bench"
)]

use criterion::{Criterion, criterion_group, criterion_main};
use heartline::observation::{
    Autopilot, Direction, Frame, Heartbeat, MavType, Message, Observation, PathId, Sighting,
    SystemStatus, Talker,
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

criterion_group!(benches, rules);
criterion_main!(benches);
