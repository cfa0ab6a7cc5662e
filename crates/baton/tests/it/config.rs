//! `baton config show`, and a configuration that is refused.

use std::os::unix::fs::PermissionsExt;

use baton_testkit::{Finished, Sandbox, bin};

use crate::Bench;

/// In a terminal's environment, so that no login shell is asked.
fn bench(env: &[(&str, &str)]) -> Bench {
    let mut sandbox = Sandbox::new()
        .with_env("TERM", "xterm")
        .with_env("SHELL", "/bin/sh");
    for (name, value) in env {
        sandbox = sandbox.with_env(name, (*value).to_owned());
    }
    Bench::in_sandbox(sandbox)
}

fn write(bench: &Bench, text: &str) {
    let path = bench.sandbox.data().join("config.yaml");
    std::fs::create_dir_all(bench.sandbox.data()).unwrap();
    std::fs::write(&path, text).unwrap();
    let private = |path, mode| {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    };
    private(path, 0o600);
    private(bench.sandbox.data(), 0o700);
}

#[test]
fn every_setting_and_variable_is_shown_with_its_origin_and_no_secret_is() {
    let bench = bench(&[("MY_API_KEY", "hush"), ("CLAUDECODE", "1")]);
    write(
        &bench,
        "agent:\n  model: sonnet\n  env: {A_TOKEN: hush, LANG: C}\n",
    );
    let shown = bench.ok(&["config", "show", "--json"]);
    assert!(!shown.stdout.contains("hush"), "{}", shown.stdout);
    let lines = shown.json_lines();
    let find = |kind: &str, name: &str| {
        let line = lines.iter().find(|line| line[kind] == name);
        line.unwrap_or_else(|| panic!("{name} is shown"))
    };
    let model = find("setting", "agent.model");
    assert_eq!(model["value"], "sonnet");
    let origin = model["origin"].as_str().unwrap();
    assert!(origin.ends_with("config.yaml:2"), "{origin}");
    let wanted = "BATON_AGENT_DEMO_PACE_MS";
    assert_eq!(find("setting", "agent.demoPaceMs")["origin"], wanted);
    assert_eq!(find("variable", "MY_API_KEY")["value"], "***");
    assert_eq!(find("variable", "LANG")["origin"], "agent.env");
    let wanted = "marks an enclosing agent";
    assert_eq!(find("leftOut", "CLAUDECODE")["reason"], wanted);
    let people = bench.ok(&["config", "show"]);
    assert!(!people.stdout.contains("hush"), "{}", people.stdout);
    people.shows("agent.model");
}

#[test]
fn a_configuration_that_is_wrong_is_refused_with_its_line() {
    let bench = bench(&[]);
    write(&bench, "agent:\n  modle: sonnet\n");
    let refused = bench.fails(2, &["config", "show"]);
    let told = "config.yaml:2: `agent.modle` is no setting; the nearest is `agent.model`";
    refused.tells(told);
}

/// Runs `baton` from a shell that has these variables beside the daemon's.
#[track_caller]
fn from_shell(bench: &Bench, variables: &[&str], args: &[&str]) -> Finished {
    let program = bin("baton").display().to_string();
    let all = variables.iter().copied().chain([program.as_str()]);
    let all: Vec<&str> = all.chain(args.iter().copied()).collect();
    bench.sandbox.run("env", all)
}

