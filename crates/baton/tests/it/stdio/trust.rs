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
            json!([{"kind": "instructions", "name": "CLAUDE.md", "file": "CLAUDE.md"}]);
        assert_eq!(trust["trusted"], false);
        assert_eq!(trust["leftOut"], instructions);
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
        assert_eq!(
            (&answered["trusted"], &answered["requestId"]),
            (&json!(true), &json!("c"))
        );
        assert!(answered.get("leftOut").is_none(), "{answered}");
        parent.turn("hello again");
        assert!(
            heard(&server),
            "{version:?}: it counts from the next message on"
        );
        let lines = parent.stop();
        let inits: Vec<&Value> = lines.iter().filter(|line| line["type"] == "init").collect();
        assert_eq!(inits[0]["trusted"], false);
        assert_eq!(inits[0]["leftOut"], instructions);
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
