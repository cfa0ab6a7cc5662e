//! What holds for every input.

use baton_protocol::words::{ApprovalKind, PermissionMode, RuleDecision, Scope};
use baton_rules::{
    FakePaths, Pattern, Verdict, concerns, exact_rule, read_only_command, suggestions,
};
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::json;

use crate::support::{World, call, rule, world};

const ALLOWED: &[&str] = &["ls", "git status", "cat"];
const RULES: &str = "allow Bash(ls:*)\nallow Bash(git status:*)\nallow Bash(cat:*)";

/// Pieces that shell syntax is made of, so that random texts come close to it.
const PIECES: &[&str] = &[
    "ls",
    "rm",
    "git status",
    "cat",
    "x",
    " ",
    " ",
    "\t",
    "\n",
    ";",
    "&&",
    "||",
    "|",
    "&",
    "(",
    ")",
    "{ ",
    "; }",
    "$(",
    "`",
    "'",
    "\"",
    "\\",
    "$x",
    "${x}",
    "${",
    "}",
    "<",
    ">",
    "<<E\n",
    "\nE\n",
    "<(",
    "if ",
    "; then ",
    "; fi",
    "for x in ",
    "; do ",
    "; done",
    "case x in ",
    ";;",
    " esac",
    "[[ ",
    " ]]",
    "((",
    "))",
    "#",
    "=",
    "*",
    "~/",
    "/",
    "..",
    "-c ",
    "bash -c ",
    "env ",
    "xargs ",
    "sudo ",
    "find . -exec ",
    " \\;",
    "$'\\x6c",
    "\u{a0}",
    "\u{202e}",
    "é",
    "\0",
    "\r",
    "eval ",
    "timeout 5 ",
    "A=b ",
    "f() ",
    "{a,b}",
    "--output=",
    "!",
    "time ",
];

fn shellish() -> impl Strategy<Value = String> {
    prop_oneof![
        8 => prop::collection::vec(select(PIECES), 0..24).prop_map(|pieces| pieces.concat()),
        1 => any::<String>(),
        1 => (select(PIECES), 1..3000_usize).prop_map(|(piece, times)| piece.repeat(times)),
    ]
}

/// One command that the rules allow.
fn allowed_command() -> impl Strategy<Value = String> {
    let arguments = prop::collection::vec(
        select(
            &[
                "-s",
                "'a b'",
                "x",
                "src/*.rs",
                "a\"$x\"",
                "2>&1",
                "</etc/hosts",
            ][..],
        ),
        0..3,
    );
    (select(ALLOWED), arguments)
        .prop_map(|(name, arguments)| format!("{name} {}", arguments.join(" ")))
}

fn rule_line() -> impl Strategy<Value = String> {
    let pattern = select(
        &[
            "Bash(rm:*)",
            "Bash(ls)",
            "Bash(git *)",
            "Bash",
            "Bash(* x)",
            "Edit(src/**)",
            "Read(.env)",
            "WebFetch(domain:example.org)",
            "*",
            "mcp__x",
            "Edit",
        ][..],
    );
    let decision = select(RuleDecision::ALL);
    let scope = select(Scope::ALL);
    (decision, scope, pattern)
        .prop_map(|(decision, scope, pattern)| format!("{decision} {scope} {pattern}"))
}

fn any_call() -> impl Strategy<Value = (String, serde_json::Value)> {
    prop_oneof![
        shellish().prop_map(|command| ("Bash".to_owned(), json!({ "command": command }))),
        (select(&["Edit", "Read", "Grep", "Glob", "NotebookEdit", "LS"][..]), "[a-z./~*{}\\[\\]\\\\]{0,16}").prop_map(|(tool, path)| {
            (tool.to_owned(), json!({ "file_path": path, "path": path, "pattern": path, "notebook_path": path }))
        }),
        "(https?://)?[a-z.@:/\\\\]{0,20}".prop_map(|url| ("WebFetch".to_owned(), json!({ "url": url }))),
        (select(&["AskUserQuestion", "ExitPlanMode", "mcp__x__y", "New"][..])).prop_map(|tool| (tool.to_owned(), json!({}))),
        any::<u8>().prop_map(|n| ("Bash".to_owned(), json!({ "command": n }))),
    ]
}

