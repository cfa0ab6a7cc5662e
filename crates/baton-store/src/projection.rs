//! A session as lists show it, folded from its events by one pure function.
//!
//! The store keeps the row in the transaction of the events, and folding the
//! log again gives the same row. One thing more may change it: when the last
//! holder goes, its process has gone too, and no `pid` is shown.

use std::time::Duration;

use baton_protocol::{
    Envelope, Event,
    event::AgentRetry,
    words::{EndStatus, SessionState},
    work,
};

pub use baton_protocol::api::{LabelledCall, Retrying, SessionRow, SessionStatus};

/// A title made from a message is cut here, in characters.
const TITLE_LENGTH: usize = 80;

/// A row keeps the newest calls; more at once only make it larger.
const MOST_TOOLS: usize = 32;

/// An ended session goes on.
fn revive(row: &mut SessionRow) {
    row.status = SessionStatus::Running;
    row.ended_at = None;
    row.exit_code = None;
    row.error = None;
}

/// Nothing runs any more.
fn stop_tools(row: &mut SessionRow) {
    row.tools.clear();
    label_tools(row);
}

fn label_tools(row: &mut SessionRow) {
    row.retry = None;
    row.last_label = row.tools.last().map(|tool| tool.label.clone());
}

fn count_approvals(row: &mut SessionRow) {
    row.open_approvals = u32::try_from(row.approvals.len()).unwrap_or(u32::MAX);
    row.highest_risk = row.approvals.values().copied().max();
}

/// Folds one event into its session's row.
pub fn apply(row: &mut SessionRow, envelope: &Envelope) {
    row.event_count = envelope.seq.0;
    if envelope.seq.0 == 1 {
        row.started_at = envelope.ts;
        row.last_activity_at = envelope.ts;
    }
    if is_activity(&envelope.event) {
        // The clock may have been set back; activity does not go backwards.
        row.last_activity_at = row.last_activity_at.max(envelope.ts);
    }
    let duration = row.last_activity_at.since(row.started_at).as_millis();
    row.duration_ms = u64::try_from(duration).unwrap_or(u64::MAX);
    work::follow(&mut row.work, envelope.ts, &envelope.event);
    apply_event(row, envelope);
}

/// Whether an event is something that the session or somebody in it did. Falling
/// asleep and being moved only happen to it, to many at once even, and the one
/// that was used last stays the last.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "whatever else there is, and will be, is something that was done"
)]
fn is_activity(event: &Event) -> bool {
    match event {
        Event::SessionEnded(ended) => ended.status != EndStatus::Asleep,
        Event::SessionState(changed) => changed.state != SessionState::Ended,
        Event::SessionUpdated(updated) => updated.moved.is_none(),
        Event::QueueHeld(held) => held.client.is_some(),
        _ => true,
    }
}

/// The session has no process any more. Says whether the row had one.
pub fn holder_gone(row: &mut SessionRow) -> bool {
    row.pid.take().is_some()
}

