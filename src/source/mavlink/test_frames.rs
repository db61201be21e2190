//! Frames for tests, built byte by byte from the protocol's description rather than with the code under
//! test: only the checksum is shared, and that has an oracle of its own.

use super::Checksum;

/// A MAVLink 1 frame.
pub(crate) fn v1(sequence: u8, from: (u8, u8), id: u8, payload: &[u8], seed: u8) -> Vec<u8> {
    let mut frame = vec![0xfe, payload.len() as u8, sequence, from.0, from.1, id];
    frame.extend_from_slice(payload);
    seal(frame, seed)
}

/// A MAVLink 2 frame, its payload as given.
pub(crate) fn v2(sequence: u8, from: (u8, u8), id: u32, payload: &[u8], seed: u8) -> Vec<u8> {
    v2_with_flags(0, sequence, from, id, payload, seed)
}

/// A MAVLink 2 frame with a signature that nobody can verify.
pub(crate) fn v2_signed(
    sequence: u8,
    from: (u8, u8),
    id: u32,
    payload: &[u8],
    seed: u8,
) -> Vec<u8> {
    let mut frame = v2_with_flags(1, sequence, from, id, payload, seed);
    frame.extend_from_slice(&[0x5a; 13]);
    frame
}

fn v2_with_flags(
    flags: u8,
    sequence: u8,
    from: (u8, u8),
    id: u32,
    payload: &[u8],
    seed: u8,
) -> Vec<u8> {
    let [id0, id1, id2, _] = id.to_le_bytes();
    let len = payload.len() as u8;
    let mut frame = vec![0xfd, len, flags, 0, sequence, from.0, from.1, id0, id1, id2];
    frame.extend_from_slice(payload);
    seal(frame, seed)
}

/// A heartbeat of a PX4 quadrotor, for tests that need any good frame.
pub(crate) fn heartbeat(sequence: u8) -> Vec<u8> {
    v2(sequence, (1, 1), 0, &[0, 0, 4, 3, 2, 12, 81, 4, 3], 50)
}

fn seal(mut frame: Vec<u8>, seed: u8) -> Vec<u8> {
    let sum = Checksum::new().with(&frame[1..]).finish(seed);
    frame.extend_from_slice(&sum.to_le_bytes());
    frame
}
