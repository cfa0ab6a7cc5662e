//! The demo agent: a small scripted agent that needs no account.
//!
//! It is a real program under a real holder (`baton` with a hidden
//! subcommand), so everything that can happen to an agent can happen to it:
//! it can be interrupted, killed and taken over. It speaks the session's own
//! words as JSON lines, which makes this translation nearly nothing.

mod program;
mod scenes;
mod stage;

pub use program::run;

use base64::{Engine, prelude::BASE64_STANDARD};
use baton_protocol::{
    BlobId, Event, Live, MessageId,
    api::{Capabilities, GateLevel},
    event::SessionStarted,
    live::{TextDelta, ToolProgress},
    words::{ApprovalKind, Json, PermissionMode, StopReason, Usage},
};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::{
    AgentCommand, AgentKind, AgentOutput, Ask, AskDecision, ToolResult, TurnEnd, Whole,
    output::garbled,
};
use crate::blob;

pub(super) const ABOUT: &str = "Inside Baton; needs nothing and shows every kind of event";

pub(super) fn capabilities() -> Capabilities {
    Capabilities {
        gate: GateLevel::Asked,
        modes: vec![
            PermissionMode::Default,
            PermissionMode::DontAsk,
            PermissionMode::BypassPermissions,
        ],
        resume: true,
        ..Capabilities::default()
    }
}

/// A line the demo writes.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", tag = "t")]
enum Said {
    Ready,
    Started(SessionStarted),
    Turn,
    #[serde(rename_all = "camelCase")]
    Taken {
        message_id: MessageId,
    },
    Blob {
        media_type: String,
        data: String,
    },
    #[serde(rename_all = "camelCase")]
    Delta {
        message_id: String,
        block: u32,
        thinking: bool,
        text: String,
    },
    #[serde(rename_all = "camelCase")]
    Progress {
        tool_use_id: String,
        elapsed_ms: u64,
    },
    #[serde(rename_all = "camelCase")]
    ToolResult {
        tool_use_id: String,
        output: String,
        is_error: bool,
        images: Vec<BlobId>,
        detail: Option<serde_json::Value>,
        parent_tool_use_id: Option<String>,
        agent_id: Option<String>,
    },
    #[serde(rename_all = "camelCase")]
    Ask {
        request: String,
        kind: ApprovalKind,
        tool_use_id: Option<String>,
        tool_name: String,
        input: serde_json::Value,
        reason: Option<String>,
    },
    Withdrawn {
        request: String,
    },
    #[serde(rename_all = "camelCase")]
    End {
        stop_reason: StopReason,
        is_error: bool,
        result: Option<String>,
        cost_usd: f64,
        usage: Usage,
    },
}

/// A line that is an event as it stands.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct SaidEvent {
    event: String,
    agent_id: Option<String>,
    payload: Box<RawValue>,
}

/// A line the demo reads.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", tag = "t")]
enum Told {
    #[serde(rename_all = "camelCase")]
    Prompt {
        message_id: MessageId,
        text: String,
    },
    Answer {
        request: String,
        answer: AskDecision,
    },
    Interrupt,
}

/// The demo's translation keeps nothing but each open block's length.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Translator {
    ready: bool,
    started: bool,
    open: Option<(String, u32, u64)>,
}

impl Translator {
    pub(super) const fn is_ready(&self) -> bool {
        self.ready
    }

    pub(super) const fn has_started(&self) -> bool {
        self.started
    }

    pub fn line(&mut self, line: &[u8], out: &mut Vec<AgentOutput>) {
        if let Ok(said) = serde_json::from_slice::<Said>(line) {
            self.said(said, out);
            return;
        }
        let event = serde_json::from_slice::<SaidEvent>(line)
            .and_then(|said| Ok((Event::decode(&said.event, &said.payload)?, said.agent_id)));
        out.push(match event {
            Ok((event, agent_id)) => AgentOutput::Event { event, agent_id },
            Err(error) => garbled(&format!("not a line of the demo agent: {error}"), line),
        });
    }

