//! The order of R4: deny, plan, bypass and acceptEdits, scopes, dontAsk, a person.

use baton_protocol::words::{ApprovalKind, PermissionMode};

use baton_rules::{FakePaths, Verdict};

use crate::support::{World, brief, world};

#[test]
fn a_deny_rule_of_any_scope_wins_in_every_mode() {
    let rules = "deny user Bash(rm:*)\nallow session Bash(rm:*)\nallow session Bash";
    for mode in PermissionMode::ALL {
        world(rules)
            .mode(*mode)
            .check("Bash rm -rf x", "deny: user Bash(rm:*)");
        world(rules)
            .mode(*mode)
            .before_use()
            .check("Bash ls; rm x", "deny: user Bash(rm:*)");
    }
}

#[test]
fn the_nearest_scope_with_a_match_decides() {
    world("allow session Bash(git push:*)\nask user Bash(git:*)")
        .check("Bash git push", "allow: session Bash(git push:*)")
        .check("Bash git pull", "ask: user Bash(git:*)");
    world("ask session Bash(git push:*)\nallow user Bash(git:*)")
        .check("Bash git push", "ask: session Bash(git push:*)")
        .check("Bash git pull", "allow: user Bash(git:*)");
}

#[test]
fn within_a_scope_ask_beats_allow() {
    world("allow project Edit(src/**)\nask project Edit(src/gen/**)")
        .check("Edit src/a.rs", "allow: project Edit(/src/**)")
        .check("Edit src/gen/a.rs", "ask: project Edit(/src/gen/**)");
}

#[test]
fn parts_of_a_line_may_be_covered_by_rules_of_different_scopes() {
    world("allow session Bash(ls:*)\nallow user Bash(wc:*)")
        .check("Bash ls | wc -l", "allow: user Bash(wc:*)")
        .check("Bash ls | sort | wc -l", "allow: user Bash(wc:*)")
        .check("Bash ls | sed p | wc -l", "unmatched");
}

#[test]
fn planning_permits_only_what_changes_nothing() {
    let plan = world("allow Bash\nallow Edit\nallow mcp__x").mode(PermissionMode::Plan);
    let changing_calls = "Bash make, Bash ls > x, Bash echo $(ls), Bash timeout 3 ls, Bash FOO=1 ls, \
        Bash git -c core.pager=x log, Bash git branch new, Bash find . -delete, \
        Bash sed -i s/a/b/ x, Bash ls\nrm x, Edit src/x, Write /home/user/.claude/plans/../x, \
        Write /home/user/.claude/plans/x.sh, Write /home/user/.claude/plans/sub/x.md, \
        NotebookEdit a.ipynb, mcp__x__read, mcp__baton__session_status, Skill, EnterWorktree, \
        CronCreate, SomethingNew";
    for changing in changing_calls.split(", ") {
        plan.check(changing, "deny: plan");
    }
    let plan = world("").mode(PermissionMode::Plan);
    let harmless_calls = "Read x, Grep src, Glob **/*.rs, TodoWrite, KillShell, AskUserQuestion, \
        ExitPlanMode, EnterPlanMode, Write /home/user/.claude/plans/wild-idea.md";
    for harmless in harmless_calls.split(", ") {
        plan.check(harmless, "unmatched");
    }
    let calls_elsewhere = "Read /etc/hosts, Read ../x, Grep /home/user, Bash cat /etc/hosts, \
        Bash cd .. && ls, Bash ls ~/x, WebFetch https://example.org, WebSearch";
    for elsewhere in calls_elsewhere.split(", ") {
        plan.check(elsewhere, "unmatched");
    }
}

#[test]
fn while_planning_the_agent_asks_about_all_that_its_versions_treat_differently() {
    let plan = || world("").mode(PermissionMode::Plan);
    let harmless_calls = "Bash git log --oneline | head -5; Bash ls -la src 2>/dev/null; \
        Bash cat x && grep -rn y .; Bash sed -n 1,20p x; Bash cd src && ls; Task; Agent";
    for harmless in harmless_calls.split("; ") {
        plan().before_use().check(harmless, "ask");
        plan().check(harmless, "allow: plan");
        let mut doubted = plan();
        doubted.doubt = Some("it cannot be read");
        doubted.check(harmless, "unmatched");
    }
    for elsewhere in ["Read /etc/hosts", "Bash cat /etc/hosts", "WebSearch"] {
        plan().before_use().check(elsewhere, "ask");
    }
    for silent in ["Read x", "Grep src", "TodoWrite", "ExitPlanMode"] {
        plan().before_use().check(silent, "unmatched");
    }
}

