//! Known ways around rules, against rules that look safe.

use baton_protocol::words::PermissionMode;
use baton_rules::{Stage, Verdict};
use serde_json::json;

use crate::support::{World, world};

const LIST: &str = include_str!("bypasses.txt");

/// Programs that everybody would allow, and the wrappers around them.
const PERMISSIVE: &str = "
allow Bash(awk:*)
allow Bash(cat:*)
allow Bash(cd:*)
allow Bash(echo:*)
allow Bash(env:*)
allow Bash(export:*)
allow Bash(find:*)
allow Bash(git diff:*)
allow Bash(git grep:*)
allow Bash(git log:*)
allow Bash(git status:*)
allow Bash(ls:*)
allow Bash(printf:*)
allow Bash(read:*)
allow Bash(rg:*)
allow Bash(sed:*)
allow Bash(set:*)
allow Bash(sh:*)
allow Bash(sort:*)
allow Bash(tar:*)
allow Bash(xargs:*)
allow Edit(src/ok/**)
";

/// The list with its escapes undone.
fn bypasses() -> Vec<String> {
    LIST.lines()
        .filter(|line| !line.is_empty() && !line.starts_with("##"))
        .map(unescape)
        .collect()
}

fn unescape(line: &str) -> String {
    let mut text = String::new();
    let mut rest = line;
    while let Some(at) = rest.find('\\') {
        text.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        let (c, length) = match rest.chars().next() {
            Some('n') => ('\n', 1),
            Some('r') => ('\r', 1),
            Some('t') => ('\t', 1),
            Some('0') => ('\0', 1),
            Some('\\') => ('\\', 1),
            Some('u') => {
                let end = rest.find('}').unwrap();
                let code = u32::from_str_radix(&rest[2..end], 16).unwrap();
                (char::from_u32(code).unwrap(), end + 1)
            }
            _ => ('\\', 0),
        };
        text.push(c);
        rest = &rest[length..];
    }
    text + rest
}

fn judged(world: &World, command: &str) -> Verdict {
    world.judge("Bash", &json!({ "command": command }))
}

fn permissive() -> World {
    world(PERMISSIVE).links([("/home/user/proj/src/ok/out", "/etc")])
}

#[test]
fn no_known_bypass_is_allowed() {
    let mut world = permissive();
    let list = bypasses();
    assert!(list.len() > 200, "only {}", list.len());
    let mut allowed = Vec::new();
    for stage in [Stage::Asked, Stage::BeforeUse] {
        world.stage = stage;
        for mode in [
            PermissionMode::Default,
            PermissionMode::AcceptEdits,
            PermissionMode::DontAsk,
        ] {
            world.mode = mode;
            for command in &list {
                let verdict = judged(&world, command);
                if matches!(verdict, Verdict::Allow { .. }) {
                    allowed.push(format!("{mode} {stage:?}: {command:?}"));
                }
            }
        }
    }
    assert_eq!(allowed, Vec::<String>::new());
}

#[test]
fn no_known_bypass_changes_anything_while_planning() {
    let world = permissive().mode(PermissionMode::Plan);
    for command in bypasses() {
        assert!(!baton_rules::read_only_command(&command), "{command:?}");
        let verdict = judged(&world, &command);
        // Reading elsewhere is for a person to allow.
        let elsewhere = command.contains("cd /") && verdict == Verdict::Unmatched;
        assert!(
            elsewhere || matches!(verdict, Verdict::Deny { .. }),
            "{command:?}: {verdict:?}"
        );
    }
}

#[test]
fn what_removes_files_does_not_slip_past_a_rule_that_denies_it() {
    let denying = world("deny Bash(rm:*)").mode(PermissionMode::BypassPermissions);
    let direct = |command: &&String| {
        command.contains("rm") && !command.starts_with("./") && !command.contains("alias.x")
    };
    let mut slipped = Vec::new();
    for command in bypasses().iter().filter(direct) {
        if matches!(judged(&denying, command), Verdict::Allow { .. }) {
            slipped.push(command.clone());
        }
    }
    assert_eq!(slipped, Vec::<String>::new());
}

#[test]
fn the_permissive_rules_do_allow_what_they_say() {
    let world = permissive();
    let commands = "git status · git status --short · ls -la | sort -u · cat a b && echo done · \
        echo x > src/ok/new.txt · find . -name '*.rs' | xargs cat · timeout 5 ls · \
        nice -n 5 nohup ls · if ls; then echo y; fi 2>/dev/null · echo \"$(cat x)\" · \
        git log --oneline -5 2>&1 | cat · time ls · (ls; ls) | sort · find . -exec cat {} \\; · \
        awk '{ print $1 }' x · sed -n 1,5p x · echo \"$HOME\" · 'git' status · cat < x · \
        cd src · env ls · while ls; do echo x; done · { ls; } · ! ls · \
        case x in a|b) ls;; *) echo y;; esac · ls src/*.rs";
    for command in commands.split(" · ") {
        let verdict = judged(&world, command);
        assert!(
            matches!(verdict, Verdict::Allow { .. }),
            "{command:?}: {verdict:?}"
        );
    }
}
