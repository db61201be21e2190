//! What a report says: sentences that claim no more than the evidence, and formats that tell the same.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test"
)]

mod support;

use std::fmt::Write as _;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use heartline::observation::{Damage, DamageKind, LoggedFact, Observation, PathId, Sighting};
use heartline::report::{
    Clock, Concern, Findings, Report, ReportSource, Sheet, csv_head, csv_rows, html_article,
    html_begin, json, json_schema, loss_sentence, markdown, text,
};
use heartline::rules::Verdict;
use heartline::session::{Session, SessionSettings};
use heartline::source::LogFile;
use heartline::time::{Micros, Span};
use jiff::tz::TimeZone;
use serde_json::Value;
use support::{files, observations_of};

/// What a record gives in every format.
struct Written {
    report: Report,
    sheet: Sheet,
    json: Value,
    text: String,
}

fn written(session: &Session, path: &str, kind: &'static str) -> Written {
    let source = ReportSource {
        path: path.to_owned(),
        kind,
        bytes: 1,
    };
    let clock = Clock::of(session.first(), TimeZone::UTC);
    let findings = Findings::of(&source, session);
    let report = Report::of(&findings, &clock);
    let sheet = Sheet::of(&findings, &report, &clock);
    Written {
        json: serde_json::from_str(&json(&report, true)).unwrap(),
        text: text(&sheet),
        report,
        sheet,
    }
}

fn observations(path: &Path) -> (Vec<Observation>, &'static str) {
    let file = LogFile::open(path).unwrap();
    let mut observations = Vec::new();
    file.read(&mut |observation| {
        observations.push(observation);
        ControlFlow::Continue(())
    })
    .unwrap();
    (observations, file.kind().name())
}

fn session<'a>(observations: impl IntoIterator<Item = &'a Observation>) -> Session {
    let mut session = Session::new(SessionSettings::default());
    for observation in observations {
        session.observe(observation);
    }
    session
}

fn of_file(path: &Path) -> Written {
    let (observations, kind) = observations(path);
    let name = path.file_name().unwrap().to_string_lossy();
    written(&session(&observations), &name, kind)
}

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/data")
        .join(name)
}

fn all_recordings() -> Vec<PathBuf> {
    [
        ("px4", "tlog"),
        ("px4", "ulg"),
        ("ardupilot", "tlog"),
        ("ardupilot", "BIN"),
    ]
    .iter()
    .flat_map(|(kind, extension)| files(kind, extension))
    .collect()
}

const INCIDENT: &str = "px4/s05_mission_comp060_T10_hold.tlog";

#[test]
fn boot_times_are_never_called_a_time_of_day() {
    let written = of_file(&data("px4/s06_mission_comp0872_T10_hold_inc0143.ulg"));
    assert!(!written.text.contains("UTC"), "{}", written.text);
    assert!(written.text.contains("since boot"), "{}", written.text);
    let explanation = &written.json["vehicles"][0]["link_losses"][0]["explanation"];
    for sentence in explanation.as_array().unwrap() {
        let sentence = sentence.as_str().unwrap();
        let (seconds, _) = sentence.split_once(" s ").expect("seconds since boot");
        assert!(
            (2_000.0..2_400.0).contains(&seconds.parse().unwrap()),
            "{sentence}"
        );
    }
    let ground = of_file(&data(INCIDENT));
    assert!(ground.text.contains("UTC"), "{}", ground.text);
}

#[test]
fn a_record_that_ends_too_early_does_not_say_that_there_was_no_loss() {
    let all = observations_of(&data(INCIDENT));
    let whole = session(&all);
    let vehicle = whole.vehicles().next().unwrap().talker;
    let loss = &whole.link_losses(vehicle)[0];
    let end = loss.last_heartbeat.latest() + Span::from_millis(11_605);
    let cut = session(all.iter().filter(|observation| observation.at <= end));
    let written = written(&cut, "cut.tlog", "tlog");
    let vehicle = &written.report.vehicles[0];
    assert!(vehicle.link_losses.is_empty());
    let sentence = &vehicle.near_misses[0].sentence;
    assert!(
        sentence.contains("whether the loss came is not known"),
        "{sentence}"
    );
    assert!(!sentence.to_lowercase().contains("no loss"), "{sentence}");
}

