//! What went wrong, and what to do about it: one sentence each.

use std::fmt;

use baton_session::{CommandError, SupervisorError, machine::Rejected};
use baton_store::{OpenError, StoreError};

/// How a command ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    Success = 0,
    Failure = 1,
    /// The command line makes no sense.
    Usage = 2,
}

/// A failed command, in words for a person.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) what: String,
    pub(crate) remedy: String,
    pub(crate) exit: Exit,
    /// Nobody is left to read it.
    pub(crate) quiet: bool,
}

impl Failure {
    pub(crate) fn new(what: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self {
            what: what.into(),
            remedy: remedy.into(),
            exit: Exit::Failure,
            quiet: false,
        }
    }

    /// What is shown cannot be written. A reader that has left, such as `head`,
    /// knows why.
    pub(crate) fn output(error: &std::io::Error) -> Self {
        Self {
            quiet: error.kind() == std::io::ErrorKind::BrokenPipe,
            ..Self::new(
                format!("the output cannot be written: {error}"),
                "Whatever was stored is kept; `baton export` shows it.",
            )
        }
    }

    pub(crate) fn usage(what: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self {
            exit: Exit::Usage,
            ..Self::new(what, remedy)
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "baton: {}\n  {}", self.what, self.remedy)
    }
}

const NO_SPACE: &str =
    "Free some space and run the command again: nothing that was stored is lost.";
const RESTORE: &str = "Move the file away to begin a new log, or restore it from a backup.";

impl From<OpenError> for Failure {
    fn from(error: OpenError) -> Self {
        let remedy = match &error {
            OpenError::NoSpace { .. } => NO_SPACE,
            OpenError::ReadOnly { .. } => {
                "Give yourself write permission on the data folder and its files, or choose another with --data-dir."
            }
            OpenError::NotALog { .. } | OpenError::Corrupt { .. } => RESTORE,
            OpenError::Newer { .. } => "Update Baton, or choose another folder with --data-dir.",
            OpenError::Busy { .. } => "Wait until the other process has finished with it.",
            OpenError::MissingFolder { .. }
            | OpenError::Missing { .. }
            | OpenError::OldSqlite { .. }
            | OpenError::Io { .. }
            | OpenError::Database { .. } => {
                "Check the data folder, or choose another with --data-dir."
            }
        };
        Self::new(chain(&error), remedy)
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        let remedy = match &error {
            StoreError::NoSpace { .. } => NO_SPACE,
            StoreError::Corrupt { .. } => RESTORE,
            StoreError::UnknownSession(_) => LIST,
            StoreError::SessionExists(_)
            | StoreError::UnknownHolder(_)
            | StoreError::JournalBackwards { .. }
            | StoreError::UnknownRequest { .. }
            | StoreError::Conflict { .. }
            | StoreError::ReadOnly
            | StoreError::Undecodable { .. }
            | StoreError::UndecodableRow { .. }
            | StoreError::Busy { .. }
            | StoreError::Io { .. }
            | StoreError::Database { .. }
            | StoreError::Closed => "Run the command again; nothing that was stored is lost.",
        };
        Self::new(chain(&error), remedy)
    }
}

const LIST: &str = "`baton sessions` lists the sessions there are.";

impl From<SupervisorError> for Failure {
    fn from(error: SupervisorError) -> Self {
        match error {
            SupervisorError::Store(error) => error.into(),
            SupervisorError::Command(error) => error.into(),
            SupervisorError::UnknownSession(_) => Self::new(error.to_string(), LIST),
            SupervisorError::NoFolder(_) => Self::new(
                error.to_string(),
                "Name a folder that exists with --project.",
            ),
            SupervisorError::NoTranscript { .. } | SupervisorError::Unlisted { .. } => Self::new(
                chain(&error),
                "Check that the folder is the one the session was begun in.",
            ),
            SupervisorError::BegunHere(_) => Self::new(error.to_string(), LIST),
            SupervisorError::CannotFork(_) | SupervisorError::NothingToFork(_) => {
                Self::new(error.to_string(), "Start a new session instead.")
            }
        }
    }
}

impl From<CommandError> for Failure {
    fn from(error: CommandError) -> Self {
        let remedy = match &error {
            CommandError::Store(_) => {
                let CommandError::Store(error) = error else {
                    return Self::new("the event log failed", NO_SPACE);
                };
                return error.into();
            }
            CommandError::Rejected(Rejected::Busy { .. }) => {
                "Wait until the turn has ended, or interrupt it."
            }
            CommandError::Rejected(Rejected::Empty) => "Write a prompt.",
            CommandError::Rejected(Rejected::Ended) => "Start a new session.",
            CommandError::Rejected(_) | CommandError::Agent(_) => {
                "Check the request and try again."
            }
            CommandError::Unreachable(_) => {
                "Run the command again in a moment. If it stays so, end its process and look at `baton doctor`."
            }
            CommandError::NoPlace(_) => {
                "Wait for one to finish, or end one; `baton sessions` lists them."
            }
            CommandError::TooLarge { .. } => "Send less at once, or smaller files.",
            CommandError::Gone => "Look at the error above, then run the command again.",
        };
        Self::new(error.to_string(), remedy)
    }
}

/// An error with its causes, on one line.
pub(crate) fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut next = error.source();
    while let Some(cause) = next {
        let cause_text = cause.to_string();
        // Some libraries repeat their cause in their own words.
        if !text.contains(&cause_text) && !cause_text.starts_with("Error code") {
            text.push_str(": ");
            text.push_str(&cause_text);
        }
        next = cause.source();
    }
    text
}
