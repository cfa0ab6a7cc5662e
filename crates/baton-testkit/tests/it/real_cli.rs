//! Both pinned CLIs against the scripted model: the ground the other tests stand on.

use baton_testkit::model::{self, ModelServer, RequestKind, Script};
use baton_testkit::{LIMIT, Sandbox, Signal, Version, claude_cli};
use serde_json::{Value, json};

use crate::conversation::{Conversation, Turn, allow};

const SESSION: &str = "11111111-2222-4333-8444-555555555555";

/// One pixel, transparent.
const PNG: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";

/// Runs the same test with both versions, each with its own server and sandbox.
#[track_caller]
fn with_each(
    script: impl Fn() -> Script,
    test: impl Fn(&ModelServer, &Sandbox, &dyn Fn(&[&str]) -> Conversation),
) {
    for version in Version::ALL {
        let server = ModelServer::start(script());
        let sandbox = Sandbox::new()
            .with_model(&server)
            .with_env("CLAUDE_CODE_MAX_RETRIES", "2");
        let cli = claude_cli(version);
        test(&server, &sandbox, &|extra| {
            Conversation::start(&sandbox, &cli, extra)
        });
        server.assert_finished();
    }
}

fn bash(command: &str) -> model::Reply {
    model::tool_use("Bash", json!({"command": command, "description": "run"}))
}

#[track_caller]
fn assert_success(turn: &Turn, text: &str) {
    let result = turn.result();
    assert_eq!(result["subtype"], "success", "{result}");
    assert_eq!(result["is_error"], false, "{result}");
    assert_eq!(result["result"], text);
}

#[test]
fn two_turns_run_on_one_process() {
    let script = || Script::new().replies([model::tokens(3), model::text("second answer")]);
    with_each(script, |server, _, start| {
        let cli = start(&[]);
        assert_success(&cli.turn("one"), "tok tok tok ");
        assert_success(&cli.turn("two"), "second answer");
        assert_eq!(cli.end(), Some(0));
        let requests = server.requests();
        let said: Vec<String> = requests
            .iter()
            .map(model::Request::last_user_text)
            .collect();
        assert_eq!(said, ["one", "two"]);
        assert!(
            requests
                .iter()
                .all(|request| request.kind == RequestKind::Main)
        );
    });
}

#[test]
fn a_tool_runs_after_it_was_allowed() {
    let script = || {
        Script::new().replies([
            model::text("Making it.").and(bash("touch made.txt")),
            model::text("Done."),
        ])
    };
    with_each(script, |server, sandbox, start| {
        let turn = start(&[]).turn("make a file");
        assert_success(&turn, "Done.");
        assert_eq!(turn.asks().len(), 1);
        assert_eq!(turn.asks()[0]["tool_use_id"], "toolu_test_1");
        assert!(sandbox.project().join("made.txt").exists());
        let results = server.requests()[1].tool_results();
        assert_eq!((results.len(), results[0].is_error), (1, false));
    });
}

#[test]
fn a_denied_tool_does_not_run_and_the_model_reads_why() {
    let script = || Script::new().replies([bash("touch made.txt"), model::text("Understood.")]);
    with_each(script, |server, sandbox, start| {
        let deny = |_: &Value| json!({"behavior": "deny", "message": "Not today"});
        let turn = start(&[]).turn_with("make a file", deny);
        assert_success(&turn, "Understood.");
        assert!(!sandbox.project().join("made.txt").exists());
        let results = server.requests()[1].tool_results();
        assert_eq!(results[0].text.as_str(), "Not today");
        assert!(results[0].is_error);
    });
}

#[test]
fn parallel_calls_are_asked_one_after_another() {
    let script =
        || Script::new().replies([bash("touch a").and(bash("touch b")), model::text("Done.")]);
    with_each(script, |server, sandbox, start| {
        let turn = start(&[]).turn("two files");
        assert_eq!(turn.asks().len(), 2);
        assert!(sandbox.project().join("a").exists() && sandbox.project().join("b").exists());
        assert_eq!(server.requests()[1].tool_results().len(), 2);
    });
}

