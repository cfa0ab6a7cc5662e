//! Tool-aware streaming: a line of activity while the agent works, and one
//! clean answer at the end.
//!
//! What the agent says before a tool is narration; what it says after the last
//! one is the answer. Which of the two a text is shows only when a tool or the
//! turn's end follows, so text is held until then. A screen that can replace
//! what it shows may show [`Narration::held`] meanwhile.

use baton_protocol::{
    Envelope, Event, Live, LiveFrame, Turn,
    event::{AssistantMessage, TurnCompleted},
    words::StopReason,
};

use super::{Activity, text::OpenBlocks};

/// One thing to show.
#[derive(Debug, Clone, PartialEq)]
pub enum Narrated {
    /// The line of activity is now this; none when nothing goes on.
    Activity(Option<String>),
    /// Text that was held turned out not to be the answer: a tool followed.
    Narration(String),
    /// A turn ended, with this answer.
    Answer(Answer),
}

/// How a turn ended, in text.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    pub turn: Turn,
    /// What was said after the last tool; empty if nothing was.
    pub text: String,
    pub stop_reason: StopReason,
    /// Why the turn failed, if it did.
    pub error: Option<String>,
}

/// Separates narration from answers in one session.
#[derive(Debug, Clone, Default)]
pub struct Narration {
    open: OpenBlocks<()>,
    /// Finished blocks since the last tool.
    said: Vec<String>,
    activity: Activity,
    shown: Option<String>,
}

impl Narration {
    /// The text since the last tool, finished or not: the answer, unless
    /// another tool follows.
    pub fn held(&self) -> String {
        let said = self.said.iter().map(String::as_str);
        join(said.chain(self.open.texts()))
    }

    pub fn live(&mut self, frame: &LiveFrame) -> Vec<Narrated> {
        let mut out = Vec::new();
        if !self.open.is_late(frame) {
            if let Live::AssistantDelta(delta) = &frame.live {
                self.open.grow(delta);
            }
            self.activity.live(frame);
            self.show_activity(&mut out);
        }
        out
    }

    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "only text, tools and turns matter to an answer"
    )]
    pub fn event(&mut self, envelope: &Envelope) -> Vec<Narrated> {
        let mut out = Vec::new();
        self.open.pass(envelope.seq);
        match &envelope.event {
            Event::TurnStarted(_) => self.said.clear(),
            Event::AssistantMessage(AssistantMessage(block))
                if block.parent_tool_use_id.is_none() =>
            {
                self.open.close(&block.message_id, block.block);
                self.said.push(block.content.clone());
            }
            // A sub-agent's tools say nothing about the text of the main one.
            Event::ToolRequested(tool) if tool.parent_tool_use_id.is_none() => {
                let text = self.take();
                // What was begun before it and never finished went with it.
                self.open.take_all();
                if !text.is_empty() {
                    out.push(Narrated::Narration(text));
                }
            }
            Event::TurnCompleted(completed) => {
                let answer = self.answer(completed);
                out.push(Narrated::Answer(answer));
            }
            _ => {}
        }
        self.activity.event(envelope);
        self.show_activity(&mut out);
        out
    }

    fn answer(&mut self, completed: &TurnCompleted) -> Answer {
        let said = self.take();
        self.open.take_all();
        let (text, error) = match (&completed.result, completed.is_error) {
            (result, true) => (said, result.clone()),
            // An answer that was given without a message of its own.
            (Some(result), false) if said.is_empty() => (result.trim().to_owned(), None),
            (_, false) => (said, None),
        };
        Answer {
            turn: completed.turn,
            text,
            stop_reason: completed.stop_reason,
            error,
        }
    }

    /// Only finished blocks: what has no event is not part of an answer.
    fn take(&mut self) -> String {
        join(std::mem::take(&mut self.said).iter().map(String::as_str))
    }

    fn show_activity(&mut self, out: &mut Vec<Narrated>) {
        let label = self.activity.label();
        if label != self.shown {
            self.shown.clone_from(&label);
            out.push(Narrated::Activity(label));
        }
    }
}

/// Blocks stand apart like paragraphs.
fn join<'a>(texts: impl Iterator<Item = &'a str>) -> String {
    let texts: Vec<&str> = texts
        .map(str::trim)
        .filter(|text| !text.is_empty())
        .collect();
    texts.join("\n\n")
}
