//! A session as lists show it, folded from its events by one pure function.
//!
//! The store keeps the row in the transaction of the events, and folding the
//! log again gives the same row. One thing more may change it: when the last
//! holder goes, its process has gone too, and no `pid` is shown.

use std::{collections::BTreeMap, fmt, time::Duration};

use baton_protocol::{
    ApprovalId, Envelope, Event, ProjectId, SessionId, Timestamp,
    event::{AgentRetry, RunningWork},
    words::{EndStatus, Mode, PermissionMode, Risk, Runtime, SessionState, Usage},
    work,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A title made from a message is cut here, in characters.
const TITLE_LENGTH: usize = 80;

/// A row keeps the newest calls; more at once only make it larger.
const MOST_TOOLS: usize = 32;

/// How a session stands as a whole: `running` until it ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum SessionStatus {
    Running,
    Completed,
    Stopped,
    Failed,
    /// Ended by itself, for want of something to do or after a long life.
    Asleep,
}

impl SessionStatus {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Completed => "completed",
            Self::Stopped => "stopped",
            Self::Failed => "failed",
            Self::Asleep => "asleep",
        }
    }
}

impl fmt::Display for SessionStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl From<EndStatus> for SessionStatus {
    fn from(status: EndStatus) -> Self {
        match status {
            EndStatus::Completed => Self::Completed,
            EndStatus::Stopped => Self::Stopped,
            EndStatus::Failed => Self::Failed,
            EndStatus::Asleep => Self::Asleep,
        }
    }
}

/// A tool call that has not ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LabelledCall {
    pub tool_use_id: String,
    pub label: String,
}

/// A try of the agent's that failed, and the next one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Retrying {
    pub attempt: u32,
    pub max_attempts: Option<u32>,
    /// As the agent gave it.
    pub reason: String,
    /// When it tries again.
    pub due: Timestamp,
}

/// One session, true as of its event number `event_count`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionRow {
    pub id: SessionId,
    pub project_id: ProjectId,
    pub agent: String,
    pub mode: Mode,
    pub runtime: Runtime,
    pub state: SessionState,
    pub status: SessionStatus,
    /// As given, else the first line of the first message.
    pub title: Option<String>,
    pub cwd: Option<String>,
    pub started_at: Timestamp,
    pub last_activity_at: Timestamp,
    pub ended_at: Option<Timestamp>,
    /// From the start to the last event.
    pub duration_ms: u64,
    /// Also the number of the last event.
    pub event_count: u64,
    pub turn_count: u32,
    pub exit_code: Option<i32>,
    pub error: Option<String>,
    /// Of the agent's process; absent once its holder is gone.
    pub pid: Option<u32>,
    pub agent_session_id: Option<String>,
    pub forked_from: Option<SessionId>,
    /// The sum over turns; absent until a turn told its price.
    pub cost_usd: Option<f64>,
    /// The sum over turns.
    pub usage: Usage,
    pub model: Option<String>,
    pub permission_mode: Option<PermissionMode>,
    /// The last turn failed, and none has begun since.
    #[serde(default)]
    pub turn_failed: bool,
    /// What the agent does now, in words: the newest call that has not ended,
    /// or why it waits to try again. Absent when no call runs.
    pub last_label: Option<String>,
    /// What it waits with to try again; absent once it got through.
    #[serde(default)]
    pub retry: Option<Retrying>,
    /// The calls without an end behind the label, oldest first.
    #[serde(default)]
    pub tools: Vec<LabelledCall>,
    pub open_approvals: u32,
    /// Of the open approvals.
    pub highest_risk: Option<Risk>,
    /// How full the model's context is, 0 to 1; absent when not known.
    pub context_share: Option<f64>,
    /// The open approvals behind the two fields above.
    pub approvals: BTreeMap<ApprovalId, Risk>,
    /// Sub-agents and background commands at work, the oldest first.
    #[serde(default)]
    pub work: Vec<RunningWork>,
}

impl SessionRow {
    /// The row before the first event.
    pub const fn new(id: SessionId, project_id: ProjectId, created_at: Timestamp) -> Self {
        Self {
            id,
            project_id,
            agent: String::new(),
            mode: Mode::Structured,
            runtime: Runtime::Streaming,
            state: SessionState::Starting,
            status: SessionStatus::Running,
            title: None,
            cwd: None,
            started_at: created_at,
            last_activity_at: created_at,
            ended_at: None,
            duration_ms: 0,
            event_count: 0,
            turn_count: 0,
            exit_code: None,
            error: None,
            pid: None,
            agent_session_id: None,
            forked_from: None,
            cost_usd: None,
            usage: Usage {
                input_tokens: 0,
                output_tokens: 0,
                cache_read_input_tokens: 0,
                cache_creation_input_tokens: 0,
            },
            model: None,
            permission_mode: None,
            turn_failed: false,
            last_label: None,
            retry: None,
            tools: Vec::new(),
            open_approvals: 0,
            highest_risk: None,
            context_share: None,
            approvals: BTreeMap::new(),
            work: Vec::new(),
        }
    }

    /// An ended session goes on.
    fn revive(&mut self) {
        self.status = SessionStatus::Running;
        self.ended_at = None;
        self.exit_code = None;
        self.error = None;
    }

    /// Nothing runs any more.
    fn stop_tools(&mut self) {
        self.tools.clear();
        self.label_tools();
    }

    fn label_tools(&mut self) {
        self.retry = None;
        self.last_label = self.tools.last().map(|tool| tool.label.clone());
    }

    fn count_approvals(&mut self) {
        self.open_approvals = u32::try_from(self.approvals.len()).unwrap_or(u32::MAX);
        self.highest_risk = self.approvals.values().copied().max();
    }
}

/// Folds one event into its session's row.
pub fn apply(row: &mut SessionRow, envelope: &Envelope) {
    row.event_count = envelope.seq.0;
    if envelope.seq.0 == 1 {
        row.started_at = envelope.ts;
        row.last_activity_at = envelope.ts;
    }
    // The clock may have been set back; activity does not go backwards.
    row.last_activity_at = row.last_activity_at.max(envelope.ts);
    let duration = row.last_activity_at.since(row.started_at).as_millis();
    row.duration_ms = u64::try_from(duration).unwrap_or(u64::MAX);
    work::follow(&mut row.work, envelope.ts, &envelope.event);
    apply_event(row, envelope);
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
            row.revive();
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
                row.revive();
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
            if let Some(options) = &updated.options {
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
            row.stop_tools();
        }
        Event::TurnStarted(started) => {
            row.turn_count = row.turn_count.max(started.turn.0);
            row.turn_failed = false;
            row.label_tools();
        }
        Event::TurnCompleted(completed) => {
            row.turn_failed = completed.is_error;
            row.stop_tools();
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
            row.label_tools();
        }
        Event::ToolCompleted(done) => {
            row.tools
                .retain(|tool| tool.tool_use_id != done.tool_use_id);
            row.label_tools();
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
        Event::AssistantMessage(_) | Event::AssistantThinking(_) => row.label_tools(),
        Event::ApprovalRequested(asked) => {
            row.approvals.insert(asked.approval_id, asked.risk);
            row.count_approvals();
        }
        Event::ApprovalResolved(resolved) => {
            row.approvals.remove(&resolved.approval_id);
            row.count_approvals();
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
