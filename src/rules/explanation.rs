use crate::time::Bounds;

/// How firmly a statement stands. The same few words everywhere: window, report, training.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Knowledge {
    /// Seen on the link or in the file.
    Known,
    /// Said by the vehicle itself (parameter read, event, log record).
    Reported,
    /// Follows from known facts by a firmware rule.
    Inferred,
    /// Follows by a rule, but lies in the future of the moment asked about.
    Predicted,
    /// Taken for granted without evidence.
    Assumed,
    /// Evidence leaves more than one possibility open.
    Uncertain,
}

impl Knowledge {
    /// The word shown to the user.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Known => "known",
            Self::Reported => "reported",
            Self::Inferred => "inferred",
            Self::Predicted => "predicted",
            Self::Assumed => "assumed",
            Self::Uncertain => "uncertain",
        }
    }
}

/// What a step of an explanation is about; the window picks its mark and colour from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StepKind {
    /// A heartbeat of a ground station, usually the last one.
    GroundHeartbeat,
    /// A check that left the vehicle's opinion as it was.
    StillPresent,
    /// The start line of a countdown.
    StartLine,
    /// The vehicle's opinion changed to "absent".
    Absent,
    /// A timer ran out: the link is declared lost.
    Loss,
    /// The vehicle acts.
    Action,
    /// The link is back.
    Regained,
    /// Anything else worth saying.
    Note,
}

/// One numbered sentence of an explanation.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// When, on the ground's timeline.
    pub at: Bounds,
    /// What kind of step it is.
    pub kind: StepKind,
    /// How firmly it stands.
    pub knowledge: Knowledge,
    /// The sentence.
    pub text: String,
    /// Where in the autopilot's source the rule stands, e.g.
    /// `mavlink_receiver.cpp CheckHeartbeats, v1.13 and later`.
    pub source: Option<&'static str>,
}

/// Something that the conclusion rests on and that is not a step in time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Premise {
    /// How firmly it stands.
    pub knowledge: Knowledge,
    /// The sentence.
    pub text: String,
}

/// Why a conclusion holds: the steps in time, and what they rest on.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Explanation {
    /// In order of time.
    pub steps: Vec<Step>,
    /// Premises, firmest first.
    pub premises: Vec<Premise>,
}

impl Explanation {
    /// Adds a premise unless the same sentence is already there.
    pub fn rests_on(&mut self, knowledge: Knowledge, text: impl Into<String>) {
        let text = text.into();
        if !self.premises.iter().any(|p| p.text == text) {
            self.premises.push(Premise { knowledge, text });
        }
    }

    /// The premises that are not certain: what a reader must keep in mind.
    pub fn assumptions(&self) -> impl Iterator<Item = &Premise> {
        self.premises
            .iter()
            .filter(|p| matches!(p.knowledge, Knowledge::Assumed | Knowledge::Uncertain))
    }
}
