//! One line of a transcript.

use std::borrow::Cow;

use serde::Deserialize;

use crate::control::PermissionMode;
use crate::json::{self, RawJson};
use crate::message::chat::{AssistantError, AssistantMessage};
use crate::message::content::{Content, ContentBlock};

/// One row. Rows of the conversation have a uuid and, but for the first, a
/// parent; rows about the session have neither.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// Names the row; for a prompt, the uuid the host chose.
    pub uuid: Option<String>,
    /// The row before it in its branch.
    pub parent_uuid: Option<String>,
    /// Where a compaction cut the branch: the row before it.
    pub logical_parent_uuid: Option<String>,
    /// Whether it belongs to a sub-agent.
    pub is_sidechain: bool,
    /// The session.
    pub session_id: Option<String>,
    /// The working directory. Trust this, not the folder's name.
    pub cwd: Option<String>,
    /// When it was written.
    pub timestamp: Option<String>,
    /// The git branch.
    pub git_branch: Option<String>,
    /// The CLI's version.
    pub version: Option<String>,
    /// The sub-agent it belongs to.
    pub agent_id: Option<String>,
    /// What the CLI that wrote it was started as: `cli` in a terminal, `sdk-…`
    /// by a program.
    pub entrypoint: Option<String>,
    /// Why an answer made up by the CLI stands in for one.
    pub error: Option<AssistantError>,
    /// Whether an answer was cut short by an interrupt (2.1.325 only).
    pub aborted: bool,
    /// What it holds.
    pub body: RowBody,
}

/// What a row holds.
#[derive(Debug, Clone, PartialEq)]
pub enum RowBody {
    /// A prompt or tool results.
    User(Box<UserRow>),
    /// One block of an answer, with its final stop reason and usage.
    Assistant(Box<AssistantMessage>),
    /// Something the model was told on the side.
    Attachment(AttachmentRow),
    /// A remark of the CLI, such as the mark of a compaction.
    System(SystemRow),
    /// A message joined or left the queue.
    QueueOperation {
        /// `enqueue`, `dequeue`, `remove`.
        operation: Option<String>,
    },
    /// Written at shutdown: the last prompt and the active leaf.
    LastPrompt {
        /// The prompt.
        prompt: Option<String>,
        /// The last row of the active branch.
        leaf_uuid: Option<String>,
    },
    /// The title somebody gave the session.
    CustomTitle(String),
    /// The title the model gave the session.
    AiTitle(String),
    /// A summary of the session.
    Summary(String),
    /// Anything else, whole.
    Other {
        /// The row's type.
        kind: Option<String>,
        /// The row.
        raw: RawJson,
    },
}

/// A prompt or tool results.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserRow {
    /// Text, or blocks.
    pub content: Content,
    /// The tool's structured result.
    pub tool_use_result: Option<RawJson>,
    /// Whether it is for the model only.
    pub is_meta: bool,
    /// Whether it is the summary after a compaction.
    pub is_compact_summary: bool,
    /// The permission mode at that time.
    pub permission_mode: Option<PermissionMode>,
}

/// Something the model was told on the side.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AttachmentRow {
    /// A message sent while a turn ran and folded into it. There is no other
    /// row for it.
    QueuedCommand {
        /// The message.
        prompt: Content,
        /// The uuid the host chose.
        source_uuid: Option<String>,
    },
    /// Any other, whole.
    Other {
        /// Its type, such as `hook_additional_context`.
        kind: Option<String>,
        /// The attachment.
        raw: RawJson,
    },
}

/// A remark of the CLI.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SystemRow {
    /// Such as `compact_boundary`, `local_command`, `stop_hook_summary`.
    pub subtype: Option<String>,
    /// Its text.
    pub content: Option<String>,
    /// How a compaction came about.
    pub compact_metadata: Option<RawJson>,
}

