//! `kill -9` of the daemon: the agent goes on, and the log ends complete, once.

use std::time::Duration;

use baton_testkit::{
    LIMIT, Running, Sandbox, Signal, Version, claude_cli,
    model::{ModelServer, Script},
};
use serde_json::Value;

use crate::{Bench, kind, kinds};

/// Kills client and daemon once `wanted` was shown.
fn kill_when(bench: &Bench, run: &Running, wanted: impl Fn(&Value) -> bool) {
    run.wait_for(wanted, LIMIT);
    run.signal(Signal::KILL);
    bench.kill_daemon();
    run.wait_exit(LIMIT);
}

/// Looks again and again, as a person would, until the turn has ended.
fn until_done(bench: &Bench) -> Vec<Value> {
    for _ in 0..600 {
        let events = bench.export("last");
        if kinds(&events).contains(&"turn.completed") {
            return events;
        }
        std::thread::park_timeout(Duration::from_millis(50));
    }
    panic!("the turn never ended: {:?}", bench.export("last"));
}

fn texts(events: &[Value]) -> Vec<&str> {
    let messages = events
        .iter()
        .filter(|event| kind(event) == "assistant.message");
    messages
        .map(|event| event["payload"]["content"].as_str().unwrap())
        .collect()
}

#[test]
fn claude_finishes_its_turn_without_baton_and_the_log_has_it_once() {
    for version in Version::ALL {
        let server = ModelServer::start(Script::directed());
        let sandbox = Sandbox::new().with_model(&server).with_env(
            "BATON_AGENT_CLAUDE_PATH",
            claude_cli(version).display().to_string(),
        );
        let bench = Bench::in_sandbox(sandbox);
        let run = bench.start(&["run", "--json", "SLOW[40] TOK[40]"]);
        kill_when(&bench, &run, |line| kind(line) == "assistant.delta");
        let events = until_done(&bench);
        assert_eq!(texts(&events), ["tok ".repeat(40)]);
        let completed = events
            .iter()
            .filter(|event| kind(event) == "turn.completed");
        let completed: Vec<_> = completed.collect();
        assert_eq!(completed.len(), 1);
        assert_eq!(completed[0]["payload"]["stopReason"], "end");
        // What was shown before the kill is in the log, unchanged.
        let shown = run.stdout().json();
        for line in shown.iter().filter(|line| line.get("seq").is_some()) {
            assert!(events.contains(line), "{line}");
        }
        // And the conversation goes on.
        bench
            .baton(&["run", "--resume", "last", "TOK[2]"])
            .expect_success();
    }
}

#[test]
fn a_run_killed_before_claude_was_up_is_finished_by_whoever_comes_next() {
    let server = ModelServer::start(Script::directed());
    let sandbox = Sandbox::new().with_model(&server).with_env(
        "BATON_AGENT_CLAUDE_PATH",
        claude_cli(Version::V197).display().to_string(),
    );
    let bench = Bench::in_sandbox(sandbox);
    let run = bench.start(&["run", "--json", "TOK[7]"]);
    kill_when(&bench, &run, |line| kind(line) == "turn.started");
    let events = until_done(&bench);
    assert_eq!(texts(&events), ["tok ".repeat(7)]);
    assert_eq!(server.requests().len(), 1, "the prompt ran once");
}

#[test]
fn killed_at_any_moment_a_turn_ends_exactly_once() {
    let reference = {
        let bench = Bench::new();
        bench.ok(&["run", "--agent", "demo", "think text tools subagent todo"]);
        story(&bench.export("last"))
    };
    let mut reconnected = 0;
    for round in 0..12_u32 {
        let bench = Bench::new();
        let run = bench.start(&[
            "run",
            "--json",
            "--agent",
            "demo",
            "think text tools subagent todo",
        ]);
        // From the very start to nearly the end, in steps of the output itself:
        // there are 38 events, and any number of frames between them.
        run.stdout()
            .wait_for_count(usize::try_from(round * 3 + 1).unwrap(), LIMIT);
        bench.kill_daemon();
        let run = run.finish(LIMIT);
        run.expect_success();
        // On a busy machine the turn may be over before the kill.
        let told = run.stderr.contains("the daemon was gone: connected again");
        reconnected += u32::from(told);
        let events = bench.export("last");
        let shown = run.json_lines();
        let shown: Vec<_> = shown
            .into_iter()
            .filter(|line| line.get("seq").is_some())
            .collect();
        assert_eq!(shown, events, "round {round}: each event once, in order");
        assert_eq!(story(&events), reference, "round {round}");
    }
    assert!(reconnected > 0, "every kill came too late");
}

