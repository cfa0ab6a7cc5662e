//! Errors of the layers below, as clients are told them. The one place.

use baton_protocol::api::{Problem, ProblemCode};
use baton_session::{
    CommandError, Failed, FailedBy, SupervisorError, attachments::AttachmentError,
    machine::Rejected,
};
use baton_store::StoreError;

pub(crate) use baton_session::chain;

use crate::remote::RemoteError;

/// An error of a layer below. Neither it nor [`Problem`] is ours, so that it
/// cannot be `From`.
pub(crate) trait Tellable {
    fn problem(&self) -> Problem;
}

/// Tells a client what went wrong below.
pub(crate) trait Told<T> {
    fn told(self) -> Result<T, Problem>;
}

impl<T, E: Tellable> Told<T> for Result<T, E> {
    fn told(self) -> Result<T, Problem> {
        self.map_err(|error| error.problem())
    }
}

impl Tellable for SupervisorError {
    fn problem(&self) -> Problem {
        let code = match self {
            Self::Store(error) => return error.problem(),
            Self::Command(error) => return error.problem(),
            Self::UnknownSession(_) => ProblemCode::NotFound,
            Self::NoFolder(_) | Self::SecretFolder(_) => {
                return Problem::invalid_project(self.to_string());
            }
            Self::Vault(source) if source.kind() == std::io::ErrorKind::StorageFull => {
                ProblemCode::StorageFull
            }
            Self::Vault(_) => ProblemCode::Storage,
            Self::UnknownMessage(_) | Self::UnknownRow(_) | Self::NoTranscript { .. } => {
                ProblemCode::NotFound
            }
            Self::BadOption(_) => ProblemCode::InvalidRequest,
            Self::TrustChanged(_) => ProblemCode::TrustChanged,
            Self::CannotFork(_)
            | Self::NothingToFork(_)
            | Self::BegunHere(_)
            | Self::TrustTooMuch(_) => ProblemCode::Unsupported,
            Self::Unreadable(_) | Self::Unlisted { .. } => ProblemCode::Internal,
        };
        Problem::new(code, self.to_string())
    }
}

trait ProjectProblem {
    fn invalid_project(detail: String) -> Self;
}

impl ProjectProblem for Problem {
    /// The sentence stands for itself; the field says where it belongs.
    fn invalid_project(detail: String) -> Self {
        Self {
            detail: detail.clone(),
            ..Self::invalid("project", detail)
        }
    }
}

impl Tellable for CommandError {
    fn problem(&self) -> Problem {
        let code = match self {
            Self::Store(error) => return error.problem(),
            Self::Rejected(rejected) => return rejected.problem(),
            Self::NoPlace(full) => {
                let problem = Problem::new(ProblemCode::SessionLimit, self.to_string());
                return Problem {
                    sessions: full.sessions.clone(),
                    ..problem
                };
            }
            Self::Agent(_) => ProblemCode::AgentRefused,
            Self::Unreachable(_) => ProblemCode::AgentUnreachable,
            Self::TooLarge { .. } => ProblemCode::TooLong,
            Self::Gone => ProblemCode::Internal,
        };
        Problem::new(code, self.to_string())
    }
}

impl Tellable for AttachmentError {
    /// The field says what to do about it.
    fn problem(&self) -> Problem {
        let code = match self {
            Self::TooLarge { .. } | Self::TooLargeInAll { .. } => ProblemCode::TooLong,
            Self::TooMany { .. }
            | Self::Mismatch { .. }
            | Self::Damaged { .. }
            | Self::NotText { .. }
            | Self::Remote { .. } => ProblemCode::InvalidRequest,
        };
        Problem {
            code,
            title: code.title().to_owned(),
            detail: self.to_string(),
            status: code.status(),
            ..Problem::invalid("attachments", self.hint())
        }
    }
}

