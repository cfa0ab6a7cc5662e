//! What runs out: places, money, time; and sessions with a process per turn.

use std::time::Duration;

use baton_protocol::{
    Event,
    words::{EndStatus, Runtime, SessionState},
};
use baton_session::{
    CommandError, NewSessionSpec, Outbound, RealWorld, World as _,
    agents::AgentKind,
    machine::{Rejected, WhenBusy},
};
use baton_testkit::model::{self, Script};
use expect_test::expect;

use crate::{
    both::{check, check_story},
    owners::bash,
    talk::{Talk, allow},
    world::{MODEL, Setup, World},
};

async fn try_to_send(talk: &Talk, text: &str) -> Result<(), CommandError> {
    let message = Outbound {
        id: baton_protocol::MessageId::from_uuid(RealWorld.random_id()),
        text: text.into(),
        files: Vec::new(),
        when_busy: WhenBusy::Refuse,
        client: None,
    };
    talk.handle.send(message).await.map(|_| ())
}

async fn per_turn(world: &mut World) -> Talk {
    let spec = NewSessionSpec {
        agent: AgentKind::Claude,
        cwd: world.sandbox.project(),
        title: None,
        runtime: Some(Runtime::Resume),
        options: baton_protocol::event::SessionOptions {
            model: Some(MODEL.into()),
            ..Default::default()
        },
    };
    let handle = world.supervisor.create(spec).await.unwrap();
    world.follow(handle)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_session_can_have_a_process_per_turn() {
    let script = || {
        Script::new().replies([
            bash("touch made.txt"),
            model::text("Made."),
            model::text("Still here."),
        ])
    };
    check(
        |setup| setup.script(script()),
        async |world| {
            let mut talk = per_turn(world).await;
            talk.turn_with("one", allow()).await;
            talk.until_gone().await;
            assert!(world.agent_pids().is_empty());
            talk.turn("two").await;
            talk.until_gone().await;
        },
        expect![[""]],
    )
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn places_are_limited_and_idle_processes_make_room() {
    let mut world = Setup::fake().places(2, 2, 2).start();
    let mut first = world.session().await;
    let mut second = world.session().await;
    let third = world.session().await;
    first.send("hang").await;
    second.send("hang").await;
    first.until_live("Let me").await;
    second.until_live("Let me").await;
    let refused = try_to_send(&third, "no room").await.unwrap_err();
    let CommandError::NoPlace(full) = &refused else {
        panic!("{refused}");
    };
    assert_eq!(full.sessions, [first.id(), second.id()]);
    let mut third = third;
    let told = third
        .until("the limit is told", |event| {
            matches!(event, Event::Error(_))
        })
        .await;
    assert_eq!(told.event.payload().value()["code"], "session_limit");
    first.handle.interrupt().await.unwrap();
    first.until_turn_end().await;
    third.turn("room now").await;
    first.until_gone().await;
    second.handle.interrupt().await.unwrap();
    second.until_turn_end().await;
    world.finish().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_spent_budget_stops_before_the_next_turn() {
    let script = || Script::new().reply(model::text("One."));
    check_story(
        |setup| setup.script(script()),
        async |world| {
            let mut talk = world
                .session_with(|options| options.max_budget_usd = Some(0.0001))
                .await;
            talk.turn("one").await;
            let refused = try_to_send(&talk, "two").await.unwrap_err();
            talk.until(
                "it is told",
                |event| matches!(event, Event::Error(error) if error.code.as_str() == "budget"),
            )
            .await;
            format!("{refused}\n{}", talk.story())
        },
        expect![[""]],
    )
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_day_has_a_budget_for_all_sessions() {
    let mut world = Setup::fake()
        .limits(|limits| limits.day_budget_usd = Some(0.001))
        .start();
    let mut first = world.session().await;
    first.turn("one").await;
    let second = world.session().await;
    let refused = try_to_send(&second, "two").await.unwrap_err();
    assert_eq!(
        refused.to_string(),
        "the budget of this day is spent: $0.00 of $0.00"
    );
    world.finish().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_idle_session_ends_and_is_taken_up_again_with_its_context() {
    let script = || Script::new().replies([model::text("One."), model::text("Two.")]);
    check(
        |setup| {
            setup.script(script()).limits(|limits| {
                limits.process_idle = Some(Duration::from_millis(50));
                limits.idle_timeout = Some(Duration::from_millis(500));
            })
        },
        async |world| {
            let mut talk = world.session().await;
            talk.turn("one").await;
            talk.until("the end", |event| {
                matches!(event, Event::SessionState(state) if state.state == SessionState::Ended)
            })
            .await;
            let refused = world.supervisor.open(talk.id()).await.unwrap();
            let refused = try_to_send(&Talk::new(refused), "no").await.unwrap_err();
            assert!(
                matches!(refused, CommandError::Rejected(Rejected::Ended)),
                "{refused}"
            );
            let handle = world.supervisor.resume(talk.id()).await.unwrap();
            talk.handle = handle;
            talk.turn("two").await;
            talk.handle
                .end(EndStatus::Completed, "enough")
                .await
                .unwrap();
            talk.until("the second end", |event| {
                matches!(event, Event::SessionEnded(_))
            })
            .await;
        },
        expect![[""]],
    )
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_turn_that_takes_too_long_is_stopped() {
    let script = || Script::new().replies([model::tokens(5).stall_after(4), model::text("Fine.")]);
    check_story(
        |setup| {
            setup
                .script(script())
                .limits(|limits| limits.turn_timeout = Some(Duration::from_secs(3)))
        },
        async |world| {
            let mut talk = world.session().await;
            talk.turn("one").await;
            let ended = talk.seen.iter().find_map(|one| match &one.event {
                Event::TurnCompleted(turn) => Some(turn.stop_reason),
                _ => None,
            });
            talk.turn("two").await;
            format!("{}\n{}", ended.unwrap(), talk.story())
        },
        expect![[""]],
    )
    .await;
}
