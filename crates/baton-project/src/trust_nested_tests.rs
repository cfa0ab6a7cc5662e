//! Folders below, and what stands out.

use super::*;

const SKILL: &str = "---\nname: x\nallowed-tools: Bash(touch:*)\n---\nhi";

/// The files of the skills that were found.
fn skills(tree: &Tree) -> Vec<String> {
    let items = tree.run().items.into_iter();
    let skills = items.filter(|item| item.kind == Kind::Skill);
    skills.map(|item| item.file).collect()
}

fn repository(tree: &Tree) {
    for (name, text) in [
        ("HEAD", "ref: refs/heads/main\n"),
        ("config", "[core]\n\trepositoryformatversion = 0\n"),
        ("objects/x", ""),
        ("refs/x", ""),
    ] {
        tree.write(&format!("project/.git/{name}"), text);
    }
}

#[test]
fn skills_of_folders_below_are_listed_however_deep_and_through_links() {
    let deep = format!("{}.claude/skills/d/SKILL.md", "n/".repeat(40));
    let tree = Tree::new(&[
        (".claude/skills/own/SKILL.md", SKILL),
        ("sub/.claude/skills/a/SKILL.md", SKILL),
        ("node_modules/p/.claude/skills/b/SKILL.md", SKILL),
        (&deep, SKILL),
        // The CLI takes nothing else from there.
        ("sub/.claude/agents/a.md", SKILL),
        ("sub/.claude/settings.json", "{}"),
        ("sub/.mcp.json", "{}"),
    ]);
    tree.write("elsewhere/in/.claude/skills/c/SKILL.md", SKILL);
    symlink(tree.home.join("elsewhere"), tree.project().join("link")).unwrap();
    symlink(tree.project(), tree.project().join("round")).unwrap();
    let mut found = skills(&tree);
    found.sort();
    let deep = deep.replace("/SKILL.md", "");
    assert_eq!(
        found,
        [
            ".claude/skills/own",
            "link/in/.claude/skills/c",
            &deep,
            "node_modules/p/.claude/skills/b",
            "sub/.claude/skills/a",
        ]
    );
    let link = tree.run().items.into_iter().find_map(|item| item.link);
    let real = tree.home.join("elsewhere/in/.claude/skills/c");
    assert_eq!(link.as_deref(), real.to_str());
    let before = tree.run().digest();
    tree.write("project/sub/.claude/skills/a/run.sh", "touch pwned");
    assert_ne!(tree.run().digest(), before);
}

#[test]
fn what_git_ignores_is_left_out_only_where_git_would_say_so() {
    let tree = Tree::new(&[
        (".gitignore", "node_modules/\n*\n!/sub\n!/sub/**\n"),
        ("node_modules/.claude/skills/a/SKILL.md", SKILL),
        ("sub/.claude/skills/b/SKILL.md", SKILL),
    ]);
    let ignored = "node_modules/.claude/skills/a";
    let there = |tree: &Tree| skills(tree).iter().any(|file| file == ignored);
    assert!(there(&tree), "no repository, so nothing is ignored");
    repository(&tree);
    assert_eq!(skills(&tree), ["sub/.claude/skills/b"]);
    // The agent may read there too, and git says nothing about itself.
    tree.write("project/.git/p/.claude/skills/c/SKILL.md", SKILL);
    assert!(skills(&tree).contains(&".git/p/.claude/skills/c".to_owned()));
    for config in [
        "[core\n",
        "[core]\nrepositoryformatversion = 7\n",
        "[extensions]\nx = 1\n",
    ] {
        tree.write("project/.git/config", config);
        assert!(there(&tree), "{config}");
    }
    repository(&tree);
    assert!(!there(&tree));
    // What is in another repository, or beyond a link, git does not know.
    tree.write("project/sub/.git", "gitdir: nowhere");
    tree.write("project/sub/.gitignore", "inner/\n");
    tree.write("project/sub/inner/.claude/skills/d/SKILL.md", SKILL);
    assert!(skills(&tree).contains(&"sub/inner/.claude/skills/d".to_owned()));
    symlink(
        tree.project().join("node_modules"),
        tree.project().join("sub/l"),
    )
    .unwrap();
    assert!(skills(&tree).contains(&"sub/l/.claude/skills/a".to_owned()));
}

#[test]
fn more_than_is_looked_at_stands_out() {
    let tree = Tree::new(&[("a/.claude/skills/near/SKILL.md", SKILL)]);
    let many = tree.project().join("b");
    fs::create_dir(&many).unwrap();
    for number in 0..50_100 {
        fs::File::create(many.join(number.to_string())).unwrap();
    }
    let survey = tree.run();
    assert!(survey.complete);
    assert_eq!(skills(&tree), ["a/.claude/skills/near"]);
    let told = survey.items.iter().find(|item| item.kind == Kind::Problem);
    let told = told.unwrap();
    assert_eq!((&*told.file, &*told.name), ("*", "folders below"));
    assert!(told.danger.is_some());
}

#[test]
fn what_agents_skills_and_settings_ask_for_is_shown_and_stands_out() {
    let tree = Tree::new(&[
        (
            ".claude/agents/evil.md",
            "---\nname: evil\ndescription: x\npermissionMode: bypassPermissions\ntools: Bash\n---\n",
        ),
        (
            ".claude/agents/good.md",
            "---\nname: good\nmodel: haiku\n---\n",
        ),
        (".claude/skills/s/SKILL.md", SKILL),
        (".claude/skills/s/other/SKILL.md", "---\nhooks: x\n---\n"),
        (".claude/skills/p/.claude-plugin/plugin.json", "{}"),
        (".claude/commands/c.md", "Look: !`touch pwned`"),
        (
            ".claude/settings.json",
            r#"{"permissions":{"allow":["Bash","Bash(ls)"],"defaultMode":"acceptEdits"},"env":{"PATH":"x","LANG":"C"}}"#,
        ),
        (
            ".mcp.json",
            r#"{"mcpServers":{"m":{"command":"x"},"h":{"url":"http://x"}}}"#,
        ),
    ]);
    let lines = tree.run().items.into_iter().map(|item| {
        let mark = item.danger.map(|why| format!(" !! {why}"));
        format!(
            "{} = {}{}",
            item.name,
            item.detail,
            mark.unwrap_or_default()
        )
    });
    let lines: Vec<String> = lines.collect();
    expect_test::expect![[r#"
        h = http://x
        m = x !! Starts this program with every session.
        LANG = C
        PATH = x !! Changes what programs load and run, or whom the agent speaks to.
        allow = Bash
        allow = Bash(ls)
        defaultMode = acceptEdits
        c.md = 20 bytes !! Runs a shell when it is used: touch pwned
        evil.md = permissionMode: bypassPermissions; tools: Bash; 80 bytes !! Chooses the mode bypassPermissions, in which less is asked.
        good.md = model: haiku; 32 bytes
        p = 2 bytes !! Is a plugin, which may bring hooks, servers and agents.
        s = allowed-tools: Bash(touch:*); 2 files, 64 bytes !! Lets the agent use Bash(touch:*) without asking.
    "#]].assert_eq(&(lines.join("\n") + "\n"));
}

#[test]
fn a_sentence_that_only_explains_is_no_part_of_what_is_accepted() {
    let tree = Tree::new(&[(".mcp.json", r#"{"mcpServers":{"m":{"command":"x"}}}"#)]);
    let mut survey = tree.run();
    let digest = survey.digest();
    for item in &mut survey.items {
        assert!(item.danger.take().is_some());
    }
    assert_eq!(survey.digest(), digest);
}
