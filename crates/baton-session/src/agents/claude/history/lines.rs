//! Rows as the lines they once were, and what is wrapped in their text.

use baton_claude::{
    Assistant, AssistantMessage, Content, User, UserBody,
    transcript::{Row, SystemRow},
};
use baton_protocol::event::ContextCompacted;
use serde::Deserialize;

/// The line that a row once was.
pub(super) fn assistant(
    row: &Row,
    message: &AssistantMessage,
    parent: Option<String>,
) -> Assistant {
    Assistant {
        message: message.clone(),
        session_id: None,
        uuid: row.uuid.clone(),
        parent_tool_use_id: parent,
        subagent_type: None,
        task_description: None,
        request_id: None,
        error: row.error.clone(),
        aborted: row.aborted,
        timestamp: None,
        user_message_uuids: Vec::new(),
    }
}

pub(super) fn line(
    row: &Row,
    content: &Content,
    detail: Option<baton_claude::RawJson>,
    parent: Option<String>,
) -> User {
    User {
        message: UserBody {
            content: content.clone(),
        },
        session_id: None,
        uuid: row.uuid.clone(),
        parent_tool_use_id: parent,
        subagent_type: None,
        task_description: None,
        is_replay: false,
        is_synthetic: false,
        tool_use_result: detail,
        tool_result_meta: None,
        timestamp: None,
        origin: None,
    }
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct CompactionWire {
    trigger: Option<String>,
    pre_tokens: Option<u64>,
    post_tokens: Option<u64>,
}

pub(super) fn compaction(system: &SystemRow) -> ContextCompacted {
    let metadata = system.compact_metadata.as_ref();
    let wire: CompactionWire = metadata
        .and_then(|metadata| metadata.parse().ok())
        .unwrap_or_default();
    ContextCompacted {
        trigger: wire.trigger.unwrap_or_else(|| "manual".into()),
        tokens_before: wire.pre_tokens,
        tokens_after: wire.post_tokens,
    }
}

/// A slash command as it was typed, from the tags it is kept in.
pub(super) fn command(text: &str) -> Option<String> {
    let name = tagged(text, "command-name")?;
    let arguments = tagged(text, "command-args").unwrap_or_default();
    let slash = if name.starts_with('/') { "" } else { "/" };
    Some(format!("{slash}{name} {arguments}").trim().to_owned())
}

fn tagged<'a>(text: &'a str, tag: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(&format!("<{tag}>"))?;
    let (inner, _) = rest.split_once(&format!("</{tag}>"))?;
    Some(inner.trim())
}

/// A command's answer without the tag around it.
pub(super) fn unwrapped(text: &str) -> &str {
    let tags = ["local-command-stdout", "local-command-stderr"];
    tags.iter()
        .find_map(|tag| tagged(text, tag))
        .unwrap_or(text)
}
