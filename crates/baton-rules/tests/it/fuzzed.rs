//! Lines that the fuzzer found, and what is reached without being named.

use baton_protocol::words::PermissionMode;
use baton_rules::Verdict;

use crate::found::{asked_or_denied, project};

/// Lines of the fuzzer: texts that a shell reads which is not the first one,
/// names that stand for other programs, and folders that nobody names.
#[test]
fn what_the_fuzzer_found() {
    let lines = [
        (
            "deny Bash(rm:*)",
            "env 'BASH_FUNC_ls%%=() { ls |& {r,}m ~+/x; }' bash -c ls",
        ),
        (
            "deny Edit(sub/**)",
            "env 'BASH_FUNC_ls%%=() { find . -fls s{ub/x,}; }' bash -c ls",
        ),
        (
            "deny Bash(git push:*)",
            "hash -p /usr/x -p /usr/bin/git ls; ls {p..p}ush",
        ),
        (
            "deny Bash(git push:*)",
            "shopt -s expand_aliases; alias ls=git\nls {p..p}ush",
        ),
        (
            "deny Edit(sub/**)",
            "git -c alias.x='!cd sub && touch new' x",
        ),
        (
            "deny Edit(sub/**)",
            "git config alias.x '!cd sub && touch new' && git x",
        ),
        (
            "deny Bash(rm:*)",
            "tee y </bin/rm > x; chmod +x x; ./x README.md",
        ),
        ("deny Edit(.env)", "find -delete"),
        (
            "deny Edit(.env)",
            "grep --filter='*:git clean -fdx' x README.md",
        ),
        ("deny Edit(sub/**)", "rg --pre 'git clean -fdx' x README.md"),
        ("deny Read(sub/**)", "git add -f *e"),
        ("deny Read(sub/**)", "git stage '*e'"),
        ("deny Read(sub/**)", "git add :/"),
        ("deny Edit(.env)", "find -L -D exec -depth -delete"),
        ("deny Read(.env)", "find -exec cat {} +"),
        ("deny Edit(.env)", "fd -x rm"),
        ("deny Read(.env)", "grep -e x -rf README.md"),
        ("deny Read(.env)", "grep -r x -m 1"),
        ("deny Read(.env)", "rg -m 1 x"),
        ("deny Read(.env)", "git -c a.b=c --no-pager grep x"),
        ("deny Edit(sub/**)", "git -c a.b=c rebase main"),
        (
            "deny Edit(sub/**)",
            "runs 'sort --output s\\\nub/x README.md'",
        ),
        ("deny Read(.env)", "tcsh -fc 'sed -e R.env README.md'"),
        (
            "deny Read(.env)",
            "echo 'sed -e R.env README.md' > y; bash y",
        ),
        ("deny Bash(rm:*)", "runs 'case x in *) ${A:-r}m x;; esac'"),
    ];
    for (rule, line) in lines {
        let bypass = PermissionMode::BypassPermissions;
        asked_or_denied(&project(rule).mode(bypass), line);
    }
    // What is still not asked about.
    let lines = [
        ("deny Edit(.env)", "find src -delete"),
        ("deny Read(.env)", "grep -rn --include '*.rs' foo src"),
        ("deny Read(.env)", "grep -r foo src tests"),
        ("deny Bash(rm:*)", "pytest -k 'not (slow or net)'"),
    ];
    for (rule, line) in lines {
        let bypass = PermissionMode::BypassPermissions;
        let verdict = project(rule).mode(bypass).verdict(&format!("Bash {line}"));
        assert!(
            matches!(verdict, Verdict::Allow { .. }),
            "{line}: {verdict:?}"
        );
    }
}

