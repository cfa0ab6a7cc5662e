//! The way back: what the session tells the CLI, as lines.

use std::collections::BTreeMap;

use baton_claude::{
    ElicitationReply, GetContextUsage, GetUsage, HookEvent, HookMatcher, HookOutput,
    HookPermission, HookSpecificOutput, HostRequest, Initialize, Interrupt, McpStatus, Outgoing,
    PermissionDecision, PermissionDestination, PermissionUpdate, RawJson, Reply, RewindFiles,
    SetModel, SetPermissionMode, StopTask, UserBlock, UserMessage,
};
use baton_protocol::words::{ApprovalKind, PermissionMode};
use serde_json::Value;
use uuid::Uuid;

use super::{Translator, asks::GATE};
use crate::agents::{AgentCommand, Answer, AskDecision, GateAnswer, PromptFile};

impl Translator {
    #[expect(clippy::too_many_lines, reason = "one arm for each command")]
    pub fn command(&mut self, command: &AgentCommand) -> Vec<Vec<u8>> {
        // It was given everything when it was started.
        if self.is_text() {
            return Vec::new();
        }
        let line = match command {
            AgentCommand::Initialize { id, host_server } => {
                self.initialize = Uuid::try_parse(id).ok();
                ask(id, initialize(host_server.clone()))
            }
            AgentCommand::HostAnswer { request, answer } => {
                replied(request, Reply::Mcp(RawJson::from(answer.raw())))
            }
            AgentCommand::Prompt {
                message_id,
                text,
                files,
            } => {
                self.prompted = Some(*message_id);
                Some(Outgoing::User(prompt(message_id.uuid(), text, files)))
            }
            AgentCommand::Answer { request, answer } => {
                if let AskDecision::Allow {
                    mode: Some(mode), ..
                } = &answer.decision
                {
                    self.wants_mode(*mode, None);
                }
                let reply = if self.at_the_gate.contains(request) {
                    if let AskDecision::Deny { message, .. } = &answer.decision {
                        self.denies(message);
                    }
                    Reply::Hook(Box::new(held_reply(answer)))
                } else {
                    reply(answer)
                };
                replied(request, reply)
            }
            AgentCommand::Gate { request, answer } => {
                if let GateAnswer::Deny { message } = answer {
                    self.denies(message);
                }
                replied(request, Reply::Hook(Box::new(gate_reply(answer))))
            }
            AgentCommand::Refuse { request, message } => {
                replied(request, Reply::Error(message.clone()))
            }
            AgentCommand::Interrupt { id } => {
                self.interrupt = Some(id.clone());
                ask(
                    id,
                    Interrupt {
                        cancel_queued: None,
                    },
                )
            }
            AgentCommand::SetModel { id, model } => ask(
                id,
                SetModel {
                    model: model.clone(),
                },
            ),
            AgentCommand::SetPermissionMode { id, mode } => {
                self.wants_mode(*mode, Some(id));
                ask(
                    id,
                    SetPermissionMode {
                        mode: claude_mode(*mode),
                    },
                )
            }
            AgentCommand::RewindFiles {
                id,
                checkpoint,
                dry_run,
            } => ask(
                id,
                RewindFiles {
                    user_message_id: checkpoint.uuid(),
                    dry_run: Some(*dry_run).filter(|dry| *dry),
                },
            ),
            AgentCommand::ContextUsage { id } => ask(id, GetContextUsage {}),
            AgentCommand::McpStatus { id } => ask(id, McpStatus {}),
            AgentCommand::StopTask { id, task_id } => ask(
                id,
                StopTask {
                    task_id: task_id.clone(),
                },
            ),
            AgentCommand::Cost { id } => ask(
                id,
                GetUsage {
                    skip_behaviors: Some(true),
                },
            ),
        };
        let encoded = line.and_then(|line| baton_claude::encode(&line).ok());
        encoded
            .map(|mut line| {
                line.pop_if(|last| *last == b'\n');
                line
            })
            .into_iter()
            .collect()
    }
}

fn initialize(host_server: Option<String>) -> Initialize {
    Initialize {
        sdk_mcp_servers: host_server.into_iter().collect(),
        hooks: BTreeMap::from([(HookEvent::PreToolUse, vec![gate()])]),
        forward_subagent_text: Some(true),
        system_prompt_snapshot: Some(false),
        ..Initialize::default()
    }
}

