//! What the fake does that the real CLI never should, and how fast.

use std::path::PathBuf;
use std::time::Duration;

use baton_testkit::{LIMIT, Running, Sandbox, Signal, bin};
use serde_json::{Value, json};

use crate::conversation::{Conversation, allow};

const SESSION: &str = "11111111-2222-4333-8444-555555555555";

fn start(sandbox: &Sandbox) -> Conversation {
    Conversation::start(sandbox, &bin("fake-claude"), &[])
}

/// Says one thing to a fresh fake and waits for its end.
fn after(prompt: &str) -> (Option<i32>, Vec<String>, String) {
    let sandbox = Sandbox::new();
    let cli = start(&sandbox);
    cli.say(prompt);
    let status = cli.process.wait_exit(LIMIT);
    cli.process.stdout().wait_end(LIMIT);
    (
        status.code(),
        cli.process.stdout().all(),
        cli.process.stderr().text(),
    )
}

#[test]
fn version_and_login_are_told_without_a_session() {
    let sandbox = Sandbox::new();
    let fake = bin("fake-claude");
    assert_eq!(
        sandbox.run(&fake, ["--version"]).expect_success().stdout,
        "2.1.197 (Claude Code)\n"
    );
    let status: Value = serde_json::from_str(
        &sandbox
            .run(&fake, ["auth", "status"])
            .expect_success()
            .stdout,
    )
    .unwrap();
    assert_eq!(status["loggedIn"], true);
    let newer = Sandbox::new()
        .with_env("FAKE_CLAUDE_VERSION", "325")
        .without_env("ANTHROPIC_API_KEY");
    let wanted = "2.1.325 (Claude Code)\n";
    assert_eq!(newer.run(&fake, ["--version"]).stdout, wanted);
    assert_eq!(newer.run(&fake, ["auth", "status"]).code(), Some(1));
}

#[test]
fn a_flood_arrives_whole() {
    let sandbox = Sandbox::new();
    let turn = start(&sandbox).turn("flood 20000");
    let deltas = turn
        .lines
        .iter()
        .filter(|line| line["event"]["type"] == "content_block_delta")
        .count();
    assert_eq!(deltas, 20_000);
    assert_eq!(turn.result()["result"].as_str().map(str::len), Some(80_000));
}

#[test]
fn a_flood_stops_when_interrupted() {
    let sandbox = Sandbox::new();
    let cli = start(&sandbox);
    cli.say("flood 100000000");
    cli.process
        .wait_for(|line| line["event"]["type"] == "content_block_delta", LIMIT);
    cli.request("stop", &json!({"subtype": "interrupt"}));
    let wanted = "aborted_streaming";
    assert_eq!(cli.until_result(allow).result()["terminal_reason"], wanted);
}

#[test]
fn paced_deltas_carry_the_monotonic_clock() {
    let sandbox = Sandbox::new();
    let turn = start(&sandbox).turn("rate 200 per second for 1 s");
    let stamps: Vec<u64> = turn
        .lines
        .iter()
        .filter_map(|line| line["event"]["delta"]["text"].as_str()?.trim().parse().ok())
        .collect();
    assert_eq!(stamps.len(), 200);
    assert!(stamps.is_sorted());
    let took = Duration::from_nanos(stamps[199] - stamps[0]);
    assert!(took >= Duration::from_millis(990), "{took:?}");
}

#[test]
fn a_hang_can_be_interrupted_and_a_deaf_one_cannot() {
    let sandbox = Sandbox::new();
    let cli = start(&sandbox);
    cli.say("hang");
    cli.process
        .wait_for(|line| line["event"]["type"] == "content_block_delta", LIMIT);
    cli.request("stop", &json!({"subtype": "interrupt"}));
    let wanted = "aborted_streaming";
    assert_eq!(cli.until_result(allow).result()["terminal_reason"], wanted);

    cli.turn("hang-on-second");
    cli.say("anyone there?");
    cli.process.send(&json!({"type": "control_request", "request_id": "x", "request": {"subtype": "mcp_status"}}));
    cli.process.close_stdin();
    assert!(
        cli.process
            .stdout()
            .json()
            .iter()
            .all(|line| line["response"]["request_id"] != "x")
    );
    cli.process.signal(Signal::TERM);
    assert_eq!(cli.process.wait_exit(LIMIT).code(), Some(143));
}

