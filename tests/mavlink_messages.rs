//! Messages built by the generated code of the `mavlink` crate are read with the same values, in both
//! protocol versions and with the zeros that MAVLink 2 leaves away; and what Heartline sends is read by
//! that code.

#![allow(
    deprecated,
    reason = "superseded messages are still sent, and must be read"
)]
#![allow(
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a failing test should say so"
)]

use heartline::observation::{
    Autopilot, AutopilotVersion, CommandAck, CurrentMode, EkfFlags, EkfStatusReport,
    EstimatorStatus, Heartbeat, LinkNodeStatus, MavType, Message, ParamType, ParamValue,
    ParameterName, RadioStatus, StatusText, SystemStatus, Talker, TimeSync, VehicleEvent,
};
use heartline::source::mavlink::{
    Decoded, FrameDecoder, FrameEncoder, MessageInterval, RawFrame, decode_message,
};
use heartline::time::Span;
use mavlink::dialects::ardupilotmega as dialect;
use mavlink::dialects::ardupilotmega::MavMessage;
use mavlink::{MavlinkVersion, Message as _};
use proptest::prelude::*;

/// Reads `message` as each protocol version sends it.
fn read(message: &MavMessage) -> [Message; 2] {
    [MavlinkVersion::V1, MavlinkVersion::V2].map(|version| {
        let mut payload = [0; 255];
        let len = message.ser(version, &mut payload);
        decode_message(message.message_id(), &payload[..len])
    })
}

fn both(message: Message) -> [Message; 2] {
    [message.clone(), message]
}

/// Zero often, so that the ends of payloads are left away.
fn byte() -> impl Strategy<Value = u8> {
    prop_oneof![Just(0), any::<u8>()]
}

fn word() -> impl Strategy<Value = u32> {
    prop_oneof![Just(0), Just(0x0100_0000), any::<u32>()]
}

fn long() -> impl Strategy<Value = u64> {
    prop_oneof![Just(0), any::<u64>()]
}

fn float() -> impl Strategy<Value = f32> {
    prop_oneof![Just(0.0), -1e6f32..1e6]
}

fn name() -> impl Strategy<Value = String> {
    "[A-Z][A-Z0-9_]{0,15}"
}