#[test]
fn a_subagent_talks_to_the_model_under_its_own_id() {
    let agent = json!({
        "description": "look", "prompt": "look around", "subagent_type": "general-purpose", "run_in_background": false,
    });
    let script = move || {
        let is_agent = |request: &model::Request| request.kind == RequestKind::Subagent;
        Script::new()
            .on(is_agent, bash("touch by-agent"))
            .on(is_agent, model::text("All quiet."))
            .replies([
                model::tool_use("Agent", agent.clone()),
                model::text("It is quiet."),
            ])
    };
    with_each(script, |server, sandbox, start| {
        let turn = start(&[]).turn("send someone");
        assert_success(&turn, "It is quiet.");
        assert!(sandbox.project().join("by-agent").exists());
        let agent_id = server.requests()[1].agent_id().map(str::to_owned);
        assert!(agent_id.is_some());
        assert_eq!(turn.asks()[0]["agent_id"].as_str(), agent_id.as_deref());
        assert_eq!(turn.of("system", "task_started").len(), 1);
        let told = server.requests().last().unwrap().tool_results();
        assert!(told[0].text.contains("All quiet."), "{told:?}");
    });
}

#[test]
fn a_question_is_answered_through_the_ask() {
    let questions = json!({"questions": [{
        "question": "Which colour?", "header": "Colour", "multiSelect": false,
        "options": [{"label": "Red", "description": "warm"}, {"label": "Blue", "description": "cold"}],
    }]});
    let script = move || {
        Script::new().replies([
            model::tool_use("AskUserQuestion", questions.clone()),
            model::text("Blue it is."),
        ])
    };
    with_each(script, |server, _, start| {
        let answer = |request: &Value| {
            let mut response = allow(request);
            response["updatedInput"]["answers"] = json!({"Which colour?": "Blue"});
            response
        };
        let turn = start(&[]).turn_with("ask me", answer);
        assert_success(&turn, "Blue it is.");
        assert_eq!(turn.asks()[0]["tool_name"], "AskUserQuestion");
        assert!(
            server.requests()[1].tool_results()[0]
                .text
                .contains("\"Which colour?\"=\"Blue\"")
        );
    });
}

#[test]
fn an_approved_plan_leaves_plan_mode() {
    let script = || {
        Script::new().replies([
            model::tool_use("ExitPlanMode", json!({"plan": "# Plan"})),
            model::text("Off we go."),
        ])
    };
    with_each(script, |_, _, start| {
        let turn = start(&["--permission-mode", "plan"]).turn("plan it");
        assert_success(&turn, "Off we go.");
        assert_eq!(turn.asks()[0]["tool_name"], "ExitPlanMode");
        let modes: Vec<&Value> = turn
            .of("system", "status")
            .into_iter()
            .map(|line| &line["permissionMode"])
            .filter(|m| m.is_string())
            .collect();
        assert_eq!(modes, [&json!("default")]);
    });
}

#[test]
fn an_image_reaches_the_model() {
    let script = || Script::new().reply(model::text("A pixel."));
    with_each(script, |server, _, start| {
        let content = json!([
            {"type": "text", "text": "what is this?"},
            {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PNG}},
        ]);
        assert_success(&start(&[]).turn(content), "A pixel.");
        let requests = server.requests();
        let images = requests[0].images();
        assert_eq!(images.len(), 1);
        assert_eq!(images[0]["source"]["media_type"], "image/png");
        assert_eq!(requests[0].last_user_text(), "what is this?");
    });
}

#[test]
fn thinking_arrives_before_the_answer() {
    let script = || Script::new().reply(model::thinking("well now").and(model::text("Yes.")));
    with_each(script, |_, _, start| {
        let turn = start(&[]).turn("think");
        assert_success(&turn, "Yes.");
        let blocks: Vec<&Value> = turn
            .of("assistant", "")
            .into_iter()
            .map(|line| &line["message"]["content"][0]["type"])
            .collect();
        assert_eq!(blocks, ["thinking", "text"]);
    });
}

#[test]
fn a_refused_key_ends_the_turn_with_status_401() {
    let script = || Script::new().always(|_| true, model::error(401, "authentication_error"));
    with_each(script, |_, _, start| {
        let cli = start(&[]);
        let turn = cli.turn("hello");
        assert_eq!(turn.result()["is_error"], true);
        assert_eq!(turn.result()["api_error_status"], 401);
        let wanted = "authentication_failed";
        assert_eq!(turn.of("assistant", "")[0]["error"], wanted);
        assert_eq!(cli.end(), Some(1));
    });
}