#[test]
fn a_heartbeat_that_returns_within_the_window_leaves_it_open_whether_the_link_was_lost() {
    let whole = session(&observations_of(&data(INCIDENT)));
    let vehicle = whole.vehicles().next().unwrap();
    let clock = Clock::of(whole.first(), TimeZone::UTC);
    let mut loss = whole.link_losses(vehicle.talker)[0].clone();
    let seen = loss_sentence(&loss, vehicle, &clock);
    assert!(
        seen.starts_with("GCS connection declared lost 11.60"),
        "{seen}"
    );
    assert!(seen.contains("COM_DL_LOSS_T = 10 s"), "{seen}");
    assert!(seen.contains("Nothing was late"), "{seen}");
    loss.observed_loss = None;
    loss.observed_action = None;
    loss.verdict = Verdict::CannotTell("nothing tells whether it was in time".to_owned());
    let by_the_rules = loss_sentence(&loss, vehicle, &clock);
    assert!(by_the_rules.starts_with("By the rules"), "{by_the_rules}");
    let window = loss.predicted_loss().unwrap();
    loss.regained = Some(window.earliest() + Span::from_millis(2));
    let open = loss_sentence(&loss, vehicle, &clock);
    assert!(open.contains("may have been declared lost"), "{open}");
}

#[test]
fn an_ekf_failsafe_of_an_on_board_log_is_told_with_all_that_is_known_of_it() {
    let written = of_file(&data("ardupilot/rover_ekf_01_verr_1hz.BIN"));
    for word in [
        "EKF failsafe 1",
        "Predicted trip",
        "ERR subsystem 16 (EKFCHECK), code 2",
        "inside the predicted window",
        "yes, Hold: the mode needs a position",
        "The check's count; 10 trips it",
        "The check run again clears",
    ] {
        assert!(written.text.contains(word), "{word}:\n{}", written.text);
    }
    let ground = of_file(&data("ardupilot/rover_ekf_01_verr_1hz.tlog"));
    assert!(!ground.report.vehicles[0].ekf_possible.is_empty());
    assert!(
        ground.text.contains("EKF failsafe, possible"),
        "{}",
        ground.text
    );
}

#[test]
fn what_a_log_does_not_say_of_arming_and_mode_is_assumed_aloud_or_left_open() {
    let (all, _) = observations(&data("ardupilot/rover_ekf_01_verr_1hz.BIN"));
    let without = |left_out: fn(&LoggedFact) -> bool| {
        let kept = all
            .iter()
            .filter(|o| !matches!(&o.what, Sighting::Logged(fact) if left_out(fact)));
        written(&session(kept), "silent.bin", "dataflash")
    };
    let no_mode = without(|fact| matches!(fact, LoggedFact::Mode { .. }));
    let trip = &no_mode.report.vehicles[0].ekf_failsafes[0];
    assert_eq!(trip.would_act, None);
    assert!(
        trip.assumptions.iter().any(|a| a.contains("mode")),
        "{trip:?}"
    );
    assert!(
        trip.sentence.contains("Whether it acts is not known"),
        "{}",
        trip.sentence
    );
    let no_arming = without(|fact| matches!(fact, LoggedFact::Armed(_)));
    let trip = &no_arming.report.vehicles[0].ekf_failsafes[0];
    assert_eq!(trip.would_act, Some(true));
    assert!(
        trip.assumptions.iter().any(|a| a.contains("armed")),
        "{trip:?}"
    );
}

#[test]
fn what_was_not_recorded_is_damage_and_its_consequence_is_told() {
    let (mut all, _) = observations(&data("px4/s06_mission_comp0872_T10_hold_inc0143.ulg"));
    assert!(of_all(&all).text.contains("No damage found"));
    let at = all[all.len() / 2].at;
    let further = [
        Sighting::Logged(LoggedFact::Dropout { millis: 120 }),
        Sighting::Blind("the logger was not running".into()),
    ];
    all.extend(further.map(|what| Observation {
        at,
        path: PathId::default(),
        what,
    }));
    let written = of_all(&all);
    assert!(
        !written.text.contains("No damage found"),
        "{}",
        written.text
    );
    for word in [
        "0.120 s that the vehicle's logger lost",
        "nothing was recorded for a while",
    ] {
        assert!(written.text.contains(word), "{word}:\n{}", written.text);
    }
    assert_eq!(written.json["source"]["damage"]["lost_millis"], 120);
    assert!(Concern::Damage.is_raised_by(&written.report));
}

