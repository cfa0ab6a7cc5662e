//! Which calls a rule is about.

use baton_protocol::words::PermissionMode;
use baton_rules::Resolved;

use crate::support::{call, input, world};

#[test]
fn a_prefix_ends_at_a_word() {
    world("allow Bash(npm run test:*)")
        .check("Bash npm run test", "allow: project Bash(npm run test:*)")
        .check(
            "Bash npm  run   test --silent",
            "allow: project Bash(npm run test:*)",
        )
        // What comes behind is the script's, and it may be told anything.
        .check("Bash npm run test -- --watch", "unmatched")
        .check("Bash npm run test:unit", "unmatched")
        .check("Bash npm run testing", "unmatched")
        .check("Bash npm 'run test'", "unmatched")
        .check("Bash 'npm run test'", "unmatched");
}

#[test]
fn a_wildcard_stays_within_one_command() {
    world("allow Bash(git * main)")
        .check(
            "Bash git push origin main",
            "allow: project Bash(git * main)",
        )
        .check("Bash git push origin dev", "unmatched")
        .check("Bash git status && rm main", "unmatched")
        .check("Bash git status | cat main", "unmatched");
    world("allow Bash(make \"*\")").check("Bash make \"a\"", "allow: project Bash(make \"*\")");
}

#[test]
fn an_exact_rule_is_for_one_command_and_one_line() {
    world("allow Bash(npm test)")
        .check("Bash npm test", "allow: project Bash(npm test)")
        .check("Bash  npm   test ", "allow: project Bash(npm test)")
        .check("Bash npm test x", "unmatched")
        .check("Bash npm test && npm test", "allow: project Bash(npm test)");
    let line = "cd sub && A=1 make > out.txt 2>&1";
    world(&format!("allow Bash({line})"))
        .check(&format!("Bash {line}"), "unmatched")
        .check("Bash make", "unmatched");
    let line = "A=1 make > out.txt 2>&1";
    world(&format!("allow Bash({line})"))
        .check(
            &format!("Bash {line}"),
            &format!("allow: project Bash({line})"),
        )
        .check("Bash A=2 make > out.txt 2>&1", "unmatched");
    // Where an exact line writes to is looked at each time.
    world(&format!("allow Bash({line})"))
        .links([("/home/user/proj/out.txt", "/home/user/.bashrc")])
        .check(&format!("Bash {line}"), "ask");
}

#[test]
fn what_only_prints_needs_no_rule_of_its_own() {
    let allowed = world("allow Bash(npm test)\nallow Bash(node)");
    let lines = "npm test 2>&1, npm test | tail -5, npm test 2>&1 | tail -n 20, \
        npm test 2>&1 | grep -iE 'fail|error' -A 3 | head -50, \
        npm test 2>/dev/null | sort -rn | uniq -c | wc -l, npm test || true, \
        npm test; echo \"exit: $?\", npm test && echo done, npm test | cut -d: -f1 | tr a-z A-Z, \
        if npm test; then echo ok; else echo failed; fi, (npm test; echo end) | cat, \
        cd /home/user/proj && npm test | tail -3";
    for line in lines.split(", ") {
        allowed.check(&format!("Bash {line}"), "allow: project Bash(npm test)");
    }
    for line in [
        // What is read or run is another matter.
        "npm test | tail -5 README.md",
        "npm test | grep x src",
        "npm test | grep -r x",
        "npm test | grep -f patterns",
        "npm test | grep -e x y",
        "npm test | cat -",
        "npm test | cat -- x",
        "npm test | cat < x",
        "npm test | sort -o out",
        "npm test | sort --files0-from=x",
        "npm test | uniq - out",
        "npm test | wc -l --files0-from=-",
        "npm test | head -n5 x",
        "npm test | tail -5 > out",
        "npm test | tee out",
        "npm test | sh",
        "npm test | xargs rm",
        "npm test | sed s/a/b/",
        "npm test; echo $HOME",
        "npm test; echo $(rm x)",
        "npm test; echo *",
        "npm test; A=1 echo x",
        "cd src && npm test",
        "npm test; cd /etc",
        "npm test; cd ..",
        "npm test && cd - && npm test",
        // What is fed to a program may be what it runs.
        "echo 'process.exit()' | node",
        "npm test | grep x | node",
        "{ npm test; echo x; } | node",
        "(npm test; echo x | cat) | node",
        // A line that only prints is not what a rule is about.
        "echo hello | tail -5",
    ] {
        allowed.check(&format!("Bash {line}"), "unmatched");
    }
}

