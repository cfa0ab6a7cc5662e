//! An agent runs commands in the user's own shell, which may be zsh: what it
//! would not do as other shells do is asked about.

use baton_protocol::words::PermissionMode;
use baton_rules::Verdict;

use crate::found::{asked_or_denied, project};

#[test]
fn what_zsh_reads_in_another_way_is_asked_about() {
    let lines = [
        // It has variables behind signs.
        "echo $=GITHUB_TOKEN",
        "echo \"$^GITHUB_TOKEN\"",
        "ls $~GITHUB_TOKEN",
        "cat <<E\n$=GITHUB_TOKEN\nE",
        // It computes what is behind a variable.
        "echo $PATH['$(touch pwned)']",
        "echo \"$PATH['\\$(touch pwned)']\"",
        "ls $1['`touch pwned`']",
        // Where a program is.
        "cat =ls",
        "head -n1 README.md =python3",
        // Any number of folders, through links.
        "cat ***/notes.txt",
        "cat **/away/notes.txt",
        "cat <1-9>",
        "cat <->",
    ];
    let world = project("").links([("/home/user/proj/a/b/c/away", "/home/user/other")]);
    let world = world.before_use();
    for line in lines {
        asked_or_denied(&world, line);
    }
    for line in [
        "cat src/**/*.rs",
        "test README.md = x",
        "grep -n 'a$=b' README.md",
        "grep -n 'x$y[0]' README.md",
        "echo \"costs 5$\"",
        "grep == README.md",
        "cat <README.md",
    ] {
        let verdict = world.verdict(&format!("Bash {line}"));
        assert_eq!(verdict, Verdict::Unmatched, "{line}");
    }
}

#[test]
fn no_denial_is_passed_by_what_zsh_reads_in_another_way() {
    for (rule, line) in [
        ("deny Bash(rm:*)", "=rm x"),
        ("deny Edit(.env)", "echo x >! .env"),
        ("deny Edit(.env)", "echo x >>!.env"),
        ("deny Edit(.env)", "echo x &>!.env"),
        ("deny Read(sub/src/**)", "cat **/x"),
        ("deny Read(sub/src/**)", "cat ***/x"),
    ] {
        let world = project(rule).mode(PermissionMode::BypassPermissions);
        asked_or_denied(&world, line);
    }
}
