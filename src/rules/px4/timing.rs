use crate::time::Span;

/// How late the three loops of the vehicle can be. All of them are always late and never early, so each
/// enters a window on its late side only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoopTiming {
    /// Receiver loop: a self-check comes at most this long after it is due. The poll waits 10 ms, plus
    /// execution (mavlink_receiver.cpp `run`).
    pub receiver: Span,
    /// Sending loop: a report goes out at most this long after it is due. The loop sleeps
    /// 10^7 / (data rate in B/s) microseconds, kept between 1.5 and 10 ms, plus the time to send
    /// (mavlink_main.cpp `task_main`).
    pub publisher: Span,
    /// Commander loop: 10 ms plus execution (Commander.cpp `run`).
    pub commander: Span,
}

impl LoopTiming {
    /// A link of at least 6 700 B/s (UDP, USB, a radio at 921600 baud): the sending loop runs every
    /// 1.5 ms. Execution margins as measured in v1.16.0: 1.5 ms for the 10 ms loops, 0.6 ms for sending.
    pub const FAST_LINK: Self = Self {
        receiver: Span::from_micros(11_500),
        publisher: Span::from_micros(2_100),
        commander: Span::from_micros(11_500),
    };

    /// A link with at least `data_rate` bytes per second as the vehicle is configured (MAV_x_RATE); 0 if
    /// nothing is known of it.
    #[must_use]
    pub fn for_data_rate(data_rate: u32) -> Self {
        let sleep = 10_000_000_i64
            .checked_div(i64::from(data_rate))
            .unwrap_or(10_000)
            .clamp(1_500, 10_000);
        Self {
            publisher: Span::from_micros(sleep + 600),
            ..Self::FAST_LINK
        }
    }

    /// The same vehicle in a simulator whose clock runs `thousandths`/1000 times as fast as the wall
    /// clock, in lockstep: the receiver's poll waits wall time, so it is coarser by the speed factor,
    /// and everything moves in steps of 4 ms.
    #[must_use]
    pub fn in_lockstep(self, thousandths: i64) -> Self {
        const STEP: Span = Span::from_millis(4);
        let factor = thousandths.max(1_000);
        Self {
            receiver: self.receiver.scaled(factor, 1_000) + STEP,
            publisher: self
                .publisher
                .scaled(factor, 1_000)
                .min(Span::from_millis(20))
                + STEP,
            commander: Span::from_millis(12) + STEP,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sending_loop_follows_the_data_rate_within_its_limits() {
        assert_eq!(
            LoopTiming::for_data_rate(46_080).publisher,
            LoopTiming::FAST_LINK.publisher
        );
        assert_eq!(
            LoopTiming::for_data_rate(1_200).publisher,
            Span::from_micros(8_933)
        );
        assert_eq!(
            LoopTiming::for_data_rate(0).publisher,
            Span::from_micros(10_600)
        );
    }
}
