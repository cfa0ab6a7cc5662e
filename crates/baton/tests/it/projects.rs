//! Projects, search, usage and backup from the terminal.

use std::{fs, path::Path};

use baton_testkit::{Finished, Sandbox, bin};
use serde_json::Value;

use crate::{Bench, web::send};

fn error(stderr: &str) -> Value {
    let line = stderr.lines().last().unwrap();
    let told: Value = serde_json::from_str(line).unwrap();
    told["error"].clone()
}

#[test]
fn folders_are_added_listed_and_removed() {
    let bench = Bench::in_sandbox(Sandbox::new().with_git());
    let empty = bench.baton(&["projects"]);
    empty.shows("No projects yet");
    let added = bench.baton(&["add", "--title", "The \u{1b}[31mshop"]);
    added.expect_success();
    assert!(added.stdout.starts_with("project  /"), "{}", added.stdout);
    let listed = bench.baton(&["projects"]);
    listed.shows("main");
    assert!(!listed.stdout.contains('\u{1b}'), "{}", listed.stdout);
    let rows = bench.baton(&["projects", "--json"]).json_lines();
    assert_eq!(rows.len(), 1);
    assert_eq!(rows[0]["slug"], "project");
    assert_eq!(rows[0]["gitBranch"], "main");
    bench.ok(&["remove", "."]);
    assert!(bench.sandbox.project().is_dir());
    assert!(bench.baton(&["projects", "--json"]).json_lines().is_empty());
    let gone = bench.fails(1, &["remove", "project", "--json"]);
    assert_eq!(error(&gone.stderr)["code"], "not_found");
    let missing = bench.fails(1, &["add", "/does/not/exist"]);
    missing.tells("is not there");
    bench.stop();
}

/// Runs `baton` in a folder of the sandbox.
#[track_caller]
fn within(bench: &Bench, folder: &Path, args: &[&str]) -> Finished {
    let program = bin("baton").display().to_string();
    let script = r#"cd "$1" && shift && exec "$@""#;
    let folder = folder.display().to_string();
    let all = ["-c", script, "sh", &folder, &program];
    let all = all.into_iter().chain(args.iter().copied());
    bench.sandbox.run("sh", all)
}

#[test]
fn a_folder_of_a_repository_that_is_a_project_is_a_part_of_it() {
    let bench = Bench::in_sandbox(Sandbox::new().with_git());
    let project = bench.sandbox.project();
    let below = project.join("src/deep");
    fs::create_dir_all(&below).unwrap();
    bench.ok(&["add"]);
    let run = ["run", "--agent", "demo", "text"];
    let ran = within(&bench, &below, &run);
    ran.expect_success();
    let part = "in project project (";
    assert!(ran.stderr.contains(part), "{}", ran.stderr);
    let slugs = || -> Vec<String> {
        let rows = bench.baton(&["projects", "--json"]).json_lines();
        let slugs = rows
            .iter()
            .map(|row| row["slug"].as_str().unwrap().to_owned());
        slugs.collect()
    };
    assert_eq!(slugs(), ["project"]);
    let created = bench.export("last")[0]["payload"].clone();
    assert_eq!(created["cwd"], below.display().to_string());
    assert_eq!(created["project"], project.display().to_string());
    let here = project.display().to_string();
    let listed = ["sessions", "--json", "--project", &here];
    assert_eq!(bench.baton(&listed).json_lines().len(), 1);
    let deep = below.display().to_string();
    let shown = bench.baton(&["sessions", "--project", &deep]).stdout;
    let row = shown.lines().nth(1).unwrap();
    assert!(row.contains(" project "), "{shown}");
    assert!(!row.contains(" deep "), "{shown}");
    // A rule that is made there is the project's, and holds for the session.
    let rule = [
        "rules",
        "add",
        "Bash(ls:*)",
        "--decision",
        "allow",
        "--scope",
        "project",
        "--json",
    ];
    let rule = within(&bench, &below, &rule).json_lines();
    let listed = &bench.baton(&["projects", "--json"]).json_lines()[0];
    assert_eq!(rule[0]["scopeId"], listed["id"]);
    assert_eq!(bench.export("last")[0]["projectId"], listed["id"]);
    // No agent begins outside the project that it is said to be in.
    let token = fs::read_to_string(bench.sandbox.data().join("token")).unwrap();
    let home = bench.sandbox.home();
    let body = serde_json::json!({"cwd": home, "agent": "demo"}).to_string();
    let head = "POST /api/v1/projects/project/sessions";
    let (status, told) = send(&bench, head, Some(token.trim()), &body);
    assert!(status.contains("400"), "{status} {told}");
    assert!(told.contains("not within the project"), "{told}");
    // A repository inside is another one, and a folder that is named is meant.
    let inner = project.join("vendor/lib");
    fs::create_dir_all(&inner).unwrap();
    within(&bench, &inner, &["status"]).expect_success();
    let script = r#"cd "$1" && git init --quiet"#;
    let folder = inner.display().to_string();
    bench
        .sandbox
        .run("sh", ["-c", script, "sh", &folder])
        .expect_success();
    within(&bench, &inner, &run).expect_success();
    within(
        &bench,
        &below,
        &["run", "--agent", "demo", "--project", ".", "text"],
    )
    .expect_success();
    let mut all = slugs();
    all.sort();
    assert_eq!(all, ["deep", "lib", "project"]);
    bench.stop();
}

