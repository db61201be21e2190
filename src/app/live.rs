//! Speaking on a live link: what the operator chose, and what the link's thread says of itself.

use crossbeam_channel::{Receiver, TryRecvError};

use crate::link::{LinkCommand, LinkHandle, LinkStatus, TransmitSettings};
use crate::observation::Talker;
use crate::source::address::Address;
use crate::time::Span;

/// A thread that has not come round for this long is shown as stuck.
const STUCK: Span = Span::from_millis(1_500);

/// The live link of the source that is open.
#[derive(Debug)]
pub(super) struct Live {
    link: LinkHandle,
    status: LinkStatus,
    silence: Option<Span>,
    choice: TransmitChoice,
    answer: Option<Receiver<Result<(), String>>>,
    problem: Option<String>,
}

/// What the operator chooses before switching on. Kept for this link only, never for an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TransmitChoice {
    pub talker: Talker,
    pub without_vehicle: bool,
    pub timeout_s: u16,
}

impl Default for TransmitChoice {
    fn default() -> Self {
        Self {
            talker: TransmitSettings::USUAL_TALKER,
            without_vehicle: false,
            timeout_s: (TransmitSettings::USUAL_TIMEOUT.as_micros() / 1_000_000) as u16,
        }
    }
}

/// What the panels read of it.
#[derive(Clone, Copy, Debug)]
pub(super) struct LiveView<'a> {
    pub status: &'a LinkStatus,
    pub choice: TransmitChoice,
    /// How long the link's thread has not come round, once that is worth saying.
    pub stuck: Option<Span>,
}

impl Live {
    pub(super) fn new(link: LinkHandle, choice: TransmitChoice) -> Self {
        Self {
            status: link.status(),
            link,
            silence: None,
            choice,
            answer: None,
            problem: None,
        }
    }

    /// Where the link leads.
    pub(super) const fn address(&self) -> &Address {
        self.link.address()
    }

    /// Takes a fresh copy of the thread's status. `silence` is how long it has not come round.
    pub(super) fn refresh(&mut self, silence: Option<Span>) {
        self.status = self.link.status();
        self.silence = silence;
        if let Some(answer) = &self.answer {
            match answer.try_recv() {
                Ok(result) => {
                    self.problem = result.err();
                    self.answer = None;
                }
                Err(TryRecvError::Empty) => {}
                Err(TryRecvError::Disconnected) => {
                    self.problem = Some("the link has ended; the request did not run".to_owned());
                    self.answer = None;
                }
            }
        }
    }

    pub(super) fn view(&self) -> LiveView<'_> {
        LiveView {
            status: &self.status,
            choice: self.choice,
            stuck: self.silence.filter(|silence| *silence > STUCK),
        }
    }

    /// What went wrong with the last request; told once.
    pub(super) fn take_problem(&mut self) -> Option<String> {
        self.problem.take()
    }

    pub(super) fn choose(&mut self, choice: TransmitChoice) {
        self.choice = choice;
    }

    /// Switches transmitting on or off.
    pub(super) fn toggle(&mut self) {
        let settings = if self.status.transmitting {
            None
        } else {
            let timeout = Span::from_secs(i64::from(self.choice.timeout_s));
            match TransmitSettings::new(self.choice.talker, self.choice.without_vehicle, timeout) {
                Ok(settings) => Some(settings),
                Err(error) => {
                    self.problem = Some(error.to_string());
                    return;
                }
            }
        };
        match self.link.post(LinkCommand::Transmit(settings)) {
            Ok(answer) => self.answer = Some(answer),
            Err(problem) => self.problem = Some(problem),
        }
    }
}
