//! The command line: reads the arguments, opens a window or writes a report.

mod arguments;
mod batch;
mod collect;
mod exit;
mod input;
mod output;
mod report;
mod run;
mod scenario;
mod score;
mod terminal;
mod window;

pub use arguments::{Arguments, Command, FailOn, Format, ReportArguments, ScenarioCommand};
pub use input::{Input, InputError};
pub use run::run;
