//! Every message and every event, in real conversations with both pinned CLIs
//! and the scripted model.

use std::collections::BTreeSet;

use baton_stdio::messages::Output;
use baton_testkit::{
    Sandbox, Version, claude_cli,
    model::{ModelServer, Request, Script, text, tool_use},
};
use serde_json::{Value, json};

use super::{Parent, names, only};
use crate::Bench;

/// What this conversation does not bring about; each has a test of its own.
fn elsewhere(version: Version) -> &'static [&'static str] {
    match version {
        Version::V197 => &["image_output"],
        // It has no tool for lists.
        Version::V325 => &["image_output", "todo_update"],
    }
}

pub(super) fn real(version: Version) -> (Bench, ModelServer) {
    let server = ModelServer::start(Script::directed());
    let claude = claude_cli(version).display().to_string();
    let sandbox = Sandbox::new().with_model(&server);
    (
        Bench::in_sandbox(sandbox).with("BATON_AGENT_CLAUDE_PATH", &claude),
        server,
    )
}

fn respond(parent: &Parent<'_>, name: &str, asked: &Value, more: &Value) {
    let mut response = json!({"type": name, "requestId": asked["requestId"]});
    for (key, value) in more.as_object().unwrap() {
        response[key] = value.clone();
    }
    parent.send(&response);
}

/// Speaks every message; gives back all lines.
fn conversation(version: Version) -> Vec<Value> {
    let (bench, server) = real(version);
    let file = bench.sandbox.project().join("a.txt");
    std::fs::write(&file, "before\n").unwrap();
    // Task lists are a tool of some versions only.
    let bench = bench.with("CLAUDE_CODE_ENABLE_TASKS", "0");
    let parent = Parent::start(
        &bench,
        &["--enable-checkpointing", "--conversation-id", "c1"],
    );
    for name in [
        "supported_models",
        "supported_commands",
        "mcp_status",
        "account_info",
    ] {
        parent.send(&json!({"type": format!("get_{name}"), "requestId": name}));
        assert_eq!(parent.wait(name)["requestId"], name);
    }
    parent.send(&json!({"type": "trust_folder", "requestId": "f"}));
    assert_eq!(parent.wait("folder_trust")["requestId"], "f");
    parent.turn("THINK[hm] TOK[3]");
    parent.say(&format!("EDIT[{}|before|after]", file.display()));
    let checkpoint = parent.wait("checkpoint_created")["checkpointId"].clone();
    let asked = parent.wait("tool_approval_request");
    assert!(asked["preview"].is_object(), "{asked}");
    respond(
        &parent,
        "tool_approval_response",
        &asked,
        &json!({"decision": "allow"}),
    );
    parent.wait("turn_complete");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "after\n");
    parent.send(&json!({"type": "rewind_files", "checkpointId": checkpoint, "requestId": "r"}));
    let rewound = parent.wait("files_rewound");
    assert_eq!(rewound["requestId"], "r");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "before\n");

    ask_and_change(&parent);
    tire_and_stop(&parent, &bench.sandbox.project().display().to_string());
    let prompts = server.all_requests();
    for path in ["src/n.txt", "src/deep/m.txt", "o.txt"] {
        let tag = format!("<attached_file path=\\\"{path}\\\" lines=\\\"2\\\">");
        let seen = |request: &Request| json!(request.messages()).to_string().contains(&tag);
        assert!(prompts.iter().any(seen), "{path}");
    }
    let lines = parent.stop();
    let first = lines.iter().find(|line| line["type"] == "init").unwrap();
    assert_eq!(first["agentVersion"], version.number());
    assert!(
        first["sessionId"].is_string() && first["model"].is_string(),
        "{first}"
    );
    lines
}

/// Questions, plans and changes of mode and model.
fn ask_and_change(parent: &Parent<'_>) {
    parent.say("ASK[Which colour?|Red|Blue]");
    let asked = parent.wait("user_question_request");
    respond(
        parent,
        "user_question_response",
        &asked,
        &json!({"answers": {"Which colour?": "Blue"}}),
    );
    parent.wait("turn_complete");
    parent.send(&json!({"type": "set_permission_mode", "mode": "plan", "requestId": "p"}));
    assert_eq!(parent.wait("permission_mode_changed")["requestId"], "p");
    parent.say("PLAN[Do it]");
    let asked = parent.wait("plan_approval_request");
    assert_eq!(asked["plan"], "Do it");
    respond(
        parent,
        "plan_approval_response",
        &asked,
        &json!({"approved": true, "mode": "default"}),
    );
    parent.wait("turn_complete");
    parent.send(&json!({"type": "set_model", "model": "haiku", "requestId": "m"}));
    assert_eq!(parent.wait("model_changed")["requestId"], "m");
    parent.send(&json!({"type": "set_budget", "maxBudgetUsd": 100, "requestId": "u"}));
    assert_eq!(parent.wait("budget_changed")["requestId"], "u");
}

