//! Rules that the agent's own settings have, offered to be taken over as Baton's.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::words::{RuleDecision, Scope};

/// Whose rules are offered: the user's, and those of a project.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct RulesOffered {
    /// Its own settings are read too, unless it holds what nobody accepted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
}

/// Rules to be taken over, all or none. Only what is offered can be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RulesTake {
    pub rules: Vec<RuleChoice>,
    /// For the user or for a project.
    pub scope: Scope,
    /// The project that they are for, or whose rules are among them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
}

/// One of the offered rules.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RuleChoice {
    /// As it is offered.
    pub rule: String,
    pub decision: RuleDecision,
}

/// Rules that the agent's own settings have.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct OfferedRules {
    pub items: Vec<OfferedRule>,
    /// Sentences about what is not among them.
    pub notes: Vec<String>,
}

/// One rule of the agent's own settings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct OfferedRule {
    /// As the settings have it.
    pub rule: String,
    pub decision: RuleDecision,
    /// The settings' file.
    pub source: String,
    /// How far it reaches there.
    pub scope: Scope,
    /// What it would do here, in words; absent if it cannot be taken over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub words: Option<String>,
    /// Why it cannot be taken over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unreadable: Option<String>,
    /// Baton has it already.
    pub known: bool,
    /// Why it should be looked at twice.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warning: Option<String>,
}
