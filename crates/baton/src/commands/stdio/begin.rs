//! The session of a conversation: made anew, or gone on with.

use std::{
    fs::{File, TryLockError},
    path::{Path, PathBuf},
};

use baton_protocol::Seq;
use baton_session::{
    NewSessionSpec, SessionHandle, StillRuns, Supervisor, TakeUp, agents::AgentKind,
};
use baton_stdio::messages::Error;
use uuid::Uuid;

use super::wanted::{Wanted, usage};
use crate::{failure::Failure, setup::Setup};

/// The agent that was asked for. Nobody gets another one unasked.
pub(super) fn agent(setup: &Setup, wanted: &Wanted) -> Result<AgentKind, Failure> {
    let first = AgentKind::ALL.first().copied();
    let kind = wanted.agent.or(first).unwrap_or_default();
    let found = setup.agents.program(kind);
    if found.is_some_and(Path::is_file) {
        return Ok(kind);
    }
    let what = match (setup.agents.looked_for(kind), found) {
        ((Some(setting), name), Some(path)) => format!(
            "the {name} program that {setting} names is not there: {}",
            path.display()
        ),
        ((_, name), _) => format!("no program {name} is on the PATH"),
    };
    Err(Failure::new(what, kind.install()))
}

/// Keeps others from going on with the same conversation at the same time.
/// Its transcript is the one thing that all who would do so have in common,
/// wherever their logs are. The agent itself says that it runs only a moment
/// after its start.
pub(super) struct Hold {
    _transcripts: Vec<File>,
}

impl Hold {
    /// Holds a conversation that is gone on with in place.
    pub(super) fn on(
        setup: &Setup,
        wanted: &Wanted,
        kind: AgentKind,
    ) -> Result<Option<Self>, Failure> {
        let options = &wanted.options;
        let Some(conversation) = options.resume.filter(|_| !options.fork) else {
            return Ok(None);
        };
        let mut held = Vec::new();
        for path in setup.agents.transcripts(kind, conversation) {
            // One that cannot be opened or locked at all stands in nobody's way.
            let Ok(file) = File::open(&path) else {
                continue;
            };
            match file.try_lock() {
                Ok(()) => held.push(file),
                Err(TryLockError::WouldBlock) => return Err(taken(conversation)),
                Err(TryLockError::Error(error)) => {
                    tracing::warn!(%error, "{} cannot be locked", path.display());
                }
            }
        }
        Ok(Some(Self { _transcripts: held }))
    }
}

fn taken(conversation: Uuid) -> Failure {
    Failure::new(
        format!("another baton goes on with the conversation {conversation}"),
        "Wait until it has ended, or go on in a copy with --fork.",
    )
}

pub(super) async fn begin(
    supervisor: &Supervisor,
    wanted: &Wanted,
    agent: AgentKind,
) -> Result<(SessionHandle, Seq, Vec<Error>), Failure> {
    let options = &wanted.options;
    let spec = NewSessionSpec {
        agent,
        cwd: PathBuf::from(&wanted.folder),
        project: wanted.project.clone(),
        title: None,
        runtime: None,
        options: options.session.clone(),
    };
    let begun = |session| (session, Seq::START, Vec::new());
    let Some(conversation) = options.resume else {
        return Ok(begun(supervisor.create(spec).await?));
    };
    if options.fork {
        let forked = supervisor.take_up(spec, conversation, TakeUp::Fork);
        return Ok(begun(forked.await?));
    }
    // One that this log knows goes on where it ended.
    let known = vec![conversation.to_string()];
    let known = supervisor.store().sessions_by_agent_session(known).await?;
    let Some(row) = known.last() else {
        let session = supervisor.take_up(spec, conversation, TakeUp::Continue);
        return Ok(begun(session.await?));
    };
    if let Some(folder) = row.cwd.as_ref().filter(|cwd| **cwd != wanted.folder) {
        return Err(usage(format!(
            "--cwd: the conversation works in {folder}, which cannot change"
        )));
    }
    let head = supervisor.store().head(row.id).await?;
    let resumed = supervisor.resume_with(row.id, agent, spec.options).await?;
    let warnings = match resumed.1 {
        StillRuns::Not => Vec::new(),
        StillRuns::WithTheOld => vec![late_flags()],
    };
    Ok((resumed.0, head, warnings))
}

/// Said of a conversation that another owner of the log left at work.
fn late_flags() -> Error {
    Error {
        code: "late_flags".into(),
        message: "the conversation is still at work with the flags of an earlier start; these ones count from its next message on".into(),
        hint: Some("Interrupt it to have them count at once.".into()),
        fatal: false,
        retryable: None,
        retry_at: None,
        detail: None,
        request_id: None,
        message_id: None,
    }
}
