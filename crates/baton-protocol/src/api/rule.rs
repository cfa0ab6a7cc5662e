//! Rules: made, listed, tried, and taken over from the agent's own settings.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    event::{ApprovalRequested, ApprovalResolved},
    id::{RuleId, SessionId},
    time::Timestamp,
    words::{ClientRef, RuleDecision, Scope},
};

/// A rule as clients see it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Rule {
    pub id: RuleId,
    pub rule: String,
    pub decision: RuleDecision,
    pub scope: Scope,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope_id: Option<String>,
    /// Of a project: its folder, if a session was ever made in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    /// In words for a person.
    pub words: String,
    /// Why it cannot be read. What it allows is not allowed then, and if it
    /// denies or asks, every call is asked about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub broken: Option<String>,
    pub created_at: Timestamp,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client: Option<ClientRef>,
}

/// A rule to be made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RuleBody {
    /// Such as `Bash(git status:*)`.
    pub rule: String,
    pub decision: RuleDecision,
    pub scope: Scope,
    /// What the scope is about: a session's id; a project's slug, id or folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope_id: Option<String>,
    /// Of a project: its folder, where `scopeId` is absent. A rule for a session
    /// may be sent with the session instead.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RuleRemove {
    pub rule_id: RuleId,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RulePreview {
    pub rule: String,
    pub decision: RuleDecision,
    /// Only requests made in this folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
}

/// One past request and what a rule would have said to it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RuleTried {
    pub session_id: SessionId,
    pub requested_at: Timestamp,
    pub request: ApprovalRequested,
    /// What was decided then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resolved: Option<ApprovalResolved>,
    /// What the rule would have decided; absent leaves it to others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decision: Option<RuleDecision>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

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
