//! What the scripted model answers: content blocks, or a failure, and how it is delivered.

use std::time::Duration;

use serde_json::{Value, json};

/// One content block of a reply.
#[derive(Debug, Clone, PartialEq)]
pub enum Block {
    /// Text, sent in the given pieces.
    Text(Vec<String>),
    /// Thinking, sent in the given pieces, followed by a signature.
    Thinking(Vec<String>),
    /// A tool call. The server gives it an id unless one is chosen.
    ToolUse {
        /// Chosen id; `None` lets the server count `toolu_test_1`, `toolu_test_2`, ...
        id: Option<String>,
        /// Tool name, for example `Bash`.
        name: String,
        /// The whole input object.
        input: Value,
    },
}

/// Token counts reported with a reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Usage {
    /// Uncached input tokens.
    pub input: u64,
    /// Output tokens.
    pub output: u64,
    /// Input tokens written to the cache.
    pub cache_creation: u64,
    /// Input tokens read from the cache.
    pub cache_read: u64,
}

impl Default for Usage {
    fn default() -> Self {
        Self {
            input: 100,
            output: 20,
            cache_creation: 0,
            cache_read: 0,
        }
    }
}

/// What happens to the stream after a number of events.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cut {
    /// Keep the connection open and silent until released or the client goes.
    Stall,
    /// Close the connection without ending the response.
    Drop,
}

/// One scripted answer to one `POST /v1/messages`.
#[derive(Debug, Clone, PartialEq)]
pub struct Reply {
    pub(crate) body: Body,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) usage: Usage,
    pub(crate) delay: Duration,
    pub(crate) cut: Option<(usize, Cut)>,
    pub(crate) stop_reason: Option<String>,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Body {
    Blocks(Vec<Block>),
    Error {
        status: u16,
        kind: String,
        message: String,
    },
}

/// Answers with `text`, one delta per word.
pub fn text(text: impl AsRef<str>) -> Reply {
    Reply::blocks([Block::Text(words(text.as_ref()))])
}

/// Answers with text sent in exactly these pieces.
pub fn text_chunks<S: Into<String>>(chunks: impl IntoIterator<Item = S>) -> Reply {
    Reply::blocks([Block::Text(chunks.into_iter().map(Into::into).collect())])
}

/// Answers with `count` deltas of `"tok "`.
pub fn tokens(count: usize) -> Reply {
    text_chunks(std::iter::repeat_n("tok ", count))
}

/// Starts an answer with a thinking block; add the rest with [`Reply::and`].
pub fn thinking(text: impl AsRef<str>) -> Reply {
    Reply::blocks([Block::Thinking(words(text.as_ref()))])
}

/// Answers with one tool call.
pub fn tool_use(name: impl Into<String>, input: Value) -> Reply {
    Reply::blocks([Block::ToolUse {
        id: None,
        name: name.into(),
        input,
    }])
}

/// Answers with one tool call whose id the test chooses.
pub fn tool_use_with_id(id: impl Into<String>, name: impl Into<String>, input: Value) -> Reply {
    Reply::blocks([Block::ToolUse {
        id: Some(id.into()),
        name: name.into(),
        input,
    }])
}

/// Fails with an HTTP status and an API error type such as `overloaded_error`.
pub fn error(status: u16, kind: impl Into<String>) -> Reply {
    let kind = kind.into();
    Reply {
        body: Body::Error {
            status,
            message: format!("scripted {kind}"),
            kind,
        },
        ..Reply::blocks([])
    }
}

impl Reply {
    /// An answer made of several blocks.
    pub fn blocks(blocks: impl IntoIterator<Item = Block>) -> Self {
        Self {
            body: Body::Blocks(blocks.into_iter().collect()),
            headers: Vec::new(),
            usage: Usage::default(),
            delay: Duration::ZERO,
            cut: None,
            stop_reason: None,
        }
    }

    /// Adds the blocks of `other` to this answer; two tool calls are then made in parallel.
    ///
    /// # Panics
    /// When either side is an error: an error has no blocks.
    #[must_use]
    pub fn and(mut self, other: Self) -> Self {
        match (&mut self.body, other.body) {
            (Body::Blocks(mine), Body::Blocks(theirs)) => mine.extend(theirs),
            (Body::Error { .. }, _) | (_, Body::Error { .. }) => {
                panic!("an error reply cannot be joined with another reply")
            }
        }
        self
    }

    /// Adds a response header, for example `retry-after`.
    #[must_use]
    pub fn header(mut self, name: &str, value: impl Into<String>) -> Self {
        self.headers.push((name.to_owned(), value.into()));
        self
    }

    /// Sets the reported token counts.
    #[must_use]
    pub fn usage(mut self, usage: Usage) -> Self {
        self.usage = usage;
        self
    }

    /// Waits this long before every streamed event.
    #[must_use]
    pub fn slow(mut self, delay: Duration) -> Self {
        self.delay = delay;
        self
    }

