//! A process that comes up before its session: taken up it is the session's
//! first, and not taken it was never there.

use std::path::Path;

use baton_protocol::{Envelope, event::SessionOptions};
use baton_session::{LeaseId, NewSessionSpec, Warmed};
use baton_store::SessionFilter;
use baton_testkit::model::{self};
use serde_json::json;

use crate::{
    both::both,
    talk::Talk,
    world::{MODEL, Setup, World, wait_until},
};

const HERE: LeaseId = LeaseId(1);

fn spec(world: &World) -> NewSessionSpec {
    world.spec(SessionOptions {
        model: Some(MODEL.into()),
        ..SessionOptions::default()
    })
}

/// Says what would be begun until a process waits for it.
async fn warm(world: &World, spec: &NewSessionSpec) {
    wait_until("a process waits", || {
        world.supervisor.warm(HERE, spec.clone()).unwrap() == Warmed::Ready
    })
    .await;
}

/// Says what would be begun until it is known that none will wait for it.
async fn stays_cold(world: &World, spec: &NewSessionSpec) {
    wait_until("no process waits", || {
        world.supervisor.warm(HERE, spec.clone()).unwrap() == Warmed::Not
    })
    .await;
    assert_eq!(world.agent_pids(), Vec::<i32>::new());
}

async fn begin(world: &mut World, spec: NewSessionSpec) -> Talk {
    let made = world.supervisor.create_to_begin(spec).await.unwrap();
    world.follow(made)
}

fn files(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect()
}

/// Waits until there is nothing of a process that nobody took.
async fn nothing_is_left(world: &World) {
    wait_until("nothing runs", || world.agent_pids().is_empty()).await;
    let holders = world.sandbox.data().join("holders");
    wait_until("no holder's folder is left", || files(&holders).is_empty()).await;
    let own = world.sandbox.home().join(".claude");
    assert_eq!(files(&own.join("projects")), Vec::<String>::new());
    assert_eq!(files(&own.join("sessions")), Vec::<String>::new());
    let store = world.supervisor.store();
    assert_eq!(store.holders().await.unwrap(), []);
    let all = store.sessions(SessionFilter::default(), None, 10).await;
    assert_eq!(all.unwrap().items, []);
}

/// What a log says, without what each one has of its own.
fn story(log: &[Envelope]) -> Vec<String> {
    let of = |one: &Envelope| {
        let event = serde_json::to_value(one).unwrap();
        format!("{} {}", event["turn"], event["type"])
    };
    log.iter().map(of).collect()
}

#[test]
fn a_session_begins_with_the_process_that_waited_and_its_log_tells_of_no_other() {
    both(
        |setup| setup.replies(["fresh", "waited", "again"].map(model::text)),
        async |world| {
            let spec = spec(world);
            let mut fresh = begin(world, spec.clone()).await;
            fresh.turn("one").await;
            fresh.close().await;

            warm(world, &spec).await;
            let waited = world.agent_pids();
            assert_eq!(waited.len(), 1);
            assert_eq!(world.model.requests().len(), 1, "it has asked nothing");
            let mut talk = begin(world, spec).await;
            talk.turn("one").await;
            assert_eq!(world.agent_pids(), waited);
            let log = world.log(talk.id()).await;
            let of_fresh = world.log(fresh.id()).await;
            let turn = story(&log).len();
            assert_eq!(story(&log), story(&of_fresh)[..turn]);
            // From its first message on it outlives its owner like any other.
            world.let_go().await;
            assert_eq!(world.agent_pids(), waited);
            for handle in world.take_over().await {
                if handle.id() == talk.id() {
                    talk = world.follow(handle).begun_elsewhere();
                }
            }
            talk.send("two").await;
            until!(talk, TurnCompleted, |end| end.turn.0 == 2);
            talk.until_idle().await;
            assert_eq!(world.agent_pids(), waited);
        },
    );
}

#[test]
fn one_that_nobody_takes_was_never_there() {
    both(
        |setup| setup,
        async |world| {
            let spec = spec(world);
            warm(world, &spec).await;
            world.supervisor.cool(HERE);
            nothing_is_left(world).await;
            // Nor when its owner goes.
            warm(world, &spec).await;
            world.let_go().await;
            assert_eq!(world.agent_pids(), Vec::<i32>::new());
            world.take_over().await;
            nothing_is_left(world).await;
            assert_eq!(world.model.requests().len(), 0);
        },
    );
}

