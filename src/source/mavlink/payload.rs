/// The fields of a payload by their offset on the wire.
///
/// MAVLink 2 senders leave away zeros at the end, and older senders do not have the newest fields: what
/// lies beyond the end reads as zero, as the protocol prescribes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Payload<'a>(pub(super) &'a [u8]);

impl Payload<'_> {
    /// `N` bytes from `at` on.
    pub(super) fn bytes<const N: usize>(self, at: usize) -> [u8; N] {
        let rest = self.0.get(at..).unwrap_or_default();
        if let Some(field) = rest.first_chunk::<N>() {
            return *field;
        }
        let mut field = [0; N];
        for (to, from) in field.iter_mut().zip(rest) {
            *to = *from;
        }
        field
    }

    /// Whether anything was sent at or beyond `at`.
    pub(super) const fn reaches(self, at: usize) -> bool {
        self.0.len() > at
    }

    pub(super) fn u8(self, at: usize) -> u8 {
        let [byte] = self.bytes(at);
        byte
    }

    pub(super) fn u16(self, at: usize) -> u16 {
        u16::from_le_bytes(self.bytes(at))
    }

    pub(super) fn u32(self, at: usize) -> u32 {
        u32::from_le_bytes(self.bytes(at))
    }

    pub(super) fn u64(self, at: usize) -> u64 {
        u64::from_le_bytes(self.bytes(at))
    }

    pub(super) fn i64(self, at: usize) -> i64 {
        i64::from_le_bytes(self.bytes(at))
    }

    pub(super) fn f32(self, at: usize) -> f32 {
        f32::from_le_bytes(self.bytes(at))
    }
}
