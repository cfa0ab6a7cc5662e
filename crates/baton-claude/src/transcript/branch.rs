//! Finds the active branch of a file that is too long to be kept.

use std::collections::HashSet;

use uuid::Uuid;

use super::row::{AttachmentRow, Row, RowBody, SystemRow, UserRow};
use super::tree::{Transcript, is_link};
use crate::json::RawJson;
use crate::message::chat::AssistantMessage;
use crate::message::content::{Content, ContentBlock};

/// Takes all rows of a file, one after the other, and keeps only how they
/// hang together.
#[derive(Debug, Default)]
pub struct BranchFinder {
    links: Transcript,
}

/// The rows of the conversation as it stands.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct ActiveRows {
    rows: HashSet<Uuid>,
}

impl BranchFinder {
    /// Takes the next row.
    pub fn add(&mut self, row: &Row) {
        if is_link(row) || matches!(row.body, RowBody::LastPrompt { .. }) {
            self.links.rows.push(link(row));
        }
    }

    /// What the rows so far come to.
    #[must_use]
    pub fn finish(self) -> ActiveRows {
        let branch = self.links.active_branch().into_iter();
        ActiveRows {
            rows: branch.filter_map(uuid).collect(),
        }
    }
}

impl ActiveRows {
    /// Whether a row is on the branch. A row that has no place in the chain,
    /// or no name to know it by, is nobody's to leave out.
    #[must_use]
    pub fn contains(&self, row: &Row) -> bool {
        !is_link(row) || uuid(row).is_none_or(|uuid| self.rows.contains(&uuid))
    }

    /// Whether a row of this name is on the branch.
    #[must_use]
    pub fn has(&self, uuid: Uuid) -> bool {
        self.rows.contains(&uuid)
    }
}

fn uuid(row: &Row) -> Option<Uuid> {
    row.uuid
        .as_deref()
        .and_then(|uuid| Uuid::try_parse(uuid).ok())
}

/// The row without all that the way up does not need.
fn link(row: &Row) -> Row {
    Row {
        uuid: row.uuid.clone(),
        parent_uuid: row.parent_uuid.clone(),
        logical_parent_uuid: row.logical_parent_uuid.clone(),
        is_sidechain: row.is_sidechain,
        session_id: None,
        cwd: None,
        timestamp: None,
        git_branch: None,
        version: None,
        agent_id: None,
        entrypoint: None,
        error: None,
        aborted: false,
        body: link_body(row),
    }
}

fn link_body(row: &Row) -> RowBody {
    match &row.body {
        RowBody::User(user) => RowBody::User(Box::new(UserRow {
            content: calls(&user.content),
            tool_use_result: None,
            is_meta: user.is_meta,
            is_compact_summary: user.is_compact_summary,
            permission_mode: None,
        })),
        RowBody::Assistant(message) => RowBody::Assistant(Box::new(AssistantMessage {
            id: None,
            model: None,
            content: calls(&message.content),
            stop_reason: None,
            usage: None,
        })),
        RowBody::System(system) => RowBody::System(SystemRow {
            subtype: system.subtype.clone(),
            content: None,
            compact_metadata: system.compact_metadata.clone(),
        }),
        RowBody::LastPrompt { leaf_uuid, .. } => RowBody::LastPrompt {
            prompt: None,
            leaf_uuid: leaf_uuid.clone(),
        },
        RowBody::Attachment(_)
        | RowBody::QueueOperation { .. }
        | RowBody::CustomTitle(_)
        | RowBody::AiTitle(_)
        | RowBody::Summary(_)
        | RowBody::Other { .. } => RowBody::Attachment(AttachmentRow::Other {
            kind: None,
            raw: RawJson::default(),
        }),
    }
}

/// Only which calls are made and answered.
fn calls(content: &Content) -> Content {
    let calls = content.blocks().iter().filter_map(|block| match block {
        ContentBlock::ToolUse { id, .. } => Some(ContentBlock::ToolUse {
            id: id.clone(),
            name: String::new(),
            input: RawJson::default(),
        }),
        ContentBlock::ToolResult { tool_use_id, .. } => Some(ContentBlock::ToolResult {
            tool_use_id: tool_use_id.clone(),
            content: Content::default(),
            is_error: false,
        }),
        ContentBlock::Text { .. }
        | ContentBlock::Thinking { .. }
        | ContentBlock::Image { .. }
        | ContentBlock::Other(_) => None,
    });
    Content::Blocks(calls.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_branch_is_the_same_as_that_of_the_whole_file() {
        let row = |kind: &str, uuid: u128, parent: u128, message: &str| {
            let (uuid, parent) = (Uuid::from_u128(uuid), Uuid::from_u128(parent));
            format!(r#"{{"type":"{kind}","uuid":"{uuid}","parentUuid":"{parent}",{message}}}"#)
        };
        let said = r#""message":{"content":"text"}"#;
        let call = |id: &str| {
            format!(
                r#""message":{{"content":[{{"type":"tool_use","id":"{id}","name":"Bash","input":{{"command":"ls"}}}}]}}"#
            )
        };
        let result = |id: &str| {
            format!(
                r#""message":{{"content":[{{"type":"tool_result","tool_use_id":"{id}","content":"long"}}]}}"#
            )
        };
        let kept = Uuid::from_u128(7);
        let file = [
            row("user", 1, 0, said),
            row("assistant", 2, 1, &call("a")),
            row("assistant", 3, 2, &call("b")),
            row("user", 4, 2, &result("a")),
            row("user", 5, 3, &result("b")),
            row("user", 6, 1, said),
            row("assistant", 7, 5, said),
            format!(
                r#"{{"type":"system","subtype":"compact_boundary","uuid":"{}","parentUuid":null,"compactMetadata":{{"preservedSegment":{{"tailUuid":"{kept}"}}}}}}"#,
                Uuid::from_u128(8)
            ),
            row(
                "attachment",
                9,
                7,
                r#""attachment":{"type":"queued_command","prompt":"x"}"#,
            ),
            r#"{"type":"custom-title","customTitle":"t"}"#.to_owned(),
            format!(
                r#"{{"type":"last-prompt","leafUuid":"{}"}}"#,
                Uuid::from_u128(9)
            ),
        ];
        let whole = Transcript::parse(file.join("\n").as_bytes());
        let mut finder = BranchFinder::default();
        whole.rows.iter().for_each(|row| finder.add(row));
        let active = finder.finish();
        let found: Vec<&Row> = whole
            .rows
            .iter()
            .filter(|row| is_link(row) && active.contains(row))
            .collect();
        assert_eq!(found, whole.active_branch());
        assert_eq!(found.len(), 8, "all but the abandoned row");
        assert!(active.contains(&whole.rows[9]), "not in the chain");
    }
}
