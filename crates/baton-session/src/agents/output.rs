//! What agents say and are told, in words that fit every agent.

use std::path::PathBuf;

use baton_protocol::{
    BlobId, Event, Live, MessageId, ToolUse,
    event::{AgentUnknown, DiffPreview, SessionStarted, Suggestion, Warning},
    words::{ApprovalKind, ErrorCode, Json, PermissionMode, Risk, StopReason, Usage},
};
use baton_rules::Verdict;
use serde::{Deserialize, Serialize};

/// One thing an agent said, translated.
#[derive(Debug, Clone, PartialEq)]
pub enum AgentOutput {
    /// The process is up and takes prompts.
    Ready,
    /// What the process runs with; may come again each turn.
    Started(SessionStarted),
    /// The agent began a turn, ours or its own.
    TurnStarted,
    /// Nothing is left for it to do, not even a turn of its own.
    AtRest,
    /// The agent has taken a message.
    Taken(MessageId),
    /// It begins though it was asked to stop: it heard that before there was
    /// anything to stop.
    Unstopped,
    /// Becomes an event as it stands.
    Event {
        event: Event,
        agent_id: Option<String>,
    },
    /// For the screen only.
    Live(Live),
    /// A tool call ended; name and duration are the session's to add.
    ToolResult(ToolResult),
    /// Bytes that a later event refers to.
    Blob {
        id: BlobId,
        media_type: String,
        bytes: Vec<u8>,
    },
    /// A person must decide before the agent goes on.
    Ask { request: String, ask: Ask },
    /// The agent is about to use a tool and waits for permission.
    Gate { request: String, ask: Ask },
    /// The agent no longer wants the answer.
    AskWithdrawn { request: String },
    /// The agent begins or ends rewriting its context, in silence.
    Compacting(bool),
    /// What the turn has used up so far in this process.
    Spent(Usage),
    /// A turn ended.
    TurnEnded(TurnEnd),
    /// The agent answered one of our requests.
    Reply {
        request: String,
        outcome: Result<Json, String>,
    },
    /// The agent asked something of its host that nobody here can do.
    Unsupported { request: String, what: String },
    /// What the process told of itself when it came up.
    Greeting(Json),
    /// A message for an MCP server inside the host.
    HostMessage {
        request: String,
        server: String,
        message: Json,
    },
}

/// Where all of a tool's output is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Whole {
    /// The agent said it all.
    #[default]
    Said,
    /// The agent says a part, and kept the whole in a file of its own.
    Kept(PathBuf),
    /// That file's bytes, read by whoever can read files.
    Read(Vec<u8>),
}

/// A tool call's end as the agent tells it.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolResult {
    pub tool_use_id: String,
    pub output: String,
    pub whole: Whole,
    pub detail: Option<Json>,
    pub is_error: bool,
    pub images: Vec<BlobId>,
    pub parent_tool_use_id: Option<String>,
    pub agent_id: Option<String>,
}

/// A question to a person.
#[derive(Debug, Clone, PartialEq)]
pub struct Ask {
    pub kind: ApprovalKind,
    pub tool_use_id: Option<String>,
    pub tool_name: String,
    pub what: ToolUse,
    pub input: Json,
    /// Worked out, like warnings and previews, by whoever can read files.
    pub risk: Risk,
    pub reason: Option<String>,
    pub warnings: Vec<Warning>,
    /// For edits, read against the file on disk by whoever can read files.
    pub preview: Option<DiffPreview>,
    /// Rules that would answer this and similar questions.
    pub suggestions: Vec<Suggestion>,
    pub agent_id: Option<String>,
    /// The folder that the agent is in, where it says so.
    pub cwd: Option<PathBuf>,
    /// Why the agent asks, where that speaks against the call.
    pub doubt: Option<Doubt>,
    /// What rules and mode say of it, before any person.
    pub verdict: Verdict,
    /// Before use: a person answers at the gate, because something else would
    /// answer the question that the agent asks.
    pub held: bool,
}