#[test]
fn a_rule_for_every_command_stops_short_of_what_cannot_be_seen() {
    world("allow Bash")
        .check("Bash cd x && A=1 make", "allow: project Bash")
        .check("Bash $X", "unmatched")
        .check("Bash make\nmake", "unmatched")
        .check("Bash ((x))", "ask")
        .check("Bash make > out", "unmatched")
        .check("Bash make > /dev/null 2>&1", "allow: project Bash")
        .check(&format!("Bash echo {}", "x".repeat(9000)), "ask");
    world("allow *").check("Bash make > out", "allow: project *");
}

#[test]
fn redirections_need_a_rule_for_the_file() {
    world("allow Bash(echo:*)\nallow Edit(out/**)")
        .check("Bash echo x > out/a", "allow: project Edit(/out/**)")
        .check("Bash echo x > other", "unmatched")
        .check("Bash echo x > out/../other", "unmatched")
        .check(
            "Bash echo x > \"out/a\" 2>> out/b",
            "allow: project Edit(/out/**)",
        );
    world("allow Bash(echo:*)\nallow Edit(out/**)\ndeny Edit(out/locked/**)").check(
        "Bash echo x > out/locked/a",
        "deny: project Edit(/out/locked/**)",
    );
}

#[test]
fn a_denied_command_is_found_by_any_name() {
    let denying = world("deny Bash(rm:*)\ndeny Bash(git push:*)\ndeny Bash(npm publish)")
        .mode(PermissionMode::BypassPermissions);
    let commands = "rm x, /bin/rm x, \\rm x, 'rm' x, \"r\"m x, $'\\x72m' x, rm, \
        sudo /usr/bin/rm x, docker exec c rm x, busybox rm x, A=b rm x";
    for command in commands.split(", ") {
        denying.check(&format!("Bash {command}"), "deny: project Bash(rm:*)");
    }
    for command in [
        "git push",
        "git -C /x push -f",
        "git -c a=b --no-pager push",
        "/usr/bin/git push",
    ] {
        denying.check(&format!("Bash {command}"), "deny: project Bash(git push:*)");
    }
    denying
        .check("Bash npm publish", "deny: project Bash(npm publish)")
        .check("Bash npm publish --dry-run", "allow: bypassPermissions")
        .check("Bash git pull", "allow: bypassPermissions")
        .check("Bash echo rm", "allow: bypassPermissions");
}

#[test]
fn what_may_be_denied_is_asked() {
    let denying = world("deny Bash(git push:*)").mode(PermissionMode::BypassPermissions);
    let commands = "git $X, git $(echo push), $GIT push, git p*, eval $X, bash -c \"$X\", \
        git\u{a0}push, xargs git";
    for command in commands.split(", ") {
        denying.check(&format!("Bash {command}"), "ask: project Bash(git push:*)");
    }
    // Npm runs programs too, and which is not known.
    denying
        .check("Bash npm $X", "ask: project Bash(git push:*)")
        .check("Bash cp \"$X\" y", "allow: bypassPermissions");
    world("ask Bash(git push:*)")
        .check("Bash git $X", "ask: project Bash(git push:*)")
        .check("Bash $X", "ask: project Bash(git push:*)");
}

