//! Beginning what waits: a place for its process first, then a look at its
//! folder and at what was spent, then the turn.

use baton_protocol::{
    Event,
    event::Notification,
    words::{ErrorCode, Remedy},
};

use super::{Actor, Broken};
use crate::{
    agents::AgentOutput,
    machine::{Input, Phase, Rejected, Trouble},
    pool::{IdleSince, NoPlace},
};

impl Actor {
    /// Begins what the machine wants to begin, unless every place is taken; it
    /// is tried again when one may be had. Says whether anything was done.
    pub(super) async fn begin(&mut self) -> Result<bool, Broken> {
        if !self.caught_up || !self.parts.machine.wants_to_begin() {
            self.room = None;
            return Ok(false);
        }
        if !self.parts.machine.has_process() {
            // Looked at before the place is asked for, or one that becomes free
            // right after would be missed.
            let room = self.parts.pool.room();
            let (session, project) = (self.parts.id, self.project());
            self.told_pool = None;
            if let Err(full) = self.parts.pool.take(session, project, &self.parts.inbox) {
                // It must not take up room that others wait for.
                self.parts.warmed = None;
                let told = self.room.replace(room).is_some();
                if !told {
                    self.tell_of_wait(&full).await?;
                }
                return Ok(false);
            }
        }
        self.room = None;
        self.look_beside().await?;
        if self.wait_for_owner().await? {
            return Ok(true);
        }
        if let Some(rejected) = self.recall(None).await? {
            self.cannot_go_on(&rejected).await?;
            return Ok(true);
        }
        self.look_at_spending().await?;
        self.heed_day();
        self.heed_folder().await?;
        self.step_alone(Input::Begin).await?;
        Ok(true)
    }

    /// A turn that lost its process ends here; what has not begun waits.
    async fn cannot_go_on(&mut self, rejected: &Rejected) -> Result<(), Broken> {
        if matches!(self.parts.machine.facts().phase, Phase::Running(_)) {
            let trouble = Trouble {
                code: ErrorCode::AgentRefused,
                message: rejected.to_string(),
                hint: None,
                detail: None,
            };
            self.step_alone(Input::StartFailed(trouble)).await?;
        }
        Ok(())
    }

    /// Looks at all that an input depends on which may give the agent something
    /// to do. Says why it may not.
    pub(super) async fn may_start(
        &mut self,
        input: &Input,
        memory: Option<Remedy>,
    ) -> Result<Option<Rejected>, Broken> {
        let begins = self.parts.machine.may_begin(input);
        if begins {
            self.look_beside().await?;
        }
        let chooses = *input == Input::ChooseMemory;
        if (begins || chooses || asks_agent(input))
            && let Some(rejected) = self.recall(memory).await?
        {
            return Ok(Some(rejected));
        }
        if begins {
            self.heed_day();
            self.heed_folder().await?;
        }
        Ok(None)
    }

    async fn tell_of_wait(&mut self, full: &NoPlace) -> Result<(), Broken> {
        let told = AgentOutput::Event {
            event: Event::Notification(Notification {
                title: Some("Waiting for a place".into()),
                message: format!("{full}. The next turn begins when one of them is free."),
                kind: "session_limit".into(),
            }),
            agent_id: None,
        };
        self.step_alone(Input::Agent(told)).await
    }

    /// An approval that is no longer open may have been answered: the log knows.
    pub(super) async fn who_answered(&self, rejected: Rejected) -> Result<Rejected, Broken> {
        let Rejected::UnknownApproval { approval } = rejected else {
            return Ok(rejected);
        };
        let record = self.parts.store.approval(approval).await?;
        let record = record.filter(|record| record.session == self.parts.id);
        let winner = record.and_then(|record| record.resolved);
        Ok(match winner {
            Some(winner) => Rejected::AlreadyAnswered(Box::new(winner)),
            None => rejected,
        })
    }

    /// A place for the process that an input would start. The day's costs are
    /// looked up on the same occasion.
    pub(super) async fn take_place(
        &mut self,
        input: &Input,
    ) -> Result<Result<(), NoPlace>, Broken> {
        let sends = self.parts.machine.may_begin(input);
        if sends {
            self.look_at_spending().await?;
        }
        let starts = sends || asks_agent(input);
        let over = self.parts.machine.has_ended() && *input != Input::Resume;
        if !starts || self.parts.machine.has_process() || over {
            return Ok(Ok(()));
        }
        let (session, project) = (self.parts.id, self.project());
        self.told_pool = None;
        Ok(self.parts.pool.take(session, project, &self.parts.inbox))
    }

    /// Before anyone can see that a session is at rest, its place is known to
    /// be one that can be had.
    pub(super) fn tell_pool(&mut self) {
        let idle = self.parts.machine.is_evictable();
        // One on its way out leaves its place to the next.
        let machine = &self.parts.machine;
        let has_process = machine.has_process() && !machine.is_closing();
        // Every token comes by here.
        if self.told_pool.replace((has_process, idle)) == Some((has_process, idle)) {
            return;
        }
        let idle = IdleSince(idle.then(|| self.parts.world.now()));
        let (session, project) = (self.parts.id, self.project());
        let process = has_process.then_some(idle);
        self.parts
            .pool
            .update(session, project, &self.parts.inbox, process);
    }
}

/// Whether an input is a question to the agent, which starts it if need be.
fn asks_agent(input: &Input) -> bool {
    matches!(
        input,
        Input::Rewind { .. } | Input::ContextUsage | Input::McpStatus
    )
}