#[test]
fn sigterm_is_ignored_on_demand() {
    let sandbox = Sandbox::new();
    let cli = start(&sandbox);
    cli.turn("ignore-sigterm");
    cli.process.signal(Signal::TERM);
    let wanted = "You said: still here";
    assert_eq!(cli.turn("still here").result()["result"], wanted);
    cli.process.signal(Signal::KILL);
    assert_eq!(cli.process.wait_exit(LIMIT).code(), None);
}

#[test]
fn broken_output_is_broken_as_asked() {
    let (code, lines, _) = after("half-line");
    assert_eq!(code, Some(1));
    let wanted = "{\"type\":\"assistant\",\"message\":{\"id\":\"msg_ha";
    assert_eq!(lines.last().unwrap(), wanted);

    let sandbox = Sandbox::new();
    let cli = start(&sandbox);
    cli.turn("garbage");
    assert!(
        cli.process
            .stdout()
            .all()
            .contains(&"not json at all".to_owned())
    );
    let doubled = cli.turn("duplicate\ntok 2");
    assert_eq!(doubled.of("assistant", "").len(), 2);
    assert_eq!(cli.until_result(allow).lines, [doubled.result().clone()]);
    assert_eq!(cli.turn("unknown-type").of("from_the_future", "").len(), 1);
    let big = cli.turn("big-line 1000000");
    assert_eq!(
        big.of("system", "fake_big")[0]["filler"]
            .as_str()
            .map(str::len),
        Some(1_000_000)
    );
    let huge = cli.turn("huge 300000");
    assert_eq!(
        huge.of("assistant", "")[0]["message"]["content"][0]["text"]
            .as_str()
            .map(str::len),
        Some(300_000)
    );
    cli.turn("stderr oh dear");
    cli.process.stderr().wait_for_text("oh dear", LIMIT);
}

#[test]
fn it_dies_where_it_is_told_to() {
    for (point, last) in [
        ("init", "system/init"),
        ("delta", "stream_event/content_block_delta"),
        ("assistant", "assistant/text"),
        ("before-result", "stream_event/message_stop"),
        ("result", "result/success"),
    ] {
        let (code, lines, _) = after(&format!("crash at {point}\ntok 3"));
        let seen = crate::conversation::kind(&serde_json::from_str(lines.last().unwrap()).unwrap());
        assert_eq!((code, seen.as_str()), (None, last), "{point}");
    }
    assert_eq!(after("exit 7").0, Some(7));
}

#[test]
fn a_grandchild_keeps_stdout_open_after_the_end() {
    let sandbox = Sandbox::new();
    let cli = start(&sandbox);
    let turn = cli.turn("grandchild stdout");
    let pid = turn.of("system", "fake_grandchild")[0]["pid"].clone();
    cli.process.close_stdin();
    assert_eq!(cli.process.wait_exit(LIMIT).code(), Some(0));
    assert!(PathBuf::from(format!("/proc/{pid}")).exists());
    drop(sandbox);
    cli.process.stdout().wait_end(LIMIT);
}

#[test]
fn failures_of_the_model_end_the_turn_as_errors() {
    let sandbox = Sandbox::new().with_env("CLAUDE_CODE_MAX_RETRIES", "3");
    let cli = start(&sandbox);
    let recovered = cli.turn("api-error 529 2");
    assert_eq!(recovered.of("system", "api_retry").len(), 2);
    assert_eq!(recovered.result()["result"], "recovered");
    let failed = cli.turn("api-error 401");
    assert_eq!(failed.result()["is_error"], true);
    assert_eq!(failed.result()["api_error_status"], 401);
    let auth = cli.turn("auth-error");
    let wanted = "authentication_failed";
    assert_eq!(auth.of("assistant", "")[0]["error"], wanted);
    assert_eq!(cli.end(), Some(1));
}

