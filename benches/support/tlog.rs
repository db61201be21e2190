//! A telemetry log as a ground station writes it, of any size.

use heartline::source::mavlink::ChecksumSeeds;

/// Messages per second of the mix.
const RATE: u64 = 100;
/// 2026-01-01, in microseconds since the Unix epoch.
const START_US: u64 = 1_767_225_600_000_000;

/// Twenty messages as a vehicle sends them over a telemetry link: id, bytes of payload, and how many of
/// a hundred frames are of it. 3,720 bytes for a hundred of them.
const MIX: [(u32, usize, u32); 20] = [
    (0, 9, 2),     // HEARTBEAT, of the vehicle and of the ground
    (1, 31, 2),    // SYS_STATUS
    (2, 12, 1),    // SYSTEM_TIME
    (8, 36, 1),    // LINK_NODE_STATUS
    (22, 25, 2),   // PARAM_VALUE
    (24, 52, 7),   // GPS_RAW_INT
    (29, 16, 4),   // SCALED_PRESSURE
    (30, 28, 12),  // ATTITUDE
    (31, 48, 8),   // ATTITUDE_QUATERNION
    (32, 28, 11),  // LOCAL_POSITION_NED
    (33, 28, 8),   // GLOBAL_POSITION_INT
    (36, 37, 5),   // SERVO_OUTPUT_RAW
    (65, 42, 4),   // RC_CHANNELS
    (74, 20, 7),   // VFR_HUD
    (77, 10, 1),   // COMMAND_ACK
    (83, 37, 6),   // ATTITUDE_TARGET
    (105, 63, 15), // HIGHRES_IMU
    (147, 54, 1),  // BATTERY_STATUS
    (230, 42, 2),  // ESTIMATOR_STATUS
    (253, 54, 1),  // STATUSTEXT
];

/// The ids of a hundred frames, spread evenly by steps that share no factor with a hundred.
fn order() -> Vec<(u32, usize)> {
    let all: Vec<_> = MIX
        .iter()
        .flat_map(|(id, payload, count)| (0..*count).map(|_| (*id, *payload)))
        .collect();
    assert_eq!(all.len(), 100);
    (0..100).map(|place| all[place * 37 % 100]).collect()
}

/// A log of at least `size` bytes, and its frames alone without their times.
pub fn long_tlog(size: usize) -> (Vec<u8>, Vec<u8>) {
    let seeds = ChecksumSeeds::of_dialect();
    let order = order();
    let (mut log, mut frames) = (Vec::new(), Vec::new());
    let mut noise = 0x9e37_79b9_7f4a_7c15_u64;
    let mut sequences = [0_u8; 2];
    let mut number = 0;
    while log.len() < size {
        let (id, length) = order[number % order.len()];
        let at = START_US + number as u64 * 1_000_000 / RATE;
        // Every other heartbeat is the ground's.
        let is_ground = id == 0 && number % order.len() > order.len() / 2;
        let mut payload: Vec<u8> = (0..length)
            .map(|_| {
                noise ^= noise << 13;
                noise ^= noise >> 7;
                noise ^= noise << 17;
                // No zeros: MAVLink 2 would leave those at the end away.
                (noise as u8).max(1)
            })
            .collect();
        let boot_ms = (number as u64 * 1_000 / RATE) as u32;
        match id {
            0 if is_ground => payload.copy_from_slice(&[0, 0, 0, 0, 6, 8, 0, 4, 3]),
            0 => payload.copy_from_slice(&[0, 0, 4, 3, 2, 12, 81, 4, 3]),
            2 => payload[8..].copy_from_slice(&boot_ms.to_le_bytes()),
            8 => payload[20..24].copy_from_slice(&(number as u32 / 50).to_le_bytes()),
            22 => payload[8..24].copy_from_slice(b"COM_DL_LOSS_T\0\0\0"),
            253 => payload[1..].fill(b'a' + (number / 100 % 20) as u8),
            29 | 30 | 31 | 32 | 33 | 65 | 83 => {
                payload[..4].copy_from_slice(&boot_ms.to_le_bytes());
            }
            _ => {}
        }
        let (from, sequence) = if is_ground {
            ((255, 190), &mut sequences[1])
        } else {
            ((1, 1), &mut sequences[0])
        };
        let [id0, id1, id2, _] = id.to_le_bytes();
        let mut frame = vec![
            0xfd,
            length as u8,
            0,
            0,
            *sequence,
            from.0,
            from.1,
            id0,
            id1,
            id2,
        ];
        *sequence = sequence.wrapping_add(1);
        frame.extend_from_slice(&payload);
        let sum = mavlink::calculate_crc(&frame[1..], seeds.seed(id).expect("a known id"));
        frame.extend_from_slice(&sum.to_le_bytes());
        log.extend_from_slice(&at.to_be_bytes());
        log.extend_from_slice(&frame);
        frames.extend_from_slice(&frame);
        number += 1;
    }
    (log, frames)
}
