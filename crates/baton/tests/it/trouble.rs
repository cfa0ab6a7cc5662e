//! Bad input and bad days: one clear sentence, what to do, the right exit code.

use baton_testkit::{Finished, LIMIT, Sandbox, Version, bin, claude_cli};
use expect_test::{Expect, expect};

use crate::{Bench, kind};

/// The words on stderr without what differs from run to run.
#[track_caller]
fn check(bench: &Bench, run: &Finished, code: i32, expected: &Expect) {
    let text = bench.sandbox.filter().text(&run.stderr);
    expected.assert_eq(&text);
    assert_eq!(run.code(), Some(code), "{}", run.stderr);
}

#[test]
fn a_claude_that_is_not_where_it_should_be() {
    let sandbox = Sandbox::new().with_env("BATON_AGENT_CLAUDE_PATH", "/nowhere/claude");
    let bench = Bench::in_sandbox(sandbox);
    let run = bench.fails(1, &["run", "hello"]);
    run.tells("error: claude is not at /nowhere/claude");
    run.tells("BATON_AGENT_CLAUDE_PATH");
    assert!(!run.stderr.contains("go on:"), "{}", run.stderr);
    let doctor = bench.fails(1, &["doctor"]);
    doctor.shows("problem  claude");
    // The message is kept, and said to be undelivered.
    let events = bench.export("last");
    assert!(events.iter().any(|event| kind(event) == "user.message"));
    assert!(
        events
            .iter()
            .all(|event| kind(event) != "message.delivered")
    );
}

#[test]
fn asking_for_claude_where_there_is_none() {
    let bench = Bench::new();
    let run = bench.fails(1, &["run", "--agent", "claude", "hello"]);
    run.tells("the claude program was not found");
    run.tells("npm install");
}

#[test]
fn a_path_that_is_no_program() {
    let bench = Bench::new();
    let file = bench.sandbox.project().join("not-a-program");
    std::fs::write(&file, "hello").unwrap();
    let sandbox = Sandbox::new().with_env("BATON_AGENT_CLAUDE_PATH", file.display().to_string());
    let other = Bench::in_sandbox(sandbox);
    let run = other.baton(&["run", "hello"]);
    assert_eq!(run.code(), Some(1));
    run.tells("may not be executed");
}

#[test]
fn a_claude_that_is_not_signed_in_says_how_to() {
    for version in Version::ALL {
        let claude = claude_cli(version).display().to_string();
        let sandbox = Sandbox::new()
            .without_env("ANTHROPIC_API_KEY")
            .with_env("BATON_AGENT_CLAUDE_PATH", claude);
        let bench = Bench::in_sandbox(sandbox);
        let run = bench.fails(1, &["run", "hello"]);
        run.tells("error: Claude Code is not signed in");
        run.tells("sign in with /login");
        let events = bench.export("last");
        let error = events.iter().find(|event| kind(event) == "error").unwrap();
        assert_eq!(error["payload"]["code"], "auth");
        let doctor = bench.baton(&["doctor"]);
        doctor.shows("problem  claude login");
    }
}

