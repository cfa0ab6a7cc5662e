//! The assistant's text in paragraphs instead of tokens.
//!
//! A paragraph ends with the blank line after it. One that grows beyond
//! [`FORCED_FLUSH`] characters is given at the next line end, and what is left
//! when its block or turn ends is given then. Put one after another, the
//! paragraphs of a block are its text, whatever the frames were like; where a
//! paragraph ends follows from the text alone. Sub-agents' text is left out:
//! it is not part of the conversation.

use baton_protocol::{
    Envelope, Event, Live, LiveFrame,
    event::{AssistantBlock, AssistantMessage},
};

use super::text::{OpenBlock, OpenBlocks};

/// A paragraph with more characters than this does not wait for a blank line.
pub const FORCED_FLUSH: usize = 4096;

/// Text that is ready to be shown, blank lines at its end included.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Paragraph {
    /// The model API's id of the message it belongs to.
    pub message_id: String,
    pub block: u32,
    pub text: String,
    /// The finished block is not what was given of it so far: it begins anew here.
    pub again: bool,
}

/// Gives the text of one session in paragraphs.
#[derive(Debug, Clone, Default)]
pub struct Paragraphs {
    open: OpenBlocks<Split>,
}

impl Paragraphs {
    /// What a live frame completes.
    pub fn live(&mut self, frame: &LiveFrame) -> Vec<Paragraph> {
        if self.open.is_late(frame) {
            return Vec::new();
        }
        let Live::AssistantDelta(delta) = &frame.live else {
            return Vec::new();
        };
        match self.open.grow(delta) {
            Some(block) => block.ready(),
            None => Vec::new(),
        }
    }

    /// What an event completes.
    pub fn event(&mut self, envelope: &Envelope) -> Vec<Paragraph> {
        self.open.pass(envelope.seq);
        if let Event::AssistantMessage(AssistantMessage(block)) = &envelope.event
            && block.parent_tool_use_id.is_none()
        {
            return self.finished(block);
        }
        if matches!(
            envelope.event,
            Event::TurnCompleted(_) | Event::SessionEnded(_)
        ) {
            return self.flush();
        }
        Vec::new()
    }

    fn finished(&mut self, block: &AssistantBlock) -> Vec<Paragraph> {
        let open = self.open.close(&block.message_id, block.block);
        let given = open.as_ref().map_or("", OpenBlock::given);
        let (rest, again) = match block.content.strip_prefix(given) {
            Some(rest) => (rest, false),
            // An interrupt may leave less in the log than was on the screen.
            None if given.starts_with(&block.content) => ("", false),
            None => (block.content.as_str(), true),
        };
        // A cut leaves nothing behind, so the rest splits as it would have.
        let mut split = Split::default();
        let mut texts = split.cut(rest);
        texts.extend(rest.get(split.given..).filter(|text| !text.is_empty()));
        let paragraph = |(number, text): (usize, &str)| Paragraph {
            message_id: block.message_id.clone(),
            block: block.block,
            text: text.to_owned(),
            again: again && number == 0,
        };
        texts.into_iter().enumerate().map(paragraph).collect()
    }

    /// Nothing more comes: what is left of open blocks.
    fn flush(&mut self) -> Vec<Paragraph> {
        let left = self.open.take_all().into_iter().filter_map(|block| {
            let text = block.text.get(block.seen.given..)?.to_owned();
            (!text.is_empty()).then_some(Paragraph {
                message_id: block.message_id,
                block: block.block,
                text,
                again: false,
            })
        });
        left.collect()
    }
}

impl OpenBlock<Split> {
    fn given(&self) -> &str {
        self.text.get(..self.seen.given).unwrap_or_default()
    }

    fn ready(&mut self) -> Vec<Paragraph> {
        let texts = self.seen.cut(&self.text);
        let paragraph = |text: &str| Paragraph {
            message_id: self.message_id.clone(),
            block: self.block,
            text: text.to_owned(),
            again: false,
        };
        texts.into_iter().map(paragraph).collect()
    }
}

/// How far a text has been looked at, and given.
#[derive(Debug, Clone, Default)]
struct Split {
    given: usize,
    scanned: usize,
    /// Characters since the last cut.
    chars: usize,
    /// There is something to see since the last cut.
    ink: bool,
    /// There is something to see in this line.
    line_ink: bool,
}

impl Split {
    /// The whole paragraphs that `text`, which only ever grows, has gained.
    fn cut<'a>(&mut self, text: &'a str) -> Vec<&'a str> {
        let mut found = Vec::new();
        let news = text.get(self.scanned..).unwrap_or_default();
        for (at, c) in news.char_indices() {
            self.chars += 1;
            if c != '\n' {
                self.line_ink |= !c.is_whitespace();
                self.ink |= self.line_ink;
                continue;
            }
            let blank = !std::mem::take(&mut self.line_ink);
            if (blank && self.ink) || self.chars > FORCED_FLUSH {
                let end = self.scanned + at + 1;
                found.extend(text.get(self.given..end));
                self.given = end;
                self.chars = 0;
                self.ink = false;
            }
        }
        self.scanned = text.len();
        found
    }
}
