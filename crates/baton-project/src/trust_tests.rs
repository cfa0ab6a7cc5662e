use std::{
    fs,
    os::unix::fs::{PermissionsExt, symlink},
};

use tempfile::TempDir;

use super::*;

#[path = "trust_nested_tests.rs"]
mod nested;

#[path = "trust_digest_tests.rs"]
mod digest;

/// A home with the user's own settings, and a project in it.
struct Tree {
    home: PathBuf,
    _folder: TempDir,
}

impl Tree {
    fn new(files: &[(&str, &str)]) -> Self {
        let folder = TempDir::new().unwrap();
        let tree = Self {
            home: folder.path().canonicalize().unwrap(),
            _folder: folder,
        };
        fs::create_dir(tree.project()).unwrap();
        tree.write(".claude/settings.json", r#"{"hooks":{}, "model":"mine"}"#);
        for (name, text) in files {
            tree.write(&format!("project/{name}"), text);
        }
        if files.iter().any(|(name, _)| *name == ".git/HEAD") {
            tree.complete("project/.git");
        }
        tree
    }

    fn project(&self) -> PathBuf {
        self.home.join("project")
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.home.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// What else git wants of a repository before it takes it for one.
    fn complete(&self, dir: &str) {
        for name in ["objects", "refs"] {
            fs::create_dir_all(self.home.join(dir).join(name)).unwrap();
        }
    }

    fn run(&self) -> Survey {
        let home = &*self.home;
        let mut survey = survey(&self.project(), &home.join(".claude"), home);
        // What lies above the test's own folder is this machine's.
        let own =
            |item: &Item| !item.file.starts_with('/') || Path::new(&item.file).starts_with(home);
        survey.items.retain(own);
        survey
    }
}

/// `kind name = detail` of each item.
fn lines(survey: &Survey) -> Vec<String> {
    let line = |item: &Item| {
        let kind = serde_json::to_value(item.kind).unwrap();
        let kind = kind.as_str().unwrap().to_owned();
        format!("{kind} {} = {}", item.name, item.detail)
    };
    survey.items.iter().map(line).collect()
}

#[track_caller]
fn check(files: &[(&str, &str)], expected: &[&str]) {
    let tree = Tree::new(files);
    let survey = tree.run();
    assert_eq!(lines(&survey), expected);
    assert!(survey.complete);
    assert_eq!(survey.is_empty(), expected.is_empty());
    assert!(survey.notes[0].contains("CLAUDE.md"));
}

#[test]
fn a_folder_with_nothing_that_runs_is_empty() {
    check(&[("CLAUDE.md", "Be kind."), ("src/main.rs", "")], &[]);
    check(&[(".claude/settings.json", " \n")], &[]);
    let git = "[core]\nbare = false\n[alias]\nst = status\n[remote \"origin\"]\nurl = x\n";
    check(
        &[(".git/HEAD", "ref: refs/heads/main"), (".git/config", git)],
        &[],
    );
}

#[test]
fn hooks_are_listed_with_moment_matcher_and_command() {
    let settings = r#"{"hooks": {
        "PreToolUse": [
            {"matcher": "Bash", "hooks": [{"type": "command", "command": "./check.sh", "timeout": 5}]},
            {"hooks": [{"type": "prompt", "prompt": "Is it fine?"}]},
            {"odd": 1},
            {"if": "x", "hooks": [{"type": "command", "command": "y"}]}
        ],
        "Stop": "odd"
    }}"#;
    check(
        &[(".claude/settings.json", settings)],
        &[
            r#"hook PreToolUse = Is it fine? {"type":"prompt"}"#,
            r#"hook PreToolUse = y {"if":"x"}"#,
            r#"hook PreToolUse = {"odd":1}"#,
            r#"hook PreToolUse (Bash) = ./check.sh {"timeout":5}"#,
            "hook Stop = odd",
        ],
    );
}