proptest! {
    #[test]
    fn heartbeat(custom_mode in word(), base_mode in byte()) {
        let message = MavMessage::HEARTBEAT(dialect::HEARTBEAT_DATA {
            custom_mode,
            mavtype: dialect::MavType::MAV_TYPE_GROUND_ROVER,
            autopilot: dialect::MavAutopilot::MAV_AUTOPILOT_ARDUPILOTMEGA,
            base_mode: dialect::MavModeFlag::from_bits_retain(base_mode),
            system_status: dialect::MavState::MAV_STATE_CRITICAL,
            mavlink_version: 3,
        });
        prop_assert_eq!(read(&message), both(Message::Heartbeat(Heartbeat {
            mav_type: MavType(10),
            autopilot: Autopilot::ARDUPILOT,
            base_mode,
            custom_mode,
            system_status: SystemStatus::CRITICAL,
        })));
    }

    #[test]
    fn heartbeat_of_numbers_that_no_dialect_has(kind in 200u8.., autopilot in 200u8.., state in 200u8..) {
        let payload = [1, 0, 0, 0, kind, autopilot, 128, state, 3];
        prop_assert!(MavMessage::parse(MavlinkVersion::V2, 0, &payload).is_err());
        prop_assert_eq!(decode_message(0, &payload), Message::Heartbeat(Heartbeat {
            mav_type: MavType(kind),
            autopilot: Autopilot(autopilot),
            base_mode: 128,
            custom_mode: 1,
            system_status: SystemStatus(state),
        }));
    }

    #[test]
    fn clocks(unix_us in long(), boot_ms in word(), sequence in word(), tc1: i64, ts1: i64) {
        let system_time = MavMessage::SYSTEM_TIME(dialect::SYSTEM_TIME_DATA {
            time_unix_usec: unix_us,
            time_boot_ms: boot_ms,
        });
        prop_assert_eq!(read(&system_time), both(Message::SystemTime { unix_us, boot_ms }));
        let timesync = MavMessage::TIMESYNC(dialect::TIMESYNC_DATA { tc1, ts1 });
        prop_assert_eq!(read(&timesync), both(Message::TimeSync(TimeSync { tc1, ts1 })));
        let ping = MavMessage::PING(dialect::PING_DATA {
            time_usec: unix_us,
            seq: sequence,
            target_system: 7,
            target_component: 9,
        });
        let target = Talker::new(7, 9);
        prop_assert_eq!(read(&ping), both(Message::Ping { sequence, target }));
    }

    #[test]
    fn link_node_status(
        time_us in long(),
        [tx_rate, rx_rate, messages_sent, messages_received, messages_lost] in [word(), word(), word(), word(), word()],
    ) {
        let message = MavMessage::LINK_NODE_STATUS(dialect::LINK_NODE_STATUS_DATA {
            timestamp: time_us,
            tx_rate,
            rx_rate,
            messages_sent,
            messages_received,
            messages_lost,
            rx_parse_err: 1,
            tx_overflows: 2,
            rx_overflows: 3,
            tx_buf: 4,
            rx_buf: 0,
        });
        prop_assert_eq!(read(&message), both(Message::LinkNodeStatus(LinkNodeStatus {
            time_us,
            messages_received,
            messages_lost,
            rx_rate,
            tx_rate,
        })));
    }

    #[test]
    fn parameters(name in name(), value in float()) {
        let expected = ParamValue {
            name: ParameterName::from(name.as_str()),
            raw: value.to_le_bytes(),
            kind: ParamType(9),
        };
        let report = MavMessage::PARAM_VALUE(dialect::PARAM_VALUE_DATA {
            param_value: value,
            param_count: 900,
            param_index: 17,
            param_id: name.as_str().into(),
            param_type: dialect::MavParamType::MAV_PARAM_TYPE_REAL32,
        });
        prop_assert_eq!(read(&report), both(Message::ParamValue(expected)));
        let order = MavMessage::PARAM_SET(dialect::PARAM_SET_DATA {
            param_value: value,
            target_system: 1,
            target_component: 2,
            param_id: name.as_str().into(),
            param_type: dialect::MavParamType::MAV_PARAM_TYPE_REAL32,
        });
        prop_assert_eq!(read(&order), both(Message::ParamSet(expected)));
    }

    #[test]
    fn stick_input(target in byte(), value: u16) {
        let sticks = MavMessage::RC_CHANNELS_OVERRIDE(dialect::RC_CHANNELS_OVERRIDE_DATA {
            target_system: target,
            target_component: 3,
            chan8_raw: value,
            ..Default::default()
        });
        prop_assert_eq!(read(&sticks), both(Message::RcOverride { target }));
        let manual = MavMessage::MANUAL_CONTROL(dialect::MANUAL_CONTROL_DATA {
            buttons: value,
            target,
            ..Default::default()
        });
        prop_assert_eq!(read(&manual), both(Message::ManualControl { target }));
    }

    #[test]
    fn radio(rx_errors: u16, [rssi, remote_rssi, tx_buffer, noise, remote_noise] in [byte(), byte(), byte(), byte(), byte()]) {
        let expected = both(Message::RadioStatus(RadioStatus {
            rssi,
            remote_rssi,
            noise,
            remote_noise,
            rx_errors,
            tx_buffer,
        }));
        prop_assert_eq!(read(&MavMessage::RADIO_STATUS(dialect::RADIO_STATUS_DATA {
            rxerrors: rx_errors,
            fixed: 77,
            rssi,
            remrssi: remote_rssi,
            txbuf: tx_buffer,
            noise,
            remnoise: remote_noise,
        })), expected.clone());
        prop_assert_eq!(read(&MavMessage::RADIO(dialect::RADIO_DATA {
            rxerrors: rx_errors,
            fixed: 77,
            rssi,
            remrssi: remote_rssi,
            txbuf: tx_buffer,
            noise,
            remnoise: remote_noise,
        })), expected);
    }

    #[test]
    fn autopilot_version(capabilities in long(), uid in long(), revision: [u8; 8], [patch, kind] in [byte(), byte()]) {
        let message = MavMessage::AUTOPILOT_VERSION(dialect::AUTOPILOT_VERSION_DATA {
            capabilities: dialect::MavProtocolCapability::from_bits_retain(capabilities),
            uid,
            flight_sw_version: u32::from_be_bytes([4, 6, patch, kind]),
            middleware_sw_version: 1,
            os_sw_version: 2,
            board_version: 3,
            vendor_id: 4,
            product_id: 5,
            flight_custom_version: revision,
            middleware_custom_version: [6; 8],
            os_custom_version: [0; 8],
        });
        prop_assert_eq!(read(&message), both(Message::AutopilotVersion(AutopilotVersion {
            flight: [4, 6, patch, kind],
            revision,
            capabilities,
            uid,
        })));
    }

    #[test]
    fn estimators(ratios in prop::array::uniform6(float()), flags: u16, time_us in long(), airspeed in 0.001f32..10.0) {
        let [velocity, position_horizontal, position_vertical, compass, terrain, tas] = ratios;
        let ekf = MavMessage::EKF_STATUS_REPORT(dialect::EKF_STATUS_REPORT_DATA {
            velocity_variance: velocity,
            pos_horiz_variance: position_horizontal,
            pos_vert_variance: position_vertical,
            compass_variance: compass,
            terrain_alt_variance: terrain,
            flags: dialect::EkfStatusFlags::from_bits_retain(flags),
        });
        let mut expected = EkfStatusReport {
            velocity,
            position_horizontal,
            position_vertical,
            compass,
            terrain,
            airspeed: None,
            flags: EkfFlags(flags),
        };
        prop_assert_eq!(read(&ekf), both(Message::EkfStatusReport(expected)));
        // The crate does not send the extension field; it follows the others.
        let mut payload = [0; 26];
        ekf.ser(MavlinkVersion::V1, &mut payload);
        payload[22..].copy_from_slice(&airspeed.to_le_bytes());
        expected.airspeed = Some(airspeed);
        prop_assert_eq!(decode_message(193, &payload), Message::EkfStatusReport(expected));

        let px4 = MavMessage::ESTIMATOR_STATUS(dialect::ESTIMATOR_STATUS_DATA {
            time_usec: time_us,
            vel_ratio: velocity,
            pos_horiz_ratio: position_horizontal,
            pos_vert_ratio: position_vertical,
            mag_ratio: compass,
            hagl_ratio: terrain,
            tas_ratio: tas,
            pos_horiz_accuracy: 1.5,
            pos_vert_accuracy: 2.5,
            flags: dialect::EstimatorStatusFlags::from_bits_retain(flags),
        });
        prop_assert_eq!(read(&px4), both(Message::EstimatorStatus(EstimatorStatus {
            time_us,
            velocity,
            position_horizontal,
            position_vertical,
            compass,
            height_above_ground: terrain,
            airspeed: tas,
            flags,
        })));
    }

    #[test]
    fn texts_and_events(text in "[ -~]{0,50}", id in word(), boot_ms in word(), sequence: u16, arguments in prop::collection::vec(byte(), 40)) {
        let arguments: [u8; 40] = arguments.try_into().unwrap();
        let spoken = MavMessage::STATUSTEXT(dialect::STATUSTEXT_DATA {
            severity: dialect::MavSeverity::MAV_SEVERITY_CRITICAL,
            text: text.as_str().into(),
        });
        prop_assert_eq!(read(&spoken), both(Message::StatusText(StatusText {
            severity: 2,
            text: text.into(),
            chunk_id: 0,
            chunk: 0,
        })));
        let event = MavMessage::EVENT(dialect::EVENT_DATA {
            id,
            event_time_boot_ms: boot_ms,
            sequence,
            destination_component: 11,
            destination_system: 12,
            log_levels: 0x35,
            arguments,
        });
        prop_assert_eq!(read(&event), both(Message::Event(VehicleEvent {
            id,
            boot_ms,
            sequence,
            log_levels: 0x35,
            arguments,
        })));
    }

    #[test]
    fn modes(custom_mode in word(), intended_custom_mode in word()) {
        let current = MavMessage::CURRENT_MODE(dialect::CURRENT_MODE_DATA {
            custom_mode,
            intended_custom_mode,
            ..Default::default()
        });
        prop_assert_eq!(read(&current), both(Message::CurrentMode(CurrentMode {
            custom_mode,
            intended_custom_mode,
        })));
    }

    #[test]
    fn what_is_left_away_is_zero(id in 0u32..500, payload in prop::collection::vec(any::<u8>(), 0..=255)) {
        // Whether EKF_STATUS_REPORT has its newest field is told by its length alone.
        prop_assume!(id != 193);
        let mut padded = payload.clone();
        padded.resize(255, 0);
        // By their text, in which a not-a-number equals itself.
        let [short, long] = [&payload, &padded].map(|p| format!("{:?}", decode_message(id, p)));
        prop_assert_eq!(short, long);
    }
}

