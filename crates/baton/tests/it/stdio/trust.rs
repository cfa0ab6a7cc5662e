//! What of a folder is left out before it is trusted, and ways to trust it.

use std::fs;

use baton_testkit::{
    Sandbox, Version, claude_cli,
    model::{ModelServer, Script},
};
use serde_json::{Value, json};

use super::{Parent, fake, names, only};
use crate::Bench;

/// A real CLI in a folder with instructions, a hook and nothing else.
fn bench(version: Version) -> (Bench, ModelServer) {
    let server = ModelServer::start(Script::directed());
    let claude = claude_cli(version).display().to_string();
    let sandbox = Sandbox::new().with_model(&server);
    let bench = Bench::in_sandbox(sandbox).with("BATON_AGENT_CLAUDE_PATH", &claude);
    fs::write(
        bench.sandbox.project().join("CLAUDE.md"),
        "Remember the word xylophone.",
    )
    .unwrap();
    (bench, server)
}

fn heard(server: &ModelServer) -> bool {
    server
        .requests()
        .iter()
        .any(|request| request.body.to_string().contains("xylophone"))
}

#[test]
fn what_is_left_out_is_said_and_a_flag_or_a_message_takes_it_in() {
    for version in Version::ALL {
        let (bench, server) = bench(version);
        let sources = ["--setting-sources", "user,project,local"];
        let parent = Parent::start(&bench, &sources);
        let trust = parent.wait("folder_trust");
        let instructions =
            json!({"kind": "instructions", "name": "CLAUDE.md", "file": "CLAUDE.md"});
        assert_eq!(trust["trusted"], false);
        assert_eq!(trust["leftOut"][0], instructions);
        assert!(
            trust["reason"].as_str().unwrap().contains("trust_folder"),
            "{trust}"
        );
        parent.turn("hello");
        assert!(!heard(&server), "{version:?}: nobody has accepted it");

        // Nothing is accepted that was not shown.
        parent.send(&json!({"type": "trust_folder", "accept": true, "requestId": "a"}));
        assert_eq!(parent.wait("error")["requestId"], "a");
        parent.send(
            &json!({"type": "trust_folder", "accept": true, "digest": "x", "requestId": "b"}),
        );
        assert_eq!(parent.wait("error")["requestId"], "b");
        let digest = &trust["digest"];
        parent.send(
            &json!({"type": "trust_folder", "accept": true, "digest": digest, "requestId": "c"}),
        );
        let answered = parent.wait("folder_trust");
        assert_eq!(answered["trusted"], true);
        assert_eq!(answered["requestId"], "c");
        assert!(answered.get("leftOut").is_none(), "{answered}");
        parent.turn("hello again");
        assert!(
            heard(&server),
            "{version:?}: it counts from the next message on"
        );
        let lines = parent.stop();
        let inits: Vec<&Value> = lines.iter().filter(|line| line["type"] == "init").collect();
        assert_eq!(inits[0]["trusted"], false);
        assert_eq!(inits[0]["leftOut"][0], instructions);
        assert_eq!(inits[inits.len() - 1]["trusted"], true);

        // That was about one conversation; the flag is about another.
        let (bench, server) = self::bench(version);
        let parent = Parent::start(&bench, &["--trust-folder"]);
        parent.turn("hello");
        assert!(heard(&server), "{version:?}: the parent vouches for it");
        let lines = parent.stop();
        assert_eq!(only(&lines, "init")["trusted"], true);
        assert!(
            !names(&lines).contains(&"folder_trust"),
            "nothing is left out"
        );
    }
}

#[test]
fn what_the_flags_leave_out_is_no_matter_of_trust() {
    let bench = fake();
    fs::write(bench.sandbox.project().join("CLAUDE.md"), "text").unwrap();
    let parent = Parent::start(&bench, &["--setting-sources", "user"]);
    assert!(!names(&parent.stop()).contains(&"folder_trust"));
}

/// Talks until the folder's trust is told by itself, and gives what `init` says
/// of it then.
fn until_told(parent: &Parent<'_>) -> Value {
    let told = |lines: &[Value]| {
        names(lines)
            .iter()
            .filter(|n| **n == "folder_trust")
            .count()
    };
    let before = told(&parent.baton.stdout().json());
    for _ in 0..1_000 {
        parent.turn("hello");
        let lines = parent.baton.stdout().json();
        if told(&lines) > before {
            let last = |name| lines.iter().rfind(|line| line["type"] == name).unwrap();
            let (told, init) = (last("folder_trust"), last("init"));
            assert_eq!(told["trusted"], init["trusted"]);
            assert_eq!(told.get("leftOut"), init.get("leftOut"));
            return init.clone();
        }
    }
    panic!("it is never told");
}

#[test]
fn trust_that_changes_meanwhile_is_told_with_the_process_it_counts_for() {
    let bench = fake();
    let above = bench.sandbox.root().join("CLAUDE.md");
    fs::write(&above, "From above.").unwrap();
    let parent = Parent::start(&bench, &[]);
    let left_out = &parent.wait("folder_trust")["leftOut"];
    let above = above.canonicalize().unwrap();
    assert_eq!(left_out[0]["file"], above.to_str().unwrap(), "{left_out}");

    bench.ok(&["trust", "--accept"]);
    let init = until_told(&parent);
    assert_eq!(init["trusted"], true);
    assert!(init.get("leftOut").is_none(), "{init}");

    let servers = json!({"mcpServers": {"theirs": {"command": "true"}}});
    let file = bench.sandbox.project().join(".mcp.json");
    fs::write(file, servers.to_string()).unwrap();
    let init = until_told(&parent);
    assert_eq!(init["trusted"], false);
    let theirs = |list: &Value| {
        let list = list.as_array().unwrap();
        list.iter().find(|one| one["name"] == "theirs").cloned()
    };
    assert!(theirs(&init["leftOut"]).is_some(), "{init}");
    let server = theirs(&init["mcpServers"]).unwrap();
    assert_eq!(server["status"], "untrusted");
    parent.stop();
    bench.stop();
}
