//! Agents behind one vocabulary.
//!
//! An agent is a program under a holder that speaks lines. Its translation
//! turns those lines into [`AgentOutput`] and [`AgentCommand`]s into lines;
//! nothing outside `agents::*` knows an agent's own language. Agents are an
//! enum, not trait objects: there are few, and each new one should make every
//! `match` here think again.

pub mod claude;
pub mod demo;
mod files;
mod health;
mod launch;
mod output;

use std::collections::BTreeSet;

pub(crate) use claude::text_prompt;
pub(crate) use files::{Known, Notes, StartFiles, Watcher, Written};
pub use health::probe;
pub use launch::{AgentHome, Launch, LaunchError, start_trouble};
pub(crate) use launch::{Terms, TextTerms, launch};
pub use output::{
    AgentCommand, AgentOutput, Answer, Ask, AskDecision, Doubt, GateAnswer, PromptFile, Refusal,
    ToolResult, TurnEnd, Whole,
};

use baton_protocol::{MessageId, ToolUse, api::Capabilities, event::ErrorRaised, words::Json};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{choices::Choices, machine::Facts};

/// Which program runs a session.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AgentKind {
    Claude,
    /// It is always there.
    #[default]
    Demo,
}

impl AgentKind {
    pub const ALL: &'static [Self] = &[Self::Claude, Self::Demo];
    /// The one inside Baton, which needs nothing else.
    pub const BUILT_IN: Self = Self::Demo;

    pub const fn name(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Demo => "demo",
        }
    }

    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|kind| kind.name() == name)
    }

    /// What a call of one of its tools is. The demo agent's are named like
    /// Claude Code's, which it stands for.
    pub fn tool_use(self, name: &str, input: &Value) -> ToolUse {
        match self {
            Self::Claude | Self::Demo => claude::tools::tool_use(name, input),
        }
    }

    /// What such a call does, in a few words.
    pub fn label(self, name: &str, what: &ToolUse) -> String {
        match self {
            Self::Claude | Self::Demo => claude::tools::label(name, what),
        }
    }

    /// The announced tools that nothing is known of.
    pub fn unknown_tools(self, announced: &[String]) -> Vec<&str> {
        match self {
            Self::Claude | Self::Demo => claude::tools::unknown(announced),
        }
    }

    /// What the last words of a process mean, where that is known.
    pub fn last_words(self, stderr: &str) -> Option<ErrorRaised> {
        match self {
            Self::Claude => claude::last_words(stderr),
            Self::Demo => None,
        }
    }

    /// Whether a process that never came up said that it knows nothing but
    /// plain text.
    pub fn speaks_only_text(self, stderr: &str) -> bool {
        match self {
            Self::Claude => claude::speaks_only_text(stderr),
            Self::Demo => false,
        }
    }

    /// A command that is not for this agent to run, with its name and why.
    pub fn refused_command(self, text: &str) -> Option<(String, &'static str)> {
        match self {
            Self::Claude => claude::refused_command(text),
            Self::Demo => None,
        }
    }

    /// Whether a slash command is one that people type.
    pub fn is_for_people(self, name: &str, description: Option<&str>) -> bool {
        match self {
            Self::Claude => claude::is_for_people(name, description),
            Self::Demo => true,
        }
    }

    /// Whether one of its processes can wait for its first message and leave
    /// nothing behind if none comes.
    pub(crate) const fn can_wait(self) -> bool {
        match self {
            Self::Claude => true,
            // It is up at once.
            Self::Demo => false,
        }
    }

    /// What a process that comes up tells of what can be chosen, if it does.
    pub(crate) fn choices(self, greeting: &Json) -> Option<Choices> {
        match self {
            Self::Claude => claude::choices(greeting),
            Self::Demo => None,
        }
    }

    pub fn capabilities(self) -> Capabilities {
        match self {
            Self::Claude => claude::capabilities(),
            Self::Demo => demo::capabilities(),
        }
    }

    /// What it is, in a few words.
    pub const fn about(self) -> &'static str {
        match self {
            Self::Claude => claude::ABOUT,
            Self::Demo => demo::ABOUT,
        }
    }
}