#[test]
fn acknowledgements_and_landed_states() {
    let ack = MavMessage::COMMAND_ACK(dialect::COMMAND_ACK_DATA {
        command: dialect::MavCmd::MAV_CMD_COMPONENT_ARM_DISARM,
        result: dialect::MavResult::MAV_RESULT_DENIED,
    });
    let expected = CommandAck {
        command: 400,
        result: 2,
        target: Talker::new(0, 0),
    };
    assert_eq!(read(&ack), both(Message::CommandAck(expected)));
    // Extensions the generated code leaves out: progress, a second result, and whose command it was.
    let addressed = CommandAck {
        target: Talker::new(255, 190),
        ..expected
    };
    let bytes = [0x90, 1, 2, 0, 0, 0, 0, 0, 255, 190];
    assert_eq!(decode_message(77, &bytes), Message::CommandAck(addressed));
    let state = MavMessage::EXTENDED_SYS_STATE(dialect::EXTENDED_SYS_STATE_DATA {
        vtol_state: dialect::MavVtolState::MAV_VTOL_STATE_MC,
        landed_state: dialect::MavLandedState::MAV_LANDED_STATE_IN_AIR,
    });
    let landed_state = 2;
    assert_eq!(
        read(&state),
        both(Message::ExtendedSysState { landed_state })
    );
}