#[test]
fn an_overloaded_model_is_asked_again() {
    let script = || {
        Script::new().replies([
            model::error(529, "overloaded_error"),
            model::text("recovered"),
        ])
    };
    with_each(script, |_, _, start| {
        let turn = start(&[]).turn("hello");
        assert_success(&turn, "recovered");
        let retries = turn.of("system", "api_retry");
        assert_eq!(retries.len(), 1);
        assert_eq!(retries[0]["error_status"], 529);
        assert_eq!(retries[0]["error"], "overloaded");
    });
}

#[test]
fn an_interrupt_ends_a_stalled_stream() {
    let script =
        || Script::new().replies([model::tokens(5).stall_after(4), model::text("on we go")]);
    with_each(script, |server, _, start| {
        let cli = start(&[]);
        cli.say("talk");
        server.wait_for_stalls(1, LIMIT);
        cli.process
            .wait_for(|line| line["event"]["type"] == "content_block_delta", LIMIT);
        cli.request("stop", &json!({"subtype": "interrupt"}));
        let turn = cli.until_result(allow);
        assert_eq!(turn.result()["terminal_reason"], "aborted_streaming");
        server.wait_for_abandoned(1, LIMIT);
        assert_success(&cli.turn("again"), "on we go");
    });
}

#[test]
fn a_session_goes_on_in_a_new_process() {
    let script = || Script::new().replies([model::text("first"), model::text("second")]);
    with_each(script, |server, _, start| {
        let cli = start(&["--session-id", SESSION]);
        assert_success(&cli.turn("one"), "first");
        assert_eq!(cli.end(), Some(0));
        assert_success(&start(&["--resume", SESSION]).turn("two"), "second");
        let roles: Vec<Value> = server.requests()[1]
            .messages()
            .iter()
            .filter(|message| message["role"] != "system")
            .map(|message| message["role"].clone())
            .collect();
        assert_eq!(roles, ["user", "assistant", "user"]);
    });
}

#[test]
fn the_command_of_a_killed_cli_outlives_it() {
    let script = || Script::new().reply(bash("touch started; tail -f /dev/null"));
    with_each(script, |_, sandbox, start| {
        let cli = start(&[]);
        cli.say("wait forever");
        let ask = cli
            .process
            .wait_for(|line| line["request"]["subtype"] == "can_use_tool", LIMIT);
        cli.answer(&ask, &allow(&ask["request"]));
        wait_until("the command runs", || {
            sandbox.project().join("started").exists()
        });
        cli.process.signal(Signal::KILL);
        cli.process.wait_exit(LIMIT);
        assert!(
            !processes_of(sandbox).is_empty(),
            "the CLI's command survives the CLI"
        );
    });
}

#[test]
fn nothing_of_a_sandbox_survives_it() {
    let server = ModelServer::start(Script::new().reply(bash("touch started; tail -f /dev/null")));
    let sandbox = Sandbox::new().with_model(&server);
    let cli = Conversation::start(&sandbox, &claude_cli(Version::V197), &[]);
    cli.say("wait forever");
    let ask = cli
        .process
        .wait_for(|line| line["request"]["subtype"] == "can_use_tool", LIMIT);
    cli.answer(&ask, &allow(&ask["request"]));
    wait_until("the command runs", || {
        sandbox.project().join("started").exists()
    });
    cli.process.signal(Signal::KILL);
    cli.process.wait_exit(LIMIT);
    let orphans = processes_of(&sandbox);
    drop(cli);
    drop(sandbox);
    let alive = |pid: &&String| {
        std::fs::read(format!("/proc/{pid}/environ")).is_ok_and(|environ| !environ.is_empty())
    };
    wait_until("the orphans are gone", || {
        orphans.iter().filter(alive).count() == 0
    });
}

/// Process ids whose environment names the sandbox's home.
fn processes_of(sandbox: &Sandbox) -> Vec<String> {
    let wanted = format!("HOME={}\0", sandbox.home().display()).into_bytes();
    let pids = std::fs::read_dir("/proc")
        .unwrap()
        .flatten()
        .filter_map(|entry| entry.file_name().into_string().ok());
    let has = |pid: &String| {
        let environ = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        environ.windows(wanted.len()).any(|window| window == wanted)
    };
    pids.filter(has).collect()
}

/// Polls: files and foreign processes tell nobody when they change.
#[track_caller]
pub(crate) fn wait_until(what: &str, holds: impl Fn() -> bool) {
    let (_keep, never) = std::sync::mpsc::sync_channel::<()>(0);
    for _ in 0..3000 {
        if holds() {
            return;
        }
        let _ = never.recv_timeout(std::time::Duration::from_millis(20));
    }
    panic!("waited in vain until {what}");
}
