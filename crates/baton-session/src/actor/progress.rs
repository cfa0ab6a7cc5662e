//! What others may watch of a session's task.

use baton_store::StoreError;

use super::Broken;

/// How far a session's task has come; anyone may watch.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Progress {
    /// Everything an earlier owner left in the journal is in the log.
    pub caught_up: bool,
    pub has_process: bool,
    /// The agent has yet to be told something: it is not up, or has not taken
    /// the turn's message.
    pub owes: bool,
    /// The process has been told to finish, and nothing is left for it to do.
    pub closing: bool,
    /// The session has ended; its task goes then.
    pub ended: bool,
    /// The task ended because of this.
    pub failed: Option<Failed>,
}

/// Why a session's task gave up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failed {
    pub by: FailedBy,
    pub text: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailedBy {
    /// The disk of the log is full.
    NoSpace,
    /// The log did not take it for another reason.
    Storage,
    /// The agent lives and cannot be reached.
    Unreachable,
}

impl From<Broken> for Failed {
    fn from(broken: Broken) -> Self {
        match broken {
            Broken::Store(error) => Self {
                by: if matches!(error, StoreError::NoSpace { .. }) {
                    FailedBy::NoSpace
                } else {
                    FailedBy::Storage
                },
                text: error.to_string(),
            },
            Broken::Unreachable(_) => Self {
                by: FailedBy::Unreachable,
                text: broken.to_string(),
            },
        }
    }
}

impl Progress {
    pub(crate) const fn has_failed(&self) -> bool {
        self.failed.is_some()
    }
}
