//! Agents that are killed in the first moments of a turn. Every message reaches
//! the model exactly once, or its turn ends with an error that says it did not.

use std::time::Duration;

use baton_protocol::{
    Event,
    words::{Json, Runtime, StopReason},
};
use baton_session::{Answering, Caller, Host};
use baton_testkit::{
    Signal, Version,
    model::{self, Request, RequestKind, Script},
};
use serde_json::json;

use crate::{
    talk::Talk,
    world::{Setup, World, wait_until},
};

/// The first process that the turn has.
async fn agent(world: &World) -> i32 {
    wait_until("an agent runs", || !world.agent_pids().is_empty()).await;
    *world.agent_pids().first().unwrap()
}

fn kill(pid: i32) {
    baton_testkit::send_signal(pid, Signal::KILL);
}

async fn another_than(world: &World, dead: i32) -> i32 {
    let mut found = None;
    wait_until("another agent runs", || {
        found = world.agent_pids().into_iter().find(|pid| *pid != dead);
        found.is_some()
    })
    .await;
    found.unwrap()
}

/// What the log says of a turn's end: well, or with an error.
async fn end_of_turn(talk: &mut Talk) -> Result<(), String> {
    let end = talk.until_over().await;
    talk.until_idle().await;
    if end.stop_reason == StopReason::End {
        return Ok(());
    }
    let errors = talk.seen.iter().rev().filter_map(|one| match &one.event {
        Event::Error(error) => Some(format!(
            "{} / {}",
            error.message,
            error.hint.as_deref().unwrap_or_default()
        )),
        _ => None,
    });
    Err(errors.take(1).collect())
}

/// How often the conversation that the model saw last has each text.
fn told(world: &World, texts: &[String]) -> Vec<usize> {
    let requests = world.model.requests();
    let main = |request: &&Request| request.kind == RequestKind::Main;
    let last = requests.iter().rfind(main).unwrap();
    let said = serde_json::to_string(last.messages()).unwrap();
    let count = |text: &String| said.matches(text.as_str()).count();
    texts.iter().map(count).collect()
}

async fn loops(version: Version, moments: &[u64]) {
    let always = |request: &Request| request.kind == RequestKind::Main;
    let script = Script::new().always(always, model::text("Yes."));
    let mut world = Setup::real(version).script(script).start();
    let mut talk = world.session().await;
    talk.ignore_live();
    let mut reached = Vec::new();
    for (number, moment) in moments.iter().enumerate() {
        let text = format!("message-{number}-of-many");
        talk.send(&text).await;
        let pid = agent(&world).await;
        tokio::time::sleep(Duration::from_millis(*moment)).await;
        kill(pid);
        match end_of_turn(&mut talk).await {
            Ok(()) => reached.push(text),
            Err(told) => panic!("{version:?}, after {moment} ms: {told}"),
        }
        // What is left of the process is not taken for the next turn's.
        talk.handle.close().await.unwrap();
        talk.until_gone().await;
    }
    talk.turn("the-last-of-them").await;
    let counts = told(&world, &reached);
    assert!(counts.iter().all(|count| *count == 1), "{counts:?}");
    let row = world.supervisor.store().session_row(talk.id()).await;
    assert_eq!(row.unwrap().unwrap().runtime, Runtime::Streaming);
    world.finish().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_message_outlives_one_kill_within_its_first_second() {
    let moments = [0, 60, 150, 300, 450, 600, 800, 1000];
    tokio::join!(
        loops(Version::V197, &moments),
        loops(Version::V325, &moments)
    );
}

/// A host with no tools. Agents ask it for them before they take anything in.
#[derive(Debug)]
struct NoTools;

impl Host for NoTools {
    fn server(&self) -> &'static str {
        "host"
    }

    fn changes(&self, _: &str) -> bool {
        false
    }

    fn answer(&self, _: &Caller, message: Json) -> Answering {
        let message = message.value();
        let result = match message["method"].as_str() {
            Some("initialize") => json!({
                "protocolVersion": "2025-06-18",
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "host", "version": "1"},
            }),
            _ => json!({"tools": []}),
        };
        let answer = json!({"jsonrpc": "2.0", "id": message["id"], "result": result});
        Box::pin(async move { Json::of(&answer) })
    }
}

