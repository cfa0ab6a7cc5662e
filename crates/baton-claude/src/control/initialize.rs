//! The first request: what the host brings, and what the CLI offers.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::hook::{HookEvent, HookMatcher};
use super::permission::PermissionMode;
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

/// What the CLI offers.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct InitializeAnswer {
    /// Slash commands.
    #[serde(deserialize_with = "json::or_default")]
    pub commands: Vec<SlashCommand>,
    /// Kinds of sub-agents.
    #[serde(deserialize_with = "json::or_default")]
    pub agents: Vec<AgentKind>,
    /// Models to choose from.
    #[serde(deserialize_with = "json::or_default")]
    pub models: Vec<Model>,
    /// Who is logged in.
    pub account: Option<Account>,
    /// The output style.
    #[serde(deserialize_with = "json::opt_string")]
    pub output_style: Option<String>,
    /// Output styles to choose from.
    #[serde(deserialize_with = "json::or_default")]
    pub available_output_styles: Vec<String>,
    /// The CLI's process id.
    #[serde(deserialize_with = "json::opt_u64")]
    pub pid: Option<u64>,
    /// The CLI's version (2.1.325).
    #[serde(deserialize_with = "json::opt_string")]
    pub claude_code_version: Option<String>,
    /// The permission mode (2.1.325).
    pub current_permission_mode: Option<PermissionMode>,
    /// Protocol features (2.1.325).
    pub capabilities: Option<Vec<String>>,
    /// Whether hooks of a late initialize count (2.1.325).
    #[serde(deserialize_with = "json::opt_bool")]
    pub hooks_applied: Option<bool>,
}

/// A slash command.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct SlashCommand {
    /// Its name, without the slash.
    pub name: String,
    /// What it does.
    #[serde(default, deserialize_with = "json::opt_string")]
    pub description: Option<String>,
    /// What to write after it.
    #[serde(
        default,
        rename = "argumentHint",
        deserialize_with = "json::opt_string"
    )]
    pub argument_hint: Option<String>,
    /// Other names.
    #[serde(default, deserialize_with = "json::or_default")]
    pub aliases: Vec<String>,
}

/// A kind of sub-agent.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct AgentKind {
    /// Its name.
    pub name: String,
    /// What it is for.
    #[serde(default, deserialize_with = "json::opt_string")]
    pub description: Option<String>,
    /// The model it uses, when not the session's.
    #[serde(default, deserialize_with = "json::opt_string")]
    pub model: Option<String>,
}

/// A model to choose.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Model {
    /// What to pass to `set_model`.
    pub value: String,
    /// The model behind an alias.
    #[serde(default, deserialize_with = "json::opt_string")]
    pub resolved_model: Option<String>,
    /// Its name for people.
    #[serde(default, deserialize_with = "json::opt_string")]
    pub display_name: Option<String>,
    /// What it is good for.
    #[serde(default, deserialize_with = "json::opt_string")]
    pub description: Option<String>,
    /// Effort levels to choose from.
    #[serde(default, deserialize_with = "json::or_default")]
    pub supported_effort_levels: Vec<String>,
    /// Whether effort can be chosen.
    #[serde(default, deserialize_with = "json::flag")]
    pub supports_effort: bool,
    /// Whether it decides itself how much to think.
    #[serde(default, deserialize_with = "json::flag")]
    pub supports_adaptive_thinking: bool,
    /// Whether it has a fast mode.
    #[serde(default, deserialize_with = "json::flag")]
    pub supports_fast_mode: bool,
    /// Whether the `auto` permission mode works with it.
    #[serde(default, deserialize_with = "json::flag")]
    pub supports_auto_mode: bool,
}

/// Who is logged in, and how.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Account {
    /// Where the token comes from.
    #[serde(deserialize_with = "json::opt_string")]
    pub token_source: Option<String>,
    /// Where the API key comes from.
    #[serde(deserialize_with = "json::opt_string")]
    pub api_key_source: Option<String>,
    /// Who serves the API.
    #[serde(deserialize_with = "json::opt_string")]
    pub api_provider: Option<String>,
    /// The account's address.
    #[serde(deserialize_with = "json::opt_string")]
    pub email: Option<String>,
    /// The account's organisation.
    #[serde(deserialize_with = "json::opt_string")]
    pub organization: Option<String>,
    /// The kind of subscription.
    #[serde(deserialize_with = "json::opt_string")]
    pub subscription_type: Option<String>,
}
