//! The folder's file about tools: it takes away, trusted or not, and no edit of
//! it gives anything back.

use baton_protocol::{Event, words::PermissionMode};
use baton_testkit::model::{self, Reply, Script};
use expect_test::expect;
use serde_json::json;

use crate::{
    both::check_story,
    owners::{bash, taken_over},
    talk::{Talk, allow},
    world::World,
};

const FILE: &str = ".baton/permissions.json";

fn write(world: &World, name: &str, content: &str) {
    let file = world.sandbox.project().join(name);
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(file, content).unwrap();
}

async fn accept(world: &World) {
    let project = world.sandbox.project();
    let shown = world.supervisor.trust(&project).await.unwrap();
    let accepted = world
        .supervisor
        .set_trust(&project, &shown.digest, true, None)
        .await;
    assert!(accepted.unwrap().decision.is_trusted());
}

/// Tries the shell in a turn of its own, and says what came of it.
async fn try_shell(world: &World, talk: &mut Talk, when: &str) -> String {
    let made = world.sandbox.project().join("pwn");
    talk.turn("try").await;
    let ran = std::fs::remove_file(made).is_ok();
    let started = talk.seen.iter().rev().find_map(|one| match &one.event {
        Event::SessionStarted(started) => Some(started),
        _ => None,
    });
    let has = started.unwrap().tools.iter().any(|tool| tool == "Bash");
    format!("{when}: has Bash {has}, ran {ran}\n")
}

fn shell() -> [Reply; 2] {
    [bash("touch pwn"), model::text("Tried.")]
}

/// How often the session was left with something else, and the last of it.
fn left(talk: &Talk) -> String {
    let left: Vec<_> = talk
        .seen
        .iter()
        .filter_map(|one| match &one.event {
            Event::SessionUpdated(updated) => updated.folder_tools.as_ref(),
            _ => None,
        })
        .map(|left| match &left.only {
            Some(tools) => tools.join(" "),
            None => "all".into(),
        })
        .collect();
    if left.is_empty() {
        return "nothing was taken away\n".to_owned();
    }
    format!("left with: {}\n", left.join(", then "))
}

