//! What the user has said once for all holds in every conversation, wherever
//! its log is.

use std::{
    fs::{self, Permissions},
    os::unix::fs::PermissionsExt,
};

use baton_testkit::{LIMIT, Sandbox, bin};
use serde_json::{Value, json};

use super::{Parent, fake};
use crate::Bench;

/// Nobody is asked, so that only rules and limits stand in the way.
const UNASKED: [&str; 2] = ["--permission-mode", "bypassPermissions"];

#[test]
fn a_denial_of_the_user_holds_in_a_conversation_whose_log_is_in_memory() {
    let bench = fake();
    let deny = |rule: &str, scope: &str| {
        let args = ["rules", "add", rule, "--decision", "deny", "--scope", scope];
        bench.ok(&args);
    };
    deny("Bash(touch:*)", "user");
    deny("Bash(mkdir:*)", "project");
    bench.stop();
    let project = bench.sandbox.project();
    let parent = Parent::start(&bench, &UNASKED);
    parent.turn("bash touch one");
    parent.turn("bash mkdir two");
    parent.turn("bash echo three > three");
    assert!(
        !project.join("one").exists(),
        "a rule of the user denies it"
    );
    assert!(!project.join("two").exists(), "a rule of the project does");
    assert!(project.join("three").exists());

    // One that is made while the conversation runs is meant for it too.
    deny("Bash(cp:*)", "user");
    let arrived = (0..1_000).any(|one| {
        let copy = format!("copy{one}");
        parent.turn(&format!("bash cp three {copy}"));
        !project.join(copy).exists()
    });
    assert!(arrived, "the new rule does not arrive");
    bench.stop();
    parent.stop();
}

#[test]
fn rules_and_remarks_of_a_project_hold_in_each_of_its_folders() {
    let sandbox = Sandbox::new().with_git();
    let claude = bin("fake-claude").display().to_string();
    let bench = Bench::in_sandbox(sandbox).with("BATON_AGENT_CLAUDE_PATH", &claude);
    let inner = bench.sandbox.project().join("inner");
    fs::create_dir(&inner).unwrap();
    bench.ok(&["add"]);
    let add = ["rules", "add", "Bash(touch:*)", "--decision", "deny"];
    let add = [&add[..], &["--scope", "project"]].concat();
    bench.ok(&add);
    bench.stop();
    let inner_name = inner.display().to_string();
    let data = bench.sandbox.data().display().to_string();
    for flags in [&[][..], &["--data-dir", &data]] {
        let flags = [&UNASKED, &["--cwd", &inner_name][..], flags].concat();
        let parent = Parent::start(&bench, &flags);
        parent.turn("bash touch one");
        assert!(!inner.join("one").exists(), "{flags:?}");
        parent.turn("bash echo two > two");
        assert!(inner.join("two").exists(), "{flags:?}");
        parent.stop();
    }

    let server = bench.start(&["mcp", "--cwd", &inner_name]);
    let ask = |id: u32, method: &str, params: Value| {
        server.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        server.wait_for(|line| line["id"] == id, LIMIT)
    };
    let client = json!({"protocolVersion": "2025-06-18", "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"}});
    ask(1, "initialize", client);
    let remark = json!({"path": "two", "body": "Why?"});
    let call = json!({"name": "add_review_comment", "arguments": remark});
    let added = ask(2, "tools/call", call);
    assert_eq!(added["result"]["isError"], false, "{added}");
    let projects = bench.baton(&["projects", "--json"]).json_lines();
    let kept = format!("comments/{}.jsonl", projects[0]["id"].as_str().unwrap());
    assert!(bench.sandbox.data().join(&kept).exists(), "{kept}");
    bench.stop();
}

/// The data folder as Baton makes it.
fn private_data(bench: &Bench) {
    let data = bench.sandbox.data();
    fs::create_dir_all(&data).unwrap();
    fs::set_permissions(&data, Permissions::from_mode(0o700)).unwrap();
}

#[test]
fn rules_that_cannot_be_read_are_not_taken_for_none() {
    let bench = fake();
    private_data(&bench);
    let log = bench.sandbox.data().join("baton.db");
    fs::write(&log, "this is no database, though there was one").unwrap();
    let done = bench.fails(1, &["stdio"]);
    let lines = super::checked(&done);
    assert_eq!(super::names(&lines), ["error", "shutdown"]);
}

#[test]
fn the_users_limit_on_tools_holds_whatever_the_flags_say() {
    let bench = fake();
    private_data(&bench);
    let config = bench.sandbox.data().join("config.yaml");
    fs::write(&config, "agent:\n  tools: readonly\n").unwrap();
    let project = bench.sandbox.project();
    let data = bench.sandbox.data().display().to_string();
    let ready = |flags: &[&str]| {
        let flags = [&UNASKED, flags].concat();
        let parent = Parent::start(&bench, &flags);
        parent.turn("bash touch one");
        assert!(!project.join("one").exists(), "{flags:?}");
        parent.stop().swap_remove(0)
    };
    let reading = json!(["Read", "Glob", "Grep", "WebSearch", "WebFetch"]);
    for flags in [
        &[][..],
        &["--tool-preset", "full"],
        &["--tool-preset", "safe-edit"],
        &["--data-dir", &data],
    ] {
        assert_eq!(ready(flags)["tools"], reading, "{flags:?}");
    }
    fs::write(&config, "agent:\n  tools: [Read, Bash]\n").unwrap();
    let wanted = json!(["Read"]);
    assert_eq!(ready(&["--tool-preset", "no-bash"])["tools"], wanted);
    fs::remove_file(&config).unwrap();
    let parent = Parent::start(&bench, &UNASKED);
    parent.turn("bash touch one");
    assert!(project.join("one").exists());
    assert!(parent.stop()[0].get("tools").is_none());
}
