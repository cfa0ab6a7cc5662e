//! Sub-agents and background work.

use baton_claude::{TaskKind, TaskNotification, TaskStarted, TaskUpdated};
use baton_protocol::{
    event::{self, SubagentStarted, SubagentStopped},
    words::TaskStatus,
};
use serde::{Deserialize, Serialize};

use super::{Translator, event as output, event_of};
use crate::agents::AgentOutput;

/// A task that has begun.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Task {
    pub(super) tool_use_id: Option<String>,
    description: Option<String>,
    agent_type: Option<String>,
    is_agent: bool,
    /// It runs beside the conversation, and that has been told. A foreground
    /// command that takes long is a task too, but no background work.
    told: bool,
    /// What a sub-agent said last.
    #[serde(default)]
    said: Option<String>,
}

/// How much of a sub-agent's last words is kept.
const MAX_SAID: usize = 64 * 1024;

impl Translator {
    pub(super) fn task_started(&mut self, started: TaskStarted, out: &mut Vec<AgentOutput>) {
        let is_agent = started.task_type == Some(TaskKind::LocalAgent);
        let asked_for = started.tool_use_id.as_ref();
        let in_background = started.is_backgrounded == Some(true)
            || asked_for.is_some_and(|tool| self.background.contains(tool));
        let mut task = Task {
            tool_use_id: started.tool_use_id,
            description: started.description,
            agent_type: started.subagent_type,
            is_agent,
            told: false,
            said: None,
        };
        if is_agent {
            let subagent = SubagentStarted {
                agent_id: started.task_id.clone(),
                agent_type: task.agent_type.clone(),
                parent_tool_use_id: task.tool_use_id.clone(),
                description: task.description.clone(),
            };
            out.push(event_of(subagent, Some(started.task_id.clone())));
        }
        if in_background {
            task.tell(&started.task_id, TaskStatus::Running, None, out);
        }
        self.tasks.insert(started.task_id, task);
    }

    pub(super) fn task_updated(&mut self, updated: &TaskUpdated, out: &mut Vec<AgentOutput>) {
        if updated.patch.is_backgrounded == Some(true)
            && let Some(task) = self.tasks.get_mut(&updated.task_id)
        {
            task.tell(&updated.task_id, TaskStatus::Running, None, out);
        }
    }

    pub(super) fn task_ended(&mut self, ended: TaskNotification, out: &mut Vec<AgentOutput>) {
        let Some(mut task) = self.tasks.remove(&ended.task_id) else {
            return;
        };
        if let Some(tool) = &task.tool_use_id {
            self.background.remove(tool);
        }
        let status = match ended.status {
            baton_claude::TaskStatus::Running => TaskStatus::Running,
            baton_claude::TaskStatus::Completed => TaskStatus::Completed,
            baton_claude::TaskStatus::Failed | baton_claude::TaskStatus::Other(_) => {
                TaskStatus::Failed
            }
            baton_claude::TaskStatus::Stopped | baton_claude::TaskStatus::Killed => {
                TaskStatus::Stopped
            }
        };
        if task.told {
            self.restless = true;
            task.tell(&ended.task_id, status, ended.summary, out);
        }
        if task.is_agent {
            let stopped = SubagentStopped {
                agent_id: ended.task_id.clone(),
                agent_type: task.agent_type,
                parent_tool_use_id: task.tool_use_id,
                description: task.description,
                status,
                result: task.said,
            };
            out.push(event_of(stopped, Some(ended.task_id)));
        }
    }

    /// A sub-agent has said something: it may be its answer.
    pub(super) fn subagent_said(&mut self, agent_id: Option<&str>, text: &str) {
        let task = agent_id.and_then(|id| self.tasks.get_mut(id));
        if let Some(task) = task.filter(|_| !text.trim().is_empty()) {
            let end = text.floor_char_boundary(MAX_SAID.min(text.len()));
            task.said = Some(text[..end].to_owned());
        }
    }
}

impl Task {
    fn tell(
        &mut self,
        task_id: &str,
        status: TaskStatus,
        summary: Option<String>,
        out: &mut Vec<AgentOutput>,
    ) {
        self.told = true;
        out.push(output(event::TaskUpdated {
            task_id: task_id.to_owned(),
            status,
            description: self.description.clone(),
            tool_use_id: self.tool_use_id.clone(),
            summary,
        }));
    }
}