#[test]
fn an_agent_does_not_leave_its_tier_by_editing_the_file() {
    let edit = json!({"file_path": FILE, "old_string": "standard", "new_string": "full"});
    let script = || {
        let edits = [
            model::tool_use("Read", json!({"file_path": FILE})),
            model::tool_use("Edit", edit.clone()),
            model::text("Edited."),
        ];
        let tries = [shell(), shell(), shell(), shell()].into_iter().flatten();
        Script::new().replies(shell().into_iter().chain(edits).chain(tries))
    };
    check_story(
        |setup| setup.script(script()),
        async |world| {
            write(world, FILE, r#"{"tier": "standard"}"#);
            accept(world).await;
            let mut talk = world.session_in(PermissionMode::BypassPermissions).await;
            let mut story = try_shell(world, &mut talk, "trusted").await;
            // A person sees it, in bypass too, and may well allow it.
            talk.turn_with("edit", allow()).await;
            let file = world.sandbox.project().join(FILE);
            story += &std::fs::read_to_string(&file).unwrap();
            story += &try_shell(world, &mut talk, "\nedited").await;
            // What else costs the folder its trust gives no tools either.
            write(world, FILE, r#"{"tier": "standard"}"#);
            let server = r#"{"mcpServers":{"x":{"command":"true"}}}"#;
            write(world, ".mcp.json", server);
            story += &try_shell(world, &mut talk, "with a new server").await;
            // Nor does taking the file away, nor another owner.
            std::fs::remove_file(&file).unwrap();
            std::fs::remove_file(world.sandbox.project().join(".mcp.json")).unwrap();
            talk.close().await;
            world.let_go().await;
            let mut talk = taken_over(world, talk).await;
            story += &try_shell(world, &mut talk, "removed, next owner").await;
            accept(world).await;
            story += &try_shell(world, &mut talk, "accepted").await;
            story + &left(&talk)
        },
        expect![[r#"
            trusted: has Bash false, ran false
            {"tier": "full"}
            edited: has Bash false, ran false
            with a new server: has Bash false, ran false
            removed, next owner: has Bash false, ran false
            accepted: has Bash true, ran true
            left with: Read Glob Grep WebSearch WebFetch Edit, then all
        "#]],
    );
}

#[test]
fn a_folder_that_nobody_trusts_takes_tools_away_and_says_nothing() {
    check_story(
        |setup| setup.replies([shell(), shell(), shell()].into_iter().flatten()),
        async |world| {
            let bypass = |options: &mut baton_protocol::event::SessionOptions| {
                options.permission_mode = Some(PermissionMode::BypassPermissions);
            };
            let note = r#"{"tier": "standard", "note": "Mind the gap."}"#;
            write(world, FILE, note);
            let mut talk = world.session_with(bypass).await;
            let mut story = try_shell(world, &mut talk, "never trusted").await;
            let requests = world.model.requests();
            let noted = |body: &str| body.contains("Mind the gap.");
            let noted = requests.iter().any(|one| noted(&one.body.to_string()));
            story += &format!("note {noted}\n");
            write(world, FILE, r#"{"tier": "everything"}"#);
            story += &try_shell(world, &mut talk, "cannot be read").await;
            story += &left(&talk);
            // A new session begins with what the file says now.
            std::fs::remove_file(world.sandbox.project().join(FILE)).unwrap();
            let mut talk = world.session_with(bypass).await;
            story += &try_shell(world, &mut talk, "a new session").await;
            story + &left(&talk)
        },
        expect![[r#"
            never trusted: has Bash false, ran false
            note false
            cannot be read: has Bash false, ran false
            left with: Read Glob Grep WebSearch WebFetch Edit, then Read Glob Grep WebSearch WebFetch
            a new session: has Bash true, ran true
            nothing was taken away
        "#]],
    );
}

#[test]
fn what_a_folder_denies_holds_when_its_trust_is_lost() {
    let script = || {
        let tries = std::iter::repeat_with(shell).take(5).flatten();
        Script::new().replies(tries)
    };
    check_story(
        |setup| setup.script(script()),
        async |world| {
            let settings = ".claude/settings.json";
            write(
                world,
                settings,
                r#"{"permissions":{"deny":["Bash(touch:*)"]}}"#,
            );
            let mut talk = world.session_in(PermissionMode::BypassPermissions).await;
            let mut story = try_shell(world, &mut talk, "never trusted").await;
            accept(world).await;
            story += &try_shell(world, &mut talk, "trusted").await;
            world.remembers(&talk).await;
            write(
                world,
                ".mcp.json",
                r#"{"mcpServers":{"x":{"command":"true"}}}"#,
            );
            story += &try_shell(world, &mut talk, "with a new server").await;
            write(world, settings, "{}");
            talk.close().await;
            world.let_go().await;
            let mut talk = taken_over(world, talk).await;
            story += &try_shell(world, &mut talk, "no longer denied, next owner").await;
            accept(world).await;
            story += &try_shell(world, &mut talk, "accepted").await;
            // Whether a lost trust is told before a turn or between two depends
            // on when the folder is looked at.
            let told = talk.story();
            let told = told.lines().filter(|line| *line != "note trust");
            story + &told.map(|line| format!("{line}\n")).collect::<String>()
        },
        expect![[r#"
            never trusted: has Bash true, ran false
            trusted: has Bash true, ran false
            with a new server: has Bash true, ran false
            no longer denied, next owner: has Bash true, ran false
            accepted: has Bash true, ran true
            Bash: Running touch pwn → asked: - → deny by rule Bash(touch:*) (project) → failed: The rule `Bash(touch:*)` (project scope) forbids this. Do not try to reach the same end in another way; go on without it, or tell the user what you need it for.
            Bash: Running touch pwn → asked: - → deny by rule Bash(touch:*) (project) → failed: The rule `Bash(touch:*)` (project scope) forbids this. Do not try to reach the same end in another way; go on without it, or tell the user what you need it for.
            Bash: Running touch pwn → asked: - → deny by rule Bash(touch:*) (project) → failed: The rule `Bash(touch:*)` (project scope) forbids this. Do not try to reach the same end in another way; go on without it, or tell the user what you need it for.
            Bash: Running touch pwn → asked: - → deny by rule Bash(touch:*) (project) → failed: The rule `Bash(touch:*)` (project scope) forbids this. Do not try to reach the same end in another way; go on without it, or tell the user what you need it for.
            Bash: Running touch pwn → asked: - → allow by mode → done
        "#]],
    );
}
