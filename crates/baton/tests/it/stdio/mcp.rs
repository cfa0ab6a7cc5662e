//! Baton's own MCP server, seen by others: the official Python SDK, and the
//! real CLIs over their control protocol.

use baton_testkit::{
    LIMIT, Sandbox, Version, claude_cli, client_dir,
    model::{ModelServer, Script, text, tool_use},
    repo_root,
};
use serde_json::{Value, json};

use super::{Parent, names};
use crate::Bench;

fn repository(bench: &Bench) {
    std::fs::write(bench.sandbox.project().join("a.txt"), "one\ntwo\n").unwrap();
    for args in [
        &["init", "--quiet", "--initial-branch=main"][..],
        &["add", "."],
        &["commit", "--quiet", "-m", "first"],
    ] {
        bench.sandbox.run("git", args).expect_success();
    }
}

fn bench() -> Bench {
    Bench::in_sandbox(
        Sandbox::new()
            .with_env("GIT_AUTHOR_NAME", "A")
            .with_env("GIT_AUTHOR_EMAIL", "a@example.org")
            .with_env("GIT_COMMITTER_NAME", "A")
            .with_env("GIT_COMMITTER_EMAIL", "a@example.org"),
    )
}

#[test]
fn the_official_python_sdk_can_use_every_tool() {
    let bench = bench();
    repository(&bench);
    std::fs::write(bench.sandbox.project().join("a.txt"), "one\nTWO\n").unwrap();
    let script = repo_root().join("crates/baton/tests/it/stdio/mcp_client.py");
    let packages = client_dir("mcp").join("packages").display().to_string();
    let baton = baton_testkit::bin("baton").display().to_string();
    let project = bench.sandbox.project().display().to_string();
    let script = script.display().to_string();
    let done = bench
        .sandbox
        .run("python3", [&script, &packages, &baton, &project]);
    done.expect_success();
    let steps = done.json_lines();
    assert_eq!(steps[0]["name"], "baton");
    assert_eq!(steps[1]["names"], json!(baton_mcp::NAMES));
    let data = |name: &str| {
        let step = steps.iter().find(|step| step["step"] == name);
        let step = step.unwrap_or_else(|| panic!("no step {name}"));
        assert_eq!(step["error"], false, "{step}");
        step["data"].clone()
    };
    assert_eq!(data("get_session_status")["git"]["branch"], "main");
    assert_eq!(data("get_workspace_diff")["files"][0]["path"], "a.txt");
    let wanted = "first";
    assert_eq!(data("get_recent_activity")["commits"][0]["subject"], wanted);
    assert_eq!(
        data("list_review_comments")["comments"][0]["body"],
        "Why two?"
    );
    assert_eq!(data("rest")["comments"][0]["body"], "And why one?");
    assert_eq!(data("get_review_comment_stats")["total"], 2);
    assert_eq!(data("get_issue_context")["issue"]["id"], "LIN-123");
    assert_eq!(data("start_issue")["branch"], "lin-123");
    assert_eq!(data("update_issue_status")["issue"]["status"], "in_review");
    assert_eq!(data("get_workspace_scripts_config")["exists"], false);
    assert_eq!(data("propose_scripts_config")["applied"], false);
    let is_bad = |step: &&Value| {
        let name = step["step"].as_str().unwrap();
        name.starts_with("bad ") || name == "unknown"
    };
    for name in baton_mcp::NAMES {
        let bad = format!("bad {name}");
        assert!(
            steps.iter().any(|step| step["step"] == bad.as_str()),
            "{bad}"
        );
    }
    for step in steps.iter().filter(is_bad) {
        assert_eq!(step["error"], true, "{step}");
        assert!(!step["text"].as_str().unwrap().is_empty(), "{step}");
    }
}

/// A conversation with a real CLI whose model calls one tool after another.
fn with_real_cli(version: Version, calls: &[(&str, Value)]) -> (Bench, ModelServer) {
    let script = calls.iter().fold(Script::new(), |script, (name, input)| {
        script.reply(tool_use(format!("mcp__baton__{name}"), input.clone()))
    });
    let server = ModelServer::start(script.reply(text("Done.")));
    let bench = bench();
    let claude = claude_cli(version).display().to_string();
    let bench = Bench {
        sandbox: bench.sandbox.with_model(&server),
    }
    .with("BATON_AGENT_CLAUDE_PATH", &claude);
    repository(&bench);
    (bench, server)
}