/// The environment may hold secrets, whichever program shows it.
#[test]
fn what_shows_the_environment_is_asked_about() {
    let lines = [
        "echo $GITHUB_TOKEN",
        "echo \"key: ${OPENAI_API_KEY:0:9}\"",
        "echo ${!AWS*}",
        "jq -n env",
        "jq -n '$ENV.HOME'",
        "awk 'BEGIN { for (k in ENVIRON) print ENVIRON[k] }'",
        "ps auxe",
        "ps -E",
        "env -i git status",
        "env -u GIT_CONFIG_COUNT git status",
    ];
    for mode in [PermissionMode::Default, PermissionMode::Plan] {
        for line in lines {
            asked_or_denied(&project("").mode(mode).before_use(), line);
        }
    }
    for line in [
        "echo $PATH",
        "echo \"$HOME/x $? $LC_ALL\"",
        "ps aux",
        "ps -ef",
        "jq .name package.json",
        "echo '$GITHUB_TOKEN'",
    ] {
        let verdict = project("").before_use().verdict(&format!("Bash {line}"));
        assert!(matches!(verdict, Verdict::Unmatched), "{line}: {verdict:?}");
    }
}

/// Files that are named in other files are not known.
#[test]
fn names_that_come_from_a_file_are_asked_about() {
    for line in [
        "sort --files0-from=list",
        "sort --files0=list",
        "wc --files0-from=list",
        "du --files0-from=list",
        "file -f list",
    ] {
        asked_or_denied(&project("").before_use(), line);
    }
}

/// Behind the first name a program may take anything for a name.
#[test]
fn what_looks_like_an_option_may_be_a_file_to_write() {
    for line in ["xxd README.md --", "xxd - -sh", "xxd a -p", "uniq a -c"] {
        asked_or_denied(&project("").before_use(), line);
    }
    for line in ["xxd -p README.md", "ls | uniq -c", "ls | xxd -"] {
        let verdict = project("").before_use().verdict(&format!("Bash {line}"));
        assert_eq!(verdict, Verdict::Unmatched, "{line}");
    }
}

/// Nobody has a list of all files that some program obeys.
#[test]
fn accepting_edits_covers_no_hidden_settings() {
    let edit = |path: &str| {
        let world = project("").mode(PermissionMode::AcceptEdits);
        world.verdict(&format!("Edit {path}"))
    };
    let paths = ".bash_aliases .config/fish/config.fish .unheard-of/settings sub/.tmux.conf
        mise.toml .github/workflows/ci.yml .claude-plugin/plugin.json";
    for path in paths.split_whitespace() {
        assert!(matches!(edit(path), Verdict::Ask { .. }), "{path}");
    }
    for path in [
        ".gitignore",
        ".editorconfig",
        "src/main.rs",
        "sub/.prettierrc",
        ".dockerignore",
    ] {
        assert!(matches!(edit(path), Verdict::Allow { .. }), "{path}");
    }
}

/// What a server offers is the server's, however its name is written.
#[test]
fn a_rule_for_a_server_is_about_its_resources_and_its_real_name() {
    let free = |rule: &str| project(rule).mode(PermissionMode::BypassPermissions);
    let read = |server: &str| serde_json::json!({"server": server, "uri": "a://b"});
    for tool in [
        "ReadMcpResourceTool",
        "ReadMcpResourceDirTool",
        "ListMcpResourcesTool",
    ] {
        let verdict = free("deny mcp__gh").judge(tool, &read("gh"));
        assert!(
            matches!(verdict, Verdict::Deny { .. }),
            "{tool}: {verdict:?}"
        );
        let verdict = free("deny mcp__gh").judge(tool, &read("other"));
        assert!(
            matches!(verdict, Verdict::Allow { .. }),
            "{tool}: {verdict:?}"
        );
        let asked = project("").before_use().judge(tool, &read("gh"));
        assert!(matches!(asked, Verdict::Ask { .. }), "{tool}: {asked:?}");
    }
    let all = free("deny mcp__gh").judge("ListMcpResourcesTool", &serde_json::json!({}));
    assert!(matches!(all, Verdict::Ask { .. }), "{all:?}");
    for rule in [
        "deny mcp__my.srv",
        "deny mcp__my.srv__evil",
        "deny mcp__my.srv__*",
    ] {
        let verdict = free(rule).judge("mcp__my_srv__evil", &serde_json::json!({}));
        assert!(
            matches!(verdict, Verdict::Deny { .. }),
            "{rule}: {verdict:?}"
        );
    }
    // One whose name only begins like Baton's has none of its rights.
    for tool in ["mcp__baton__x__evil", "mcp__baton___evil"] {
        let world = project("").own_server("baton").before_use();
        let verdict = world.judge(tool, &serde_json::json!({}));
        assert!(
            matches!(verdict, Verdict::Ask { .. }),
            "{tool}: {verdict:?}"
        );
    }
}

