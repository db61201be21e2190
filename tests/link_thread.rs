//! The link's thread over real sockets: silent by default, heartbeats only under a fed watchdog, broken
//! connections come back.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::disallowed_methods,
    clippy::indexing_slicing,
    reason = "a test of the edge where clocks and sockets are real"
)]

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream, UdpSocket};
use std::time::{Duration, Instant};

use heartline::link::{
    FeedGauge, LinkCommand, LinkHandle, LinkOptions, LinkState, TransmitSettings, UiFeeder,
    feed_pair, open,
};
use heartline::observation::{PathId, Talker};
use heartline::source::SourceHandle;
use heartline::source::address::Address;
use heartline::source::mavlink::{Decoded, FrameDecoder};
use heartline::time::Span;

const DEADLINE: Duration = Duration::from_secs(15);
const GCS: Talker = Talker::new(255, 190);

fn options(gauge: FeedGauge) -> LinkOptions {
    LinkOptions {
        gauge,
        wake: Box::new(|| {}),
        record_to: None,
    }
}

fn opened(address: &str, gauge: FeedGauge) -> (SourceHandle, LinkHandle) {
    let address: Address = address.parse().unwrap();
    open(&address, options(gauge)).unwrap_or_else(|e| panic!("{e}"))
}

/// A free UDP port: taken and given back.
fn free_udp_port() -> u16 {
    UdpSocket::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .port()
}

fn free_tcp_port() -> u16 {
    TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .port()
}

/// A HEARTBEAT of a PX4 quadrotor as MAVLink 2 bytes.
fn vehicle_heartbeat(sequence: u8) -> Vec<u8> {
    use mavlink::MavlinkVersion;
    use mavlink::dialects::ardupilotmega::{
        HEARTBEAT_DATA, MavAutopilot, MavMessage, MavModeFlag, MavState, MavType,
    };
    let message = MavMessage::HEARTBEAT(HEARTBEAT_DATA {
        custom_mode: 0x0404_0000,
        mavtype: MavType::MAV_TYPE_QUADROTOR,
        autopilot: MavAutopilot::MAV_AUTOPILOT_PX4,
        base_mode: MavModeFlag::empty(),
        system_status: MavState::MAV_STATE_ACTIVE,
        mavlink_version: 3,
    });
    let header = mavlink::MavHeader {
        system_id: 1,
        component_id: 1,
        sequence,
    };
    let mut bytes = Vec::new();
    mavlink::write_versioned_msg(&mut bytes, MavlinkVersion::V2, header, &message).unwrap();
    bytes
}

