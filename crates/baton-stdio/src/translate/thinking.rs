//! Thought that is being written: begun, pieces, the whole.

use baton_protocol::{Seq, event::AssistantBlock, live::TextDelta};

use super::{Output, pieces};
use crate::output::{Thinking as Whole, ThinkingDelta, ThinkingStart};

/// The blocks of thought under way.
#[derive(Debug, Default)]
pub(super) struct Thinking {
    cursor: Seq,
    open: Vec<Open>,
}

#[derive(Debug)]
struct Open {
    message_id: String,
    block: u32,
    /// As far as it is known without a gap.
    text: String,
    /// Length of `text` in UTF-16 code units.
    units: u64,
}

impl Thinking {
    /// Frames that follow an earlier event say nothing any more.
    pub(super) fn pass(&mut self, seq: Seq) {
        self.cursor = self.cursor.max(seq);
    }

    pub(super) fn live(&mut self, after: Seq, delta: &TextDelta, out: &mut Vec<Output>) {
        if after < self.cursor {
            return;
        }
        let known = self.position(&delta.message_id, delta.block);
        let at = known.unwrap_or_else(|| self.begin(&delta.message_id, delta.block, out));
        let open = &mut self.open[at];
        // Beyond what is known there is a gap, which only the whole can fill.
        let Some(known) = open.units.checked_sub(delta.offset) else {
            return;
        };
        let mut units = 0;
        let mut new = "";
        for (at, c) in delta.text.char_indices() {
            if units >= known {
                new = delta.text.get(at..).unwrap_or_default();
                break;
            }
            units += c.len_utf16() as u64;
        }
        if new.is_empty() {
            return;
        }
        open.units += new.encode_utf16().count() as u64;
        open.text.push_str(new);
        out.extend(pieces(new).map(|text| {
            ThinkingDelta {
                message_id: open.message_id.clone(),
                block: open.block,
                text: text.to_owned(),
            }
            .into()
        }));
    }

    /// A block is complete. A sub-agent's is not told.
    pub(super) fn whole(&mut self, block: &AssistantBlock, out: &mut Vec<Output>) {
        if block.parent_tool_use_id.is_some() {
            return;
        }
        let known = self.position(&block.message_id, block.block);
        let at = known.unwrap_or_else(|| self.begin(&block.message_id, block.block, out));
        let open = self.open.remove(at);
        // What was committed before it was seen live is the last piece, so that
        // the pieces make the whole.
        if let Some(rest) = block.content.strip_prefix(open.text.as_str())
            && !rest.is_empty()
        {
            out.extend(pieces(rest).map(|text| {
                ThinkingDelta {
                    message_id: open.message_id.clone(),
                    block: open.block,
                    text: text.to_owned(),
                }
                .into()
            }));
        }
        out.push(
            Whole {
                message_id: block.message_id.clone(),
                block: block.block,
                text: block.content.clone(),
                aborted: block.aborted.then_some(true),
            }
            .into(),
        );
    }

    /// Nothing more comes.
    pub(super) fn close(&mut self, out: &mut Vec<Output>) {
        out.extend(self.open.drain(..).map(|open| {
            Whole {
                message_id: open.message_id,
                block: open.block,
                text: open.text,
                aborted: Some(true),
            }
            .into()
        }));
    }

    fn begin(&mut self, message_id: &str, block: u32, out: &mut Vec<Output>) -> usize {
        let message_id = message_id.to_owned();
        out.push(
            ThinkingStart {
                message_id: message_id.clone(),
                block,
            }
            .into(),
        );
        self.open.push(Open {
            message_id,
            block,
            text: String::new(),
            units: 0,
        });
        self.open.len() - 1
    }

    fn position(&self, message_id: &str, block: u32) -> Option<usize> {
        self.open
            .iter()
            .position(|open| open.block == block && open.message_id == message_id)
    }
}