impl Row {
    /// Reads one line; `None` when it is not a JSON object.
    #[must_use]
    pub fn decode(line: &[u8]) -> Option<Self> {
        let text = std::str::from_utf8(line).ok()?;
        let raw: RawJson = serde_json::from_str(text).ok()?;
        if !raw.get().starts_with('{') {
            return None;
        }
        let Ok(mut wire) = serde_json::from_str::<RowWire<'_>>(text) else {
            return Some(Self::unread(raw));
        };
        let body = wire.body().unwrap_or_else(|| RowBody::Other {
            kind: wire.kind.as_deref().map(str::to_owned),
            raw,
        });
        Some(Self {
            uuid: wire.uuid,
            parent_uuid: wire.parent_uuid,
            logical_parent_uuid: wire.logical_parent_uuid,
            is_sidechain: wire.is_sidechain,
            session_id: wire.session_id,
            cwd: wire.cwd,
            timestamp: wire.timestamp,
            git_branch: wire.git_branch,
            version: wire.version,
            agent_id: wire.agent_id,
            entrypoint: wire.entrypoint,
            error: wire.error,
            aborted: wire.is_aborted_mid_stream,
            body,
        })
    }

    /// The message of a user's row.
    #[must_use]
    pub fn user(&self) -> Option<&UserRow> {
        if let RowBody::User(user) = &self.body {
            return Some(user);
        }
        None
    }

    /// The message of the agent's row.
    #[must_use]
    pub fn assistant(&self) -> Option<&AssistantMessage> {
        if let RowBody::Assistant(message) = &self.body {
            return Some(message);
        }
        None
    }

    /// The prompt that was folded into a turn with this row, by its uuid.
    #[must_use]
    pub fn folded(&self) -> Option<&str> {
        if let RowBody::Attachment(AttachmentRow::QueuedCommand { source_uuid, .. }) = &self.body {
            return source_uuid.as_deref();
        }
        None
    }

    /// Whether a message has this uuid, as a row or folded into a turn.
    #[must_use]
    pub fn is_message(&self, uuid: &str) -> bool {
        self.folded() == Some(uuid) || self.uuid.as_deref() == Some(uuid)
    }

    /// What the message of a row is made of.
    pub(crate) fn blocks(&self) -> &[ContentBlock] {
        let content = self.user().map(|user| &user.content);
        let content = content.or_else(|| Some(&self.assistant()?.content));
        content.map_or(&[], Content::blocks)
    }

    /// The calls whose results it holds.
    pub fn results(&self) -> impl Iterator<Item = &str> {
        self.blocks().iter().filter_map(|block| {
            if let ContentBlock::ToolResult { tool_use_id, .. } = block {
                Some(tool_use_id.as_str())
            } else {
                None
            }
        })
    }

    /// Whether it marks a compaction.
    #[must_use]
    pub fn is_compact_boundary(&self) -> bool {
        matches!(&self.body, RowBody::System(system)
            if system.subtype.as_deref() == Some("compact_boundary"))
    }

    /// What the user said, when the row is a prompt; tool results, summaries
    /// and remarks for the model are none.
    #[must_use]
    pub fn prompt(&self) -> Option<&Content> {
        if let RowBody::Attachment(AttachmentRow::QueuedCommand { prompt, .. }) = &self.body {
            return Some(prompt);
        }
        let user = self.user()?;
        let says = !user.is_meta && !user.is_compact_summary && self.results().next().is_none();
        says.then_some(&user.content)
    }

    fn unread(raw: RawJson) -> Self {
        Self {
            uuid: None,
            parent_uuid: None,
            logical_parent_uuid: None,
            is_sidechain: false,
            session_id: None,
            cwd: None,
            timestamp: None,
            git_branch: None,
            version: None,
            agent_id: None,
            entrypoint: None,
            error: None,
            aborted: false,
            body: RowBody::Other { kind: None, raw },
        }
    }
}

