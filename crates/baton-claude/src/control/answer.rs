//! What the CLI answers to the host's requests.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::initialize::{AgentKind, Model, SlashCommand};
use super::permission::PermissionMode;
use crate::json::{self, RawJson};
use crate::message::system::McpServerState;
use crate::message::usage::ModelUsage;

/// An answer without content.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
pub struct Done {}

/// Answer to `interrupt`; empty in 2.1.197.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Interrupted {
    /// Messages that will run next.
    pub still_queued: Option<Vec<String>>,
    /// Messages that were withdrawn.
    pub cancelled: Option<Vec<String>>,
}

/// Answer to `set_permission_mode`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct ModeSet {
    /// The mode asked for. Only the following `status` line proves the change.
    pub mode: Option<PermissionMode>,
}

/// Answer to `set_model`; empty in 2.1.197.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct ModelSet {
    /// The model behind the name.
    #[serde(deserialize_with = "json::opt_string")]
    pub model: Option<String>,
}

/// Answer to `mcp_status`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct McpServers {
    /// The servers.
    #[serde(rename = "mcpServers")]
    pub servers: Vec<McpServer>,
}

/// An MCP server.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct McpServer {
    /// Its name.
    pub name: String,
    /// How it is.
    pub status: McpServerState,
    /// Why it failed.
    #[serde(default, deserialize_with = "json::opt_string")]
    pub error: Option<String>,
    /// Where it was configured.
    #[serde(default, deserialize_with = "json::opt_string")]
    pub scope: Option<String>,
    /// What it says about itself.
    #[serde(default, rename = "serverInfo")]
    pub server_info: Option<RawJson>,
    /// How it was configured.
    #[serde(default)]
    pub config: Option<RawJson>,
    /// Its tools.
    #[serde(default, deserialize_with = "json::or_default")]
    pub tools: Vec<McpTool>,
}

/// A tool of an MCP server.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct McpTool {
    /// Its name.
    pub name: String,
    /// What it says about itself.
    #[serde(default)]
    pub annotations: Option<RawJson>,
}

/// Answer to `mcp_set_servers`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct McpServersSet {
    /// Servers added.
    #[serde(deserialize_with = "json::or_default")]
    pub added: Vec<String>,
    /// Servers removed.
    #[serde(deserialize_with = "json::or_default")]
    pub removed: Vec<String>,
    /// Why servers failed, by name.
    #[serde(deserialize_with = "json::or_default")]
    pub errors: BTreeMap<String, RawJson>,
}

/// Answer to `mcp_call`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct McpCalled {
    /// What the tool returned, as MCP content.
    pub content: RawJson,
}

/// Answer to `rewind_files`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FilesRewound {
    /// Whether it can be, or was, done.
    pub can_rewind: bool,
    /// Files that would change; dry run only.
    #[serde(default, deserialize_with = "json::or_default")]
    pub files_changed: Vec<String>,
    /// Lines that would be added; dry run only.
    #[serde(default, deserialize_with = "json::opt_u64")]
    pub insertions: Option<u64>,
    /// Lines that would be removed; dry run only.
    #[serde(default, deserialize_with = "json::opt_u64")]
    pub deletions: Option<u64>,
    /// Why not.
    #[serde(default, deserialize_with = "json::opt_string")]
    pub error: Option<String>,
}

/// Answer to `rewind_conversation`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct ConversationRewound {
    /// Whether it was done.
    #[serde(deserialize_with = "json::flag")]
    pub rewound: bool,
    /// The text of the message taken back.
    #[serde(deserialize_with = "json::opt_string")]
    pub prefill_text: Option<String>,
    /// The answer that is now last.
    #[serde(deserialize_with = "json::opt_string")]
    pub preceding_assistant_uuid: Option<String>,
    /// Why not.
    #[serde(deserialize_with = "json::opt_string")]
    pub error: Option<String>,
}

/// Answer to `get_context_usage`.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ContextUsage {
    /// What fills the window.
    pub categories: Vec<ContextCategory>,
    /// Tokens in use.
    pub total_tokens: u64,
    /// Tokens that fit.
    pub max_tokens: u64,
    /// Tokens that would fit without reserve.
    #[serde(default, deserialize_with = "json::opt_u64")]
    pub raw_max_tokens: Option<u64>,
    /// The part in use.
    #[serde(default, deserialize_with = "json::opt_f64")]
    pub percentage: Option<f64>,
    /// The model.
    #[serde(default, deserialize_with = "json::opt_string")]
    pub model: Option<String>,
    /// At how many tokens the CLI compacts by itself.
    #[serde(default, deserialize_with = "json::opt_u64")]
    pub auto_compact_threshold: Option<u64>,
    /// Whether it does.
    #[serde(default, deserialize_with = "json::opt_bool")]
    pub is_auto_compact_enabled: Option<bool>,
}

/// Something that fills the context window.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct ContextCategory {
    /// Its name for people.
    pub name: String,
    /// Tokens.
    pub tokens: u64,
    /// Its name for programs (2.1.325).
    #[serde(default, deserialize_with = "json::opt_string")]
    pub id: Option<String>,
    /// Such as `used` (2.1.325).
    #[serde(default, deserialize_with = "json::opt_string")]
    pub kind: Option<String>,
}

/// Answer to `get_session_cost`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct SessionCost {
    /// Text for people.
    pub text: String,
}

