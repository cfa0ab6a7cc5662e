//! The fake against the real CLI: the same conversation, the same kinds of lines in the same order.

use std::path::Path;

use baton_testkit::model::{ModelServer, Script};
use baton_testkit::{Sandbox, Version, bin, claude_cli};
use serde_json::{Value, json};

use crate::conversation::{Conversation, Shape, allow};

const PROMPTS: [&str; 9] = [
    "hello TOK[3]",
    "RUN[touch x]",
    "RUN[touch p1]&RUN[touch p2]",
    "ASK[Which?|a|b]",
    "WRITE[a.txt|hello]",
    "EDIT[a.txt|hello|bye]",
    "THINK[hm hm] TOK[2]",
    "ERR[529x1] TOK[2]",
    "AGENT[RUN[touch y]]",
];

/// A real host would choose; here the second option is always right.
fn decide(request: &Value) -> Value {
    let mut response = allow(request);
    if request["tool_name"] == "AskUserQuestion" {
        response["updatedInput"]["answers"] = json!({"Which?": "b"});
    }
    response
}

/// Holds the conversation and returns the shape and the result of every turn.
fn converse(cli: &Path, version: Version) -> Vec<(String, Shape, Value)> {
    let server = ModelServer::start(Script::directed());
    let sandbox = Sandbox::new()
        .with_model(&server)
        .with_env("FAKE_CLAUDE_VERSION", version.number());
    let conversation = Conversation::start(&sandbox, cli, &[]);
    let mut turns = Vec::new();
    let mut say = |prompt: &str| {
        let turn = conversation.turn_with(prompt, decide);
        let mut shape = turn.shape();
        if prompt.starts_with("AGENT") {
            // A sub-agent's lines come from beside the main thread, in no fixed order.
            shape.rest.sort();
        }
        let result = turn.result();
        let end = json!([
            result["subtype"],
            result["is_error"],
            result["result"],
            result["num_turns"],
            result["terminal_reason"]
        ]);
        turns.push((prompt.to_owned(), shape, end));
    };
    for prompt in PROMPTS {
        say(prompt);
    }
    conversation.request(
        "plan",
        &json!({"subtype": "set_permission_mode", "mode": "plan"}),
    );
    say("PLAN[do it]");
    say("/nonexistent");
    assert_eq!(conversation.end(), Some(0));
    turns
}

#[track_caller]
fn compare(version: Version) {
    let real = converse(&claude_cli(version), version);
    let fake = converse(&bin("fake-claude"), version);
    for (real, fake) in real.into_iter().zip(fake) {
        assert_eq!(
            fake, real,
            "the fake (left) and the real CLI (right) differ"
        );
    }
}

#[test]
fn the_fake_writes_the_same_kinds_of_lines_as_the_older_cli() {
    compare(Version::V197);
}

#[test]
fn the_fake_writes_the_same_kinds_of_lines_as_the_newer_cli() {
    compare(Version::V325);
}

#[test]
fn a_used_uuid_is_dropped_without_a_result_by_both_even_after_resume() {
    const UUID: &str = "00000000-0000-4000-8000-000000000001";
    const SESSION: &str = "11111111-2222-4333-8444-555555555555";
    for version in Version::ALL {
        for cli in [claude_cli(version), bin("fake-claude")] {
            let server = ModelServer::start(Script::directed());
            let sandbox = Sandbox::new()
                .with_model(&server)
                .with_env("FAKE_CLAUDE_VERSION", version.number());
            let first = Conversation::start(&sandbox, &cli, &["--session-id", SESSION]);
            first.say_as(UUID, "first");
            first.until_result(allow);
            let check = |conversation: &Conversation| {
                conversation.say_as(UUID, "first");
                let turn = conversation.turn("second");
                assert_eq!(turn.result()["result"], "You said: second");
                let echo = |line: &&Value| line["uuid"] == UUID && line["isReplay"] == true;
                let echoes = turn.lines.iter().filter(echo).count();
                assert_eq!(echoes, 1, "{}", cli.display());
                assert_eq!(turn.of("system", "init").len(), 1, "{}", cli.display());
            };
            check(&first);
            assert_eq!(first.end(), Some(0));
            check(&Conversation::start(&sandbox, &cli, &["--resume", SESSION]));
        }
    }
}

#[test]
fn refusals_to_start_are_worded_alike() {
    const ID: &str = "99999999-2222-4333-8444-555555555555";
    let base = [
        "--output-format",
        "stream-json",
        "--verbose",
        "--input-format",
        "stream-json",
    ];
    for extra in [
        vec!["--resume", ID],
        vec!["--session-id", "notauuid"],
        vec!["--resume", ID, "--session-id", ID],
        vec!["--nonsense"],
    ] {
        let sandbox = Sandbox::new();
        let run = |cli: &Path| {
            let input = "{\"type\":\"control_request\",\"request_id\":\"r\",\"request\":{\"subtype\":\"initialize\"}}\n";
            let args = base.iter().chain(&extra);
            let finished = sandbox.run_with_input(cli, args, input, baton_testkit::LIMIT);
            let kinds: Vec<String> = finished
                .json_lines()
                .iter()
                .map(crate::conversation::kind)
                .collect();
            (finished.code(), finished.stderr, kinds)
        };
        assert_eq!(
            run(&bin("fake-claude")),
            run(&claude_cli(Version::V197)),
            "{extra:?}"
        );
    }
}