/// Waits for `condition`, feeding the watchdog meanwhile if asked to.
fn wait_for(what: &str, feeder: Option<&UiFeeder>, mut condition: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !condition() {
        assert!(begun.elapsed() < DEADLINE, "waited in vain for: {what}");
        if let Some(feeder) = feeder {
            feeder.feed();
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn transmit(link: &LinkHandle, timeout_s: i64) {
    let settings = TransmitSettings::new(GCS, false, Span::from_secs(timeout_s)).unwrap();
    let answer = link.post(LinkCommand::Transmit(Some(settings))).unwrap();
    answer.recv_timeout(DEADLINE).unwrap().unwrap();
}

/// A vehicle on a UDP socket: sends heartbeats and notes those of a ground station.
struct FakeVehicle {
    socket: UdpSocket,
    sequence: u8,
    last_sent: Option<Instant>,
    heard: Vec<Instant>,
    bytes: usize,
    decoder: FrameDecoder,
}

impl FakeVehicle {
    fn towards(port: u16) -> Self {
        let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
        socket.connect(("127.0.0.1", port)).unwrap();
        socket.set_nonblocking(true).unwrap();
        Self {
            socket,
            sequence: 0,
            last_sent: None,
            heard: Vec::new(),
            bytes: 0,
            decoder: FrameDecoder::new(),
        }
    }

    fn turn(&mut self) {
        if self
            .last_sent
            .is_none_or(|at| at.elapsed() > Duration::from_millis(250))
        {
            self.last_sent = Some(Instant::now());
            self.socket.send(&vehicle_heartbeat(self.sequence)).ok();
            self.sequence = self.sequence.wrapping_add(1);
        }
        let mut buffer = [0; 2_048];
        while let Ok(length) = self.socket.recv(&mut buffer) {
            self.bytes += length;
            let heard = &mut self.heard;
            self.decoder.push(&buffer[..length], &mut |decoded| {
                if let Decoded::Frame(frame) = decoded
                    && frame.id == 0
                    && frame.from == GCS
                {
                    heard.push(Instant::now());
                }
            });
        }
    }
}

#[test]
fn heartbeats_follow_the_window_and_stop_when_it_hangs() {
    let port = free_udp_port();
    let (feeder, gauge) = feed_pair();
    let (_source, link) = opened(&format!("udpin:127.0.0.1:{port}"), gauge);
    let mut vehicle = FakeVehicle::towards(port);

    wait_for("the vehicle is heard", Some(&feeder), || {
        vehicle.turn();
        link.status().state == LinkState::Live
    });
    let listening = Instant::now();
    wait_for("two seconds of listening", Some(&feeder), || {
        vehicle.turn();
        listening.elapsed() > Duration::from_secs(2)
    });
    assert_eq!(vehicle.bytes, 0, "not one byte while only listening");
    assert_eq!(link.status().bytes_out, 0);

    transmit(&link, 2);
    wait_for("four heartbeats", Some(&feeder), || {
        vehicle.turn();
        vehicle.heard.len() >= 4
    });
    for pair in vehicle.heard.windows(2) {
        let apart = pair[1] - pair[0];
        assert!(
            (Duration::from_millis(850)..Duration::from_millis(1_150)).contains(&apart),
            "{apart:?} between two heartbeats"
        );
    }

    // The window hangs: nobody feeds.
    let hung = Instant::now();
    wait_for("silence", None, || {
        vehicle.turn();
        hung.elapsed() > Duration::from_millis(4_500)
    });
    let last = *vehicle.heard.last().unwrap();
    assert!(
        last - hung < Duration::from_millis(2_100),
        "heartbeats outlived the window"
    );
    let withheld = link.status().withheld_by_watchdog;
    assert!(
        (2..=3).contains(&withheld),
        "{withheld} slots between 2 s and 4.5 s after the last feed"
    );

    let before = vehicle.heard.len();
    wait_for("heartbeats again", Some(&feeder), || {
        vehicle.turn();
        vehicle.heard.len() > before
    });
}

#[test]
fn a_listening_tcp_link_sends_nothing_and_reconnects() {
    let port = free_tcp_port();
    let (_feeder, gauge) = feed_pair();
    let (_source, link) = opened(&format!("tcpout:127.0.0.1:{port}"), gauge);
    wait_for("nobody is there yet", None, || {
        matches!(link.status().state, LinkState::Down(_))
    });
    let server = TcpListener::bind(("127.0.0.1", port)).unwrap();
    let talk = || {
        let (mut stream, _) = server.accept().unwrap();
        stream.write_all(&vehicle_heartbeat(0)).unwrap();
        stream
    };
    let mut stream = talk();
    wait_for("the vehicle is heard", None, || {
        link.status().state == LinkState::Live
    });
    stream
        .set_read_timeout(Some(Duration::from_millis(300)))
        .unwrap();
    assert!(
        stream.read(&mut [0; 64]).is_err(),
        "not one byte, and the connection stays"
    );
    drop(stream);
    let _stream = talk();
    wait_for("it comes back", None, || link.status().frames_in == 2);
    assert_eq!(link.status().bytes_out, 0);
}

#[test]
fn a_tcp_server_takes_several_peers_and_half_frames() {
    let port = free_tcp_port();
    let (_feeder, gauge) = feed_pair();
    let (_source, link) = opened(&format!("tcpin:127.0.0.1:{port}"), gauge);
    let mut one = TcpStream::connect(("127.0.0.1", port)).unwrap();
    let mut two = TcpStream::connect(("127.0.0.1", port)).unwrap();
    let frame = vehicle_heartbeat(0);
    let (head, tail) = frame.split_at(9);
    one.write_all(head).unwrap();
    one.flush().unwrap();
    wait_for("half a frame arrives", None, || link.status().bytes_in == 9);
    two.write_all(&frame).unwrap();
    wait_for("the other peer's frame", None, || {
        link.status().frames_in == 1
    });
    one.write_all(tail).unwrap();
    wait_for("the half frame's rest", None, || {
        link.status().frames_in == 2
    });
    one.set_nonblocking(true).unwrap();
    assert!(
        one.read(&mut [0; 16]).is_err(),
        "nothing is sent while listening"
    );
    assert_eq!(link.status().bytes_out, 0);
}

#[test]
fn a_port_in_use_says_so() {
    let taken = UdpSocket::bind("127.0.0.1:0").unwrap();
    let address: Address = format!("udpin:{}", taken.local_addr().unwrap())
        .parse()
        .unwrap();
    let (_feeder, gauge) = feed_pair();
    let error = open(&address, options(gauge))
        .expect_err("the port is taken")
        .to_string();
    assert!(
        error.contains("in use") && error.contains("14551"),
        "{error}"
    );
    assert_eq!(error.lines().count(), 1);
    let (_feeder, gauge) = feed_pair();
    let address: Address = "serial:/dev/ttyNOPE:57600".parse().unwrap();
    let error = open(&address, options(gauge))
        .expect_err("no such port")
        .to_string();
    assert!(error.contains("no such serial port"), "{error}");
}

#[test]
fn a_port_is_free_again_once_its_link_is_dropped() {
    let address: Address = format!("udpin:127.0.0.1:{}", free_udp_port())
        .parse()
        .unwrap();
    for _ in 0..5 {
        let (_feeder, gauge) = feed_pair();
        let link = open(&address, options(gauge));
        drop(link.unwrap_or_else(|e| panic!("{e}")));
    }
}

#[test]
fn everything_that_passed_is_in_the_recording() {
    let folder = std::env::temp_dir().join(format!("heartline-link-{}", std::process::id()));
    let port = free_udp_port();
    let (feeder, gauge) = feed_pair();
    let address: Address = format!("udpin:127.0.0.1:{port}").parse().unwrap();
    let options = LinkOptions {
        record_to: Some(folder.clone()),
        ..options(gauge)
    };
    let (source, link) = open(&address, options).unwrap();
    let mut vehicle = FakeVehicle::towards(port);
    wait_for("the vehicle is heard", Some(&feeder), || {
        vehicle.turn();
        link.status().frames_in >= 2
    });
    transmit(&link, 2);
    wait_for("a heartbeat of ours", Some(&feeder), || {
        vehicle.turn();
        !vehicle.heard.is_empty()
    });
    let path = link.status().recording.expect("recorded");
    let sent = u64::from(vehicle.sequence);
    wait_for("all of the vehicle's frames", None, || {
        link.status().frames_in == sent
    });
    // Once it is closed, all is on disk: nothing is waited for.
    drop((source, link));
    vehicle.last_sent = Some(Instant::now());
    vehicle.turn();
    let count = |from: Talker| {
        let bytes = std::fs::read(&path).unwrap();
        let mut count = 0;
        heartline::source::tlog::read_tlog(&bytes, PathId::default(), &mut |observation| {
            if let heartline::observation::Sighting::Frame(frame) = &observation.what {
                count += usize::from(frame.from == from);
            }
            std::ops::ControlFlow::Continue(())
        })
        .ok();
        count
    };
    assert_eq!(count(Talker::new(1, 1)), usize::from(vehicle.sequence));
    assert_eq!(count(GCS), vehicle.heard.len());
    std::fs::remove_dir_all(folder).ok();
}
