//! Settings that would switch the gate off, or answer at it.

use std::path::Path;

use baton_protocol::{
    Event,
    words::{PermissionMode, RuleDecision},
};
use baton_store::RuleScope;
use baton_testkit::model::{self, Request, RequestKind, Script};
use serde_json::json;

use crate::{
    both::both,
    talk::deny,
    unasked::{bash, calls, obedient, turn},
    world::World,
};

fn write(path: &Path, text: &str) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

/// The same model, whose classifier blocks nothing.
fn lenient() -> Script {
    let classifier = |request: &Request| request.kind == RequestKind::Side;
    obedient().always(classifier, model::text("<block>no</block>"))
}

async fn denies(world: &World, rule: &str) {
    let added = world
        .supervisor
        .add_rule(rule, RuleDecision::Deny, RuleScope::User, None);
    added.await.unwrap();
}

/// It makes the CLI call no hooks, and Baton's gate is one.
#[test]
fn no_variable_takes_the_gate_away() {
    both(
        |setup| {
            setup
                .script(obedient())
                .env("CLAUDE_CODE_SIMPLE", "1")
                .env("CLAUDE_CODE_SAFE_MODE", "1")
        },
        async |world| {
            denies(world, "Bash(touch:*)").await;
            let own = world.sandbox.home().join(".claude/settings.json");
            let settings = json!({
                "env": {"CLAUDE_CODE_SIMPLE": "1"},
                "permissions": {"allow": ["Bash", "Edit", "Read", "Write"]},
            });
            write(&own, &settings.to_string());
            let free = PermissionMode::BypassPermissions;
            let mut talk = world.session_in(free).await;
            talk.ignore_live();
            let list = json!([bash("touch made"), bash("sleep 0.1"), bash("touch made")]);
            turn(&mut talk, &calls(&list), |_| deny("No.")).await;
            assert!(!world.sandbox.project().join("made").exists());
            // The CLI reads it again while it runs.
            write(&own, "{}");
            turn(&mut talk, &calls(&json!([bash("sleep 1")])), |_| {
                deny("No.")
            })
            .await;
            write(&own, &settings.to_string());
            let list = json!([bash("sleep 3"), bash("touch made")]);
            turn(&mut talk, &calls(&list), |_| deny("No.")).await;
            assert!(!world.sandbox.project().join("made").exists());
            let story = talk.story();
            assert!(story.matches("deny by rule").count() >= 3, "{story}");
        },
    );
}

/// A shell that has a list of folders looks there before it looks here.
#[test]
fn a_folder_is_not_another_one_of_the_same_name_elsewhere() {
    both(
        |setup| {
            setup
                .script(obedient())
                .env("CDPATH", "out")
                .env("GIT_DIR", "/nowhere")
        },
        async |world| {
            write(&world.sandbox.project().join("sub/x"), "right here\n");
            write(&world.sandbox.project().join("out/sub/x"), "elsewhere\n");
            let init = ["-u", "GIT_DIR", "git", "init", "--quiet"];
            world.sandbox.run("env", init).expect_success();
            let list = json!([bash("cd sub && grep -q right x"), bash("git status")]);
            let mut talk = world.session().await;
            talk.ignore_live();
            let asked = turn(&mut talk, &calls(&list), |_| deny("No.")).await;
            assert_eq!(asked, Vec::<String>::new(), "{}", talk.story());
            let failed = |event: &Event| matches!(event, Event::ToolCompleted(end) if end.is_error);
            let mut seen = talk.seen.iter();
            assert!(!seen.any(|one| failed(&one.event)), "{}", talk.story());
            // What the user's own shell is told cannot be undone.
            let rc = world.sandbox.home().join(".bashrc");
            write(&rc, "export CDPATH=out\n");
            let list = json!([bash("cd sub && cat x"), bash("cd ./sub && cat x")]);
            let asked = turn(&mut talk, &calls(&list), |_| deny("No.")).await;
            assert_eq!(asked, ["Bash"], "{}", talk.story());
        },
    );
}

#[test]
fn a_hook_that_is_written_while_the_agent_runs_does_not_answer_for_a_person() {
    both(
        |setup| setup.script(obedient()),
        async |world| {
            let own = world.sandbox.home().join(".claude/settings.json");
            write(&own, "{}");
            let mut talk = world.session().await;
            talk.ignore_live();
            turn(&mut talk, &calls(&json!([bash("ls")])), |_| deny("No.")).await;
            let says_yes = json!({"hookSpecificOutput": {
                "hookEventName": "PermissionRequest", "decision": {"behavior": "allow"},
            }});
            let hook = json!({"type": "command", "command": format!("echo '{says_yes}'")});
            let settings = json!({"hooks": {
                "PermissionRequest": [{"matcher": "", "hooks": [hook]}],
            }});
            write(&own, &settings.to_string());
            let list = json!([
                bash("ls"),
                bash("ls -a"),
                bash("touch made"),
                bash("touch made")
            ]);
            let asked = turn(&mut talk, &calls(&list), |_| deny("No.")).await;
            assert_eq!(asked, ["Bash", "Bash"], "{}", talk.story());
            assert!(!world.sandbox.project().join("made").exists());
        },
    );
}

/// What limits the agent is for a person in `auto` mode, too: the CLI would let
/// its classifier answer.
#[test]
fn in_auto_mode_a_person_answers_what_limits_the_agent() {
    both(
        |setup| setup.script(lenient()),
        async |world| {
            let judged = PermissionMode::Auto;
            let mut talk = world
                .session_with(|options| {
                    options.permission_mode = Some(judged);
                    // The mode is not there for every model.
                    options.model = None;
                })
                .await;
            talk.ignore_live();
            let project = world.sandbox.project();
            let hook = json!({"file_path": project.join(".git/hooks/x"), "content": "x"});
            let list = json!([["Write", hook], bash("touch .git/zz")]);
            let asked = turn(&mut talk, &calls(&list), |_| deny("No.")).await;
            assert_eq!(asked, ["Write", "Bash"], "{}", talk.story());
            assert!(!project.join(".git/hooks/x").exists());
            assert!(!project.join(".git/zz").exists());
        },
    );
}

/// By no pattern, variable or archive either.
#[test]
fn in_bypass_mode_a_person_answers_what_may_change_the_settings() {
    both(
        |setup| setup.script(obedient()),
        async |world| {
            let settings = world.sandbox.home().join(".claude/settings.json");
            write(&settings, "{}");
            let project = world.sandbox.project();
            write(&project.join("x.json"), r#"{"disableAllHooks": true}"#);
            write(&project.join("src/a"), "a");
            let bypass = PermissionMode::BypassPermissions;
            let mut talk = world.session_in(bypass).await;
            talk.ignore_live();
            let list = json!([
                bash("cp x.json ~/.cl*/settings.json"),
                bash("D=$HOME/.claude; cp x.json \"$D\"/settings.json"),
                bash("tar cf a.tar src && tar xf a.tar -C ~"),
                bash("cp -r src dst && rm -rf src"),
            ]);
            let asked = turn(&mut talk, &calls(&list), |_| deny("No.")).await;
            // Of the last one the mode answers what the CLI asks.
            assert!(asked.len() >= 3, "{}", talk.story());
            assert!(!project.join("a.tar").exists());
            assert_eq!(std::fs::read_to_string(settings).unwrap(), "{}");
            assert!(project.join("dst/a").exists() && !project.join("src").exists());
        },
    );
}
