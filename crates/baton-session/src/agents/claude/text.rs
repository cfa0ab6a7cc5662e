//! A CLI that knows no stream-json: one process per turn, its answer is what it
//! prints.
//!
//! Nothing can be asked there and nothing comes by the gate, so it gets only
//! tools that read. Only a session in bypass has the others, and only while no
//! rule denies or asks: nobody but Baton could hold the CLI to it.

use baton_claude::Options;
use baton_project::surface::{READ_ONLY, ToolLimit};
use baton_protocol::{
    Live, MessageId,
    event::{AssistantBlock, AssistantMessage, SessionStarted},
    live::TextDelta,
    words::{PermissionMode, StopReason},
};
use serde::{Deserialize, Serialize};

use super::{Translator, event};
use crate::{
    agents::{AgentOutput, TextTerms, TurnEnd},
    machine::Facts,
};

/// What is known of an answer in plain text.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Text {
    message: Option<MessageId>,
    conversation: Option<String>,
    model: Option<String>,
    said: String,
}

impl Text {
    /// For a process that is given the running turn's message.
    pub fn for_turn(facts: &Facts) -> Self {
        Self {
            message: facts.undelivered().map(|message| message.message_id),
            conversation: facts.agent_session_id.clone(),
            model: facts.model.clone(),
            said: String::new(),
        }
    }

    /// The answer has no name of its own; a turn's message has one answer.
    fn name(&self) -> String {
        let message = self.message.map(|message| message.to_string());
        format!("text_{}", message.unwrap_or_default())
    }

    pub(super) fn line(&mut self, line: &[u8], out: &mut Vec<AgentOutput>) {
        let line = String::from_utf8_lossy(line);
        let offset = self.said.chars().map(|c| c.len_utf16() as u64).sum();
        let text = format!("{line}\n");
        self.said += &text;
        out.push(AgentOutput::Live(Live::AssistantDelta(TextDelta {
            message_id: self.name(),
            block: 0,
            offset,
            text,
        })));
    }
}

impl Translator {
    pub const fn is_text(&self) -> bool {
        self.text.is_some()
    }

    /// It was started with its prompt, so it has it.
    pub fn begun(&mut self, out: &mut Vec<AgentOutput>) {
        let Some(text) = &self.text else {
            return;
        };
        self.started = true;
        out.push(AgentOutput::Ready);
        out.push(AgentOutput::Started(SessionStarted {
            agent_session_id: text.conversation.clone(),
            model: text.model.clone(),
            tools: Vec::new(),
            mcp_servers: Vec::new(),
            slash_commands: Vec::new(),
            permission_mode: None,
            agent_version: None,
            pid: None,
        }));
        out.extend(text.message.map(AgentOutput::Taken));
    }

    /// What was printed is the answer; a failure is told by whoever sees the
    /// process end.
    pub fn ended(&mut self, exit_code: Option<i32>, out: &mut Vec<AgentOutput>) {
        let Some(text) = &mut self.text else {
            return;
        };
        let name = text.name();
        let said = std::mem::take(&mut text.said);
        out.extend(text.message.map(AgentOutput::Taken));
        if !said.is_empty() {
            out.push(event(AssistantMessage(AssistantBlock {
                message_id: name,
                agent_uuid: None,
                block: 0,
                content: said.clone(),
                model: text.model.clone(),
                usage: None,
                parent_tool_use_id: None,
                aborted: exit_code != Some(0),
            })));
        }
        if exit_code == Some(0) {
            let result = said.trim();
            out.push(AgentOutput::TurnEnded(TurnEnd {
                stop_reason: Some(StopReason::End),
                result: Some(result.to_owned()).filter(|text| !text.is_empty()),
                ..TurnEnd::default()
            }));
        }
    }
}

/// The arguments for one answer, from those of a whole session.
pub(in crate::agents) fn argv(
    mut options: Options,
    mode: PermissionMode,
    tools: &ToolLimit,
    terms: &TextTerms,
) -> Vec<std::ffi::OsString> {
    let bypass = mode == PermissionMode::BypassPermissions;
    let unchecked = bypass && terms.forbidden.is_empty() && !terms.in_doubt;
    if !unchecked {
        let allowed = |tool: &&str| match tools {
            ToolLimit::All => true,
            ToolLimit::Only(only) => only.iter().any(|one| one == *tool),
            ToolLimit::Except(except) => !except.iter().any(|one| one == *tool),
        };
        let reading = READ_ONLY.iter().copied().filter(allowed);
        let reading = reading.filter(|_| !terms.in_doubt).map(str::to_owned);
        options.tools = Some(reading.collect());
        options.mcp_servers.clear();
        options.strict_mcp_config = true;
        options
            .disallowed_tools
            .extend(terms.forbidden.iter().cloned());
    }
    options.text_argv(&terms.prompt, unchecked)
}
