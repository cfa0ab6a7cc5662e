//! Live text for who only watches: whole words, and no secret among them.

use std::{borrow::Cow, collections::BTreeMap};

use baton_protocol::{Live, LiveFrame, live::TextDelta, mask::LineMask};

use super::Sight;

/// Blocks that are written at once. Of more than these the oldest is told
/// again only when it is an event.
const BLOCKS: usize = 64;

/// One reader's view of the live text of one session.
pub(crate) struct LiveSight {
    sight: Sight,
    blocks: BTreeMap<(String, u32), Block>,
    number: u64,
}

/// A block as far as it came.
#[derive(Default)]
struct Block {
    mask: LineMask,
    /// How much of the text came, in UTF-16 code units.
    came: u64,
    /// How much of the masked text was told.
    told: u64,
    /// A part did not come, so the rest cannot be looked at.
    broken: bool,
    number: u64,
}

impl LiveSight {
    pub(crate) const fn new(sight: Sight) -> Self {
        Self {
            sight,
            blocks: BTreeMap::new(),
            number: 0,
        }
    }

    /// A frame as it may be told, if any of it may be.
    pub(crate) fn frame<'a>(&mut self, frame: &'a LiveFrame) -> Option<Cow<'a, LiveFrame>> {
        if self.sight != Sight::Masked {
            return Some(Cow::Borrowed(frame));
        }
        let live = match &frame.live {
            Live::AssistantDelta(delta) => Live::AssistantDelta(self.text(delta)?),
            Live::ThinkingDelta(delta) => Live::ThinkingDelta(self.text(delta)?),
            Live::ToolProgress(_) => return Some(Cow::Borrowed(frame)),
            // The bytes of a terminal hold anything, cut anywhere.
            Live::PtyData(_) => return None,
        };
        Some(Cow::Owned(LiveFrame {
            live,
            ..frame.clone()
        }))
    }

    fn text(&mut self, delta: &TextDelta) -> Option<TextDelta> {
        self.number += 1;
        let key = (delta.message_id.clone(), delta.block);
        if self.blocks.len() >= BLOCKS && !self.blocks.contains_key(&key) {
            let oldest = self.blocks.iter().min_by_key(|(_, block)| block.number);
            if let Some(oldest) = oldest.map(|(key, _)| key.clone()) {
                self.blocks.remove(&oldest);
            }
        }
        let block = self.blocks.entry(key).or_default();
        block.number = self.number;
        let text = block.next(delta)?;
        let offset = block.told;
        block.told += units(&text);
        Some(TextDelta {
            offset,
            text,
            ..delta.clone()
        })
    }
}

impl Block {
    /// What may be told of a piece that came.
    fn next(&mut self, delta: &TextDelta) -> Option<String> {
        self.broken |= delta.offset > self.came;
        if self.broken {
            return None;
        }
        // The beginning may have come before.
        let known = self.came - delta.offset;
        let new = after(&delta.text, known)?;
        self.came += units(new);
        let told = self.mask.push(new);
        (!told.is_empty()).then_some(told)
    }
}

fn units(text: &str) -> u64 {
    text.encode_utf16().count() as u64
}

/// The text behind so many code units.
fn after(text: &str, known: u64) -> Option<&str> {
    let mut left = known;
    for (at, c) in text.char_indices() {
        if left == 0 {
            return Some(&text[at..]);
        }
        left = left.checked_sub(c.len_utf16() as u64)?;
    }
    None
}

#[cfg(test)]
mod tests {
    use baton_protocol::{Seq, SessionId, Timestamp, Turn};
    use uuid::Uuid;

    use super::*;

    fn frame(offset: u64, text: &str) -> LiveFrame {
        LiveFrame {
            session_id: SessionId::from_uuid(Uuid::from_u128(7)),
            after: Seq(1),
            ts: Timestamp::from_millis(0),
            turn: Turn(1),
            live: Live::AssistantDelta(TextDelta {
                message_id: "m".into(),
                block: 0,
                offset,
                text: text.into(),
            }),
        }
    }

    /// What is told of some pieces, put together by their offsets.
    fn told(sight: Sight, pieces: &[(u64, &str)]) -> String {
        let mut live = LiveSight::new(sight);
        let mut all = String::new();
        for (offset, text) in pieces {
            let frame = frame(*offset, text);
            let Some(shown) = live.frame(&frame) else {
                continue;
            };
            let Live::AssistantDelta(delta) = &shown.live else {
                panic!("{shown:?}");
            };
            assert_eq!(delta.offset, units(&all), "no gap and no repeat");
            all += &delta.text;
        }
        all
    }

    #[test]
    fn a_secret_in_two_pieces_is_told_to_who_steers_and_not_to_who_watches() {
        let pieces = [
            (0, "the 😀 key is ghp_abcdefghijkl"),
            (30, "mnopqrstuvwxyz0123456789 "),
            (55, "and more \n"),
        ];
        assert_eq!(
            told(Sight::Masked, &pieces),
            "the 😀 key is ••• and more \n"
        );
        assert!(told(Sight::Whole, &pieces).contains("ghp_abcdefghijklmnop"));
    }

    #[test]
    fn what_comes_again_is_told_once_and_after_a_gap_nothing_is() {
        let again = [(0, "one two "), (0, "one two three "), (14, "four ")];
        assert_eq!(told(Sight::Masked, &again), "one two three four ");
        let gap = [(0, "one "), (10, "ghp_ and "), (19, "more ")];
        assert_eq!(told(Sight::Masked, &gap), "one ");
    }
}
