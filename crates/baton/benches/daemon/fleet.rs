//! A daemon of its own, and what it takes of the machine.

use std::{
    path::PathBuf,
    process::{Child, Stdio},
    time::Duration,
};

use baton_testkit::{Sandbox, bin};
use serde_json::json;

use crate::{client::Client, now, proc};

/// Room for every session of a run, whatever the defaults are.
const PLACES: &str = "1000";

pub(crate) struct Fleet {
    sandbox: Sandbox,
    daemon: Child,
}

/// CPU time of everyone who takes part, in milliseconds.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Cpu {
    pub(crate) at: u64,
    pub(crate) daemon: u64,
    pub(crate) holders: u64,
    pub(crate) agents: u64,
    pub(crate) client: u64,
    pub(crate) machine: u64,
}

impl Cpu {
    pub(crate) fn since(self, before: Self) -> Self {
        Self {
            at: self.at - before.at,
            daemon: self.daemon - before.daemon,
            holders: self.holders - before.holders,
            agents: self.agents - before.agents,
            client: self.client - before.client,
            machine: self.machine - before.machine,
        }
    }

    /// Part of one core, of a difference.
    pub(crate) fn percent(self, milliseconds: u64) -> f64 {
        milliseconds as f64 * 1e8 / self.at as f64
    }

    pub(crate) const fn baton(self) -> u64 {
        self.daemon + self.holders
    }
}

impl Fleet {
    pub(crate) async fn start() -> Self {
        let fake = bin("fake-claude").display().to_string();
        let mut sandbox = Sandbox::new().with_env("BATON_AGENT_CLAUDE_PATH", fake);
        for name in [
            "BATON_AGENT_MAX_SESSIONS",
            "BATON_AGENT_MAX_SESSIONS_PER_PROJECT",
            "BATON_AGENT_MAX_PROCESSES",
        ] {
            sandbox = sandbox.with_env(name, PLACES);
        }
        let data = sandbox.data().display().to_string();
        let mut command = sandbox.command(bin("baton"));
        command.args(["--data-dir", &data, "serve"]);
        command.stdin(Stdio::null()).stdout(Stdio::null());
        let daemon = command.stderr(Stdio::null()).spawn().unwrap();
        let fleet = Self { sandbox, daemon };
        let facts = fleet.data().join("daemon.json");
        while !facts.is_file() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        fleet
    }

    pub(crate) fn data(&self) -> PathBuf {
        self.sandbox.data()
    }

    pub(crate) fn daemon(&self) -> u32 {
        self.daemon.id()
    }

    pub(crate) fn holders(&self) -> Vec<u32> {
        let mut all = proc::of_program(&bin("baton"), self.sandbox.root());
        all.retain(|pid| *pid != self.daemon());
        all
    }

    pub(crate) fn agents(&self) -> Vec<u32> {
        proc::of_program(&bin("fake-claude"), self.sandbox.root())
    }

    /// Makes a session that begins with this prompt.
    pub(crate) async fn create(&self, client: &mut Client, prompt: &str) -> String {
        let project = self.sandbox.project().display().to_string();
        let payload = json!({"project": project, "prompt": prompt, "agent": "claude"});
        let reply = client
            .ask(json!({"type": "command", "command": "create", "payload": payload}))
            .await;
        let result = &reply["result"];
        let id = result["id"].as_str().or(result["sessionId"].as_str());
        id.unwrap_or_else(|| panic!("no session in {reply}"))
            .to_owned()
    }

    pub(crate) fn cpu(&self, holders: &[u32], agents: &[u32]) -> Cpu {
        let sum = |pids: &[u32]| pids.iter().map(|pid| proc::cpu_ms(*pid)).sum();
        Cpu {
            at: now(),
            daemon: proc::cpu_ms(self.daemon()),
            holders: sum(holders),
            agents: sum(agents),
            client: proc::cpu_ms(std::process::id()),
            machine: proc::machine_ms(),
        }
    }
}

impl Drop for Fleet {
    fn drop(&mut self) {
        // Killed, not asked: what is measured is over, and the sandbox ends the rest.
        self.daemon.kill().ok();
        self.daemon.wait().ok();
    }
}
