//! The first request: what the host brings.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::hook::{HookEvent, HookMatcher};
use crate::json::{self, RawJson};

/// Introduces the host. It must be the first line: 2.1.197 silently ignores
/// hooks that come later.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct Initialize {
    /// Hooks to call, by event.
    #[serde(
        skip_serializing_if = "BTreeMap::is_empty",
        deserialize_with = "json::or_default"
    )]
    pub hooks: BTreeMap<HookEvent, Vec<HookMatcher>>,
    /// Names of MCP servers inside the host. Each also needs an entry of type
    /// `sdk` in `--mcp-config`, which [`crate::Options`] writes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sdk_mcp_servers: Vec<String>,
    /// JSON Schema the final answer must fit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub json_schema: Option<RawJson>,
    /// Replaces the system prompt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub system_prompt: Option<Vec<String>>,
    /// Adds to the system prompt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub append_system_prompt: Option<String>,
    /// Kinds of sub-agents, by name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agents: Option<RawJson>,
    /// The session's title.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Asks for `prompt_suggestion` lines.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt_suggestions: Option<bool>,
    /// Asks for summaries of what sub-agents do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_progress_summaries: Option<bool>,
    /// Forwards the text of foreground sub-agents, not only their tools.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub forward_subagent_text: Option<bool>,
    /// Whether the system prompt of the first request is kept for all later
    /// ones, also of processes that resume the session. 2.1.325 does so unless
    /// this is false; older versions never do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub system_prompt_snapshot: Option<bool>,
}