/// A log without what may differ: ids, times, and how states were passed through.
fn story(events: &[Value]) -> Vec<String> {
    let told = events.iter().filter(|event| kind(event) != "session.state");
    told.map(|event| {
        let payload = &event["payload"];
        let what = ["content", "label", "output", "text", "items", "stopReason"]
            .iter()
            .filter(|name| !payload[**name].is_null())
            .map(|name| payload[*name].to_string())
            .collect::<Vec<_>>();
        format!("{} {}", kind(event), what.join(" "))
    })
    .collect()
}

#[test]
fn an_approval_outlives_client_and_daemon() {
    let bench = Bench::new();
    // It waits for another client, because nobody can be asked here.
    let args = [
        "run",
        "--json",
        "--approvals",
        "wait",
        "--agent",
        "demo",
        "approval",
    ];
    let run = bench.start(&args);
    let asked = run.wait_for(|line| kind(line) == "approval.requested", LIMIT);
    run.wait_for(|line| line["payload"]["state"] == "waiting", LIMIT);
    let before = bench.export("last");
    run.signal(Signal::KILL);
    bench.kill_daemon();
    run.wait_exit(LIMIT);
    let after = bench.export("last");
    assert_eq!(
        after, before,
        "still open, the same, and nothing was decided"
    );
    let sessions = bench.baton(&["sessions", "--json"]).json_lines();
    assert_eq!(sessions[0]["openApprovals"], 1);
    assert_eq!(sessions[0]["state"], "waiting");
    assert_eq!(asked["payload"]["toolName"], "Write");
    let id = asked["payload"]["approvalId"].as_str().unwrap();
    bench.ok(&["approve", id]);
    let events = until_done(&bench);
    assert_eq!(events.last().unwrap()["payload"]["state"], "idle");
    assert!(bench.sandbox.project().join("baton-demo.txt").exists());
}

#[test]
fn what_a_stop_has_held_stays_held_and_then_runs_once() {
    let bench = Bench::in_sandbox(Sandbox::new()).with("BATON_AGENT_DEMO_PACE_MS", "20");
    let run = bench.start(&["run", "--json", "--agent", "demo", "slow"]);
    run.wait_for(|line| kind(line) == "assistant.delta", LIMIT);
    for text in ["think", "todo", "text"] {
        bench.ok(&["send", "last", "--queue", text]);
    }
    bench
        .ok(&["interrupt", "last"])
        .shows("3 messages that wait are held");
    run.finish(LIMIT);
    bench.kill_daemon();
    // The next daemon begins nothing of it.
    let waiting = bench.ok(&["queue", "last", "--json"]).json_lines();
    assert!(waiting.iter().all(|one| one["held"] == true), "{waiting:?}");
    let ids: Vec<_> = waiting
        .iter()
        .map(|one| one["messageId"].as_str().unwrap())
        .collect();
    bench.ok(&["queue", "last", "--first", ids[2]]);
    bench.ok(&["queue", "last", "--edit", ids[0], "tools"]);
    // What is sent to a stopped session is not held with the others.
    bench.ok(&["send", "last", "--wait", "text"]);
    bench.kill_daemon();
    let turns = |name: &str| {
        let events = bench.export("last");
        events.iter().filter(|event| kind(event) == name).count()
    };
    assert_eq!(turns("turn.started"), 2);
    bench.ok(&["queue", "last", "--release"]);
    bench.kill_daemon();
    for _ in 0..600 {
        if turns("turn.completed") == 5 {
            break;
        }
        std::thread::park_timeout(Duration::from_millis(50));
    }
    let events = bench.export("last");
    let delivered: Vec<_> = events
        .iter()
        .filter(|event| kind(event) == "message.delivered")
        .map(|event| event["payload"]["messageId"].as_str().unwrap())
        .filter(|id| ids.contains(id))
        .collect();
    assert_eq!(delivered, [ids[2], ids[0], ids[1]]);
    assert_eq!(turns("turn.completed"), 5);
}
