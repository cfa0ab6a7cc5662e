//! What went wrong, and what to do about it: one sentence each.

use std::fmt;

use baton_protocol::api::{FieldError, Problem, ProblemCode};
use baton_session::SupervisorError;
pub(crate) use baton_session::chain;
use baton_store::{OpenError, StoreError};

/// How a command ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    Success = 0,
    Failure = 1,
    /// The command line makes no sense.
    Usage = 2,
    /// The agent asks for permission, and nobody here can answer.
    Asked = 3,
}

/// A failed command, in words for a person.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) what: String,
    pub(crate) remedy: String,
    pub(crate) exit: Exit,
    /// Nobody is left to read it.
    pub(crate) quiet: bool,
    /// What it is for a program, if the daemon said.
    pub(crate) code: Option<ProblemCode>,
}

impl Failure {
    pub(crate) fn new(what: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self {
            what: what.into(),
            remedy: remedy.into(),
            exit: Exit::Failure,
            quiet: false,
            code: None,
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

impl Failure {
    /// For a program that asked for JSON.
    pub(crate) fn json(&self) -> serde_json::Value {
        let (code, title) = match (self.code, self.exit) {
            (Some(code), _) => (code.as_str(), code.title()),
            (None, Exit::Usage) => ("usage", "The command line makes no sense"),
            (None, Exit::Asked) => ("approval_waits", "An approval waits for an answer"),
            (None, Exit::Failure | Exit::Success) => ("failed", "The command failed"),
        };
        serde_json::json!({"error": {
            "code": code, "title": title, "detail": self.what, "remedy": self.remedy,
        }})
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Lines that came with an argument or from elsewhere are told from ours.
        let what = self.what.replace('\n', "\n  ");
        write!(f, "baton: {what}\n  {}", self.remedy.replace('\n', "\n  "))
    }
}

const NO_SPACE: &str =
    "Free some space and run the command again: nothing that was stored is lost.";
const RESTORE: &str =
    "Restore it from a backup, or begin a new log in another folder with --data-dir.";

impl From<OpenError> for Failure {
    fn from(error: OpenError) -> Self {
        let remedy = match &error {
            OpenError::NoSpace { .. } => NO_SPACE,
            OpenError::ReadOnly { .. } => {
                "Give yourself write permission on the data folder and its files, or choose another with --data-dir."
            }
            OpenError::NotALog { .. } | OpenError::Corrupt { .. } => RESTORE,
            OpenError::Lost { .. } => {
                "Nothing was changed. Put the file or a backup of it back, or begin a new log in another folder with --data-dir."
            }
            OpenError::DamagedWal { .. } => {
                "Nothing was changed. Copy the data folder, then restore a backup, or move the damaged file away to go on without what was said last."
            }
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
            SupervisorError::Command(_)
            | SupervisorError::UnknownSession(_)
            | SupervisorError::NoFolder(_)
            | SupervisorError::SecretFolder(_)
            | SupervisorError::Vault(_)
            | SupervisorError::CannotFork(_)
            | SupervisorError::NothingToFork(_)
            | SupervisorError::BadOption(_)
            | SupervisorError::Unreadable(_)
            | SupervisorError::TrustChanged(_)
            | SupervisorError::TrustTooMuch(_)
            | SupervisorError::UnknownMessage(_)
            | SupervisorError::UnknownRow(_) => Self::new(
                chain(&error),
                "Run the command again; nothing that was stored is lost.",
            ),
            SupervisorError::NoTranscript { .. } | SupervisorError::Unlisted { .. } => Self::new(
                chain(&error),
                "Check that the folder is the one the session was begun in.",
            ),
            SupervisorError::BegunHere(_) => Self::new(error.to_string(), LIST),
        }
    }
}

impl From<Problem> for Failure {
    #[expect(clippy::too_many_lines, reason = "one remedy for each kind of problem")]
    fn from(problem: Problem) -> Self {
        // What is wrong with files is told together with what to do.
        if let Some(files) = field(&problem, "attachments") {
            return Self::usage(problem.detail.clone(), files.message.clone());
        }
        let remedy = match problem.code {
            ProblemCode::NotFound if is_about(&problem, "project") => {
                "`baton projects` lists the projects there are, and `baton add` adds one."
            }
            ProblemCode::NotFound => LIST,
            ProblemCode::InvalidRequest if is_about(&problem, "project") => {
                "Name a folder that exists with --project."
            }
            ProblemCode::Empty => "Write a prompt.",
            ProblemCode::Busy => {
                "Wait until the turn has ended, stop it with `baton interrupt`, or let the message wait with `baton send --queue`."
            }
            ProblemCode::OwnedElsewhere => {
                "Watch it with `baton watch`. To go on here, end the process that has it and send the message again."
            }
            ProblemCode::MemoryLost => {
                "Send it with `--memory log` to give the agent what Baton's log has of it, or with `--memory none` to go on without."
            }
            ProblemCode::SessionEnded => {
                "Send it a message with `baton send`, which takes it up again, or use `baton resume`."
            }
            ProblemCode::SessionRunning => "End it first with `baton end`.",
            ProblemCode::DeniedByRule => "Change the input, or remove the rule first.",
            ProblemCode::TrustChanged => "Look at it again with `baton trust`.",
            ProblemCode::BudgetSpent => {
                "Raise a session's budget with `baton budget SESSION AMOUNT`; the day's is agent.budgetUsdPerDay."
            }
            ProblemCode::MessageIdConflict => "Choose another message id.",
            ProblemCode::NotQueued => "It may have begun already; `baton watch` shows it.",
            ProblemCode::AlreadyAnswered => {
                "The first answer counts; `baton watch` shows what became of it."
            }
            ProblemCode::AnswersMissing => {
                "Answer each question with --answer 'QUESTION=ANSWER', or decline with `baton deny`."
            }
            ProblemCode::TooLong | ProblemCode::TooMany => {
                "Send less at once, smaller files, or a long text as a file (--attach)."
            }
            ProblemCode::AgentUnreachable => {
                "Run the command again in a moment. If it stays so, end its process and look at `baton doctor`."
            }
            ProblemCode::SessionLimit => "End one of these sessions with `baton end`.",
            ProblemCode::ShuttingDown => "Run the command again once it has stopped.",
            ProblemCode::NotReady => "`baton doctor` says what is missing.",
            ProblemCode::StorageFull => NO_SPACE,
            ProblemCode::Storage => {
                "`baton doctor` checks the event log; restore it from a backup if it is damaged."
            }
            ProblemCode::TooManyAttempts => "Wait, or sign in with a link: `baton link` makes one.",
            ProblemCode::Unauthorized | ProblemCode::Forbidden => {
                "Run the command as the user that runs the daemon."
            }
            ProblemCode::BadJson
            | ProblemCode::UnknownCommand
            | ProblemCode::WrongHost
            | ProblemCode::ForeignOrigin
            | ProblemCode::MethodNotAllowed
            | ProblemCode::UnsupportedMediaType
            | ProblemCode::RequestTimeout => {
                "The daemon may be of another version: run `baton restart`."
            }
            ProblemCode::InvalidRequest => {
                "Change what is named here; the command's --help shows what it takes."
            }
            ProblemCode::Unsupported => {
                "It cannot be done in this session as it is; the reason is named above."
            }
            ProblemCode::AgentRefused => {
                "The agent said no; `baton watch` shows what the session does now."
            }
            ProblemCode::Internal => {
                "What was stored is kept. `baton status` says where the daemon's log is; please report it."
            }
            ProblemCode::Unknown => "The daemon may be of another version: run `baton restart`.",
        };
        Self {
            code: Some(problem.code),
            ..Self::new(format!("{}{}", problem.detail, holders(&problem)), remedy)
        }
    }
}

/// Who holds the places, where there are no more.
fn holders(problem: &Problem) -> String {
    let names: Vec<String> = problem.sessions.iter().map(ToString::to_string).collect();
    if names.is_empty() {
        return String::new();
    }
    format!(": {}", names.join(", "))
}

fn is_about(problem: &Problem, name: &str) -> bool {
    field(problem, name).is_some()
}

fn field<'a>(problem: &'a Problem, name: &str) -> Option<&'a FieldError> {
    problem.errors.iter().find(|error| error.field == name)
}