#[test]
fn no_setting_is_passed_over() {
    let settings = r#"{
        "$schema": "https://example.org",
        "env": {"LD_PRELOAD": "./x.so", "N": 1},
        "apiKeyHelper": "./key.sh",
        "statusLine": {"type": "command", "command": "./line.sh"},
        "newThing": {"command": "./new.sh", "every": 5},
        "permissions": {
            "allow": ["Bash(rm:*)"], "deny": [], "defaultMode": "bypassPermissions",
            "additionalDirectories": ["/"]
        },
        "enabledPlugins": {"a@b": true},
        "extraKnownMarketplaces": {"b": {"source": "x"}},
        "enableAllProjectMcpServers": true,
        "enabledMcpjsonServers": ["one"],
        "outputStyle": "Loud",
        "model": "opus"
    }"#;
    check(
        &[(".claude/settings.local.json", settings)],
        &[
            "mcpServer enableAllProjectMcpServers = true",
            "mcpServer enabledMcpjsonServers = one",
            "environment LD_PRELOAD = ./x.so",
            "environment N = 1",
            "helper apiKeyHelper = ./key.sh",
            r#"helper newThing = ./new.sh {"every":5}"#,
            "helper statusLine = ./line.sh",
            "permission additionalDirectories = /",
            "permission allow = Bash(rm:*)",
            "permission defaultMode = bypassPermissions",
            "plugin a@b = enabledPlugins: true",
            r#"marketplace b = extraKnownMarketplaces: {"source":"x"}"#,
            "outputStyle outputStyle = Loud",
            "other model = opus",
        ],
    );
}

#[test]
fn servers_show_their_command_line_or_address() {
    let servers = r#"{"mcpServers": {
        "local": {"command": "npx", "args": ["-y", "a b", ""], "env": {"K": "v"}},
        "far": {"type": "http", "url": "https://example.org/mcp"}
    }, "more": 1}"#;
    check(
        &[(".mcp.json", servers)],
        &[
            r#"mcpServer far = https://example.org/mcp {"type":"http"}"#,
            r#"mcpServer local = npx -y 'a b' '' {"env":{"K":"v"}}"#,
            "other more = 1",
        ],
    );
}

#[test]
fn files_that_the_cli_obeys_are_listed() {
    check(
        &[
            (".claude/commands/deep/fix.md", "fix"),
            (".claude/agents/a.md", "agent"),
            (".claude/skills/one/SKILL.md", "skill"),
            (".claude/skills/one/run.py", "print()"),
            (".claude/skills/two/SKILL.md", "other"),
            (".claude/output-styles/loud.md", "LOUD"),
            (".claude/hooks/x.sh", "x"),
            (".claude/scheduled_tasks.json", "{}"),
            (
                ".baton/permissions.json",
                r#"{"tier":"readonly","note":"Look only."}"#,
            ),
        ],
        &[
            "command deep/fix.md = 3 bytes",
            "agent a.md = 5 bytes",
            "skill one = 2 files, 12 bytes",
            "skill two = 5 bytes",
            "outputStyle loud.md = 4 bytes",
            "toolSurface tools = Read Glob Grep WebSearch WebFetch; note: Look only.",
            "other x.sh = 1 bytes",
            "other scheduled_tasks.json = 2 bytes",
        ],
    );
}