#[test]
fn a_session_is_resumed_and_forked_by_its_transcript() {
    let sandbox = Sandbox::new();
    let fake = bin("fake-claude");
    let cli = Conversation::start(&sandbox, &fake, &["--session-id", SESSION]);
    let first = cli.turn("one");
    assert_eq!(cli.end(), Some(0));
    let used = Conversation::start_silent(&sandbox, &fake, &["--session-id", SESSION]);
    assert_eq!(used.process.wait_exit(LIMIT).code(), Some(1));
    used.process
        .stderr()
        .wait_for_text("is already in use", LIMIT);

    let resumed = Conversation::start(&sandbox, &fake, &["--resume", SESSION]);
    let uuid = first.of("user", "")[0]["uuid"].as_str().unwrap();
    resumed.say_as(uuid, "one");
    let turn = resumed.turn("two");
    assert_eq!(turn.result()["session_id"], SESSION);
    assert_eq!(turn.result()["result"], "You said: two");

    let at = first.of("assistant", "")[0]["uuid"].as_str().unwrap();
    let fork = Conversation::start(
        &sandbox,
        &fake,
        &[
            "--resume",
            SESSION,
            "--fork-session",
            "--resume-session-at",
            at,
        ],
    );
    assert_ne!(fork.turn("three").result()["session_id"], SESSION);
    let projects = sandbox.home().join(".claude/projects");
    let project = std::fs::read_dir(projects)
        .unwrap()
        .next()
        .unwrap()
        .unwrap()
        .path();
    assert_eq!(std::fs::read_dir(project).unwrap().count(), 2);
}

#[test]
fn messages_sent_during_a_tool_join_the_turn() {
    let sandbox = Sandbox::new();
    let cli = start(&sandbox);
    cli.say("bash while ! test -e go; do :; done");
    let ask = cli
        .process
        .wait_for(|line| line["request"]["subtype"] == "can_use_tool", LIMIT);
    cli.answer(&ask, &allow(&ask["request"]));
    let uuid = cli.say("also this");
    cli.request("seen", &json!({"subtype": "mcp_status"}));
    std::fs::write(sandbox.project().join("go"), "").unwrap();
    let turn = cli.until_result(allow);
    assert!(
        turn.lines
            .iter()
            .any(|line| line["uuid"] == uuid.as_str() && line["isReplay"] == true)
    );
    assert_eq!(cli.end(), Some(0));
}

#[test]
fn an_interrupt_kills_the_command_and_rejects_the_call() {
    let sandbox = Sandbox::new();
    let cli = start(&sandbox);
    cli.say("bash tail -f /dev/null | cat");
    let ask = cli
        .process
        .wait_for(|line| line["request"]["subtype"] == "can_use_tool", LIMIT);
    cli.answer(&ask, &allow(&ask["request"]));
    cli.request("stop", &json!({"subtype": "interrupt"}));
    let turn = cli.until_result(allow);
    assert_eq!(turn.result()["terminal_reason"], "aborted_tools");
    assert_eq!(turn.of("user", "").len(), 2);
}

