//! Errors of the layers below, as clients are told them. The one place.

use baton_protocol::api::{Problem, ProblemCode};
use baton_session::{
    CommandError, Failed, FailedBy, SupervisorError, attachments::AttachmentError,
    machine::Rejected,
};
use baton_store::StoreError;

use crate::remote::RemoteError;

pub(crate) fn of_supervisor(error: SupervisorError) -> Problem {
    let code = match error {
        SupervisorError::Store(error) => return of_store(&error),
        SupervisorError::Command(error) => return of_command(error),
        SupervisorError::UnknownSession(_) => ProblemCode::NotFound,
        SupervisorError::NoFolder(_) | SupervisorError::SecretFolder(_) => {
            return Problem::invalid_project(error.to_string());
        }
        SupervisorError::Vault(ref source) if source.kind() == std::io::ErrorKind::StorageFull => {
            ProblemCode::StorageFull
        }
        SupervisorError::Vault(_) => ProblemCode::Storage,
        SupervisorError::UnknownMessage(_)
        | SupervisorError::UnknownRow(_)
        | SupervisorError::NoTranscript { .. } => ProblemCode::NotFound,
        SupervisorError::BadOption(_) => ProblemCode::InvalidRequest,
        SupervisorError::TrustChanged(_) => ProblemCode::TrustChanged,
        SupervisorError::CannotFork(_)
        | SupervisorError::NothingToFork(_)
        | SupervisorError::BegunHere(_)
        | SupervisorError::TrustTooMuch(_) => ProblemCode::Unsupported,
        SupervisorError::Unreadable(_) | SupervisorError::Unlisted { .. } => ProblemCode::Internal,
    };
    Problem::new(code, error.to_string())
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

pub(crate) fn of_command(error: CommandError) -> Problem {
    let code = match error {
        CommandError::Store(error) => return of_store(&error),
        CommandError::Rejected(rejected) => return of_rejected(rejected),
        CommandError::NoPlace(ref full) => {
            let problem = Problem::new(ProblemCode::SessionLimit, error.to_string());
            return Problem {
                sessions: full.sessions.clone(),
                ..problem
            };
        }
        CommandError::Agent(_) => ProblemCode::AgentRefused,
        CommandError::Unreachable(_) => ProblemCode::AgentUnreachable,
        CommandError::TooLarge { .. } => ProblemCode::TooLong,
        CommandError::Gone => ProblemCode::Internal,
    };
    Problem::new(code, error.to_string())
}

/// The field says what to do about it.
pub(crate) fn of_attachment(error: &AttachmentError) -> Problem {
    let code = match error {
        AttachmentError::TooLarge { .. } | AttachmentError::TooLargeInAll { .. } => {
            ProblemCode::TooLong
        }
        AttachmentError::TooMany { .. }
        | AttachmentError::Mismatch { .. }
        | AttachmentError::Damaged { .. }
        | AttachmentError::NotText { .. }
        | AttachmentError::Remote { .. } => ProblemCode::InvalidRequest,
    };
    Problem {
        code,
        title: code.title().to_owned(),
        detail: error.to_string(),
        status: code.status(),
        ..Problem::invalid("attachments", error.hint())
    }
}

/// The field says what to do about it.
pub(crate) fn of_remote(error: &RemoteError) -> Problem {
    let code = match error {
        RemoteError::TooLarge { .. } => ProblemCode::TooLong,
        RemoteError::Address { .. }
        | RemoteError::Host { .. }
        | RemoteError::Lookup { .. }
        | RemoteError::NotPublic { .. }
        | RemoteError::Connect { .. }
        | RemoteError::NoRoots
        | RemoteError::Tls { .. }
        | RemoteError::Redirect { .. }
        | RemoteError::Status { .. }
        | RemoteError::Packed { .. }
        | RemoteError::Broken { .. }
        | RemoteError::TooSlow { .. }
        | RemoteError::NoImage { .. } => ProblemCode::InvalidRequest,
    };
    Problem {
        code,
        title: code.title().to_owned(),
        detail: chain(error),
        status: code.status(),
        ..Problem::invalid("attachments", error.hint())
    }
}

fn of_rejected(rejected: Rejected) -> Problem {
    let code = match &rejected {
        Rejected::Empty => ProblemCode::Empty,
        Rejected::Busy { .. } => ProblemCode::Busy,
        Rejected::Ended => ProblemCode::SessionEnded,
        Rejected::MessageConflict { .. } => ProblemCode::MessageIdConflict,
        Rejected::NotQueued { .. } => ProblemCode::NotQueued,
        Rejected::UnknownApproval { .. } | Rejected::UnknownTask { .. } => ProblemCode::NotFound,
        Rejected::AlreadyAnswered(_) => ProblemCode::AlreadyAnswered,
        Rejected::AnswersMissing => ProblemCode::AnswersMissing,
        Rejected::DeniedByRule { .. } | Rejected::MentionDenied { .. } => ProblemCode::DeniedByRule,
        Rejected::BadRule(_) | Rejected::CannotRemember => ProblemCode::InvalidRequest,
        Rejected::Unsupported { .. }
        | Rejected::BypassNotChosen
        | Rejected::BypassForbidden
        | Rejected::CommandRefused { .. } => ProblemCode::Unsupported,
        Rejected::OwnedElsewhere { .. }
        | Rejected::RunsElsewhere { .. }
        | Rejected::BeingRead
        | Rejected::RunsHere => ProblemCode::OwnedElsewhere,
        Rejected::MemoryLost { .. } => ProblemCode::MemoryLost,
        Rejected::BudgetSpent { .. } => ProblemCode::BudgetSpent,
    };
    let mut problem = Problem::new(code, rejected.to_string());
    if let Rejected::AlreadyAnswered(winner) = rejected {
        problem.winner = Some(winner);
    }
    problem
}

pub(crate) fn of_store(error: &StoreError) -> Problem {
    let code = match error {
        StoreError::NoSpace { .. } => ProblemCode::StorageFull,
        StoreError::UnknownSession(_) => ProblemCode::NotFound,
        StoreError::Closed => ProblemCode::ShuttingDown,
        StoreError::Corrupt { .. }
        | StoreError::SessionExists(_)
        | StoreError::UnknownHolder(_)
        | StoreError::JournalBackwards { .. }
        | StoreError::UnknownRequest { .. }
        | StoreError::Conflict { .. }
        | StoreError::ReadOnly
        | StoreError::Undecodable { .. }
        | StoreError::UndecodableRow { .. }
        | StoreError::Busy { .. }
        | StoreError::Io { .. }
        | StoreError::Database { .. } => ProblemCode::Storage,
    };
    Problem::new(code, chain(error))
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

/// An error with its causes, on one line.
pub(crate) fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut next = error.source();
    while let Some(cause) = next {
        let cause_text = cause.to_string();
        if !text.contains(&cause_text) && !cause_text.starts_with("Error code") {
            text.push_str(": ");
            text.push_str(&cause_text);
        }
        next = cause.source();
    }
    text
}