fn allows(verdict: &Verdict) -> bool {
    matches!(verdict, Verdict::Allow { .. })
}

fn bash(world: &World, command: &str) -> Verdict {
    world.judge("Bash", &json!({ "command": command }))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_input_makes_it_panic(
        lines in prop::collection::vec(rule_line(), 0..6),
        (tool, input) in any_call(),
        mode in select(PermissionMode::ALL),
        kind in select(ApprovalKind::ALL),
    ) {
        let mut world = world(&lines.join("\n")).mode(mode);
        world.kind = kind;
        let verdict = world.judge(&tool, &input);
        let person = matches!(tool.as_str(), "AskUserQuestion" | "ExitPlanMode");
        prop_assert!(!(person && allows(&verdict)), "{verdict:?}");
    }

    #[test]
    fn one_more_rule_that_denies_never_allows_more(
        lines in prop::collection::vec(rule_line(), 0..6),
        denied in select(&["Bash(rm:*)", "Bash(ls *)", "Read(.env)", "*", "Edit(src/**)"][..]),
        (tool, input) in any_call(),
        mode in select(PermissionMode::ALL),
    ) {
        let mut world = world(&lines.join("\n")).mode(mode);
        let before = world.judge(&tool, &input);
        world.rules.push(rule(&format!("deny user {denied}")));
        let after = world.judge(&tool, &input);
        prop_assert!(allows(&before) || !allows(&after), "{before:?} {after:?}");
        if matches!(before, Verdict::Deny { .. }) {
            prop_assert!(matches!(after, Verdict::Deny { .. }), "{before:?} {after:?}");
        }
    }

    #[test]
    fn one_more_rule_that_asks_never_allows_more(
        lines in prop::collection::vec(rule_line(), 0..6),
        asked in rule_line(),
        (tool, input) in any_call(),
    ) {
        let mut world = world(&lines.join("\n"));
        let before = world.judge(&tool, &input);
        let mut asked = rule(&asked);
        asked.decision = RuleDecision::Ask;
        world.rules.push(asked);
        prop_assert!(allows(&before) || !allows(&world.judge(&tool, &input)));
    }

    #[test]
    fn when_a_line_is_allowed_each_part_is(left in allowed_command(), right in shellish(), joint in select(&["; ", " && ", " || ", " | ", " & "][..])) {
        let world = world(RULES);
        let line = format!("{left}{joint}{right}");
        if allows(&bash(&world, &line)) {
            prop_assert!(allows(&bash(&world, &left)), "{left}");
            let empty = right.trim().is_empty() || right.trim().starts_with('#');
            prop_assert!(empty || allows(&bash(&world, &right)), "{right}");
        }
    }

    #[test]
    fn allowed_commands_stay_allowed_in_a_line(left in allowed_command(), right in allowed_command(), joint in select(&["; ", " && ", " || ", " | ", " & "][..])) {
        prop_assert!(allows(&bash(&world(RULES), &format!("{left}{joint}{right}"))), "{left}{joint}{right}");
    }

    #[test]
    fn an_unmatched_part_is_never_allowed(
        base in allowed_command(),
        (before, after) in select(&[
            ("; ", ""), (" && ", ""), (" || ", ""), (" | ", ""), (" |& ", ""), (" & ", ""), (";", " #"), ("\n", ""), ("\r\n", ""), (" $(", ")"), (" `", "`"),
            (" \"$(", ")\""), (" \"`", "`\""), (" <(", ")"), (" >(", ")"), (" > $(", ")"), ("; (", ")"), ("; { ", "; }"), (" && ! ", ""), ("; if ", "; then ls; fi"),
            ("; if ls; then ", "; fi"), ("; while ", "; do ls; done"), ("; case x in x) ", ";; esac"), ("; f() { ", "; }; ls"), ("; env ", ""), ("; time ", ""),
            ("; timeout 1 ", ""), ("; bash -c '", "'"), ("; eval ", ""), ("; find . -exec ", " \\;"), (" | xargs ", ""), ("; nohup nice ", ""), ("; cat <<E\n$(", ")\nE\n"),
        ][..]),
        inserted in select(&["rm -rf x", "make", "git push", "python x.py", "gitstatus", "git", "lsof", "catx", "./ls", "$ls", "\"$ls\""][..]),
    ) {
        let line = format!("{base}{before}{inserted}{after}");
        prop_assert!(!allows(&bash(&world(RULES), &line)), "{line}");
    }

    #[test]
    fn what_a_rule_denies_is_denied_behind_any_connector(
        base in allowed_command(),
        (before, after) in select(&[
            ("; ", ""), (" && ", ""), (" | ", ""), ("\n", ""), (" $(", ")"), (" `", "`"), (" <(", ")"), ("; (", ")"), ("; { ", "; }"), ("; if ls; then ", "; fi"),
            ("; f() { ", "; }; ls"), ("; sudo -n ", ""), ("; env A=b ", ""), ("; bash -c '", "'"), ("; bash -c \"bash -c '", "'\""), ("; find . -exec ", " \\;"), (" | xargs -0 ", ""),
            ("; cat <<E\n$(", ")\nE\n"), ("; /usr/bin/env ", ""), ("; exec ", ""), ("; command ", ""), ("; strace -f ", ""), ("; A=b ", ""), ("; trap '", "' EXIT"),
        ][..]),
        denied in select(&["rm -rf x", "/bin/rm x", "\\rm x", "\"r\"m x"][..]),
    ) {
        for mode in PermissionMode::ALL {
            let line = format!("{base}{before}{denied}{after}");
            let verdict = bash(&world("deny Bash(rm:*)").mode(*mode), &line);
            prop_assert!(matches!(verdict, Verdict::Deny { .. }), "{line}: {verdict:?}");
        }
    }

    #[test]
    fn an_exact_rule_reads_back_and_allows_the_call_it_was_made_for((tool, input) in any_call()) {
        let paths = FakePaths::default();
        let question = call(&tool, &input);
        for text in exact_rule(&question, &paths).into_iter().chain(suggestions(&question, &paths).into_iter().map(|(text, _)| text)) {
            let pattern = Pattern::parse(&text).unwrap();
            prop_assert_eq!(pattern.to_string(), text.clone());
            prop_assert!(concerns(&pattern, &question, &paths), "{}", text);
            let world = world(&format!("allow {text}"));
            prop_assert!(allows(&world.judge(&tool, &input)), "{}", text);
        }
    }

    #[test]
    fn an_exact_rule_allows_no_other_command(one in shellish(), two in shellish()) {
        let input = json!({ "command": one });
        let Some(text) = exact_rule(&call("Bash", &input), &FakePaths::default()) else {
            return Ok(());
        };
        let world = world(&format!("allow {text}"));
        let blanks = |text: &str| text.split_whitespace().collect::<String>();
        if allows(&bash(&world, &two)) {
            // Only the spelling may differ.
            prop_assert_eq!(blanks(&one).replace(['\'', '"', '\\'], ""), blanks(&two).replace(['\'', '"', '\\'], ""));
        }
        // What is added to a comment is a comment.
        if !one.contains('#') {
            for more in ["; rm x", " $(rm x)", " && rm x"] {
                let line = format!("{one}{more}");
                prop_assert!(!allows(&bash(&world, &line)), "{line}");
            }
        }
    }

    #[test]
    fn a_pattern_reads_back_as_itself(tool in select(&["Bash", "Edit", "Read"][..]), content in "[a-z./~*?:()\\[\\]{}\\\\ '\"$&|-]{1,20}") {
        if let Ok(pattern) = Pattern::parse(&format!("{tool}({content})")) {
            let text = pattern.to_string();
            prop_assert_eq!(Pattern::parse(&text).map(|again| again.to_string()), Ok(text.clone()));
            prop_assert_eq!(Pattern::parse(&text).unwrap(), pattern, "{}", text);
        }
    }

    #[test]
    fn what_changes_nothing_runs_nothing_that_does(command in shellish()) {
        if read_only_command(&command) {
            let denying = world("deny Bash(rm:*)\ndeny Edit(//**)\ndeny Edit(~/**)").mode(PermissionMode::BypassPermissions);
            prop_assert!(allows(&bash(&denying, &command)), "{command}");
            prop_assert!(!command.contains("$(") && !command.contains('`') && !command.trim().contains('\n'), "{command}");
        }
    }
}
