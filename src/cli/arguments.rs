use std::path::PathBuf;

use clap::{Parser, Subcommand, ValueEnum};

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

Exit codes: 0 all went well; 2 a source could not be opened or an argument is wrong.

Examples
  heartline                                  the built-in demo
  heartline 2026-03-14.tlog                  replay a log
  heartline udpin:0.0.0.0:14550              watch a live vehicle
  heartline report --format json *.tlog      a report on each log";

/// Shows whether the vehicle still counts its ground station as present, when its failsafe will fire, and
/// why.
#[derive(Debug, Parser)]
#[command(name = "heartline", version, about, after_help = AFTER_HELP)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub struct Arguments {
    /// What to watch or replay; the built-in demo when nothing is given.
    pub source: Option<String>,

    /// What to do instead of opening a window.
    #[command(subcommand)]
    pub command: Option<Command>,
}

/// What can be done without a window.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Report on logs: link losses with their cause, talkers, parameters, damage.
    Report {
        /// Logs, or `demo:NAME`. One that cannot be read does not stop the others.
        #[arg(required = true, value_name = "FILE")]
        files: Vec<String>,

        /// How the report is written. Several files give one JSON object per line.
        #[arg(long, value_enum, default_value_t = Format::Text)]
        format: Format,

        /// Where it goes; standard output when not given.
        #[arg(long, short, value_name = "OUT")]
        output: Option<PathBuf>,
    },
    /// Scenarios for training: what is built in, and whether an own one is in order.
    Scenario {
        /// What to do.
        #[command(subcommand)]
        what: ScenarioCommand,
    },
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
}

/// The formats of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people at a terminal.
    Text,
    /// For programs: schema heartline-report/1.
    Json,
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
        assert_eq!(source.source.as_deref(), Some("flight.tlog"));
        let report = Arguments::parse_from(["heartline", "report", "a.tlog", "--format", "json"]);
        assert!(matches!(
            report.command,
            Some(Command::Report {
                format: Format::Json,
                ..
            })
        ));
        assert!(Arguments::try_parse_from(["heartline", "report"]).is_err());
    }
}
