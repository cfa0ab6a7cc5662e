//! What a folder may add: nothing before it is trusted, and only less than
//! the user allowed after.

use baton_protocol::{
    Event,
    words::{PermissionMode, RuleDecision},
};
use baton_session::project_id;
use baton_store::RuleScope;
use baton_testkit::model::{self};
use expect_test::expect;
use serde_json::json;

use crate::{
    both::check_story,
    owners::bash,
    talk::deny,
    world::{Setup, World},
};

/// A hook and instructions of the folder's own.
fn furnish(world: &World) {
    let own = world.sandbox.project().join(".claude");
    std::fs::create_dir_all(&own).unwrap();
    let hook = json!({"hooks": {"UserPromptSubmit": [{"hooks": [
        {"type": "command", "command": "touch hook-ran"},
    ]}]}});
    std::fs::write(own.join("settings.json"), hook.to_string()).unwrap();
    std::fs::write(world.sandbox.project().join("CLAUDE.md"), "Say MARKER.").unwrap();
}

fn saw_instructions(world: &World) -> bool {
    let requests = world.model.requests();
    let last = requests.last().unwrap();
    last.body.to_string().contains("Say MARKER.")
}

#[test]
fn nothing_in_a_folder_runs_before_it_is_trusted() {
    check_story(
        |setup| setup.replies(["one", "two", "three"].map(model::text)),
        async |world| {
            furnish(world);
            let project = world.sandbox.project();
            let ran = || std::fs::remove_file(project.join("hook-ran")).is_ok();
            let mut talk = world.session().await;
            talk.turn("one").await;
            let mut story = format!("hook {} instructions {}\n", ran(), saw_instructions(world));
            let shown = world.supervisor.trust(&project).await.unwrap();
            let items = shown.survey.items.iter();
            story += &items
                .map(|item| format!("{} {}\n", item.name, item.detail))
                .collect::<String>();
            let trusted = world
                .supervisor
                .set_trust(&project, &shown.digest, true, None)
                .await;
            assert!(trusted.unwrap().decision.is_trusted());
            // The process that was started without trust makes way.
            talk.turn("two").await;
            world.remembers(&talk).await;
            story += &format!("hook {} instructions {}\n", ran(), saw_instructions(world));
            // Changed, it must be accepted anew.
            let more = project.join(".mcp.json");
            std::fs::write(
                more,
                r#"{"mcpServers":{"x":{"command":"touch","args":["mcp-ran"]}}}"#,
            )
            .unwrap();
            talk.turn("three").await;
            story += &format!("hook {} instructions {}\n", ran(), saw_instructions(world));
            assert!(!project.join("mcp-ran").exists());
            let old = world
                .supervisor
                .set_trust(&project, &shown.digest, true, None)
                .await;
            story += &format!(
                "{}\n",
                old.unwrap_err()
                    .to_string()
                    .replace(project.to_str().unwrap(), "[PROJECT]")
            );
            story + &talk.story()
        },
        expect![[r#"
            hook false instructions false
            UserPromptSubmit touch hook-ran
            hook true instructions true
            197: hook false instructions false
            325: hook false instructions true
            what [PROJECT] would run has changed since it was shown
            note trust
            note trust
        "#]],
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_allowed_everywhere_is_not_in_a_folder_that_nobody_accepted() {
    let mut world = Setup::fake().start();
    furnish(&world);
    let here = world.sandbox.project();
    let here = RuleScope::Project(project_id(here.to_str().unwrap()));
    for (rule, scope) in [
        ("Bash(touch everywhere)", RuleScope::User),
        ("Bash(touch here)", here),
    ] {
        let rule = world
            .supervisor
            .add_rule(rule, RuleDecision::Allow, scope, None);
        rule.await.unwrap();
    }
    let project = world.sandbox.project();
    let mut talk = world.session().await;
    talk.turn("bash touch here").await;
    assert!(project.join("here").exists());
    talk.send("bash touch everywhere").await;
    let asked = talk.until_ask().await;
    talk.answer(&asked, deny("no")).await;
    talk.until_turn_end().await;
    let shown = world.supervisor.trust(&project).await.unwrap();
    let trusted = world
        .supervisor
        .set_trust(&project, &shown.digest, true, None);
    assert!(trusted.await.unwrap().decision.is_trusted());
    talk.turn("bash touch everywhere").await;
    assert!(project.join("everywhere").exists());
    // Where nothing would run by itself there is nothing to accept.
    std::fs::remove_dir_all(project.join(".claude")).unwrap();
    std::fs::remove_file(project.join("everywhere")).unwrap();
    let shown = world.supervisor.trust(&project).await.unwrap();
    assert!(shown.decision.is_trusted());
    talk.turn("bash touch everywhere").await;
    assert!(project.join("everywhere").exists());
    world.finish().await;
}

#[test]
fn tools_are_limited_and_questions_stay() {
    check_story(
        |setup| {
            setup.replies([
                bash("touch made.txt"),
                model::text("No."),
                model::text("Three."),
            ])
        },
        async |world| {
            let mut talk = world
                .session_with(|options| {
                    options.tool_preset = Some("read-only".into());
                    options.permission_mode = Some(PermissionMode::BypassPermissions);
                })
                .await;
            talk.turn("try").await;
            talk.close().await;
            let mut story = tools(&talk);
            story += &talk.story();
            // The folder's own file can only take away more.
            let own = world.sandbox.project().join(".baton");
            std::fs::create_dir_all(&own).unwrap();
            let file =
                json!({"tier": "custom", "tools": ["Read", "Bash"], "note": "Mind the gap."});
            std::fs::write(own.join("permissions.json"), file.to_string()).unwrap();
            let project = world.sandbox.project();
            let shown = world.supervisor.trust(&project).await.unwrap();
            let accepted = world
                .supervisor
                .set_trust(&project, &shown.digest, true, None)
                .await;
            accepted.unwrap();
            // 2.1.325 keeps a conversation's prompt when it is resumed.
            let mut talk = world
                .session_with(|options| {
                    options.tool_preset = Some("read-only".into());
                })
                .await;
            talk.turn("again").await;
            let requests = world.model.requests();
            let noted = requests
                .last()
                .unwrap()
                .body
                .to_string()
                .contains("Mind the gap.");
            story + &tools(&talk) + &format!("note {noted}\n")
        },
        expect![[r#"
            AskUserQuestion ExitPlanMode Glob Grep Read WebFetch WebSearch
            197: Bash: Running touch made.txt → failed: <tool_use_error>Error: No such tool available: Bash. Bash exists but is not enabled in this context. Use one of the available tools instead.</tool_use_error>
            325: Bash: Running touch made.txt → failed: <tool_use_error>Error: No such tool available: Bash. Bash is disabled for this session, in subagents as well as here.</tool_use_error>
            AskUserQuestion ExitPlanMode Read
            note true
        "#]],
    );
}

/// The tools of the last process.
fn tools(talk: &crate::talk::Talk) -> String {
    let started = talk.seen.iter().rev().find_map(|one| match &one.event {
        Event::SessionStarted(started) => Some(started.tools.join(" ")),
        _ => None,
    });
    started.unwrap_or_default() + "\n"
}

#[test]
fn a_file_that_cannot_be_read_leaves_reading_only() {
    check_story(
        |setup| setup.replies([bash("touch made.txt"), model::text("No.")]),
        async |world| {
            let own = world.sandbox.project().join(".baton");
            std::fs::create_dir_all(&own).unwrap();
            std::fs::write(own.join("permissions.json"), "{\"tier\": \"everything\"}").unwrap();
            let project = world.sandbox.project();
            let shown = world.supervisor.trust(&project).await.unwrap();
            let accepted = world
                .supervisor
                .set_trust(&project, &shown.digest, true, None);
            accepted.await.unwrap();
            let mut talk = world.session().await;
            talk.turn("try").await;
            tools(&talk) + &talk.story()
        },
        expect![[r#"
            AskUserQuestion ExitPlanMode Glob Grep Read WebFetch WebSearch
            197: Bash: Running touch made.txt → failed: <tool_use_error>Error: No such tool available: Bash. Bash exists but is not enabled in this context. Use one of the available tools instead.</tool_use_error>
            325: Bash: Running touch made.txt → failed: <tool_use_error>Error: No such tool available: Bash. Bash is disabled for this session, in subagents as well as here.</tool_use_error>
        "#]],
    );
}
