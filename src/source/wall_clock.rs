//! The one place that reads the computer's clocks. Everything else gets the time as an argument.

#![allow(
    clippy::disallowed_methods,
    reason = "this is the edge at which clocks are read"
)]

use std::sync::LazyLock;
use std::time::{Instant, SystemTime};

use crate::time::Micros;

/// The origin of [`monotonic`].
static START: LazyLock<Instant> = LazyLock::new(Instant::now);

/// Microseconds since the first call in this process, on a clock that never steps back and that no
/// clock setting changes. On Linux it stands still while the computer sleeps.
#[must_use]
pub fn monotonic() -> Micros {
    let start = *START;
    Micros::from_micros(start.elapsed().as_micros() as i64)
}

/// Microseconds on a clock that goes on while the computer sleeps; its origin means nothing. On Linux no
/// clock setting changes it. Elsewhere it is the computer's clock, and setting that forward by hand looks
/// like a sleep: for one heartbeat slot the window is asked for a fresh sign of life, which is harmless.
#[must_use]
pub fn boot() -> Micros {
    #[cfg(target_os = "linux")]
    {
        let at = rustix::time::clock_gettime(rustix::time::ClockId::Boottime);
        Micros::from_micros(at.tv_sec.saturating_mul(1_000_000) + at.tv_nsec / 1_000)
    }
    #[cfg(not(target_os = "linux"))]
    unix()
}

/// Microseconds since the Unix epoch, as the computer's clock is set; it may step either way. For stamps
/// of recordings and for showing the time of day, never for measuring.
#[must_use]
pub fn unix() -> Micros {
    let micros = match SystemTime::now().duration_since(SystemTime::UNIX_EPOCH) {
        Ok(after) => after.as_micros() as i64,
        Err(before) => -(before.duration().as_micros() as i64),
    };
    Micros::from_micros(micros)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_monotonic_clock_starts_at_zero_and_does_not_step_back() {
        let mut last = Micros::from_micros(0);
        for _ in 0..1000 {
            let now = monotonic();
            assert!(now >= last);
            last = now;
        }
    }

    #[test]
    fn the_wall_clock_counts_from_1970_in_microseconds() {
        let year_2020 = Micros::from_millis(1_577_836_800_000);
        let year_2100 = Micros::from_millis(4_102_444_800_000);
        assert!((year_2020..year_2100).contains(&unix()));
    }
}