#[test]
fn roots_and_excludes_come_from_the_settings() {
    let sandbox = Sandbox::new();
    let root = sandbox.root().join("root");
    for name in ["one", "two", "node_modules", "x.bak"] {
        fs::create_dir_all(root.join(name)).unwrap();
    }
    let roots = format!("{},/does/not/exist", root.display());
    let bench = Bench::in_sandbox(sandbox)
        .with("BATON_PROJECTS_ROOTS", &roots)
        .with("BATON_PROJECTS_EXCLUDE_PATTERNS", "node_modules,*.bak");
    let rows = bench.baton(&["projects", "--scan", "--json"]).json_lines();
    let mut slugs: Vec<&str> = rows
        .iter()
        .map(|row| row["slug"].as_str().unwrap())
        .collect();
    slugs.sort_unstable();
    assert_eq!(slugs, ["one", "two"]);
    bench.stop();
}

#[test]
fn a_backup_put_in_place_is_the_log_again() {
    let bench = Bench::new();
    let said = bench.ok(&["run", "--json", "--agent", "demo", "remember the parser"]);
    let session = said.json_lines()[0]["sessionId"].clone();
    let session = session.as_str().unwrap();
    let events = bench.export(session);

    let found = bench.baton(&["search", "pars", "--json"]).json_lines();
    assert_eq!(found[0]["sessionId"], session);
    assert_eq!(found[0]["marks"][0], serde_json::json!([13, 19]));
    let usage = bench.baton(&["usage", "--json"]).json_lines();
    assert_eq!(usage[0]["totalTurns"], 1);
    let table = bench.baton(&["usage"]);
    table.shows("1 turn,");

    let root = bench.sandbox.root();
    let (live, cold) = (root.join("live.db"), root.join("cold.db"));
    let made = bench.ok(&["backup", live.to_str().unwrap(), "--json"]);
    assert_eq!(made.json_lines()[0]["sessions"], 1);
    let stopped = bench.baton(&["stop", "--json"]).json_lines();
    assert_eq!(stopped[0]["stopped"], true);
    bench.ok(&["backup", cold.to_str().unwrap()]);
    let twice = bench.fails(1, &["backup", cold.to_str().unwrap(), "--json"]);
    assert!(
        error(&twice.stderr)["detail"]
            .as_str()
            .unwrap()
            .contains("already")
    );
    for copy in [live, cold] {
        use std::os::unix::fs::PermissionsExt;
        let mode = fs::metadata(&copy).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        let restored = root.join("restored");
        fs::create_dir(&restored).unwrap();
        fs::set_permissions(&restored, fs::Permissions::from_mode(0o700)).unwrap();
        fs::rename(&copy, restored.join("baton.db")).unwrap();
        let folder = restored.to_str().unwrap();
        let again = bench.ok(&["--data-dir", folder, "export", session]);
        let wanted = &events[..events.len() - 1];
        assert_eq!(again.json_lines()[..events.len() - 1], *wanted);
        bench.ok(&["--data-dir", folder, "stop"]);
        fs::remove_dir_all(&restored).unwrap();
    }
}

