//! Finished messages: the model's blocks and the tools' results.

use std::path::{Component, Path, PathBuf};

use base64::{Engine, prelude::BASE64_STANDARD};
use baton_claude::{Assistant, Content, ContentBlock, ImageSource, RawJson, User};
use baton_protocol::{
    BlobId,
    event::{AssistantBlock, AssistantMessage, AssistantThinking, ImageOutput, ToolRequested},
    words::Usage,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Translator, ending, event_of, json, notify, raw, tools};
use crate::{
    agents::{AgentOutput, ToolResult, Whole},
    attachments, blob,
};

/// How much a turn may still show in images.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct ImageBudget {
    count: u32,
    base64_bytes: usize,
    /// Somebody knows that images are left out.
    told: bool,
}

impl Default for ImageBudget {
    fn default() -> Self {
        Self {
            count: 10,
            base64_bytes: 25 * 1024 * 1024,
            told: false,
        }
    }
}

/// Where the CLI keeps an output that it does not show the model whole: a file
/// of the session's, below its folder for them. Other tools tell what they want
/// in their results, so no other file is meant.
fn kept(detail: &RawJson) -> Option<PathBuf> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Kept {
        persisted_output_path: PathBuf,
    }
    let path = serde_json::from_str::<Kept>(detail.get()).ok()?;
    let path = path.persisted_output_path;
    let mut above = path.ancestors().skip(1).filter_map(Path::file_name);
    let own = above.next()? == "tool-results" && above.nth(2)? == "projects";
    let plain = path.components().all(|part| part != Component::ParentDir);
    (own && plain && path.is_absolute()).then_some(path)
}

/// What the CLI says when it has nothing to say.
const NO_CONTENT: &str = "(no content)";
/// What stands in a user line when a turn was cut short; the result says it too.
const INTERRUPTED: &str = "[Request interrupted by user";

impl Translator {
    pub(super) fn assistant(&mut self, assistant: &Assistant, out: &mut Vec<AgentOutput>) {
        if self.repeated(assistant.uuid.as_deref()) {
            return;
        }
        let agent_id = self.agent_of(assistant.parent_tool_use_id.as_deref());
        if let Some(error) = &assistant.error {
            let error = ending::api_error(error, &assistant.message.content.text());
            if assistant.parent_tool_use_id.is_some() {
                // A sub-agent's trouble is not the turn's.
                out.push(event_of(error, agent_id));
            } else {
                self.told_error(error, out);
            }
            return;
        }
        if assistant.is_synthetic() {
            let text = assistant.message.content.text();
            let told = &mut self.compact_error;
            if text == NO_CONTENT || told.take_if(|told| *told == text).is_some() {
                return;
            }
        }
        let usage = assistant.message.usage.as_ref().map(usage);
        if assistant.parent_tool_use_id.is_none() && !assistant.is_synthetic() {
            self.context_tokens = usage.map(|usage| {
                usage.input_tokens
                    + usage.cache_read_input_tokens
                    + usage.cache_creation_input_tokens
                    + usage.output_tokens
            });
        }
        let content = assistant.message.content.clone();
        match content {
            Content::Text(text) => {
                let block = ContentBlock::Text { text };
                self.block(assistant, block, usage, agent_id, out);
            }
            Content::Blocks(blocks) => {
                for block in blocks {
                    self.block(assistant, block, usage, agent_id.clone(), out);
                }
            }
        }
    }

    fn block(
        &mut self,
        assistant: &Assistant,
        block: ContentBlock,
        usage: Option<Usage>,
        agent_id: Option<String>,
        out: &mut Vec<AgentOutput>,
    ) {
        let number = self.number(assistant);
        let cut_short = self.cut_short;
        let parent = assistant.parent_tool_use_id.clone();
        let finished = |content: String| AssistantBlock {
            message_id: assistant.message.id.clone().unwrap_or_default(),
            agent_uuid: assistant.uuid.clone(),
            block: number,
            content,
            model: assistant
                .message
                .model
                .clone()
                .filter(|model| !model.starts_with('<')),
            usage,
            parent_tool_use_id: parent.clone(),
            aborted: assistant.aborted || (cut_short && parent.is_none()),
        };
        match block {
            ContentBlock::Text { text } if text.is_empty() => {}
            ContentBlock::Text { text } => {
                self.subagent_said(agent_id.as_deref(), &text);
                out.push(event_of(AssistantMessage(finished(text)), agent_id));
            }
            ContentBlock::Thinking { thinking, .. } => {
                out.push(event_of(AssistantThinking(finished(thinking)), agent_id));
            }
            ContentBlock::ToolUse { id, name, input } => {
                let value: Value = input.parse().unwrap_or_default();
                self.noted(&id, &name, &value);
                let what = tools::tool_use(&name, &value);
                let requested = ToolRequested {
                    tool_use_id: id,
                    label: tools::label(&name, &what),
                    name,
                    tool_kind: what.kind,
                    subject: what.subject.into(),
                    input: json(input.get()),
                    parent_tool_use_id: parent,
                };
                out.push(event_of(requested, agent_id));
            }
            ContentBlock::Image { source } => {
                self.image(source, None, out);
            }
            ContentBlock::ToolResult { .. } => {}
            ContentBlock::Other(other) => out.push(raw(other.get())),
        }
    }

