//! `baton rules`: listed, added, tried and forgotten.

use crate::Bench;

#[test]
fn rules_are_tried_added_obeyed_and_forgotten() {
    let bench = Bench::new();
    let none = bench.baton(&["rules"]);
    none.shows("No rules yet");
    bench.ok(&["run", "--agent", "demo", "approval"]);
    let rule = "Edit(baton-demo.txt)";
    let tried = bench.ok(&["rules", "preview", rule, "--decision", "allow"]);
    for part in [
        "allow",
        "denied, because nobody could be asked",
        "Write ",
        "decided 1 of 1 past",
    ] {
        assert!(tried.stdout.contains(part), "{part}\n{}", tried.stdout);
    }
    let lines = [
        "rules",
        "preview",
        "Bash",
        "--decision",
        "deny",
        "--project",
        ".",
        "--json",
    ];
    let lines = bench.baton(&lines).json_lines();
    assert_eq!((lines.len(), lines[0].get("decision")), (1, None));
    let added = bench.ok(&["rules", "add", rule, "--decision", "allow"]);
    let project = bench.sandbox.project().canonicalize().unwrap();
    let reach = format!("for project {}", project.display());
    added.shows(&reach);
    bench.ok(&["run", "--agent", "demo", "approval"]);
    assert!(
        project.join("baton-demo.txt").exists(),
        "the rule allowed it"
    );
    let table = bench.baton(&["rules"]).stdout;
    assert!(
        table.contains(rule) && table.contains("DECISION"),
        "{table}"
    );
    let id = bench.baton(&["rules", "--json"]).json_lines()[0]["id"].clone();
    let id = id.as_str().unwrap().to_owned();
    let removed = bench.ok(&["rules", "remove", id.trim_start_matches("rul_")]);
    assert_eq!(removed.stdout, format!("forgotten: allow {rule}\n"));
    let gone = bench.fails(1, &["rules", "remove", &id]);
    gone.tells("names 0 rules");
}

#[test]
fn a_rule_is_for_what_was_named() {
    let bench = Bench::new();
    bench.ok(&["run", "--agent", "demo", "text"]);
    let add = |more: &[&str]| {
        let args = ["rules", "add", "Bash(ls)", "--decision", "deny", "--json"];
        bench.baton(&[&args, more].concat())
    };
    let user = add(&["--scope", "user"]).json_lines();
    assert_eq!(user[0]["scope"], "user");
    let session = add(&["--session", "last"]).json_lines();
    assert_eq!(session[0]["scope"], "session");
    assert!(session[0]["scopeId"].as_str().unwrap().starts_with("ses_"));
    for (args, told) in [
        (&["--scope", "session"][..], "--session ID"),
        (&["--scope", "user", "--project", "."], "--scope project"),
    ] {
        let odd = add(args);
        assert_eq!(odd.code(), Some(2));
        odd.tells(told);
    }
    bench.fails(1, &["rules", "add", "Bash(", "--decision", "allow"]);
}

