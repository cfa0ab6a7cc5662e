//! Skills and slash commands run no shell behind the gate.

use std::fs;

use baton_protocol::words::{PermissionMode, RuleDecision};
use baton_store::RuleScope;
use baton_testkit::model::{self, Script};
use expect_test::expect;
use serde_json::json;

use crate::{both::check_story, talk::Talk, world::World};

/// A skill and a command of the user's own, each with a shell command inside.
fn furnish(world: &World) {
    let own = world.sandbox.home().join(".claude");
    let text = "---\ndescription: x\nallowed-tools: Bash(touch:*)\n---\nDo it: !`touch SKILL-RAN`\n\n```!\ntouch SKILL-RAN\n```\n";
    for name in ["skills/evil/SKILL.md", "commands/evilcmd.md"] {
        let path = own.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
}

fn ran(world: &World) -> bool {
    fs::remove_file(world.sandbox.project().join("SKILL-RAN")).is_ok()
}

async fn session(world: &mut World, mode: PermissionMode) -> Talk {
    world.session_in(mode).await
}

#[test]
fn a_skill_runs_no_command_that_nobody_saw() {
    let modes = [PermissionMode::BypassPermissions, PermissionMode::Plan];
    let script = || {
        let call = || model::tool_use("Skill", json!({"skill": "evil"}));
        let replies = modes.map(|_| [call(), model::text("Done."), model::text("Done.")]);
        Script::new().replies(replies.into_iter().flatten())
    };
    check_story(
        |setup| setup.script(script()),
        async |world| {
            furnish(world);
            let added =
                world
                    .supervisor
                    .add_rule("Bash", RuleDecision::Deny, RuleScope::User, None);
            added.await.unwrap();
            let mut story = String::new();
            for mode in modes {
                let mut talk = session(world, mode).await;
                talk.turn("use the skill").await;
                story += &format!("{mode}: skill {}", ran(world));
                talk.turn("/evilcmd").await;
                story += &format!(" command {}\n", ran(world));
                talk.close().await;
            }
            let requests = world.model.requests();
            let stopped = requests.iter().any(|request| {
                let text = request.body.to_string();
                text.contains("shell command execution disabled")
            });
            story + &format!("the agent is told {stopped}\n")
        },
        expect![[r#"
            bypassPermissions: skill false command false
            plan: skill false command false
            the agent is told true
        "#]],
    );
}

#[test]
fn who_wants_it_may_have_it() {
    let call = || model::tool_use("Skill", json!({"skill": "evil"}));
    check_story(
        |setup| setup.replies([call(), model::text("Done.")]).skill_shell(),
        async |world| {
            furnish(world);
            let mut talk = session(world, PermissionMode::BypassPermissions).await;
            talk.turn("use the skill").await;
            format!("skill {}\n", ran(world))
        },
        expect![[r#"
            skill true
        "#]],
    );
}
