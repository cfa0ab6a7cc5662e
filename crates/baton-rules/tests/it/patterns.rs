//! The text of rules: what is read, how it is written back, what is refused.

use baton_protocol::words::RuleDecision;
use baton_rules::{Pattern, words};
use expect_test::{Expect, expect};

#[track_caller]
fn reads(text: &str, canonical: &str) {
    let pattern = Pattern::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
    assert_eq!(pattern.to_string(), canonical);
    assert_eq!(Pattern::parse(canonical), Ok(pattern));
}

#[expect(clippy::needless_pass_by_value, reason = "expect! makes a value")]
fn refuses(text: &str, expected: Expect) {
    expected.assert_eq(&Pattern::parse(text).unwrap_err().to_string());
}

#[test]
fn a_rule_is_written_back_in_one_form() {
    reads("Bash", "Bash");
    reads(" Bash(*) ", "Bash");
    reads("Bash(git status:*)", "Bash(git status:*)");
    reads("Bash(git status *)", "Bash(git status:*)");
    reads("Bash(npm run test)", "Bash(npm run test)");
    reads("Bash(npm * --silent)", "Bash(npm * --silent)");
    reads("Bash(git*)", "Bash(git*)");
    reads("Bash(a:*:*)", "Bash(a:*:*)");
    reads(r"Bash(echo \(x\) \*)", r"Bash(echo \(x\) \*)");
    reads("Bash(echo (x))", r"Bash(echo \(x\))");
    reads(r"Bash(grep \d)", r"Bash(grep \\d)");
    reads("Edit(src/**)", "Edit(/src/**)");
    reads("Edit(./src/**)", "Edit(/src/**)");
    reads("Edit(src/)", "Edit(src/)");
    reads("Edit(/src/)", "Edit(/src/**)");
    reads("Edit(*.md)", "Edit(*.md)");
    reads("Edit(/*.md)", "Edit(/*.md)");
    reads("Read(~/x/**)", "Read(~/x/**)");
    reads("Edit(//etc/hosts)", "Edit(//etc/hosts)");
    reads("Edit(a[!b-d]?/**/c)", "Edit(/a[!b-d]?/**/c)");
    reads(r"Edit(/a\(1\) b\*)", r"Edit(/a\(1\) b\*)");
    reads(
        "WebFetch(domain:Example.org.)",
        "WebFetch(domain:example.org)",
    );
    reads(
        "WebFetch(domain:*.example.org)",
        "WebFetch(domain:*.example.org)",
    );
    reads("mcp__github", "mcp__github");
    reads("mcp__github__create_issue", "mcp__github__create_issue");
    reads("mcp__github__*", "mcp__github__*");
    reads("*", "*");
}

