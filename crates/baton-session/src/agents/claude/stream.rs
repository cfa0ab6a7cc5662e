//! The path of every token: stream events to live frames.

use baton_claude::{ApiEvent, Delta, StreamEvent};
use baton_protocol::{
    Live,
    live::{TextDelta, ToolProgress},
    words::Usage,
};
use serde::{Deserialize, Serialize};

use super::{Translator, chat::usage};
use crate::agents::AgentOutput;

/// The message being streamed, and how far its open block has come.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct OpenMessage {
    pub(super) id: String,
    pub(super) block: u32,
    /// UTF-16 code units of the open block so far.
    offset: u64,
}

impl Translator {
    pub(super) fn stream(&mut self, event: StreamEvent<'_>, out: &mut Vec<AgentOutput>) {
        if event.parent_tool_use_id.is_some() {
            return;
        }
        match event.event {
            ApiEvent::MessageStart(start) => {
                let (before, last) = self.used;
                let begun = start.usage.as_ref().map(usage).unwrap_or_default();
                self.used = (before.plus(last), begun);
                self.open = OpenMessage {
                    id: start.id.unwrap_or_default(),
                    block: 0,
                    offset: 0,
                };
            }
            ApiEvent::ContentBlockStart { index, .. } => {
                self.open.block = index;
                self.open.offset = 0;
            }
            ApiEvent::ContentBlockDelta { index, delta } => match delta {
                Delta::Text(text) => {
                    out.push(AgentOutput::Live(Live::AssistantDelta(
                        self.grow(index, &text),
                    )));
                }
                Delta::Thinking(text) => {
                    out.push(AgentOutput::Live(Live::ThinkingDelta(
                        self.grow(index, &text),
                    )));
                }
                // The finished call carries the whole input.
                Delta::Signature(_) | Delta::InputJson(_) | Delta::Other(_) => {}
            },
            ApiEvent::MessageDelta { usage: counts, .. } => {
                // It repeats only some of what the start said.
                if let Some(counts) = counts.as_ref().map(usage) {
                    self.used.1 = at_least(self.used.1, counts);
                }
                out.push(AgentOutput::Spent(self.used.0.plus(self.used.1)));
            }
            // Blocks and messages end by their assistant lines and the result.
            ApiEvent::ContentBlockStop { .. }
            | ApiEvent::MessageStop
            | ApiEvent::Ping
            | ApiEvent::Error(_)
            | ApiEvent::Other(_) => {}
        }
    }

    fn grow(&mut self, index: u32, text: &str) -> TextDelta {
        if self.open.block != index {
            self.open.block = index;
            self.open.offset = 0;
        }
        let offset = self.open.offset;
        self.open.offset += text.chars().map(|c| c.len_utf16() as u64).sum::<u64>();
        TextDelta {
            message_id: self.open.id.clone(),
            block: index,
            offset,
            text: text.to_owned(),
        }
    }
}

fn at_least(one: Usage, two: Usage) -> Usage {
    Usage {
        input_tokens: one.input_tokens.max(two.input_tokens),
        output_tokens: one.output_tokens.max(two.output_tokens),
        cache_read_input_tokens: one.cache_read_input_tokens.max(two.cache_read_input_tokens),
        cache_creation_input_tokens: one
            .cache_creation_input_tokens
            .max(two.cache_creation_input_tokens),
    }
}

pub(super) fn progress(progress: &baton_claude::ToolProgress, out: &mut Vec<AgentOutput>) {
    let seconds = progress.elapsed_time_seconds.unwrap_or_default();
    out.push(AgentOutput::Live(Live::ToolProgress(ToolProgress {
        tool_use_id: progress.tool_use_id.clone(),
        elapsed_ms: std::time::Duration::try_from_secs_f64(seconds).map_or(0, |elapsed| {
            u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX)
        }),
    })));
}
