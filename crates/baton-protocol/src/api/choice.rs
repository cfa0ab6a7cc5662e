//! What an agent lets people choose before a session begins.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::session::SlashCommand;

/// Of which agent, for a session in which project.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ListChoices {
    pub project: String,
    /// The default one when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
}

/// What the agent told when one of its processes last came up; empty where none
/// has, or where its program is another version now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentChoices {
    pub agent: String,
    pub models: Vec<ModelChoice>,
    /// Those of the project's last session with this agent; before there is
    /// one, those that the agent has everywhere.
    pub commands: Vec<SlashCommand>,
    /// How the project's last sessions began, the newest first.
    pub prompts: Vec<String>,
}

/// A model that the agent offers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ModelChoice {
    /// What a session is made with.
    pub value: String,
    /// What people call it.
    pub name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub about: Option<String>,
    /// It is what runs when no model is chosen.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_default: bool,
    /// How hard it can be made to try, the least first; empty if that cannot be
    /// chosen.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub efforts: Vec<String>,
}
