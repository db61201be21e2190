use std::io;
use std::time::Duration;

use serialport::SerialPort;

use super::{Received, Sent, Transport, TransportError};

const UNPLUGGED: &str = "the serial port is gone: unplugged, or switched off";

/// A serial port.
pub(super) struct Serial {
    name: String,
    port: Box<dyn SerialPort>,
}

impl Serial {
    pub(super) fn open(name: String, path: &str, baud: u32) -> Result<Self, TransportError> {
        match serialport::new(path, baud).open() {
            Ok(port) => Ok(Self { name, port }),
            Err(error) => Err(open_error(name, error)),
        }
    }

    fn gone(&self) -> TransportError {
        TransportError::Gone {
            address: self.name.clone(),
            what: UNPLUGGED,
        }
    }

    fn broken(&self, reason: io::Error) -> TransportError {
        match reason.kind() {
            io::ErrorKind::BrokenPipe | io::ErrorKind::NotConnected => self.gone(),
            _ => TransportError::Io {
                address: self.name.clone(),
                reason,
            },
        }
    }
}

fn open_error(name: String, error: serialport::Error) -> TransportError {
    use serialport::ErrorKind;
    let address = name;
    match error.kind {
        ErrorKind::NoDevice | ErrorKind::Io(io::ErrorKind::NotFound) => {
            TransportError::NoSuchPort {
                address,
                found: ports_in_words(),
            }
        }
        ErrorKind::Io(io::ErrorKind::PermissionDenied) => TransportError::Permission { address },
        ErrorKind::Io(io::ErrorKind::ResourceBusy) => TransportError::InUse { address },
        _ => TransportError::Io {
            address,
            reason: error.into(),
        },
    }
}

/// The serial ports that there are.
fn ports_in_words() -> String {
    let names: Vec<String> = serialport::available_ports()
        .unwrap_or_default()
        .into_iter()
        .map(|port| port.port_name)
        .collect();
    if names.is_empty() {
        "none is plugged in".to_owned()
    } else {
        format!("there are {}", names.join(", "))
    }
}

impl Transport for Serial {
    fn receive(
        &mut self,
        buffer: &mut [u8],
        wait: Duration,
    ) -> Result<Option<Received>, TransportError> {
        let wait = wait.clamp(Duration::from_millis(1), Duration::from_millis(100));
        if self.port.set_timeout(wait).is_err() {
            return Err(self.gone());
        }
        match self.port.read(buffer) {
            // Nothing at the end of the wait is a time-out; nothing at once is an unplugged port.
            Ok(0) => Err(self.gone()),
            Ok(length) => Ok(Some(Received::Bytes { peer: 0, length })),
            Err(reason) if super::is_nothing(&reason) => Ok(None),
            Err(reason) => Err(self.broken(reason)),
        }
    }

    fn send(&mut self, frame: &[u8]) -> Result<Sent, TransportError> {
        self.port.write_all(frame).map_err(|e| self.broken(e))?;
        Ok(Sent::whole(frame))
    }

    fn peers(&self) -> Vec<String> {
        self.port.name().into_iter().collect()
    }

    fn datagrams(&self) -> bool {
        false
    }
}