#[expect(
    clippy::too_many_lines,
    reason = "one arm per event that a row shows; splitting would hide which do not"
)]
fn apply_event(row: &mut SessionRow, envelope: &Envelope) {
    match &envelope.event {
        Event::SessionCreated(created) => {
            row.agent.clone_from(&created.agent);
            row.mode = created.mode;
            row.runtime = created.runtime;
            row.cwd = Some(created.cwd.clone());
            row.title.clone_from(&created.title);
            row.forked_from = created.forked_from;
            row.agent_session_id.clone_from(&created.resumes);
            row.model.clone_from(&created.options.model);
            row.permission_mode = created.options.permission_mode;
        }
        Event::SessionStarted(started) => {
            revive(row);
            if row.state == SessionState::Ended {
                row.state = SessionState::Starting;
            }
            replace(&mut row.agent_session_id, started.agent_session_id.as_ref());
            replace(&mut row.model, started.model.as_ref());
            replace(&mut row.permission_mode, started.permission_mode.as_ref());
            row.pid = started.pid;
        }
        Event::SessionState(changed) => {
            if row.state == SessionState::Ended && changed.state != SessionState::Ended {
                revive(row);
            }
            row.state = changed.state;
        }
        Event::SessionUpdated(updated) => {
            replace(&mut row.title, updated.title.as_ref());
            replace(&mut row.agent_session_id, updated.agent_session_id.as_ref());
            if let Some(moved) = &updated.moved {
                row.project_id = moved.project_id;
                row.cwd = row.cwd.as_deref().map(|cwd| moved.place(cwd));
            }
            if let (Some(options), false) = (&updated.options, updated.budget_only) {
                row.model.clone_from(&options.model);
                row.permission_mode = options.permission_mode;
            }
        }
        Event::SessionEnded(ended) => {
            row.state = SessionState::Ended;
            row.status = ended.status.into();
            row.ended_at = Some(envelope.ts);
            row.exit_code = ended.exit_code;
            row.error.clone_from(&ended.error);
            row.pid = None;
            stop_tools(row);
        }
        Event::TurnStarted(started) => {
            row.turn_count = row.turn_count.max(started.turn.0);
            row.turn_failed = false;
            label_tools(row);
        }
        Event::TurnCompleted(completed) => {
            row.turn_failed = completed.is_error;
            stop_tools(row);
            row.turn_count = row.turn_count.max(completed.turn.0);
            if let Some(cost) = completed.cost_usd {
                row.cost_usd = Some(row.cost_usd.unwrap_or(0.0) + cost);
            }
            if let Some(usage) = completed.usage {
                row.usage = row.usage.plus(usage);
            }
        }
        Event::UserMessage(message) if row.title.is_none() => {
            row.title = title_from(&message.text);
        }
        Event::ToolRequested(tool) => {
            if row.tools.len() == MOST_TOOLS {
                row.tools.remove(0);
            }
            row.tools.push(LabelledCall {
                tool_use_id: tool.tool_use_id.clone(),
                label: tool.label.clone(),
            });
            label_tools(row);
        }
        Event::ToolCompleted(done) => {
            row.tools
                .retain(|tool| tool.tool_use_id != done.tool_use_id);
            label_tools(row);
        }
        Event::AgentRetry(retry) => {
            row.last_label = Some(retry_label(retry));
            row.retry = Some(Retrying {
                attempt: retry.attempt,
                max_attempts: retry.max_attempts,
                reason: retry.reason.clone(),
                due: envelope.ts.plus(Duration::from_millis(retry.delay_ms)),
            });
        }
        // It got through: what it waited with is over.
        Event::AssistantMessage(_) | Event::AssistantThinking(_) => label_tools(row),
        Event::ApprovalRequested(asked) => {
            row.approvals.insert(asked.approval_id, asked.risk);
            count_approvals(row);
        }
        Event::ApprovalResolved(resolved) => {
            row.approvals.remove(&resolved.approval_id);
            count_approvals(row);
        }
        Event::ContextUsage(usage) => row.context_share = share(usage.tokens, usage.window),
        // What is left is told by the next `context.usage`.
        Event::ContextCompacted(_) => row.context_share = None,
        Event::ModelChanged(changed) => row.model.clone_from(&changed.model),
        Event::PermissionModeChanged(changed) => row.permission_mode = Some(changed.mode),
        // Another process for one turn changes nothing for the next.
        Event::RuntimeFallback(fallback) if fallback.text_output => row.runtime = fallback.to,
        Event::UserMessage(_)
        | Event::MessageDelivered(_)
        | Event::MessageRemoved(_)
        | Event::MessageEdited(_)
        | Event::MessageMoved(_)
        | Event::QueueHeld(_)
        | Event::QueueReleased(_)
        | Event::SubagentStarted(_)
        | Event::SubagentStopped(_)
        | Event::TaskUpdated(_)
        | Event::TodoUpdated(_)
        | Event::ImageOutput(_)
        | Event::CheckpointCreated(_)
        | Event::FilesRewound(_)
        | Event::Notification(_)
        | Event::RuntimeFallback(_)
        | Event::AgentUnknown(_)
        | Event::Error(_)
        | Event::PtyOpened(_)
        | Event::PtyResized(_)
        | Event::PtyClosed(_)
        | Event::Unrecognised { .. } => {}
    }
}

fn replace<T: Clone>(field: &mut Option<T>, new: Option<&T>) {
    if let Some(new) = new {
        *field = Some(new.clone());
    }
}

/// When it tries again is soon over; what happened is told until it is.
fn retry_label(retry: &AgentRetry) -> String {
    let of = retry
        .max_attempts
        .map_or_else(String::new, |most| format!(" of {most}"));
    format!("Trying again ({}{of}): {}", retry.attempt, retry.reason)
}

fn title_from(text: &str) -> Option<String> {
    let line = text.lines().map(str::trim).find(|line| !line.is_empty())?;
    Some(line.chars().take(TITLE_LENGTH).collect())
}

#[expect(
    clippy::cast_precision_loss,
    reason = "token counts are far below 2^52, and a share needs two digits"
)]
fn share(tokens: u64, window: u64) -> Option<f64> {
    (window > 0).then(|| tokens as f64 / window as f64)
}

#[cfg(test)]
#[path = "projection_tests.rs"]
mod tests;
