use std::num::NonZeroUsize;
use std::process::ExitCode;

use crate::report::{
    Clock, Concern, Findings, HTML_END, Report, ReportSource, Sheet, csv_head, csv_rows,
    html_article, html_begin, json, markdown, text,
};
use crate::session::Session;

use super::arguments::{Format, ReportArguments};
use super::exit::{BAD_INPUT, CONCERN};
use super::input::Input;
use super::output::{Output, OutputError};
use super::{batch, collect, terminal};

/// Reports on everything that was named; what cannot be read is told and does not stop the rest.
pub(super) fn report(arguments: &ReportArguments) -> ExitCode {
    let (files, unread) = collect::collect(&arguments.files);
    let output = match Output::open(arguments.output.as_deref(), &files) {
        Ok(output) => output,
        Err(error) => {
            terminal::complain(&error.to_string());
            return ExitCode::from(BAD_INPUT);
        }
    };
    let inputs: Vec<Vec<String>> = if arguments.merge {
        vec![files]
    } else {
        files.into_iter().map(|file| vec![file]).collect()
    };
    let mut run = Run {
        format: arguments.format,
        inputs: &inputs,
        several: inputs.len() > 1 || (arguments.files.len() > 1 && !arguments.merge),
        reported: 0,
        failed: unread,
        concerned: 0,
        output,
        broken: None,
    };
    let workers = arguments
        .jobs
        .or_else(|| std::thread::available_parallelism().ok())
        .unwrap_or(NonZeroUsize::MIN);
    let several = run.several;
    let ended = batch::in_order(
        &inputs,
        workers,
        |input| report_on(input, arguments, several),
        |index, result| run.take(index, result),
    );
    if let Err(error) = ended {
        terminal::complain(&format!("no thread could be started to read logs: {error}"));
        return ExitCode::from(BAD_INPUT);
    }
    run.end()
}

/// What came of one input.
struct Written {
    text: String,
    /// Whether it gives cause for what `--fail-on` names.
    concerned: bool,
}

/// Reports on one file, or on several recordings of one flight.
fn report_on(
    files: &[String],
    arguments: &ReportArguments,
    several: bool,
) -> Result<Written, String> {
    let (source, session) = Input::open_all(files, arguments.nudge)
        .and_then(|input| input.session(&files.join(" + ")))
        .map_err(|error| error.to_string())?;
    Ok(write(&source, &session, arguments, several))
}

fn write(
    source: &ReportSource,
    session: &Session,
    arguments: &ReportArguments,
    several: bool,
) -> Written {
    // The sentences of data are to be equal wherever they were written.
    let zone = match arguments.format {
        Format::Json | Format::Jsonl | Format::Csv => jiff::tz::TimeZone::UTC,
        Format::Text | Format::Markdown | Format::Html => arguments.timezone.clone(),
    };
    let clock = Clock::of(session.first(), zone);
    let findings = Findings::of(source, session);
    let report = Report::of(&findings, &clock);
    let sheet = || Sheet::of(&findings, &report, &clock);
    let between = if several { "\n" } else { "" };
    let text = match arguments.format {
        Format::Text => text(&sheet()) + between,
        Format::Markdown => markdown(&sheet()) + between,
        Format::Html => html_article(&sheet()),
        Format::Json => json(&report, several) + "\n",
        Format::Jsonl => json(&report, true) + "\n",
        Format::Csv => csv_rows(&report),
    };
    let concerned = arguments
        .fail_on
        .iter()
        .any(|what| Concern::from(*what).is_raised_by(&report));
    Written { text, concerned }
}

/// A run over all inputs: what came of it so far.
struct Run<'a> {
    format: Format,
    inputs: &'a [Vec<String>],
    several: bool,
    reported: usize,
    failed: usize,
    concerned: usize,
    output: Output,
    /// Why the output cannot be written any more.
    broken: Option<OutputError>,
}

impl Run<'_> {
    fn take(&mut self, index: usize, result: Option<Result<Written, String>>) {
        let name = self
            .inputs
            .get(index)
            .map_or_else(String::new, |i| i.join(" + "));
        match result {
            Some(Ok(written)) => {
                if self.reported == 0 {
                    self.begin(&name);
                }
                self.reported += 1;
                self.concerned += usize::from(written.concerned);
                self.write(&written.text);
            }
            Some(Err(error)) => {
                self.failed += 1;
                terminal::complain(&error);
            }
            None => {
                self.failed += 1;
                terminal::complain(&format!(
                    "{name}: reading it failed in a way that no file should cause; please report that \
                     with the file"
                ));
            }
        }
        if self.several {
            terminal::progress(index + 1, self.inputs.len());
        }
    }

    /// What stands before the first report. Without any, nothing is written.
    fn begin(&mut self, first: &str) {
        match self.format {
            Format::Csv => self.write(&csv_head()),
            Format::Html if self.several => {
                let title = format!("Heartline report on {} records", self.inputs.len());
                self.write(&html_begin(&title));
            }
            Format::Html => self.write(&html_begin(&format!("Heartline report: {first}"))),
            Format::Text | Format::Markdown | Format::Json | Format::Jsonl => {}
        }
    }

    fn write(&mut self, text: &str) {
        if self.broken.is_none() {
            self.broken = self.output.write(text).err();
        }
    }

    fn end(mut self) -> ExitCode {
        if self.format == Format::Html && self.reported > 0 {
            self.write(HTML_END);
        }
        let written = match self.broken {
            Some(error) => Err(error),
            None => self.output.close(),
        };
        if let Err(error) = written {
            terminal::complain(&error.to_string());
            return ExitCode::from(BAD_INPUT);
        }
        match (self.failed, self.concerned) {
            (0, 0) => ExitCode::SUCCESS,
            (0, _) => ExitCode::from(CONCERN),
            _ => ExitCode::from(BAD_INPUT),
        }
    }
}
