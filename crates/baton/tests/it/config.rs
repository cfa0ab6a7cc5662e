//! `baton config show`, and a configuration that is refused.

use std::os::unix::fs::PermissionsExt;

use baton_testkit::Sandbox;

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
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
}

#[test]
fn every_setting_and_variable_is_shown_with_its_origin_and_no_secret_is() {
    let bench = bench(&[("MY_API_KEY", "hush"), ("CLAUDECODE", "1")]);
    write(
        &bench,
        "agent:\n  model: sonnet\n  env: {A_TOKEN: hush, LANG: C}\n",
    );
    let shown = bench.baton(&["config", "show", "--json"]);
    shown.expect_success();
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
    assert_eq!(
        find("setting", "agent.demoPaceMs")["origin"],
        "BATON_AGENT_DEMO_PACE_MS"
    );
    assert_eq!(find("variable", "MY_API_KEY")["value"], "***");
    assert_eq!(find("variable", "LANG")["origin"], "agent.env");
    assert_eq!(
        find("leftOut", "CLAUDECODE")["reason"],
        "marks an enclosing agent"
    );
    let people = bench.baton(&["config", "show"]);
    people.expect_success();
    assert!(!people.stdout.contains("hush"), "{}", people.stdout);
    assert!(people.stdout.contains("agent.model"), "{}", people.stdout);
}

#[test]
fn a_configuration_that_is_wrong_is_refused_with_its_line() {
    let bench = bench(&[]);
    write(&bench, "agent:\n  modle: sonnet\n");
    let refused = bench.baton(&["config", "show"]);
    assert_eq!(refused.code(), Some(2));
    let told = "config.yaml:2: `agent.modle` is no setting; the nearest is `agent.model`";
    assert!(refused.stderr.contains(told), "{}", refused.stderr);
}