    /// Falls silent after `events` events, until the test releases the server or the client goes.
    #[must_use]
    pub fn stall_after(mut self, events: usize) -> Self {
        self.cut = Some((events, Cut::Stall));
        self
    }

    /// Closes the connection after `events` events.
    #[must_use]
    pub fn drop_after(mut self, events: usize) -> Self {
        self.cut = Some((events, Cut::Drop));
        self
    }

    /// Reports another stop reason than `end_turn` or `tool_use`, for example `max_tokens`.
    #[must_use]
    pub fn stop_reason(mut self, reason: impl Into<String>) -> Self {
        self.stop_reason = Some(reason.into());
        self
    }

    /// Gives every tool call without an id the next one, so that rendering is pure.
    pub(crate) fn name_tools(&mut self, mut next: impl FnMut() -> String) {
        if let Body::Blocks(blocks) = &mut self.body {
            for block in blocks {
                if let Block::ToolUse { id: id @ None, .. } = block {
                    *id = Some(next());
                }
            }
        }
    }
}

/// The whole message as the API returns it without streaming.
pub(crate) fn message(id: &str, model: &str, blocks: &[Block], reply: &Reply) -> Value {
    let content: Vec<Value> = blocks.iter().map(whole_block).collect();
    json!({
        "id": id, "type": "message", "role": "assistant", "model": model, "content": content,
        "stop_reason": stop_reason(blocks, reply), "stop_sequence": null, "usage": usage(reply.usage),
    })
}

/// The server-sent events of a streamed message, in order.
pub(crate) fn events(id: &str, model: &str, blocks: &[Block], reply: &Reply) -> Vec<Value> {
    let mut events = vec![json!({"type": "message_start", "message": {
        "id": id, "type": "message", "role": "assistant", "model": model, "content": [],
        "stop_reason": null, "stop_sequence": null, "usage": usage(reply.usage),
    }})];
    for (index, block) in blocks.iter().enumerate() {
        let delta =
            |delta: Value| json!({"type": "content_block_delta", "index": index, "delta": delta});
        let start = match block {
            Block::Text(_) => json!({"type": "text", "text": ""}),
            Block::Thinking(_) => json!({"type": "thinking", "thinking": "", "signature": ""}),
            Block::ToolUse { id, name, .. } => {
                json!({"type": "tool_use", "id": id, "name": name, "input": {}})
            }
        };
        events.push(json!({"type": "content_block_start", "index": index, "content_block": start}));
        match block {
            Block::Text(chunks) => {
                events.extend(
                    chunks
                        .iter()
                        .map(|text| delta(json!({"type": "text_delta", "text": text}))),
                );
            }
            Block::Thinking(chunks) => {
                events.extend(
                    chunks
                        .iter()
                        .map(|text| delta(json!({"type": "thinking_delta", "thinking": text}))),
                );
                events.push(delta(
                    json!({"type": "signature_delta", "signature": SIGNATURE}),
                ));
            }
            Block::ToolUse { input, .. } => {
                events.push(delta(
                    json!({"type": "input_json_delta", "partial_json": input.to_string()}),
                ));
            }
        }
        events.push(json!({"type": "content_block_stop", "index": index}));
    }
    events.push(json!({
        "type": "message_delta",
        "delta": {"stop_reason": stop_reason(blocks, reply), "stop_sequence": null},
        "usage": {"output_tokens": reply.usage.output},
    }));
    events.push(json!({"type": "message_stop"}));
    events
}

/// The API's error body.
pub(crate) fn error_body(kind: &str, message: &str) -> Value {
    json!({"type": "error", "error": {"type": kind, "message": message}})
}

/// Any non-empty text: the CLI stores and returns it without looking inside.
const SIGNATURE: &str = "c2lnbmF0dXJl";

fn whole_block(block: &Block) -> Value {
    match block {
        Block::Text(chunks) => json!({"type": "text", "text": chunks.concat()}),
        Block::Thinking(chunks) => {
            json!({"type": "thinking", "thinking": chunks.concat(), "signature": SIGNATURE})
        }
        Block::ToolUse { id, name, input } => {
            json!({"type": "tool_use", "id": id, "name": name, "input": input})
        }
    }
}

fn stop_reason(blocks: &[Block], reply: &Reply) -> String {
    let calls_tool = blocks
        .iter()
        .any(|block| matches!(block, Block::ToolUse { .. }));
    let usual = if calls_tool { "tool_use" } else { "end_turn" };
    reply
        .stop_reason
        .clone()
        .unwrap_or_else(|| usual.to_owned())
}

fn usage(usage: Usage) -> Value {
    json!({
        "input_tokens": usage.input, "output_tokens": usage.output,
        "cache_creation_input_tokens": usage.cache_creation, "cache_read_input_tokens": usage.cache_read,
    })
}

/// Splits after each space, so that the pieces joined are the text again.
fn words(text: &str) -> Vec<String> {
    text.split_inclusive(' ').map(str::to_owned).collect()
}