#[test]
fn a_log_that_counts_from_boot_is_dated_by_its_satellite_receiver() {
    let mut all = observations(&data("px4/s06_mission_comp0872_T10_hold_inc0143.ulg")).0;
    all.retain(|o| !matches!(o.what, Sighting::Logged(LoggedFact::SatelliteTime { .. })));
    let undated = of_all(&all);
    assert!(!undated.text.contains("by GPS"), "{}", undated.text);
    assert!(undated.json["source"]["satellite_time"].is_null());
    let first = all[0].at;
    // Ten seconds into the log it is 4 January 2026, 00:00:02.5.
    let utc = Micros::from_millis(1_767_484_802_500);
    all.push(Observation {
        at: first + Span::from_secs(10),
        path: PathId::default(),
        what: Sighting::Logged(LoggedFact::SatelliteTime { utc }),
    });
    let dated = of_all(&all);
    let day = "2026-01-03 from 23:59:52 UTC on, by GPS";
    assert!(dated.text.contains(day), "{}", dated.text);
    assert_eq!(
        dated.json["source"]["satellite_time"]["utc_us"],
        utc.as_micros()
    );
}

/// Frames of one message alone fail: not noise, but a sender with another definition of it.
#[test]
fn a_message_of_which_no_frame_holds_is_another_dialects() {
    let (whole, kind) = observations(&data("px4/s06_mission_comp0872_T10_hold_inc0143.tlog"));
    let failing = |ids: &[u32]| {
        let mut all = whole.clone();
        all.extend(ids.iter().map(|id| Observation {
            at: whole[whole.len() - 1].at,
            path: PathId::default(),
            what: Sighting::Damage(Damage::new(DamageKind::BadChecksum { id: *id }, 40, 900)),
        }));
        written(&session(&all), "flight.tlog", kind)
    };
    let words = "another dialect defines message";
    let other = failing(&[11_030; 4]);
    let line = "frames of message 11030 with a wrong checksum: 4 (another dialect defines message 11030 \
                differently)";
    assert!(other.text.contains(line), "{}", other.text);
    assert_eq!(other.json["source"]["damage"]["other_definition"], 11_030);
    // Of ATTITUDE others held; two ids are noise; two frames are chance.
    for noise in [&[30; 4][..], &[11_030, 11_030, 11_030, 30], &[11_030; 2]] {
        let text = failing(noise).text;
        assert!(!text.contains(words), "{noise:?}: {text}");
    }
}

fn of_all(observations: &[Observation]) -> Written {
    written(&session(observations), "log.ulg", "ulog")
}

#[test]
fn a_log_without_heartbeats_does_not_say_that_there_was_no_silence() {
    let written = of_file(&data("ardupilot/rover_ekf_01_verr_1hz.BIN"));
    assert!(
        !written
            .text
            .contains("No silence of the ground stations came near")
    );
    assert!(
        written.text.contains("This log holds no heartbeats"),
        "{}",
        written.text
    );
}

#[test]
fn every_report_keeps_to_the_schema() {
    let schema: Value = serde_json::from_str(&json_schema()).unwrap();
    let validator = jsonschema::validator_for(&schema).expect("the schema is one itself");
    let recordings = all_recordings();
    assert!(recordings.len() > 40);
    for path in recordings {
        let report = of_file(&path).json;
        let errors: Vec<String> = validator
            .iter_errors(&report)
            .map(|error| error.to_string())
            .collect();
        assert!(errors.is_empty(), "{}: {errors:#?}", path.display());
    }
    // A schema that lets everything pass would prove nothing.
    let mut broken = of_file(&data(INCIDENT)).json;
    broken["vehicles"][0]["link_losses"][0]["start_line"] = Value::from("soon");
    assert!(!validator.is_valid(&broken));
}