#[test]
fn links_are_followed_before_an_edit_is_allowed() {
    let world = world("allow Edit(src/**)").links([
        ("/home/user/proj/src/out", "/etc"),
        ("/home/user/proj/in", "src"),
        ("/home/user/proj/src/file", "../../../.bashrc"),
    ]);
    for (path, expected) in [
        ("src/a", "allow: project Edit(/src/**)"),
        ("in/a", "allow: project Edit(/src/**)"),
        ("src/deep/er/a", "allow: project Edit(/src/**)"),
        ("./src/x/../a", "allow: project Edit(/src/**)"),
        ("/home/user/proj/src/a", "allow: project Edit(/src/**)"),
        ("src/out/passwd", "unmatched"),
        ("src/file", "ask"),
        ("src/../a", "unmatched"),
        ("src/out/../a", "unmatched"),
        ("src", "unmatched"),
        ("srcx/a", "unmatched"),
        ("/proc/self/cwd/src/a", "unmatched"),
    ] {
        for tool in ["Edit", "Write", "MultiEdit", "NotebookEdit"] {
            world.check(&format!("{tool} {path}"), expected);
        }
    }
    world
        .check("Read src/a", "unmatched")
        .check("Edit", "unmatched");
}

#[test]
fn a_denied_file_is_found_by_any_path() {
    let world = world("deny Edit(secret/**)\ndeny Read(.env)\ndeny Edit(//etc/**)\ndeny Read(~/.ssh)\ndeny Edit(/linked/**)")
        .mode(PermissionMode::BypassPermissions)
        .links([
            ("/home/user/proj/alias", "secret"),
            ("/etc", "/private/etc"),
            ("/home/user/proj/linked", "/srv/real"),
            ("/home/user/proj/env", ".env"),
        ])
        .files([".env"]);
    for (text, rule) in [
        ("Edit secret/a", "Edit(/secret/**)"),
        ("Write alias/a", "Edit(/secret/**)"),
        ("Edit alias/../secret/a", "Edit(/secret/**)"),
        ("Read .env", "Read(.env)"),
        ("Read deep/.env", "Read(.env)"),
        ("Read env", "Read(.env)"),
        ("Edit /etc/hosts", "Edit(//etc/**)"),
        ("Edit /private/etc/hosts", "Edit(//etc/**)"),
        ("Edit /srv/real/x", "Edit(/linked/**)"),
        ("Read /home/user/.ssh/id", "Read(~/.ssh)"),
        ("Read ~/.ssh/id", "Read(~/.ssh)"),
        ("Bash cat .env", "Read(.env)"),
        ("Bash cat < .env", "Read(.env)"),
        ("Bash cat ~/.ssh/id", "Read(~/.ssh)"),
        ("Bash cat ~//.ssh/id", "Read(~/.ssh)"),
        ("Bash cat ~/'/'.ssh/id", "Read(~/.ssh)"),
        ("Bash cd ~//.ssh; cat id", "Read(~/.ssh)"),
        ("Bash grep x --file=.env y", "Read(.env)"),
        ("Bash echo x > secret/a", "Edit(/secret/**)"),
        ("Bash echo x >> alias/a", "Edit(/secret/**)"),
    ] {
        world.check(text, &format!("deny: project {rule}"));
    }
    world
        .check("Bash rm secret/a", "deny: project Edit(/secret/**)")
        .check("Bash mv secret/a b", "ask: project Edit(/secret/**)")
        .check("Bash cat secret/a", "allow: bypassPermissions")
        .check("Bash echo x > $F", "ask: project Edit(/secret/**)")
        .check("Grep .", "ask: project Read(.env)")
        .check("Glob **/*", "allow: bypassPermissions")
        .check("Read", "ask: project Read(.env)")
        .check("Read other", "allow: bypassPermissions");
}