/// The first moment of a session: the agent says that it has the message some
/// while before it writes it down.
async fn killed_as_it_takes_its_first_message(version: Version) {
    let always = |request: &Request| request.kind == RequestKind::Main;
    let script = Script::new().always(always, model::text("Yes."));
    let setup = Setup::real(version).script(script).host(NoTools);
    let mut world = setup.start();
    let mut talk = world.session().await;
    talk.ignore_live();
    talk.send("the-first-of-them").await;
    let pid = agent(&world).await;
    until!(talk, MessageDelivered);
    kill(pid);
    assert_eq!(end_of_turn(&mut talk).await, Ok(()), "{version:?}");
    talk.turn("the-last-of-them").await;
    assert_eq!(told(&world, &["the-first-of-them".to_owned()]), [1]);
    world.finish().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_message_that_the_agent_had_not_written_down_is_given_to_the_next() {
    for version in Version::ALL {
        killed_as_it_takes_its_first_message(version).await;
    }
}

/// An agent that never says that it is up.
fn silent() -> tempfile::NamedTempFile {
    let script = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(script.path(), "{\"hang\": true}\n").unwrap();
    script
}

/// Before the agent takes anything in: it is given the message by the next
/// process, and after that one too is gone, the person hears of it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_message_is_given_to_two_processes_and_then_told_to_be_lost() {
    let script = silent();
    let mut world = Setup::fake()
        .env("FAKE_CLAUDE_SCRIPT", script.path().to_str().unwrap())
        .start();
    let mut talk = world.session().await;
    talk.send("say one").await;
    let first = agent(&world).await;
    kill(first);
    let second = another_than(&world, first).await;
    kill(second);
    let told = end_of_turn(&mut talk).await.unwrap_err();
    assert!(told.contains("before it was ready"), "{told}");
    assert!(told.contains("Send the message again"), "{told}");
    let delivered =
        |one: &&baton_protocol::Envelope| matches!(one.event, Event::MessageDelivered(_));
    assert_eq!(talk.seen.iter().filter(delivered).count(), 0);
    world.finish().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_session_whose_process_died_keeps_the_next_one_for_all_its_turns() {
    let mut world = Setup::fake().start();
    let mut talk = world.session().await;
    talk.send("crash at init\nsay one").await;
    talk.until_turn_end().await;
    let pid = agent(&world).await;
    talk.turn("say two").await;
    talk.turn("say three").await;
    assert_eq!(world.agent_pids(), [pid], "one process for all turns");
    world.finish().await;
}

/// The owner goes, then the agent and its holder die, before the message is
/// taken or at any other moment: the next owner gives it to another process.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_message_outlives_the_end_of_everything() {
    for moment in [0, 20, 60, 120, 300] {
        let mut world = Setup::fake().start();
        let talk = world.session().await;
        talk.send("say one").await;
        let pid = agent(&world).await;
        tokio::time::sleep(Duration::from_millis(moment)).await;
        world.let_go().await;
        // Stopped, it cannot go by itself before it is killed.
        world.signal_holder(Signal::STOP);
        kill(pid);
        world.signal_holder(Signal::KILL);
        let mut handles = world.take_over().await;
        let handle = match handles.pop() {
            Some(handle) => handle,
            None => world.supervisor.open(talk.id()).await.unwrap(),
        };
        let mut talk = world.follow(handle);
        talk.ignore_live();
        let ended = end_of_turn(&mut talk).await;
        let delivered = talk.seen.iter().map(|one| &one.event);
        let delivered = delivered.filter(|event| matches!(event, Event::MessageDelivered(_)));
        match ended {
            Ok(()) => assert!(delivered.count() >= 1, "after {moment} ms"),
            // It had the message, and may have begun with it.
            Err(told) => assert!(delivered.count() == 1, "after {moment} ms: {told}"),
        }
        world.finish().await;
    }
}