/// Every use of every tool, in the main thread and in sub-agents. A day is the
/// longest the CLI waits; it refuses the call then.
fn gate() -> HookMatcher {
    HookMatcher {
        matcher: Some(String::new()),
        hook_callback_ids: vec![GATE.to_owned()],
        timeout: Some(24 * 60 * 60),
    }
}

/// Never an allow: what the CLI would ask about it asks, and is answered then.
fn gate_reply(answer: &GateAnswer) -> HookOutput {
    let (decision, reason) = match answer {
        GateAnswer::Pass => return HookOutput::default(),
        GateAnswer::Ask { reason } => (HookPermission::Ask, reason),
        GateAnswer::Deny { message } => (HookPermission::Deny, message),
    };
    HookOutput {
        hook_specific_output: Some(HookSpecificOutput {
            permission_decision: Some(decision),
            permission_decision_reason: Some(reason.clone()),
            ..HookSpecificOutput::new(HookEvent::PreToolUse)
        }),
        ..HookOutput::default()
    }
}

/// A person has answered at the gate: the CLI asks nobody else then.
fn held_reply(answer: &Answer) -> HookOutput {
    let output = HookSpecificOutput::new(HookEvent::PreToolUse);
    match &answer.decision {
        AskDecision::Allow { modified_input, .. } => HookOutput {
            hook_specific_output: Some(HookSpecificOutput {
                permission_decision: Some(HookPermission::Allow),
                updated_input: modified_input.clone().map(RawJson::from),
                ..output
            }),
            ..HookOutput::default()
        },
        AskDecision::Deny { message, interrupt } => HookOutput {
            go_on: interrupt.then_some(false),
            stop_reason: interrupt.then(|| message.clone()),
            hook_specific_output: Some(HookSpecificOutput {
                permission_decision: Some(HookPermission::Deny),
                permission_decision_reason: Some(message.clone()),
                ..output
            }),
            ..HookOutput::default()
        },
    }
}

#[expect(
    clippy::unnecessary_wraps,
    reason = "beside `ask`, whose line may not come about"
)]
fn replied(request: &str, reply: Reply) -> Option<Outgoing> {
    Some(Outgoing::Reply {
        request_id: request.to_owned(),
        reply,
    })
}

fn ask(id: &str, request: impl Into<HostRequest>) -> Option<Outgoing> {
    Some(Outgoing::Request {
        request_id: Uuid::try_parse(id).ok()?,
        request: request.into(),
    })
}

impl Translator {
    /// The mode holds when the CLI has taken it: when it answers the request,
    /// or tells the mode after a plan.
    fn wants_mode(&mut self, mode: PermissionMode, request: Option<&str>) {
        self.mode_asked = Some(mode);
        self.mode_request = request.map(str::to_owned);
    }

    /// The CLI has answered a request for a mode.
    pub(super) fn mode_answered(&mut self, request: &str, taken: bool) {
        if self.mode_request.as_deref() == Some(request) {
            self.mode_request = None;
            if let Some(mode) = self.mode_asked.take()
                && taken
            {
                self.held_mode = held(mode);
            }
        }
    }

    /// The CLI tells its mode. Whether that is the one it was asked for.
    pub(super) fn mode_told(&mut self, told: &baton_claude::PermissionMode) -> bool {
        let asked = self
            .mode_asked
            .take_if(|asked| claude_mode(*asked) == *told);
        if let Some(mode) = asked {
            self.held_mode = held(mode);
        }
        asked.is_some()
    }
}

/// Modes that Baton keeps itself: the CLI asks about everything, and Baton
/// answers. So every decision is in the log, deny rules come first, and the
/// CLI needs no flag that would let tools run unasked.
pub(super) const fn held(mode: PermissionMode) -> Option<PermissionMode> {
    match mode {
        PermissionMode::DontAsk | PermissionMode::BypassPermissions => Some(mode),
        PermissionMode::Default
        | PermissionMode::AcceptEdits
        | PermissionMode::Plan
        | PermissionMode::Auto => None,
    }
}

pub(super) fn claude_mode(mode: PermissionMode) -> baton_claude::PermissionMode {
    let mode = match held(mode) {
        Some(_) => PermissionMode::Default,
        None => mode,
    };
    baton_claude::PermissionMode::from(mode.as_str())
}

