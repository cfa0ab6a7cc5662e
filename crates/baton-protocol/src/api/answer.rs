//! What commands are answered with, where it is not an event or a session row.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    id::{MessageId, SessionId},
    seq::{Seq, Turn},
    time::Timestamp,
    words::{Json, SessionState},
};

/// A message was taken.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MessageAnswer {
    pub message_id: MessageId,
    /// None while it is queued.
    pub turn: Option<Turn>,
    pub state: SessionState,
}

/// Part of the list of sessions, the latest activity first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Sessions {
    pub items: Vec<Json>,
    /// Where the next part begins; none at the end.
    pub next: Option<String>,
    /// How many sessions were passed over because the log is damaged there;
    /// absent if none were.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unreadable: Option<u64>,
}

/// A place that files can be put back to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Checkpoint {
    pub checkpoint_id: MessageId,
    pub seq: Seq,
    pub ts: Timestamp,
    pub turn: Turn,
    /// How the message began that it belongs to; none if Baton sent it by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// The checkpoints of a session, the oldest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Checkpoints {
    pub items: Vec<Checkpoint>,
    /// Where the next part begins; none at the end.
    #[serde(default)]
    pub next: Option<String>,
}

/// What the agent has on disk for a folder and Baton did not begin, the newest
/// first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PastSessions {
    pub items: Vec<PastSession>,
    /// Where the next part begins; none at the end.
    #[serde(default)]
    pub next: Option<String>,
}

/// A session that was begun elsewhere.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PastSession {
    /// The agent's name for it.
    pub agent_session_id: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    pub cwd: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started_at: Option<Timestamp>,
    pub last_activity_at: Timestamp,
    /// The process that runs it now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub live: Option<LiveProcess>,
    /// The session it is here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub imported_as: Option<SessionId>,
}

/// A process that runs a session elsewhere.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LiveProcess {
    pub pid: i32,
    /// What it was started as, such as `cli` in a terminal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entrypoint: Option<String>,
}

/// The slash commands of a session's agent, as it told them when it last started.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SlashCommands {
    pub items: Vec<SlashCommand>,
    /// Where the next part begins; none at the end.
    #[serde(default)]
    pub next: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SlashCommand {
    /// Without the slash.
    pub name: String,
    /// What it does, in the agent's words; known once an agent of the session has
    /// come up since the daemon started.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// What may follow it: `[path]`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub argument_hint: Option<String>,
    /// Why it is not sent to the agent; absent if it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refused: Option<String>,
}

/// How the daemon stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Status {
    pub ok: bool,
    pub pid: u32,
    pub version: String,
    pub started_at: Timestamp,
    pub uptime_s: u64,
    /// Where it serves HTTP; none while it does not.
    pub url: Option<String>,
    pub sessions: StatusCounts,
    pub pending_approvals: u64,
    pub projects: u64,
    /// Screens and programs that are connected, this one included if it is;
    /// below a project those that are connected below it.
    pub clients: u64,
    /// Which agents can be used, the one that is used by default first.
    pub agents: Vec<AgentFound>,
    /// No new turns are taken any more.
    pub stopping: bool,
    /// The machine is kept from going to sleep while agents work.
    #[serde(default)]
    pub keep_awake: bool,
}

/// An agent that can be used.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentFound {
    pub name: String,
    /// What its program says; none if it does not say, or has not yet.
    pub version: Option<String>,
}

/// Whether everything is here that Baton needs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DoctorReport {
    /// Nothing among the checks is a problem.
    pub ok: bool,
    pub checks: Vec<DoctorCheck>,
}

/// One thing that was looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DoctorCheck {
    pub name: String,
    pub verdict: DoctorVerdict,
    pub finding: String,
    /// What to do about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remedy: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum DoctorVerdict {
    Ok,
    Warning,
    Problem,
}

/// Sessions by state.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct StatusCounts {
    pub starting: u64,
    pub processing: u64,
    pub waiting: u64,
    pub idle: u64,
    /// They ended for want of something to do; the next message wakes them.
    #[serde(default)]
    pub asleep: u64,
    /// By a person or a fault.
    pub ended: u64,
}

impl StatusCounts {
    pub const fn add(&mut self, state: SessionState, asleep: bool) {
        let count = match state {
            SessionState::Starting => &mut self.starting,
            SessionState::Processing => &mut self.processing,
            SessionState::Waiting => &mut self.waiting,
            SessionState::Idle => &mut self.idle,
            SessionState::Ended if asleep => &mut self.asleep,
            SessionState::Ended => &mut self.ended,
        };
        *count += 1;
    }

    pub const fn total(&self) -> u64 {
        self.starting + self.processing + self.waiting + self.idle + self.asleep + self.ended
    }

    /// Agents that are about to do something by themselves.
    pub const fn working(&self) -> u64 {
        self.starting + self.processing
    }
}
