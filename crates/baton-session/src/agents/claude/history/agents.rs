//! What sub-agents wrote down, each in a file of its own.

use baton_claude::{
    TaskKind, TaskNotification, TaskStarted,
    transcript::{Row, Subagent},
};

use super::{
    History,
    lines::{assistant, line},
};
use crate::machine::Observed;

impl History {
    /// Whether a row brings the result of a sub-agent's call.
    pub(crate) fn ends_agents(&self, row: &Row) -> bool {
        row.results().any(|id| self.agent_calls.contains(id))
    }

    /// A sub-agent, whose rows follow.
    pub(crate) fn agent_started(&mut self, agent: &Subagent, first: &Row, out: &mut Vec<Observed>) {
        self.clock(first);
        let started = TaskStarted {
            task_id: agent.agent_id.clone(),
            tool_use_id: agent.tool_use_id.clone(),
            description: agent.description.clone(),
            task_type: Some(TaskKind::LocalAgent),
            subagent_type: agent.agent_type.clone(),
            prompt: None,
            is_backgrounded: None,
        };
        self.translate(out, |translator, out| translator.task_started(started, out));
    }

    pub(crate) fn agent_row(&mut self, agent: &Subagent, row: &Row, out: &mut Vec<Observed>) {
        self.clock(row);
        let parent = agent.tool_use_id.clone();
        if let Some(message) = row.assistant() {
            let said = assistant(row, message, parent);
            self.translate(out, |translator, out| translator.assistant(&said, out));
        } else if let Some(user) = row.user().filter(|_| row.results().next().is_some()) {
            let user = line(row, &user.content, user.tool_use_result.clone(), parent);
            self.translate(out, |translator, out| translator.user(&user, out));
        }
    }

    pub(crate) fn agent_stopped(&mut self, agent: &Subagent, out: &mut Vec<Observed>) {
        let ended = TaskNotification {
            task_id: agent.agent_id.clone(),
            status: baton_claude::TaskStatus::Completed,
            tool_use_id: agent.tool_use_id.clone(),
            output_file: None,
            summary: None,
            usage: None,
        };
        self.translate(out, |translator, out| translator.task_ended(ended, out));
    }
}
