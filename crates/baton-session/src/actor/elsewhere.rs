//! Somebody else's process on this session: two at once would tear its
//! conversation apart, so none of ours is started then, and one that is there
//! is given nothing.

use baton_protocol::words::ErrorCode;

use super::{Actor, Broken};
use crate::machine::{Input, Phase, Rejected, Trouble};

impl Actor {
    /// Why a message may not be taken now.
    pub(super) fn owned_elsewhere(&self) -> Option<Rejected> {
        let pid = self.owner_elsewhere()?;
        Some(Rejected::OwnedElsewhere { pid })
    }

    fn owner_elsewhere(&self) -> Option<i32> {
        let (home, facts) = (&self.parts.home, self.parts.machine.facts());
        if self.process.is_none() {
            return home.owner(facts).filter(|pid| !self.is_warmed(*pid));
        }
        // Our own process is in the agent's list too.
        home.foreign_owner(facts)
    }

    /// What waits goes on when nobody else runs the session; that is told once
    /// for each who does. Says whether it has to wait.
    pub(super) async fn wait_for_owner(&mut self) -> Result<bool, Broken> {
        if self.parts.machine.facts().phase != Phase::Idle {
            return Ok(false);
        }
        let Some(pid) = self.owner_elsewhere() else {
            return Ok(false);
        };
        let told = self.told_of_owner.replace(pid) == Some(pid);
        let trouble = (!told).then(|| Trouble {
            hint: Some(format!("What waits begins when process {pid} has ended.")),
            ..runs_elsewhere(pid)
        });
        self.step_alone(Input::Wait(trouble)).await?;
        Ok(true)
    }

    /// Why no process may be started.
    pub(super) fn start_refused(&self) -> Option<Trouble> {
        let pid = self.parts.home.owner(self.parts.machine.facts())?;
        (!self.is_warmed(pid)).then(|| runs_elsewhere(pid))
    }
}

fn runs_elsewhere(pid: i32) -> Trouble {
    Trouble {
        code: ErrorCode::AgentRefused,
        message: Rejected::OwnedElsewhere { pid }.to_string(),
        hint: Some(format!("End process {pid}, then send the message again.")),
        detail: None,
    }
}
