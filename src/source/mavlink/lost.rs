use super::Decoded;

/// Length at which a run of skipped bytes is reported although it goes on. A port at the wrong speed
/// brings no frame that would end the run, and must be seen all the same.
pub(super) const LONGEST_RUN: usize = 1024;

/// Adjacent bytes lost for one reason, reported together.
#[derive(Debug, Default)]
pub(super) struct Run {
    lost: Lost,
    bytes: usize,
}

impl Run {
    /// Reports what was lost so far and begins a run for another reason.
    pub(super) fn begin(&mut self, lost: Lost, sink: &mut impl FnMut(Decoded<'_>)) {
        self.flush(sink);
        self.lost = lost;
    }

    /// Adds up to `bytes` bytes, as far as the reason extends. Gives how many, and whether they were lost
    /// by a failed frame rather than as noise.
    pub(super) fn add(
        &mut self,
        bytes: usize,
        sink: &mut impl FnMut(Decoded<'_>),
    ) -> (usize, bool) {
        let extent = self.lost.extent();
        let taken = bytes.min(extent - self.bytes);
        let failed = self.lost != Lost::Noise;
        self.bytes += taken;
        if self.bytes == extent {
            self.flush(sink);
        }
        (taken, failed)
    }

    /// Reports the run, if there is one, and begins another.
    pub(super) fn flush(&mut self, sink: &mut impl FnMut(Decoded<'_>)) {
        let length = self.bytes;
        if length > 0 {
            sink(match self.lost {
                Lost::Noise => Decoded::Skipped(length),
                Lost::Checksum { id, .. } => Decoded::BadChecksum { id, length },
                Lost::Flags { flags } => Decoded::BadLength { flags, length },
            });
        }
        *self = Self::default();
    }
}

/// Why bytes are lost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Lost {
    #[default]
    Noise,
    /// Up to `length` bytes belong to a frame whose checksum fails.
    Checksum { id: u32, length: usize },
    /// The header of a frame with unknown flags.
    Flags { flags: u8 },
}

impl Lost {
    /// Bytes to which the reason extends.
    const fn extent(self) -> usize {
        match self {
            Self::Noise => LONGEST_RUN,
            Self::Checksum { length, .. } => length,
            Self::Flags { .. } => 10,
        }
    }
}
