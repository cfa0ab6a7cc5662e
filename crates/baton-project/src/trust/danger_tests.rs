use super::*;

#[test]
fn rules_that_leave_about_everything_open_are_wide() {
    let rules = "*, Bash, Bash(*), Bash(:*), Bash(bash:*), Bash(/bin/sh -c *), Bash(python3 *), \
        Bash(sudo:*), Bash(git:*), Bash(/usr/bin/git:*), Bash(npm *), Bash(rm:*), Edit, \
        Write(//etc/**), Edit(~/**), Edit(**), Skill, mcp__*";
    for rule in rules.split(", ") {
        assert!(is_wide(rule), "{rule}");
    }
    let rules = "Bash(npm run test:*), Bash(git status), Bash(git diff *), Bash(ls:*), \
        Bash(rm build.log), Read, Edit(docs/**), WebFetch(domain:example.org), \
        mcp__github__get_issue, Skill(review)";
    for rule in rules.split(", ") {
        assert!(!is_wide(rule), "{rule}");
    }
}

#[test]
fn tools_that_change_nothing_do_not_stand_out() {
    for tools in ["Read", "Read, Grep", "[Read, Glob]", "- Read - Grep", ""] {
        assert_eq!(unasked(tools), None, "{tools}");
    }
    let told = unasked("Read, Bash(git add:*), Edit").unwrap();
    assert!(told.contains("Bash(git add:*), Edit"), "{told}");
    assert!(!told.contains("Read"), "{told}");
}

#[test]
fn what_runs_or_loosens_stands_out_and_what_tightens_does_not() {
    for (kind, name, detail) in [
        (Kind::Hook, "Stop", "touch x"),
        (Kind::Helper, "apiKeyHelper", "./key.sh"),
        (Kind::Environment, "LD_PRELOAD", "./x.so"),
        (Kind::Environment, "PATH", "./bin"),
        (
            Kind::Environment,
            "ANTHROPIC_BASE_URL",
            "http://example.org",
        ),
        (Kind::Environment, "node_options", "--require ./x"),
        (Kind::Permission, "additionalDirectories", "/"),
        (Kind::McpServer, "enableAllProjectMcpServers", "true"),
        (Kind::Plugin, "x@y", "enabledPlugins: true"),
        (Kind::Git, "core.fsmonitor", "./x"),
        (Kind::GitHook, "pre-commit", "3 bytes"),
    ] {
        assert!(of(kind, name, detail).is_some(), "{kind:?} {name} {detail}");
    }
    for (kind, name, detail) in [
        (Kind::Environment, "LANG", "C"),
        // Neither counts, though the folder is accepted.
        (Kind::Permission, "allow", "Bash"),
        (Kind::Permission, "defaultMode", "acceptEdits"),
        (Kind::Permission, "deny", "Bash"),
        (Kind::Permission, "ask", "*"),
        (Kind::Permission, "defaultMode", "plan"),
        (Kind::McpServer, "enableAllProjectMcpServers", "false"),
        (Kind::Plugin, "x@y", "enabledPlugins: false"),
        (Kind::Git, "core.fsmonitor", "false"),
        (Kind::Git, "include.path", "other"),
        (Kind::Other, "model", "opus"),
    ] {
        assert_eq!(of(kind, name, detail), None, "{kind:?} {name} {detail}");
    }
}
