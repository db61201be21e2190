use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use jiff::tz::TimeZone;

use crate::report::Concern;

/// What the help says after the options.
const AFTER_HELP: &str = "\
SOURCE is one of
  flight.tlog                 a telemetry log; told by its content, not by its name
  flight.ulg                  a log that PX4 wrote on board
  flight.bin                  a log that ArduPilot wrote on board; as text too
  udpin:0.0.0.0:14550         wait for a vehicle on a UDP port
  udpout:10.0.0.2:14550       send to a UDP port and listen for the answers
  udpbcast:192.0.2.255:14550  the same, to everybody on a network
  tcpin:0.0.0.0:5760          wait for a TCP connection
  tcpout:127.0.0.1:5760       connect to a TCP port
  serial:/dev/ttyUSB0:57600   a serial port and its baud rate
  demo:inc-0143               a built-in scenario
Addresses as MAVSDK, pymavlink and MAVROS spell them are understood as well.

Nothing is sent on any link before you switch transmitting on in the window.

Exit codes
  0  all went well
  1  a report gives cause for something named by `report --fail-on`
  2  a source could not be opened or read, an argument is wrong, or the output could not be written

Examples
  heartline                                  the built-in demo
  heartline 2026-03-14.tlog                  replay a log
  heartline flight.tlog flight.ulg           both records of one flight on one axis
  heartline udpin:0.0.0.0:14550              watch a live vehicle
  heartline report --format json *.tlog      a report on each log
  heartline report --merge flight.tlog flight.bin
                                             one report on both records of a flight";

/// What the help of `report` says after the options.
const REPORT_HELP: &str = "\
Formats
  text, markdown, html  a sheet for each file: what happened first, then what proves it
  json, jsonl           schema heartline-report/1; `heartline schema` prints it
  csv                   file, sysid, compid, autopilot, event, earliest_us, latest_us, observed_us, name,
                        verdict, text; times in microseconds on the file's own clock

Exit codes
  0  all files were read, and none gives cause for what --fail-on names
  1  all files were read, and one does
  2  a file could not be opened or read, an argument is wrong, or the output could not be written

Examples
  heartline report flight.tlog
  heartline report --format html -o sheet.html --timezone Europe/Zurich flight.tlog
  heartline report --format jsonl --fail-on loss,unexplained -o fleet.jsonl logs/";

/// Shows whether the vehicle still counts its ground station as present, when its failsafe will fire, and
/// why.
#[derive(Debug, Parser)]
#[command(name = "heartline", version, about, after_help = AFTER_HELP)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub struct Arguments {
    /// What to watch or replay; the built-in demo when nothing is given. Several recordings of one flight
    /// are opened as one.
    pub sources: Vec<String>,

    /// What to do instead of opening a window.
    #[command(subcommand)]
    pub command: Option<Command>,
}

/// What can be done without a window.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Report on logs: link losses with their cause, EKF failsafes, talkers, parameters, damage.
    Report(ReportArguments),
    /// Print the JSON Schema of `report --format json`.
    Schema,
    /// Scenarios for training: what is built in, and whether an own one is in order.
    Scenario {
        /// What to do.
        #[command(subcommand)]
        what: ScenarioCommand,
    },
}

/// What to report on, and how.
#[derive(Debug, Args)]
#[command(after_help = REPORT_HELP)]
pub struct ReportArguments {
    /// Logs, folders of logs (searched to their depths), or `demo:NAME`. One that cannot be read does not
    /// stop the others.
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<String>,

    /// The files are recordings of one flight (a .tlog with the vehicle's .ulg or .bin, or the .tlogs of two
    /// radios) and are reported on as one, their clocks aligned.
    #[arg(long)]
    pub merge: bool,