#[test]
fn hooks_are_called_back_and_may_decide() {
    let sandbox = Sandbox::new();
    let cli = Conversation::start_silent(&sandbox, &bin("fake-claude"), &[]);
    let hooks = json!({"PreToolUse": [{"matcher": "Bash", "hookCallbackIds": ["cb_0"]}]});
    cli.request("init", &json!({"subtype": "initialize", "hooks": hooks}));
    let turn = cli.turn_with("bash touch made", |request| {
        assert_eq!((&request["subtype"], &request["callback_id"]), (&json!("hook_callback"), &json!("cb_0")));
        json!({"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "allow"}})
    });
    assert_eq!(turn.asks().len(), 1);
    assert!(sandbox.project().join("made").exists());
}

#[test]
fn files_are_rewound_to_a_message() {
    let sandbox = Sandbox::new().with_env("CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING", "true");
    let cli = start(&sandbox);
    let uuid = cli.say("write a.txt|new");
    cli.until_result(allow);
    let file = sandbox.project().join("a.txt");
    let dry = cli.request(
        "dry",
        &json!({"subtype": "rewind_files", "user_message_id": uuid, "dry_run": true}),
    );
    assert_eq!(dry["response"]["filesChanged"], json!([file]));
    assert!(file.exists());
    cli.request(
        "real",
        &json!({"subtype": "rewind_files", "user_message_id": uuid}),
    );
    assert!(!file.exists());
}

#[test]
fn background_work_starts_a_turn_of_its_own() {
    let sandbox = Sandbox::new();
    let cli = start(&sandbox);
    let turn = cli.turn("background true");
    assert_eq!(turn.of("system", "task_started").len(), 1);
    let own = cli.until_result(allow);
    assert_eq!(own.result()["origin"]["kind"], "task-notification");
    assert_eq!(cli.end(), Some(0));
}

#[test]
fn a_script_replaces_the_conversation() {
    let sandbox = Sandbox::new();
    let script = sandbox.root().join("script.jsonl");
    let steps = [
        json!({"initialize": true}),
        json!({"expect": {"type": "user"}}),
        json!({"emit": {"type": "echo", "of": "$uuid"}}),
        json!({"ask": {"tool_name": "Bash", "input": {"command": "ls"}}}),
        json!({"emit": "half a li"}),
        json!({"stderr": "bye"}),
        json!({"exit": 5}),
    ];
    let text: String = steps.iter().map(|step| format!("{step}\n")).collect();
    std::fs::write(&script, text).unwrap();
    let sandbox = sandbox.with_env("FAKE_CLAUDE_SCRIPT", script.display().to_string());
    let cli = start(&sandbox);
    let uuid = cli.say("hi");
    cli.process
        .wait_for(|line| line["of"] == uuid.as_str(), LIMIT);
    let ask = cli
        .process
        .wait_for(|line| line["request"]["subtype"] == "can_use_tool", LIMIT);
    cli.answer(&ask, &allow(&ask["request"]));
    assert_eq!(cli.process.wait_exit(LIMIT).code(), Some(5));
    cli.process.stdout().wait_for_text("half a li", LIMIT);
    cli.process.stderr().wait_for_text("bye", LIMIT);
}

#[test]
fn the_host_can_be_asked_how_it_started_the_cli() {
    let sandbox = Sandbox::new();
    let file = sandbox.root().join("argv.jsonl");
    let sandbox = sandbox.with_env("FAKE_CLAUDE_ARGV", file.display().to_string());
    drop(start(&sandbox));
    let noted: Value =
        serde_json::from_str(std::fs::read_to_string(&file).unwrap().trim()).unwrap();
    assert!(
        noted["argv"]
            .as_array()
            .unwrap()
            .contains(&json!("--verbose"))
    );
    assert_eq!(noted["env"]["HOME"], json!(sandbox.home()));
    assert_eq!(noted["env"].as_object().unwrap().len(), sandbox.env().len());
}

#[test]
fn bad_input_ends_the_process_as_the_cli_would() {
    for line in [
        "not json\n",
        "{\"type\":\"user\"}\n",
        "{\"type\":\"control_request\"}\n",
        "   \n",
    ] {
        let sandbox = Sandbox::new();
        let cli = start(&sandbox);
        cli.process.send_text(line);
        assert_eq!(cli.process.wait_exit(LIMIT).code(), Some(1), "{line}");
    }
}

#[test]
fn a_guard_ends_the_whole_tree() {
    let sandbox = Sandbox::new();
    let shell: Running = sandbox.start(
        "/bin/sh",
        ["-c", "tail -f /dev/null & echo \"{\\\"pid\\\":$!}\"; wait"],
    );
    let child = shell.wait_for(|line| line["pid"].is_number(), LIMIT)["pid"].clone();
    drop(shell);
    let gone = || {
        std::fs::read_to_string(format!("/proc/{child}/stat"))
            .map_or(true, |stat| stat.contains(") Z"))
    };
    crate::real_cli::wait_until("the child is gone", gone);
}