#[test]
fn chunks_of_a_text_are_numbered() {
    let mut payload = [b'x'; 54];
    payload[0] = 4;
    payload[51..].copy_from_slice(&[0x39, 0x05, 2]);
    assert_eq!(
        decode_message(253, &payload),
        Message::StatusText(StatusText {
            severity: 4,
            text: "x".repeat(50).into(),
            chunk_id: 0x0539,
            chunk: 2,
        })
    );
}

#[test]
fn damaged_text_is_shown() {
    let text = decode_message(253, b"\x03EKF \xff\xfe variance\0rest");
    let Message::StatusText(text) = text else {
        panic!("{text:?}");
    };
    assert_eq!(&*text.text, "EKF \u{fffd}\u{fffd} variance");
}

/// The generated code says where each of these has its clock.
#[test]
fn boot_clocks_stand_where_the_dialect_has_them() {
    let boot_ms = 0x0123_4567_u32;
    let mut payload = [0; 255];
    payload[..4].copy_from_slice(&boot_ms.to_le_bytes());
    let mut seen = 0;
    for id in 0..1000 {
        if decode_message(id, &payload) == (Message::BootClock { boot_ms }) {
            let typed = MavMessage::parse(MavlinkVersion::V2, id, &payload).unwrap();
            let fields = format!("{typed:?}");
            assert!(
                fields.contains(&format!("time_boot_ms: {boot_ms}")),
                "{fields}"
            );
            seen += 1;
        }
    }
    assert_eq!(seen, 17);
}