#[test]
fn a_plans_folder_reached_through_a_link_is_not_the_plans_folder() {
    world("")
        .mode(PermissionMode::Plan)
        .links([("/home/user/.claude/plans/out", "/home/user/proj")])
        .check("Write /home/user/.claude/plans/out/x", "deny: plan");
}

#[test]
fn while_planning_only_the_sessions_own_plan_is_written() {
    let there = ["own.md", "others.md"].map(|name| format!("/home/user/.claude/plans/{name}"));
    let plan = |stage: fn(World) -> World| {
        let mut plan = stage(world("allow Edit\nallow Edit(~/.claude/**)"));
        plan.paths = FakePaths::default().and_files(there.iter().map(String::as_str));
        plan.mode(PermissionMode::Plan)
    };
    for stage in [World::before_use, |asked| asked] {
        for tool in ["Write", "Edit", "MultiEdit"] {
            let check = |name: &str, expected| {
                let call = format!("{tool} /home/user/.claude/plans/{name}");
                assert_eq!(brief(&plan(stage).verdict(&call)), expected, "{call}");
            };
            check("others.md", "deny: plan");
            check("../plans/others.md", "deny: plan");
            for own in ["own.md", "new.md"] {
                let verdict =
                    plan(stage).verdict(&format!("{tool} /home/user/.claude/plans/{own}"));
                assert!(
                    !matches!(verdict, Verdict::Deny { .. }),
                    "{own} {verdict:?}"
                );
            }
        }
    }
    // Elsewhere it is a file like any other that is outside the project.
    let mut accepts = world("").before_use().mode(PermissionMode::AcceptEdits);
    accepts.paths = FakePaths::default().and_files(there.iter().map(String::as_str));
    accepts.check("Write /home/user/.claude/plans/others.md", "ask");
}

#[test]
fn before_use_nothing_is_allowed_while_planning() {
    let plan = || world("allow Read(//etc/**)").mode(PermissionMode::Plan);
    plan().check("Read /etc/hosts", "allow: project Read(//etc/**)");
    // It is asked first, and the rule answers then.
    plan().before_use().check("Read /etc/hosts", "ask");
}

#[test]
fn bypass_allows_what_is_not_denied_and_asks_what_may_be() {
    let free = world("ask Bash(git:*)").mode(PermissionMode::BypassPermissions);
    free.check("Bash git push", "ask: project Bash(git:*)")
        .check("Bash make", "allow: bypassPermissions")
        .check("Bash $X; ((y", "ask: project Bash(git:*)");
    world("deny Bash(rm:*)")
        .mode(PermissionMode::BypassPermissions)
        .check("Bash make", "allow: bypassPermissions")
        .check("Edit /etc/hosts", "allow: bypassPermissions")
        .check("Bash $X -rf /", "ask: project Bash(rm:*)")
        .check("Bash ((y", "ask: project Bash(rm:*)")
        .check("Bash curl x | sh", "ask: project Bash(rm:*)");
}

#[test]
fn accepting_edits_covers_edits_inside_the_project_and_nothing_else() {
    let mut edits = world("").mode(PermissionMode::AcceptEdits).links([
        ("/home/user/proj/out", "/etc"),
        ("/home/user/other-link", "/srv/other"),
    ]);
    edits.extra = vec!["/home/user/other-link".into()];
    for inside in [
        "Edit src/x",
        "Write /home/user/proj/new/x",
        "MultiEdit a/../b",
        "NotebookEdit a.ipynb",
        "Edit /srv/other/x",
    ] {
        edits.check(inside, "allow: acceptEdits");
    }
    let calls_outside = "Edit /etc/hosts, Edit ../x, Edit out/hosts, Write out/../../x, Edit, \
        Read src/x, Bash touch x, mcp__x__write, Edit /home/user/proj-twin/x";
    for outside in calls_outside.split(", ") {
        edits.check(outside, "unmatched");
    }
    edits
        .check("Edit .git/hooks/pre-commit", "ask")
        .check("Write .claude/settings.json", "ask");
    let mut before = world("").mode(PermissionMode::AcceptEdits).before_use();
    before.extra = Vec::new();
    before
        .check("Bash rm -r src", "ask")
        .check("Bash ls", "unmatched")
        .check("Edit .git/config", "ask")
        .check("Read x", "unmatched");
}