/// An option has more than one form.
#[test]
fn a_denied_option_is_found_in_another_form() {
    let push = "allow Bash(git:*)\ndeny Bash(git push --force:*)";
    for line in [
        "git push -f origin main",
        "git push origin +main",
        "git push --force-with-lease",
        "git push origin main --force",
        "git push -uf origin x",
    ] {
        asked_or_denied(&project(push), line);
    }
    let remove = "allow Bash(rm:*)\ndeny Bash(rm -rf:*)";
    for line in [
        "rm -fr x",
        "rm -r -f x",
        "rm --recursive --force x",
        "rm x -rf",
    ] {
        asked_or_denied(&project(remove), line);
    }
    for (rules, line) in [
        (push, "git push origin main"),
        (remove, "rm x"),
        (remove, "rm -r x"),
    ] {
        let verdict = project(rules).verdict(&format!("Bash {line}"));
        assert!(
            matches!(verdict, Verdict::Allow { .. }),
            "{line}: {verdict:?}"
        );
    }
}

/// Whoever allows a line to the letter has seen what may speak against it.
#[test]
fn a_line_that_is_allowed_to_the_letter_is_not_asked_about_again() {
    let line = "git add -A && git commit -m x";
    let rules = |scope: &str| format!("deny Read(.env)\nallow {scope}Bash({line})");
    asked_or_denied(&project("deny Read(.env)\nallow Bash(git:*)"), line);
    let verdict = project(&rules("")).verdict(&format!("Bash {line}"));
    assert!(matches!(verdict, Verdict::Allow { .. }), "{verdict:?}");
    asked_or_denied(&project(&rules("")), "git add -A && git commit -m y");
    // What is denied for certain stays so.
    asked_or_denied(
        &project("deny Read(.env)\nallow Bash(cat .env)"),
        "cat .env",
    );
}

/// From inside a folder `..` is its parent, and not the parent's.
#[test]
fn a_folder_that_is_left_again_is_not_outside() {
    let world = project("").at("/home/user/proj/src").before_use();
    let verdict = world.verdict("Bash cd .. && ls");
    assert!(matches!(verdict, Verdict::Unmatched), "{verdict:?}");
    asked_or_denied(&world, "cd ../.. && ls");
    asked_or_denied(&world, "cd .. && cd .. && ls");
}

/// What a process has open can be opened again by these names, to write it too.
#[test]
fn open_files_have_other_names() {
    for (rule, lines) in [
        (
            "deny Edit(/sub/secret)",
            [
                "tee out.txt < README.md cat /dev/stdin < s?b/secret",
                "tee /dev/stdin < sub/secret",
                "echo x > /dev/stdin < sub/secret",
                "tee /dev/fd/0 < sub/secret",
            ],
        ),
        (
            "deny Read(/sub/secret)",
            [
                "tee /dev/stderr < /dev/stdout >> sub/secret",
                "cat /dev/stdout >> sub/secret",
                "cat /dev/fd/1 >> sub/secret",
                "cat /dev/stderr 2>> sub/secret",
            ],
        ),
    ] {
        for line in lines {
            let bypass = project(rule).mode(PermissionMode::BypassPermissions);
            asked_or_denied(&bypass, line);
        }
    }
}
