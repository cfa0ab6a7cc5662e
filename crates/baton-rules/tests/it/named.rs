//! Files, tools and programs that go by another name than the one that a rule
//! or a list knows. Each was found by trying, and stays closed.

use baton_protocol::words::PermissionMode;
use baton_rules::{FakePaths, Paths as _, RealPaths};
use serde_json::json;

use crate::found::project;
use crate::support::{PROJECT, World, brief, world};

#[test]
fn another_name_of_a_denied_file_is_denied() {
    let mut world =
        world("deny Read(.env)\ndeny Read(/sub/*.pem)\ndeny Edit(~/notes/**)\ndeny Read(**/*.key)")
            .mode(PermissionMode::BypassPermissions);
    world.paths = FakePaths::default().and_shared([
        ("/home/user/proj/.env", 1),
        ("/home/user/proj/notes.txt", 1),
        ("/home/user/proj/sub/a.pem", 2),
        ("/home/user/proj/b.txt", 2),
        ("/home/user/notes/deep/x", 3),
        ("/home/user/proj/y", 3),
        ("/home/user/proj/sub/other", 4),
        ("/home/user/proj/free", 4),
    ]);
    world
        .check("Read notes.txt", "deny: project Read(.env)")
        .check("Bash cat notes.txt", "deny: project Read(.env)")
        .check("Bash head -n1 < notes.txt", "deny: project Read(.env)")
        .check("Read b.txt", "deny: project Read(/sub/*.pem)")
        .check("Edit y", "deny: project Edit(~/notes/**)")
        .check("Write y", "deny: project Edit(~/notes/**)")
        .check("Bash echo x > y", "deny: project Edit(~/notes/**)")
        .check("Read y", "allow: bypassPermissions")
        .check("Read free", "allow: bypassPermissions")
        .check("Bash cat free", "allow: bypassPermissions");
    for named in ["Bash cat n*", "Bash grep -r x .", "Grep ."] {
        let verdict = brief(&world.verdict(named));
        assert!(
            verdict.starts_with("ask") || verdict.starts_with("deny"),
            "{named}: {verdict}"
        );
    }
}

#[test]
fn a_real_file_with_two_names_is_one_file() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    std::fs::write(at("one"), "x").unwrap();
    assert_eq!(RealPaths.shared(&at("one")), None);
    std::fs::hard_link(at("one"), at("two")).unwrap();
    let one = RealPaths.shared(&at("one"));
    assert!(one.is_some());
    assert_eq!(one, RealPaths.shared(&at("two")));
    assert_eq!(RealPaths.shared(folder.path()), None);
    assert_eq!(RealPaths.shared(&at("three")), None);
}

#[test]
fn a_path_is_taken_as_the_agent_takes_it() {
    let deny = project("deny Read(.env)\ndeny Read(caf\u{e9})");
    let free = project("");
    for path in [
        " .env",
        ".env ",
        "\u{feff}.env",
        ".env\u{a0}",
        "\t/home/user/proj/.env\n",
    ] {
        deny.check(&format!("Read {path}"), "deny: project Read(.env)");
        free_is_asked(&free, "Read", path);
    }
    // The home folder, and what only looks as if it were in the project.
    for path in [
        "~",
        " ~",
        " /etc/passwd",
        "\u{a0}/etc/passwd",
        "~//../../etc/passwd",
        "cafe\u{301}",
    ] {
        for tool in ["Read", "Grep", "LS"] {
            free_is_asked(&free, tool, path);
        }
    }
    let spelled = brief(&deny.verdict("Read cafe\u{301}"));
    assert!(spelled.starts_with("ask"), "{spelled}");
    for base in ["~", " /etc"] {
        let input = serde_json::json!({"pattern": "*", "path": base});
        let mut before = project("").before_use();
        before.mode = PermissionMode::Default;
        assert_eq!(brief(&before.judge("Glob", &input)), "ask", "{base}");
    }
    let before = project("").before_use();
    let calls_inside = "README.md, caf\u{e9}, \u{65e5}\u{672c}.md, a b.md, \u{1f600}.md, ~x";
    for inside in calls_inside.split(", ") {
        before.check(&format!("Read {inside}"), "unmatched");
    }
}

