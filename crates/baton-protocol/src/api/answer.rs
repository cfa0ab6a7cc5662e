//! What the daemon answers about itself.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::agent::{AgentFound, AgentMissing};
use crate::{time::Timestamp, words::SessionState};

/// How the daemon stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Status {
    pub ok: bool,
    pub pid: u32,
    pub version: String,
    pub started_at: Timestamp,
    pub uptime_s: u64,
    /// Where it serves HTTP; none while it does not.
    pub url: Option<String>,
    pub sessions: StatusCounts,
    pub pending_approvals: u64,
    pub projects: u64,
    /// Screens and programs that are connected, this one included if it is;
    /// below a project those that are connected below it.
    pub clients: u64,
    /// Which agents can be used, the one that is used by default first.
    pub agents: Vec<AgentFound>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missing_agents: Vec<AgentMissing>,
    /// No new turns are taken any more.
    pub stopping: bool,
    /// The machine is kept from going to sleep while agents work.
    #[serde(default)]
    pub keep_awake: bool,
}

/// Whether everything is here that Baton needs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DoctorReport {
    /// Nothing among the checks is a problem.
    pub ok: bool,
    pub checks: Vec<DoctorCheck>,
}

/// One thing that was looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DoctorCheck {
    pub name: String,
    pub verdict: DoctorVerdict,
    pub finding: String,
    /// What to do about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remedy: Option<String>,
}

impl DoctorCheck {
    pub fn ok(name: impl Into<String>, finding: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            verdict: DoctorVerdict::Ok,
            finding: finding.into(),
            remedy: None,
        }
    }

    pub fn warning(
        name: impl Into<String>,
        finding: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Self {
        Self {
            verdict: DoctorVerdict::Warning,
            remedy: Some(remedy.into()),
            ..Self::ok(name, finding)
        }
    }

    pub fn problem(
        name: impl Into<String>,
        finding: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Self {
        Self {
            verdict: DoctorVerdict::Problem,
            ..Self::warning(name, finding, remedy)
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum DoctorVerdict {
    Ok,
    Warning,
    Problem,
}

/// Sessions by state.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct StatusCounts {
    pub starting: u64,
    pub processing: u64,
    pub waiting: u64,
    pub idle: u64,
    /// They ended for want of something to do; the next message wakes them.
    #[serde(default)]
    pub asleep: u64,
    /// By a person or a fault.
    pub ended: u64,
}

impl StatusCounts {
    pub const fn add(&mut self, state: SessionState, asleep: bool) {
        let count = match state {
            SessionState::Starting => &mut self.starting,
            SessionState::Processing => &mut self.processing,
            SessionState::Waiting => &mut self.waiting,
            SessionState::Idle => &mut self.idle,
            SessionState::Ended if asleep => &mut self.asleep,
            SessionState::Ended => &mut self.ended,
        };
        *count += 1;
    }

    pub const fn total(&self) -> u64 {
        self.starting + self.processing + self.waiting + self.idle + self.asleep + self.ended
    }

    /// Agents that are about to do something by themselves.
    pub const fn working(&self) -> u64 {
        self.starting + self.processing
    }
}
