//! Work that goes on though its turn is over, in real conversations with both
//! pinned CLIs.

use baton_testkit::{LIMIT, Version};
use serde_json::{Value, json};

use super::{Parent, only, real::real};
use crate::Bench;

/// Begins a command that runs until the file `go` is there, and says which it is.
fn begun<'a>(bench: &'a Bench) -> (Parent<'a>, String) {
    let parent = Parent::start(bench, &["--permission-mode", "bypassPermissions"]);
    parent.say("BG[until test -e go; do sleep 0.1; done; touch done]");
    let result = parent.wait("result");
    let complete = parent.wait("turn_complete");
    assert_eq!(result["stillRunning"], complete["stillRunning"]);
    let running = &complete["stillRunning"][0];
    assert_eq!(running["kind"], "task", "{complete}");
    assert!(running["startedAt"].is_string(), "{complete}");
    let task = running["id"].as_str().unwrap().to_owned();
    (parent, task)
}

fn ends(lines: &[Value]) -> Vec<&str> {
    let of = |line: &&Value| line["type"] == "task_update" && line["status"] != "running";
    let ends = lines.iter().filter(of);
    ends.map(|line| line["status"].as_str().unwrap()).collect()
}

/// As plain `claude` does.
#[test]
fn the_end_of_the_input_waits_for_work_in_the_background() {
    for version in Version::ALL {
        let (bench, _server) = real(version);
        let (parent, _) = begun(&bench);
        parent.baton.close_stdin();
        std::fs::write(bench.sandbox.project().join("go"), "").unwrap();
        let own = parent.wait("turn_started");
        assert_eq!(own["origin"], "agent", "{version:?}");
        assert_eq!(own["because"][0]["status"], "completed", "{own}");
        let lines = parent.ended("stdin_closed");
        assert_eq!(ends(&lines), ["completed"], "{version:?}");
        assert_eq!(only(&lines, "background_done")["turn"], 2);
        assert!(bench.sandbox.project().join("done").exists());
    }
}

#[test]
fn the_end_of_the_input_waits_for_a_sub_agent_in_the_background() {
    let (bench, _server) = real(Version::V325);
    let parent = Parent::start(&bench, &["--permission-mode", "bypassPermissions"]);
    parent.say("BGAGENT[RUN[until test -e go; do sleep 0.1; done; touch done]]");
    let complete = parent.wait("turn_complete");
    let wanted = "subagent";
    assert_eq!(complete["stillRunning"][0]["kind"], wanted, "{complete}");
    parent.baton.close_stdin();
    std::fs::write(bench.sandbox.project().join("go"), "").unwrap();
    let own = parent.wait("turn_started");
    assert_eq!(own["origin"], "agent", "{own}");
    let lines = parent.ended("stdin_closed");
    let over = only(&lines, "subagent_stopped");
    assert_eq!(over["status"], "completed", "{over}");
    assert!(!over["result"].as_str().unwrap().is_empty(), "{over}");
    assert_eq!(only(&lines, "background_done")["turn"], 2);
    assert!(bench.sandbox.project().join("done").exists());
}

#[test]
fn a_stop_ends_it_and_says_so() {
    for version in Version::ALL {
        let (bench, _server) = real(version);
        let (parent, _) = begun(&bench);
        let lines = parent.stop();
        assert_eq!(ends(&lines), ["stopped"], "{version:?}");
        assert_eq!(only(&lines, "background_done")["turn"], 1);
        assert!(!bench.sandbox.project().join("done").exists());
    }
}

#[test]
fn one_task_can_be_stopped() {
    for version in Version::ALL {
        let (bench, _server) = real(version);
        let (parent, task) = begun(&bench);
        parent.send(&json!({"type": "stop_task", "taskId": "none", "requestId": "n"}));
        assert_eq!(parent.wait("error")["requestId"], "n");
        parent.send(&json!({"type": "stop_task", "taskId": task, "requestId": "s"}));
        // In either order.
        let wanted = ["task_stopping", "background_done"];
        let is_wanted = |line: &Value| wanted.iter().any(|name| line["type"] == *name);
        for _ in wanted {
            let line = parent.baton.wait_for(is_wanted, LIMIT);
            if line["type"] == "task_stopping" {
                assert_eq!(line["requestId"], "s");
            }
        }
        let lines = parent.stop();
        assert_eq!(ends(&lines), ["stopped"], "{version:?}");
    }
}

#[test]
fn a_subagents_answer_reaches_the_parent() {
    for version in Version::ALL {
        let (bench, _server) = real(version);
        let parent = Parent::start(&bench, &[]);
        parent.turn("AGENT[TOK[2]]");
        let lines = parent.stop();
        let over = only(&lines, "subagent_stopped");
        assert!(!over["result"].as_str().unwrap().is_empty(), "{over}");
    }
}
