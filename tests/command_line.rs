//! The program as it is called: exit codes, one-line errors, reports.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test"
)]

use std::net::{TcpListener, UdpSocket};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

fn heartline(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_heartline"))
        .args(arguments)
        // Without a display, so that nothing can open a window.
        .env_remove("DISPLAY")
        .env_remove("WAYLAND_DISPLAY")
        .env_remove("WAYLAND_SOCKET")
        .output()
        .expect("the program runs")
}

fn data(name: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/data")
        .join(name)
        .display()
        .to_string()
}

/// A folder of this test's own, gone when it ends.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("heartline-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn file(&self, name: &str, content: &[u8]) -> String {
        let path = self.0.join(name);
        std::fs::write(&path, content).unwrap();
        path.display().to_string()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        std::fs::remove_dir_all(&self.0).ok();
    }
}

fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).expect("standard output is JSON")
}

#[test]
fn bad_input_is_one_clear_line_and_exit_code_2() {
    let scratch = Scratch::new("bad-input");
    let text = scratch.file("notes.txt", b"these are notes, not a log\n");
    let empty = scratch.file("empty.tlog", b"");
    let noise: Vec<u8> = (0..40_000_u32)
        .map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8)
        .collect();
    let noise = scratch.file("noise.tlog", &noise);
    let nothing = scratch.0.join("nothing");
    std::fs::create_dir(&nothing).unwrap();
    let nothing = nothing.display().to_string();
    let cases = [
        ("/nowhere/flight.tlog", "no such file"),
        (nothing.as_str(), "a folder without logs"),
        (empty.as_str(), "empty"),
        (text.as_str(), "a text file"),
        (noise.as_str(), "no MAVLink frame"),
        ("demo:nonsense", "built in are: inc-0143"),
        ("udpin:0.0.0.0:99999", "`99999` is no port"),
        ("serial:/dev/ttyUSB0:fast", "`fast` is no baud rate"),
    ];
    for (input, expected) in cases {
        let output = heartline(&["report", input]);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{input}: {said}");
        assert_eq!(said.lines().count(), 1, "{input}: {said}");
        assert!(said.contains(expected), "{input}: {said}");
        assert!(output.stdout.is_empty(), "{input}");
    }
}

#[test]
fn a_port_in_use_and_a_missing_serial_port_are_told_before_a_window_opens() {
    let udp = UdpSocket::bind("127.0.0.1:0").unwrap();
    let tcp = TcpListener::bind("127.0.0.1:0").unwrap();
    let in_use = [
        format!("udpin:{}", udp.local_addr().unwrap()),
        format!("tcpin:{}", tcp.local_addr().unwrap()),
    ];
    for address in &in_use {
        let output = Command::new(env!("CARGO_BIN_EXE_heartline"))
            .arg(address)
            // There seems to be a display; the port is tried before it is.
            .env("DISPLAY", ":not-there")
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains("in use"), "{said}");
        assert_eq!(said.lines().count(), 1, "{said}");
    }
    let output = Command::new(env!("CARGO_BIN_EXE_heartline"))
        .arg("serial:/dev/ttyNOWHERE:57600")
        .env("DISPLAY", ":not-there")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("no such serial port"), "{said}");
}

#[test]
fn one_bad_file_does_not_stop_the_others() {
    let good = data("px4/s21_v1123_bench_gcsonly_multi4_T5.tlog");
    let output = heartline(&["report", "--format", "json", "/nowhere.tlog", &good]);
    assert_eq!(output.status.code(), Some(2));
    let lines: Vec<&str> = std::str::from_utf8(&output.stdout)
        .unwrap()
        .lines()
        .collect();
    assert_eq!(lines.len(), 1, "one object per readable file, on one line");
    let report: Value = serde_json::from_str(lines[0]).unwrap();
    assert_eq!(
        report["vehicles"][0]["link_losses"]
            .as_array()
            .unwrap()
            .len(),
        4
    );
}

