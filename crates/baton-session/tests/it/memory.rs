//! What the agent itself has of the past, and what is done where it has not.

use std::path::PathBuf;

use baton_protocol::{Event, words::Remedy};
use baton_session::{
    CommandError, ForkAt, Outbound,
    machine::{Rejected, WhenBusy},
};
use baton_testkit::model::{self, Script};
use expect_test::expect;
use serde_json::json;

use crate::{
    both::check_story,
    elsewhere::{Foreign, agent_session},
    talk::{Talk, outbound},
    world::{Setup, World},
};

/// The model answers so many times.
fn replies(count: usize) -> impl Fn(Setup) -> Setup {
    let texts = [
        "one done",
        "two done",
        "three done",
        "four done",
        "five done",
    ];
    move |setup| {
        let texts = texts.iter().take(count).copied();
        setup.script(Script::new().replies(texts.map(model::text)))
    }
}

/// Sends, and reads until the model has answered with this.
async fn turn(talk: &mut Talk, text: &str, answer: &str) {
    talk.send(text).await;
    until!(talk, AssistantMessage, |said| said.0.content == answer);
    talk.until_turn_end().await;
}

/// The CLI's transcript of a session whose process has ended.
async fn transcript(world: &World, talk: &Talk) -> PathBuf {
    talk.handle.close().await.unwrap();
    talk.until_gone().await;
    let config = world.sandbox.home().join(".claude");
    let found = baton_claude::transcript::locate(&config, agent_session(talk)).unwrap();
    found.into_iter().next().unwrap()
}

/// Which words the model was given in its last request.
fn given(world: &World, words: &[&str]) -> String {
    let requests = world.model.requests();
    let body = requests.last().unwrap().body.to_string();
    let given = words.iter().map(|word| {
        let times = body.matches(word).count();
        format!("{word} {times}")
    });
    format!("given: {}\n", given.collect::<Vec<_>>().join(", "))
}

/// What a reader is told of the agent's memory and of elsewhere.
fn told(talk: &Talk) -> String {
    let lines = talk.seen.iter().filter_map(|one| match &one.event {
        Event::SessionUpdated(updated) => {
            let lost = updated.memory_lost?;
            Some(format!("lost: {} {}", lost.reason, lost.remedy))
        }
        Event::Notification(told) if matches!(told.kind.as_str(), "memory" | "elsewhere") => {
            Some(told.message.clone())
        }
        Event::UserMessage(message) => Some(format!("user: {}", message.text)),
        Event::AssistantMessage(message) => Some(format!("agent: {}", message.0.content)),
        _ => None,
    });
    lines.map(|line| line + "\n").collect()
}

pub(crate) fn message(text: &str) -> Outbound {
    outbound(text, WhenBusy::Queue)
}

