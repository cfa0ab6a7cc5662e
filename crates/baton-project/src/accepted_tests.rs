use std::{fs, path::PathBuf};

use serde_json::{Value, json};
use tempfile::TempDir;

use super::{Accepted, Sources, accepted, instructions};

const ALL: Sources = Sources {
    project: true,
    local: true,
};

fn folder(files: &[(&str, &str)]) -> TempDir {
    let root = TempDir::new().unwrap();
    for (name, text) in files {
        let path = root.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    root
}

fn look(root: &TempDir, sources: Sources) -> Accepted {
    let folder = root.path().join("project");
    accepted(&folder, &root.path().join("home/.claude"), sources)
}

fn file(accepted: &Accepted, name: &str) -> String {
    let file = accepted.plugins.iter().find(|file| file.name == *name);
    String::from_utf8(file.unwrap().bytes.clone()).unwrap()
}

#[test]
fn settings_are_laid_over_each_other_and_widen_nothing() {
    let root = folder(&[
        (
            "project/.claude/settings.json",
            r#"{"env": {"A": "1", "B": "1"}, "permissions": {"allow": ["Bash"], "deny": ["Read"],
                "defaultMode": "bypassPermissions"}, "model": "x", "autoMode": {},
                "hooks": {"Stop": [1]}}"#,
        ),
        (
            "project/.claude/settings.local.json",
            r#"{"env": {"B": "2"}, "permissions": {"deny": ["Write"]}, "hooks": {"Stop": [2]}}"#,
        ),
    ]);
    let both = Value::Object(look(&root, ALL).settings);
    let expected = json!({"env": {"A": "1", "B": "2"}, "permissions": {"deny": ["Read", "Write"]},
        "model": "x", "hooks": {"Stop": [1, 2]}});
    assert_eq!(both, expected);
    let local = Sources {
        project: false,
        local: true,
    };
    let settings = Value::Object(look(&root, local).settings);
    assert_eq!(settings["env"], json!({"B": "2"}));
}

#[test]
fn servers_come_from_the_nearest_file_unless_they_are_disabled() {
    let root = folder(&[
        (
            ".mcp.json",
            r#"{"mcpServers": {"a": {"command": "far"}, "b": {"command": "far"}}}"#,
        ),
        (
            "project/.mcp.json",
            r#"{"mcpServers": {"a": {"command": "near"}, "c": {"command": "c"}}}"#,
        ),
        (
            "project/.claude/settings.json",
            r#"{"disabledMcpjsonServers": ["c"]}"#,
        ),
    ]);
    let servers = Value::Object(look(&root, ALL).servers);
    let wanted = json!({"a": {"command": "near"}, "b": {"command": "far"}});
    assert_eq!(servers, wanted);
}

#[test]
fn commands_and_skills_keep_the_names_they_are_called_by() {
    let root = folder(&[
        ("project/.claude/commands/plain.md", "Do it."),
        (
            "project/.claude/commands/deep/one.md",
            "---\ndescription: d\nname: other\n---\nBody\n",
        ),
        (
            "project/.claude/skills/s/SKILL.md",
            "---\ndescription: d\n---\nBody\n",
        ),
        ("project/.claude/skills/s/run.sh", "#!/bin/sh\n"),
        (".claude/skills/s/SKILL.md", "far"),
        (".claude/skills/s/far.md", "far"),
        ("project/.claude/agents/a.md", "---\nname: a\n---\nBody\n"),
        (
            "project/.claude/output-styles/p.md",
            "---\nname: Pirate\n---\nArr\n",
        ),
        (
            "project/.claude/settings.json",
            r#"{"outputStyle": "Pirate"}"#,
        ),
    ]);
    let all = look(&root, ALL);
    let wanted = "---\nname: \"plain\"\n---\nDo it.";
    assert_eq!(file(&all, "project/commands/plain.md"), wanted);
    let wanted = "---\ndescription: d\nname: other\n---\nBody\n";
    assert_eq!(file(&all, "deep/commands/one.md"), wanted);
    let wanted = "---\nname: \"s\"\ndescription: d\n---\nBody\n";
    assert_eq!(file(&all, "project/skills/s/SKILL.md"), wanted);
    let wanted = "---\nname: a\n---\nBody\n";
    assert_eq!(file(&all, "project/agents/a.md"), wanted);
    assert!(!all.plugins.iter().any(|file| file.name.ends_with("far.md")));
    assert_eq!(all.settings["outputStyle"], "project:Pirate");
}

#[test]
fn instructions_that_are_not_found_any_more_are_told() {
    let root = folder(&[
        ("CLAUDE.md", "From above."),
        ("project/CLAUDE.md", "Found by the CLI."),
        ("project/CLAUDE.local.md", "My own."),
        ("project/sub/CLAUDE.md", "Below."),
        ("project/node_modules/x/CLAUDE.md", "Foreign."),
    ]);
    let notes = look(&root, ALL).notes.unwrap();
    assert!(notes.contains("From above.") && notes.contains("My own."));
    assert!(notes.ends_with("\nsub/CLAUDE.md"), "{notes}");
    assert!(!notes.contains("Found by the CLI."));
    let project = root.path().join("project");
    // What lies above is not this test's.
    let own = |path: &PathBuf| path.is_relative() || path.starts_with(root.path());
    let named = |sources| {
        let all = instructions(&project, &root.path().join("none"), sources);
        all.into_iter().filter(own).collect::<Vec<_>>()
    };
    let all = ["CLAUDE.md", "CLAUDE.local.md"].map(PathBuf::from);
    let above = root.path().join("CLAUDE.md");
    let all: Vec<_> = all.into_iter().chain([above]).collect();
    assert_eq!(named(ALL), all);
    let none = Sources {
        project: false,
        local: false,
    };
    assert_eq!(look(&root, none), Accepted::default());
    assert!(named(none).is_empty());
}

#[test]
fn hooks_run_in_the_folder_that_was_accepted() {
    let root = folder(&[(
        "project/.claude/settings.json",
        r#"{"hooks": {"Stop": [{"hooks": [
            {"type": "command", "command": "sh s.sh"},
            {"type": "command", "command": "x", "shell": "powershell"},
            {"type": "prompt", "prompt": "sh s.sh"},
            {"type": "command", "command": "sh", "args": ["s.sh", "a b"]}]}]}}"#,
    )]);
    let settings = Value::Object(look(&root, ALL).settings);
    let hooks = &settings["hooks"]["Stop"][0]["hooks"];
    let place = root.path().join("project").display().to_string();
    let wanted = format!("cd '{place}' || exit 2\nsh s.sh");
    assert_eq!(hooks[0]["command"], wanted);
    let wanted = format!(
        "try {{ Set-Location -LiteralPath '{place}' -ErrorAction Stop }} catch {{ exit 2 }}\nx"
    );
    assert_eq!(hooks[1]["command"], wanted);
    assert_eq!(hooks[2], json!({"type": "prompt", "prompt": "sh s.sh"}));
    let first = format!("cd '{place}' || exit 2\nexec \"$0\" \"$@\"");
    let arguments = json!(["-c", first, "sh", "s.sh", "a b"]);
    let wanted = json!({"type": "command", "command": "/bin/sh", "args": arguments});
    assert_eq!(hooks[3], wanted);
}
