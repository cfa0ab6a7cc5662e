//! Agents, as clients see them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::words::PermissionMode;

/// An agent that can be used.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentFound {
    pub name: String,
    /// What it is, in a few words.
    #[serde(default)]
    pub about: String,
    /// What its program says; none if it does not say, or has not yet.
    pub version: Option<String>,
    #[serde(default)]
    pub capabilities: Capabilities,
}

/// An agent whose program was not found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentMissing {
    pub name: String,
    /// How somebody gets it.
    pub remedy: String,
}

/// What an agent can do; a screen offers only this. What is absent it cannot.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each says of one thing whether it can be done"
)]
pub struct Capabilities {
    pub gate: GateLevel,
    /// The permission modes that its sessions can be in.
    pub modes: Vec<PermissionMode>,
    /// It is told the mode; else Baton keeps it to itself.
    pub has_modes: bool,
    /// Its model can be chosen and changed.
    pub change_model: bool,
    /// A conversation goes on after its process has ended.
    pub resume: bool,
    /// A copy of a conversation can go on by itself.
    pub fork: bool,
    /// Files can be put back to how they were when a message came.
    pub rewind: bool,
    /// One of its sub-agents and background commands can be ended by itself.
    pub stop_task: bool,
    /// Messages may bring images.
    pub images: bool,
    /// It has commands that a message can begin with.
    pub commands: bool,
    /// It says how full its context is when it is asked.
    pub context_usage: bool,
    /// It says what it has cost so far when it is asked.
    pub tells_cost: bool,
    /// It says how its MCP servers stand when it is asked.
    pub mcp_status: bool,
    /// It says in which folder a tool will run.
    pub tells_folder: bool,
    /// It loads settings of the user's and of folders.
    pub settings: bool,
    /// It keeps conversations in files of its own, under a name that Baton may
    /// choose.
    pub own_history: bool,
}

/// How far Baton's rules hold for an agent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum GateLevel {
    /// Each tool call passes Baton before it runs.
    Every,
    /// The agent decides what to ask; the rest runs unasked.
    Asked,
    /// Tools run first, and Baton shows that they did.
    #[default]
    Seen,
}
