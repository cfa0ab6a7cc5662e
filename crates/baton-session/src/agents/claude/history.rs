//! The CLI's own notes of a session, told as if they had been heard live.
//!
//! Pure: rows in, sights out, in the rows' order and with their times. Rows
//! become the lines they once were and go through the same translation. What
//! the CLI does not write down is not made up: prices, questions and answers,
//! how much of the context is used. Where a turn ends is not written either;
//! it follows from the model's last stop reason and from what comes next.
//!
//! A transcript is no live agent: what is unknown in it is passed over.

mod agents;
mod lines;

use std::collections::{BTreeMap, BTreeSet, HashSet};

use base64::{Engine, prelude::BASE64_STANDARD};
use baton_claude::{
    AssistantMessage, Content, ContentBlock, ImageSource,
    transcript::{AttachmentRow, Row, RowBody, SystemRow},
};
use baton_protocol::{
    Event, MessageId, Timestamp, ToolKind,
    event::{Attachment, UserMessage},
    words::{StopReason, Usage},
};
use lines::{assistant, command, compaction, line, unwrapped};
use uuid::Uuid;

use super::{Translator, chat, event, notify, tools};
use crate::{
    agents::{AgentOutput, TurnEnd},
    blob,
    machine::{Observed, Sight},
};

const INTERRUPTED: &str = "[Request interrupted by user";

/// One session's rows on their way to sights.
#[derive(Debug)]
pub(crate) struct History {
    translator: Translator,
    /// Times never go back, though rows are not always written in their order.
    at: Timestamp,
    turn: Option<OpenTurn>,
    /// A compaction is written before the command that asked for it.
    compacted: Vec<AgentOutput>,
    /// Calls of sub-agents whose results are still to come.
    agent_calls: BTreeSet<String>,
    /// The rows so far: when the context is compacted, the CLI may write the
    /// last answer once more, which is no answer to anything.
    taken: HashSet<Uuid>,
}

/// A turn whose end is not known yet.
#[derive(Debug, Default)]
struct OpenTurn {
    /// By message, since each of its rows repeats it.
    usage: BTreeMap<String, Usage>,
    text: Option<String>,
    /// It is a command to compact the context.
    compacts: bool,
    /// How it ends, should nothing more belong to it.
    ending: Option<Ending>,
}

#[derive(Debug, Clone, Copy)]
struct Ending {
    stop: StopReason,
    /// The row closes its message for certain: a block of it may follow one
    /// of thought, but none follows the text.
    settled: bool,
}

impl History {
    /// `began` stands for the time of rows before any that has one.
    pub(crate) fn new(began: Timestamp) -> Self {
        Self {
            translator: Translator::default(),
            at: began,
            turn: None,
            compacted: Vec::new(),
            agent_calls: BTreeSet::new(),
            taken: HashSet::new(),
        }
    }

    /// The next row of the conversation.
    pub(crate) fn row(&mut self, row: &Row, out: &mut Vec<Observed>) {
        if row.is_sidechain || !self.is_new(row) {
            return;
        }
        self.clock(row);
        match &row.body {
            RowBody::Assistant(message) => {
                self.release(out);
                self.answer(row, message, out);
            }
            RowBody::User(user) if row.results().next().is_some() => {
                self.release(out);
                for id in row.results() {
                    self.agent_calls.remove(id);
                }
                let user = line(row, &user.content, user.tool_use_result.clone(), None);
                self.translate(out, |translator, out| translator.user(&user, out));
            }
            RowBody::Attachment(AttachmentRow::QueuedCommand {
                prompt,
                source_uuid,
            }) => {
                let id = source_uuid.as_deref().or(row.uuid.as_deref());
                if !prompt.text().starts_with("<task-notification>") {
                    self.prompt(id, prompt.text(), prompt, true, out);
                }
            }
            RowBody::System(system) if row.is_compact_boundary() => {
                self.release(out);
                self.compacted.push(event(compaction(system)));
            }
            RowBody::User(user) if user.is_compact_summary => {
                notify(&mut self.compacted, "synthetic", user.content.text());
            }
            RowBody::User(user) if !user.is_meta => self.said(row, &user.content, out),
            RowBody::System(SystemRow {
                subtype: Some(subtype),
                content: Some(content),
                ..
            }) if subtype == "local_command" => self.command_said(row, content, out),
            RowBody::User(_)
            | RowBody::Attachment(_)
            | RowBody::System(_)
            | RowBody::QueueOperation { .. }
            | RowBody::LastPrompt { .. }
            | RowBody::CustomTitle(_)
            | RowBody::AiTitle(_)
            | RowBody::Summary(_)
            | RowBody::Other { .. } => {}
        }
    }

