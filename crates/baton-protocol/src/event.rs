//! Every durable event, by its wire name.
//!
//! An event is committed to the log before anyone sees it. The list below is
//! the one place where a name, its payload and the moment it fires stand
//! together; a reader meets a name it does not know as [`Event::Unrecognised`].

mod approval;
mod message;
mod session;
mod terminal;
mod tool;
mod turn;
mod work;

pub use crate::options::SessionOptions;
pub use approval::{
    ApprovalRequested, ApprovalResolved, DiffLine, DiffPreview, Hunk, LineKind, Suggestion, Warning,
};
pub use message::{
    AssistantBlock, Attachment, MessageDelivered, MessageEdited, MessageMoved, MessageRemoved,
    QueueHeld, QueueReleased, UserMessage,
};
pub use session::{
    FolderTools, McpServerState, MemoryLost, Moved, SessionCreated, SessionEnded, SessionStarted,
    SessionStateChanged, SessionUpdated,
};
pub use terminal::{PtyClosed, PtyOpened, PtyResized};
pub use tool::{ImageOutput, ToolCompleted, ToolRequested};
pub use turn::{TurnCompleted, TurnStarted, TurnStats};
pub use work::{
    AgentRetry, AgentUnknown, CheckpointCreated, ContextCompacted, ContextUsage, EndedWork,
    ErrorRaised, FilesRewound, ModelChanged, Notification, PermissionModeChanged, RunningWork,
    RuntimeFallback, SubagentStarted, SubagentStopped, TaskUpdated, TodoItem, TodoUpdated,
};

use schemars::{Schema, SchemaGenerator};
use serde::Serialize;
use serde_json::value::RawValue;

use crate::words::Json;

