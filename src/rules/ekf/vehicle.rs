/// Which ArduPilot vehicle firmware is flying.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum VehicleKind {
    /// ArduRover: rovers and boats.
    Rover,
    /// ArduCopter: multirotors and helicopters.
    Copter,
    /// ArduPlane, QuadPlanes included.
    Plane,
    /// ArduSub.
    Sub,
    /// Blimp.
    Blimp,
}

/// Version of a firmware release.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FirmwareVersion {
    /// Major.
    pub major: u8,
    /// Minor.
    pub minor: u8,
    /// Patch.
    pub patch: u8,
}
