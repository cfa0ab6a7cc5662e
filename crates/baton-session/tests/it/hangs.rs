//! The real CLI stopped in its tracks or killed at bad moments: the turn goes
//! on in a second process or says why not, and no tool runs twice.

use std::time::Duration;

use baton_protocol::{
    Event,
    words::{EndStatus, StopReason},
};
use baton_testkit::{
    Signal, Version,
    model::{self, Script},
};

use crate::{
    owners::bash,
    talk::{Talk, allow, soon},
    world::{Setup, World, wait_until},
};

/// Longer than a healthy CLI is ever silent here, however loaded the machine.
const HANG: Duration = Duration::from_secs(5);

/// The real CLI, soon taken for hung and quickly given up.
fn impatient(version: Version, script: Script) -> World {
    let setup = Setup::real(version).script(script);
    let setup = setup.limits(|limits| {
        limits.hang_timeout = Some(HANG);
        limits.interrupt_grace = Duration::from_millis(200);
    });
    setup.start()
}

/// What a turn says of itself: fall-backs, errors, ends.
fn told(talk: &Talk) -> Vec<String> {
    let told = talk
        .seen
        .iter()
        .filter_map(|envelope| match &envelope.event {
            Event::RuntimeFallback(fallback) => Some(match fallback.continued_by {
                Some(_) => "goes on".to_owned(),
                None => "begins again".to_owned(),
            }),
            Event::Error(error) => Some(error.code.to_string()),
            Event::TurnCompleted(end) => Some(format!("turn {} {}", end.turn, end.stop_reason)),
            _ => None,
        });
    told.collect()
}

/// Plays with both versions at once: hanging takes time, not work.
async fn both(play: impl AsyncFn(Version)) {
    tokio::join!(play(Version::V197), play(Version::V325));
}

fn effects(world: &World) -> String {
    std::fs::read_to_string(world.sandbox.project().join("effects")).unwrap_or_default()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_claude_that_hangs_in_its_answer_is_replaced_and_the_turn_goes_on() {
    both(async |version| {
        let mut world = impatient(version, Script::directed());
        let mut talk = world.session().await;
        talk.ignore_live();
        talk.send("RUN[echo a >> effects] SLOW[300] TOK[50]").await;
        let asked = talk.until_ask().await;
        talk.answer(&asked, allow()).await;
        until!(talk, ToolCompleted);
        world.transcript_has("RUN[echo a").await;
        world.signal_agent(Signal::STOP);
        talk.until_turn_end().await;
        assert_eq!(told(&talk), ["goes on", "turn 1 end"], "{version:?}");
        assert_eq!(effects(&world), "a\n");
        talk.close().await;
        assert!(world.agent_pids().is_empty());
        world.finish().await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_claude_that_hangs_before_it_took_the_message_gets_it_again() {
    both(async |version| {
        let script = Script::new().replies([model::text("One."), model::text("Two.")]);
        let mut world = impatient(version, script);
        let mut talk = world.session().await;
        talk.ignore_live();
        talk.turn("one").await;
        world.signal_agent(Signal::STOP);
        talk.send("two").await;
        talk.until_turn_end().await;
        let expected = ["turn 1 end", "begins again", "turn 2 end"];
        assert_eq!(told(&talk), expected, "{version:?}");
        talk.close().await;
        world.finish().await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_claude_killed_with_an_open_approval_goes_on_without_the_tool() {
    both(async |version| {
        let script = Script::new().replies([bash("echo a >> effects"), model::text("Done.")]);
        let mut world = impatient(version, script);
        let mut talk = world.session().await;
        talk.send("do it").await;
        let asked = talk.until_ask().await;
        world.transcript_has("do it").await;
        world.kill_agent();
        talk.until_turn_end().await;
        assert_eq!(told(&talk), ["goes on", "turn 1 end"], "{version:?}");
        assert_eq!(effects(&world), "");
        let late = talk.handle.answer(asked.approval_id, allow(), None).await;
        assert!(late.is_err(), "it was closed with its agent");
        talk.close().await;
        world.finish().await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_claude_killed_with_a_task_in_the_background_closes_it() {
    both(async |version| {
        let mut world = impatient(version, Script::directed());
        let mut talk = world.session().await;
        talk.send("BG[echo a >> effects; sleep 60]").await;
        let asked = talk.until_ask().await;
        talk.answer(&asked, allow()).await;
        talk.until_over().await;
        wait_until("the task has begun", || effects(&world) == "a\n").await;
        world.remembers(&talk).await;
        world.kill_agent();
        until!(talk, TaskUpdated, |task| task.status
            != baton_protocol::words::TaskStatus::Running);
        talk.close().await;
        talk.turn("TOK[2]").await;
        let expected = ["turn 1 end", "turn 2 end"];
        let ends: Vec<_> = told(&talk);
        let ends: Vec<_> = ends
            .iter()
            .filter(|told| told.starts_with("turn"))
            .collect();
        assert_eq!(ends, expected, "{version:?}");
        assert_eq!(effects(&world), "a\n");
        // Some versions still have a word to say on the lost task.
        talk.handle.end(EndStatus::Stopped, "done").await.unwrap();
        until!(talk, SessionEnded);
        world.finish().await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_session_whose_claude_is_stopped_can_be_ended() {
    both(async |version| {
        let slow = model::text("I begin and never come to an end.").stall_after(3);
        let setup = Setup::real(version).script(Script::new().replies([slow]));
        // It is stopped by a person, before anybody takes it for hung.
        let setup = setup.limits(|limits| limits.interrupt_grace = Duration::from_millis(200));
        let mut world = setup.start();
        let mut talk = world.session().await;
        talk.ignore_live();
        talk.send("one").await;
        // The CLI does not confirm the message while the answer stalls this early.
        wait_until("the model is asked", || !world.model.requests().is_empty()).await;
        world.signal_agent(Signal::STOP);
        talk.handle.end(EndStatus::Stopped, "enough").await.unwrap();
        let ended = talk.until("the end", |event| matches!(event, Event::SessionEnded(_)));
        soon("the session ends", ended).await;
        let last = talk
            .seen
            .iter()
            .rev()
            .find_map(|envelope| match &envelope.event {
                Event::TurnCompleted(end) => Some(end.stop_reason),
                _ => None,
            });
        assert_eq!(last, Some(StopReason::Interrupted), "{version:?}");
        wait_until("the agent is gone", || world.agent_pids().is_empty()).await;
        world.finish().await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_claude_killed_in_a_sub_agent_closes_it_and_runs_nothing_twice() {
    both(async |version| {
        let mut world = impatient(version, Script::directed());
        let mut talk = world.session().await;
        talk.send("AGENT[RUN[echo a >> effects; sleep 60]]").await;
        let asked = talk.until_ask().await;
        assert!(asked.agent_id.is_some(), "the sub-agent asks");
        talk.answer(&asked, allow()).await;
        wait_until("the command has begun", || effects(&world) == "a\n").await;
        world.transcript_has("AGENT[").await;
        world.kill_agent();
        talk.until_turn_end().await;
        assert_eq!(told(&talk), ["goes on", "turn 1 end"], "{version:?}");
        talk.close().await;
        talk.turn("TOK[2]").await;
        talk.close().await;
        assert_eq!(effects(&world), "a\n");
        let stopped = |event: &Event| matches!(event, Event::SubagentStopped(_));
        assert!(talk.seen.iter().any(|seen| stopped(&seen.event)));
        world.finish().await;
    })
    .await;
}