    /// The block's number within its message: the streamed one's, else counted.
    fn number(&mut self, assistant: &Assistant) -> u32 {
        let message = assistant.message.id.clone().unwrap_or_default();
        let number = match &self.last_block {
            _ if message == self.open.id && assistant.parent_tool_use_id.is_none() => {
                self.open.block
            }
            Some((last, number)) if *last == message => number + 1,
            _ => 0,
        };
        self.last_block = Some((message, number));
        number
    }

    pub(super) fn user(&mut self, user: &User, out: &mut Vec<AgentOutput>) {
        if self.repeated(user.uuid.as_deref()) {
            return;
        }
        if user.is_replay {
            self.taken(user.uuid.as_deref().unwrap_or_default(), out);
            return;
        }
        let results: Vec<ContentBlock> = user.tool_results().cloned().collect();
        if !results.is_empty() {
            let agent_id = self.agent_of(user.parent_tool_use_id.as_deref());
            for result in results {
                self.tool_result(user, result, agent_id.clone(), out);
            }
            return;
        }
        // A sub-agent's first line is its prompt, which its call shows already.
        if user.parent_tool_use_id.is_some() {
            return;
        }
        let text = user.message.content.text();
        if !text.starts_with(INTERRUPTED) {
            notify(out, "synthetic", text);
        }
    }

    fn tool_result(
        &mut self,
        user: &User,
        result: ContentBlock,
        agent_id: Option<String>,
        out: &mut Vec<AgentOutput>,
    ) {
        let ContentBlock::ToolResult {
            tool_use_id,
            content,
            is_error,
        } = result
        else {
            return;
        };
        let mut images = Vec::new();
        let mut pictured = false;
        for block in content.blocks() {
            if let ContentBlock::Image { source } = block {
                pictured = true;
                images.extend(self.image(source.clone(), Some(&tool_use_id), out));
            }
        }
        // With an image the structured result only repeats its bytes.
        let detail = user
            .tool_use_result
            .as_ref()
            .filter(|detail| !pictured && detail.get().starts_with(['{', '[']));
        self.list_call_ended(&tool_use_id, detail, is_error, out);
        out.push(AgentOutput::ToolResult(ToolResult {
            tool_use_id,
            output: self.in_our_words(content.text()),
            whole: detail.and_then(kept).map_or(Whole::Said, Whole::Kept),
            detail: detail.map(RawJson::get).map(json),
            is_error,
            images,
            parent_tool_use_id: user.parent_tool_use_id.clone(),
            agent_id,
        }));
    }

    fn image(
        &mut self,
        source: ImageSource,
        tool: Option<&str>,
        out: &mut Vec<AgentOutput>,
    ) -> Option<BlobId> {
        let ImageSource::Base64 { media_type, data } = source else {
            return None;
        };
        if self.images.count == 0 || self.images.base64_bytes < data.len() {
            if !std::mem::replace(&mut self.images.told, true) {
                let why = "images are left out: this turn has shown enough";
                notify(out, "image", why.into());
            }
            return None;
        }
        let bytes = BASE64_STANDARD.decode(&data).ok()?;
        self.images.count -= 1;
        self.images.base64_bytes -= data.len();
        let id = blob::id_of(&bytes);
        let media_type = attachments::output_type(&media_type, &bytes);
        let (width, height) = attachments::dimensions(&bytes).unzip();
        let output = ImageOutput {
            image_id: id,
            media_type: media_type.clone(),
            bytes: bytes.len() as u64,
            width,
            height,
            tool_use_id: tool.map(str::to_owned),
        };
        out.push(AgentOutput::Blob {
            id,
            media_type,
            bytes,
        });
        out.push(super::event(output));
        Some(id)
    }
}

pub(super) fn usage(usage: &baton_claude::Usage) -> Usage {
    Usage {
        input_tokens: usage.input_tokens.unwrap_or_default(),
        output_tokens: usage.output_tokens.unwrap_or_default(),
        cache_read_input_tokens: usage.cache_read_input_tokens.unwrap_or_default(),
        cache_creation_input_tokens: usage.cache_creation_input_tokens.unwrap_or_default(),
    }
}