#[test]
fn what_is_no_rule_is_refused_with_how_to_write_it() {
    refuses(
        "",
        expect!["a rule cannot be empty; write a tool's name, such as Bash or Edit(src/**)"],
    );
    refuses(
        "Bash git",
        expect![
            "`Bash git` is no tool name: letters, digits, `_`, `-`, `.`, `:` and the wildcard `*` are; spaces are not"
        ],
    );
    refuses(
        "bash(ls)",
        expect!["tool names are written as the agent writes them: `Bash`, not `bash`"],
    );
    refuses(
        "Bash(ls",
        expect![[
            r"`Bash(ls` has no closing parenthesis at its end; write Tool(content), and \( or \) for a parenthesis in the content"
        ]],
    );
    refuses(
        r"Bash(ls\)",
        expect![[
            r"`Bash(ls\)` has no closing parenthesis at its end; write Tool(content), and \( or \) for a parenthesis in the content"
        ]],
    );
    refuses(
        "Bash()",
        expect!["`Bash(…)` is empty; write `Bash` for every call of it"],
    );
    refuses(
        "Bash(:*)",
        expect![
            "`:*` is no command: nothing stands before the wildcard; write Bash for every command"
        ],
    );
    refuses(
        "Bash(cd x && make:*)",
        expect![
            "`cd x && make:*` is no command: what stands before the wildcard is the beginning of one command, without `&&`, `|`, `;` or variables set before it; each command in a line is matched by itself"
        ],
    );
    refuses(
        "Bash(ls\nrm)",
        expect![[r"`ls
rm` is no command: it has the character \u{a} in it"]],
    );
    refuses(
        "Write(src/**)",
        expect![
            "write Edit(…): rules for paths are called Edit for every tool that changes files, Write included"
        ],
    );
    refuses(
        "Grep(src/**)",
        expect![
            "write Read(…): rules for paths are called Read for every tool that reads files, Grep included"
        ],
    );
    refuses(
        "Edit(../x)",
        expect![
            "`../x` is no path pattern: a path in a rule has no `.` or `..` in it; write src/** (below the project), ~/notes/** (below home) or //etc/** (anywhere)"
        ],
    );
    refuses(
        "Edit(~me/x)",
        expect![
            "`~me/x` is no path pattern: `~` is followed by a slash; write src/** (below the project), ~/notes/** (below home) or //etc/** (anywhere)"
        ],
    );
    refuses(
        "Edit(a{b,c})",
        expect![
            "`a{b,c}` is no path pattern: braces are not wildcards here; write one rule for each name, or escape them; write src/** (below the project), ~/notes/** (below home) or //etc/** (anywhere)"
        ],
    );
    refuses(
        "Edit(a**b)",
        expect![
            "`a**b` is no path pattern: `**` stands alone between slashes; write src/** (below the project), ~/notes/** (below home) or //etc/** (anywhere)"
        ],
    );
    refuses(
        "WebFetch(example.org)",
        expect![
            "`example.org` is no domain; write WebFetch(domain:example.org) for one host or WebFetch(domain:*.example.org) for those below it"
        ],
    );
    refuses(
        "WebSearch(x)",
        expect!["`WebSearch` takes nothing in parentheses; only Bash, Edit, Read and WebFetch do"],
    );
    refuses(
        "mcp__github(x)",
        expect![
            "`mcp__github` takes nothing in parentheses; only Bash, Edit, Read and WebFetch do"
        ],
    );
    refuses(
        "mcp__",
        expect![
            "`mcp__` names no MCP server; write mcp__server, mcp__server__tool or mcp__server__*"
        ],
    );
}

#[test]
fn a_rule_can_be_said_in_words() {
    let lines: Vec<String> = [
        "Bash",
        "Bash(git status:*)",
        "Bash(ls -l)",
        "Bash(npm * x)",
        "Edit(src/**)",
        "Read(.env)",
        "Read(~/x/**)",
        "Edit(//etc/hosts)",
        "Edit",
        "*",
        "mcp__x",
        "mcp__x__y",
        "mcp__*__get",
        "WebFetch(domain:example.org)",
        "WebFetch(domain:*.example.org)",
        "WebSearch",
    ]
    .into_iter()
    .zip(RuleDecision::ALL.iter().cycle())
    .map(|(text, decision)| words(&Pattern::parse(text).unwrap(), *decision))
    .collect();
    expect![[r#"
        Allows every shell command
        Denies `git status` with any arguments
        Always asks before exactly `ls -l`
        Allows commands like `npm * x`, with anything for each `*`
        Denies changing anything below `src` in the project
        Always asks before reading `.env` anywhere in the project
        Allows reading anything below `~/x`
        Denies changing `/etc/hosts`
        Always asks before changing any file
        Allows every tool
        Denies every tool of the MCP server `x`
        Always asks before every use of mcp__x__y
        Allows every tool whose name matches `mcp__*__get`
        Denies fetching from example.org and the hosts below it
        Always asks before fetching from any host below example.org
        Allows every use of WebSearch"#]]
    .assert_eq(&lines.join("\n"));
}

/// A name may end in a backslash, which is written twice.
#[test]
fn a_name_with_a_backslash_reads_back_as_itself() {
    let text = r"Edit(/\\/**)";
    assert_eq!(Pattern::parse(text).unwrap().to_string(), text);
    assert!(Pattern::parse(r"Edit(/a\/b)").is_err());
}
