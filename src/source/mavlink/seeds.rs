use std::sync::LazyLock;

use mavlink::{Message as _, dialects::ardupilotmega::MavMessage};

/// Ids from here on are in no dialect: the table covers two of the three id bytes, and a test asks the
/// dialect about the rest.
const TABLE_LEN: usize = 0x1_0000;

/// What the table holds for an id that the dialect does not have. No seed, because a seed is a byte.
const UNKNOWN: u16 = u16::MAX;

/// The checksum seed ("extra CRC") of every message of the ardupilotmega dialect, which includes common.
///
/// A table, because asking the dialect is a search through 325 ids for every frame.
#[derive(Debug)]
pub struct ChecksumSeeds {
    table: Vec<u16>,
}

static DIALECT: LazyLock<ChecksumSeeds> = LazyLock::new(|| ChecksumSeeds {
    table: (0..TABLE_LEN as u32).map(entry).collect(),
});

/// The dialect answers 0 for an id that it does not have, and also for COMPONENT_INFORMATION (395), whose
/// seed is 0. Only whether such a message can be made tells them apart.
fn entry(id: u32) -> u16 {
    match MavMessage::extra_crc(id) {
        0 if MavMessage::default_message_from_id(id).is_none() => UNKNOWN,
        seed => u16::from(seed),
    }
}

impl ChecksumSeeds {
    /// The seeds of the dialect; computed once.
    #[must_use]
    pub fn of_dialect() -> &'static Self {
        &DIALECT
    }

    /// The seed of message `id`, or `None` when the dialect does not have it.
    #[must_use]
    pub fn seed(&self, id: u32) -> Option<u8> {
        let entry = self.table.get(id as usize).copied()?;
        u8::try_from(entry).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Messages that Heartline reads and their seeds as the message definitions give them.
    const READ: [(u32, u8); 26] = [
        (0, 50),
        (2, 137),
        (4, 237),
        (8, 117),
        (22, 220),
        (23, 168),
        (30, 39),
        (31, 246),
        (32, 185),
        (33, 104),
        (66, 148),
        (69, 243),
        (70, 124),
        (76, 152),
        (77, 143),
        (109, 185),
        (111, 34),
        (148, 178),
        (166, 21),
        (193, 71),
        (230, 163),
        (245, 130),
        (253, 83),
        (410, 160),
        (411, 106),
        (436, 193),
    ];

    #[test]
    fn what_is_read_is_known() {
        for (id, seed) in READ {
            assert_eq!(ChecksumSeeds::of_dialect().seed(id), Some(seed), "id {id}");
        }
    }

    #[test]
    fn a_seed_of_zero_is_not_unknown() {
        let seeds = ChecksumSeeds::of_dialect();
        assert_eq!(seeds.seed(395), Some(0));
        for unknown in [3, 255, 53_000, 0xff_ffff] {
            assert_eq!(seeds.seed(unknown), None, "id {unknown}");
        }
    }

    #[test]
    fn the_table_leaves_no_message_out() {
        for id in TABLE_LEN as u32..=0xff_ffff {
            assert_eq!(MavMessage::extra_crc(id), 0, "id {id}");
        }
    }
}
