//! Variables that a session brings for its own agents.

use std::path::{Path, PathBuf};

use baton_testkit::{Sandbox, bin};

use crate::{Bench, kind};

fn bench() -> Bench {
    let sandbox = Sandbox::new()
        .with_env("TERM", "xterm")
        .with_env("SHELL", "/bin/sh");
    Bench::in_sandbox(sandbox)
}

/// The variables of the demo agents that run in this sandbox.
#[cfg(target_os = "linux")]
fn of_agents(bench: &Bench) -> Vec<Vec<String>> {
    let home = format!("HOME={}", bench.sandbox.home().display());
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    let agents = processes.filter_map(|process| {
        let split = |name: &str| -> Option<Vec<String>> {
            let bytes = std::fs::read(process.path().join(name)).ok()?;
            let text = String::from_utf8_lossy(&bytes).into_owned();
            Some(text.split('\0').map(str::to_owned).collect())
        };
        let environment = split("environ")?;
        let is_ours = environment.contains(&home);
        let is_agent = split("cmdline")?.iter().any(|word| word == "__demo");
        // Its holder names the agent's command line after its own words.
        let is_holder = split("cmdline")?.iter().any(|word| word == "__holder");
        (is_ours && is_agent && !is_holder).then_some(environment)
    });
    agents.collect()
}

fn files_with(folder: &Path, text: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let found = entries.flat_map(|entry| {
        let path = entry.path();
        if path.is_dir() {
            return files_with(&path, text);
        }
        let bytes = std::fs::read(&path).unwrap_or_default();
        let mut windows = bytes.windows(text.len());
        match windows.any(|window| window == text.as_bytes()) {
            true => vec![path],
            false => Vec::new(),
        }
    });
    found.collect()
}

#[cfg(target_os = "linux")]
#[test]
fn a_session_keeps_its_variables_and_shows_their_values_to_nobody() {
    let bench = bench();
    bench.ok(&["start"]);
    let program = bin("baton").display().to_string();
    let run = [
        "VIRTUAL_ENV=/venv-of-the-shell",
        &program,
        "run",
        "--agent",
        "demo",
        "--env",
        "VIRTUAL_ENV",
        "--env",
        "PASSPHRASE=a word=hush",
        "text",
    ];
    let run = bench.sandbox.run("env", run);
    run.expect_success();
    // What the agent was given is no difference.
    assert!(!run.stderr.contains("differs"), "{}", run.stderr);
    let given = ["VIRTUAL_ENV=/venv-of-the-shell", "PASSPHRASE=a word=hush"];
    let has_them = |agents: Vec<Vec<String>>| {
        assert_eq!(agents.len(), 1, "one agent runs");
        for variable in given {
            assert!(agents[0].iter().any(|one| one == variable), "{variable}");
        }
    };
    has_them(of_agents(&bench));
    // Its next process has them, whoever starts it.
    bench.stop();
    bench.ok(&["send", "last", "text", "--wait"]);
    has_them(of_agents(&bench));
    let kept = files_with(&bench.sandbox.data(), "hush");
    assert_eq!(kept.len(), 1, "{kept:?}");
    assert!(kept[0].starts_with(bench.sandbox.data().join("secrets")));
    let all = bench.baton(&["export", "last"]).stdout;
    assert!(!all.contains("venv-of-the-shell"), "{all}");
    let events = bench.export("last");
    let created = events.iter().find(|event| kind(event) == "session.created");
    let options = &created.unwrap()["payload"]["options"];
    assert_eq!(options["env"]["PASSPHRASE"], "•••");
    bench.stop();
}

#[test]
fn a_variable_that_the_shell_has_not_or_that_is_batons_is_refused() {
    let bench = bench();
    let run = |variable: &str| bench.baton(&["run", "--agent", "demo", "--env", variable, "text"]);
    let missing = run("NOT_THERE");
    assert_eq!(missing.code(), Some(2));
    missing.tells("no such variable");
    let own = run("CLAUDE_CONFIG_DIR=/elsewhere");
    assert_eq!(own.code(), Some(1));
    own.tells("agent.env");
    let none = bench.baton(&["sessions", "--json"]);
    assert_eq!(none.json_lines().len(), 0, "no session was made");
    bench.stop();
}