#[test]
fn an_agent_without_its_transcript_is_given_the_past_from_the_log() {
    check_story(
        replies(4),
        async |world| {
            let mut talk = world.session().await;
            talk.turn("zebra").await;
            std::fs::remove_file(transcript(world, &talk).await).unwrap();
            talk.turn("lion").await;
            let mut story = given(world, &["zebra", "one done", "lion"]);
            talk.turn("tiger").await;
            story += &given(world, &["zebra", "one done", "lion", "tiger"]);
            // What it was given is in its own transcript from here on.
            transcript(world, &talk).await;
            talk.turn("walrus").await;
            story += &given(world, &["zebra", "one done", "lion", "tiger", "walrus"]);
            story + &told(&talk)
        },
        expect![[r#"
            given: zebra 1, one done 1, lion 1
            given: zebra 1, one done 1, lion 1, tiger 1
            given: zebra 1, one done 1, lion 1, tiger 1, walrus 1
            user: zebra
            agent: one done
            lost: gone log
            The agent's own record of this session is gone, so it knows nothing of it. It is given what Baton's log has of it, with the next message; long outputs are shortened.
            user: lion
            agent: two done
            user: tiger
            agent: three done
            user: walrus
            agent: four done
        "#]],
    );
}

#[test]
fn an_agent_whose_transcript_is_older_is_given_what_it_lacks() {
    check_story(
        replies(3),
        async |world| {
            let mut talk = world.session().await;
            talk.turn("zebra").await;
            let path = transcript(world, &talk).await;
            let older = std::fs::read(&path).unwrap();
            talk.turn("lion").await;
            transcript(world, &talk).await;
            std::fs::write(&path, older).unwrap();
            talk.turn("tiger").await;
            given(world, &["zebra", "lion", "two done", "tiger"]) + &told(&talk)
        },
        expect![[r#"
            given: zebra 1, lion 1, two done 1, tiger 1
            user: zebra
            agent: one done
            user: lion
            agent: two done
            lost: behind log
            The agent's own record of this session ends before the last turns, so it does not know them. It is given what Baton's log has of it, with the next message; long outputs are shortened.
            user: tiger
            agent: three done
        "#]],
    );
}

/// What the CLI writes before the first row of a conversation, and leaves there
/// when it is killed: it neither resumes that nor begins it anew.
fn only_notes(world: &World, talk: &Talk) {
    let (config, cwd) = (
        world.sandbox.home().join(".claude"),
        world.sandbox.project(),
    );
    let id = agent_session(talk);
    let path = baton_claude::transcript::session_file(&config, &cwd, id).unwrap();
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    let note = |operation: &str| {
        let timestamp = "2026-01-01T00:00:00.000Z";
        let note = json!({"type": "queue-operation", "operation": operation,
            "timestamp": timestamp, "sessionId": id});
        format!("{note}\n")
    };
    let cut_off = "{\"parentUuid\":null,\"type\":\"us";
    let notes = note("enqueue") + &note("dequeue") + cut_off;
    std::fs::write(path, notes).unwrap();
}

#[test]
fn a_conversation_that_was_killed_before_its_first_row_begins() {
    check_story(
        replies(2),
        async |world| {
            let mut talk = world.session().await;
            let updated = |event: &Event| matches!(event, Event::SessionUpdated(one) if one.agent_session_id.is_some());
            talk.until_seen("its name", updated).await;
            only_notes(world, &talk);
            talk.turn("zebra").await;
            let mut story = given(world, &["zebra"]);
            // The same after a past that the log has.
            transcript(world, &talk).await;
            only_notes(world, &talk);
            talk.turn("lion").await;
            story += &given(world, &["zebra", "one done", "lion"]);
            story + &told(&talk)
        },
        expect![[r#"
            given: zebra 1
            given: zebra 1, one done 1, lion 1
            user: zebra
            agent: one done
            lost: gone log
            The agent's own record of this session is gone, so it knows nothing of it. It is given what Baton's log has of it, with the next message; long outputs are shortened.
            user: lion
            agent: two done
        "#]],
    );
}

#[test]
fn a_message_is_refused_where_that_is_wanted_until_somebody_chooses() {
    check_story(
        |setup| replies(2)(setup).lost_memory(Remedy::Refuse),
        async |world| {
            let mut talk = world.session().await;
            talk.turn("zebra").await;
            std::fs::remove_file(transcript(world, &talk).await).unwrap();
            for _ in 0..2 {
                let refused = talk.handle.send(message("lion")).await.unwrap_err();
                assert!(
                    matches!(refused, CommandError::Rejected(Rejected::MemoryLost { .. })),
                    "{refused}"
                );
            }
            let chosen = talk.handle.send_with(message("lion"), Some(Remedy::None));
            chosen.await.unwrap();
            talk.until_turn_end().await;
            given(world, &["zebra", "lion"]) + &told(&talk)
        },
        expect![[r#"
            given: zebra 0, lion 1
            user: zebra
            agent: one done
            lost: gone refuse
            The agent's own record of this session is gone, so it knows nothing of it. No message is given to it until somebody chooses: one with `memory` `log` gives it what Baton's log has, one with `none` goes on without.
            lost: gone none
            The agent's own record of this session is gone, so it knows nothing of it. It goes on without.
            user: lion
            agent: two done
        "#]],
    );
}

#[test]
fn what_is_done_can_be_chosen_without_a_message() {
    check_story(
        |setup| replies(2)(setup).lost_memory(Remedy::Refuse),
        async |world| {
            let mut talk = world.session().await;
            talk.turn("zebra").await;
            // Nothing is lost yet, so there is nothing to choose.
            talk.handle.choose_memory(Remedy::None).await.unwrap();
            std::fs::remove_file(transcript(world, &talk).await).unwrap();
            talk.handle.send(message("lion")).await.unwrap_err();
            let open = talk.handle.choose_memory(Remedy::Refuse).await.unwrap_err();
            assert!(
                matches!(open, CommandError::Rejected(Rejected::MemoryLost { .. })),
                "{open}"
            );
            talk.handle.choose_memory(Remedy::Log).await.unwrap();
            talk.turn("lion").await;
            given(world, &["zebra", "lion"]) + &told(&talk)
        },
        expect![[r#"
            given: zebra 1, lion 1
            user: zebra
            agent: one done
            lost: gone refuse
            The agent's own record of this session is gone, so it knows nothing of it. No message is given to it until somebody chooses: one with `memory` `log` gives it what Baton's log has, one with `none` goes on without.
            lost: gone log
            The agent's own record of this session is gone, so it knows nothing of it. It is given what Baton's log has of it, with the next message; long outputs are shortened.
            user: lion
            agent: two done
        "#]],
    );
}

#[test]
fn what_was_said_outside_is_taken_in_and_refused_while_it_runs_there() {
    check_story(
        replies(5),
        async |world| {
            let mut talk = world.session().await;
            talk.turn("zebra").await;
            // Our process stays, with what it has in mind.
            let foreign = Foreign::resume(world, agent_session(&talk));
            foreign.turn("giraffe");
            let refused = talk.handle.send(message("lion")).await.unwrap_err();
            assert!(
                matches!(
                    refused,
                    CommandError::Rejected(Rejected::OwnedElsewhere { .. })
                ),
                "{refused}"
            );
            foreign.end();
            turn(&mut talk, "tiger", "three done").await;
            let story = given(world, &["zebra", "giraffe", "two done", "tiger"]);
            // And without a process of ours.
            transcript(world, &talk).await;
            let foreign = Foreign::resume(world, agent_session(&talk));
            foreign.turn("far away");
            foreign.end();
            turn(&mut talk, "walrus", "five done").await;
            story + &given(world, &["giraffe", "tiger", "far away", "walrus"]) + &told(&talk)
        },
        expect![[r#"
            given: zebra 1, giraffe 1, two done 1, tiger 1
            given: giraffe 1, tiger 1, far away 1, walrus 1
            user: zebra
            agent: one done
            user: tiger
            A message was given to this session outside Baton. The agent knows of it, and it follows here.
            user: giraffe
            agent: two done
            agent: three done
            A message was given to this session outside Baton. The agent knows of it, and it follows here.
            user: far away
            agent: four done
            user: walrus
            agent: five done
        "#]],
    );
}

#[test]
fn a_conversation_that_was_torn_is_told_and_made_whole_from_the_log() {
    check_story(
        replies(4),
        async |world| {
            let mut talk = world.session().await;
            talk.turn("zebra").await;
            let path = transcript(world, &talk).await;
            let first = std::fs::read_to_string(&path).unwrap();
            talk.turn("lion").await;
            transcript(world, &talk).await;
            let ours = std::fs::read_to_string(&path).unwrap();
            std::fs::write(&path, &first).unwrap();
            let foreign = Foreign::resume(world, agent_session(&talk));
            foreign.turn("giraffe");
            foreign.end();
            let theirs = std::fs::read_to_string(&path).unwrap();
            let theirs = theirs.strip_prefix(&first).unwrap();
            std::fs::write(&path, ours + theirs).unwrap();
            turn(&mut talk, "tiger", "four done").await;
            given(world, &["zebra", "lion", "two done", "giraffe", "tiger"]) + &told(&talk)
        },
        expect![[r#"
            given: zebra 1, lion 1, two done 1, giraffe 2, tiger 1
            user: zebra
            agent: one done
            user: lion
            agent: two done
            A message was given to this session outside Baton. The agent knows of it, and it follows here.
            user: giraffe
            agent: three done
            lost: torn log
            This session was also run outside Baton, and the agent's own record leaves out what was said here. It is given what Baton's log has of it, with the next message; long outputs are shortened.
            user: tiger
            agent: four done
        "#]],
    );
}

#[test]
fn a_fork_of_a_conversation_that_is_gone_is_given_the_past_from_the_log() {
    check_story(
        replies(4),
        async |world| {
            let mut talk = world.session().await;
            talk.turn("zebra").await;
            let path = transcript(world, &talk).await;
            let older = std::fs::read(&path).unwrap();
            talk.turn("lion").await;
            transcript(world, &talk).await;
            let mut forks = Vec::new();
            for _ in 0..2 {
                let fork = world.supervisor.fork(talk.id(), ForkAt::End).await;
                forks.push(world.follow(fork.unwrap()));
            }
            let mut story = String::new();
            // An older copy lacks what was said last, and then there is none.
            for (mut fork, left) in forks.into_iter().zip([Some(older), None]) {
                match left {
                    Some(older) => std::fs::write(&path, older).unwrap(),
                    None => std::fs::remove_file(&path).unwrap(),
                }
                fork.turn("tiger").await;
                story += &given(world, &["zebra", "one done", "lion", "two done", "tiger"]);
                story += &told(&fork);
                fork.close().await;
            }
            story
        },
        expect![[r#"
            given: zebra 1, one done 1, lion 1, two done 1, tiger 1
            lost: behind log
            The agent's own record of this session ends before the last turns, so it does not know them. It is given what Baton's log has of it, with the next message; long outputs are shortened.
            user: tiger
            agent: three done
            given: zebra 1, one done 1, lion 1, two done 1, tiger 1
            lost: gone log
            The agent's own record of this session is gone, so it knows nothing of it. It is given what Baton's log has of it, with the next message; long outputs are shortened.
            user: tiger
            agent: four done
        "#]],
    );
}

#[test]
fn a_fork_of_a_conversation_that_is_gone_waits_for_a_choice_where_that_is_wanted() {
    check_story(
        |setup| replies(3)(setup).lost_memory(Remedy::Refuse),
        async |world| {
            let mut talk = world.session().await;
            talk.turn("zebra").await;
            let path = transcript(world, &talk).await;
            let fork = world.supervisor.fork(talk.id(), ForkAt::End).await.unwrap();
            let mut fork = world.follow(fork);
            std::fs::remove_file(&path).unwrap();
            fork.handle.send(message("lion")).await.unwrap_err();
            let chosen = fork.handle.send_with(message("lion"), Some(Remedy::None));
            chosen.await.unwrap();
            fork.until_turn_end().await;
            let mut story = given(world, &["zebra", "lion"]);
            // It has a past of its own now, and that is all it knows.
            fork.close().await;
            fork.turn("tiger").await;
            story += &given(world, &["zebra", "lion", "tiger"]);
            story + &told(&fork)
        },
        expect![[r#"
            given: zebra 0, lion 1
            given: zebra 0, lion 1, tiger 1
            lost: gone refuse
            The agent's own record of this session is gone, so it knows nothing of it. No message is given to it until somebody chooses: one with `memory` `log` gives it what Baton's log has, one with `none` goes on without.
            lost: gone none
            The agent's own record of this session is gone, so it knows nothing of it. It goes on without.
            user: lion
            agent: two done
            user: tiger
            agent: three done
        "#]],
    );
}

/// The project's folder is moved, and the supervisor is told.
async fn move_project(world: &World) -> PathBuf {
    let old = world.sandbox.project();
    let new = world.sandbox.root().join("moved");
    std::fs::rename(&old, &new).unwrap();
    let (from, to) = (old.to_str().unwrap(), new.to_str().unwrap());
    let moves = world.supervisor.moves(from, to).await.unwrap();
    let store = world.supervisor.store();
    store.begin_moves(moves.clone()).await.unwrap();
    world.supervisor.follow_moves(&moves).await.unwrap();
    store.finish_moves().await.unwrap();
    new
}

#[test]
fn a_session_whose_folder_was_moved_goes_on_there_and_knows_its_past() {
    check_story(
        replies(3),
        async |world| {
            let mut talk = world.session().await;
            talk.turn("zebra").await;
            // Its process may still be there: it is replaced.
            world.remembers(&talk).await;
            let fork = world.supervisor.fork(talk.id(), ForkAt::End).await.unwrap();
            let mut fork = world.follow(fork);
            let new = move_project(world).await;
            talk.turn("lion").await;
            let here = world.model.requests();
            let here = here.last().unwrap().body.to_string();
            assert!(here.contains(new.to_str().unwrap()), "it begins elsewhere");
            let mut story = given(world, &["zebra", "one done", "lion"]);
            fork.turn("tiger").await;
            story += &given(world, &["zebra", "one done", "tiger"]);
            story + &told(&talk) + &told(&fork)
        },
        expect![[r#"
            given: zebra 1, one done 1, lion 1
            given: zebra 1, one done 1, tiger 1
            user: zebra
            agent: one done
            user: lion
            agent: two done
            user: tiger
            agent: three done
        "#]],
    );
}
