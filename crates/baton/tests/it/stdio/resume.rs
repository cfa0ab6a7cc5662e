//! A conversation that goes on in the same log, with other flags.

use baton_testkit::Version;
use serde_json::{Value, json};

use super::{Parent, fake, only, real::real};
use crate::Bench;

fn begun(bench: &Bench, data: &str) -> String {
    let parent = Parent::start(bench, &["--data-dir", data, "--max-turns", "5"]);
    parent.turn("say one");
    let lines = parent.stop();
    let id = &only(&lines, "init")["sessionId"];
    id.as_str().unwrap().to_owned()
}

#[test]
fn every_flag_of_the_new_start_counts_and_is_in_the_log() {
    let bench = fake();
    let data = bench.sandbox.root().join("kept").display().to_string();
    let id = begun(&bench, &data);
    let instructions = bench.sandbox.root().join("how.md");
    std::fs::write(&instructions, "Be brief.").unwrap();
    let instructions = instructions.display().to_string();
    let parent = Parent::start(
        &bench,
        &[
            "--data-dir",
            &data,
            "--resume",
            &id,
            "--permission-mode",
            "plan",
            "--model",
            "haiku",
            "--tool-preset",
            "read-only",
            "--max-budget-usd",
            "3",
            "--max-thinking-tokens",
            "2000",
            "--enable-checkpointing",
            "--instructions-file",
            &instructions,
        ],
    );
    parent.turn("say two");
    let lines = parent.stop();
    let init = only(&lines, "init");
    assert_eq!(init["permissionMode"], "plan", "{init}");
    assert_eq!(init["model"], "haiku", "{init}");
    assert_eq!(init["budget"]["maxBudgetUsd"], 3.0, "{init}");
    let exported = bench.baton(&["--data-dir", &data, "export", "last"]);
    let events = exported.json_lines();
    let options = events
        .iter()
        .filter(|event| event["type"] == "session.updated")
        .map(|event| &event["payload"]["options"])
        .find(|options| options.is_object())
        .unwrap_or_else(|| panic!("no options in {events:#?}"));
    let wanted = json!({
        "model": "haiku",
        "permissionMode": "plan",
        "toolPreset": "read-only",
        "maxBudgetUsd": 3.0,
        "maxThinkingTokens": 2000,
        "appendSystemPrompt": "Be brief.",
        "checkpointing": true,
    });
    assert_eq!(*options, wanted, "a flag that is not given counts no more");
}

#[test]
fn a_conversation_does_not_move_to_another_folder() {
    let bench = fake();
    let data = bench.sandbox.root().join("kept").display().to_string();
    let id = begun(&bench, &data);
    let other = bench.sandbox.home().display().to_string();
    let flags = ["--data-dir", &data, "--resume", &id, "--cwd", &other];
    let refused = bench.baton(&[&["stdio"][..], &flags].concat());
    assert_eq!(refused.code(), Some(2));
    let lines: Vec<Value> = refused.json_lines();
    assert_eq!(lines[0]["code"], "usage");
    let text = lines[0]["message"].as_str().unwrap();
    assert!(text.contains("--cwd"), "{text}");
}

#[test]
fn a_spent_budget_is_raised_by_a_message() {
    let bench = fake();
    let parent = Parent::start(&bench, &["--max-budget-usd", "0.0001"]);
    parent.turn("say one");
    parent.say("say two");
    let refused = parent.wait("error");
    assert_eq!(refused["code"], "budget");
    let hint = refused["hint"].as_str().unwrap();
    assert!(hint.contains("set_budget"), "{hint}");
    parent.send(&json!({"type": "set_budget", "maxBudgetUsd": -1, "requestId": "a"}));
    assert_eq!(parent.wait("error")["requestId"], "a");
    parent.send(&json!({"type": "set_budget", "maxBudgetUsd": 9, "requestId": "b"}));
    let changed = parent.wait("budget_changed");
    assert_eq!(changed["maxBudgetUsd"], 9.0);
    assert_eq!(changed["requestId"], "b");
    assert_eq!(parent.turn("say two")["success"], true);
    let lines = parent.stop();
    let init = lines.iter().rfind(|line| line["type"] == "init").unwrap();
    assert_eq!(init["budget"]["maxBudgetUsd"], 9.0, "{init}");
}

#[test]
fn the_days_budget_is_not_raised_by_a_flag() {
    let bench = fake().with("BATON_AGENT_BUDGET_USD_PER_DAY", "0.0001");
    let parent = Parent::start(&bench, &[]);
    parent.turn("say one");
    parent.say("say two");
    let refused = parent.wait("error");
    assert_eq!(refused["code"], "budget");
    let hint = refused["hint"].as_str().unwrap();
    assert!(hint.contains("agent.budgetUsdPerDay"), "{hint}");
    parent.stop();
}

#[test]
fn what_is_done_about_a_lost_past_can_be_chosen_with_a_message() {
    let bench = fake().with("BATON_AGENT_LOST_MEMORY", "refuse");
    let data = bench.sandbox.root().join("kept").display().to_string();
    let id = begun(&bench, &data);
    let projects = bench.sandbox.home().join(".claude/projects");
    for folder in std::fs::read_dir(projects).unwrap() {
        let transcript = folder.unwrap().path().join(format!("{id}.jsonl"));
        std::fs::remove_file(transcript).unwrap();
    }
    let parent = Parent::saying(&bench, &["--data-dir", &data, "--resume", &id], "say two");
    let refused = parent.wait("error");
    assert_eq!(refused["code"], "memory_lost");
    let hint = refused["hint"].as_str().unwrap();
    assert!(hint.contains("`memory`"), "{hint}");
    parent.send(&json!({"type": "message", "content": "say two", "memory": "none"}));
    assert_eq!(parent.wait("result")["success"], true);
    parent.stop();
}

#[test]
fn a_conversation_that_is_resumed_in_another_folder_is_had() {
    for version in Version::ALL {
        let (bench, server) = real(version);
        let parent = Parent::start(&bench, &[]);
        parent.turn("remember zebra");
        let lines = parent.stop();
        let id = only(&lines, "init")["sessionId"]
            .as_str()
            .unwrap()
            .to_owned();
        let other = bench.sandbox.home().join("other");
        std::fs::create_dir_all(&other).unwrap();
        let other = other.display().to_string();
        let parent = Parent::start(&bench, &["--resume", &id, "--cwd", &other]);
        assert_eq!(parent.turn("hello again")["success"], true, "{version:?}");
        let given = server.requests().last().unwrap().body.to_string();
        assert!(given.contains("zebra"), "{version:?}: {given}");
        parent.stop();
    }
}

#[test]
fn a_conversation_without_a_data_folder_is_found_in_the_history() {
    let bench = fake();
    let parent = Parent::start(&bench, &[]);
    parent.turn("say one");
    let lines = parent.stop();
    let id = only(&lines, "init")["sessionId"].as_str().unwrap();
    bench.ok(&["history"]).shows(id);
    bench.ok(&["import", id]).shows("run --resume");
}