#[test]
fn a_search_is_allowed_when_all_it_searches_is() {
    world("allow Read(src/**)\nallow Read(docs/*.md)")
        .check("Grep src", "allow: project Read(/src/**)")
        .check("Grep src/deep", "allow: project Read(/src/**)")
        .check("Glob src/**/*.rs", "allow: project Read(/src/**)")
        .check("LS src", "allow: project Read(/src/**)")
        .check("Grep docs", "unmatched")
        .check("Grep .", "unmatched")
        .check("Grep", "unmatched")
        .check("Glob *.rs", "unmatched")
        .check("Glob src/*/../../x", "unmatched")
        .check("Glob src/../**", "unmatched")
        .check("Glob /etc/*", "unmatched")
        .check("Read docs/a.md", "allow: project Read(/docs/*.md)")
        .check("Read docs/a/b.md", "unmatched");
}

#[test]
fn a_host_is_allowed_exactly_and_denied_with_those_below_it() {
    world("allow WebFetch(domain:example.org)\nallow WebFetch(domain:*.wiki.org)")
        .check(
            "WebFetch https://example.org/x",
            "allow: project WebFetch(domain:example.org)",
        )
        .check(
            "WebFetch https://a.wiki.org",
            "allow: project WebFetch(domain:*.wiki.org)",
        )
        .check("WebFetch https://wiki.org", "unmatched")
        .check("WebFetch https://www.example.org", "unmatched")
        .check("WebFetch https://example.org.evil.com", "unmatched")
        .check("WebFetch https://example.org@evil.com", "unmatched")
        .check("WebFetch https://evil.com/example.org", "unmatched")
        .check("WebFetch https://notexample.org", "unmatched")
        .check("WebFetch", "unmatched");
    world("deny WebFetch(domain:example.org)")
        .mode(PermissionMode::BypassPermissions)
        .check(
            "WebFetch https://www.example.org",
            "deny: project WebFetch(domain:example.org)",
        )
        .check(
            "WebFetch https://x@example.org",
            "ask: project WebFetch(domain:example.org)",
        )
        .check(
            "WebFetch https://notexample.org",
            "allow: bypassPermissions",
        );
}

#[test]
fn tools_are_named_alone_by_server_or_by_wildcard() {
    world("allow mcp__git\nallow mcp__x__get_*\nallow WebSearch\ndeny mcp__git__push")
        .check("mcp__git__status", "allow: project mcp__git")
        .check("mcp__git__push", "deny: project mcp__git__push")
        .check("mcp__github__status", "unmatched")
        .check("mcp__x__get_it", "allow: project mcp__x__get_*")
        .check("mcp__x__set_it", "unmatched")
        .check("WebSearch", "allow: project WebSearch");
    world("allow Edit\nallow Read")
        .check("Write /etc/hosts", "allow: project Edit")
        .check("Grep", "allow: project Read")
        .check("Bash ls", "unmatched");
    world("deny Bash").check("Monitor ls", "deny: project Bash");
    world("allow Bash(ls:*)").check("Monitor ls | rm x", "unmatched");
}

#[test]
fn a_call_has_warnings_for_the_person_who_is_asked() {
    let warnings = |text: &str| {
        let (tool, input) = input(text);
        Resolved::of(&call(tool, &input), &world("").paths)
            .warnings()
            .join("; ")
    };
    assert_eq!(warnings("Bash ls"), "");
    assert_eq!(warnings("Edit src/x"), "");
    assert_eq!(warnings("Edit ../x"), "/home/user/x is outside the project");
    assert_eq!(
        warnings("Bash echo $(ls) \u{200b} > /x"),
        "it has the invisible or unusual character \\u{200b} in it; the output of a command becomes part of another; it writes outside the project: /x"
    );
    let wanted = "the command cannot be read: it computes with ((…))";
    assert_eq!(warnings("Bash ((x))"), wanted);
    let wanted = "the host of the address cannot be told";
    assert_eq!(warnings("WebFetch x"), wanted);
}