macro_rules! events {
    ($($(#[$doc:meta])* $variant:ident($payload:ty) = $name:literal,)+) => {
        /// One thing that happened in a session.
        #[derive(Debug, Clone, PartialEq)]
        pub enum Event {
            $($(#[$doc])* $variant($payload),)+
            /// An event of a newer Baton: its name and payload, kept as they came.
            Unrecognised { name: String, payload: Json },
        }

        /// What an event is, without what it says.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum EventKind { $($(#[$doc])* $variant,)+ }

        impl EventKind {
            /// None for an event of a newer Baton.
            pub fn of_name(name: &str) -> Option<Self> {
                match name {
                    $($name => Some(Self::$variant),)+
                    _ => None,
                }
            }
        }

        impl Event {
            /// Every wire name this version writes.
            pub const NAMES: &'static [&'static str] = &[$($name,)+];

            /// The wire name, `type` in the envelope.
            pub fn name(&self) -> &str {
                match self {
                    $(Self::$variant(_) => $name,)+
                    Self::Unrecognised { name, .. } => name,
                }
            }

            /// The payload as JSON text.
            pub fn payload(&self) -> Json {
                match self {
                    $(Self::$variant(payload) => Json::of(payload),)+
                    Self::Unrecognised { payload, .. } => payload.clone(),
                }
            }

            /// Reads a payload by its wire name.
            pub fn decode(name: &str, payload: &RawValue) -> Result<Self, serde_json::Error> {
                Ok(match name {
                    $($name => Self::$variant(serde_json::from_str(payload.get())?),)+
                    _ => Self::Unrecognised {
                        name: name.to_owned(),
                        payload: Json::from_raw(payload.to_owned()),
                    },
                })
            }

            /// Name, payload schema and description of every event, for the generated schema.
            pub(crate) fn schemas(generator: &mut SchemaGenerator) -> Vec<(&'static str, Schema)> {
                vec![$(($name, generator.subschema_for::<$payload>()),)+]
            }
        }

        $(impl From<$payload> for Event {
            fn from(payload: $payload) -> Self {
                Self::$variant(payload)
            }
        })+

    };
}

events! {
    /// A session was made; everything it was made with.
    SessionCreated(Box<SessionCreated>) = "session.created",
    /// A process took the session up.
    SessionStarted(SessionStarted) = "session.started",
    /// The session's state changed.
    SessionState(SessionStateChanged) = "session.state",
    /// A property changed: title, the agent's own session id.
    SessionUpdated(SessionUpdated) = "session.updated",
    /// The session ended; only a resume leaves this state.
    SessionEnded(SessionEnded) = "session.ended",
    /// A turn began.
    TurnStarted(TurnStarted) = "turn.started",
    /// A turn ended, however it ended.
    TurnCompleted(TurnCompleted) = "turn.completed",
    /// A user's message was stored.
    UserMessage(UserMessage) = "user.message",
    /// The agent has taken a message.
    MessageDelivered(MessageDelivered) = "message.delivered",
    /// A queued message was taken back.
    MessageRemoved(MessageRemoved) = "message.removed",
    /// A queued message says something else from here on.
    MessageEdited(MessageEdited) = "message.edited",
    /// A queued message has another place among those that wait.
    MessageMoved(MessageMoved) = "message.moved",
    /// The messages that wait now are not begun before somebody lets them go on.
    QueueHeld(QueueHeld) = "queue.held",
    /// What was held goes on.
    QueueReleased(QueueReleased) = "queue.released",
    /// A block of the assistant's text is complete.
    AssistantMessage(AssistantMessage) = "assistant.message",
    /// A block of the assistant's thinking is complete.
    AssistantThinking(AssistantThinking) = "assistant.thinking",
    /// The agent called a tool.
    ToolRequested(ToolRequested) = "tool.requested",
    /// A tool call ended.
    ToolCompleted(ToolCompleted) = "tool.completed",
    /// A person must decide.
    ApprovalRequested(ApprovalRequested) = "approval.requested",
    /// It was decided, or the question went away.
    ApprovalResolved(ApprovalResolved) = "approval.resolved",
    /// A sub-agent began.
    SubagentStarted(SubagentStarted) = "subagent.started",
    /// A sub-agent ended.
    SubagentStopped(SubagentStopped) = "subagent.stopped",
    /// Background work changed.
    TaskUpdated(TaskUpdated) = "task.updated",
    /// The agent's list changed; this is the whole list.
    TodoUpdated(TodoUpdated) = "todo.updated",
    /// The agent or a tool made an image.
    ImageOutput(ImageOutput) = "image.output",
    /// How full the model's context is.
    ContextUsage(ContextUsage) = "context.usage",
    /// The context was compacted.
    ContextCompacted(ContextCompacted) = "context.compacted",
    /// The files' state at a message can be returned to.
    CheckpointCreated(CheckpointCreated) = "checkpoint.created",
    /// Files were put back.
    FilesRewound(FilesRewound) = "files.rewound",
    /// The model changed.
    ModelChanged(ModelChanged) = "model.changed",
    /// The permission mode changed.
    PermissionModeChanged(PermissionModeChanged) = "permission_mode.changed",
    /// The agent wants attention without asking anything.
    Notification(Notification) = "notification",
    /// The session went on in the other runtime.
    RuntimeFallback(RuntimeFallback) = "runtime.fallback",
    /// The agent tries a failed model call again.
    AgentRetry(AgentRetry) = "agent.retry",
    /// The agent said something Baton does not know; nothing is swallowed.
    AgentUnknown(AgentUnknown) = "agent.unknown",
    /// Something went wrong, with what to do about it.
    Error(ErrorRaised) = "error",
    /// A terminal opened.
    PtyOpened(PtyOpened) = "pty.opened",
    /// A terminal changed size.
    PtyResized(PtyResized) = "pty.resized",
    /// A terminal closed.
    PtyClosed(PtyClosed) = "pty.closed",
}

// It has far more in it than any other, and comes once.
impl From<SessionCreated> for Event {
    fn from(payload: SessionCreated) -> Self {
        Self::from(Box::new(payload))
    }
}

macro_rules! block_payload {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Serialize, serde::Deserialize, schemars::JsonSchema)]
        #[serde(transparent)]
        pub struct $name(pub AssistantBlock);
    };
}

block_payload!(
    /// `assistant.message`
    AssistantMessage
);
block_payload!(
    /// `assistant.thinking`
    AssistantThinking
);

#[cfg(test)]
#[path = "event_tests.rs"]
mod tests;