    /// With --merge: moves all but the first recording of the ground by this many seconds.
    #[arg(
        long,
        value_name = "SECONDS",
        allow_negative_numbers = true,
        default_value_t = 0.0,
        requires = "merge"
    )]
    pub nudge: f64,

    /// How the report is written.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,

    /// Where it goes; standard output when not given.
    #[arg(long, short, value_name = "OUT")]
    pub output: Option<PathBuf>,

    /// Time zone of the times of day, such as Europe/Zurich; those of JSON and CSV stay UTC.
    #[arg(long, value_name = "ZONE", default_value = "UTC", value_parser = zone)]
    pub timezone: TimeZone,

    /// Exit with code 1 if a report gives cause for one of these. May be given several times.
    #[arg(long, value_enum, value_delimiter = ',', value_name = "WHAT")]
    pub fail_on: Vec<FailOn>,

    /// How many files are read at a time; as many as there are cores when not given.
    #[arg(long, value_name = "N")]
    pub jobs: Option<NonZeroUsize>,
}

impl ReportArguments {
    /// A report on a file, or on several recordings of one flight, with everything else as usual.
    pub(super) fn on(files: &[String]) -> Self {
        Self {
            files: files.to_vec(),
            merge: files.len() > 1,
            nudge: 0.0,
            format: Format::Text,
            output: None,
            timezone: TimeZone::UTC,
            fail_on: Vec::new(),
            jobs: None,
        }
    }
}

/// What can be done with scenarios.
#[derive(Debug, Subcommand)]
pub enum ScenarioCommand {
    /// Name the built-in scenarios; `heartline demo:NAME` opens one.
    List,
    /// Say whether a scenario is in order, and if not, in which line and field it is not.
    Check {
        /// The scenario.
        file: PathBuf,
    },
    /// Tell a scenario's story and its questions, without the answers.
    Questions {
        /// A built-in scenario's name, or a scenario's file.
        name: String,
    },
    /// Score what a class predicted, and write the sheet as CSV.
    Score {
        /// CSV with the columns scenario, trainee, question (its number) and predicted (seconds after the
        /// question is asked, or "never").
        file: PathBuf,
    },
}

/// The formats of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people at a terminal.
    Text,
    /// For issues, wikis and documents: tables of GitHub's flavour.
    Markdown,
    /// One file with drawings that opens in any browser and prints on A4.
    Html,
    /// For programs: schema heartline-report/1. Several files give one object per line.
    Json,
    /// The same, one object per line in any case.
    Jsonl,
    /// The events of all files, a row each.
    Csv,
}

/// What makes a report a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FailOn {
    /// A link loss, or a GCS failsafe in the vehicle's own log.
    Loss,
    /// An EKF failsafe that tripped.
    Ekf,
    /// Something of the record could not be used, or was not recorded.
    Damage,
    /// Evidence that the rules do not explain.
    Unexplained,
}

impl From<FailOn> for Concern {
    fn from(fail_on: FailOn) -> Self {
        match fail_on {
            FailOn::Loss => Self::Loss,
            FailOn::Ekf => Self::Ekf,
            FailOn::Damage => Self::Damage,
            FailOn::Unexplained => Self::Unexplained,
        }
    }
}

fn zone(name: &str) -> Result<TimeZone, String> {
    TimeZone::get(name)
        .map_err(|_| "no such time zone; name one like Europe/Zurich or UTC".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory as _;

    #[test]
    fn the_command_line_is_consistent() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn a_source_and_a_report_are_told_apart() {
        let source = Arguments::parse_from(["heartline", "flight.tlog"]);
        assert_eq!(source.sources, ["flight.tlog"]);
        let pair = Arguments::parse_from(["heartline", "flight.tlog", "flight.ulg"]);
        assert_eq!(pair.sources.len(), 2);
        let report = Arguments::parse_from(["heartline", "report", "a.tlog", "--format", "json"]);
        assert!(matches!(
            report.command,
            Some(Command::Report(ReportArguments {
                format: Format::Json,
                ..
            }))
        ));
        assert!(Arguments::try_parse_from(["heartline", "report"]).is_err());
    }
}