#[test]
fn folders_above_count_and_the_users_own_settings_do_not() {
    let tree = Tree::new(&[]);
    assert!(tree.run().is_empty());
    tree.write(".mcp.json", r#"{"mcpServers":{"up":{"command":"x"}}}"#);
    let survey = tree.run();
    assert_eq!(lines(&survey), ["mcpServer up = x"]);
    let file = tree.home.join(".mcp.json");
    assert_eq!(survey.items[0].file, file.to_str().unwrap());
    // The home itself as a project: its settings are the user's.
    let home = &*tree.home;
    let at_home = super::survey(home, &home.join(".claude"), home);
    assert_eq!(lines(&at_home), ["mcpServer up = x"]);
    let elsewhere = super::survey(home, &home.join("other"), home);
    assert_eq!(lines(&elsewhere).len(), 2);
}

#[test]
fn settings_that_make_git_run_something_are_listed() {
    let config = r#"
        [core]
            fsmonitor = ./watch.sh
            hooksPath = .husky
            sshCommand = ssh -F x
            pager
        [filter "big"]
            clean = ./clean %f
            required = true
        [diff "pdf"]
            textconv = pdf
        [merge "m"]
            driver = ./m
        [credential "https://example.org"]
            helper = !echo
        [alias]
            st = status
            x = !rm -rf .
        [gpg "ssh"]
            program = ./sign
        [remote "origin"]
            url = ext::sh -c x
        [submodule "s"]
            update = !boom
        [include]
            path = ../shared.gitconfig
    "#;
    check(
        &[
            (".git/HEAD", "ref: refs/heads/main"),
            (".git/config", config),
            ("shared.gitconfig", "[sequence]\neditor = ./edit"),
        ],
        &[
            "git sequence.editor = ./edit",
            "git alias.x = !rm -rf .",
            "git core.fsmonitor = ./watch.sh",
            "git core.hookspath = .husky",
            "git core.pager = true",
            "git core.sshcommand = ssh -F x",
            "git credential.https://example.org.helper = !echo",
            "git diff.pdf.textconv = pdf",
            "git filter.big.clean = ./clean %f",
            "git gpg.ssh.program = ./sign",
            "git include.path = ../shared.gitconfig",
            "git merge.m.driver = ./m",
            "git remote.origin.url = ext::sh -c x",
            "git submodule.s.update = !boom",
        ],
    );
}

#[test]
fn what_the_users_own_git_settings_leave_to_the_repository_counts() {
    let tree = Tree::new(&[(".git/HEAD", "ref: refs/heads/main")]);
    tree.write(
        ".gitconfig",
        "[core]\nhooksPath = githooks\n[alias]\nx = !tools/x.sh\n\
         [include]\npath = more/own\n[url \"a/b\"]\ninsteadOf = tools/show.sh\n",
    );
    tree.write(
        "more/own",
        "[core]\nfsmonitor = true\nsshCommand = ~/bin/ssh.sh\n\
         [diff \"x\"]\ntextconv = sh tools/show.sh\n",
    );
    // Where nothing lies there, there is nothing to ask.
    assert!(tree.run().is_empty(), "{:?}", lines(&tree.run()));
    let guarded = |name: &str| tree.run().scripts.contains(&tree.project().join(name));
    assert!(guarded("githooks") && guarded("tools/show.sh") && !guarded("tools/x.sh"));
    for name in ["githooks/post-index-change", "tools/show.sh", "tools/x.sh"] {
        tree.write(&format!("project/{name}"), "run");
        let path = tree.project().join(name);
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    }
    let survey = tree.run();
    let wanted = [
        "gitHook post-index-change = 3 bytes",
        "git diff.x.textconv = sh tools/show.sh",
    ];
    let mut seen = lines(&survey);
    seen.sort_unstable();
    let mut wanted = wanted.map(str::to_owned);
    wanted.sort_unstable();
    assert_eq!(seen, wanted);
    for name in ["githooks/post-index-change", "tools/show.sh"] {
        tree.write(&format!("project/{name}"), "other");
        assert_ne!(tree.run().digest(), survey.digest(), "{name}");
        tree.write(&format!("project/{name}"), "run");
    }
}

#[test]
fn hooks_work_trees_and_submodules_of_a_repository_count() {
    let tree = Tree::new(&[(".git", "gitdir: ../main/.git/worktrees/w\n")]);
    let fsmonitor = "[core]\nfsmonitor = ";
    for (name, text) in [
        ("worktrees/w/HEAD", "ref: refs/heads/x".to_owned()),
        ("worktrees/w/commondir", "../..".to_owned()),
        ("worktrees/w/config.worktree", format!("{fsmonitor}tree")),
        ("config", format!("{fsmonitor}common")),
        ("modules/lib/deep/HEAD", "ref: refs/heads/x".to_owned()),
        ("modules/lib/deep/config", format!("{fsmonitor}module")),
        ("hooks/pre-commit", "run".to_owned()),
        ("hooks/pre-push", "not executable".to_owned()),
        ("hooks/update.sample", "sample".to_owned()),
    ] {
        tree.write(&format!("main/.git/{name}"), &text);
    }
    tree.complete("main/.git");
    let hooks = tree.home.join("main/.git/hooks");
    for name in ["pre-commit", "update.sample"] {
        fs::set_permissions(hooks.join(name), fs::Permissions::from_mode(0o755)).unwrap();
    }
    let survey = tree.run();
    let mut seen = lines(&survey);
    seen.sort_unstable();
    assert_eq!(
        seen,
        [
            "git core.fsmonitor = common",
            "git core.fsmonitor = module",
            "git core.fsmonitor = tree",
            "gitHook pre-commit = 3 bytes",
        ]
    );
    // All of it lies outside the project, and that is said.
    assert!(survey.items.iter().all(|item| item.link.is_some()));
    tree.write("main/.claude/agents/a.md", "agent");
    let seen = lines(&tree.run());
    assert!(
        seen.contains(&"agent a.md = 5 bytes".to_owned()),
        "{seen:?}"
    );
}

#[test]
fn what_cannot_be_read_or_understood_is_a_problem() {
    for (name, text, expected) in [
        (
            ".claude/settings.json",
            "{\"a\":",
            "problem settings.json = is not JSON",
        ),
        (
            ".claude/settings.json",
            "[1]",
            "problem settings.json = is not a JSON object",
        ),
        (".mcp.json", "x", "problem .mcp.json = is not JSON"),
        (
            ".baton/permissions.json",
            "{\"tier\":1}",
            "problem permissions.json = ",
        ),
        (".git", "nonsense", "problem .git = is no repository"),
        (
            ".mcp.json/folder",
            "x",
            "problem .mcp.json = is not a regular file",
        ),
    ] {
        let tree = Tree::new(&[(name, text)]);
        let seen = lines(&tree.run());
        assert_eq!(seen.len(), 1, "{name}: {seen:?}");
        assert!(seen[0].starts_with(expected), "{seen:?}");
    }
    let bad = [
        (".git/HEAD", "x"),
        (".git/config", "[core]\nfsmonitor=x\n!"),
    ];
    check(
        &bad,
        &[
            "git core.fsmonitor = x",
            "problem config = cannot be understood from line 3 on",
        ],
    );
    let tree = Tree::new(&[]);
    symlink("nowhere", tree.project().join(".mcp.json")).unwrap();
    let wanted = ["problem .mcp.json = is a link to nothing"];
    assert_eq!(lines(&tree.run()), wanted);
}

#[test]
fn links_out_of_the_folder_are_followed_and_said() {
    let tree = Tree::new(&[(".claude/commands/own.md", "own")]);
    tree.write("elsewhere/skill/SKILL.md", "text");
    let outside = tree.home.join("elsewhere");
    let claude = tree.project().join(".claude");
    symlink(&outside, claude.join("skills")).unwrap();
    // A circle is entered once.
    symlink("..", claude.join("commands/again")).unwrap();
    let survey = tree.run();
    let skill = survey.items.iter().find(|item| item.kind == Kind::Skill);
    let skill = skill.unwrap();
    assert_eq!(skill.name.as_str(), "skill");
    assert_eq!(skill.detail.as_str(), "4 bytes");
    let real = outside.join("skill").canonicalize().unwrap();
    assert_eq!(skill.link.as_deref(), real.to_str());
    let before = survey.digest();
    tree.write("elsewhere/skill/SKILL.md", "toxt");
    assert_ne!(tree.run().digest(), before);
}

#[test]
fn names_and_values_cannot_hide_anything() {
    let settings = "{\"env\":{\"A\\u202e\":\"\\u001b[2Jx\\n\"}}";
    check(
        &[(".claude/settings.json", settings)],
        &["environment A\\u{202e} = \\u{1b}[2Jx\\n"],
    );
}

#[test]
fn a_repository_that_is_not_whole_yet_counts_beside_the_one_above_it() {
    let tree = Tree::new(&[(".git/config", "[core]\nfsmonitor = ./near\n")]);
    tree.write(".git/HEAD", "ref: refs/heads/main\n");
    tree.write(".git/config", "[core]\nfsmonitor = ./above\n");
    tree.complete(".git");
    let lines = lines(&tree.run());
    for line in [
        "git core.fsmonitor = ./near",
        "git core.fsmonitor = ./above",
    ] {
        assert!(lines.iter().any(|one| one == line), "{lines:?}");
    }
}