    #[expect(clippy::too_many_lines, reason = "one arm for each line of the demo")]
    fn said(&mut self, said: Said, out: &mut Vec<AgentOutput>) {
        if matches!(said, Said::End { .. }) {
            // It begins no turns by itself.
            out.push(AgentOutput::AtRest);
        }
        out.push(match said {
            Said::Ready => {
                self.ready = true;
                AgentOutput::Ready
            }
            Said::Started(started) => {
                self.started = true;
                AgentOutput::Started(started)
            }
            Said::Turn => AgentOutput::TurnStarted,
            Said::Taken { message_id } => AgentOutput::Taken(message_id),
            Said::Blob { media_type, data } => {
                let bytes = BASE64_STANDARD.decode(data).unwrap_or_default();
                AgentOutput::Blob {
                    id: blob::id_of(&bytes),
                    media_type,
                    bytes,
                }
            }
            Said::Delta {
                message_id,
                block,
                thinking,
                text,
            } => AgentOutput::Live(self.delta(message_id, block, thinking, text)),
            Said::Progress {
                tool_use_id,
                elapsed_ms,
            } => AgentOutput::Live(Live::ToolProgress(ToolProgress {
                tool_use_id,
                elapsed_ms,
            })),
            Said::ToolResult {
                tool_use_id,
                output,
                is_error,
                images,
                detail,
                parent_tool_use_id,
                agent_id,
            } => AgentOutput::ToolResult(ToolResult {
                tool_use_id,
                output,
                whole: Whole::Said,
                detail: detail.as_ref().map(Json::of),
                is_error,
                images,
                parent_tool_use_id,
                agent_id,
            }),
            Said::Ask {
                request,
                kind,
                tool_use_id,
                tool_name,
                input,
                reason,
            } => AgentOutput::Ask {
                request,
                ask: Ask {
                    kind,
                    tool_use_id,
                    what: AgentKind::Demo.tool_use(&tool_name, &input),
                    tool_name,
                    input: Json::of(&input),
                    reason,
                    ..Ask::default()
                },
            },
            Said::Withdrawn { request } => AgentOutput::AskWithdrawn { request },
            Said::End {
                stop_reason,
                is_error,
                result,
                cost_usd,
                usage,
            } => {
                self.open = None;
                AgentOutput::TurnEnded(TurnEnd {
                    stop_reason: Some(stop_reason),
                    is_error,
                    result,
                    cost_usd: Some(cost_usd),
                    usage: Some(usage),
                    ..TurnEnd::default()
                })
            }
        });
    }

    fn delta(&mut self, message_id: String, block: u32, thinking: bool, text: String) -> Live {
        let offset = match &self.open {
            Some((message, number, offset)) if *message == message_id && *number == block => {
                *offset
            }
            _ => 0,
        };
        let length: u64 = text.chars().map(|c| c.len_utf16() as u64).sum();
        self.open = Some((message_id.clone(), block, offset + length));
        let delta = TextDelta {
            message_id,
            block,
            offset,
            text,
        };
        if thinking {
            Live::ThinkingDelta(delta)
        } else {
            Live::AssistantDelta(delta)
        }
    }

    pub fn command(&mut self, command: &AgentCommand) -> Vec<Vec<u8>> {
        let told = match command {
            AgentCommand::Prompt {
                message_id, text, ..
            } => Told::Prompt {
                message_id: *message_id,
                text: text.clone(),
            },
            AgentCommand::Answer { request, answer } => Told::Answer {
                request: request.clone(),
                answer: answer.decision.clone(),
            },
            AgentCommand::Interrupt { .. } => Told::Interrupt,
            // The machine asks these only of agents that declare them.
            AgentCommand::Initialize { .. }
            | AgentCommand::HostAnswer { .. }
            | AgentCommand::Gate { .. }
            | AgentCommand::Refuse { .. }
            | AgentCommand::SetModel { .. }
            | AgentCommand::SetPermissionMode { .. }
            | AgentCommand::RewindFiles { .. }
            | AgentCommand::ContextUsage { .. }
            | AgentCommand::McpStatus { .. }
            | AgentCommand::StopTask { .. }
            | AgentCommand::Cost { .. } => return Vec::new(),
        };
        serde_json::to_vec(&told).into_iter().collect()
    }
}

#[cfg(test)]
#[path = "demo_tests.rs"]
mod tests;