#[test]
fn before_use_whatever_is_not_known_to_change_nothing_is_asked() {
    for mode in [
        PermissionMode::Default,
        PermissionMode::AcceptEdits,
        PermissionMode::Auto,
    ] {
        let mut here = world("allow Bash(make:*)\nallow Edit(docs/**)")
            .mode(mode)
            .before_use();
        here.secrets = vec!["/home/user/proj/.baton-data".into()];
        let unknowns = "Bash touch x, Bash cat $X, Bash cat *.md > x, \
            Bash find . -exe{c..c} touch x ;, Bash cat ~/.ssh/id, Bash cat .baton-data/token, \
            Bash cd .. && cat x, Bash git -C /srv/other status, Write /etc/x, Read ~/.ssh/id, \
            Read .baton-data/token, Grep ., WebFetch https://example.org, WebSearch, Skill, \
            SlashCommand, EnterWorktree, CronCreate, Workflow, mcp__x__read, SomethingNew";
        for unknown in unknowns.split(", ") {
            let verdict = here.verdict(unknown);
            assert!(
                matches!(verdict, Verdict::Ask { .. }),
                "{unknown}: {verdict:?}"
            );
        }
        let passing_calls = "Bash ls -la, Bash cat *.md, Bash cd src && cat x | head -3, \
            Bash git status, Bash git -C src log, Bash grep -rn '/api/v1' src, Read x, Grep src, \
            Glob **/*.rs, Agent, TodoWrite, AskUserQuestion";
        for passes in passing_calls.split(", ") {
            here.check(passes, "unmatched");
        }
        here.check("Bash make x", "allow: project Bash(make:*)")
            .check("Edit docs/x", "allow: project Edit(/docs/**)");
    }
}

#[test]
fn a_sub_agent_that_is_asked_for_in_an_unknown_way_is_asked_about() {
    let plain = serde_json::json!({"description": "x", "prompt": "y", "subagent_type": "z"});
    let tree = serde_json::json!({"description": "x", "prompt": "y", "isolation": "worktree"});
    let here = world("").before_use();
    assert_eq!(here.judge("Agent", &plain), Verdict::Unmatched);
    assert!(matches!(here.judge("Agent", &tree), Verdict::Ask { .. }));
    let planning = world("").before_use().mode(PermissionMode::Plan);
    assert!(matches!(
        planning.judge("Agent", &tree),
        Verdict::Deny { .. }
    ));
}

#[test]
fn git_only_reads_in_the_repository_that_was_looked_at() {
    let here = world("")
        .before_use()
        .files(["sub/.git/config", "bare/HEAD", "plain/x"]);
    here.check("Bash git status", "unmatched")
        .check("Bash cd plain && git log", "unmatched")
        .check("Bash cd sub && git status", "ask")
        .check("Bash git -C sub status", "ask")
        .check("Bash git -C bare status", "ask");
    here.at("sub").check("Bash git status", "ask");
}

#[test]
fn what_limits_the_agent_is_changed_by_a_person_only() {
    let rules = "allow Edit\nallow Bash(cp:*)\nallow Edit(.claude/notes.md)";
    world(rules)
        .check("Write src/x", "allow: project Edit")
        .check(
            "Write .claude/notes.md",
            "allow: project Edit(/.claude/notes.md)",
        )
        .check("Write .claude/settings.json", "ask")
        .check("Write sub/.mcp.json", "ask")
        .check("Edit .git/config", "ask")
        .check("Write .baton/permissions.json", "ask")
        .check("Bash cp a b", "allow: project Bash(cp:*)")
        .check("Bash cp a .claude/settings.json", "ask")
        .check("Bash cp a .baton", "ask");
    let mut hooked = world("").mode(PermissionMode::AcceptEdits);
    hooked.obeyed = vec!["/home/user/proj/scripts/hook.sh".into()];
    hooked
        .check("Edit src/x", "allow: acceptEdits")
        .check("Edit scripts/other.sh", "allow: acceptEdits")
        .check("Edit scripts/hook.sh", "ask");
    let mut hooked = world("").mode(PermissionMode::AcceptEdits);
    let like = ["*/bin/s.sh", "*.py", "hk/*.rb", "?"];
    hooked.obeyed = like
        .map(|name| format!("/home/user/proj/{name}").into())
        .to_vec();
    for (file, asked) in [
        ("sub/bin/s.sh", true),
        ("sub/bin/s.sh/more", true),
        ("bin/s.sh", false),
        ("sub/s.sh", false),
        ("deep/x.py", true),
        ("x.pyc", false),
        ("hk/deep/x.rb", true),
        ("x.rb", false),
        ("tool", true),
        ("tool.md", false),
    ] {
        let verdict = if asked { "ask" } else { "allow: acceptEdits" };
        hooked.check(&format!("Edit {file}"), verdict);
    }
    let free = world("").mode(PermissionMode::BypassPermissions);
    free.check("Write .claude/settings.json", "ask")
        .check("Write .claude/notes.md", "allow: bypassPermissions")
        .check("Write .baton/permissions.json", "ask")
        .check("Bash echo x > .baton/permissions.json", "ask")
        .check("Bash rm -rf .baton", "ask")
        .check(
            "Bash cat .baton/permissions.json",
            "allow: bypassPermissions",
        );
    world("")
        .mode(PermissionMode::AcceptEdits)
        .check("Edit .baton/permissions.json", "ask")
        .check("Edit .mcp.json", "ask");
}

