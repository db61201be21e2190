//! CRC-16/MCRF4XX, the checksum of MAVLink frames, eight bytes at a time.

/// Bytes that one step of the wide loop takes in.
const SLICES: usize = 8;

/// `TABLES[k][b]`: what byte `b` contributes when `k` more bytes follow it within the same step. The first
/// table is the ordinary one.
///
/// Eight tables of 512 bytes stay in the first-level cache. One table alone waits for a load per byte,
/// which made the checksum two thirds of the cost of reading a log.
static TABLES: [[u16; 256]; SLICES] = tables();

#[allow(
    clippy::indexing_slicing,
    reason = "evaluated at compile time: an index out of range fails the build"
)]
const fn tables() -> [[u16; 256]; SLICES] {
    let mut tables = [[0; 256]; SLICES];
    let mut byte = 0;
    while byte < 256 {
        let mut crc = byte as u16;
        let mut bit = 0;
        while bit < 8 {
            crc = if crc & 1 == 1 {
                (crc >> 1) ^ 0x8408
            } else {
                crc >> 1
            };
            bit += 1;
        }
        tables[0][byte] = crc;
        byte += 1;
    }
    let mut slice = 1;
    while slice < SLICES {
        let mut byte = 0;
        while byte < 256 {
            let before = tables[slice - 1][byte];
            tables[slice][byte] = (before >> 8) ^ tables[0][(before & 0xff) as usize];
            byte += 1;
        }
        slice += 1;
    }
    tables
}

/// A running CRC-16/MCRF4XX (X.25 without the final inversion).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Checksum(u16);

impl Checksum {
    /// The checksum of no bytes.
    pub(crate) const fn new() -> Self {
        Self(0xffff)
    }

    /// Takes in `bytes`.
    #[must_use]
    pub(crate) fn with(self, bytes: &[u8]) -> Self {
        let [t0, t1, t2, t3, t4, t5, t6, t7] = &TABLES;
        let (wide, rest) = bytes.as_chunks::<SLICES>();
        let mut crc = self.0;
        for &[a, b, c, d, e, f, g, h] in wide {
            let [low, high] = crc.to_le_bytes();
            crc = at(t7, a ^ low)
                ^ at(t6, b ^ high)
                ^ at(t5, c)
                ^ at(t4, d)
                ^ at(t3, e)
                ^ at(t2, f)
                ^ at(t1, g)
                ^ at(t0, h);
        }
        for byte in rest {
            crc = step(crc, *byte);
        }
        Self(crc)
    }

    /// Takes in the seed of a message definition, which ends every MAVLink checksum, and gives the value
    /// as it stands in the frame.
    pub(crate) fn finish(self, seed: u8) -> u16 {
        step(self.0, seed)
    }

    /// The seed with which this checksum would end as `value`: at most one in 256 bytes does, and for 255
    /// of 256 values none.
    pub(crate) fn seed_for(self, value: u16) -> Option<u8> {
        let [table, ..] = &TABLES;
        let wanted = value ^ (self.0 >> 8);
        let index = table.iter().position(|entry| *entry == wanted)?;
        Some(index as u8 ^ (self.0 & 0xff) as u8)
    }
}

fn step(crc: u16, byte: u8) -> u16 {
    let [table, ..] = &TABLES;
    (crc >> 8) ^ at(table, byte ^ (crc & 0xff) as u8)
}

/// A table has an entry for every byte, so the fallback is never taken and the check is compiled away.
fn at(table: &[u16; 256], byte: u8) -> u16 {
    table.get(usize::from(byte)).copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The definition, bit by bit.
    fn oracle(bytes: &[u8]) -> u16 {
        bytes.iter().fold(0xffff, |crc, byte| {
            (0..8).fold(crc ^ u16::from(*byte), |crc, _| {
                if crc & 1 == 1 {
                    (crc >> 1) ^ 0x8408
                } else {
                    crc >> 1
                }
            })
        })
    }

    #[test]
    fn check_value_of_the_catalogue() {
        assert_eq!(Checksum::new().with(b"123456789").0, 0x6f91);
    }

    proptest! {
        #[test]
        fn wide_steps_equal_the_definition(
            head in prop::collection::vec(any::<u8>(), 0..40),
            tail in prop::collection::vec(any::<u8>(), 0..40),
        ) {
            let whole = [head.as_slice(), &tail].concat();
            prop_assert_eq!(Checksum::new().with(&head).with(&tail).0, oracle(&whole));
        }

        #[test]
        fn the_seed_is_found_again(bytes in prop::collection::vec(any::<u8>(), 0..40), seed: u8) {
            let sum = Checksum::new().with(&bytes);
            prop_assert_eq!(sum.seed_for(sum.finish(seed)), Some(seed));
        }
    }
}