    fn is_new(&mut self, row: &Row) -> bool {
        let uuid = row.uuid.as_deref();
        let uuid = uuid.and_then(|uuid| Uuid::try_parse(uuid).ok());
        uuid.is_none_or(|uuid| self.taken.insert(uuid))
    }

    /// Nothing more is there for now: what only waited for more is told.
    pub(crate) fn pause(&mut self, out: &mut Vec<Observed>) {
        let settled = |turn: &OpenTurn| turn.ending.is_some_and(|ending| ending.settled);
        if self.turn.as_ref().is_some_and(settled) {
            self.end_turn(out);
        }
        self.release(out);
    }

    /// Nobody goes on with it.
    pub(crate) fn left(&mut self, out: &mut Vec<Observed>) {
        self.release(out);
        if self.turn.as_ref().is_some_and(|turn| turn.ending.is_some()) {
            self.end_turn(out);
        }
        self.turn = None;
        self.agent_calls.clear();
        out.push(self.seen(Sight::Left));
    }

    fn answer(&mut self, row: &Row, message: &AssistantMessage, out: &mut Vec<Observed>) {
        // The agent may go on by itself; within a turn this says nothing new.
        out.push(self.output(AgentOutput::TurnStarted));
        let said = assistant(row, message, None);
        let turn = self.turn.get_or_insert_default();
        if let (Some(id), Some(usage)) = (&message.id, &message.usage) {
            turn.usage.insert(id.clone(), chat::usage(usage));
        }
        let text = message.content.text();
        let settled = !text.is_empty();
        if settled {
            turn.text = Some(text);
        }
        turn.ending = match message.stop_reason.as_deref() {
            _ if row.error.is_some() => Some(Ending {
                stop: StopReason::Error,
                settled: true,
            }),
            None | Some("tool_use" | "pause_turn") => None,
            Some(_) => Some(Ending {
                stop: StopReason::End,
                settled,
            }),
        };
        for block in message.content.blocks() {
            if let ContentBlock::ToolUse { id, name, .. } = block
                && tools::kind(name) == ToolKind::Agent
            {
                self.agent_calls.insert(id.clone());
            }
        }
        self.translate(out, |translator, out| translator.assistant(&said, out));
    }

    /// A user's row that is neither a result nor for the model only.
    fn said(&mut self, row: &Row, content: &Content, out: &mut Vec<Observed>) {
        let text = content.text();
        if text.starts_with(INTERRUPTED) {
            self.release(out);
            let turn = self.turn.get_or_insert_default();
            turn.ending = Some(Ending {
                stop: StopReason::Interrupted,
                settled: true,
            });
            self.end_turn(out);
        } else if text.starts_with("<local-command-stdout>")
            || text.starts_with("<local-command-stderr>")
        {
            self.command_said(row, &text, out);
        } else if text.starts_with("<task-notification>") {
            self.release(out);
            self.end_turn(out);
            out.push(self.output(AgentOutput::TurnStarted));
            self.turn = Some(OpenTurn::default());
        } else if let Some(command) = command(&text) {
            let none = Content::default();
            self.prompt(row.uuid.as_deref(), command, &none, false, out);
        } else {
            self.prompt(row.uuid.as_deref(), text, content, false, out);
        }
    }