fn frame_of(bytes: &[u8], check: impl Fn(RawFrame<'_>)) {
    let mut frames = 0;
    FrameDecoder::new().push(bytes, &mut |decoded| match decoded {
        Decoded::Frame(frame) => {
            assert_eq!(frame.bytes, bytes);
            check(frame);
            frames += 1;
        }
        other => panic!("{other:?}"),
    });
    assert_eq!(frames, 1);
}

#[test]
fn what_is_sent_is_read_by_the_crate() {
    let us = Talker::new(255, 190);
    let vehicle = Talker::new(1, 1);
    let mut encoder = FrameEncoder::new(us);
    let frames = [
        encoder.heartbeat().to_vec(),
        encoder
            .parameter_request(vehicle, &ParameterName::from("COM_DL_LOSS_T"))
            .to_vec(),
        encoder.timesync_request(1_234_567_890).to_vec(),
        encoder.ping(77, 5).to_vec(),
        encoder
            .message_interval(vehicle, 193, MessageInterval::Every(Span::from_millis(100)))
            .to_vec(),
    ];
    let mut bytes = mavlink::MavlinkReader::new(std::io::Cursor::new(frames.concat()));
    for (sequence, frame) in frames.iter().enumerate() {
        let (header, typed) = bytes
            .read_message::<MavMessage>(MavlinkVersion::V2)
            .unwrap();
        assert_eq!(
            (header.system_id, header.component_id, header.sequence),
            (255, 190, sequence as u8)
        );
        frame_of(frame, |raw| {
            assert_eq!(raw.from, us);
            assert_eq!(raw.id, typed.message_id());
        });
        match typed {
            MavMessage::HEARTBEAT(m) => assert_eq!(m.mavtype, dialect::MavType::MAV_TYPE_GCS),
            MavMessage::PARAM_REQUEST_READ(m) => {
                assert_eq!((m.param_index, m.target_system), (-1, 1));
                assert!(m.param_id.starts_with(b"COM_DL_LOSS_T\0"));
            }
            MavMessage::TIMESYNC(m) => assert_eq!((m.tc1, m.ts1), (0, 1_234_567_890)),
            MavMessage::PING(m) => assert_eq!((m.time_usec, m.seq), (77, 5)),
            MavMessage::COMMAND_LONG(m) => {
                assert_eq!(m.command, dialect::MavCmd::MAV_CMD_SET_MESSAGE_INTERVAL);
                assert_eq!((m.param1, m.param2), (193.0, 100_000.0));
            }
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn sequence_numbers_wrap() {
    let mut encoder = FrameEncoder::new(Talker::new(255, 190));
    for expected in (0..=255).chain(0..3) {
        frame_of(encoder.heartbeat(), |frame| {
            assert_eq!(frame.sequence, expected);
        });
    }
}

#[test]
fn requests_for_rates_are_recognised() {
    let vehicle = Talker::new(1, 1);
    let cases = [
        (MessageInterval::Default, None),
        (MessageInterval::Never, Some(0.0)),
        (MessageInterval::Every(Span::from_millis(250)), Some(4.0)),
    ];
    let mut encoder = FrameEncoder::new(Talker::new(255, 190));
    for (interval, hertz) in cases {
        frame_of(encoder.message_interval(vehicle, 410, interval), |raw| {
            assert_eq!(
                decode_message(raw.id, raw.payload),
                Message::RateRequest { what: 410, hertz }
            );
        });
    }
    for (start_stop, hertz) in [(1, 10.0), (0, 0.0)] {
        let stream = MavMessage::REQUEST_DATA_STREAM(dialect::REQUEST_DATA_STREAM_DATA {
            req_message_rate: 10,
            target_system: 1,
            target_component: 1,
            req_stream_id: dialect::MavDataStream::MAV_DATA_STREAM_EXTRA3,
            start_stop,
        });
        assert_eq!(
            read(&stream),
            both(Message::RateRequest {
                what: 12,
                hertz: Some(hertz)
            })
        );
    }
    // Another command is another matter.
    let arm = MavMessage::COMMAND_LONG(dialect::COMMAND_LONG_DATA {
        command: dialect::MavCmd::MAV_CMD_COMPONENT_ARM_DISARM,
        ..Default::default()
    });
    assert_eq!(read(&arm), both(Message::Other));
}
