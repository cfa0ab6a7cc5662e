//! Whether agents are here and well.

use std::{
    ffi::OsString,
    path::{Path, PathBuf},
    time::Duration,
};

use baton_process::{Exit, RunLimits, RunOutput, Spec, run_to_end};
use baton_protocol::api::DoctorCheck;

use super::{AgentHome, AgentKind, claude};

impl AgentKind {
    /// How somebody gets its program.
    pub const fn install(self) -> &'static str {
        match self {
            Self::Claude => claude::INSTALL,
            Self::Demo => "See the details; `baton doctor` checks what is needed.",
        }
    }
}

impl AgentHome {
    /// The program of an agent, where it was found.
    pub fn program(&self, kind: AgentKind) -> Option<&Path> {
        match kind {
            AgentKind::Claude => self.claude.as_deref(),
            AgentKind::Demo => Some(&self.baton),
        }
    }

    /// The setting that names an agent's program, if one does, and where the
    /// program was looked for.
    pub const fn looked_for(&self, kind: AgentKind) -> (Option<&'static str>, &'static str) {
        match kind {
            AgentKind::Claude if self.claude_named => (Some("agent.claudePath"), "claude"),
            AgentKind::Claude => (None, "claude"),
            AgentKind::Demo => (None, "baton"),
        }
    }

    /// What the program of an agent calls its version. None for one that is a
    /// part of this program.
    pub async fn version(&self, kind: AgentKind) -> Option<String> {
        match kind {
            AgentKind::Claude => claude::version(self).await,
            AgentKind::Demo => None,
        }
    }

    /// What a doctor says of an agent.
    pub async fn examine(&self, kind: AgentKind) -> Vec<DoctorCheck> {
        match kind {
            AgentKind::Claude => claude::examine(self).await,
            AgentKind::Demo => Vec::new(),
        }
    }
}

/// What a program says when it is run with these arguments.
pub async fn probe(
    program: PathBuf,
    args: &[&str],
    env: Vec<(OsString, OsString)>,
) -> Result<RunOutput, String> {
    let spec = Spec {
        program,
        args: args.iter().map(Into::into).collect(),
        env,
        cwd: PathBuf::from("/"),
    };
    let limits = RunLimits {
        time: Duration::from_secs(20),
        ..RunLimits::default()
    };
    let output = run_to_end(&spec, limits).await;
    let output = output.map_err(|error| crate::chain(&error))?;
    match output.exit {
        Exit::Exited { code: 0 } => Ok(output),
        // Some tell in JSON why they fail.
        Exit::Exited { .. } if output.stdout.starts_with(b"{") => Ok(output),
        Exit::Exited { code } => Err(format!("it ended with exit code {code}")),
        Exit::Signalled { signal } => Err(format!("it was killed by signal {signal}")),
        Exit::Lost => Err("it vanished".into()),
    }
}
