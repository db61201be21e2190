//! Addresses of live links, in every dialect that operators type, normalised to one.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

/// The baud rate of telemetry radios, taken when a serial address names none.
const RADIO_BAUD: u32 = 57_600;
/// Where ground stations listen, taken when a UDP address names no port.
const GROUND_STATION_PORT: u16 = 14_550;
/// Where routers and simulators serve TCP.
const TCP_PORT: u16 = 5_760;
/// Examples for error messages.
const EXAMPLES: &str = "udpin:0.0.0.0:14550, tcpout:127.0.0.1:5760 or serial:/dev/ttyUSB0:57600";

/// A host and a port.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct HostPort {
    /// Name or number of the host; IPv6 without its brackets.
    pub host: String,
    /// Port.
    pub port: u16,
}

impl fmt::Display for HostPort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.host.contains(':') {
            write!(f, "[{}]:{}", self.host, self.port)
        } else {
            write!(f, "{}:{}", self.host, self.port)
        }
    }
}

/// Where a live link leads.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Address {
    /// Listen on a UDP port; answer whoever speaks.
    UdpIn(HostPort),
    /// Send to a UDP port; listen for its answers.
    UdpOut(HostPort),
    /// Send to everybody on a network; listen for answers.
    UdpBroadcast(HostPort),
    /// Wait for TCP connections.
    TcpIn(HostPort),
    /// Connect to a TCP port.
    TcpOut(HostPort),
    /// A serial port.
    Serial {
        /// `/dev/ttyUSB0`, `COM5`.
        path: String,
        /// Baud rate.
        baud: u32,
    },
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UdpIn(to) => write!(f, "udpin:{to}"),
            Self::UdpOut(to) => write!(f, "udpout:{to}"),
            Self::UdpBroadcast(to) => write!(f, "udpbcast:{to}"),
            Self::TcpIn(to) => write!(f, "tcpin:{to}"),
            Self::TcpOut(to) => write!(f, "tcpout:{to}"),
            Self::Serial { path, baud } => write!(f, "serial:{path}:{baud}"),
        }
    }
}

/// What is wrong with an address.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum AddressError {
    /// It does not begin like one.
    #[error(
        "`{0}` is no address: it begins with none of udpin:, udpout:, udpbcast:, tcpin:, tcpout:, serial:; examples: {EXAMPLES}"
    )]
    Scheme(String),
    /// Its port is no number between 1 and 65535.
    #[error("`{address}`: `{port}` is no port (1 to 65535); examples: {EXAMPLES}")]
    Port {
        /// The whole address.
        address: String,
        /// The part that is wrong.
        port: String,
    },
    /// It names no host, or none that can be.
    #[error("`{0}`: the host is missing or can be none; examples: {EXAMPLES}")]
    Host(String),
    /// Its baud rate is no number.
    #[error("`{address}`: `{baud}` is no baud rate; examples: {EXAMPLES}")]
    Baud {
        /// The whole address.
        address: String,
        /// The part that is wrong.
        baud: String,
    },
    /// It names no serial port.
    #[error("`{0}`: the serial port is missing; examples: {EXAMPLES}")]
    Device(String),
}

/// The kinds of schemes, before host and port are read.
#[derive(Clone, Copy)]
enum Scheme {
    UdpIn,
    UdpOut,
    UdpBroadcast,
    TcpIn,
    TcpOut,
    Serial,
    /// MAVROS: `udp://local@remote`, where both may be left out.
    MavrosUdp,
    /// pymavlink's `udp:` listens.
    Udp,
    /// pymavlink's `tcp:` connects.
    Tcp,
}

impl Scheme {
    /// The scheme of an address and the rest behind its colon.
    fn split(text: &str) -> Option<(Self, &str)> {
        let (name, rest) = text.split_once(':')?;
        let url = rest.starts_with("//");
        let scheme = match name.to_ascii_lowercase().as_str() {
            "udpin" | "udps" | "udpserver" => Self::UdpIn,
            "udpout" | "udpc" | "udpclient" => Self::UdpOut,
            "udpbcast" | "udpb" => Self::UdpBroadcast,
            "tcpin" | "tcps" | "tcpserver" => Self::TcpIn,
            "tcpout" | "tcpc" | "tcpclient" => Self::TcpOut,
            "serial" | "serial_flowcontrol" => Self::Serial,
            "udp" if url => Self::MavrosUdp,
            "udp" => Self::Udp,
            "tcp" => Self::Tcp,
            _ => return None,
        };
        Some((scheme, rest.strip_prefix("//").unwrap_or(rest)))
    }
}

impl Address {
    /// Whether `text` is meant as an address rather than as the name of a file.
    #[must_use]
    pub fn is_meant(text: &str) -> bool {
        Scheme::split(text).is_some() || text.parse::<Self>().is_ok()
    }
}