impl Tellable for RemoteError {
    /// The field says what to do about it.
    fn problem(&self) -> Problem {
        let code = match self {
            Self::TooLarge { .. } => ProblemCode::TooLong,
            Self::Address { .. }
            | Self::Host { .. }
            | Self::Lookup { .. }
            | Self::NotPublic { .. }
            | Self::Connect { .. }
            | Self::NoRoots
            | Self::Tls { .. }
            | Self::Redirect { .. }
            | Self::Status { .. }
            | Self::Packed { .. }
            | Self::Broken { .. }
            | Self::TooSlow { .. }
            | Self::NoImage { .. } => ProblemCode::InvalidRequest,
        };
        Problem {
            code,
            title: code.title().to_owned(),
            detail: chain(self),
            status: code.status(),
            ..Problem::invalid("attachments", self.hint())
        }
    }
}

impl Tellable for Rejected {
    fn problem(&self) -> Problem {
        let code = match self {
            Self::Empty => ProblemCode::Empty,
            Self::Busy { .. } => ProblemCode::Busy,
            Self::Ended => ProblemCode::SessionEnded,
            Self::MessageConflict { .. } => ProblemCode::MessageIdConflict,
            Self::NotQueued { .. } => ProblemCode::NotQueued,
            Self::UnknownApproval { .. } | Self::UnknownTask { .. } => ProblemCode::NotFound,
            Self::AlreadyAnswered(_) => ProblemCode::AlreadyAnswered,
            Self::AnswersMissing => ProblemCode::AnswersMissing,
            Self::DeniedByRule { .. } | Self::MentionDenied { .. } => ProblemCode::DeniedByRule,
            Self::BadRule(_) | Self::CannotRemember => ProblemCode::InvalidRequest,
            Self::Unsupported { .. }
            | Self::BypassNotChosen
            | Self::BypassForbidden
            | Self::CommandRefused { .. } => ProblemCode::Unsupported,
            Self::OwnedElsewhere { .. }
            | Self::RunsElsewhere { .. }
            | Self::BeingRead
            | Self::RunsHere => ProblemCode::OwnedElsewhere,
            Self::MemoryLost { .. } => ProblemCode::MemoryLost,
            Self::BudgetSpent { .. } => ProblemCode::BudgetSpent,
        };
        let mut problem = Problem::new(code, self.to_string());
        if let Self::AlreadyAnswered(winner) = self {
            problem.winner = Some(winner.clone());
        }
        problem
    }
}

impl Tellable for StoreError {
    fn problem(&self) -> Problem {
        let code = match self {
            Self::NoSpace { .. } => ProblemCode::StorageFull,
            Self::UnknownSession(_) => ProblemCode::NotFound,
            Self::Closed => ProblemCode::ShuttingDown,
            Self::Corrupt { .. }
            | Self::SessionExists(_)
            | Self::UnknownHolder(_)
            | Self::JournalBackwards { .. }
            | Self::UnknownRequest { .. }
            | Self::Conflict { .. }
            | Self::ReadOnly
            | Self::Undecodable { .. }
            | Self::UndecodableRow { .. }
            | Self::Busy { .. }
            | Self::Io { .. }
            | Self::Database { .. } => ProblemCode::Storage,
        };
        Problem::new(code, chain(self))
    }
}

/// A session's task gave up.
pub(crate) fn of_stopped(failed: &Failed) -> Problem {
    let code = match failed.by {
        FailedBy::NoSpace => ProblemCode::StorageFull,
        FailedBy::Unreachable => ProblemCode::AgentUnreachable,
        FailedBy::Storage => ProblemCode::Storage,
    };
    Problem::new(code, format!("the session stopped: {}", failed.text))
}

/// A session that was told to end and has not; its task may have given up.
pub(crate) fn of_lasting(failed: Option<&Failed>) -> Problem {
    failed.map_or_else(
        || {
            let detail = "the session is to end, and its agent has not ended yet; try again";
            Problem::new(ProblemCode::AgentUnreachable, detail)
        },
        of_stopped,
    )
}