#[test]
fn the_real_clis_call_it_over_the_control_protocol_without_a_person() {
    for version in Version::ALL {
        let calls = [
            ("get_session_status", json!({})),
            (
                "add_review_comment",
                json!({"path": "a.txt", "body": "Why?", "line": 1}),
            ),
            ("list_review_comments", json!({})),
            ("get_recent_activity", json!({"limit": 0})),
        ];
        let (bench, _server) = with_real_cli(version, &calls);
        let parent = Parent::saying(&bench, &["--target-branch", "main"], "go");
        assert_eq!(parent.wait("result")["success"], true);
        let lines = parent.stop();
        let ends: Vec<&Value> = lines
            .iter()
            .filter(|line| line["type"] == "tool_end")
            .collect();
        assert_eq!(ends.len(), 4, "{version:?} {:?}", names(&lines));
        assert_eq!(ends[0]["name"], "mcp__baton__get_session_status");
        assert!(
            ends[0]["output"]
                .as_str()
                .unwrap()
                .replace(' ', "")
                .contains(r#""branch":"main""#),
            "{}",
            ends[0]
        );
        assert!(
            ends[2]["output"].as_str().unwrap().contains("Why?"),
            "{}",
            ends[2]
        );
        assert_eq!(ends[3]["success"], false, "{}", ends[3]);
        assert!(
            !names(&lines).contains(&"tool_approval_request"),
            "nobody is asked"
        );
        let init = lines.iter().find(|line| line["type"] == "init").unwrap();
        let own = json!({"name": "baton", "source": "builtin", "status": "connected"});
        assert!(
            init["mcpServers"].as_array().unwrap().contains(&own),
            "{init}"
        );
    }
}

/// The newer CLI decides by itself while planning, so it is made to ask.
#[test]
fn its_tools_that_look_go_on_while_planning() {
    for version in Version::ALL {
        let calls = [
            ("get_workspace_diff", json!({})),
            ("get_session_status", json!({})),
            ("list_review_comments", json!({})),
        ];
        let (bench, _server) = with_real_cli(version, &calls);
        std::fs::write(bench.sandbox.project().join("a.txt"), "one\nTWO\n").unwrap();
        let parent = Parent::saying(&bench, &["--permission-mode", "plan"], "go");
        assert_eq!(parent.wait("result")["success"], true);
        let lines = parent.stop();
        let ends = lines.iter().filter(|line| line["type"] == "tool_end");
        let ends: Vec<&Value> = ends.collect();
        assert_eq!(ends.len(), 3, "{version:?} {:?}", names(&lines));
        for end in &ends {
            assert_eq!(end["success"], true, "{version:?} {end}");
        }
        assert!(ends[0]["output"].as_str().unwrap().contains("a.txt"));
        assert!(!names(&lines).contains(&"tool_approval_request"));
    }
}

#[test]
fn a_change_of_scripts_is_put_to_a_person_even_without_permission_checks() {
    let change = json!({"scripts": {"test": "make test"}});
    let calls = [
        ("propose_scripts_config", change.clone()),
        ("propose_scripts_config", change),
    ];
    let (bench, _server) = with_real_cli(Version::V197, &calls);
    let parent = Parent::saying(&bench, &["--permission-mode", "bypassPermissions"], "go");
    let file = bench.sandbox.project().join(".baton/config.json");
    let asked = parent.wait("tool_approval_request");
    assert!(!file.exists());
    parent.send(&json!({"type": "tool_approval_response", "requestId": asked["requestId"], "decision": "deny"}));
    let asked = parent.wait("tool_approval_request");
    assert!(!file.exists());
    assert_eq!(asked["input"]["scripts"]["test"], "make test");
    parent.send(&json!({"type": "tool_approval_response", "requestId": asked["requestId"], "decision": "allow"}));
    parent
        .baton
        .wait_for(|line| line["type"] == "turn_complete", LIMIT);
    assert!(file.exists());
    parent.stop();
}

#[test]
fn what_a_rule_keeps_from_the_agent_is_in_no_answer_of_its_own_tools() {
    for (version, mode) in [(Version::V197, "default"), (Version::V325, "dontAsk")] {
        let calls = [
            ("get_workspace_diff", json!({"detail": "full"})),
            (
                "add_review_comment",
                json!({"path": "kept.txt", "body": "Why?", "line": 1}),
            ),
        ];
        let (bench, _server) = with_real_cli(version, &calls);
        let project = bench.sandbox.project();
        std::fs::write(project.join("kept.txt"), "hush\n").unwrap();
        std::fs::write(project.join("a.txt"), "shown\n").unwrap();
        bench.sandbox.run("git", ["add", "."]).expect_success();
        let rule = ["rules", "add", "Read(kept.txt)", "--decision", "deny"];
        bench.ok(&rule);
        bench.stop();
        let parent = Parent::saying(&bench, &["--permission-mode", mode], "go");
        if mode == "default" {
            let asked = parent.wait("tool_approval_request");
            assert_eq!(asked["input"]["path"], "kept.txt", "{asked}");
            let deny = json!({"type": "tool_approval_response", "requestId": asked["requestId"], "decision": "deny"});
            parent.send(&deny);
        }
        parent.wait("result");
        let lines = parent.stop();
        let ends: Vec<&Value> = lines
            .iter()
            .filter(|line| line["type"] == "tool_end")
            .collect();
        let shown = ends[0]["output"].as_str().unwrap();
        assert!(
            shown.contains("shown") && shown.contains("leftOut"),
            "{shown}"
        );
        assert_eq!(ends[1]["success"], false, "{}", ends[1]);
        for line in ends {
            assert!(!line.to_string().contains("hush"), "{version:?} {line}");
        }
    }
}

#[test]
fn names_are_given_in_order_and_an_untrusted_folders_servers_are_left_out() {
    for version in Version::ALL {
        three_sources(version);
    }
}

fn three_sources(version: Version) {
    let server = ModelServer::start(Script::directed());
    let claude = claude_cli(version).display().to_string();
    let sandbox = Sandbox::new().with_model(&server);
    let bench = Bench::in_sandbox(sandbox).with("BATON_AGENT_CLAUDE_PATH", &claude);
    let project = bench.sandbox.project();
    let ran = bench.sandbox.root().join("ran");
    let evil = json!({"mcpServers": {
        "evil": {"command": "touch", "args": [ran.display().to_string()]},
        "baton": {"command": "touch", "args": [ran.display().to_string()]},
    }});
    std::fs::write(project.join(".mcp.json"), evil.to_string()).unwrap();
    let mine = bench.sandbox.root().join("servers.json");
    let theirs =
        json!({"mcpServers": {"baton": {"command": "false"}, "mine": {"command": "false"}}});
    std::fs::write(&mine, theirs.to_string()).unwrap();
    let mine = mine.display().to_string();
    let flags = ["--mcp-servers-file", mine.as_str()];
    let parent = Parent::start(&bench, &flags);
    parent.turn("hello");
    let lines = parent.stop();
    let init = lines.iter().find(|line| line["type"] == "init").unwrap();
    let source = |name: &str| {
        let servers = init["mcpServers"].as_array().unwrap();
        let found: Vec<_> = servers
            .iter()
            .filter(|server| server["name"] == name)
            .map(|server| format!("{} {}", server["source"], server["status"]))
            .collect();
        found.join(", ")
    };
    assert_eq!(init["trusted"], false);
    assert_eq!(source("evil"), "\"project\" \"untrusted\"", "{init}");
    assert!(source("mine").starts_with("\"user\""), "{init}");
    assert!(
        source("baton").contains("\"builtin\" \"connected\""),
        "{init}"
    );
    let conflicts = json!([{"name": "baton", "used": "builtin", "ignored": "user"}]);
    assert_eq!(init["mcpConflicts"], conflicts);
    assert!(!ran.exists(), "nothing of an untrusted folder runs");

    // Once a person trusts the folder its servers count, but not their names
    // that are taken.
    bench.ok(&["trust", &project.display().to_string(), "--accept"]);
    bench.stop();
    let parent = Parent::start(&bench, &flags);
    parent.turn("hello");
    let lines = parent.stop();
    let init = lines.iter().find(|line| line["type"] == "init").unwrap();
    assert_eq!(init["trusted"], true, "{init}");
    let servers = init["mcpServers"].to_string();
    assert!(
        servers.contains(r#""name":"evil","source":"project""#),
        "{init}"
    );
    let conflicts = init["mcpConflicts"].as_array().unwrap();
    assert_eq!(conflicts.len(), 2, "{init}");
    let own: Vec<&Value> = init["mcpServers"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|server| server["name"] == "baton")
        .collect();
    let wanted = [&json!({"name": "baton", "source": "builtin", "status": "connected"})];
    assert_eq!(own, wanted);
}

#[test]
fn agents_of_the_daemon_have_the_tools_too_and_their_calls_are_events() {
    for version in Version::ALL {
        let calls = [
            ("get_session_status", json!({})),
            (
                "add_review_comment",
                json!({"path": "a.txt", "body": "Why?", "line": 1}),
            ),
        ];
        let (bench, _server) = with_real_cli(version, &calls);
        bench.ok(&["run", "go"]);
        let events = bench.export("last");
        let of = |name: &str| -> Vec<&Value> {
            let found = events.iter().filter(|event| event["type"] == name);
            found.map(|event| &event["payload"]).collect()
        };
        let servers = of("session.started")[0]["mcpServers"].to_string();
        assert!(
            servers.contains(r#""name":"baton","status":"connected""#),
            "{version:?} {servers}"
        );
        let ends = of("tool.completed");
        assert_eq!(ends.len(), 2, "{version:?}");
        for end in &ends {
            assert_eq!(end["isError"], false, "{version:?} {end}");
        }
        assert_eq!(ends[1]["name"], "mcp__baton__add_review_comment");
        let kept = std::fs::read_dir(bench.sandbox.data().join("comments")).unwrap();
        assert_eq!(kept.count(), 1, "{version:?}");
        bench.stop();
    }
}

#[test]
fn a_proposal_in_a_session_of_the_daemon_waits_for_a_person() {
    let calls = [(
        "propose_scripts_config",
        json!({"scripts": {"test": "make test"}}),
    )];
    let (bench, _server) = with_real_cli(Version::V325, &calls);
    let run = bench.start(&["run", "--json", "--approvals", "wait", "go"]);
    run.wait_for(|line| line["type"] == "approval.requested", LIMIT);
    let config = bench.sandbox.project().join(".baton/config.json");
    assert!(!config.exists());
    bench.ok(&["approve", "last"]);
    run.wait_for(|line| line["type"] == "turn.completed", LIMIT);
    let text = std::fs::read_to_string(&config).unwrap();
    assert!(text.contains("make test"), "{text}");
    bench.stop();
}

#[test]
fn what_changes_a_workspace_is_refused_to_who_may_only_read_or_plan() {
    let reads = [
        "--tool-preset=read-only",
        "--permission-mode=bypassPermissions",
    ];
    let plans = ["--tool-preset=full", "--permission-mode=plan"];
    for (version, flags) in [
        (Version::V325, reads),
        (Version::V197, plans),
        (Version::V325, plans),
    ] {
        let calls = [
            ("start_issue", json!({"branch": "other"})),
            ("update_issue_status", json!({"status": "done"})),
            ("get_session_status", json!({})),
        ];
        let (bench, _server) = with_real_cli(version, &calls);
        let mut args = vec!["--linear-issue", "LIN-1"];
        args.extend(flags);
        let parent = Parent::saying(&bench, &args, "go");
        parent.wait("result");
        let lines = parent.stop();
        let ends = lines.iter().filter(|line| line["type"] == "tool_end");
        let ends: Vec<_> = ends.map(|line| line["success"] == true).collect();
        assert_eq!(ends, [false, false, true], "{flags:?} {lines:#?}");
        assert!(!bench.sandbox.project().join(".baton").exists());
        let branch = bench.sandbox.run("git", ["branch", "--show-current"]);
        assert_eq!(branch.stdout.trim(), "main");
    }
}
