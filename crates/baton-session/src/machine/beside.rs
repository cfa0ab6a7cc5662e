//! Work beside the conversation: sub-agents and commands in the background.
//!
//! They outlive the turn that began them, so a session with such work is not
//! idle. What ends there the agent usually hears of in a turn that it begins by
//! itself, a moment later; until then it is not idle either.

use std::time::Duration;

use baton_protocol::{
    Event, Timestamp,
    event::{EndedWork, RunningWork, SubagentStopped},
    words::{TaskStatus, WorkKind},
};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{Effect, Machine, Process, Rejected, Reply, Step};
use crate::agents::AgentCommand;

/// How long the agent may take to begin a turn after work in its background
/// has ended, unless it says before that it is at rest.
const SOON: Duration = Duration::from_secs(10);

/// What ended beside the conversation, and until when a turn may come of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Aftermath {
    pub(super) ended: Vec<EndedWork>,
    pub(super) until: Timestamp,
}

impl Machine {
    /// Whether work goes on that is no turn.
    pub(super) fn works_beside(&self) -> bool {
        !self.facts.open.tasks.is_empty() || self.facts.open.subagents().next().is_some()
    }

    /// The same, or a turn that comes of it is about to begin.
    pub(super) fn is_busy_beside(&self) -> bool {
        self.has_process() && (self.works_beside() || self.life.aftermath.is_some())
    }

    /// What runs on when the turn at hand ends now.
    pub(super) fn still_running(&self) -> Vec<RunningWork> {
        let work = self.facts.open.work.iter().cloned();
        let beside = work.map(|one| RunningWork {
            background: true,
            ..one
        });
        beside.collect()
    }
}

impl Step<'_> {
    /// Ends one sub-agent or command. What follows the agent tells by itself.
    pub(super) fn stop_task(&mut self, task_id: String) -> Result<Reply, Rejected> {
        let mut work = self.machine.facts.open.work.iter();
        let known = work.any(|one| one.id == task_id);
        if !known || self.machine.process != Process::Ready {
            return Err(Rejected::UnknownTask { task_id });
        }
        if !self.capabilities().stop_task {
            return Err(Rejected::Unsupported {
                what: "stop a part of its work",
            });
        }
        Ok(self.question(|id| AgentCommand::StopTask { id, task_id }))
    }

    /// Ends all of them: a person wants nothing to go on.
    pub(super) fn stop_beside(&mut self) {
        if self.machine.process != Process::Ready || !self.machine.works_beside() {
            return;
        }
        self.machine.life.hush = true;
        let deadline = self.moment.at.plus(self.machine.limits.interrupt_grace);
        self.machine.life.beside_deadline.get_or_insert(deadline);
        let work = self.machine.facts.open.work.iter();
        let tasks: Vec<_> = work.map(|one| one.id.clone()).collect();
        for (nth, task_id) in (0..).zip(tasks) {
            let id = another(self.moment.fresh, nth).to_string();
            self.effect(Effect::Tell(AgentCommand::StopTask { id, task_id }));
        }
    }

    /// Takes note of an event that ends such work, before it is recorded.
    pub(super) fn ended_beside(&mut self, event: &Event) {
        let (id, status) = if let Event::SubagentStopped(stopped) = event {
            (&stopped.agent_id, stopped.status)
        } else if let Event::TaskUpdated(task) = event
            && task.status != TaskStatus::Running
        {
            (&task.task_id, task.status)
        } else {
            return;
        };
        let is_task = matches!(event, Event::TaskUpdated(_));
        let work = self.machine.facts.open.work.iter();
        let ended = work.clone().find(|one| {
            // A sub-agent in the background is told of twice.
            one.id == *id && one.background && (one.kind == WorkKind::Task) == is_task
        });
        // Nothing is said to a command that was stopped.
        let unanswered = is_task && status == TaskStatus::Stopped;
        let Some(ended) = ended.filter(|_| !unanswered) else {
            return;
        };
        let ended = EndedWork {
            id: ended.id.clone(),
            kind: ended.kind,
            description: ended.description.clone(),
            status,
        };
        let until = self.moment.at.plus(SOON);
        match &mut self.machine.life.aftermath {
            Some(aftermath) => {
                aftermath.until = until;
                aftermath.ended.push(ended);
            }
            None => {
                let ended = vec![ended];
                self.machine.life.aftermath = Some(Aftermath { ended, until });
            }
        }
    }

    /// A sub-agent has ended, and with it whatever it waited for.
    pub(super) fn subagent_left(&mut self, stopped: &SubagentStopped) {
        let why = "the sub-agent ended before it was answered";
        self.cancel_where(why, |_, asked| {
            asked.agent_id.as_ref() == Some(&stopped.agent_id)
        });
        if let Some(call) = &stopped.parent_tool_use_id {
            self.close_tools(|tool| tool.parent_tool_use_id.as_ref() == Some(call));
        }
    }

    /// A turn waits for its own sub-agents: one whose call is still open when
    /// it ends was lost with it.
    pub(super) fn stop_subagents_of_the_turn(&mut self) {
        let open = &self.machine.facts.open;
        let waited_for = |call: &String| {
            let call = open.tool(call);
            call.is_some_and(|call| call.parent_tool_use_id.is_none())
        };
        let agents = open.subagents();
        let lost = agents.filter(|agent| agent.tool_use_id.as_ref().is_some_and(waited_for));
        let lost: Vec<_> = lost.cloned().collect();
        for agent in lost {
            self.stop_subagent(agent, TaskStatus::Stopped);
        }
    }

    /// The agent says that it has nothing more to do.
    pub(super) fn at_rest(&mut self) {
        self.machine.life.aftermath = None;
        if !self.machine.works_beside() {
            self.machine.life.hush = false;
        }
    }

    pub(super) fn settle_beside(&mut self) {
        if !self.machine.works_beside() {
            self.machine.life.beside_deadline = None;
        }
        if !self.machine.has_process() {
            self.forget_beside();
        }
    }

    /// Nothing of it holds for the next process.
    pub(super) fn forget_beside(&mut self) {
        self.machine.life.aftermath = None;
        self.machine.life.hush = false;
        self.machine.life.beside_deadline = None;
    }
}

/// Another id made of a fresh one.
fn another(fresh: Uuid, nth: u8) -> Uuid {
    let mut bytes = fresh.into_bytes();
    bytes[15] = bytes[15].wrapping_add(nth);
    uuid::Builder::from_random_bytes(bytes).into_uuid()
}
