//! Processes that cannot be read any more: ended from outside, then recorded.
//!
//! A holder lives on when its journal, its socket or its lock is damaged, or
//! when it stands still. Nobody could read or stop its agent then, so the agent
//! is ended by the marker that it carries. Only after that the log says that it
//! was lost, and only after that another may be started.

use std::{path::Path, time::Duration};

use baton_process::{
    Exit, ExitReport,
    holder::{self, Position, ReadError},
};
use baton_protocol::{HolderId, event::ErrorRaised, words::ErrorCode};
use baton_store::HolderChange;
use tokio::time::Instant;

use super::{Actor, Broken, attached::Attached, batch::Batch};
use crate::machine::{Input, Phase, ProcessEnd};

/// What an earlier owner left comes without longer pauses than this, or not at
/// all.
const READ_ON: Duration = Duration::from_secs(30);

impl Actor {
    /// When the process is looked at, however silent it is.
    pub(super) fn look_at_process_by(&self) -> Option<Instant> {
        let process = self.process.as_ref()?;
        let machine = &self.parts.machine;
        let patience = match (self.caught_up, &machine.facts().phase) {
            (false, _) => Some(READ_ON),
            // The agent may be silent for longer, but its holder answers.
            (true, Phase::Running(_)) => Some(machine.limits().holder_silence),
            (true, Phase::Idle | Phase::Ended { .. }) => None,
        };
        let silent = patience.map(|patience| process.heard + patience);
        silent.into_iter().chain(process.gone_by()).min()
    }

    /// Ends a process that should have ended or spoken by now. Says whether
    /// there was anything to do.
    pub(super) async fn look_at_process(&mut self) -> Result<bool, Broken> {
        let is_due = |due: Instant| due <= Instant::now();
        if !self.look_at_process_by().is_some_and(is_due) {
            return Ok(false);
        }
        let Some(process) = &mut self.process else {
            return Ok(false);
        };
        if process.gone_by().is_some_and(is_due) {
            self.lose("it did not end when it was told to").await?;
        } else if !self.caught_up {
            self.lose("its holder does not give what it has").await?;
        } else if holder::answers(&process.dir).await {
            process.heard = Instant::now();
        } else {
            self.lose("its holder does not answer").await?;
        }
        Ok(true)
    }

    /// What the agent says cannot be read any more. An owner that came after
    /// this one keeps the agent; nobody else can make anything of it.
    pub(super) async fn unreadable(&mut self, error: &ReadError) -> Result<(), Broken> {
        if self.process.is_some() && matches!(error, ReadError::Replaced) {
            return Err(Broken::Unreachable(error.to_string()));
        }
        self.lose(&error.to_string()).await
    }

    async fn lose(&mut self, why: &str) -> Result<(), Broken> {
        let Some(process) = &mut self.process else {
            return Ok(());
        };
        process.lost_because = Some(why.to_owned());
        let (dir, end) = (process.dir.clone(), Position(process.position));
        tracing::warn!(why, "an agent cannot be read; it is ended");
        let leaked = end_by_marker(&dir).await?;
        let report = ExitReport {
            exit: Exit::Lost,
            leaked,
            output_closed: true,
        };
        self.exited(&report, end).await
    }

    /// A process of an earlier owner that cannot be taken up: it is ended, and
    /// its session hears of the loss.
    pub(super) async fn bury(&mut self, id: HolderId, dir: &Path, why: &str) -> Result<(), Broken> {
        tracing::warn!(why, "an agent cannot be taken over; it is ended");
        for ended in end_by_marker(dir).await? {
            tracing::info!(pid = ended.pid, command = %ended.command, "ended what cannot be read");
        }
        let lost = self.lost_process(why).await;
        self.forget(id, Some(lost)).await?;
        self.remove_folder(dir).await;
        Ok(())
    }

    /// A holder of which nothing is left. If it ever ran, its session hears of
    /// the loss; else the turn is begun anew like any that was never begun.
    pub(super) async fn forget(
        &mut self,
        holder: HolderId,
        lost: Option<ProcessEnd>,
    ) -> Result<(), Broken> {
        let moment = self.moment();
        let mut batch = Batch::default();
        if let Some(lost) = lost {
            let told = self.told_of_loss(&lost.how);
            let inputs = told.into_iter().chain([Input::Exited(lost)]);
            for input in inputs {
                if let Ok((_, effects)) = self.parts.machine.step(moment, input) {
                    batch.add_all(effects, moment.now, None);
                }
            }
        }
        batch.holder = Some(HolderChange::Removed { holder });
        self.commit(batch, false).await
    }

    /// The end of a process of which nothing could be read. Whether the agent has
    /// the message its own records tell.
    pub(super) async fn lost_process(&self, why: &str) -> ProcessEnd {
        ProcessEnd {
            exit_code: None,
            how: format!("lost: {why}"),
            lost: true,
            stderr: String::new(),
            watched: false,
            stored: self.stored().await,
        }
    }

    /// A turn that runs ends with an error of its own; without one the loss
    /// would be nowhere in the log.
    pub(super) fn told_of_loss(&self, how: &str) -> Option<Input> {
        let idle = matches!(self.parts.machine.facts().phase, Phase::Idle);
        idle.then(|| {
            Input::Tell(ErrorRaised {
                code: ErrorCode::AgentLost,
                message: format!("the agent's process ended between turns ({how})"),
                hint: Some("Send a message to continue: the conversation so far is kept.".into()),
                retryable: true,
                retry_at: None,
                detail: None,
            })
        })
    }

    pub(super) async fn remove_folder(&self, dir: &Path) {
        if let Err(error) = holder::remove(dir).await {
            tracing::warn!(%error, "a holder's folder could not be removed");
        }
    }
}

impl Attached {
    /// How its end is told, if it was lost.
    pub(super) fn how_it_was_lost(&self) -> String {
        let why = self.lost_because.as_ref();
        why.map_or_else(|| "lost".into(), |why| format!("lost: {why}"))
    }
}

/// Ends all that belongs to a holder's folder. Nothing of it runs afterwards,
/// or a person has to see to it.
pub(super) async fn end_by_marker(dir: &Path) -> Result<Vec<baton_process::LeakedProcess>, Broken> {
    holder::end(dir).await.map_err(|error| {
        Broken::Unreachable(format!(
            "{error}; end it by hand (`kill -9`), then try again"
        ))
    })
}