/// One running agent's translation, with what it must remember between lines.
///
/// Its snapshot is committed together with the events made from the lines it
/// has seen, so that a new owner goes on exactly where the old one stopped.
#[derive(Debug, Clone)]
pub enum Translator {
    Claude(Box<claude::Translator>),
    Demo(demo::Translator),
}

impl Translator {
    /// A translator for a process that is about to start.
    pub fn new(kind: AgentKind, facts: &Facts) -> Self {
        match kind {
            AgentKind::Claude => {
                let start = claude::Start {
                    todo: facts.open.todo.clone(),
                    mode: facts.permission_mode,
                    text: facts.text_output.then(|| claude::Text::for_turn(facts)),
                };
                Self::Claude(Box::new(claude::Translator::new(&start)))
            }
            AgentKind::Demo => Self::Demo(demo::Translator::default()),
        }
    }

    /// Turns one line of the agent into outputs, appended to `out`.
    pub fn line(&mut self, line: &[u8], out: &mut Vec<AgentOutput>) {
        match self {
            Self::Claude(translator) => translator.line(line, out),
            Self::Demo(translator) => translator.line(line, out),
        }
    }

    /// What is known as soon as the process runs.
    pub fn begun(&mut self, out: &mut Vec<AgentOutput>) {
        match self {
            Self::Claude(translator) => translator.begun(out),
            Self::Demo(_) => {}
        }
    }

    /// What its end tells.
    pub fn ended(&mut self, exit_code: Option<i32>, out: &mut Vec<AgentOutput>) {
        match self {
            Self::Claude(translator) => translator.ended(exit_code, out),
            Self::Demo(_) => {}
        }
    }

    /// Whether it takes nothing but what it was started with.
    pub const fn is_text(&self) -> bool {
        match self {
            Self::Claude(translator) => translator.is_text(),
            Self::Demo(_) => false,
        }
    }

    /// A line that was too long to be read at all.
    pub fn oversized(&mut self, bytes: u64, head: &[u8], out: &mut Vec<AgentOutput>) {
        let _ = self;
        out.push(output::garbled(
            &format!("the agent wrote a line of {bytes} bytes, which is too long to read"),
            head,
        ));
    }

    /// The lines that tell the agent `command`, each without its newline.
    pub fn command(&mut self, command: &AgentCommand) -> Vec<Vec<u8>> {
        match self {
            Self::Claude(translator) => translator.command(command),
            Self::Demo(translator) => translator.command(command),
        }
    }

    /// The message that an earlier owner meant to give the agent: whether it
    /// did, the agent's own words will tell.
    pub const fn expect(&mut self, message: MessageId) {
        match self {
            Self::Claude(translator) => translator.expect(message),
            Self::Demo(_) => {}
        }
    }

    /// Whether the process has said that it takes prompts.
    pub const fn is_ready(&self) -> bool {
        match self {
            Self::Claude(translator) => translator.is_ready(),
            Self::Demo(translator) => translator.is_ready(),
        }
    }

    /// Whether the process has told what it runs with.
    pub const fn has_started(&self) -> bool {
        match self {
            Self::Claude(translator) => translator.has_started(),
            Self::Demo(translator) => translator.has_started(),
        }
    }

    /// Everything the translator must know to go on.
    pub fn snapshot(&self) -> Json {
        match self {
            Self::Claude(translator) => Json::of(translator),
            Self::Demo(translator) => Json::of(translator),
        }
    }

    /// The opposite of [`Translator::snapshot`].
    pub fn restore(kind: AgentKind, snapshot: &Json) -> Result<Self, serde_json::Error> {
        let text = snapshot.text();
        Ok(match kind {
            AgentKind::Claude => Self::Claude(serde_json::from_str(text)?),
            AgentKind::Demo => Self::Demo(serde_json::from_str(text)?),
        })
    }
}

/// What a message names that the agent would read without asking. `None` if
/// that is too much to look at.
pub(crate) fn mentioned(kind: AgentKind, text: &str) -> Option<BTreeSet<&str>> {
    match kind {
        AgentKind::Claude => claude::mentions::mentioned(text),
        AgentKind::Demo => Some(BTreeSet::new()),
    }
}

/// A rule that denies reading, for an agent that reads by itself what texts name.
pub(crate) fn denied_read(rule: &str) -> Option<String> {
    claude::mentions::denied_read(rule)
}