/// All fields of all rows.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RowWire<'a> {
    #[serde(borrow, default, rename = "type", deserialize_with = "json::opt_cow")]
    kind: Option<Cow<'a, str>>,
    #[serde(default, deserialize_with = "json::opt_string")]
    uuid: Option<String>,
    #[serde(default, deserialize_with = "json::opt_string")]
    parent_uuid: Option<String>,
    #[serde(default, deserialize_with = "json::opt_string")]
    logical_parent_uuid: Option<String>,
    #[serde(default, deserialize_with = "json::flag")]
    is_sidechain: bool,
    #[serde(default, deserialize_with = "json::opt_string")]
    session_id: Option<String>,
    #[serde(default, deserialize_with = "json::opt_string")]
    cwd: Option<String>,
    #[serde(default, deserialize_with = "json::opt_string")]
    timestamp: Option<String>,
    #[serde(default, deserialize_with = "json::opt_string")]
    git_branch: Option<String>,
    #[serde(default, deserialize_with = "json::opt_string")]
    version: Option<String>,
    #[serde(default, deserialize_with = "json::opt_string")]
    agent_id: Option<String>,
    #[serde(default, deserialize_with = "json::opt_string")]
    entrypoint: Option<String>,
    #[serde(default, deserialize_with = "json::or_default")]
    error: Option<AssistantError>,
    #[serde(default, deserialize_with = "json::flag")]
    is_aborted_mid_stream: bool,
    #[serde(default)]
    message: Option<RawJson>,
    #[serde(default)]
    tool_use_result: Option<RawJson>,
    #[serde(default, deserialize_with = "json::flag")]
    is_meta: bool,
    #[serde(default, deserialize_with = "json::flag")]
    is_compact_summary: bool,
    #[serde(default, deserialize_with = "json::opt_string")]
    permission_mode: Option<String>,
    #[serde(default)]
    attachment: Option<RawJson>,
    #[serde(default, deserialize_with = "json::opt_string")]
    subtype: Option<String>,
    #[serde(default, deserialize_with = "json::opt_string")]
    content: Option<String>,
    #[serde(default)]
    compact_metadata: Option<RawJson>,
    #[serde(default, deserialize_with = "json::opt_string")]
    operation: Option<String>,
    #[serde(default, deserialize_with = "json::opt_string")]
    last_prompt: Option<String>,
    #[serde(default, deserialize_with = "json::opt_string")]
    leaf_uuid: Option<String>,
    #[serde(default, deserialize_with = "json::opt_string")]
    custom_title: Option<String>,
    #[serde(default, deserialize_with = "json::opt_string")]
    ai_title: Option<String>,
    #[serde(default, deserialize_with = "json::opt_string")]
    summary: Option<String>,
}

#[derive(Deserialize)]
struct MessageWire {
    content: Content,
}

#[derive(Deserialize)]
struct AttachmentWire {
    #[serde(rename = "type", default, deserialize_with = "json::opt_string")]
    kind: Option<String>,
    prompt: Option<Content>,
    #[serde(default, deserialize_with = "json::opt_string")]
    source_uuid: Option<String>,
}

impl RowWire<'_> {
    /// None when the type is unknown or the row lacks what it needs.
    fn body(&mut self) -> Option<RowBody> {
        Some(match self.kind.as_deref()? {
            "user" => {
                let message: MessageWire = serde_json::from_str(self.message.take()?.get()).ok()?;
                RowBody::User(Box::new(UserRow {
                    content: message.content,
                    tool_use_result: self.tool_use_result.take(),
                    is_meta: self.is_meta,
                    is_compact_summary: self.is_compact_summary,
                    permission_mode: self.permission_mode.as_deref().map(PermissionMode::from),
                }))
            }
            "assistant" => {
                let message = serde_json::from_str(self.message.take()?.get()).ok()?;
                RowBody::Assistant(Box::new(message))
            }
            "attachment" => RowBody::Attachment(attachment(self.attachment.take()?)),
            "system" => RowBody::System(SystemRow {
                subtype: self.subtype.take(),
                content: self.content.take(),
                compact_metadata: self.compact_metadata.take(),
            }),
            "queue-operation" => RowBody::QueueOperation {
                operation: self.operation.take(),
            },
            "last-prompt" => RowBody::LastPrompt {
                prompt: self.last_prompt.take(),
                leaf_uuid: self.leaf_uuid.take(),
            },
            "custom-title" => RowBody::CustomTitle(self.custom_title.take()?),
            "ai-title" => RowBody::AiTitle(self.ai_title.take()?),
            "summary" => RowBody::Summary(self.summary.take()?),
            _ => return None,
        })
    }
}

fn attachment(raw: RawJson) -> AttachmentRow {
    let Ok(wire) = serde_json::from_str::<AttachmentWire>(raw.get()) else {
        return AttachmentRow::Other { kind: None, raw };
    };
    match (wire.kind.as_deref(), wire.prompt) {
        (Some("queued_command"), Some(prompt)) => AttachmentRow::QueuedCommand {
            prompt,
            source_uuid: wire.source_uuid,
        },
        _ => AttachmentRow::Other {
            kind: wire.kind,
            raw,
        },
    }
}
