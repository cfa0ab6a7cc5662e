//! What has been said and not yet finished.
//!
//! The writer keeps it beside the pipe, so that whatever happens to the rest of
//! the program, the end of the output keeps its promises: every tool ends, every
//! turn has its result, every request its resolution.

use std::collections::{BTreeMap, BTreeSet};

use baton_protocol::{
    ApprovalId, Turn,
    event::TurnStats,
    words::{DecidedBy, Decision, StopReason, TaskStatus},
};

use crate::{
    output::{
        ApprovalResolved, Output, Result as TurnResult, SessionEnded, SubagentStopped, TaskUpdate,
        Thinking, TurnComplete,
    },
    translate::cut_short,
};

#[derive(Debug, Default)]
pub(crate) struct Ledger {
    tools: BTreeMap<String, (String, Option<String>, Option<String>)>,
    turn: Option<Turn>,
    /// Its result was said, but not that it is complete.
    result: Option<StopReason>,
    requests: BTreeSet<ApprovalId>,
    thinking: BTreeSet<(String, u32)>,
    subagents: BTreeMap<String, (Option<String>, Option<String>)>,
    /// By their ids, with the call that began each.
    tasks: BTreeMap<String, Option<String>>,
    session: Option<Option<String>>,
    total_cost_usd: f64,
}

impl Ledger {
    /// Takes note of a line.
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "most lines open and close nothing"
    )]
    pub(crate) fn note(&mut self, said: &Output) {
        match said {
            Output::ToolStart(tool) => {
                let facts = (
                    tool.name.clone(),
                    tool.agent_id.clone(),
                    tool.parent_tool_use_id.clone(),
                );
                self.tools.insert(tool.tool_use_id.clone(), facts);
            }
            Output::ToolEnd(tool) => {
                self.tools.remove(&tool.tool_use_id);
            }
            Output::TurnStarted(turn) => {
                self.turn = Some(turn.turn);
                self.result = None;
            }
            Output::Result(result) => {
                self.result = Some(result.stop_reason);
                self.total_cost_usd = result.total_cost_usd;
            }
            Output::TurnComplete(_) => {
                self.turn = None;
                self.result = None;
            }
            Output::UserQuestionRequest(asked) => {
                self.requests.insert(asked.request_id);
            }
            Output::PlanApprovalRequest(asked) => {
                self.requests.insert(asked.request_id);
            }
            Output::ToolApprovalRequest(asked) => {
                self.requests.insert(asked.request_id);
            }
            Output::ApprovalResolved(resolved) => {
                self.requests.remove(&resolved.request_id);
            }
            Output::ThinkingStart(begun) => {
                self.thinking
                    .insert((begun.message_id.clone(), begun.block));
            }
            Output::Thinking(whole) => {
                self.thinking
                    .remove(&(whole.message_id.clone(), whole.block));
            }
            Output::SubagentStarted(begun) => {
                let facts = (begun.agent_type.clone(), begun.parent_tool_use_id.clone());
                self.subagents.insert(begun.agent_id.clone(), facts);
            }
            Output::SubagentStopped(over) => {
                self.subagents.remove(&over.agent_id);
            }
            Output::TaskUpdate(task) if task.status == TaskStatus::Running => {
                self.tasks
                    .insert(task.task_id.clone(), task.tool_use_id.clone());
            }
            Output::TaskUpdate(task) => {
                self.tasks.remove(&task.task_id);
            }
            Output::SessionStarted(begun) => self.session = Some(begun.session_id.clone()),
            Output::SessionEnded(_) => self.session = None,
            _ => {}
        }
    }

    /// Ends whatever is open, in the order in which it would have ended.
    pub(crate) fn close(&mut self) -> Vec<Output> {
        const WHY: &str = "the conversation ended";
        let mut out = Vec::new();
        for (message_id, block) in std::mem::take(&mut self.thinking) {
            out.push(
                Thinking {
                    message_id,
                    block,
                    text: String::new(),
                    aborted: Some(true),
                }
                .into(),
            );
        }
        for request_id in std::mem::take(&mut self.requests) {
            out.push(
                ApprovalResolved {
                    request_id,
                    decision: Decision::Deny,
                    by: DecidedBy::Cancelled,
                    message: Some(WHY.into()),
                }
                .into(),
            );
        }
        for (id, (name, agent, parent)) in std::mem::take(&mut self.tools) {
            out.extend(cut_short(id, name, agent, parent));
        }
        for (agent_id, (agent_type, parent)) in std::mem::take(&mut self.subagents) {
            out.push(
                SubagentStopped {
                    agent_id,
                    agent_type,
                    parent_tool_use_id: parent,
                    status: TaskStatus::Stopped,
                    result: None,
                }
                .into(),
            );
        }
        for (task_id, tool_use_id) in std::mem::take(&mut self.tasks) {
            out.push(
                TaskUpdate {
                    task_id,
                    status: TaskStatus::Stopped,
                    description: None,
                    tool_use_id,
                    summary: Some(WHY.into()),
                }
                .into(),
            );
        }
        if let Some(turn) = self.turn.take() {
            out.extend(turn_over(turn, self.result.take(), self.total_cost_usd));
        }
        if let Some(session_id) = self.session.take() {
            out.push(
                SessionEnded {
                    session_id,
                    reason: WHY.into(),
                    status: None,
                }
                .into(),
            );
        }
        out
    }
}

fn turn_over(turn: Turn, result: Option<StopReason>, total_cost_usd: f64) -> Vec<Output> {
    let complete = |stop_reason| {
        TurnComplete {
            turn,
            stop_reason,
            still_running: Vec::new(),
        }
        .into()
    };
    if let Some(stop_reason) = result {
        return vec![complete(stop_reason)];
    }
    let result = TurnResult {
        turn,
        message_ids: Vec::new(),
        success: false,
        is_error: true,
        stop_reason: StopReason::Error,
        result: Some("Baton ended in the middle of the turn.".into()),
        structured_output: None,
        cost_usd: None,
        total_cost_usd,
        usage: None,
        duration_ms: 0,
        exit_code: None,
        stats: TurnStats::default(),
        still_running: Vec::new(),
    };
    vec![result.into(), complete(StopReason::Error)]
}
