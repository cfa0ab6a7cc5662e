//! What works beside the conversation, folded from a session's events.
//!
//! One fold for everybody who has to know: the session's rules, its row in
//! lists, its snapshot and the embedding mode.

use crate::{
    event::{Event, RunningWork, SubagentStarted, TaskUpdated},
    time::Timestamp,
    words::{TaskStatus, WorkKind},
};

/// Takes one event in. The oldest work stands first.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "few events begin or end work beside the conversation"
)]
pub fn follow(work: &mut Vec<RunningWork>, ts: Timestamp, event: &Event) {
    match event {
        Event::SubagentStarted(started) => subagent_started(work, ts, started),
        Event::SubagentStopped(stopped) => work.retain(|one| one.id != stopped.agent_id),
        Event::TaskUpdated(task) if task.status == TaskStatus::Running => {
            task_runs(work, ts, task);
        }
        // A sub-agent in the background is a task too; its own end follows.
        Event::TaskUpdated(task) => {
            work.retain(|one| one.id != task.task_id || one.kind == WorkKind::Subagent);
        }
        // Its call is over, and it is not.
        Event::ToolCompleted(call) => {
            let of_call =
                |one: &&mut RunningWork| one.tool_use_id.as_ref() == Some(&call.tool_use_id);
            for one in work.iter_mut().filter(of_call) {
                one.background = true;
            }
        }
        Event::TurnCompleted(_) => {
            for one in work {
                one.background = true;
            }
        }
        Event::SessionEnded(_) => work.clear(),
        _ => {}
    }
}

fn subagent_started(work: &mut Vec<RunningWork>, ts: Timestamp, started: &SubagentStarted) {
    if let Some(known) = work.iter_mut().find(|one| one.id == started.agent_id) {
        known.kind = WorkKind::Subagent;
        return;
    }
    work.push(RunningWork {
        id: started.agent_id.clone(),
        kind: WorkKind::Subagent,
        background: false,
        description: started.description.clone(),
        agent_type: started.agent_type.clone(),
        tool_use_id: started.parent_tool_use_id.clone(),
        started_at: ts,
    });
}

fn task_runs(work: &mut Vec<RunningWork>, ts: Timestamp, task: &TaskUpdated) {
    if let Some(known) = work.iter_mut().find(|one| one.id == task.task_id) {
        known.background = true;
        return;
    }
    work.push(RunningWork {
        id: task.task_id.clone(),
        kind: WorkKind::Task,
        background: true,
        description: task.description.clone(),
        agent_type: None,
        tool_use_id: task.tool_use_id.clone(),
        started_at: ts,
    });
}

#[cfg(test)]
#[path = "work_tests.rs"]
mod tests;