#[test]
fn another_choice_gets_another_process() {
    both(
        |setup| setup.replies([model::text("one")]),
        async |world| {
            let first = spec(world);
            warm(world, &first).await;
            let waited = world.agent_pids();
            let mut other = first.clone();
            other.options.append_system_prompt = Some("Say MARKER.".into());
            warm(world, &other).await;
            let now = world.agent_pids();
            assert!(now.len() == 1 && now != waited, "{waited:?} {now:?}");
            // What is begun is not what waits: it gets one of its own.
            let mut talk = begin(world, first).await;
            talk.turn("one").await;
            assert!(
                !world.model.requests()[0]
                    .body
                    .to_string()
                    .contains("MARKER")
            );
            world.supervisor.cool(HERE);
            wait_until("the other is gone", || world.agent_pids().len() == 1).await;
        },
    );
}

#[test]
fn what_was_changed_meanwhile_is_known_to_the_session() {
    both(
        |setup| setup.replies([model::text("one")]),
        async |world| {
            let own = world.sandbox.home().join(".claude");
            std::fs::create_dir_all(&own).unwrap();
            let notes = own.join("CLAUDE.md");
            std::fs::write(&notes, "Say OLD.").unwrap();
            let spec = spec(world);
            warm(world, &spec).await;
            let waited = world.agent_pids();
            std::fs::write(&notes, "Say NEWER.").unwrap();
            let mut talk = begin(world, spec.clone()).await;
            talk.turn("one").await;
            let said = world.model.requests()[0].body.to_string();
            assert!(said.contains("Say NEWER.") && !said.contains("Say OLD."));
            assert_ne!(world.agent_pids(), waited);
            talk.close().await;
            // Whoever still waits has it seen at its next word.
            warm(world, &spec).await;
            let waited = world.agent_pids();
            std::fs::write(&notes, "Say NEWEST.").unwrap();
            wait_until("another process waits", || {
                let state = world.supervisor.warm(HERE, spec.clone()).unwrap();
                let now = world.agent_pids();
                state == Warmed::Ready && now.len() == 1 && now != waited
            })
            .await;
        },
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn none_waits_before_the_folder_is_trusted_nor_after_that_is_taken_back() {
    let world = Setup::fake().start();
    let project = world.sandbox.project();
    let own = project.join(".claude");
    std::fs::create_dir_all(&own).unwrap();
    let hook = |event: &str| {
        json!({"hooks": {event: [{"hooks": [{"type": "command", "command": "true"}]}]}}).to_string()
    };
    let settings = own.join("settings.json");
    std::fs::write(&settings, hook("UserPromptSubmit")).unwrap();
    let spec = spec(&world);
    stays_cold(&world, &spec).await;

    let trust = async |accepted| {
        let shown = world.supervisor.trust(&project).await.unwrap();
        let answer = world
            .supervisor
            .set_trust(&project, &shown.digest, accepted, None);
        answer.await.unwrap();
    };
    trust(true).await;
    warm(&world, &spec).await;
    trust(false).await;
    wait_until("it is gone", || world.agent_pids().is_empty()).await;
    stays_cold(&world, &spec).await;

    // What runs when a process comes up would run for nothing.
    std::fs::write(&settings, hook("SessionStart")).unwrap();
    trust(true).await;
    stays_cold(&world, &spec).await;
    world.supervisor.cool(HERE);
    nothing_is_left(&world).await;
    world.finish().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn those_that_wait_take_no_place_from_sessions() {
    let mut world = Setup::fake().places(1, 1, 1).start();
    let spec = spec(&world);
    let mut talk = begin(&mut world, spec.clone()).await;
    talk.send("hang").await;
    talk.until_live("Let me").await;
    assert_eq!(
        world.supervisor.warm(HERE, spec.clone()).unwrap(),
        Warmed::Not
    );
    talk.handle.interrupt().await.unwrap();
    talk.until_turn_end().await;
    assert_eq!(world.agent_pids().len(), 1);
    world.finish().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_agent_that_does_not_come_up_is_not_started_again_and_again() {
    let mut world = Setup::of("/bin/false".into()).start();
    let spec = spec(&world);
    wait_until("it is given up", || {
        world.supervisor.warm(HERE, spec.clone()).unwrap() == Warmed::Not
    })
    .await;
    let holders = world.sandbox.data().join("holders");
    wait_until("nothing is left", || files(&holders).is_empty()).await;
    // The session tells why, as it would have without.
    let mut talk = begin(&mut world, spec).await;
    talk.send("one").await;
    assert!(until!(talk, TurnCompleted).is_error);
    world.finish().await;
}