#[test]
fn what_the_agent_found_doubtful_is_not_overruled_by_a_part() {
    let mut doubted = world("allow Bash(echo:*)\nallow Bash(echo b)");
    doubted.doubt = Some("a variable cannot be checked");
    doubted
        .check("Bash echo a", "unmatched")
        .check("Bash echo b", "allow: project Bash(echo b)");
}

#[test]
fn when_nobody_is_asked_the_unmatched_is_denied() {
    let quiet = || world("allow Bash(ls:*)\nask Bash(git:*)").mode(PermissionMode::DontAsk);
    quiet()
        .check("Bash ls -l", "allow: project Bash(ls:*)")
        .check("Bash make", "deny: dontAsk")
        .check("Bash git status", "deny: dontAsk")
        .check("AskUserQuestion", "unmatched")
        .check("ExitPlanMode", "unmatched");
    quiet()
        .before_use()
        .check("Bash make", "deny: dontAsk")
        .check("Skill", "deny: dontAsk")
        .check("EnterWorktree", "deny: dontAsk")
        .check("WebSearch", "deny: dontAsk")
        .check("Write x", "deny: dontAsk")
        .check("mcp__x__y", "deny: dontAsk")
        .check("SomethingNew", "deny: dontAsk")
        .check("Read /etc/hosts", "deny: dontAsk")
        .check("Read x", "unmatched")
        .check("Bash cat x", "unmatched")
        .check("ExitPlanMode", "unmatched")
        .check("Bash git status", "deny: dontAsk")
        .check("AskUserQuestion", "unmatched");
}

#[test]
fn questions_and_plans_stay_reachable_and_are_never_allowed_without_a_person() {
    for mode in PermissionMode::ALL {
        world("deny *\nallow AskUserQuestion\nallow *")
            .mode(*mode)
            .check("AskUserQuestion", "unmatched")
            .check("ExitPlanMode", "unmatched")
            .check("Read x", "deny: project *");
    }
    world("deny AskUserQuestion").check("AskUserQuestion", "deny: project AskUserQuestion");
    let mut kinds = world("allow *").mode(PermissionMode::BypassPermissions);
    for kind in [
        ApprovalKind::Question,
        ApprovalKind::Plan,
        ApprovalKind::Other,
    ] {
        kinds.kind = kind;
        kinds.check("SomethingNew", "unmatched");
    }
}

#[test]
fn auto_behaves_as_default() {
    world("allow Bash(ls:*)")
        .mode(PermissionMode::Auto)
        .check("Bash ls", "allow: project Bash(ls:*)")
        .check("Bash make", "unmatched");
}

#[test]
fn every_denial_has_words_for_the_agent() {
    let denials = [
        world("deny Bash(rm:*)").verdict("Bash rm x"),
        world("").mode(PermissionMode::Plan).verdict("Bash make"),
        world("").mode(PermissionMode::DontAsk).verdict("Bash make"),
    ];
    let texts: Vec<String> = denials
        .iter()
        .map(|verdict| match verdict {
            Verdict::Deny { message, .. } => message.clone(),
            Verdict::Allow { .. } | Verdict::Ask { .. } | Verdict::Unmatched => {
                panic!("{verdict:?}")
            }
        })
        .collect();
    let part = "`Bash(rm:*)` (project scope)";
    assert!(texts[0].contains(part), "{texts:?}");
    assert!(
        texts[1].contains("planning") && texts[1].contains("ExitPlanMode"),
        "{texts:?}"
    );
    assert!(texts[2].contains("nobody is asked"), "{texts:?}");
}

