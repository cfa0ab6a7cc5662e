use std::io::Write as _;

use xtask::repository::Tree;
use xtask::tidy::{EXCEPTIONS, Exception, Rule, report};

#[test]
fn the_repository_is_tidy() {
    let report = report(&Tree::of_this_repository().unwrap(), EXCEPTIONS);
    // Straight to the terminal: libtest hides what a passing test prints.
    for warning in &report.warnings {
        writeln!(std::io::stderr(), "warning: {warning}").unwrap();
    }
    let problems: Vec<_> = report.problems.iter().map(ToString::to_string).collect();
    assert!(problems.is_empty(), "\n{}\n", problems.join("\n"));
}

const MANIFEST: &str = "[package]\nname = \"good\"\n\n[lints]\nworkspace = true\n";
const DECISION: &str = "# A title\n\n## Context\n\n## Decision\n\n## Rejected\n\n## Consequences\n";

/// A tidy repository, with the given files added or put in place of its own.
fn check(files: &[(&str, &str)], expected: &[(Rule, &str, &str)]) {
    check_with(files, &[], expected);
}

fn check_with(files: &[(&str, &str)], exceptions: &[Exception], expected: &[(Rule, &str, &str)]) {
    let mut all = vec![
        ("ARCHITECTURE.md", "# Architecture\n\n- `good`\n"),
        ("CHANGELOG.md", "# Changes\n\n## Unreleased\n\n### Added\n"),
        ("crates/good/Cargo.toml", MANIFEST),
        ("crates/good/src/lib.rs", "//! Good.\n"),
        ("docs/decisions/0001-first.md", DECISION),
    ];
    all.retain(|(path, _)| !files.iter().any(|(replaced, _)| replaced == path));
    all.extend_from_slice(files);
    let found = report(&Tree::of(&all), exceptions).problems;
    assert_eq!(found.len(), expected.len(), "{found:#?}");
    for (problem, (rule, path, text)) in found.iter().zip(expected) {
        assert_eq!((problem.rule, problem.path.as_str()), (*rule, *path));
        assert!(problem.text.contains(text), "{problem} lacks {text:?}");
    }
}

#[test]
fn a_tidy_repository_passes() {
    check(&[], &[]);
}

#[test]
fn a_source_file_warns_beyond_500_lines_and_fails_beyond_700() {
    let lines = |count| "x\n".repeat(count);
    let warnings = |count| {
        let files = [
            ("CHANGELOG.md", "## Unreleased\n"),
            ("web/a.ts", &lines(count)),
        ];
        report(&Tree::of(&files), &[]).warnings.len()
    };
    assert_eq!((warnings(500), warnings(501), warnings(700)), (0, 1, 1));
    check(&[("web/a.ts", &lines(700))], &[]);
    check(
        &[
            ("web/a.ts", &lines(701)),
            ("web/gen/b.ts", &lines(701)),
            ("c.md", &lines(701)),
        ],
        &[(Rule::Length, "web/a.ts", "701 lines")],
    );
}

#[test]
fn a_mod_rs_is_refused() {
    let path = "crates/good/src/part/mod.rs";
    check(
        &[(path, "//! Part.\n")],
        &[(Rule::Layout, path, "foo.rs beside foo/")],
    );
}

#[test]
fn a_crate_opens_with_its_documentation() {
    for path in ["crates/good/src/lib.rs", "crates/good/src/main.rs"] {
        check(
            &[(path, "use std::fmt;\n")],
            &[(Rule::Layout, path, "open with //!")],
        );
    }
}

#[test]
fn a_crate_inherits_the_lints_and_is_named_like_its_folder() {
    let path = "crates/good/Cargo.toml";
    check(
        &[(path, "[package]\nname = \"other\"\n")],
        &[
            (Rule::Layout, path, "inherit the lints"),
            (Rule::Layout, path, "name it good"),
        ],
    );
}

#[test]
fn a_crate_is_named_in_the_architecture() {
    check(
        &[("ARCHITECTURE.md", "# Architecture\n\n- `goods`\n")],
        &[(Rule::Layout, "ARCHITECTURE.md", "does not name `good`")],
    );
}

#[test]
fn blanks_tabs_and_carriage_returns_are_refused_outside_fixtures() {
    check(
        &[("a.md", "one \ntwo\r\n\tthree\nfour")],
        &[
            (Rule::Whitespace, "a.md", "line 1: ends with a blank"),
            (
                Rule::Whitespace,
                "a.md",
                "line 2: ends with a carriage return",
            ),
            (Rule::Whitespace, "a.md", "line 3: holds a tab"),
            (Rule::Whitespace, "a.md", "last line has no end"),
        ],
    );
    check(&[("Makefile", "all:\n\ttrue\n")], &[]);
    check(&[("crates/good/fixtures/a.txt", "one \r\n\ttwo")], &[]);
}