#[test]
fn the_built_in_incident_is_reported_with_its_documented_times() {
    let output = heartline(&["report", "--format", "json", "demo:inc-0143"]);
    assert_eq!(output.status.code(), Some(0));
    let report = json(&output);
    assert_eq!(report["schema"], "heartline-report/1");
    let loss = &report["vehicles"][0]["link_losses"][0];
    let heard = loss["last_heartbeat"]["earliest_us"].as_i64().unwrap();
    let after = |value: &Value| value.as_i64().unwrap() - heard;
    let inside = |bounds: &Value, us: i64| {
        (after(&bounds["earliest_us"])..=after(&bounds["latest_us"])).contains(&us)
    };
    let candidates = loss["predicted_loss"]["candidates"].as_array().unwrap();
    assert_eq!(candidates.len(), 2);
    assert!(inside(&candidates[0], 11_881_000), "{loss:#}");
    assert!(inside(&candidates[1], 12_881_000), "{loss:#}");
    assert!(
        candidates
            .iter()
            .all(|c| !c["condition"].as_str().unwrap().is_empty())
    );
    assert!(inside(&loss["flag_false"], 2_872_000));
    assert!(inside(&loss["start_line"], 1_874_000));
    assert!(inside(
        &candidates[0],
        after(&loss["observed_loss"]["at_us"])
    ));
    assert_eq!(loss["predicted_action"]["name"], "Hold");
    assert_eq!(loss["observed_action"]["name"], "Hold");
    let cycle = after(&loss["observed_action"]["at_us"]) - after(&loss["observed_loss"]["at_us"]);
    assert!(
        (9_000..=12_000).contains(&cycle),
        "Hold {cycle} us after the loss"
    );
    assert_eq!(loss["verdict"], "inside the predicted window");
    assert!(loss["explanation"].as_array().unwrap().len() >= 6);
}

/// The keys that the schema promises, never renamed.
#[test]
fn every_key_of_the_schema_is_there() {
    let output = heartline(&[
        "report",
        "--format",
        "json",
        &data("px4/s03_mission_gcsonly_T10_rtl_delay5.tlog"),
    ]);
    let report = json(&output);
    let has = |value: &Value, keys: &[&str]| {
        for key in keys {
            assert!(value.get(key).is_some(), "{key} missing in {value:#}");
        }
    };
    has(&report, &["schema", "source", "vehicles", "talkers"]);
    has(
        &report["source"],
        &[
            "path", "kind", "first_us", "last_us", "bytes", "frames", "damage",
        ],
    );
    let vehicle = &report["vehicles"][0];
    has(
        vehicle,
        &[
            "sysid",
            "compid",
            "autopilot",
            "vehicle_type",
            "firmware",
            "parameters",
            "link_losses",
            "ekf_failsafes",
        ],
    );
    has(&vehicle["firmware"], &["version", "source"]);
    has(
        &vehicle["parameters"]["COM_DL_LOSS_T"],
        &["value", "source"],
    );
    let loss = &vehicle["link_losses"][0];
    has(
        loss,
        &[
            "model",
            "last_heartbeat",
            "flag_false",
            "start_line",
            "predicted_loss",
            "observed_loss",
            "predicted_action",
            "observed_action",
            "regained_us",
            "verdict",
            "assumptions",
            "explanation",
        ],
    );
    has(
        &loss["last_heartbeat"],
        &["earliest_us", "latest_us", "from"],
    );
    has(
        &loss["predicted_loss"],
        &["earliest_us", "latest_us", "candidates"],
    );
    has(
        &loss["predicted_loss"]["candidates"][0],
        &["earliest_us", "latest_us", "condition"],
    );
    has(&loss["observed_loss"], &["at_us", "evidence"]);
    has(
        &loss["predicted_action"],
        &["name", "earliest_us", "latest_us"],
    );
    has(&loss["observed_action"], &["name", "at_us", "evidence"]);
    has(
        &report["talkers"][0],
        &[
            "sysid",
            "compid",
            "type",
            "heartbeats",
            "first_us",
            "last_us",
            "longest_gap_us",
            "lost_frames",
            "counts_as_gcs",
        ],
    );
    // Hold at once, Return after the delay.
    assert_eq!(loss["predicted_action"]["name"], "Hold");
    assert_eq!(loss["predicted_action"]["then"]["name"], "Return");
    let rover = heartline(&[
        "report",
        "--format",
        "json",
        &data("ardupilot/rover_ekf_03_mag_glitch_10hz.tlog"),
    ]);
    let rover = json(&rover);
    has(
        &rover["vehicles"][0]["ekf_failsafes"][0],
        &[
            "predicted",
            "observed",
            "cleared",
            "cause",
            "would_act",
            "assumptions",
            "explanation",
        ],
    );
}