fn reply(answer: &Answer) -> Reply {
    match (&answer.kind, &answer.decision) {
        (ApprovalKind::Other, decision) => other_reply(&answer.tool_name, decision),
        (_, AskDecision::Deny { message, interrupt }) => {
            Reply::Permission(PermissionDecision::Deny {
                message: message.clone(),
                interrupt: *interrupt,
            })
        }
        (
            _,
            AskDecision::Allow {
                modified_input,
                mode,
            },
        ) => {
            let input = match modified_input {
                Some(modified) => RawJson::from(modified.clone()),
                None => RawJson::from(answer.input.raw()),
            };
            let mode = mode.map(|mode| PermissionUpdate::SetMode {
                mode: claude_mode(mode),
                destination: PermissionDestination::Session,
            });
            Reply::Permission(PermissionDecision::Allow {
                updated_input: input,
                updated_permissions: mode.into_iter().collect(),
            })
        }
    }
}

/// Kinds without a form of their own: the person's data, or a refusal.
fn other_reply(name: &str, decision: &AskDecision) -> Reply {
    match (name, decision) {
        ("elicitation", AskDecision::Allow { modified_input, .. }) => {
            Reply::Elicitation(ElicitationReply::Accept {
                content: modified_input.clone().map(RawJson::from),
            })
        }
        ("elicitation", AskDecision::Deny { .. }) => Reply::Elicitation(ElicitationReply::Decline),
        (_, AskDecision::Allow { modified_input, .. }) => {
            let empty = Value::Object(serde_json::Map::new());
            Reply::Raw(RawJson::from(modified_input.clone().unwrap_or(empty)))
        }
        (_, AskDecision::Deny { message, .. }) => Reply::Error(message.clone()),
    }
}

/// A prompt with its files for a CLI that takes nothing but text.
pub(crate) fn text_prompt(text: &str, files: &[PromptFile]) -> String {
    let mut parts = Vec::new();
    for file in files {
        parts.push(if file.media_type.starts_with("image/") {
            let name = &file.name;
            format!("[The image {name} was attached, but this version of claude takes text only.]")
        } else {
            attached(file)
        });
    }
    parts.push(text.to_owned());
    parts.join("\n\n")
}

fn prompt(uuid: Uuid, text: &str, files: &[PromptFile]) -> UserMessage {
    if files.is_empty() {
        return UserMessage::text(uuid, text);
    }
    let mut blocks = Vec::new();
    for file in files {
        if file.media_type.starts_with("image/") {
            blocks.push(UserBlock::image(file.media_type.clone(), &file.bytes));
        } else {
            blocks.push(UserBlock::text(attached(file)));
        }
    }
    if !text.is_empty() {
        blocks.push(UserBlock::text(text));
    }
    UserMessage::blocks(uuid, blocks)
}

/// The text with every end of the tag made none, in any case: a model reads
/// `</ATTACHED_FILE >` as one too.
fn unclosed(text: &str) -> String {
    const END: &str = "</attached_file";
    let mut whole = String::with_capacity(text.len());
    let mut rest = text;
    let lower = text.to_ascii_lowercase();
    while let Some(at) = lower[text.len() - rest.len()..].find(END) {
        whole.push_str(&rest[..at]);
        whole.push_str("<\\/");
        rest = &rest[at + 2..];
    }
    whole.push_str(rest);
    whole
}

/// A file as text, in a tag that its own content cannot close.
fn attached(file: &PromptFile) -> String {
    let text = String::from_utf8_lossy(&file.bytes);
    let lines = text.lines().count();
    let name = file.name.replace(['"', '<', '>', '\n'], "_");
    let text = unclosed(&text);
    format!("<attached_file path=\"{name}\" lines=\"{lines}\">\n{text}\n</attached_file>")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_attached_file_cannot_close_its_own_tag() {
        let file = PromptFile {
            name: "a\"b.txt".into(),
            media_type: "text/plain".into(),
            bytes: b"one\n</attached_file></Attached_FILE >two\n".to_vec(),
        };
        assert_eq!(
            attached(&file),
            "<attached_file path=\"a_b.txt\" lines=\"2\">\none\n<\\/attached_file><\\/Attached_FILE >two\n\n</attached_file>"
        );
    }
}