/// What the agent itself found doubtful about a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Doubt {
    /// The user's own settings of the agent want it asked.
    Settings,
    /// Something in it cannot be checked, in the agent's words.
    Unchecked(String),
}

impl Default for Ask {
    fn default() -> Self {
        Self {
            kind: ApprovalKind::Other,
            tool_use_id: None,
            tool_name: String::new(),
            what: ToolUse::default(),
            input: Json::null(),
            risk: Risk::Medium,
            reason: None,
            warnings: Vec::new(),
            preview: None,
            suggestions: Vec::new(),
            agent_id: None,
            cwd: None,
            doubt: None,
            verdict: Verdict::Unmatched,
            held: false,
        }
    }
}

/// What is said to an agent that waits for permission.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", tag = "gate")]
pub enum GateAnswer {
    /// Nothing speaks against it.
    Pass,
    /// It must ask, though it would not by itself.
    Ask {
        reason: String,
    },
    Deny {
        message: String,
    },
}

/// How a turn ended.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TurnEnd {
    pub stop_reason: Option<StopReason>,
    pub is_error: bool,
    pub result: Option<String>,
    pub structured_output: Option<Json>,
    pub cost_usd: Option<f64>,
    pub usage: Option<Usage>,
    pub messages: Vec<MessageId>,
}

/// One thing the session tells its agent. Requests that want an answer carry
/// an id, which comes back in [`AgentOutput::Reply`].
#[derive(Debug, Clone, PartialEq)]
pub enum AgentCommand {
    Initialize {
        id: String,
        /// The MCP server inside the host.
        host_server: Option<String>,
    },
    /// The host's answer to a [`AgentOutput::HostMessage`].
    HostAnswer {
        request: String,
        answer: Json,
    },
    Prompt {
        message_id: MessageId,
        text: String,
        files: Vec<PromptFile>,
    },
    Answer {
        request: String,
        answer: Answer,
    },
    /// Answers an agent that waits for permission.
    Gate {
        request: String,
        answer: GateAnswer,
    },
    /// Tells the agent that its request cannot be served.
    Refuse {
        request: String,
        message: String,
    },
    Interrupt {
        id: String,
    },
    SetModel {
        id: String,
        model: Option<String>,
    },
    SetPermissionMode {
        id: String,
        mode: PermissionMode,
    },
    RewindFiles {
        id: String,
        checkpoint: MessageId,
        dry_run: bool,
    },
    ContextUsage {
        id: String,
    },
    McpStatus {
        id: String,
    },
    /// Ends one sub-agent or background command.
    StopTask {
        id: String,
        task_id: String,
    },
    /// Asks what the process has cost so far.
    Cost {
        id: String,
    },
}

/// A file that goes to the agent with a prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PromptFile {
    pub name: String,
    pub media_type: String,
    pub bytes: Vec<u8>,
}

/// A decision with what was asked: enough to say it again after a restart.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Answer {
    pub kind: ApprovalKind,
    pub tool_name: String,
    pub input: Json,
    pub decision: AskDecision,
}

/// What a request of the agent was refused with, kept to be said again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refusal {
    pub refused: String,
}

/// A person's decision on an [`Ask`], complete.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", tag = "decision")]
pub enum AskDecision {
    #[serde(rename_all = "camelCase")]
    Allow {
        /// The whole input to use instead, answers to questions included.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        modified_input: Option<serde_json::Value>,
        /// After a plan: the mode to go on in.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        mode: Option<PermissionMode>,
    },
    Deny {
        message: String,
        interrupt: bool,
    },
}

/// The outputs for something that is not the agent's language: kept raw, and said.
pub(crate) fn garbled(what: &str, raw: &[u8]) -> AgentOutput {
    let text = String::from_utf8_lossy(&raw[..raw.len().min(4096)]);
    tracing::warn!(code = %ErrorCode::AgentGarbled, "{what}");
    AgentOutput::Event {
        event: Event::AgentUnknown(AgentUnknown {
            raw: Json::of(&serde_json::json!({"problem": what, "line": text})),
        }),
        agent_id: None,
    }
}