#[test]
fn a_report_goes_where_it_is_told() {
    let scratch = Scratch::new("report-output");
    let out = scratch.0.join("report.json");
    let output = heartline(&[
        "report",
        "--format",
        "json",
        "-o",
        &out.display().to_string(),
        "demo:inc-0143",
    ]);
    assert_eq!(output.status.code(), Some(0));
    assert!(output.stdout.is_empty());
    let written = std::fs::read_to_string(out).unwrap();
    assert!(serde_json::from_str::<Value>(&written).is_ok());
    let nowhere = heartline(&["report", "-o", "/nowhere/report.txt", "demo:inc-0143"]);
    assert_eq!(nowhere.status.code(), Some(2));
}

#[test]
fn the_help_names_every_source_and_every_exit_code() {
    let output = heartline(&["--help"]);
    assert_eq!(output.status.code(), Some(0));
    let help = String::from_utf8_lossy(&output.stdout);
    for word in [
        "udpin:",
        "udpout:",
        "udpbcast:",
        "tcpin:",
        "tcpout:",
        "serial:",
        "demo:inc-0143",
        ".tlog",
        "report",
        "Exit codes",
        "could not be written",
    ] {
        assert!(help.contains(word), "{word} missing in\n{help}");
    }
}

/// A folder of two good logs, one of them deep down, one that is none, and something that is no log at all.
fn fleet(scratch: &Scratch) -> String {
    std::fs::create_dir_all(scratch.0.join("fleet/deep/down")).unwrap();
    let copy = |from: &str, to: &str| {
        std::fs::copy(data(from), scratch.0.join(to)).unwrap();
    };
    copy(
        "px4/s05_mission_comp060_T10_hold.tlog",
        "fleet/deep/down/b.TLOG",
    );
    copy("ardupilot/rover_ekf_01_verr_1hz.BIN", "fleet/c.BIN");
    scratch.file(
        "fleet/a.tlog",
        b"no log at all, although it is called one\n",
    );
    scratch.file("fleet/readme.txt", b"these are notes\n");
    scratch.0.join("fleet").display().to_string()
}

#[test]
fn a_folder_is_searched_to_its_depths_and_one_bad_file_costs_itself_alone() {
    let scratch = Scratch::new("fleet");
    let folder = fleet(&scratch);
    let mut whole = None;
    for jobs in ["1", "2", "7"] {
        let output = heartline(&["report", "--format", "jsonl", "--jobs", jobs, &folder]);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert_eq!(said.lines().count(), 1, "{said}");
        assert!(said.contains("a.tlog"), "{said}");
        let reports: Vec<Value> = std::str::from_utf8(&output.stdout)
            .unwrap()
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        let paths: Vec<&str> = reports
            .iter()
            .map(|report| report["source"]["path"].as_str().unwrap())
            .collect();
        assert_eq!(paths.len(), 2, "{paths:?}");
        assert!(
            paths[0].ends_with("c.BIN") && paths[1].ends_with("b.TLOG"),
            "{paths:?}"
        );
        // The same, however many work on it.
        assert_eq!(whole.get_or_insert(output.stdout.clone()), &output.stdout);
    }
}