impl FromStr for Address {
    type Err = AddressError;

    fn from_str(text: &str) -> Result<Self, AddressError> {
        let text = text.trim();
        let Some((scheme, rest)) = Scheme::split(text) else {
            return bare(text);
        };
        let udp = |rest| host_port(text, rest, GROUND_STATION_PORT);
        let tcp = |rest| host_port(text, rest, TCP_PORT);
        match scheme {
            Scheme::UdpIn | Scheme::Udp => udp(rest).map(Self::UdpIn),
            Scheme::UdpOut => udp(rest).map(Self::UdpOut),
            Scheme::UdpBroadcast => udp(rest).map(Self::UdpBroadcast),
            Scheme::TcpIn => tcp(rest).map(Self::TcpIn),
            Scheme::TcpOut | Scheme::Tcp => tcp(rest).map(Self::TcpOut),
            Scheme::Serial => serial(text, rest),
            // A remote side is named: it is spoken to. Without one, the local port listens.
            Scheme::MavrosUdp => match rest.split_once('@') {
                Some((_, remote)) if !remote.is_empty() => udp(remote).map(Self::UdpOut),
                Some(("", _)) => udp("0.0.0.0").map(Self::UdpIn),
                Some((local, _)) => udp(local).map(Self::UdpIn),
                None => udp(rest).map(Self::UdpIn),
            },
        }
    }
}

/// Without a scheme: a serial port by its looks, or host and port of a ground station.
fn bare(text: &str) -> Result<Address, AddressError> {
    let device = text.split([',', '?']).next().unwrap_or_default();
    let name = device.split(':').next().unwrap_or_default();
    let is_com = name.len() > 3
        && name.get(..3).is_some_and(|p| p.eq_ignore_ascii_case("com"))
        && name
            .get(3..)
            .is_some_and(|n| n.bytes().all(|b| b.is_ascii_digit()));
    if device.starts_with("/dev/") || is_com {
        return serial(text, text);
    }
    // A bare host and port, as pymavlink takes it: listen there.
    match text.rsplit_once(':') {
        Some((host, port)) if port.parse::<u16>().is_ok_and(|p| p > 0) && looks_like_host(host) => {
            host_port(text, text, GROUND_STATION_PORT).map(Address::UdpIn)
        }
        _ => Err(AddressError::Scheme(text.to_owned())),
    }
}

/// A number with dots, a bracketed IPv6 number, or `localhost`: names of files are none of these.
fn looks_like_host(host: &str) -> bool {
    host.eq_ignore_ascii_case("localhost")
        || host.parse::<std::net::Ipv4Addr>().is_ok()
        || (host.starts_with('[') && host.ends_with(']'))
}

/// `host:port`, `[v6]:port`, `:port`, `host`.
fn host_port(address: &str, text: &str, default_port: u16) -> Result<HostPort, AddressError> {
    let text = text.trim_end_matches('/');
    let (host, port) = if let Some(rest) = text.strip_prefix('[') {
        let (host, after) = rest
            .split_once(']')
            .ok_or_else(|| AddressError::Host(address.to_owned()))?;
        match after.strip_prefix(':') {
            None if !after.is_empty() => {
                return Err(AddressError::Port {
                    address: address.to_owned(),
                    port: after.to_owned(),
                });
            }
            port => (host, port),
        }
    } else {
        match text.rsplit_once(':') {
            Some((host, port)) => (host, Some(port)),
            None => (text, None),
        }
    };
    let port = match port {
        None => default_port,
        Some(port) => port
            .parse()
            .ok()
            .filter(|p| *p > 0)
            .ok_or_else(|| AddressError::Port {
                address: address.to_owned(),
                port: port.to_owned(),
            })?,
    };
    // `:14540` means every interface.
    let host = match host {
        "" if text.starts_with(':') => "0.0.0.0",
        "" => return Err(AddressError::Host(address.to_owned())),
        host if !host.bytes().all(is_of_host) => {
            return Err(AddressError::Host(address.to_owned()));
        }
        host => host,
    };
    Ok(HostPort {
        host: host.to_owned(),
        port,
    })
}

/// What names and numbers of hosts are made of, the zone of an IPv6 number included.
const fn is_of_host(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_' | b':' | b'%')
}

