use std::io::{self, Write};

use crate::time::Micros;

/// Writes a tlog, one call of the sink per record, so that whatever ends the program leaves whole records
/// (give it a file itself, not a buffer).
#[derive(Debug)]
pub struct TlogWriter<W: Write> {
    sink: W,
    record: Vec<u8>,
}

impl<W: Write> TlogWriter<W> {
    /// A writer into `sink`.
    pub const fn new(sink: W) -> Self {
        Self {
            sink,
            record: Vec::new(),
        }
    }

    /// Appends `frame`, seen or sent at `at` since the Unix epoch. Times before 1970 are written as zero,
    /// which readers know for an absent time.
    pub fn write(&mut self, at: Micros, frame: &[u8]) -> io::Result<()> {
        let stamp = u64::try_from(at.as_micros()).unwrap_or(0);
        self.record.clear();
        self.record.extend_from_slice(&stamp.to_be_bytes());
        self.record.extend_from_slice(frame);
        self.sink.write_all(&self.record)
    }

    /// The sink, for flushing or closing it.
    pub fn into_inner(self) -> W {
        self.sink
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::mavlink::test_frames::heartbeat;
    use crate::source::tlog::{TlogItem, TlogReader};

    /// Counts the calls.
    #[derive(Default)]
    struct Sink {
        calls: usize,
        bytes: Vec<u8>,
    }

    impl Write for Sink {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.calls += 1;
            self.bytes.extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn what_is_written_is_read_again_and_each_record_is_one_call() {
        let mut writer = TlogWriter::new(Sink::default());
        let times: Vec<_> = (0..5)
            .map(|i| Micros::from_micros(1_700_000_000_000_000 + i * 1_000_001))
            .collect();
        for (i, at) in times.iter().enumerate() {
            writer.write(*at, &heartbeat(i as u8)).unwrap();
        }
        let sink = writer.into_inner();
        assert_eq!(sink.calls, 5);
        let read: Vec<_> = TlogReader::new(&sink.bytes)
            .unwrap()
            .map(|item| match item {
                TlogItem::Record(record) => (record.at, record.frame.bytes.to_vec()),
                TlogItem::Damage { damage, .. } => panic!("{damage:?}"),
            })
            .collect();
        let written: Vec<_> = times.into_iter().zip((0..5).map(heartbeat)).collect();
        assert_eq!(read, written);
    }
}
