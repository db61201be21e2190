//! On-board logs for tests: what a log yields, and byte streams built by hand.
use std::ops::ControlFlow;

use heartline::observation::{LoggedFact, Observation, PathId, Sighting};
use heartline::source::dataflash::{DataflashError, DataflashSummary, read_dataflash};
use heartline::source::ulog::{UlogError, UlogSummary, read_ulog};

pub fn ulog(bytes: &[u8]) -> Result<(Vec<Observation>, UlogSummary), UlogError> {
    let mut observations = Vec::new();
    let summary = read_ulog(bytes, PathId(7), &mut |observation| {
        observations.push(observation);
        ControlFlow::Continue(())
    })?;
    Ok((observations, summary))
}

pub fn dataflash(bytes: &[u8]) -> Result<(Vec<Observation>, DataflashSummary), DataflashError> {
    let mut observations = Vec::new();
    let summary = read_dataflash(bytes, PathId(7), &mut |observation| {
        observations.push(observation);
        ControlFlow::Continue(())
    })?;
    Ok((observations, summary))
}

/// The facts among observations, with their times in microseconds.
pub fn facts(observations: &[Observation]) -> Vec<(i64, LoggedFact)> {
    observations
        .iter()
        .filter_map(|o| match &o.what {
            Sighting::Logged(fact) => Some((o.at.as_micros(), fact.clone())),
            _ => None,
        })
        .collect()
}

/// How many of `all` are missing in `some`, both in order; `None` if `some` has what `all` has not, or
/// in another order.
pub fn missing(all: &[(i64, LoggedFact)], some: &[(i64, LoggedFact)]) -> Option<usize> {
    let mut rest = all.iter();
    for fact in some {
        rest.find(|f| *f == fact)?;
    }
    Some(all.len() - some.len())
}

/// Builds a ULog record by record.
pub struct UlogBuilder(pub Vec<u8>);

impl UlogBuilder {
    /// A file that began logging at `start`, without any record.
    pub fn bare(start: u64) -> Self {
        let mut bytes = vec![0x55, 0x4C, 0x6F, 0x67, 0x01, 0x12, 0x35, 1];
        bytes.extend(start.to_le_bytes());
        Self(bytes)
    }

    /// As [`Self::bare`], with empty flags.
    pub fn new(start: u64) -> Self {
        let mut builder = Self::bare(start);
        builder.record(b'B', &[0; 40]);
        builder
    }

    pub fn record(&mut self, kind: u8, payload: &[u8]) -> &mut Self {
        self.0.extend((payload.len() as u16).to_le_bytes());
        self.0.push(kind);
        self.0.extend(payload);
        self
    }

    pub fn format(&mut self, text: &str) -> &mut Self {
        self.record(b'F', text.as_bytes())
    }

    pub fn announce(&mut self, instance: u8, id: u16, topic: &str) -> &mut Self {
        let mut payload = vec![instance];
        payload.extend(id.to_le_bytes());
        payload.extend(topic.as_bytes());
        self.record(b'A', &payload)
    }

    pub fn row(&mut self, id: u16, fields: &[&[u8]]) -> &mut Self {
        let mut payload = id.to_le_bytes().to_vec();
        payload.extend(fields.concat());
        self.record(b'D', &payload)
    }

    pub fn parameter(&mut self, name: &str, value: i32) -> &mut Self {
        let key = format!("int32_t {name}");
        let mut payload = vec![key.len() as u8];
        payload.extend(key.as_bytes());
        payload.extend(value.to_le_bytes());
        self.record(b'P', &payload)
    }

    pub fn text(&mut self, at: u64, text: &str) -> &mut Self {
        let mut payload = vec![b'4'];
        payload.extend(at.to_le_bytes());
        payload.extend(text.as_bytes());
        self.record(b'L', &payload)
    }
}

/// Builds a binary DataFlash log record by record.
#[derive(Default)]
pub struct DataflashBuilder(pub Vec<u8>);

impl DataflashBuilder {
    pub fn format(
        &mut self,
        kind: u8,
        length: u8,
        name: &str,
        types: &str,
        columns: &str,
    ) -> &mut Self {
        let mut payload = vec![kind, length];
        for (text, width) in [(name, 4), (types, 16), (columns, 64)] {
            let mut field = text.as_bytes().to_vec();
            field.resize(width, 0);
            payload.extend(field);
        }
        self.record(128, &[&payload])
    }

    pub fn record(&mut self, kind: u8, fields: &[&[u8]]) -> &mut Self {
        self.0.extend([0xA3, 0x95, kind]);
        self.0.extend(fields.concat());
        self
    }

    /// `ERR` as firmware since 2015 writes it, as type 10.
    pub fn with_errors() -> Self {
        let mut builder = Self::default();
        builder.format(10, 13, "ERR", "QBB", "TimeUS,Subsys,ECode");
        builder
    }

    pub fn error(&mut self, at: u64, subsystem: u8, code: u8) -> &mut Self {
        self.record(10, &[&at.to_le_bytes(), &[subsystem, code]])
    }
}
