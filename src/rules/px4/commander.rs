use crate::time::{Bounds, Micros, Span};

use super::Report;

/// When the commander may declare the loss: strictly after this instant.
///
/// Source: `Commander::dataLinkCheck` (`data_link_check` before v1.14): `last != 0 && now - last > D`,
/// D being COM_DL_LOSS_T, `last` the time stamp of the last report that said present.
#[must_use]
pub fn loss_due(start_line: Micros, com_dl_loss_t: Span) -> Micros {
    start_line + com_dl_loss_t
}

/// When it declares the loss for a start line within `start_line`: at most one cycle, `commander`, after it
/// may.
#[must_use]
pub fn loss_window(start_line: Bounds, com_dl_loss_t: Span, commander: Span) -> Bounds {
    Bounds::new(
        loss_due(start_line.earliest(), com_dl_loss_t),
        loss_due(start_line.latest(), com_dl_loss_t) + commander,
    )
}

/// What one cycle of the commander changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommanderChange {
    /// `gcs_connection_lost` was set.
    Lost,
    /// It was cleared: at the first report that says present, without delay.
    Regained,
}

/// The commander's data link check, stepped exactly: the forward form.
#[derive(Clone, Copy, Debug)]
pub struct Commander {
    com_dl_loss_t: Span,
    start_line: Option<Micros>,
    lost: bool,
}

impl Commander {
    /// A commander after boot: the connection counts as lost and there is no start line, so that no
    /// loss can be declared before a ground station was present.
    #[must_use]
    pub const fn new(com_dl_loss_t: Span) -> Self {
        Self {
            com_dl_loss_t,
            start_line: None,
            lost: true,
        }
    }

    /// `gcs_connection_lost`.
    #[must_use]
    pub const fn lost(&self) -> bool {
        self.lost
    }

    /// The time stamp of the last report that said present.
    #[must_use]
    pub const fn start_line(&self) -> Option<Micros> {
        self.start_line
    }

    /// One cycle, with the newest unread report of each instance. An older unread one was overwritten
    /// and is not seen: the topic holds one entry.
    pub fn cycle(
        &mut self,
        at: Micros,
        newest: impl IntoIterator<Item = Report>,
    ) -> Option<CommanderChange> {
        let mut change = None;
        for report in newest {
            if report.ground_station_present {
                self.start_line = Some(report.at);
                if self.lost {
                    self.lost = false;
                    change = Some(CommanderChange::Regained);
                }
            }
        }
        let due = self
            .start_line
            .is_some_and(|start| at > loss_due(start, self.com_dl_loss_t));
        if !self.lost && due {
            self.lost = true;
            change = Some(CommanderChange::Lost);
        }
        change
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(millis: i64) -> Micros {
        Micros::from_millis(millis)
    }

    fn report(millis: i64, present: bool) -> [Report; 1] {
        [Report {
            at: ms(millis),
            ground_station_present: present,
        }]
    }

    #[test]
    fn nothing_is_lost_before_a_ground_station_was_present() {
        let mut commander = Commander::new(Span::from_secs(10));
        assert!(commander.lost());
        assert_eq!(commander.cycle(ms(60_000), report(59_999, false)), None);
    }

    #[test]
    fn the_loss_is_strictly_after_the_limit_and_measured_from_the_report() {
        let mut commander = Commander::new(Span::from_secs(10));
        assert_eq!(
            commander.cycle(ms(5), report(1, true)),
            Some(CommanderChange::Regained)
        );
        assert_eq!(commander.cycle(ms(2_000), report(1_990, false)), None);
        assert_eq!(commander.cycle(ms(10_001), []), None);
        assert_eq!(
            commander.cycle(ms(10_001) + Span::from_micros(1), []),
            Some(CommanderChange::Lost)
        );
        assert_eq!(commander.cycle(ms(20_000), []), None, "latched");
    }
}