/// `path:baud`, `path,baud`, `path?baudrate=baud`, `path`.
fn serial(address: &str, text: &str) -> Result<Address, AddressError> {
    let (path, baud) = if let Some((path, query)) = text.split_once('?') {
        (path, Some(query.rsplit('=').next().unwrap_or_default()))
    } else if let Some((path, baud)) = text.split_once(',') {
        (path, Some(baud))
    } else {
        match text.rsplit_once(':') {
            Some((path, baud)) => (path, Some(baud)),
            None => (text, None),
        }
    };
    // One slash is as good as three, and shows as one.
    let path = match path.trim_start_matches('/') {
        rest if rest.len() < path.len() => format!("/{rest}"),
        rest => rest.to_owned(),
    };
    if path.trim_matches('/').is_empty() || path.contains([',', '?']) {
        return Err(AddressError::Device(address.to_owned()));
    }
    let baud = match baud {
        None => RADIO_BAUD,
        Some(baud) => {
            baud.trim()
                .parse()
                .ok()
                .filter(|b| *b > 0)
                .ok_or_else(|| AddressError::Baud {
                    address: address.to_owned(),
                    baud: baud.to_owned(),
                })?
        }
    };
    Ok(Address::Serial { path, baud })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn every_dialect_becomes_one() {
        let cases = [
            ("udpin:0.0.0.0:14550", "udpin:0.0.0.0:14550"),
            ("udpin://0.0.0.0:14540", "udpin:0.0.0.0:14540"),
            ("udpin://:14540", "udpin:0.0.0.0:14540"),
            ("udp:127.0.0.1:14550", "udpin:127.0.0.1:14550"),
            ("udp://:14540", "udpin:0.0.0.0:14540"),
            ("udp://:14540@127.0.0.1:14557", "udpout:127.0.0.1:14557"),
            ("udp://@", "udpin:0.0.0.0:14550"),
            ("udpout:10.0.0.2:14550", "udpout:10.0.0.2:14550"),
            ("udpc:10.0.0.2:14550", "udpout:10.0.0.2:14550"),
            ("udpbcast:192.0.2.255:14550", "udpbcast:192.0.2.255:14550"),
            ("tcp:127.0.0.1:5760", "tcpout:127.0.0.1:5760"),
            ("tcp://sitl:5760", "tcpout:sitl:5760"),
            ("tcpout:127.0.0.1", "tcpout:127.0.0.1:5760"),
            ("tcpin:0.0.0.0:5760", "tcpin:0.0.0.0:5760"),
            ("tcpserver://0.0.0.0:5760", "tcpin:0.0.0.0:5760"),
            ("serial:/dev/ttyUSB0:57600", "serial:/dev/ttyUSB0:57600"),
            ("serial:///dev/ttyACM0:115200", "serial:/dev/ttyACM0:115200"),
            (
                "serial:///dev/ttyS1?baudrate=921600",
                "serial:/dev/ttyS1:921600",
            ),
            ("/dev/ttyACM0,115200", "serial:/dev/ttyACM0:115200"),
            ("/dev/ttyUSB0:921600", "serial:/dev/ttyUSB0:921600"),
            ("/dev/ttyUSB0", "serial:/dev/ttyUSB0:57600"),
            ("COM5", "serial:COM5:57600"),
            ("com12,115200", "serial:com12:115200"),
            ("127.0.0.1:14550", "udpin:127.0.0.1:14550"),
            ("udpout:[::1]:14550", "udpout:[::1]:14550"),
            ("tcpout:[::1]", "tcpout:[::1]:5760"),
            ("tcpout://[::1]/", "tcpout:[::1]:5760"),
        ];
        for (typed, expected) in cases {
            let address: Address = typed.parse().unwrap_or_else(|e| panic!("{typed}: {e}"));
            assert_eq!(address.to_string(), expected, "{typed}");
        }
    }

    #[test]
    fn an_error_names_the_part_that_is_wrong() {
        let error = |text: &str| text.parse::<Address>().expect_err(text).to_string();
        assert!(error("udpin:0.0.0.0:99999").contains("`99999` is no port"));
        assert!(error("tcpout:host:").contains("`` is no port"));
        assert!(error("tcpout:[::1]5760").contains("`5760` is no port"));
        assert!(error("udpin:[::1]x").contains("`x` is no port"));
        assert!(error("serial:/dev/ttyUSB0:fast").contains("`fast` is no baud rate"));
        assert!(error("serial:").contains("the serial port is missing"));
        assert!(error("udpout:").contains("the host is missing or can be none"));
        assert!(error("flight.tlog").contains("is no address"));
    }

    #[test]
    fn files_are_no_addresses() {
        for name in [
            "flight.tlog",
            "C:\\logs\\a.tlog",
            "./a:1",
            "2026-03-14 15:41.tlog",
            "demo:inc-0143",
        ] {
            assert!(!Address::is_meant(name), "{name}");
        }
        assert!(Address::is_meant("udpin:nonsense:port"), "meant, and wrong");
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn what_is_shown_is_read_back(text in "(udp|tcp|udpin|serial|/dev/tty|[a-z]{1,6}|):?(//)?[a-zA-Z0-9.:@,\\[\\]/]{0,24}") {
            if let Ok(address) = text.parse::<Address>() {
                let shown = address.to_string();
                prop_assert_eq!(shown.parse::<Address>(), Ok(address), "{} -> {}", text, shown);
            }
        }
    }
}
