//! The command line: reads the arguments, opens a window or writes a report.

mod arguments;
mod input;
mod run;
mod terminal;
mod window;

pub use arguments::{Arguments, Command, Format, ScenarioCommand};
pub use input::{Input, InputError};
pub use run::run;