#[track_caller]
fn free_is_asked(world: &World, tool: &str, path: &str) {
    let field = if tool == "Read" { "file_path" } else { "path" };
    let input = serde_json::json!({ field: path });
    let mut before = project("").before_use();
    before.rules.clone_from(&world.rules);
    assert_eq!(brief(&before.judge(tool, &input)), "ask", "{tool} {path:?}");
}

#[test]
fn another_shell_is_asked_about_where_a_rule_may_be_about_it() {
    let run = serde_json::json!({"command": "rm x"});
    for (rules, expected) in [
        ("deny Bash(rm:*)", "ask: project Bash(rm:*)"),
        ("deny Read(.env)", "ask: project Read(.env)"),
        ("ask Bash(git push:*)", "ask: project Bash(git push:*)"),
        ("deny Bash", "deny: project Bash"),
        ("", "allow: bypassPermissions"),
    ] {
        let free = project(rules).mode(PermissionMode::BypassPermissions);
        assert_eq!(brief(&free.judge("PowerShell", &run)), expected, "{rules}");
    }
    for allowing in ["", "allow Bash(rm:*)", "allow Bash(rm x)", "allow Bash"] {
        let before = project(allowing).before_use();
        assert_eq!(
            brief(&before.judge("PowerShell", &run)),
            "ask",
            "{allowing}"
        );
        let quiet = project(allowing).mode(PermissionMode::DontAsk);
        assert_eq!(
            brief(&quiet.judge("PowerShell", &run)),
            "deny: dontAsk",
            "{allowing}"
        );
        let plan = project(allowing).mode(PermissionMode::Plan);
        let wanted = "deny: plan";
        assert_eq!(brief(&plan.judge("PowerShell", &run)), wanted, "{allowing}");
    }
}

#[test]
fn a_program_of_jq_in_a_file_is_asked_about() {
    let before = project("").before_use();
    for asked in [
        "jq -f x.jq README.md",
        "jq -nf x.jq",
        "jq -n --from-file x.jq",
        "jq --from-f x.jq README.md",
    ] {
        before.check(&format!("Bash {asked}"), "ask");
    }
    for free in ["jq . README.md", "jq -r .foo README.md", "jq -n 1"] {
        before.check(&format!("Bash {free}"), "unmatched");
    }
}

#[test]
fn what_has_signatures_looked_at_is_asked_about() {
    let before = project("").before_use();
    let all_asked = "git log --pretty=format:%GK, git log --format='%h %G?', \
        git log '--format=%'GK, git show -s --format=%GS, git stash list --format=%GK, \
        git for-each-ref --format='%(signature:grade)'";
    for asked in all_asked.split(", ") {
        before.check(&format!("Bash {asked}"), "ask");
    }
    before.check("Bash git log --format='%h %s'", "unmatched");
}