#[test]
fn a_path_of_one_machine_is_refused_even_in_fixtures() {
    let path = "fixtures/a.ndjson";
    for bad in [
        concat!("{\"cwd\":\"/ro", "ot/x\"}\n"),
        concat!("/wo", "rk/x\n"),
        concat!("/ho", "me/jane/x\n"),
        concat!("see /Us", "ers/jane\n"),
    ] {
        check(
            &[(path, bad)],
            &[(Rule::MachinePath, path, "a path of one machine")],
        );
    }
    for good in [
        "/home/user/x\n",
        "$HOME/home/\n",
        concat!("docs/ro", "ot/x\n"),
        concat!("a/wo", "rk/x\n"),
    ] {
        check(&[(path, good)], &[]);
    }
}

#[test]
fn work_left_for_later_is_refused_in_code_only() {
    let path = "crates/good/src/a.rs";
    for bad in [
        concat!("// FIX", "ME: later\n"),
        concat!("// TO", "DO later\n"),
        concat!("let x = 1; // TO", "DO(me): later\n"),
        concat!("/* TO", "DO(me) later */\n"),
        concat!("let x;// TO", "DO later\n"),
        concat!("    to", "do!(\"later\")\n"),
        concat!("unimple", "mented!()\n"),
        concat!("#[ign", "ore]\n"),
        concat!("#[ign", "ore = \"slow\"]\n"),
    ] {
        check(&[(path, bad)], &[(Rule::Unfinished, path, "not done")]);
        check(&[("notes.md", bad)], &[]);
    }
    for good in [
        "TodoUpdated\n",
        concat!("const TO", "DO_LIMIT: u8 = 1;\n"),
        "// ignored\n",
        concat!("/// `TO", "DO[item]` writes a list\n"),
    ] {
        check(&[(path, good)], &[]);
    }
}

#[test]
fn decisions_are_numbered_without_gaps() {
    check(
        &[("docs/decisions/0003-third.md", DECISION)],
        &[(Rule::Documents, "docs/decisions/0003-third.md", "0002")],
    );
    check(
        &[("docs/decisions/0001-second.md", DECISION)],
        &[(Rule::Documents, "docs/decisions/0001-second.md", "0002")],
    );
}

#[test]
fn a_decision_has_a_title_and_its_four_parts_in_order() {
    let path = "docs/decisions/0001-first.md";
    check(
        &[(path, "## Context\n\n## Decision\n\n## Consequences\n")],
        &[
            (Rule::Documents, path, "title"),
            (Rule::Documents, path, "## Rejected"),
        ],
    );
}

#[test]
fn the_change_log_starts_with_what_is_unreleased_and_uses_four_kinds() {
    let path = "CHANGELOG.md";
    check(
        &[(path, "# Changes\n\n## 1.0\n\n### Removed\n")],
        &[
            (Rule::Documents, path, "## Unreleased"),
            (Rule::Documents, path, "### Removed"),
        ],
    );
    let found = report(&Tree::of(&[]), &[]).problems;
    assert_eq!(found.len(), 1, "{found:#?}");
    assert_eq!(found[0].text, "is missing");
}

#[test]
fn a_relative_link_leads_to_a_file_and_a_heading() {
    check(
        &[
            (
                "docs/a.md",
                "# One two\n[up](../CHANGELOG.md#unreleased) [here](#one-two) [folder](decisions)\n",
            ),
            (
                "docs/b.md",
                "[web](https://example.org) ```\n```\n[in code](nowhere.md)\n```\n",
            ),
        ],
        &[],
    );
    check(
        &[(
            "docs/a.md",
            "[gone](b.md)\n[out](../../c.md)\n[head](../CHANGELOG.md#released)\n",
        )],
        &[
            (Rule::Links, "docs/a.md", "line 1: b.md is not there"),
            (Rule::Links, "docs/a.md", "line 2: ../../c.md is not there"),
            (
                Rule::Links,
                "docs/a.md",
                "line 3: CHANGELOG.md has no heading #released",
            ),
        ],
    );
}

