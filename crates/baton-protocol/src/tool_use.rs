//! What a tool call is, in words that hold for every agent.
//!
//! Each agent has its own names for its tools. Its translation says once what a
//! call of one is; rules, labels, counts and screens read that and no names.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a call does.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "camelCase")]
pub enum ToolKind {
    /// Runs a command line.
    Shell,
    /// Reads one file.
    Read,
    /// Looks for files, or for text in files.
    Search,
    /// Changes parts of a file.
    Edit,
    /// Writes a whole file.
    Write,
    /// Reaches into the web.
    Fetch,
    /// Starts another agent.
    Agent,
    /// Says something to an agent that runs.
    Message,
    /// Asks the person.
    Question,
    /// Shows the person a plan.
    Plan,
    /// Keeps the list of what is to be done.
    Todo,
    /// Changes nothing outside the agent itself.
    Inner,
    /// Has something done later, by itself.
    Schedule,
    /// Takes up instructions that lie ready in files.
    Skill,
    /// Belongs to an MCP server.
    Mcp,
    /// Nothing is known of it.
    #[default]
    #[serde(other)]
    Other,
}

/// What a call is about. Which of these it has depends on its kind.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ToolSubject {
    /// The command line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// The command's language, where it is not the POSIX shell's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// It goes on by itself while the agent does something else.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub in_background: bool,
    /// The file, or the folder that is searched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The names of files that are looked for, with wildcards.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pattern: Option<String>,
    /// The words that are looked for, in files or in the web.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub query: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// The MCP server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server: Option<String>,
    /// The server's own name for the tool. Without one, the call is about what
    /// the server has to read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// The skill, or what a sub-agent is to do, in a few words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// A call as its agent's translation understands it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ToolUse {
    pub kind: ToolKind,
    pub subject: ToolSubject,
    /// Its input says something that nothing is known of.
    pub is_unusual: bool,
    /// No session goes without it: it reaches a person or carries the answer.
    pub is_basic: bool,
}

impl ToolKind {
    pub const fn is_other(&self) -> bool {
        matches!(self, Self::Other)
    }

    /// Whether it changes the one file that it names.
    pub const fn changes_file(self) -> bool {
        matches!(self, Self::Edit | Self::Write)
    }

    /// Whether it reads files and changes nothing.
    pub const fn reads_files(self) -> bool {
        matches!(self, Self::Read | Self::Search)
    }

    /// Whether the agent speaks to the person through it.
    pub const fn is_for_person(self) -> bool {
        matches!(self, Self::Question | Self::Plan)
    }

    /// Whether it is known to change nothing outside the agent itself. What a
    /// sub-agent does is told as calls of its own.
    pub const fn is_harmless(self) -> bool {
        matches!(self, Self::Todo | Self::Inner | Self::Agent) || self.is_for_person()
    }

    /// Whether nothing tells what it may do with what it is told of.
    pub const fn may_do_anything(self) -> bool {
        matches!(
            self,
            Self::Message | Self::Schedule | Self::Skill | Self::Mcp | Self::Other
        )
    }
}

impl ToolSubject {
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

impl ToolUse {
    pub fn of(kind: ToolKind, subject: ToolSubject) -> Self {
        Self {
            kind,
            subject,
            ..Self::default()
        }
    }

    /// A command line.
    pub fn shell(command: &str) -> Self {
        let command = Some(command.to_owned());
        Self::of(
            ToolKind::Shell,
            ToolSubject {
                command,
                ..ToolSubject::default()
            },
        )
    }

    /// A call that is about one file.
    pub fn file(kind: ToolKind, path: &str) -> Self {
        let path = Some(path.to_owned());
        Self::of(
            kind,
            ToolSubject {
                path,
                ..ToolSubject::default()
            },
        )
    }
}
