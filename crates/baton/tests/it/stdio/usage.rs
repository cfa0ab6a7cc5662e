//! Wrong usage: one event, one line for people, exit code 2.

use serde_json::json;

use super::fake;
use crate::stdio::{checked, names};

#[test]
fn each_bad_flag_is_one_error_event_and_exit_code_2() {
    let bench = fake();
    let file = bench.sandbox.root().join("servers.json");
    std::fs::write(&file, r#"{"mcpServers":{"x":{"type":"sdk"}}}"#).unwrap();
    let file = file.display().to_string();
    for (flags, word) in [
        (&["--nonsense"][..], "--nonsense"),
        (&["--cwd", "/nowhere/at/all"], "--cwd"),
        (&["--resume", "x"], "--resume"),
        (&["--fork"], "--fork"),
        (&["--tool-preset", "all"], "--tool-preset"),
        (&["--permission-mode", "yolo"], "--permission-mode"),
        (&["--max-budget-usd", "-1"], "--max-budget-usd"),
        (&["--max-turns", "none"], "--max-turns"),
        (&["--max-thinking-tokens", "1.5"], "--max-thinking-tokens"),
        (&["--setting-sources", "everyone"], "--setting-sources"),
        (&["--structured-output", "["], "--structured-output"),
        (&["--instructions-file", "/nowhere"], "--instructions-file"),
        (&["--mcp-servers-file", &file], "--mcp-servers-file"),
        (&["--linear-issue", "../x"], "--linear-issue"),
        (&["--target-branch", " "], "--target-branch"),
        (&["--conversation-id", ""], "--conversation-id"),
        (&["--betas", "a b"], "--betas"),
        (&["--model"], "--model"),
    ] {
        let mut args = vec!["stdio"];
        args.extend(flags);
        let done = bench.baton(&args);
        assert_eq!(done.code(), Some(2), "{flags:?}: {}", done.stderr);
        let lines = checked(&done);
        assert_eq!(names(&lines), ["error"], "{flags:?}");
        assert_eq!(lines[0]["code"], "usage");
        assert_eq!(lines[0]["fatal"], true);
        let message = lines[0]["message"].as_str().unwrap();
        assert!(message.contains(word), "{flags:?}: {message}");
        assert!(done.stderr.contains(word), "{flags:?}: {}", done.stderr);
    }
}

#[test]
fn help_lists_every_flag() {
    let help = fake().baton(&["stdio", "--help"]);
    help.expect_success();
    let flags = "cwd conversation-id resume fork linear-issue target-branch tool-preset
        enable-checkpointing structured-output max-budget-usd max-turns max-thinking-tokens
        permission-mode setting-sources betas model fallback-model instructions-file
        mcp-servers-file sdk-debug sdk-debug-file data-dir agent trust-folder";
    for flag in flags.split_whitespace() {
        assert!(help.stdout.contains(&format!("--{flag}")), "--{flag}");
    }
}

#[test]
fn a_conversation_that_does_not_exist_is_a_failure_and_not_wrong_usage() {
    let bench = fake();
    let id = "3f2a9c1e-0000-4000-8000-000000000000";
    let done = bench.fails(1, &["stdio", "--resume", id]);
    let lines = checked(&done);
    assert_eq!(names(&lines), ["error", "shutdown"]);
    let wanted = json!({"type": "shutdown", "reason": "error", "exitCode": 1});
    assert_eq!(lines[1], wanted);
    done.tells(id);
}

#[test]
fn flags_reach_the_agent() {
    let bench = fake();
    let root = bench.sandbox.root().to_owned();
    let argv = root.join("argv.jsonl");
    let instructions = root.join("instructions.md");
    std::fs::write(&instructions, "Be brief.").unwrap();
    let servers = root.join("servers.json");
    std::fs::write(
        &servers,
        r#"{"mcpServers":{"notes":{"command":"notes","env":{"KEY":"secret"}}}}"#,
    )
    .unwrap();
    let debug = root.join("debug.log").display().to_string();
    let bench = bench.with("FAKE_CLAUDE_ARGV", &argv.display().to_string());
    let parent = super::Parent::start(
        &bench,
        &[
            "--model",
            "opus",
            "--fallback-model",
            "haiku",
            "--max-turns",
            "7",
            "--max-budget-usd",
            "2.5",
            "--max-thinking-tokens",
            "1000",
            "--betas",
            "one,two",
            "--structured-output",
            r#"{"type":"object"}"#,
            "--instructions-file",
            &instructions.display().to_string(),
            "--mcp-servers-file",
            &servers.display().to_string(),
            "--sdk-debug-file",
            &debug,
            "--tool-preset",
            "read-only",
            "--permission-mode",
            "plan",
            "--setting-sources",
            "user",
            "--enable-checkpointing",
        ],
    );
    parent.turn("say hello");
    let init = parent
        .stop()
        .into_iter()
        .find(|line| line["type"] == "init")
        .unwrap();
    let wanted = json!({"maxBudgetUsd": 2.5, "maxTurns": 7, "maxThinkingTokens": 1000});
    assert_eq!(init["budget"], wanted);
    assert_eq!(init["checkpointing"], true);
    arrived(&argv);
}

/// Checks what the agent was started with.
fn arrived(argv: &std::path::Path) {
    let started = std::fs::read_to_string(argv).unwrap();
    let started: serde_json::Value = serde_json::from_str(started.lines().next().unwrap()).unwrap();
    let given = started["argv"].to_string();
    let parts = "--model opus --fallback-model haiku --max-turns --max-budget-usd
        --max-thinking-tokens one two --json-schema --append-system-prompt-file --debug-file
        Read,Glob,Grep plan mcp.json";
    for part in parts.split_whitespace() {
        assert!(given.contains(part), "{part} in {given}");
    }
    for part in ["secret", "Be brief."] {
        assert!(!given.contains(part), "{part} is in the process list");
    }
    assert_eq!(
        started["env"]["CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING"],
        "true"
    );
}

#[test]
fn nobody_gets_the_demo_agent_unasked() {
    let bench = crate::Bench::new();
    for (bench, word) in [
        (crate::Bench::new(), "PATH"),
        (
            bench.with("BATON_AGENT_CLAUDE_PATH", "/nowhere/claude"),
            "/nowhere/claude",
        ),
    ] {
        let done = bench.fails(1, &["stdio"]);
        let lines = checked(&done);
        assert_eq!(names(&lines), ["error", "shutdown"]);
        assert_eq!(lines[0]["code"], "start_failed");
        let told = lines[0]["message"].as_str().unwrap();
        assert!(told.contains(word), "{told}");
        assert!(lines[0]["hint"].as_str().unwrap().contains("--agent demo"));
        let parent = super::Parent::start(&bench, &["--agent", "demo"]);
        assert_eq!(parent.stop()[0]["agent"], "demo");
    }
}

#[test]
fn the_debug_file_is_the_users_alone_and_no_link_is_followed() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let bench = fake();
    let root = bench.sandbox.root().to_owned();
    let argv = root.join("argv.jsonl");
    let bench = bench.with("FAKE_CLAUDE_ARGV", &argv.display().to_string());
    // Whoever knew the number of the process could lead an old name elsewhere.
    let victim = root.join("victim");
    std::fs::write(&victim, "").unwrap();
    let temporary = std::path::PathBuf::from(&bench.sandbox.env()["TMPDIR"]);
    for pid in 1..200 {
        symlink(&victim, temporary.join(format!("baton-{pid}.debug.log"))).unwrap();
    }
    let parent = super::Parent::start(&bench, &["--sdk-debug"]);
    parent.turn("say hello");
    parent.stop();
    let started = std::fs::read_to_string(&argv).unwrap();
    let started: serde_json::Value = serde_json::from_str(started.lines().next().unwrap()).unwrap();
    let words = started["argv"].as_array().unwrap();
    let words = words.iter().filter_map(|word| word.as_str());
    let file = words
        .filter_map(|word| word.strip_prefix("--debug-file="))
        .next()
        .unwrap_or_else(|| panic!("{started}"));
    let file = std::path::Path::new(file);
    let mode = |path: &std::path::Path| path.metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(file), 0o600);
    assert_eq!(mode(file.parent().unwrap()), 0o700);
    assert_eq!(std::fs::read_to_string(&victim).unwrap(), "");
}

#[test]
fn wrong_flags_of_the_mcp_server_are_refused() {
    let bench = fake();
    for flags in [
        &["--cwd", "/nowhere/at/all"][..],
        &["--issue", "../x"],
        &["--linear-issue", "../x"],
        &["--target-branch", "x y"],
    ] {
        let done = bench.baton(&[&["mcp"], flags].concat());
        assert_eq!(done.code(), Some(2), "{flags:?}: {}", done.stderr);
        assert!(done.stderr.contains(flags[0]), "{flags:?}: {}", done.stderr);
    }
}
