//! The whole program, as people and programs use it.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a failed step is a failed test"
)]

mod clients;
mod config;
mod daemon;
mod demo;
mod elsewhere;
mod environment;
mod faults;
mod folder;
mod kill;
mod projects;
mod remains;
mod restart;
mod rules;
mod security;
mod service;
mod sign_in;
mod stdio;
mod terminal;
mod torture;
mod trouble;
mod trust;
mod unattended;
mod warmed;
mod web;

use std::collections::BTreeMap;

use baton_testkit::{Finished, Running, Sandbox, Signal, bin, send_signal};
use serde_json::Value;

/// A sandbox whose `baton` keeps its data in the sandbox and talks quickly.
pub(crate) struct Bench {
    pub(crate) sandbox: Sandbox,
}

impl Bench {
    pub(crate) fn new() -> Self {
        Self::in_sandbox(Sandbox::new())
    }

    pub(crate) fn in_sandbox(sandbox: Sandbox) -> Self {
        let data = sandbox.data().display().to_string();
        let sandbox = sandbox
            .with_env("BATON_DATA_DIR", data)
            .with_env("BATON_DAEMON_IDLE_EXIT_S", "60")
            .with_env("BATON_AGENT_DEMO_PACE_MS", "1");
        Self { sandbox }
    }

    /// Adds or replaces a variable.
    pub(crate) fn with(self, name: &str, value: &str) -> Self {
        Self {
            sandbox: self.sandbox.with_env(name, value),
        }
    }

    /// Runs `baton` to its end.
    #[track_caller]
    pub(crate) fn baton(&self, args: &[&str]) -> Finished {
        self.sandbox.run(bin("baton"), args)
    }

    /// Runs `baton` to its end, which must be a good one.
    #[track_caller]
    pub(crate) fn ok(&self, args: &[&str]) -> Finished {
        let run = self.baton(args);
        run.expect_success();
        run
    }

    /// Runs `baton` to its end, which must be with this code.
    #[track_caller]
    pub(crate) fn fails(&self, code: i32, args: &[&str]) -> Finished {
        let run = self.baton(args);
        assert_eq!(run.code(), Some(code), "{run:?}");
        run
    }

    /// Starts `baton` and leaves it running.
    #[track_caller]
    pub(crate) fn start(&self, args: &[&str]) -> Running {
        self.sandbox.start(bin("baton"), args)
    }

    /// The process that owns the data folder.
    #[track_caller]
    pub(crate) fn daemon(&self) -> i32 {
        let text = std::fs::read_to_string(self.sandbox.data().join("daemon.json")).unwrap();
        let facts: Value = serde_json::from_str(&text).unwrap();
        i32::try_from(facts["pid"].as_i64().unwrap()).unwrap()
    }

    /// `kill -9` of the daemon.
    #[track_caller]
    pub(crate) fn kill_daemon(&self) {
        send_signal(self.daemon(), Signal::KILL);
    }

    /// Stops the daemon and its agents.
    #[track_caller]
    pub(crate) fn stop(&self) {
        self.ok(&["stop"]);
    }

    /// A session's whole log.
    #[track_caller]
    pub(crate) fn export(&self, id: &str) -> Vec<Value> {
        let events = self.ok(&["export", id]).json_lines();
        sound(&events);
        events
    }
}

/// What must be true of every log, whatever happened.
#[track_caller]
pub(crate) fn sound(events: &[Value]) {
    let mut approvals: BTreeMap<String, u32> = BTreeMap::new();
    let mut turns: BTreeMap<u64, u32> = BTreeMap::new();
    for (index, event) in events.iter().enumerate() {
        assert_eq!(event["seq"], index + 1, "seq is dense: {event}");
        let payload = &event["payload"];
        match kind(event) {
            "approval.requested" => {
                approvals.insert(payload["approvalId"].to_string(), 0);
            }
            "approval.resolved" => {
                let id = payload["approvalId"].to_string();
                *approvals
                    .get_mut(&id)
                    .expect("asked before it was answered") += 1;
            }
            "turn.started" => {
                turns.insert(payload["turn"].as_u64().unwrap(), 0);
            }
            "turn.completed" => {
                let turn = payload["turn"].as_u64().unwrap();
                *turns
                    .get_mut(&turn)
                    .expect("started before it was completed") += 1;
            }
            _ => {}
        }
    }
    assert!(
        approvals.values().all(|ends| *ends <= 1),
        "an approval ends once"
    );
    assert!(turns.values().all(|ends| *ends <= 1), "a turn ends once");
}

pub(crate) fn kind(event: &Value) -> &str {
    event["type"].as_str().expect("an event has a type")
}

pub(crate) fn kinds(events: &[Value]) -> Vec<&str> {
    events.iter().map(kind).collect()
}