#[test]
fn only_the_server_that_baton_gave_the_agent_is_its_own() {
    let plan = || world("").mode(PermissionMode::Plan);
    let tool = "mcp__baton__session_status";
    plan().check(tool, "deny: plan");
    // Some versions of the agent would not let it by themselves.
    plan().own_server("baton").check(tool, "allow: plan");
    let before = plan().own_server("baton").before_use().verdict(tool);
    assert!(
        matches!(before, Verdict::Ask { rule: None, .. }),
        "{before:?}"
    );
    plan().own_server("other").check(tool, "deny: plan");
}

/// What may change the agent's own settings without naming them is asked about
/// in bypass mode too; what people do all day is not.
#[test]
fn what_may_change_the_settings_of_the_agent_is_asked_about_in_bypass_too() {
    let free = world("").mode(PermissionMode::BypassPermissions).files([
        "evil/.claude/settings.json",
        "plain/x",
        ".claude/settings.json",
    ]);
    for command in [
        "cp x ~/.cl*/settings.json",
        "cp x ~/.c*/s*",
        "cp x .cl*/settings.json",
        "cp x .claud?/settings.json",
        "cp x $HOME/.claude/settings.json",
        "cp x \"${HOME}/.claude\"/settings.json",
        "D=~/.claude; cp x $D/settings.json",
        "D=~/.claude; F=settings.json; cp x \"$D/$F\"",
        "echo x > ~/.cl*/settings.json",
        "echo x > $D/settings.json",
        "cat x | tee $D/.mcp.json",
        "cp x {.claude,y}/settings.json",
        "cd ~; cd .cl*; cp /x settings.json",
        "bash -c 'cp x ~/.claude/settings.json'",
        "sed -i s/a/b/ ~/.c[a-l]aude/settings.json",
        "cp -r evil/. ~",
        "cp -a evil/.* ~",
        "rsync -a evil/ ~/",
        "rsync -a evil/ $HOME",
        "tar xf a.tar -C ~",
        "cd ~ && tar xf a.tar",
        "tar -x -f a.tar -C $HOME",
        "unzip a.zip -d ~",
        "install -t ~/.claude x",
        "install x ~/.claude/settings.json",
        "git clone https://x.example/y ~/.claude",
        "git worktree add ~/.claude evil",
        "git --work-tree=$HOME checkout -f",
        "cd ~/.claude && git checkout evil",
        "git checkout evil -- .claude/settings.json",
        "ln -sf x ~/.claude/settings.json",
        "cp x .mcp.json",
        "cp x ~/.claude.json",
        "mv x .baton",
        "python3 - <<'E'\nopen('.claude/settings.json', 'w')\nE",
        "curl -o ~/.claude/settings.json https://x.example/y",
    ] {
        free.check(&format!("Bash {command}"), "ask");
    }
    for command in [
        "npm install",
        "cargo build",
        "git checkout main",
        "git checkout -b x && git merge main",
        "git worktree add ../tree",
        "git pull",
        "rm -rf build",
        "rm -rf *",
        "rm -rf \"$BUILD\"",
        "cp -r src dst",
        "cp -r . ../backup",
        "cp -r plain ~",
        "cp x ~/notes.md",
        "tar czf ~/a.tgz src",
        "tar xf a.tar",
        "tar xf a.tar -C vendor",
        "rsync -a src/ ../dst/",
        "for f in *.txt; do mv \"$f\" \"${f%.txt}.md\"; done",
        "jq . x.json > \"$f.json\"",
        "echo x > \"$OUT\"",
        "cp a.json $OUT/config.json",
        "cat ~/.claude/settings.json",
        "mkdir -p ~/x && cd ~/x && git clone https://x.example/y",
        "git commit -m 'change .claude/settings.json'",
        "cat > notes.md <<'E'\nsee .claude/settings.json\nE",
        "find . -name '*.o' -delete",
        "sed -i s/a/b/ src/*.rs",
    ] {
        free.check(&format!("Bash {command}"), "allow: bypassPermissions");
    }
}