#[test]
fn a_test_that_a_table_names_is_there() {
    let source = (
        "crates/a/tests/it/b.rs",
        "#[test]\nfn one_is_held_by_it() {}\n",
    );
    let spec = ("web/e2e/c.spec.ts", "test(\"it is seen\", () => {});\n");
    let table = |row: &str| format!("# A\n\n| Promise | Test |\n|---|---|\n{row}\n");
    let good = table(
        "| `no_such_test_here` | `b.rs`: `one_is_held_by_it`; `web/e2e/c.spec.ts`: \"it is seen\" |",
    );
    check(&[source, spec, ("docs/a.md", &good)], &[]);
    let other = good.replace("| Test |", "| What |");
    check(&[("docs/a.md", &other)], &[]);
    let bad = table("| It | `d.rs`: `two_is_held_by_it`; `e2e/c.spec.ts`: \"it was seen\" |");
    check(
        &[source, spec, ("docs/a.md", &bad)],
        &[
            (
                Rule::Documents,
                "docs/a.md",
                "line 5: there is no test or file d.rs",
            ),
            (Rule::Documents, "docs/a.md", "two_is_held_by_it"),
            (Rule::Documents, "docs/a.md", "it was seen"),
        ],
    );
}

#[test]
fn an_exception_excuses_its_rule_in_its_files_and_may_not_be_idle() {
    let file = [("assets/a.md", "one \n")];
    check_with(&file, &[(Rule::Whitespace, "assets", "as it came")], &[]);
    check_with(
        &file,
        &[(Rule::Whitespace, "asset", "another folder")],
        &[
            (Rule::Whitespace, "assets/a.md", "blank"),
            (Rule::Whitespace, "asset", "remove the entry"),
        ],
    );
}

#[test]
fn agents_are_asked_for_by_what_they_can_do() {
    let path = "crates/good/src/a.rs";
    check(
        &[(path, "// AgentKind::Claude\n#[cfg(test)]\n\"Bash\"\n")],
        &[],
    );
    check(
        &[(path, "AgentKind::Claude\nmatches!(name, \"Bash\")\n")],
        &[
            (Rule::Seam, path, "line 1: AgentKind::Claude"),
            (Rule::Seam, path, "line 2: \"Bash\""),
        ],
    );
    check(
        &[("web/src/a.ts", "agent === \"claude\"\n")],
        &[(Rule::Seam, "web/src/a.ts", "\"claude\"")],
    );
    check(&[("web/src/a.test.ts", "agent === \"claude\"\n")], &[]);
}

#[test]
fn what_is_sent_to_clients_are_types_of_the_protocol() {
    let derive = "#[derive(Debug, Deserialize)]\n";
    let schema = "#[derive(Debug, Serialize, JsonSchema)]\n";
    let built = "// json!({})\nlet frame = json!({});\n#[cfg(test)]\njson!({});\n";
    for (path, text) in [
        ("crates/baton-protocol/src/api/a.rs", schema),
        ("crates/baton-store/src/a.rs", derive),
        ("crates/baton-server/src/http/openapi.rs", built),
        ("crates/baton/src/client/a_tests.rs", built),
    ] {
        check(&[(path, text)], &[]);
    }
    for (path, text, line) in [
        (
            "crates/baton-store/src/a.rs",
            schema,
            "line 1: a type with a schema",
        ),
        (
            "crates/baton-server/src/a.rs",
            schema,
            "line 1: a type with a schema",
        ),
        (
            "crates/baton/src/client/find.rs",
            derive,
            "line 1: what is sent",
        ),
        (
            "crates/baton-server/src/connection.rs",
            built,
            "line 2: messages",
        ),
    ] {
        check(&[(path, text)], &[(Rule::Wire, path, line)]);
    }
}

#[test]
fn a_noun_of_the_glossary_names_one_type() {
    let glossary = ("docs/glossary.md", "| **live frame** | for the screen |\n");
    let first = ("crates/a/src/a.rs", "pub(crate) struct LiveFrame<'a> {\n");
    let second = ("crates/b/src/b.rs", "// why\n    enum LiveFrame {\n");
    let other = (
        "crates/b/src/c.rs",
        "struct LiveFrames;\nlet LiveFrame = 1;\n",
    );
    let test = ("crates/b/src/c_tests.rs", "struct LiveFrame;\n");
    let found = words(&[glossary, first, second, other, test]);
    assert_eq!(
        found,
        [
            "crates/b/src/b.rs: line 2: LiveFrame is a type in crates/a/src/a.rs already: give this another name (Words)"
        ]
    );
    assert_eq!(words(&[glossary, first, other, test]), [""; 0]);
}

/// What the rule about words says of these files, but for its own list.
fn words(files: &[(&str, &str)]) -> Vec<String> {
    let problems = report(&Tree::of(files), &[]).problems.into_iter();
    let own = problems.filter(|one| one.rule == Rule::Words && !one.path.starts_with("xtask/"));
    own.map(|one| one.to_string()).collect()
}
