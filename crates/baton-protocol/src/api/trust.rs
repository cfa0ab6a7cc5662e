//! What a folder would run by itself, and the answer to that.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TrustBody {
    /// The folder, as an absolute path.
    pub project: String,
    /// Absent only asks what there is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub accept: Option<bool>,
    /// Names what is accepted, as it was shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
}

/// What a folder would run, and what was said to that.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FolderTrust {
    pub path: String,
    pub trusted: bool,
    /// An answer was given to something else than what is there now.
    pub changed: bool,
    pub items: Vec<FolderItem>,
    pub notes: Vec<String>,
    pub complete: bool,
    /// To be sent with `accept`.
    pub digest: String,
}

/// One thing that a folder would run or change by itself. All texts come from
/// the folder, with what cannot be seen written as numbers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FolderItem {
    pub kind: FolderItemKind,
    /// Where it is from: below the folder, or from the root for folders above.
    pub file: String,
    pub name: String,
    /// The command, the value or what else it comes to; long ones are cut.
    pub detail: String,
    /// Where the file really is, if a link leads out of the folder it was found in.
    pub link: Option<String>,
    /// Why it stands out: it runs by itself, or lets the agent act unasked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub danger: Option<String>,
}

/// What kind of thing it is.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "camelCase")]
pub enum FolderItemKind {
    /// A command, prompt or request at a moment of a session.
    Hook,
    McpServer,
    /// A variable for the agent and all that it starts.
    Environment,
    /// A command that a setting names, for sign-in or for the screen.
    Helper,
    /// What the agent may do without asking, and where.
    Permission,
    Plugin,
    Marketplace,
    Command,
    Agent,
    Skill,
    OutputStyle,
    /// Which tools the project wants: `.baton/permissions.json`.
    ToolSurface,
    /// A setting of the repository that makes git run something.
    Git,
    /// A program that git runs at a moment of its work.
    GitHook,
    /// Any other setting or file that the CLI obeys.
    Other,
    /// Something that could not be read or understood.
    Problem,
}
