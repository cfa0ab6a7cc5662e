//! Parts of larger events.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Where a process took the conversation up from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    Startup,
    Resume,
    Fork,
    /// An earlier process of this conversation ended.
    Restart,
}

/// Who brings an MCP server.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum McpSource {
    /// Baton itself.
    Builtin,
    /// `--mcp-servers-file`
    User,
    /// The folder's `.mcp.json`.
    Project,
    /// The agent's own settings and plugins.
    Agent,
}

/// An MCP server as the agent sees it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct McpServer {
    pub name: String,
    pub source: McpSource,
    /// The agent's word for it, or `untrusted`: left out with its folder.
    pub status: String,
}

/// A name that several sources use.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct McpConflict {
    pub name: String,
    pub used: McpSource,
    pub ignored: McpSource,
}

/// Something in the folder that does not count before somebody accepts it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LeftOut {
    /// `instructions`, `hook`, `mcpServer`, `environment`, `permission`, …
    pub kind: String,
    pub name: String,
    /// Where it is from.
    pub file: String,
}

/// What the conversation may use up.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Budget {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_budget_usd: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_turns: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_thinking_tokens: Option<u32>,
}
