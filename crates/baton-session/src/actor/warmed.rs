//! A process that was started before its session.
//!
//! It was started as the session's first process would be, and told nothing but
//! to come up. When the session needs its first process, that is looked at anew:
//! only one that was started in exactly that way is taken up, and everything it
//! said is read from its first word on. The log is as if it had been started
//! then.

use std::path::PathBuf;

use baton_process::holder::{self, HolderReader, HolderWriter, Position};
use baton_protocol::HolderId;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::{Actor, Broken, attached::Attached, process::Grounds};
use crate::{
    agents::{AgentKind, Launch, StartFiles, Translator},
    host::Caller,
    machine::Input,
    world::Step,
};

/// How a session would be started.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Rehearsed {
    pub(crate) launch: Launch,
    /// What its program reads when it comes up, as it lies there.
    pub(crate) files: StartFiles,
}

/// A process that waits for its session. Dropped, it is ended.
#[derive(Debug)]
pub(crate) struct Waiting {
    pub(crate) holder: HolderId,
    pub(crate) dir: PathBuf,
    pub(crate) pid: Option<i32>,
    /// The agent's own name for the conversation.
    pub(crate) agent_session_id: Option<String>,
    pub(crate) rehearsed: Rehearsed,
    /// The request that it was sent to come up.
    pub(crate) initialize: String,
    /// Ends it.
    pub(crate) close: CancellationToken,
    /// Tells who keeps it that somebody else does now.
    pub(crate) taken: CancellationToken,
    /// Closed once nothing is left of it.
    pub(crate) gone: watch::Receiver<()>,
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.close.cancel();
    }
}

impl Waiting {
    /// Ends it and waits until nothing is left of it: the next process has the
    /// same name for the conversation.
    pub(crate) async fn end(mut self) {
        self.close.cancel();
        while self.gone.changed().await.is_ok() {}
    }
}

/// The way to a process.
pub(crate) type HolderLink = (HolderReader, HolderWriter);

impl Actor {
    /// What would be started for this session, if it may be before anything is
    /// said: not where something is left out until a person has looked at it,
    /// nor where coming up runs something.
    pub(crate) async fn rehearse(&mut self, holder: HolderId) -> Result<Option<Rehearsed>, Broken> {
        self.rehearses = true;
        self.look_at_spending().await?;
        let files = self.start_files().await;
        let grounds = self.grounds().await?;
        let untrusted = self.folder.foreign || !self.left_out.is_empty();
        if untrusted
            || self
                .parts
                .machine
                .allowance()
                .is_some_and(|left| left <= 0.0)
        {
            return Ok(None);
        }
        let (home, cwd) = (std::sync::Arc::clone(&self.parts.home), self.cwd());
        let accepted = grounds.accepted.clone();
        let acts = move || home.acts_at_start(accepted.as_ref(), &cwd);
        if tokio::task::spawn_blocking(acts).await.unwrap_or(true) {
            return Ok(None);
        }
        let launch = self.launch(&grounds, holder).ok();
        Ok(launch.map(|launch| Rehearsed { launch, files }))
    }

    async fn start_files(&self) -> StartFiles {
        let (home, cwd) = (std::sync::Arc::clone(&self.parts.home), self.cwd());
        let kind = self.agent().unwrap_or_default();
        let look = move || home.start_files(kind, &cwd);
        tokio::task::spawn_blocking(look).await.unwrap_or_default()
    }

    /// The process that waits, if it is the one that would be started now, with
    /// the way to it. Any other is ended first.
    pub(super) async fn fitting(&mut self, grounds: &Grounds) -> Option<(Waiting, HolderLink)> {
        let warmed = self.parts.warmed.take()?;
        let now = self.launch(grounds, warmed.holder).ok();
        let now = match now {
            Some(launch) => Some(Rehearsed {
                launch,
                files: self.start_files().await,
            }),
            None => None,
        };
        if now.as_ref() == Some(&warmed.rehearsed) && !warmed.close.is_cancelled() {
            match holder::attach(&warmed.dir, Position(0)).await {
                Ok(link) if link.1.agent_pid().is_some() => return Some((warmed, link)),
                Ok(_) => {}
                Err(error) => tracing::warn!(%error, "a process that waited cannot be taken up"),
            }
        }
        tracing::debug!("the process that waited is not what is to be started");
        warmed.end().await;
        None
    }

    /// Goes on with a process that waited. The log knows of it, so from here on
    /// it outlives its owner like any other.
    pub(super) async fn take_up(
        &mut self,
        warmed: Waiting,
        kind: AgentKind,
        (reader, mut writer): HolderLink,
    ) {
        self.parts.reaches(Step::Start);
        writer.free().await;
        warmed.taken.cancel();
        self.parts.reaches(Step::Attach);
        let mut translator = Translator::new(kind, self.parts.machine.facts());
        let mut known = Vec::new();
        translator.begun(&mut known);
        self.pending.extend(known.into_iter().map(Input::Agent));
        // It was told so when it was started.
        translator.command(&self.initialization(warmed.initialize.clone()));
        let (holder, dir) = (warmed.holder, warmed.dir.clone());
        let from = Position(0);
        let process = Attached::new(holder, dir, translator, from, (reader, writer));
        self.process = Some(process);
    }

    /// Who asks, where a process asks its host before it is a session's.
    pub(crate) fn as_caller(&self) -> Caller {
        Caller {
            session: self.parts.id,
            cwd: self.cwd(),
            project: self.project_folder(),
            withheld: self.withheld(),
        }
    }

    /// Whether this is the process that waits for this session.
    pub(super) fn is_warmed(&self, pid: i32) -> bool {
        let warmed = self.parts.warmed.as_ref();
        warmed.is_some_and(|warmed| warmed.pid == Some(pid))
    }
}