/// Long work, an interrupt, failures and files.
fn tire_and_stop(parent: &Parent<'_>, project: &str) {
    parent.turn("/compact");
    parent.turn("AGENT[RUN[echo deep]]");
    parent.turn("TODO[one|two]");
    parent.say("BG[sleep 60]");
    let running = parent.wait("turn_complete")["stillRunning"][0]["id"].clone();
    parent.send(&json!({"type": "stop_task", "taskId": running}));
    parent.wait("background_done");
    parent.say("RUN[timeout 6 tail -f /dev/null]");
    let asked = parent.wait("tool_approval_request");
    respond(
        parent,
        "tool_approval_response",
        &asked,
        &json!({"decision": "allow"}),
    );
    parent.wait("tool_progress");
    parent.wait("turn_complete");
    parent.say("STALL");
    parent.wait("turn_started");
    // The CLI may not have begun yet, and is not killed for that.
    parent.send(&json!({"type": "interrupt", "requestId": "i"}));
    let interrupted = parent.wait("interrupted");
    assert_eq!(interrupted["requestId"], "i", "{interrupted}");
    assert!(parent.wait("result").get("exitCode").is_none());
    parent.wait("turn_complete");
    parent.turn("ERR[403]");
    parent.send(&json!({"type": "nonsense"}));
    parent.wait("error");
    parent.send(&json!({"type": "message", "content": "bye", "messageId": "3f2a9c1e-0000-4000-8000-000000000009", "attachments": [
        {"name": "src/n.txt", "text": "one\ntwo"},
        {"name": format!("{project}/src/deep/m.txt"), "text": "one\ntwo"},
        {"name": "../../elsewhere/o.txt", "text": "one\ntwo"},
    ]}));
    parent.wait("turn_complete");
}

#[test]
fn every_event_appears_in_a_real_conversation_with_each_version() {
    for version in Version::ALL {
        let lines = conversation(version);
        let said: BTreeSet<&str> = names(&lines).into_iter().collect();
        let missing: Vec<&&str> = Output::NAMES
            .iter()
            .filter(|name| !said.contains(**name) && !elsewhere(version).contains(name))
            .collect();
        assert!(missing.is_empty(), "{version:?} never said {missing:?}");
        assert_eq!(
            only(&lines, "complete")["turns"].as_u64(),
            lines
                .iter()
                .rfind(|line| line["type"] == "result")
                .and_then(|line| line["turn"].as_u64())
        );
        let agent = lines
            .iter()
            .find(|line| line["type"] == "subagent_started")
            .unwrap();
        let inner = lines
            .iter()
            .filter(|line| line["type"] == "tool_start" && line["agentId"] == agent["agentId"]);
        assert_eq!(
            inner.count(),
            1,
            "{version:?}: a sub-agent's tools carry its id"
        );
    }
}

#[test]
fn a_conversation_is_resumed_and_forked_by_its_id() {
    for version in Version::ALL {
        let (bench, _server) = real(version);
        let parent = Parent::start(&bench, &[]);
        parent.turn("one");
        let lines = parent.stop();
        let id = only(&lines, "session_id_update")["sessionId"]
            .as_str()
            .unwrap()
            .to_owned();
        let parent = Parent::start(&bench, &["--resume", &id]);
        parent.turn("two");
        let lines = parent.stop();
        assert_eq!(only(&lines, "session_started")["source"], "resume");
        assert_eq!(only(&lines, "session_started")["sessionId"], id.as_str());
        assert!(
            !names(&lines).contains(&"session_id_update"),
            "the id is the same"
        );
        let parent = Parent::start(&bench, &["--resume", &id, "--fork"]);
        parent.turn("three");
        let lines = parent.stop();
        assert_eq!(only(&lines, "session_started")["source"], "fork");
        assert_ne!(only(&lines, "session_id_update")["sessionId"], id.as_str());
    }
}

#[test]
fn structured_output_comes_as_data_and_is_missing_where_the_model_gives_none() {
    let schema =
        r#"{"type":"object","properties":{"answer":{"type":"number"}},"required":["answer"]}"#;
    for version in Version::ALL {
        // What does not fit is sent back to the model.
        let script = Script::new()
            .reply(tool_use("StructuredOutput", json!({"answer": "many"})))
            .reply(tool_use("StructuredOutput", json!({"answer": 42})))
            .replies((0..8).map(|_| text("I would rather not.")));
        let server = ModelServer::start(script);
        let claude = claude_cli(version).display().to_string();
        let sandbox = Sandbox::new().with_model(&server);
        let bench = Bench::in_sandbox(sandbox).with("BATON_AGENT_CLAUDE_PATH", &claude);
        let parent = Parent::start(&bench, &["--structured-output", schema]);
        let result = parent.turn("what is it?");
        let wanted = json!({"answer": 42});
        assert_eq!(result["structuredOutput"], wanted, "{result}");
        assert_eq!(result["success"], true, "{result}");
        let result = parent.turn("and now?");
        assert_eq!(result.get("structuredOutput"), None, "{result}");
        parent.stop();
    }
}

#[test]
fn a_conversation_is_gone_on_with_by_one_at_a_time() {
    for version in Version::ALL {
        let (bench, _server) = real(version);
        let parent = Parent::start(&bench, &[]);
        parent.turn("hello");
        let lines = parent.stop();
        let id = only(&lines, "init")["sessionId"].as_str().unwrap();
        let resume = ["--resume", id];
        // At once: the agent itself does not say yet that it runs.
        let first = Parent::start(&bench, &resume);
        let second = bench.baton(&["stdio", "--resume", id]);
        assert_eq!(second.code(), Some(1), "{version:?} {}", second.stdout);
        let lines = super::checked(&second);
        assert_eq!(names(&lines), ["error", "shutdown"]);
        let told = lines[0]["message"].as_str().unwrap();
        assert!(told.contains(id), "{told}");
        first.turn("again");
        // A copy is nobody else's.
        let copy = Parent::start(&bench, &["--resume", id, "--fork"]);
        copy.stop();
        first.stop();
        Parent::start(&bench, &resume).stop();
    }
}
