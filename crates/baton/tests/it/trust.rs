//! `baton trust`: what a folder would run, shown and answered.

use serde_json::json;

use crate::Bench;

/// Gives the project a hook of its own.
pub(crate) fn settings(bench: &Bench, command: &str) {
    let folder = bench.sandbox.project().join(".claude");
    std::fs::create_dir_all(&folder).unwrap();
    let hook = json!({"hooks": {"Stop": [{"hooks": [{"type": "command", "command": command}]}]},
        "env": {"COLOUR": "green"}});
    std::fs::write(folder.join("settings.json"), hook.to_string()).unwrap();
}

#[test]
fn what_would_run_is_shown_accepted_and_asked_about_again() {
    let bench = Bench::new();
    let empty = bench.ok(&["trust"]);
    empty.shows("would run by itself.");
    settings(&bench, "echo a\u{1b}[2Jb");
    let shown = bench.ok(&["trust"]);
    for part in [
        "Hooks: ",
        "Stop",
        "echo a\\u{1b}[2Jb",
        ".claude/settings.json",
        "Environment: ",
        "COLOUR",
        "CLAUDE.md",
        "--accept or --refuse",
    ] {
        assert!(shown.stdout.contains(part), "{part}\n{}", shown.stdout);
    }
    let accepted = bench.ok(&["trust", "--accept"]);
    assert!(
        accepted.stdout.contains("COLOUR"),
        "shown first: {}",
        accepted.stdout
    );
    accepted.shows("is trusted, until");
    let project = bench.sandbox.project().display().to_string();
    let lines = bench.baton(&["trust", &project, "--json"]).json_lines();
    assert_eq!((lines.len(), &lines[0]["trusted"]), (1, &json!(true)));
    settings(&bench, "echo other");
    let changed = bench.baton(&["trust"]);
    changed.shows("It has changed since");
    let refused = bench.baton(&["trust", "--refuse", "--json"]).json_lines();
    assert_eq!((refused.len(), &refused[1]["trusted"]), (2, &json!(false)));
    let nowhere = bench.fails(1, &["trust", "/nowhere"]);
    nowhere.tells("/nowhere is not there");
}

#[test]
fn what_runs_by_itself_is_shown_first_with_the_reason() {
    let bench = Bench::new();
    settings(&bench, "touch x");
    let agents = bench.sandbox.project().join(".claude/agents");
    std::fs::create_dir_all(&agents).unwrap();
    for (name, mode) in [("calm", "plan"), ("wild", "bypassPermissions")] {
        let text = format!("---\nname: {name}\npermissionMode: {mode}\ntools: Bash\n---\nhi");
        std::fs::write(agents.join(format!("{name}.md")), text).unwrap();
    }
    let shown = bench.ok(&["trust"]);
    let place = |part: &str| {
        let found = shown.stdout.find(part);
        found.unwrap_or_else(|| panic!("{part}\n{}", shown.stdout))
    };
    let order = [
        "2 of these run by themselves or let the agent act unasked:",
        "touch x",
        "! Runs by itself",
        "wild.md  permissionMode: bypassPermissions; tools: Bash",
        "! Chooses the mode bypassPermissions",
        "The others:",
        "COLOUR",
        "calm.md  permissionMode: plan",
    ];
    let places: Vec<usize> = order.into_iter().map(place).collect();
    assert!(places.is_sorted(), "{places:?}\n{}", shown.stdout);
}

#[test]
fn what_a_folder_allows_is_shown_as_what_it_is() {
    let bench = Bench::new();
    let folder = bench.sandbox.project().join(".claude");
    std::fs::create_dir_all(&folder).unwrap();
    let settings = json!({"permissions": {
        "allow": ["Bash"], "deny": ["Bash(rm:*)"], "defaultMode": "acceptEdits",
    }});
    std::fs::write(folder.join("settings.json"), settings.to_string()).unwrap();
    let shown = bench.baton(&["trust"]).stdout;
    let line = |name: &str| {
        let mut lines = shown.lines().map(str::trim_start);
        lines
            .find(|line| line.starts_with(name))
            .unwrap_or_default()
            .to_owned()
    };
    assert!(
        line("allow").contains("(does not count; `baton rules import` offers it)"),
        "{shown}"
    );
    assert!(line("defaultMode").contains("does not count"), "{shown}");
    assert!(!line("deny").contains("does not count"), "{shown}");
    assert!(!shown.contains("without asking"), "{shown}");
    assert!(!shown.contains("act unasked"), "{shown}");
    bench.stop();
}