#[test]
fn sessions_and_folders_that_are_not_there() {
    let bench = Bench::new();
    check(
        &bench,
        &bench.baton(&["export", "last"]),
        1,
        &expect![[r#"
            baton: there are no sessions yet
              Start one with `baton run`.
        "#]],
    );
    check(
        &bench,
        &bench.baton(&["watch", "ses_00000000000000000000000000000001"]),
        1,
        &expect![[r#"
            baton: there is no session ses_[ID]
              `baton sessions` lists the sessions there are.
        "#]],
    );
    check(
        &bench,
        &bench.baton(&["export", "ses_00000000000000000000000000000001"]),
        1,
        &expect![[r#"
            baton: there is no session ses_[ID]
              `baton sessions` lists the sessions there are.
        "#]],
    );
    check(
        &bench,
        &bench.baton(&[
            "run",
            "--resume",
            "apr_00000000000000000000000000000001",
            "x",
        ]),
        1,
        &expect![[r#"
            baton: expected a session id such as `ses_…`, got `apr_[ID]`, which is an approval id
              `baton sessions` lists the sessions there are, and `last` is the newest.
        "#]],
    );
    check(
        &bench,
        &bench.baton(&[
            "run",
            "--agent",
            "demo",
            "--project",
            "/nowhere/at/all",
            "x",
        ]),
        1,
        &expect![[r#"
            baton: the folder /nowhere/at/all is not there
              Name a folder that exists with --project.
        "#]],
    );
    check(
        &bench,
        &bench.baton(&["run", "--agent", "demo", "  "]),
        2,
        &expect![[r#"
            baton: the prompt is empty
              Write a prompt.
        "#]],
    );
    let sessions = bench.baton(&["sessions", "--json"]);
    assert_eq!(sessions.stdout, "", "no session was made");
}

#[test]
fn what_is_too_much_or_not_for_an_agent_is_refused_at_the_door() {
    let bench = Bench::new();
    let file = |name: &str, bytes: &[u8]| {
        let path = bench.sandbox.project().join(name);
        std::fs::write(&path, bytes).unwrap();
        path.display().to_string()
    };
    let program = file("program", b"\x7fELF\xfe\xff\x00");
    check(
        &bench,
        &bench.baton(&["run", "--agent", "demo", "--attach", &program, "text"]),
        2,
        &expect![[r#"
            baton: program cannot be attached: it is neither text nor an image that agents can see
              Attach UTF-8 text, PNG, JPEG, GIF or WebP; the agent can read other files in the project itself.
        "#]],
    );
    let large = file("large.txt", &vec![b'x'; 20 * 1024 * 1024]);
    let three = ["--attach", &large, "--attach", &large, "--attach", &large];
    let args: Vec<&str> = ["run", "--agent", "demo"]
        .into_iter()
        .chain(three)
        .chain(["text"])
        .collect();
    check(
        &bench,
        &bench.baton(&args),
        2,
        &expect![[r#"
            baton: large-3.txt cannot be attached: the files are larger than 50 MB in all
              Attach at most 50 MB in all, or put the files into the project and name them.
        "#]],
    );
    let many = [["--attach", &program]; 11].concat();
    let args: Vec<&str> = ["run"].into_iter().chain(many).chain(["text"]).collect();
    check(
        &bench,
        &bench.baton(&args),
        2,
        &expect![[r#"
            baton: 11 files cannot be attached to one message
              Attach at most 10 files.
        "#]],
    );
    let long = "x".repeat(10 * 1024 * 1024 + 1);
    let args = ["run", "--agent", "demo", "-"];
    let run = bench
        .sandbox
        .run_with_input(bin("baton"), args, &long, LIMIT);
    check(
        &bench,
        &run,
        2,
        &expect![[r#"
            baton: the prompt is larger than 10 MB
              Shorten it to at most 10 MB, or name a file in the project instead.
        "#]],
    );
}

#[test]
fn wrong_usage_is_exit_code_two() {
    let bench = Bench::new();
    for args in [
        &["frobnicate"][..],
        &["run"],
        &["run", "--agent", "nobody", "x"],
        &["run", "--permission-mode", "yolo", "x"],
        &["run", "--agent", "demo", "--permission-mode", "plan", "x"],
        &["run", "--attach", "/nowhere", "x"],
        &["run", "--agent", "demo", "--model", "opus", "x"],
        &["run", "--agent", "demo", "--setting-sources", "user", "x"],
        &["run", "--agent", "claude", "--setting-sources", "all", "x"],
        &["run", "--resume", "last", "--model", "opus", "x"],
        &["export"],
        &["sessions", "--limit", "0"],
    ] {
        let run = bench.baton(args);
        assert_eq!(run.code(), Some(2), "{args:?}: {}", run.stderr);
        assert!(!run.stderr.trim().is_empty());
    }
    // Its help alone would say what it does, behind the word "error".
    for group in ["pin", "token", "service", "config"] {
        let run = bench.baton(&[group]);
        assert_eq!(run.code(), Some(2), "{group}: {}", run.stderr);
        run.tells("error: a command is missing\n");
        run.tells(&format!("Usage: baton {group} "));
    }
    assert_eq!(bench.baton(&["--help"]).code(), Some(0));
    assert_eq!(bench.baton(&["run", "--help"]).code(), Some(0));
}

#[test]
fn a_damaged_log_is_told_and_left_alone() {
    let bench = Bench::new();
    bench.ok(&["run", "--agent", "demo", "text"]);
    bench.stop();
    let path = bench.sandbox.data().join("baton.db");
    let damaged = b"this is not a database at all, but it was once one".repeat(100);
    std::fs::write(&path, &damaged).unwrap();
    for args in [
        &["sessions"][..],
        &["run", "--agent", "demo", "text"],
        &["export", "last"],
    ] {
        let run = bench.baton(args);
        check(
            &bench,
            &run,
            1,
            &expect![[r#"
                baton: [DATA]/baton.db is not an event log of Baton: file is not a database
                  Restore it from a backup, or begin a new log in another folder with --data-dir.
            "#]],
        );
    }
    assert_eq!(
        std::fs::read(&path).unwrap(),
        damaged,
        "nothing was overwritten"
    );
    assert_eq!(bench.baton(&["doctor"]).code(), Some(1));
}

/// Runs a script in a mount namespace of its own, where it may mount.
#[track_caller]
fn with_mounts(bench: &Bench, script: &str) -> Finished {
    let flags = if rustix::process::getuid().is_root() {
        "-m"
    } else {
        "-rm"
    };
    let baton = bin("baton").display().to_string();
    let sandbox = &bench.sandbox;
    sandbox.run_with_input("unshare", [flags, "sh", "-c", script, &baton], "", LIMIT)
}

#[test]
fn a_full_disk_loses_nothing_and_says_so() {
    let bench = Bench::new();
    let script = r#"
        mount -t tmpfs -o size=2m none "$BATON_DATA_DIR" || exit 90
        "$0" run --agent demo text >/dev/null 2>&1 || exit 91
        "$0" export last > "$HOME/before" || exit 92
        dd if=/dev/zero of="$BATON_DATA_DIR/filler" bs=4k >/dev/null 2>&1
        "$0" run --agent demo "tools text"
        code=$?
        rm "$BATON_DATA_DIR/filler"
        "$0" export "$(head -1 "$HOME/before" | sed 's/.*"sessionId":"\([^"]*\)".*/\1/')" > "$HOME/after" || exit 93
        cmp "$HOME/before" "$HOME/after" || exit 94
        "$0" run --agent demo text >/dev/null 2>&1 || exit 95
        exit $code
    "#;
    let run = with_mounts(&bench, script);
    assert_eq!(run.code(), Some(1), "{}{}", run.stdout, run.stderr);
    let told = run.stderr.to_lowercase();
    assert!(
        told.contains("no space left") || told.contains("space"),
        "{}",
        run.stderr
    );
    assert!(
        run.stderr.contains("Free some space") || told.contains("free disk space"),
        "{}",
        run.stderr
    );
}

/// Whether the daemon before was ended or killed: with no block left on the
/// disk one starts, shows what there is, ends sessions and refuses turns.
#[test]
fn a_daemon_starts_on_a_full_disk_to_read_and_to_stop() {
    for end in ["\"$0\" stop", "kill -9 $(cat \"$BATON_DATA_DIR/lock\")"] {
        let bench = Bench::new();
        let script = format!(
            r#"
            mount -t tmpfs -o size=4m none "$BATON_DATA_DIR" || exit 90
            "$0" run --agent demo text >/dev/null 2>&1 || exit 91
            {end}
            dd if=/dev/zero of="$BATON_DATA_DIR/filler" bs=4k >/dev/null 2>&1
            "$0" start || exit 92
            test -s "$BATON_DATA_DIR/daemon.json" || exit 93
            "$0" export last | tail -1 | grep -q idle || exit 94
            "$0" run --agent demo text && exit 95
            "$0" run --resume last text && exit 96
            "$0" doctor > "$HOME/doctor" && exit 101
            grep -q "problem  data folder  no space left on the disk" "$HOME/doctor" || exit 102
            "$0" end last || exit 97
            "$0" sessions --json | grep -q '"state":"ended"' || exit 98
            rm "$BATON_DATA_DIR/filler"
            "$0" run --agent demo text >/dev/null 2>&1 || exit 99
            test -s "$BATON_DATA_DIR/spare" || exit 100
            "$0" doctor | grep -q "ok       data folder" || exit 103
        "#
        );
        let run = with_mounts(&bench, &script);
        assert_eq!(run.code(), Some(0), "{end}: {}{}", run.stdout, run.stderr);
        let told = "no space left on the disk of the event log";
        assert_eq!(run.stderr.matches(told).count(), 2, "{}", run.stderr);
        run.tells("Free some space");
    }
}

#[test]
fn a_read_only_folder_is_told() {
    let bench = Bench::new();
    bench.ok(&["run", "--agent", "demo", "text"]);
    bench.stop();
    let script = r#"
        mount --bind "$BATON_DATA_DIR" "$BATON_DATA_DIR" || exit 90
        mount -o remount,ro,bind "$BATON_DATA_DIR" || exit 91
        exec "$0" run --agent demo text
    "#;
    let run = with_mounts(&bench, script);
    assert_eq!(run.code(), Some(1), "{}{}", run.stdout, run.stderr);
    run.tells("Read-only file system");
    run.tells("--data-dir");
}

#[test]
fn a_reader_that_leaves_is_told_that_the_session_goes_on() {
    let bench = Bench::new();
    // The turn waits for an answer that comes when the reader has left: however
    // busy the machine is, there is something to be written after that.
    let script = r#"
        mkfifo lines
        "$0" run --json --approvals wait --agent demo approval >lines &
        head -1 <lines >/dev/null
        until "$0" approve last >/dev/null 2>&1; do sleep 0.1; done
        wait $!
        echo "code $?"
    "#;
    let baton = bin("baton").display().to_string();
    let run = bench.sandbox.run("bash", ["-c", script, &baton]);
    assert_eq!(run.stdout, "code 1\n");
    let told = "the session goes on in the background: ";
    assert!(run.stderr.starts_with(told), "{}", run.stderr);
    assert_eq!(run.stderr.lines().count(), 1, "{}", run.stderr);
    let sessions = bench.baton(&["sessions", "--json"]).json_lines();
    let state = sessions[0]["state"].as_str().unwrap();
    // On a busy machine it may be through already.
    assert!(
        ["starting", "processing", "waiting", "idle"].contains(&state),
        "{state}"
    );
}