    fn prompt(
        &mut self,
        id: Option<&str>,
        text: String,
        content: &Content,
        folded: bool,
        out: &mut Vec<Observed>,
    ) {
        let named = id.and_then(|id| Uuid::try_parse(id).ok());
        // Every row of the CLI has a name; one without is known by its words.
        let id = named.unwrap_or_else(|| blob::id_of(text.as_bytes()).uuid());
        let compacts = text.starts_with("/compact");
        if !compacts {
            self.release(out);
        }
        if !folded {
            self.end_turn(out);
            self.turn = Some(OpenTurn {
                compacts,
                ..OpenTurn::default()
            });
            self.translator.error_told = false;
            self.translator.images = chat::ImageBudget::default();
        }
        let attachments = self.images(content, out);
        out.push(self.seen(Sight::Said {
            message: UserMessage {
                message_id: MessageId::from_uuid(id),
                text,
                attachments,
                queued: false,
                client: None,
            },
            folded,
        }));
        self.release(out);
    }

    /// Pictures that came with a message.
    fn images(&self, content: &Content, out: &mut Vec<Observed>) -> Vec<Attachment> {
        let mut attachments = Vec::new();
        for block in content.blocks() {
            let ContentBlock::Image {
                source: ImageSource::Base64 { media_type, data },
            } = block
            else {
                continue;
            };
            let Ok(bytes) = BASE64_STANDARD.decode(data) else {
                continue;
            };
            let id = blob::id_of(&bytes);
            let kind = media_type.rsplit('/').next().unwrap_or_default();
            attachments.push(Attachment {
                name: format!("image-{}.{kind}", attachments.len() + 1),
                media_type: media_type.clone(),
                bytes: bytes.len() as u64,
                blob_id: Some(id),
            });
            out.push(self.output(AgentOutput::Blob {
                id,
                media_type: media_type.clone(),
                bytes,
            }));
        }
        attachments
    }

    /// What one of the CLI's own commands answered, which ends its turn. Heard
    /// live it is an answer without a model.
    fn command_said(&mut self, row: &Row, text: &str, out: &mut Vec<Observed>) {
        self.release(out);
        let said = unwrapped(text);
        let turn = self.turn.get_or_insert_default();
        turn.ending = Some(Ending {
            stop: StopReason::End,
            settled: true,
        });
        // That the context was compacted is told already.
        if !said.is_empty() && !turn.compacts {
            turn.text = Some(said.to_owned());
            let message = AssistantMessage {
                id: row.uuid.clone(),
                model: None,
                content: Content::Text(said.to_owned()),
                stop_reason: None,
                usage: None,
            };
            let said = assistant(row, &message, None);
            out.push(self.output(AgentOutput::TurnStarted));
            self.translate(out, |translator, out| translator.assistant(&said, out));
        }
        self.end_turn(out);
    }

    /// Tells of a compaction that waited for its command.
    fn release(&mut self, out: &mut Vec<Observed>) {
        for output in std::mem::take(&mut self.compacted) {
            out.push(self.output(output));
        }
    }

    fn end_turn(&mut self, out: &mut Vec<Observed>) {
        let Some(turn) = self.turn.take() else {
            return;
        };
        let stop = turn
            .ending
            .map_or(StopReason::Interrupted, |ending| ending.stop);
        let usage = turn.usage.into_values().reduce(Usage::plus);
        out.push(self.output(AgentOutput::TurnEnded(TurnEnd {
            stop_reason: Some(stop),
            is_error: stop == StopReason::Error,
            result: turn.text.filter(|_| stop != StopReason::Interrupted),
            usage,
            ..TurnEnd::default()
        })));
    }

    fn translate(
        &mut self,
        out: &mut Vec<Observed>,
        with: impl FnOnce(&mut Translator, &mut Vec<AgentOutput>),
    ) {
        let mut outputs = Vec::new();
        with(&mut self.translator, &mut outputs);
        for output in outputs {
            let unknown = matches!(
                &output,
                AgentOutput::Event {
                    event: Event::AgentUnknown(_),
                    ..
                }
            );
            if !unknown {
                out.push(self.output(output));
            }
        }
    }

    fn clock(&mut self, row: &Row) {
        let at = row.timestamp.as_deref().and_then(|at| at.parse().ok());
        self.at = self.at.max(at.unwrap_or(self.at));
    }

    fn output(&self, output: AgentOutput) -> Observed {
        self.seen(Sight::Output(output))
    }

    fn seen(&self, what: Sight) -> Observed {
        Observed { at: self.at, what }
    }
}