#[test]
fn claude_codes_own_rules_are_listed_and_taken_over_on_request() {
    let bench = Bench::new();
    let none = bench.baton(&["rules", "import"]);
    none.shows("have no rules");
    let own = bench.sandbox.home().join(".claude");
    std::fs::create_dir_all(&own).unwrap();
    let settings = serde_json::json!({"permissions": {
        "allow": ["Bash(ls:*)", "Bash", "Skill(review)"],
        "deny": ["Read(.env)"],
    }});
    std::fs::write(own.join("settings.json"), settings.to_string()).unwrap();
    let listed = bench.ok(&["rules", "import"]);
    for part in [
        "Bash(ls:*)",
        "! It allows about anything",
        "cannot be taken over",
        "rules import --all",
    ] {
        assert!(listed.stdout.contains(part), "{part}\n{}", listed.stdout);
    }
    assert!(bench.baton(&["rules", "--json"]).json_lines().is_empty());
    let all = bench.ok(&["rules", "import", "--all"]);
    all.shows("2 rules were taken over.");
    assert!(
        all.stdout.contains("left: allow Bash (It"),
        "{}",
        all.stdout
    );
    all.shows("left: allow Skill(review)");
    let rules = || {
        let lines = bench.baton(&["rules", "--json"]).json_lines();
        let text = |one: &serde_json::Value| {
            format!("{} {} {}", one["decision"], one["rule"], one["scope"])
        };
        lines.iter().map(text).collect::<Vec<_>>()
    };
    let two = [
        r#""allow" "Bash(ls:*)" "user""#,
        r#""deny" "Read(.env)" "user""#,
    ];
    assert_eq!(rules(), two);
    // What stands out is taken only by name, and nothing twice.
    let again = bench.baton(&["rules", "import", "--all", "--json"]);
    assert!(again.json_lines().is_empty());
    bench.ok(&["rules", "import", "Bash", "--scope", "project"]);
    assert_eq!(rules()[2], r#""allow" "Bash" "project""#);
    for (rule, why) in [
        ("Skill(review)", "cannot be taken over"),
        ("Edit", "is not among"),
    ] {
        let refused = bench.fails(1, &["rules", "import", "Bash(ls:*)", rule]);
        refused.tells(why);
    }
    assert_eq!(rules().len(), 3);
}

/// As a reader of the README types it.
#[test]
fn the_readmes_commands_work_as_written_and_a_rule_goes_by_its_text() {
    let readme = include_str!("../../../../README.md");
    let bench = Bench::new();
    let rule = "Bash(git status:*)";
    let run = |words: &str| {
        assert!(readme.contains(words), "the README does not say: {words}");
        let words = words.split(' ');
        let args: Vec<&str> = words
            .map(|word| if word == "RULE" { rule } else { word })
            .collect();
        bench.baton(&args)
    };
    let added = run("rules add RULE --decision allow");
    added.expect_success();
    added.shows("for project /");
    run("rules preview RULE --decision allow").expect_success();
    // Two that read alike are told apart by their ids.
    let user = [
        "rules",
        "add",
        rule,
        "--decision",
        "deny",
        "--scope",
        "user",
    ];
    let user = bench.ok(&user);
    user.shows("for user");
    let unclear = run("rules remove RULE");
    assert_eq!(unclear.code(), Some(1));
    for told in ["names 2 rules\n", "  deny for user"] {
        unclear.tells(told);
    }
    let id = user.stdout.split_whitespace().next().unwrap().to_owned();
    bench.ok(&["rules", "remove", &id]);
    run("rules remove RULE").expect_success();
    assert!(bench.baton(&["rules", "--json"]).json_lines().is_empty());
}

#[test]
fn rules_that_hold_from_settings_are_listed_with_their_file() {
    let bench = Bench::new();
    let write = |folder: &std::path::Path, name: &str, text: &str| {
        let folder = folder.join(".claude");
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join(name), text).unwrap();
    };
    let project = bench.sandbox.project();
    let denies = r#"{"permissions":{"deny":["Read(.env)"],"allow":["Bash(ls:*)"]}}"#;
    write(&project, "settings.json", denies);
    write(&project, "settings.local.json", "{");
    let asks = r#"{"permissions":{"ask":["Bash(git push:*)"]}}"#;
    write(&bench.sandbox.home(), "settings.json", asks);
    let listed = bench.ok(&["rules"]);
    let text = bench.sandbox.filter().text(&listed.stdout);
    let parts = "No rules yet; Settings of Claude Code deny or ask as well, and that holds here; \
        Read(.env); [PROJECT]/.claude/settings.json; Bash(git push:*); \
        [HOME]/.claude/settings.json; \
        not read, so what it denies is not listed: [PROJECT]/.claude/settings.local.json";
    for part in parts.split("; ") {
        assert!(text.contains(part), "{part}\n---\n{text}");
    }
    assert!(!text.contains("Bash(ls:*)"), "{text}");
    assert!(bench.baton(&["rules", "--json"]).json_lines().is_empty());
}

#[test]
fn an_absolute_path_in_a_rule_gets_a_hint() {
    let bench = Bench::new();
    let add = |rule: &str| bench.baton(&["rules", "add", rule, "--decision", "deny"]);
    let told = add("Read(/etc/hosts)");
    told.expect_success();
    told.tells("write two slashes: Read(//etc/hosts)");
    let fine = add("Read(//etc/hosts)");
    assert!(!fine.stderr.contains("two slashes"), "{}", fine.stderr);
}
