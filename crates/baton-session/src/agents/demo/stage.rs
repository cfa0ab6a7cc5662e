//! What a scene can do: speak, think, use tools, ask, wait.

use std::{
    io::Write,
    sync::mpsc::{Receiver, RecvTimeoutError},
    time::Duration,
};

use baton_protocol::{
    Event, MessageId,
    event::{AssistantBlock, AssistantMessage, AssistantThinking, ToolRequested},
    words::{ApprovalKind, Json, StopReason, Usage},
};
use serde_json::{Value, value::RawValue};

use super::{Said, SaidEvent, Told};
use crate::agents::{AgentKind, AskDecision};

/// Why a scene stops before its end.
#[derive(Debug)]
pub(super) enum Stop {
    Interrupted,
    /// Nobody is there any more.
    Gone,
    /// The scene wants to end like this.
    Failed(String),
}

impl From<std::io::Error> for Stop {
    fn from(_: std::io::Error) -> Self {
        Self::Gone
    }
}

pub(super) type Scene = Result<(), Stop>;

pub(super) struct Stage<W> {
    output: W,
    told: Receiver<Told>,
    pace: Duration,
    message: MessageId,
    messages: u32,
    tools: u32,
    words: u64,
    last: String,
    /// Prompts that came while a scene was playing.
    later: Vec<Told>,
}

impl<W: Write> Stage<W> {
    pub(super) fn new(output: W, told: Receiver<Told>, pace: Duration) -> Self {
        Self {
            output,
            told,
            pace,
            message: MessageId::from_uuid(uuid::Uuid::nil()),
            messages: 0,
            tools: 0,
            words: 0,
            last: String::new(),
            later: Vec::new(),
        }
    }

    pub(super) fn next(&mut self) -> Option<Told> {
        if self.later.is_empty() {
            self.told.recv().ok()
        } else {
            Some(self.later.remove(0))
        }
    }

    pub(super) fn begin(&mut self, message: MessageId) {
        self.message = message;
        self.messages = 0;
        self.tools = 0;
        self.words = 0;
        self.last.clear();
    }

    pub(super) fn say(&mut self, said: &Said) -> std::io::Result<()> {
        self.line(&serde_json::to_vec(said)?)
    }

    pub(super) fn event(&mut self, event: &Event, agent_id: Option<&str>) -> Scene {
        let payload: Box<RawValue> = event.payload().raw().to_owned();
        let said = SaidEvent {
            event: event.name().to_owned(),
            agent_id: agent_id.map(str::to_owned),
            payload,
        };
        Ok(self.line(&serde_json::to_vec(&said).map_err(std::io::Error::from)?)?)
    }

    fn line(&mut self, line: &[u8]) -> std::io::Result<()> {
        let mut whole = line.to_vec();
        whole.push(b'\n');
        self.output.write_all(&whole)?;
        self.output.flush()
    }

    /// Waits, unless an interrupt comes first.
    fn wait(&mut self, time: Duration) -> Scene {
        match self.told.recv_timeout(time) {
            Err(RecvTimeoutError::Timeout) => Ok(()),
            Ok(Told::Interrupt) => Err(Stop::Interrupted),
            Ok(told) => {
                self.later.push(told);
                Ok(())
            }
            // Stdin is closed: the turn under way still finishes, like claude's.
            Err(RecvTimeoutError::Disconnected) => Ok(()),
        }
    }

    pub(super) fn beats(&mut self, count: u32) -> Scene {
        self.wait(self.pace * count)
    }

    /// Streams a text word by word, then says it whole.
    pub(super) fn text(&mut self, text: &str) -> Scene {
        self.block(text, false, None)
    }

    pub(super) fn think(&mut self, text: &str) -> Scene {
        self.block(text, true, None)
    }

    fn block(&mut self, text: &str, thinking: bool, parent: Option<&str>) -> Scene {
        self.messages += 1;
        let id = format!("demo_{}_{}", self.message.uuid().simple(), self.messages);
        for word in text.split_inclusive(' ') {
            self.words += 1;
            self.say(&Said::Delta {
                message_id: id.clone(),
                block: 0,
                thinking,
                text: word.to_owned(),
            })?;
            self.beats(1)?;
        }
        let block = AssistantBlock {
            message_id: id,
            agent_uuid: None,
            block: 0,
            content: text.to_owned(),
            model: Some("demo".into()),
            usage: None,
            parent_tool_use_id: parent.map(str::to_owned),
            aborted: false,
        };
        if thinking {
            return self.event(&AssistantThinking(block).into(), None);
        }
        text.clone_into(&mut self.last);
        self.event(&AssistantMessage(block).into(), None)
    }

