//! Where the agent's life stands, and what its deadlines ask for.
//!
//! Pure: moments come in, [`Act`]s go out.

use std::time::Duration;

use super::poll::{Moment, after};
use crate::exit::{Exit, ExitReport};

/// Between two kills of an agent that does not die.
const KILL_AGAIN: Duration = Duration::from_secs(1);

/// Each variant holds exactly what is true in it.
#[derive(Debug)]
pub(super) enum Stage {
    Running,
    /// Stdin closes as soon as it is drained; the agent may end by itself.
    ClosingStdin {
        grace: Duration,
        until: Moment,
    },
    /// SIGTERM was sent.
    Terminating {
        until: Moment,
    },
    /// SIGKILL was sent.
    Killing {
        until: Moment,
    },
    /// The agent has ended; pipes and descendants get a little time.
    Draining {
        exit: Exit,
        until: Moment,
    },
    /// Descendants are gone; what stands in the pipes is taken.
    Emptying {
        report: ExitReport,
    },
    /// The exit record is on its way to the disk.
    Recording,
}

/// What a deadline asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Act {
    Terminate,
    Kill,
    Sweep(Exit),
}

impl Stage {
    /// Begins to stop, or shortens a stop that is under way.
    pub(super) fn stop(&mut self, now: Moment, grace: Duration) {
        let sooner = after(now, grace);
        match self {
            Self::Running => {
                *self = Self::ClosingStdin {
                    grace,
                    until: sooner,
                };
            }
            Self::ClosingStdin { grace: old, until } => {
                *old = grace.min(*old);
                *until = sooner.min(*until);
            }
            Self::Terminating { until } => *until = sooner.min(*until),
            Self::Killing { .. }
            | Self::Draining { .. }
            | Self::Emptying { .. }
            | Self::Recording => {}
        }
    }

    pub(super) fn is_stopping(&self) -> bool {
        !matches!(self, Self::Running)
    }

    /// The agent still lives, as far as is known.
    pub(super) fn is_alive(&self) -> bool {
        match self {
            Self::Running
            | Self::ClosingStdin { .. }
            | Self::Terminating { .. }
            | Self::Killing { .. } => true,
            Self::Draining { .. } | Self::Emptying { .. } | Self::Recording => false,
        }
    }

    pub(super) fn deadline(&self) -> Option<Moment> {
        match self {
            Self::ClosingStdin { until, .. }
            | Self::Terminating { until }
            | Self::Killing { until }
            | Self::Draining { until, .. } => Some(*until),
            Self::Running | Self::Emptying { .. } | Self::Recording => None,
        }
    }

    /// Moves on when the deadline has come.
    pub(super) fn tick(&mut self, now: Moment) -> Option<Act> {
        if self.deadline().is_none_or(|until| now < until) {
            return None;
        }
        match self {
            Self::ClosingStdin { grace, .. } => {
                *self = Self::Terminating {
                    until: after(now, *grace),
                };
                Some(Act::Terminate)
            }
            Self::Terminating { .. } | Self::Killing { .. } => {
                *self = Self::Killing {
                    until: now + KILL_AGAIN,
                };
                Some(Act::Kill)
            }
            Self::Draining { exit, .. } => Some(Act::Sweep(*exit)),
            Self::Running | Self::Emptying { .. } | Self::Recording => None,
        }
    }
}