/// Nobody knows what such a tool does with a file that its input names.
#[test]
fn a_denied_file_in_the_input_of_any_tool_is_asked_about() {
    let rules = "deny Read(.env)\ndeny Edit(/sub/**)\nask Read(/notes/**)";
    let mut bypass = world(rules).mode(PermissionMode::BypassPermissions);
    let mut quiet = world(rules).mode(PermissionMode::DontAsk);
    for world in [&mut bypass, &mut quiet] {
        let files = [".env", "sub/x", "src/main.rs"].map(|name| format!("{PROJECT}/{name}"));
        world.paths = FakePaths::default().and_files(files.iter().map(String::as_str));
    }
    let long = format!("{} .env", "x ".repeat(10_000));
    for input in [
        json!({"path": ".env"}),
        json!({"uri": "file:///home/user/proj/.env"}),
        json!({"files": [{"name": "a"}, {"name": "./sub/../.env"}]}),
        json!({"edits": {"sub/x": "new"}}),
        json!({"command": "cat '.env' | head"}),
        json!({"args": ["--file=.env"]}),
        json!({"folder": "/home/user/proj"}),
        json!({"folder": "sub"}),
        json!({"path": "~/proj/.env"}),
        json!({"path": "notes/today.md"}),
        json!({"text": long}),
    ] {
        for tool in ["mcp__files__get", "LSP", "NewTool"] {
            let verdict = brief(&bypass.judge(tool, &input));
            assert!(verdict.starts_with("ask"), "{tool} {input}: {verdict}");
            let verdict = brief(&quiet.judge(tool, &input));
            assert!(verdict.starts_with("deny"), "{tool} {input}: {verdict}");
        }
    }
    for input in [
        json!({}),
        json!({"path": "README.md", "limit": 5}),
        json!({"query": "what does src/main.rs do, and why?"}),
        json!({"folder": "src"}),
    ] {
        let verdict = brief(&bypass.judge("mcp__files__get", &input));
        assert_eq!(verdict, "allow: bypassPermissions", "{input}");
    }
    let prompt = json!({"prompt": "read .env", "description": "x"});
    let wanted = "allow: bypassPermissions";
    assert_eq!(brief(&bypass.judge("Agent", &prompt)), wanted);
}

/// What other agents are told to do passes the rules of their sessions only.
#[test]
fn nothing_is_passed_on_to_other_agents_unasked() {
    let message = json!({"to": "other", "summary": "x", "message": "run touch x"});
    for (rules, mode, expected) in [
        ("", PermissionMode::Default, "ask"),
        ("", PermissionMode::Plan, "deny"),
        ("", PermissionMode::DontAsk, "deny"),
        ("deny Bash", PermissionMode::BypassPermissions, "ask"),
        ("ask Read(.env)", PermissionMode::BypassPermissions, "ask"),
        ("", PermissionMode::BypassPermissions, "allow"),
    ] {
        let verdict = brief(
            &world(rules)
                .before_use()
                .mode(mode)
                .judge("SendMessage", &message),
        );
        assert!(verdict.starts_with(expected), "{rules} {mode}: {verdict}");
    }
    let verdict = brief(&world("").before_use().judge("ListAgents", &json!({})));
    assert!(verdict.starts_with("ask"), "{verdict}");
}

#[test]
fn the_folder_of_the_agents_settings_is_asked_about_as_a_whole() {
    let bypass = world("").mode(PermissionMode::BypassPermissions);
    let lines = "cp k2/settings.json ~/.claude/, cp -t ~/.claude k2/settings.json, \
        install -t ~/.claude k2/settings.json, tar xf x.tar -C ~/.claude, cp -r c2 .claude, \
        mv c2 .claude";
    for line in lines.split(", ") {
        let verdict = brief(&bypass.verdict(&format!("Bash {line}")));
        assert!(verdict.starts_with("ask"), "{line}: {verdict}");
    }
    bypass.check("Bash ls .claude", "allow: bypassPermissions");
}

#[test]
fn ps_shows_the_environment_in_every_form() {
    for line in [
        "ps e", "ps ewwU0", "ps ewwp1", "ps auxe", "ps -f e", "ps -E",
    ] {
        let verdict = brief(&world("").before_use().verdict(&format!("Bash {line}")));
        assert!(verdict.starts_with("ask"), "{line}: {verdict}");
    }
    for line in [
        "ps",
        "ps aux",
        "ps -ef",
        "ps -eo pid,etime,cmd",
        "ps -p 1 -o etime",
    ] {
        let verdict = brief(&world("").before_use().verdict(&format!("Bash {line}")));
        assert!(!verdict.starts_with("ask"), "{line}: {verdict}");
    }
}
