/// How many unknown ids are remembered at a time.
const REMEMBERED: usize = 16;

/// Unknown ids whose frames were found whole, with the seeds that made their checksums hold. Another one
/// with the same seed is then as credible as a known message.
#[derive(Debug, Default)]
pub(super) struct UnknownIds {
    entries: [Option<(u32, u8)>; REMEMBERED],
    oldest: usize,
}

impl UnknownIds {
    pub(super) fn contains(&self, id: u32, seed: u8) -> bool {
        self.entries.contains(&Some((id, seed)))
    }

    pub(super) fn remember(&mut self, id: u32, seed: u8) {
        if let Some(entry) = self.entries.get_mut(self.oldest) {
            *entry = Some((id, seed));
        }
        self.oldest = (self.oldest + 1) % REMEMBERED;
    }
}