#[test]
fn all_formats_tell_every_incident() {
    for path in all_recordings() {
        let written = of_file(&path);
        let markdown = markdown(&written.sheet);
        let html = html_article(&written.sheet);
        let csv = csv_head() + &csv_rows(&written.report);
        let mut reader = csv::Reader::from_reader(csv.as_bytes());
        let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
        let losses = written.report.vehicles.iter().flat_map(|v| &v.link_losses);
        for loss in losses {
            assert!(written.text.contains(&loss.sentence), "{}", loss.sentence);
            assert!(
                rows.iter()
                    .any(|row| row.iter().any(|cell| cell == loss.sentence))
            );
        }
        let pipes = |line: &str| line.replace("\\|", "").matches('|').count();
        for pair in markdown.lines().collect::<Vec<_>>().windows(2) {
            if pair[0].starts_with('|') && pair[1].starts_with('|') {
                assert_eq!(pipes(pair[0]), pipes(pair[1]), "{}\n{}", pair[0], pair[1]);
            }
        }
        assert!(
            !html.contains("<script") && !html.contains("NaN"),
            "{}",
            path.display()
        );
        assert_eq!(
            html.matches("<table").count(),
            html.matches("</table>").count()
        );
    }
}

#[test]
fn what_comes_from_outside_is_no_markup() {
    let hostile = "<img src=x>|*a*.tlog";
    let written = written(&session(&observations_of(&data(INCIDENT))), hostile, "tlog");
    let page = html_begin(hostile) + &html_article(&written.sheet);
    assert!(!page.contains("<img"));
    assert!(page.contains("&lt;img src=x&gt;"));
    assert!(markdown(&written.sheet).contains("\\<img src=x\\>\\|\\*a\\*.tlog"));
}

#[test]
fn a_drawing_shows_the_incident() {
    let html = html_article(&of_file(&data(INCIDENT)).sheet);
    for part in [
        "<svg",
        "GCS 255/190",
        "heartbeat_type_gcs",
        "lost, by evidence",
        "time left, s",
    ] {
        assert!(html.contains(part), "{part}");
    }
    let estimator =
        html_article(&of_file(&data("ardupilot/rover_ekf_03_mag_glitch_10hz.tlog")).sheet);
    for part in [
        "compass",
        "FS_EKF_THRESH",
        "count of failed checks",
        "tripped",
    ] {
        assert!(estimator.contains(part), "{part}");
    }
}

/// The sentences that readers take away, of every recording that lies with the tests. When they are meant to
/// change, `HEARTLINE_UPDATE_SENTENCES=1 cargo test --test report` writes them anew, for a review of the
/// difference.
#[test]
fn the_sentences_are_as_they_were_reviewed() {
    let reviewed = data("report-sentences.txt");
    let own = data("");
    let mut told = String::new();
    for path in all_recordings() {
        let Ok(name) = path.strip_prefix(&own) else {
            continue;
        };
        writeln!(told, "{}", name.display()).unwrap();
        for vehicle in of_file(&path).report.vehicles {
            let losses = vehicle.link_losses.iter().chain(&vehicle.near_misses);
            let trips = vehicle.ekf_failsafes.iter().chain(&vehicle.ekf_possible);
            let sentences = losses
                .map(|l| &l.sentence)
                .chain(trips.map(|t| &t.sentence));
            for sentence in sentences {
                writeln!(told, "  {sentence}").unwrap();
            }
        }
    }
    if std::env::var_os("HEARTLINE_UPDATE_SENTENCES").is_some() {
        std::fs::write(&reviewed, &told).unwrap();
    }
    let reviewed = std::fs::read_to_string(&reviewed).unwrap();
    for (told, reviewed) in told.lines().zip(reviewed.lines()) {
        assert_eq!(told, reviewed);
    }
    assert_eq!(told.lines().count(), reviewed.lines().count());
}

#[test]
fn a_record_without_anything_is_reported_on_without_a_claim() {
    let written = written(&session(&[]), "nothing.tlog", "tlog");
    assert!(written.text.contains("No vehicle"));
    assert_eq!(written.json["vehicles"], Value::Array(Vec::new()));
    let at = Micros::MAX;
    let far = Observation {
        at,
        path: PathId::default(),
        what: Sighting::Blind("beyond any calendar".into()),
    };
    assert!(
        self::written(&session(&[far]), "far.tlog", "tlog")
            .text
            .contains(" s")
    );
}