    /// Announces a tool call; `finish` ends it.
    pub(super) fn tool(&mut self, name: &str, input: &Value) -> Result<String, Stop> {
        self.tool_in(name, input, None, None)
    }

    pub(super) fn tool_in(
        &mut self,
        name: &str,
        input: &Value,
        parent: Option<&str>,
        agent: Option<&str>,
    ) -> Result<String, Stop> {
        self.tools += 1;
        let id = format!("demo_tool_{}_{}", self.message.uuid().simple(), self.tools);
        let what = AgentKind::Demo.tool_use(name, input);
        let event = ToolRequested {
            tool_use_id: id.clone(),
            name: name.to_owned(),
            input: Json::of(input),
            label: AgentKind::Demo.label(name, &what),
            tool_kind: what.kind,
            subject: what.subject.into(),
            parent_tool_use_id: parent.map(str::to_owned),
        };
        self.event(&event.into(), agent)?;
        Ok(id)
    }

    pub(super) fn finish(&mut self, tool: &str, output: &str, is_error: bool) -> Scene {
        self.finish_in(tool, output, is_error, None, None)
    }

    pub(super) fn finish_in(
        &mut self,
        tool: &str,
        output: &str,
        is_error: bool,
        parent: Option<&str>,
        agent: Option<&str>,
    ) -> Scene {
        Ok(self.say(&Said::ToolResult {
            tool_use_id: tool.to_owned(),
            output: output.to_owned(),
            is_error,
            images: Vec::new(),
            detail: None,
            parent_tool_use_id: parent.map(str::to_owned),
            agent_id: agent.map(str::to_owned),
        })?)
    }

    /// Ends an edit with what it changed.
    pub(super) fn finish_edit(&mut self, tool: &str, output: &str, edit: &Value) -> Scene {
        let detail = serde_json::json!({
            "filePath": edit["file_path"],
            "oldString": edit["old_string"],
            "newString": edit["new_string"],
        });
        Ok(self.say(&Said::ToolResult {
            tool_use_id: tool.to_owned(),
            output: output.to_owned(),
            is_error: false,
            images: Vec::new(),
            detail: Some(detail),
            parent_tool_use_id: None,
            agent_id: None,
        })?)
    }

    /// Asks a person and waits for as long as it takes.
    pub(super) fn ask(
        &mut self,
        kind: ApprovalKind,
        tool: &str,
        name: &str,
        input: &Value,
        reason: &str,
    ) -> Result<AskDecision, Stop> {
        let request = format!("ask_{tool}");
        self.say(&Said::Ask {
            request: request.clone(),
            kind,
            tool_use_id: Some(tool.to_owned()),
            tool_name: name.to_owned(),
            input: input.clone(),
            reason: Some(reason.to_owned()),
        })?;
        loop {
            match self.told.recv() {
                Ok(Told::Answer {
                    request: answered,
                    answer,
                }) if answered == request => {
                    if matches!(
                        answer,
                        AskDecision::Deny {
                            interrupt: true,
                            ..
                        }
                    ) {
                        return Err(Stop::Interrupted);
                    }
                    return Ok(answer);
                }
                Ok(Told::Answer { .. }) => {}
                Ok(Told::Interrupt) => {
                    self.say(&Said::Withdrawn { request })?;
                    return Err(Stop::Interrupted);
                }
                Ok(told) => self.later.push(told),
                // Stdin is closed, so nobody can answer: the turn goes on
                // without, like claude's.
                Err(_) => {
                    self.say(&Said::Withdrawn { request })?;
                    return Ok(AskDecision::Deny {
                        message: "Nobody is there to answer.".into(),
                        interrupt: false,
                    });
                }
            }
        }
    }

    pub(super) fn end_turn(&mut self, ended: Scene) -> std::io::Result<()> {
        let (stop_reason, is_error, result) = match ended {
            Ok(()) => (StopReason::End, false, Some(std::mem::take(&mut self.last))),
            Err(Stop::Interrupted) => (StopReason::Interrupted, false, None),
            Err(Stop::Failed(message)) => (StopReason::Error, true, Some(message)),
            Err(Stop::Gone) => return Err(std::io::ErrorKind::BrokenPipe.into()),
        };
        self.say(&Said::End {
            stop_reason,
            is_error,
            result,
            cost_usd: 0.0,
            usage: Usage {
                input_tokens: 0,
                output_tokens: self.words,
                ..Usage::default()
            },
        })
    }
}
