//! The CLI's notes of a session against what was heard of it live.

use base64::{Engine as _, prelude::BASE64_STANDARD};
use baton_protocol::{Envelope, Event, words::PermissionMode};
use baton_session::agents::PromptFile;
use baton_testkit::{
    Version,
    model::{self, Request, RequestKind, Script},
};
use serde_json::json;
use similar::{ChangeTag, TextDiff};

use crate::{
    elsewhere::{FOREVER, agent_session, command, import, list},
    rules,
    talk::Talk,
    world::{Setup, World, wait_until},
};

/// One pixel, transparent.
const DOT: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";

/// What both the live translation and the notes tell, without what only one
/// of them can know.
pub(crate) fn comparable(log: &[Envelope]) -> Vec<String> {
    let mut lines = Vec::new();
    let mut commands = Vec::new();
    for envelope in log {
        let mut payload = envelope.event.payload().value();
        let dropped: &[&str] = match &envelope.event {
            Event::UserMessage(message) => {
                if message.text.starts_with('/') {
                    commands.push(message.message_id.to_string());
                }
                &["queued", "client"]
            }
            // The CLI counts once more when a message is complete, and gives
            // the answers of its own commands other names in its notes.
            Event::AssistantMessage(message) if message.0.model.is_none() => {
                &["usage", "agentUuid", "messageId"]
            }
            Event::AssistantMessage(_) | Event::AssistantThinking(_) => &["usage"],
            Event::TurnCompleted(_) => &["costUsd", "durationMs", "usage"],
            Event::ToolCompleted(_) => &["durationMs"],
            Event::MessageDelivered(delivered)
                if commands.contains(&delivered.message_id.to_string()) =>
            {
                continue;
            }
            Event::TurnStarted(_)
            | Event::MessageDelivered(_)
            | Event::ToolRequested(_)
            | Event::TodoUpdated(_)
            | Event::ContextCompacted(_)
            | Event::SubagentStarted(_)
            | Event::SubagentStopped(_)
            | Event::ImageOutput(_)
            | Event::Error(_)
            | Event::Notification(_) => &[],
            _ => continue,
        };
        let Some(fields) = payload.as_object_mut() else {
            panic!("{payload}")
        };
        fields.retain(|name, _| !dropped.contains(&name.as_str()));
        if let Some(stats) = fields.get_mut("stats") {
            stats["totalToolDurationMs"] = json!(0);
        }
        if let Some(result) = fields.get_mut("result").filter(|result| result.is_string()) {
            *result = json!(result.as_str().unwrap().trim());
        }
        let agent = envelope.agent_id.as_deref().unwrap_or("main");
        let (turn, name) = (envelope.turn, envelope.event.name());
        let mut line = format!("{turn} {agent} {name} {payload}\n");
        // Its own commands get new names as well.
        for command in &commands {
            line = line.replace(command, "COMMAND");
        }
        lines.push(line);
    }
    lines
}

/// Runs a session here, forgets it, imports it from the CLI's notes, and
/// returns what the two logs do not share.
async fn difference(
    version: Version,
    script: Script,
    scenario: impl AsyncFn(&mut World, &mut Talk),
) -> String {
    let mut world = Setup::real(version).script(script).start();
    let bypass = Some(PermissionMode::BypassPermissions);
    let mut talk = world
        .session_with(|options| options.permission_mode = bypass)
        .await;
    scenario(&mut world, &mut talk).await;
    talk.close().await;
    // Until it is gone it may still write.
    wait_until("the agent is gone", || world.agent_pids().is_empty()).await;
    let live = world.log(talk.id()).await;
    let session = agent_session(&talk);
    assert_eq!(list(&world).await, [], "what Baton began is not listed");
    world.let_go().await;
    std::fs::remove_file(world.sandbox.data().join("baton.db")).unwrap();
    world.take_over().await;
    let talk = import(&mut world, session).await;
    let noted = world.log(talk.id()).await;
    rules::check(&noted);
    world.let_go().await;
    let (live, noted) = (comparable(&live), comparable(&noted));
    let diff = TextDiff::from_slices(
        &live.iter().map(String::as_str).collect::<Vec<_>>(),
        &noted.iter().map(String::as_str).collect::<Vec<_>>(),
    );
    let changes = diff.iter_all_changes();
    let changes = changes.filter(|change| change.tag() != ChangeTag::Equal);
    let changes = changes.map(|change| format!("{} {}", change.tag(), change.value()));
    changes.collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_notes_of_a_session_tell_what_was_heard_live() {
    let script = || {
        let agent = json!({
            "description": "look", "prompt": "look around",
            "subagent_type": "general-purpose", "run_in_background": false,
        });
        let is_agent = |request: &Request| request.kind == RequestKind::Subagent;
        Script::new()
            .on(is_agent, model::text("Looking.").and(command("echo sub")))
            .on(is_agent, model::text("All quiet."))
            .replies([
                model::thinking("hm")
                    .and(model::text("Let me."))
                    .and(command("echo one")),
                command("echo a").and(command("exit 3")),
                model::text("Done."),
                model::tool_use("Agent", agent),
                model::text("It is quiet."),
                model::text("What was."),
                model::text("After."),
            ])
    };
    let scenario = async |_: &mut World, talk: &mut Talk| {
        talk.turn("run some").await;
        talk.turn("send someone").await;
        talk.turn("/compact").await;
        talk.turn("/context").await;
        talk.turn("go on").await;
    };
    for version in Version::ALL {
        let found = difference(version, script(), scenario).await;
        assert_eq!(found, "", "{version:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_notes_tell_of_images_lists_errors_and_interrupts() {
    let script = || {
        let read = json!({"file_path": "dot.png"});
        let task = json!({"subject": "paint", "description": "paint", "activeForm": "Painting"});
        Script::new()
            .replies([
                model::text("A dot."),
                model::tool_use("Read", read),
                model::text("The same dot."),
                model::tool_use("TaskCreate", task),
                model::text("Noted."),
                command(FOREVER),
                model::text("Still here."),
            ])
            // The newer CLI tries such a request again without what may be new.
            .replies(std::iter::repeat_n(
                model::error(400, "invalid_request_error"),
                10,
            ))
    };
    let scenario = async |world: &mut World, talk: &mut Talk| {
        let png = BASE64_STANDARD.decode(DOT).unwrap();
        std::fs::write(world.sandbox.project().join("dot.png"), &png).unwrap();
        let file = PromptFile {
            name: "image-1.png".into(),
            media_type: "image/png".into(),
            bytes: png,
        };
        talk.send_files("what is this", vec![file]).await;
        talk.until_turn_end().await;
        talk.turn("and this").await;
        talk.turn("note it").await;
        talk.send("wait").await;
        until!(talk, ToolRequested);
        world.answer_is_whole().await;
        talk.handle.interrupt().await.unwrap();
        talk.until_turn_end().await;
        talk.turn("still there?").await;
        talk.turn("fail").await;
    };
    for version in Version::ALL {
        let found = difference(version, script(), scenario).await;
        assert_eq!(found, "", "{version:?}");
    }
}
