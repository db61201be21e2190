//! The `heartline` program: reads the command line and hands over to the library.

use std::process::ExitCode;

use clap::Parser as _;
use heartline::cli::{Arguments, run};

fn main() -> ExitCode {
    run(Arguments::parse())
}