/// Answer to `get_usage`.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct SessionUsage {
    /// The session.
    pub session: SessionTotals,
    /// The kind of subscription.
    #[serde(default, deserialize_with = "json::opt_string")]
    pub subscription_type: Option<String>,
    /// Whether the limits are known.
    #[serde(default, deserialize_with = "json::flag")]
    pub rate_limits_available: bool,
    /// The limits.
    #[serde(default)]
    pub rate_limits: Option<RawJson>,
}

/// Totals of a session.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct SessionTotals {
    /// Price in US dollars.
    #[serde(deserialize_with = "json::opt_f64")]
    pub total_cost_usd: Option<f64>,
    /// Time in API calls.
    #[serde(deserialize_with = "json::opt_u64")]
    pub total_api_duration_ms: Option<u64>,
    /// Time.
    #[serde(deserialize_with = "json::opt_u64")]
    pub total_duration_ms: Option<u64>,
    /// Lines written.
    #[serde(deserialize_with = "json::opt_u64")]
    pub total_lines_added: Option<u64>,
    /// Lines removed.
    #[serde(deserialize_with = "json::opt_u64")]
    pub total_lines_removed: Option<u64>,
    /// Counts per model.
    #[serde(deserialize_with = "json::or_default")]
    pub model_usage: BTreeMap<String, ModelUsage>,
}

/// Answer to `get_settings`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Settings {
    /// The settings in effect.
    pub effective: RawJson,
    /// Where they come from.
    #[serde(default, deserialize_with = "json::or_default")]
    pub sources: Vec<RawJson>,
    /// What the session made of them.
    #[serde(default)]
    pub applied: Option<RawJson>,
}

/// Answer to `get_binary_version`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BinaryVersion {
    /// Such as `2.1.197`.
    pub version: String,
    /// When it was built.
    #[serde(default, deserialize_with = "json::opt_string")]
    pub build_time: Option<String>,
}

/// Answer to `file_suggestions`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct FilesSuggested {
    /// The suggestions; their shape has not been observed.
    pub suggestions: Vec<RawJson>,
}

/// Answer to `read_file`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FileContents {
    /// What it holds.
    pub contents: String,
    /// Where it is.
    #[serde(default, deserialize_with = "json::opt_string")]
    pub abs_path: Option<String>,
    /// Whether there is more.
    #[serde(default, deserialize_with = "json::flag")]
    pub truncated: bool,
}

/// Answer to `reload_plugins`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct PluginsReloaded {
    /// Slash commands.
    #[serde(deserialize_with = "json::or_default")]
    pub commands: Vec<SlashCommand>,
    /// Kinds of sub-agents.
    #[serde(deserialize_with = "json::or_default")]
    pub agents: Vec<AgentKind>,
    /// Plugins.
    #[serde(deserialize_with = "json::or_default")]
    pub plugins: Vec<RawJson>,
    /// MCP servers.
    #[serde(rename = "mcpServers", deserialize_with = "json::or_default")]
    pub mcp_servers: Vec<RawJson>,
    /// How many failed.
    #[serde(deserialize_with = "json::opt_u64")]
    pub error_count: Option<u64>,
}

/// Answer to `reload_skills`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct SkillsReloaded {
    /// The skills.
    pub skills: Vec<SlashCommand>,
}

/// Answer to `cancel_async_message`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct MessageCancelled {
    /// False when the message was taken already.
    pub cancelled: bool,
}

/// Answer to `generate_session_title`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct TitleGenerated {
    /// The title; absent when the model gave none.
    #[serde(default, deserialize_with = "json::opt_string")]
    pub title: Option<String>,
}

/// Answer to `side_question`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct SideAnswer {
    /// The model's words.
    #[serde(default, deserialize_with = "json::opt_string")]
    pub response: Option<String>,
    /// Whether the CLI made them up.
    #[serde(default, deserialize_with = "json::flag")]
    pub synthetic: bool,
}

/// Answer to `list_models`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Models {
    /// The models.
    pub models: Vec<Model>,
}

/// Answer to `list_permission_rules`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct PermissionRules {
    /// The rules.
    pub state: PermissionRulesState,
}

/// Rules and directories in effect.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct PermissionRulesState {
    /// The rules; their shape has not been observed.
    #[serde(deserialize_with = "json::or_default")]
    pub rules: Vec<RawJson>,
    /// Further directories.
    #[serde(deserialize_with = "json::or_default")]
    pub workspace_directories: Vec<RawJson>,
    /// Where the session started.
    #[serde(deserialize_with = "json::opt_string")]
    pub original_cwd: Option<String>,
    /// Whether only the administrator's rules count.
    #[serde(deserialize_with = "json::flag")]
    pub managed_only: bool,
}

/// Answer to `get_hooks_listing`; its parts are for display and stay raw.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct HooksListing {
    /// Events with hooks.
    pub events: Option<RawJson>,
    /// The hooks.
    pub hooks: Option<RawJson>,
    /// Events there are.
    pub event_catalog: Option<RawJson>,
    /// What the administrator decided.
    pub policy: Option<RawJson>,
}

/// Answer to `get_plan`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Plan {
    /// Whether there is one.
    pub exists: bool,
    /// Its text, by the key the type declarations give it.
    #[serde(default, deserialize_with = "json::opt_string")]
    pub content: Option<String>,
}

/// Answer to `get_status`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct StatusPage {
    /// Headed lists of label and value.
    pub sections: Vec<StatusSection>,
}

/// A headed list.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct StatusSection {
    /// The heading.
    #[serde(default, deserialize_with = "json::opt_string")]
    pub title: Option<String>,
    /// The rows, for display.
    #[serde(default, deserialize_with = "json::or_default")]
    pub rows: Vec<RawJson>,
}
