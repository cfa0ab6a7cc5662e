//! Text that is being written, put together from live frames.
//!
//! Frames may be lost, merged, repeated or late. The offset of each tells
//! where its text belongs, and the event it follows tells whether it is still
//! wanted, so what stands here is always a true beginning of its block.

use baton_protocol::{LiveFrame, Seq, live::TextDelta};

/// The blocks under way, each with what a view remembers of it.
#[derive(Debug, Clone, Default)]
pub(super) struct OpenBlocks<T> {
    /// The last event seen.
    cursor: Seq,
    blocks: Vec<OpenBlock<T>>,
}

/// One block as far as it is known without a gap.
#[derive(Debug, Clone)]
pub(super) struct OpenBlock<T> {
    pub(super) message_id: String,
    pub(super) block: u32,
    pub(super) text: String,
    /// Length of `text` in UTF-16 code units.
    units: u64,
    pub(super) seen: T,
}

impl<T: Default> OpenBlocks<T> {
    /// Every frame that follows an earlier event is out of date from here on.
    pub(super) fn pass(&mut self, seq: Seq) {
        self.cursor = self.cursor.max(seq);
    }

    /// Whether a frame comes too late to say anything.
    pub(super) fn is_late(&self, frame: &LiveFrame) -> bool {
        frame.after < self.cursor
    }

    /// Takes a frame in; the block, if that made it longer.
    pub(super) fn grow(&mut self, delta: &TextDelta) -> Option<&mut OpenBlock<T>> {
        let known = self.position(&delta.message_id, delta.block);
        let at = known.unwrap_or_else(|| {
            self.blocks.push(OpenBlock {
                message_id: delta.message_id.clone(),
                block: delta.block,
                text: String::new(),
                units: 0,
                seen: T::default(),
            });
            self.blocks.len() - 1
        });
        let block = &mut self.blocks[at];
        block.grow(delta).then_some(block)
    }

    /// Removes a block because an event has the whole of it.
    pub(super) fn close(&mut self, message_id: &str, block: u32) -> Option<OpenBlock<T>> {
        let at = self.position(message_id, block)?;
        Some(self.blocks.remove(at))
    }

    pub(super) fn take_all(&mut self) -> Vec<OpenBlock<T>> {
        std::mem::take(&mut self.blocks)
    }

    fn position(&self, message_id: &str, block: u32) -> Option<usize> {
        self.blocks
            .iter()
            .position(|open| open.block == block && open.message_id == message_id)
    }
}

impl<T> OpenBlock<T> {
    fn grow(&mut self, delta: &TextDelta) -> bool {
        // Beyond what is known there is a gap, which only the event can fill.
        let Some(known) = self.units.checked_sub(delta.offset) else {
            return false;
        };
        let mut units = 0;
        let mut start = delta.text.len();
        for (at, c) in delta.text.char_indices() {
            if units >= known {
                start = at;
                break;
            }
            units += c.len_utf16() as u64;
        }
        // More than `known` means that the frame begins within a character.
        let news = delta.text.get(start..).unwrap_or_default();
        if units != known || news.is_empty() {
            return false;
        }
        self.text.push_str(news);
        self.units += news.chars().map(|c| c.len_utf16() as u64).sum::<u64>();
        true
    }
}
