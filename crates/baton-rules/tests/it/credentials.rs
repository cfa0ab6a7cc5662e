//! Git's settings with a credential in them: what shows them is a person's to
//! allow, and nothing else is asked about more.

use baton_protocol::words::PermissionMode;
use baton_rules::Verdict;

use crate::found::{asked_or_denied, project};
use crate::support::{PROJECT, World};

fn holding(rules: &str) -> World {
    let mut world = project(rules).files([".git/HEAD", ".git/config"]);
    world.credentials = vec![format!("{PROJECT}/.git/config").into()];
    world.before_use()
}

#[track_caller]
fn goes_on(world: &World, call: &str) {
    let verdict = world.verdict(call);
    let free = matches!(verdict, Verdict::Unmatched | Verdict::Allow { .. });
    assert!(free, "{call}: {verdict:?}");
}

const SHOWING: &str = "git remote -v · git remote get-url origin · git -C sub remote -v · \
    git config --local --list · git config --get remote.origin.url · \
    git config --get --local http.extraheader · cat .git/config · cat .g*/config · cat .git/* · \
    head -5 ./sub/../.git/config · cd .git && cat config · cat < .git/config · \
    grep -rn token . · grep -r url .git · rg --hidden url · rg -uu url · diff -r . sub";

#[test]
fn what_shows_a_credential_in_settings_of_git_is_asked_about() {
    for mode in [
        PermissionMode::Default,
        PermissionMode::AcceptEdits,
        PermissionMode::Plan,
        PermissionMode::DontAsk,
    ] {
        let world = holding("").mode(mode);
        for line in SHOWING.split(" · ") {
            asked_or_denied(&world, line);
        }
        for call in ["Read .git/config", "Grep .git"] {
            let verdict = world.verdict(call);
            let stopped = matches!(verdict, Verdict::Ask { .. } | Verdict::Deny { .. });
            assert!(stopped, "{call}: {verdict:?}");
        }
    }
}

#[test]
fn a_credential_in_settings_of_git_asks_about_nothing_else() {
    let world = holding("");
    let free = "git status · git log -3 · git diff · git show HEAD · git remote · git branch -vv · \
        git config --get user.name · grep -rn x src · rg x · ls -la .git · cat README.md · \
        wc -l src/* · find . -name config · cat .env · git ls-files";
    for line in free.split(" · ") {
        goes_on(&world, &format!("Bash {line}"));
    }
    for call in ["Grep .", "Grep src", "Read README.md", "Glob **/*"] {
        goes_on(&world, call);
    }
    // What a person said holds.
    let allowed = holding("allow Bash(git remote:*)");
    goes_on(&allowed, "Bash git remote -v");
    let bypassed = holding("").mode(PermissionMode::BypassPermissions);
    goes_on(&bypassed, "Bash git remote -v");
    // Where there is none, nobody is asked.
    let mut plain = holding("");
    plain.credentials.clear();
    goes_on(&plain, "Bash git remote -v");
    goes_on(&plain, "Read .git/config");
}

/// What git says of its settings is what their file holds.
#[test]
fn settings_of_git_that_may_not_be_read_are_not_shown_by_git() {
    for rule in ["deny Read(.git/config)", "ask Read(.git/**)"] {
        let world = holding(rule).mode(PermissionMode::BypassPermissions);
        let shown = "git remote -v · git config -l · git config --get remote.origin.url · \
            git -C sub remote -v · git -c a.b=c remote show origin · /usr/bin/git remote -v · \
            env git remote -v · git ls-remote --get-url · git var -l · git-remote -v · \
            cd sub && git remote -v · sh -c 'git remote -v'";
        for line in shown.split(" · ") {
            asked_or_denied(&world, line);
        }
        for line in ["git status", "git remote", "git config --get user.email"] {
            goes_on(&world, &format!("Bash {line}"));
        }
    }
}
