//! What is said to sessions and about them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::part::Part;
use crate::{
    id::{MessageId, SessionId},
    row::SessionRow,
    seq::{Seq, Turn},
    time::Timestamp,
    words::{ListedState, PermissionMode, Remedy, SessionState},
};

/// A file that goes with a message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AttachmentBody {
    /// Of a file that was uploaded: absent keeps the name it came with.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// What it is said to be; absent leaves it to the name and the bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub media_type: Option<String>,
    /// Base64; empty for one that was uploaded or is elsewhere.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub data: String,
    /// A file that was uploaded before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub upload_id: Option<String>,
    /// Where it is, over HTTPS. An image is fetched from the hosts that Baton
    /// fetches from; anything else goes into the prompt as its address.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
}

/// A message to a session.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct MessageBody {
    pub text: String,
    /// Chosen by the sender, so that sending again sends once; else Baton makes one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message_id: Option<MessageId>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub attachments: Vec<AttachmentBody>,
    /// Whether it waits when a turn is running, or is refused.
    pub queue: bool,
    /// What is done should the agent lack a part of the past; absent is as the
    /// settings say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory: Option<Remedy>,
}

/// A message was taken.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MessageAnswer {
    pub message_id: MessageId,
    /// None while it is queued.
    pub turn: Option<Turn>,
    pub state: SessionState,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct StopTask {
    /// The `id` of one that is among the session's `work`.
    pub task_id: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TakeBack {
    pub message_id: MessageId,
}

/// Other words for a message that waits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct QueueEdit {
    pub message_id: MessageId,
    pub text: String,
}

/// Another place for a message that waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct QueueMove {
    pub message_id: MessageId,
    /// The one that it shall stand before; absent is at the end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<MessageId>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SendNow {
    pub message_id: MessageId,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct Fork {
    /// A row of the agent to cut after; absent is the end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct Model {
    /// Absent is the agent's default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PermissionModeBody {
    pub mode: PermissionMode,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct Budget {
    /// What the session may cost in all, in US dollars; absent is as the
    /// settings say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_budget_usd: Option<f64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct MemoryBody {
    /// What is done about it from the next message on; `refuse` leaves it open.
    pub memory: Remedy,
}

/// Puts files back to where they were at a message. What shell commands
/// changed is not covered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Rewind {
    pub checkpoint_id: MessageId,
    /// Only says which files.
    #[serde(default)]
    pub dry_run: bool,
}

/// Which files went back, or would go back.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct Rewound {
    pub files_changed: Vec<String>,
    /// Lines that come back, where the agent tells.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub insertions: Option<u64>,
    /// Lines that go away, where the agent tells.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deletions: Option<u64>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Title {
    pub title: String,
}

/// What is to change about a session, over HTTP.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct SessionUpdate {
    pub title: Option<String>,
}

/// Which sessions, the latest activity first.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct ListSessions {
    /// At most 1,000; 100 when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// `next` of an earlier answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<ListedState>,
    /// Leaves ended ones out, and those that are asleep.
    pub running: bool,
    /// Only those of this project: its slug, id or path.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
}

/// Part of the list of sessions, the latest activity first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Sessions {
    pub items: Vec<SessionRow>,
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
pub type Checkpoints = Part<Checkpoint>;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct History {
    /// The folder, as an absolute path.
    pub project: String,
    /// At most 1,000; all of them when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// `next` of an earlier answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
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

/// What the agent has on disk for a folder and Baton did not begin, the newest
/// first.
pub type PastSessions = Part<PastSession>;

/// A process that runs a session elsewhere.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LiveProcess {
    pub pid: i32,
    /// What it was started as, such as `cli` in a terminal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entrypoint: Option<String>,
}

/// A session that was begun elsewhere. The same one again is the same session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Import {
    /// The folder it was begun in, as an absolute path.
    pub project: String,
    /// The agent's name for it.
    pub agent_session_id: String,
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

/// The slash commands of a session's agent, as it told them when it last started.
pub type SlashCommands = Part<SlashCommand>;
