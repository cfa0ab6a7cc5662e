//! The example of an embedder, checked by the compiler and run.

use baton_testkit::{Version, bin, client_dir, repo_root};

use super::{fake, real::real};
use crate::Bench;

/// The example as the compiler makes it.
fn compiled(bench: &Bench) -> String {
    let source = repo_root().join("examples/embed-ts");
    let build = bench.sandbox.root().join("build");
    std::fs::create_dir(&build).unwrap();
    std::fs::copy(source.join("package.json"), build.join("package.json")).unwrap();
    let compiler = client_dir("typescript").join("node_modules");
    let compiled = bench.sandbox.run(
        "node",
        [
            compiler.join("typescript/bin/tsc").display().to_string(),
            "-p".into(),
            source.display().to_string(),
            "--outDir".into(),
            build.display().to_string(),
            "--typeRoots".into(),
            compiler.join("@types").display().to_string(),
        ],
    );
    assert_eq!(
        compiled.code(),
        Some(0),
        "{}{}",
        compiled.stdout,
        compiled.stderr
    );
    build.join("main.js").display().to_string()
}

#[test]
fn the_example_waits_for_work_in_the_background() {
    let (bench, _server) = real(Version::V325);
    let main = compiled(&bench);
    let baton = bin("baton").display().to_string();
    let prompt = "BGAGENT[TOK[2] SLOW[50]]";
    let done = bench.sandbox.run("node", [main.as_str(), &baton, prompt]);
    done.expect_success();
    for part in ["turn 1: end", "turn 2: end", "shutdown: stop"] {
        assert!(done.stdout.contains(part), "{part} in {}", done.stdout);
    }
}

#[test]
fn the_example_in_typescript_is_sound_and_holds_a_conversation() {
    let bench = fake();
    let main = compiled(&bench);
    let baton = bin("baton").display().to_string();
    // Node's reader of lines ends one at U+2028, too.
    let prompt = "question Which colour?|Red|Blue\nbash touch file\nsay bye\u{2028}bye";
    let done = bench.sandbox.run("node", [main.as_str(), &baton, prompt]);
    done.expect_success();
    for part in [
        "ready: claude",
        r#"answers {"Which colour?":"Red"}"#,
        "deny Bash",
        "✗ Bash",
        "turn 1: end",
        "shutdown: stop",
    ] {
        assert!(done.stdout.contains(part), "{part} in {}", done.stdout);
    }
    done.shows("bye\u{2028}bye");
    assert!(!bench.sandbox.project().join("file").exists());
    let failed = bench.sandbox.run("node", [main.as_str(), "/nowhere/baton"]);
    assert_eq!(failed.code(), Some(1));
    failed.tells("/nowhere/baton cannot be started");
}