#[test]
fn fail_on_tells_by_the_exit_code_what_was_found() {
    let loss = data("px4/s05_mission_comp060_T10_hold.tlog");
    let none = data("px4/s11_mission_missed_jitter_no_loss_T10.tlog");
    let ekf = data("ardupilot/rover_ekf_01_verr_1hz.tlog");
    let cases = [
        ("loss", &loss, 1),
        ("loss", &none, 0),
        ("loss", &ekf, 0),
        ("ekf", &ekf, 1),
        ("ekf", &loss, 0),
        ("damage", &loss, 0),
        ("unexplained", &loss, 0),
        ("damage,loss", &loss, 1),
    ];
    for (what, file, code) in cases {
        let output = heartline(&["report", "--fail-on", what, file]);
        assert_eq!(output.status.code(), Some(code), "{what} {file}");
        assert!(!output.stdout.is_empty());
    }
    // What could not be read is worse than what was found in the rest.
    let output = heartline(&["report", "--fail-on", "loss", "/nowhere.tlog", &loss]);
    assert_eq!(output.status.code(), Some(2));
    let scratch = Scratch::new("cut");
    let whole = std::fs::read(&none).unwrap();
    let cut = scratch.file("cut.tlog", &whole[..whole.len() - 5]);
    let output = heartline(&["report", "--fail-on", "damage", &cut]);
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn a_report_never_overwrites_its_log() {
    let scratch = Scratch::new("overwrite");
    let whole = std::fs::read(data("px4/s11_mission_missed_jitter_no_loss_T10.tlog")).unwrap();
    let log = scratch.file("flight.tlog", &whole);
    let output = heartline(&["report", "-o", &log, &log]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("is one of the logs"));
    assert_eq!(std::fs::read(&log).unwrap(), whole);
}

#[test]
fn times_of_day_are_in_the_zone_asked_for_and_data_stay_as_they_are() {
    let log = data("px4/s05_mission_comp060_T10_hold.tlog");
    let east = ["report", "--timezone", "Etc/GMT-3", &log];
    let text = String::from_utf8(heartline(&east).stdout).unwrap();
    assert!(text.contains("at 01:09:21.487"), "{text}");
    assert!(text.contains("Etc/GMT-3"), "{text}");
    let data = |zone| heartline(&["report", "--format", "json", "--timezone", zone, &log]).stdout;
    assert_eq!(data("Etc/GMT-3"), data("UTC"));
    let nowhere = heartline(&["report", "--timezone", "Nowhere/Town", &log]);
    assert_eq!(nowhere.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&nowhere.stderr).contains("no such time zone"));
}

#[test]
fn every_format_can_be_had_by_name() {
    let log = data("px4/s05_mission_comp060_T10_hold.tlog");
    let begins = [
        ("text", "Heartline report"),
        ("markdown", "# Heartline report"),
        ("html", "<!DOCTYPE html>"),
        ("json", "{"),
        ("jsonl", "{\"schema\":\"heartline-report/1\""),
        ("csv", "file,sysid,compid,autopilot,event"),
    ];
    for (format, begin) in begins {
        let output = heartline(&["report", "--format", format, &log]);
        assert_eq!(output.status.code(), Some(0), "{format}");
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(text.starts_with(begin), "{format}: {}", &text[..80]);
        assert!(text.ends_with('\n'), "{format}");
    }
    let schema = heartline(&["schema"]);
    assert_eq!(schema.status.code(), Some(0));
    assert_eq!(json(&schema)["title"], "Report");
}

#[test]
fn a_class_is_asked_and_scored() {
    let asked = heartline(&["scenario", "questions", "one-way-down"]);
    let text = String::from_utf8(asked.stdout).unwrap();
    assert!(text.contains("1  asked at 18 s: When will"), "{text}");
    assert!(!text.contains("Never"), "{text}");

    let scratch = Scratch::new("class");
    let predictions = "\u{feff}trainee,scenario,question,predicted\r\n\
                       Ann,gcs-only,1,11.7\r\n\
                       Ben,one-way-down,1,never\r\n\
                       Eve,gcs-only,3,1\r\n\
                       Eve,gcs-only,1,soon\r\n\
                       Eve,no-such,1,1\r\n";
    let file = scratch.file("class.csv", predictions.as_bytes());
    let scored = heartline(&["scenario", "score", &file]);
    assert_eq!(scored.status.code(), Some(2));
    let sheet = String::from_utf8(scored.stdout).unwrap();
    let lines: Vec<&str> = sheet.lines().collect();
    assert_eq!(lines.len(), 3, "{sheet}");
    assert!(lines[1].starts_with("gcs-only,Ann,"), "{sheet}");
    assert!(lines[1].ends_with(",100"), "{sheet}");
    assert!(lines[2].contains("never,never"), "{sheet}");
    let complaints = String::from_utf8(scored.stderr).unwrap();
    assert_eq!(complaints.lines().count(), 3, "{complaints}");
    assert!(complaints.contains("line 4: gcs-only has questions 1 to 2, not 3"));
    assert!(complaints.contains("line 5: \"soon\""), "{complaints}");
    assert!(complaints.contains("line 6: \"no-such\""), "{complaints}");
}