#[test]
fn a_running_daemons_values_are_shown_and_not_the_callers() {
    let bench = bench(&[("KEPT", "of the daemon")]);
    write(&bench, "agent:\n  model: sonnet\n");
    let before = bench.baton(&["config", "show"]);
    let part = "No daemon runs";
    assert!(before.stdout.starts_with(part), "{}", before.stdout);
    bench.ok(&["start"]);
    let shell = [
        "MYVAR=hello",
        "KEPT=of the shell",
        "A_TOKEN=hush",
        "BATON_AGENT_MAX_TURNS=7",
    ];
    let shown = from_shell(&bench, &shell, &["config", "show", "--json"]);
    shown.expect_success();
    assert!(!shown.stdout.contains("hush"), "{}", shown.stdout);
    let lines = shown.json_lines();
    assert_eq!(lines[0]["of"], "daemon");
    assert_eq!(lines[0]["pid"], bench.daemon());
    let find = |kind: &str, name: &str| lines.iter().find(|line| line[kind] == name);
    let turns = find("setting", "agent.maxTurns").unwrap();
    assert_eq!(turns["value"], serde_json::Value::Null, "the daemon's");
    assert_eq!(find("setting", "agent.model").unwrap()["value"], "sonnet");
    assert_eq!(find("variable", "MYVAR"), None, "agents do not get it");
    assert_eq!(find("variable", "KEPT").unwrap()["value"], "of the daemon");
    let restart = &lines
        .iter()
        .find(|line| !line["restart"].is_null())
        .unwrap()["restart"];
    assert_eq!(restart["settings"][0]["setting"], "agent.maxTurns");
    assert_eq!(restart["settings"][0]["value"], 7);
    let variables = restart["variables"].as_array().unwrap();
    let change = |name: &str| {
        let found = variables.iter().find(|one| one["variable"] == name);
        found.unwrap_or_else(|| panic!("{name} is told: {restart}"))["change"].clone()
    };
    assert_eq!(change("MYVAR"), "missing");
    assert_eq!(change("KEPT"), "other");
    assert_eq!(change("A_TOKEN"), "missing");

    let people = from_shell(&bench, &shell, &["config", "show"]);
    for words in [
        "Settings of the daemon",
        "Your shell differs",
        "your shell has it, the daemon started without it",
        "BATON_AGENT_MAX_TURNS",
        "restart` takes over",
    ] {
        assert!(people.stdout.contains(words), "{words}: {}", people.stdout);
    }
    // The restart does what was said of it, and then nothing differs.
    from_shell(&bench, &shell, &["restart"]).expect_success();
    let lines = from_shell(&bench, &shell, &["config", "show", "--json"]).json_lines();
    let find = |kind: &str, name: &str| lines.iter().find(|line| line[kind] == name);
    assert_eq!(find("variable", "MYVAR").unwrap()["value"], "hello");
    assert_eq!(find("setting", "agent.maxTurns").unwrap()["value"], 7);
    let people = from_shell(&bench, &shell, &["config", "show"]);
    assert!(!people.stdout.contains("differs"), "{}", people.stdout);
    bench.stop();
}

#[test]
fn status_and_doctor_tell_what_the_daemon_finds_and_where_the_shell_differs() {
    let bench = bench(&[]);
    let alone = bench.baton(&["doctor"]);
    alone.shows("this shell");
    bench.ok(&["start"]);
    let (status, doctor) = (bench.baton(&["status"]), bench.baton(&["doctor"]));
    assert!(!status.stdout.contains("differs"), "{}", status.stdout);
    assert!(!doctor.stdout.contains("differs"), "{}", doctor.stdout);
    let seen = format!("the daemon (process {})", bench.daemon());
    doctor.shows(&seen);
    // A claude that only this shell would find is none that agents get.
    let claude = bin("fake-claude").display().to_string();
    let claude = format!("BATON_AGENT_CLAUDE_PATH={claude}");
    let shell = [claude.as_str(), "VIRTUAL_ENV=/somewhere"];
    let doctor = from_shell(&bench, &shell, &["doctor"]).stdout;
    assert!(doctor.contains("not found on PATH"), "{doctor}");
    for told in [from_shell(&bench, &shell, &["status"]).stdout, doctor] {
        assert!(told.contains("agent.claudePath, VIRTUAL_ENV"), "{told}");
        assert!(told.contains("restart` takes it over"), "{told}");
    }
    bench.stop();
}

#[test]
fn a_run_says_that_the_agent_does_not_have_the_shells_programs() {
    let bench = bench(&[]);
    let run = ["run", "--agent", "demo", "text"];
    let same = bench.ok(&run);
    assert!(!same.stderr.contains("environment"), "{}", same.stderr);
    let path = bench
        .sandbox
        .run("sh", ["-c", "printf %s \"$PATH\""])
        .stdout;
    let path = format!("PATH=/venv/bin:{}", path.trim());
    let shell = [path.as_str(), "VIRTUAL_ENV=/venv", "COLORTERM=truecolor"];
    let other = from_shell(&bench, &shell, &run);
    other.expect_success();
    let told = "differs from your shell's in PATH (without /venv/bin), VIRTUAL_ENV: ";
    other.tells(told);
    other.tells("restart`");
    bench.stop();
}