#[test]
fn completions_know_every_command() {
    let bench = Bench::new();
    for shell in ["bash", "zsh", "fish"] {
        let script = bench.ok(&["completions", shell]);
        for command in ["projects", "backup", "keep-agents"] {
            assert!(script.stdout.contains(command), "{shell}: {command}");
        }
    }
    // Sessions and projects come from the data folder, without a daemon.
    bench.ok(&["run", "--agent", "demo", "text"]);
    let session = bench.baton(&["sessions", "--json"]).json_lines()[0]["id"].clone();
    let session = session.as_str().unwrap();
    bench.stop();
    let script = bench.baton(&["completions", "bash"]).stdout;
    let file = bench.sandbox.root().join("completions");
    fs::write(&file, script).unwrap();
    let complete = |words: &[&str]| {
        let program = bin("baton").display().to_string();
        let ask = r#"source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
            _baton_known "$1" "${@: -1}" "${@: -2:1}"; echo "${COMPREPLY[*]}""#;
        let file = file.display().to_string();
        let all = ["-c", ask, "bash", &file, &program];
        let all = all.into_iter().chain(words.iter().copied());
        let done = bench.sandbox.run("bash", all);
        done.expect_success();
        done.stdout.trim().to_owned()
    };
    assert_eq!(complete(&["send", "ses_"]), session);
    assert_eq!(
        complete(&["run", "--model", "x", "--resume", "ses_"]),
        session
    );
    assert_eq!(complete(&["search", "--project", ""]), "project");
    assert_eq!(complete(&["remove", "pro"]), "project");
    assert!(complete(&["send", "--que"]).contains("--queue"));
    assert!(!complete(&["send", session, ""]).contains("ses_"));
    let wrong = bench.fails(2, &["completions", "tcsh", "--json"]);
    assert_eq!(error(&wrong.stderr)["code"], "usage");
}

#[test]
fn a_project_whose_folder_was_renamed_goes_on_under_its_new_name() {
    let bench = Bench::new();
    let old = bench.sandbox.project().join("shop");
    let new = bench.sandbox.project().join("store");
    fs::create_dir(&old).unwrap();
    let run = ["run", "--agent", "demo", "text"];
    within(&bench, &old, &run).expect_success();
    let (from, to) = (old.display().to_string(), new.display().to_string());
    bench.fails(1, &["projects", "move", &from, &from]);
    fs::rename(&old, &new).unwrap();
    // A link in the old place leads to the new one, and is not followed.
    std::os::unix::fs::symlink(&new, &old).unwrap();
    let moved = within(
        &bench,
        &bench.sandbox.project(),
        &["projects", "move", "./shop", "store"],
    );
    moved.expect_success();
    assert!(
        moved.stdout.starts_with(&format!("shop is in {to} now")),
        "{}",
        moved.stdout
    );
    let listed = bench.baton(&["sessions", "--json", "--project", &to]);
    assert_eq!(listed.json_lines()[0]["cwd"], to);
    bench.ok(&["run", "--resume", "last", "text"]);
    let log = bench.export("last");
    let moved: Vec<_> = log
        .iter()
        .filter(|event| event["type"] == "session.updated")
        .collect();
    assert_eq!(moved[0]["payload"]["moved"]["from"], from);
    assert_eq!(moved[0]["payload"]["moved"]["to"], to);
    bench.stop();
}
