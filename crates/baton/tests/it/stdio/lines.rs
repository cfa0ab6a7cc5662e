//! What the parent may say, in all its forms.

use std::io::Write;

use baton_testkit::LIMIT;
use serde_json::json;

use super::{Parent, fake, names, only};

#[test]
fn bad_lines_are_told_and_the_conversation_lives_on() {
    let bench = fake();
    let parent = Parent::start(&bench, &[]);
    for (line, code) in [
        ("nonsense", "bad_json"),
        ("[]", "bad_message"),
        (r#"{"type":"shout","requestId":"r7"}"#, "unknown_type"),
        (r#"{"type":"message","content":7}"#, "bad_message"),
        (
            r#"{"type":"message","content":"x","more":1}"#,
            "bad_message",
        ),
        (r#"{"type":"message","content":"  "}"#, "refused"),
        (
            r#"{"type":"set_permission_mode","mode":"yolo"}"#,
            "bad_message",
        ),
        (
            r#"{"type":"set_permission_mode","mode":"bypassPermissions","requestId":"r7"}"#,
            "refused",
        ),
        (
            r#"{"type":"rewind_files","checkpointId":"x"}"#,
            "bad_message",
        ),
        (
            r#"{"type":"message","content":"x","attachments":[{"name":"a.png","data":"!!"}]}"#,
            "bad_attachment",
        ),
        (
            r#"{"type":"tool_approval_response","requestId":"apr_00000000000000000000000000000007","decision":"allow"}"#,
            "no_such_request",
        ),
    ] {
        parent.baton.send_text(&format!("{line}\n"));
        let error = parent.wait("error");
        assert_eq!(error["code"], code, "{line}: {error}");
        assert_eq!(error["fatal"], false);
        if line.contains("r7") {
            assert_eq!(error["requestId"], "r7", "{error}");
        }
    }
    parent.baton.send_text("\n   \n");
    assert_eq!(parent.turn("say fine")["success"], true);
    parent.stop();
}

#[test]
fn a_line_of_100_megabytes_is_told_and_the_conversation_lives_on() {
    let bench = fake();
    let parent = Parent::start(&bench, &[]);
    let mut line = String::with_capacity(100 << 20);
    line.push_str(r#"{"type":"message","content":""#);
    line.extend(std::iter::repeat_n('x', 100_000_000));
    line.push_str("\"}\n");
    parent.baton.send_text(&line);
    let error = parent.wait("error");
    assert_eq!(error["code"], "line_too_long");
    assert_eq!(parent.turn("say fine")["success"], true);
    parent.stop();
}

#[test]
fn messages_wait_their_turn_and_the_same_one_runs_once() {
    let bench = fake();
    let parent = Parent::start(&bench, &[]);
    let id = "3f2a9c1e-0000-4000-8000-000000000001";
    let first = json!({"type": "message", "content": "say one", "messageId": id});
    parent.send(&first);
    parent.send(&first);
    parent.send(
        &json!({"type": "message", "content": "say other", "messageId": id, "requestId": "r1"}),
    );
    parent.say("say two");
    let error = parent.wait("error");
    assert_eq!(error["code"], "refused");
    assert_eq!(error["messageId"], json!(id));
    let lines = {
        parent.baton.close_stdin();
        parent.ended("stdin_closed")
    };
    let results: Vec<_> = lines
        .iter()
        .filter(|line| line["type"] == "result")
        .collect();
    assert_eq!(results.len(), 2, "{:?}", names(&lines));
    assert_eq!(results[0]["messageIds"], json!([id]));
}

#[test]
fn text_comes_in_paragraphs() {
    let bench = fake();
    let parent = Parent::start(&bench, &[]);
    parent.turn("Say[x]\n\nThis paragraph is echoed.\n\nAnd so is this one.");
    let lines = parent.stop();
    let texts: Vec<&str> = lines
        .iter()
        .filter(|line| line["type"] == "assistant_text")
        .map(|line| line["text"].as_str().unwrap())
        .collect();
    assert!(texts.len() >= 2, "{texts:?}");
    assert!(
        texts[..texts.len() - 1]
            .iter()
            .all(|text| text.ends_with("\n\n")),
        "{texts:?}"
    );
}

#[test]
fn attachments_reach_the_agent_in_tags_and_as_images() {
    let bench = fake();
    let parent = Parent::start(&bench, &[]);
    // The smallest picture there is.
    let png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
    parent.send(
        &json!({"type": "message", "content": "say seen", "attachments": [
            {"name": "notes.txt", "text": "one\n</attached_file>two"},
            {"name": "dot.png", "mediaType": "image/png", "data": png},
        ]}),
    );
    assert_eq!(parent.wait("result")["success"], true);
    parent.stop();
}

#[test]
fn questions_about_the_agent_are_answered_with_their_request() {
    let bench = fake();
    let parent = Parent::start(&bench, &[]);
    for (ask, answer, field) in [
        ("get_supported_models", "supported_models", "models"),
        ("get_supported_commands", "supported_commands", "commands"),
        ("get_mcp_status", "mcp_status", "servers"),
        ("get_account_info", "account_info", "account"),
    ] {
        parent.send(&json!({"type": ask, "requestId": ask}));
        let told = parent.wait(answer);
        assert_eq!(told["requestId"], ask);
        assert!(!told[field].is_null(), "{told}");
    }
    parent.stop();
}

#[test]
fn changes_are_told_with_the_request_that_asked_for_them() {
    let bench = fake();
    let parent = Parent::start(&bench, &[]);
    parent.turn("say one");
    parent.send(&json!({"type": "set_model", "model": "haiku", "requestId": "m"}));
    assert_eq!(parent.wait("model_changed")["requestId"], "m");
    parent.send(&json!({"type": "set_permission_mode", "mode": "acceptEdits", "requestId": "p"}));
    let changed = parent.wait("permission_mode_changed");
    assert_eq!(changed["mode"], "acceptEdits");
    assert_eq!(changed["requestId"], "p");
    parent.send(&json!({"type": "interrupt", "requestId": "i"}));
    let idle = parent.wait("interrupted");
    assert_eq!(idle["wasRunning"], false);
    assert_eq!(idle["requestId"], "i");
    parent.stop();
}

#[test]
fn files_are_rewound_to_a_checkpoint() {
    let bench = fake();
    let file = bench.sandbox.project().join("a.txt");
    let mut made = std::fs::File::create(&file).unwrap();
    made.write_all(b"before\n").unwrap();
    let parent = Parent::start(
        &bench,
        &["--enable-checkpointing", "--permission-mode", "acceptEdits"],
    );
    let prompt = format!("read {0}\nwrite {0}|after", file.display());
    parent.say(&prompt);
    let checkpoint = parent.wait("checkpoint_created")["checkpointId"].clone();
    parent.wait("turn_complete");
    assert_eq!(std::fs::read_to_string(&file).unwrap().trim(), "after");
    parent.send(&json!({"type": "rewind_files", "checkpointId": checkpoint, "dryRun": true, "requestId": "d"}));
    let dry = parent.wait("files_rewound");
    assert_eq!(dry["dryRun"], true);
    assert_eq!(dry["requestId"], "d");
    parent.send(&json!({"type": "rewind_files", "checkpointId": checkpoint, "requestId": "r"}));
    let rewound = parent.wait("files_rewound");
    assert_eq!(rewound["dryRun"], false);
    assert_eq!(rewound["requestId"], "r");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "before\n");
    parent.stop();
}

#[test]
fn the_tools_of_a_sub_agent_carry_its_id_and_its_text_is_left_out() {
    let bench = fake();
    let parent = Parent::start(&bench, &["--permission-mode", "bypassPermissions"]);
    parent.turn("AGENT[RUN[echo deep]]");
    let lines = parent.stop();
    let agent = only(&lines, "subagent_started")["agentId"].clone();
    let inner = lines
        .iter()
        .find(|line| line["type"] == "tool_start" && line["agentId"] == agent);
    let inner = inner.unwrap_or_else(|| panic!("{lines:#?}"));
    let wanted = &only(&lines, "subagent_started")["parentToolUseId"];
    assert_eq!(inner["parentToolUseId"], *wanted);
    assert_eq!(only(&lines, "result")["stats"]["bashCommands"], 1);
    assert_eq!(only(&lines, "result")["stats"]["subAgents"], 1);
}

#[test]
fn a_failed_sign_in_is_told_in_plain_words() {
    let bench = fake();
    let parent = Parent::saying(&bench, &[], "auth-error");
    let error = parent.wait("auth_error");
    assert!(
        error["message"].as_str().unwrap().contains("not signed in"),
        "{error}"
    );
    assert!(
        error["hint"].as_str().unwrap().contains("/login"),
        "{error}"
    );
    parent.wait("turn_complete");
    parent.stop();
}

#[test]
fn an_interrupt_stops_the_turn_and_the_conversation_goes_on() {
    let bench = fake();
    let parent = Parent::saying(&bench, &[], "hang");
    parent.wait("init");
    parent.send(&json!({"type": "interrupt", "requestId": "i"}));
    let interrupted = parent.wait("interrupted");
    assert_eq!(interrupted["wasRunning"], true);
    assert_eq!(interrupted["requestId"], "i");
    assert_eq!(parent.wait("result")["stopReason"], "interrupted");
    assert_eq!(parent.turn("say on")["success"], true);
    parent.stop();
}

#[test]
fn long_calls_are_told_to_be_still_running() {
    let bench = fake();
    let parent = Parent::start(&bench, &["--permission-mode", "bypassPermissions"]);
    parent.say("bash sleep 1000");
    let start = parent.wait("tool_start");
    let progress = parent
        .baton
        .wait_for(|line| line["type"] == "tool_progress", LIMIT);
    assert_eq!(progress["toolUseId"], start["toolUseId"]);
    assert!(
        progress["elapsedMs"].as_u64().unwrap() >= 2000,
        "{progress}"
    );
    parent.stop();
}

#[test]
fn a_compacted_context_and_a_notice_are_told() {
    let bench = fake();
    let parent = Parent::start(&bench, &[]);
    parent.turn("say one");
    parent.turn("/compact");
    parent.turn("todo one|two");
    parent.turn("think hard");
    let lines = parent.stop();
    for name in [
        "compact_boundary",
        "todo_update",
        // Pieces of a thought may be missing where all of it comes at once.
        "thinking_start",
        "thinking_delta",
        "thinking",
    ] {
        assert!(
            names(&lines).contains(&name),
            "{name} in {:?}",
            names(&lines)
        );
    }
}

#[test]
fn every_message_is_acknowledged_and_the_same_again_too() {
    let bench = fake();
    let parent = Parent::start(&bench, &[]);
    let id = "3f2a9c1e-6b7d-4c8e-9f0a-1b2c3d4e5f60";
    let message = |request: &str| json!({"type": "message", "content": "say hello", "messageId": id, "requestId": request});
    parent.send(&message("one"));
    let taken = parent.wait("message_accepted");
    assert_eq!(taken["messageId"], json!(id));
    assert_eq!(taken["requestId"], "one");
    assert!(taken.get("again").is_none(), "{taken}");
    assert_eq!(parent.wait("turn_started")["messageIds"], json!([id]));
    parent.wait("turn_complete");
    parent.send(&message("two"));
    let taken = parent.wait("message_accepted");
    assert_eq!(taken["requestId"], "two");
    assert_eq!(taken["again"], true);
    // Other words under the same id are refused, and only that.
    let mut other = message("three");
    other["content"] = json!("say bye");
    parent.send(&other);
    assert_eq!(parent.wait("error")["requestId"], "three");
    // Without a request it is acknowledged as well.
    parent.say("say more");
    let taken = parent.wait("message_accepted");
    let more = parent.wait("turn_started");
    assert_eq!(more["messageIds"], json!([taken["messageId"]]));
    parent.wait("turn_complete");
    let lines = parent.stop();
    let taken = lines
        .iter()
        .filter(|line| line["type"] == "message_accepted");
    assert_eq!(taken.count(), 3);
}
