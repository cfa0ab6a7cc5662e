//! Rules offered to a person, and what a rule would have decided.

use std::path::Path;

use baton_protocol::words::{ApprovalKind, RuleDecision};
use baton_rules::{FakePaths, PastCall, Pattern, concerns, exact_rule, preview, suggestions};

use crate::support::{HOME, PROJECT, call, input};

#[track_caller]
fn check(text: &str, expected: &[&str]) {
    let (tool, input) = input(text);
    let question = call(tool, &input);
    let found = suggestions(&question, &FakePaths::default());
    let shown: Vec<String> = found
        .iter()
        .map(|(rule, scope)| format!("{scope} {rule}"))
        .collect();
    assert_eq!(shown, expected, "{text}");
    let exact = exact_rule(&question, &FakePaths::default());
    assert_eq!(
        exact.as_ref(),
        found.first().map(|(rule, _)| rule),
        "{text}"
    );
}

#[test]
fn the_exact_rule_comes_first_and_wider_ones_after_it() {
    check(
        "Bash git status --short",
        &[
            "session Bash(git status --short)",
            "project Bash(git status:*)",
        ],
    );
    check(
        "Bash npm run build",
        &[
            "session Bash(npm run build)",
            "project Bash(npm run build:*)",
        ],
    );
    check(
        "Bash ls *.rs",
        &[r"session Bash(ls \*.rs)", "project Bash(ls:*)"],
    );
    check(
        "Bash echo \"(a)\"",
        &[r#"session Bash(echo "\(a\)")"#, "project Bash(echo:*)"],
    );
    check(
        "Edit src/deep/a.rs",
        &["session Edit(/src/deep/a.rs)", "project Edit(/src/deep/**)"],
    );
    check("Write a.rs", &["session Edit(/a.rs)"]);
    check("Edit /etc/hosts", &["session Edit(//etc/hosts)"]);
    check("Read [a]*.md", &[r"session Read(/\[a\]\*.md)"]);
    check("Grep src", &["session Read(/src/**)"]);
    check(
        "WebFetch https://Example.org/x",
        &["session WebFetch(domain:example.org)"],
    );
    check(
        "mcp__github__create_issue",
        &["session mcp__github__create_issue", "project mcp__github"],
    );
    check("WebSearch", &["session WebSearch"]);
}

#[test]
fn what_only_prints_is_left_out_of_a_wide_rule() {
    check(
        "Bash npm test 2>&1 | tail -20; echo \"exit: $?\"",
        &[
            "session Bash(npm test 2>&1 | tail -20; echo \"exit: $?\")",
            "project Bash(npm test:*)",
        ],
    );
    check(
        "Bash cargo test | tee out",
        &["session Bash(cargo test | tee out)"],
    );
    check(
        "Bash cargo test && cargo build | tail -3",
        &["session Bash(cargo test && cargo build | tail -3)"],
    );
    check(
        "Bash RUST_LOG=x cargo test | tail -3",
        &["session Bash(RUST_LOG=x cargo test | tail -3)"],
    );
}

#[test]
fn nothing_wide_is_suggested_for_what_can_do_anything() {
    let commands = "rm x, sudo ls, sh x, bash x, python x.py, python3 -c 1, node x.js, \
        curl example.org, perl -e 1, git push, docker ps, make, npm install, ls && cat x, \
        env ls, xargs ls, A=1 ls";
    for command in commands.split(", ") {
        let exact = format!("session Bash({command})");
        check(&format!("Bash {command}"), &[&exact]);
    }
    // A file of its own is named, whatever the option is called.
    check("Bash sort -o x y", &["session Bash(sort -o x y)"]);
}

#[test]
fn what_no_rule_could_allow_again_is_not_remembered() {
    let texts = "Bash $X, Bash ls\nls, Bash ((x)), Bash ls\u{a0}x, Bash echo x > /etc/y, \
        AskUserQuestion, ExitPlanMode, Edit, WebFetch x, Edit /proc/self/cwd/x";
    for text in texts.split(", ") {
        check(text, &[]);
    }
}

#[test]
fn a_preview_says_what_one_rule_would_have_decided() {
    let texts = [
        "Bash git status",
        "Bash git status && rm x",
        "Bash ((x))",
        "Edit a",
        "Bash git $X",
    ];
    let inputs: Vec<_> = texts.iter().map(|text| input(text)).collect();
    let past: Vec<PastCall<'_>> = inputs
        .iter()
        .map(|(tool, input)| PastCall {
            kind: ApprovalKind::Tool,
            tool,
            what: call(tool, input).what,
            input,
            cwd: Path::new(PROJECT),
            project: Path::new(PROJECT),
            home: Path::new(HOME),
        })
        .collect();
    let decided = |decision| {
        let pattern = Pattern::parse("Bash(git status:*)").unwrap();
        let rows = preview(&pattern, decision, &past, &FakePaths::default());
        assert!(rows.iter().enumerate().all(|(at, row)| row.index == at));
        rows.into_iter().map(|row| row.decision).collect::<Vec<_>>()
    };
    use RuleDecision::{Allow, Ask, Deny};
    assert_eq!(decided(Allow), [Some(Allow), None, None, None, None]);
    let wanted = [Some(Deny), Some(Deny), Some(Ask), None, Some(Ask)];
    assert_eq!(decided(Deny), wanted);
    let wanted = [Some(Ask), Some(Ask), Some(Ask), None, Some(Ask)];
    assert_eq!(decided(Ask), wanted);
}

#[test]
fn a_rule_is_about_a_call_or_a_part_of_it_or_not_at_all() {
    let about = |rule: &str, text: &str| {
        let (tool, input) = input(text);
        let pattern = Pattern::parse(rule).unwrap();
        concerns(&pattern, &call(tool, &input), &FakePaths::default())
    };
    for (rule, text) in [
        ("Bash(npm test:*)", "Bash npm test"),
        ("Bash(npm test:*)", "Bash cd web && npm test"),
        ("Bash(npm:*)", "Bash npm run build --silent"),
        ("Bash(git push:*)", "Bash git push --force"),
        ("Bash", "Bash rm -rf x"),
        ("Edit(/src/**)", "Write src/a.rs"),
        ("Read(/src/**)", "Grep src"),
    ] {
        assert!(about(rule, text), "{rule} is about {text}");
    }
    for (rule, text) in [
        ("Bash(git push:*)", "Bash git status"),
        ("Bash(npm test:*)", "Bash npm install"),
        ("Bash", "Write a.rs"),
        ("Edit(/src/**)", "Write docs/a.md"),
        ("WebFetch(domain:example.org)", "Bash ls"),
        ("mcp__files__read", "Bash ls"),
    ] {
        assert!(!about(rule, text), "{rule} is not about {text}");
    }
}
