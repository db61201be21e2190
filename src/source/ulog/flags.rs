/// Where the sections end that lie before appended data. After a crash the vehicle appends what its
/// memory still held, and notes where. Only ascending offsets within the file are believed.
pub(super) fn appended(flags: &[u8], begin: usize, length: usize) -> Vec<usize> {
    const DATA_APPENDED: u8 = 1;
    let mut ends = Vec::new();
    if flags.get(8).is_none_or(|bits| bits & DATA_APPENDED == 0) {
        return ends;
    }
    let mut last = begin;
    for raw in flags.get(16..40).unwrap_or_default().chunks_exact(8) {
        let offset = raw
            .first_chunk()
            .and_then(|raw| usize::try_from(u64::from_le_bytes(*raw)).ok());
        match offset {
            Some(offset) if offset > last && offset < length => {
                ends.push(offset);
                last = offset;
            }
            _ => break,
        }
    }
    ends
}

/// Whether a flag is set that says "do not read without knowing me", apart from "data appended". The
/// log is read nevertheless, since a flipped bit must not cost the flight; what does not fit is damage.
pub(super) fn unknown_features(flags: &[u8]) -> bool {
    flags.get(8..16).is_some_and(|bits| {
        bits.iter()
            .enumerate()
            .any(|(i, b)| *b & !u8::from(i == 0) != 0)
    })
}
