//! docs/stdio.md has every message and event, and every message in it is sent.

use std::collections::BTreeMap;

use baton_stdio::{
    messages::{Input, Output},
    parse,
};
use baton_testkit::repo_root;
use serde_json::{Value, json};

use super::{Parent, fake, unstamped};

/// The examples of one section, by type.
fn examples(section: &str) -> BTreeMap<String, Value> {
    let text = std::fs::read_to_string(repo_root().join("docs/stdio.md")).unwrap();
    let start = text
        .find(&format!("\n## {section}\n"))
        .expect("a section of that name");
    let rest = &text[start + 4..];
    let section = &rest[..rest.find("\n## ").unwrap_or(rest.len())];
    let mut found = BTreeMap::new();
    for block in section.split("```json\n").skip(1) {
        let block = block.split("```").next().unwrap();
        for line in block.lines() {
            let value: Value =
                serde_json::from_str(line).unwrap_or_else(|error| panic!("{line}: {error}"));
            found.insert(value["type"].as_str().unwrap().to_owned(), value);
        }
    }
    found
}

#[test]
fn every_event_has_an_example_of_its_form() {
    let examples = examples("Events");
    for name in Output::NAMES {
        let example = examples
            .get(*name)
            .unwrap_or_else(|| panic!("no example of {name}"));
        let read: Output = serde_json::from_value(example.clone())
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        for stamp in ["seq", "ts"] {
            assert!(example.get(stamp).is_some(), "{name} has no {stamp}");
        }
        let example = unstamped(example.clone());
        assert_eq!(serde_json::to_value(&read).unwrap(), example, "{name}");
    }
    assert_eq!(examples.len(), Output::NAMES.len());
}

#[test]
fn every_message_has_an_example_and_is_sent() {
    let examples = examples("Messages");
    for name in Input::NAMES {
        let example = examples
            .get(*name)
            .unwrap_or_else(|| panic!("no example of {name}"));
        parse(example.to_string().as_bytes())
            .unwrap_or_else(|bad| panic!("{name}: {:?}", bad.wrong));
    }
    assert_eq!(examples.len(), Input::NAMES.len());

    let bench = fake();

    let parent = Parent::start(&bench, &["--enable-checkpointing"]);
    let answering = |name: &str, asked: &Value| {
        let mut example = examples[name].clone();
        example["requestId"] = asked["requestId"].clone();
        parent.send(&example);
        parent.wait("turn_complete");
    };
    for (name, answer) in [
        ("get_supported_models", "supported_models"),
        ("get_supported_commands", "supported_commands"),
        ("get_mcp_status", "mcp_status"),
        ("get_account_info", "account_info"),
        ("message", "turn_complete"),
        ("trust_folder", "folder_trust"),
        ("rewind_files", "files_rewound"),
        ("set_model", "model_changed"),
        ("set_budget", "budget_changed"),
        ("interrupt", "interrupted"),
    ] {
        parent.send(&examples[name]);
        parent.wait(answer);
    }
    parent.say("question Which colour?|Red|Blue");
    answering(
        "user_question_response",
        &parent.wait("user_question_request"),
    );
    parent.say("bash touch file");
    answering(
        "tool_approval_response",
        &parent.wait("tool_approval_request"),
    );
    parent.send(&examples["set_permission_mode"]);
    parent.wait("permission_mode_changed");
    parent.say("plan Do it");
    answering(
        "plan_approval_response",
        &parent.wait("plan_approval_request"),
    );
    parent.send(&examples["stop"]);
    let lines = parent.ended("stop");
    let errors: Vec<&Value> = lines
        .iter()
        .filter(|line| line["type"] == "error")
        .collect();
    assert_eq!(errors, Vec::<&Value>::new());
    assert_eq!(
        lines.last(),
        Some(&json!({"type": "shutdown", "reason": "stop", "exitCode": 0}))
    );
}
