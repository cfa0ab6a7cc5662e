//! Turns that begin by themselves: what they wait for and what they heed.

use baton_protocol::{MessageId, words::SessionState};
use baton_session::{
    CommandError, Outbound, RealWorld, World as _,
    machine::{Reply, WhenBusy},
};
use baton_testkit::model::{self};
use expect_test::expect;

use crate::{
    both::check_story,
    owners::bash,
    talk::{Talk, allow, outbound},
    world::Setup,
};

async fn send(
    talk: &Talk,
    id: MessageId,
    text: &str,
    when_busy: WhenBusy,
) -> Result<Reply, CommandError> {
    let message = outbound(text, when_busy);
    talk.handle.send(Outbound { id, ..message }).await
}

fn fresh() -> MessageId {
    MessageId::from_uuid(RealWorld.random_id())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_message_that_waited_for_its_owner_waits_for_a_place_and_then_begins() {
    let mut world = Setup::fake().start();
    let mut waiting = world.session().await;
    waiting.send("hang").await;
    waiting.until_live("Let me").await;
    send(&waiting, fresh(), "two", WhenBusy::Queue)
        .await
        .unwrap();
    // The owner is about to end, and ends this agent.
    waiting.handle.hold().await.unwrap();
    waiting.handle.kill().await.unwrap();
    waiting.until_gone().await;
    let mut busy = world.session().await;
    busy.send("hang").await;
    busy.until_live("Let me").await;
    world.let_go().await;

    world.set_places(1);
    for handle in world.take_over().await {
        let talk = if handle.id() == busy.id() {
            &mut busy
        } else {
            &mut waiting
        };
        *talk = world.follow(handle).begun_elsewhere();
    }
    let told = until!(waiting, Notification, |told| told.kind == "session_limit");
    assert!(told.message.contains("1 agent may run"));
    let row = world.supervisor.store().session_row(waiting.id()).await;
    assert_eq!(row.unwrap().unwrap().state, SessionState::Starting);
    assert_eq!(world.agent_pids().len(), 1);
    busy.handle.interrupt().await.unwrap();
    busy.until_turn_end().await;
    until!(waiting, TurnCompleted, |end| end.turn.0 == 2);
    waiting.until_idle().await;
    world.finish().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_message_that_was_sent_before_has_its_answer_though_no_place_is_left() {
    let mut world = Setup::fake().places(1, 1, 1).start();
    let mut first = world.session().await;
    let id = fresh();
    let sent = send(&first, id, "one", WhenBusy::Refuse).await.unwrap();
    first.until_turn_end().await;
    first.close().await;
    let mut second = world.session().await;
    second.send("hang").await;
    second.until_live("Let me").await;
    let again = send(&first, id, "one", WhenBusy::Refuse).await.unwrap();
    let turn = |reply: &Reply| match reply {
        Reply::Message { turn, .. } => *turn,
        Reply::Done | Reply::Later { .. } => None,
    };
    assert_eq!(turn(&again), turn(&sent));
    let other = send(&first, id, "other", WhenBusy::Refuse).await;
    assert!(other.unwrap_err().to_string().contains("other text"));
    let new = send(&first, fresh(), "two", WhenBusy::Refuse).await;
    assert!(matches!(new, Err(CommandError::NoPlace(_))));
    second.handle.interrupt().await.unwrap();
    second.until_turn_end().await;
    world.finish().await;
}

#[test]
fn a_turn_that_waited_heeds_what_its_folder_says_when_it_begins() {
    check_story(
        |setup| {
            setup.replies([
                bash("touch made.txt"),
                model::text("Made."),
                model::text("Two."),
            ])
        },
        async |world| {
            let project = world.sandbox.project();
            std::fs::write(project.join("CLAUDE.md"), "Say MARKER.").unwrap();
            let mut talk = world.session().await;
            talk.send("one").await;
            let asked = talk.until_ask().await;
            send(&talk, fresh(), "two", WhenBusy::Queue).await.unwrap();
            let shown = world.supervisor.trust(&project).await.unwrap();
            let trusted = world
                .supervisor
                .set_trust(&project, &shown.digest, true, None)
                .await;
            assert!(trusted.unwrap().decision.is_trusted());
            talk.answer(&asked, allow()).await;
            until!(talk, TurnCompleted, |end| end.turn.0 == 2);
            talk.until_idle().await;
            let requests = world.model.requests();
            let saw = requests
                .iter()
                .map(|request| request.body.to_string().contains("Say MARKER."));
            format!("{:?}\n{}", saw.collect::<Vec<_>>(), talk.story())
        },
        expect![[r#"
            [false, false, true]
            note trust
            Bash: Running touch made.txt → asked: - → allow by user → done
        "#]],
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_budget_that_is_spent_refuses_before_a_session_is_made() {
    let mut world = Setup::fake()
        .limits(|limits| limits.day_budget_usd = Some(0.001))
        .start();
    let spec = |world: &crate::world::World, budget| {
        world.spec(baton_protocol::event::SessionOptions {
            max_budget_usd: budget,
            ..Default::default()
        })
    };
    let new = spec(&world, None);
    world.supervisor.could_begin(&new).await.unwrap();
    let broke = world.supervisor.could_begin(&spec(&world, Some(0.0))).await;
    assert!(broke.unwrap_err().to_string().contains("this session"));
    let mut talk = world.session().await;
    talk.turn("one").await;
    let spent = world.supervisor.could_begin(&new).await;
    assert!(spent.unwrap_err().to_string().contains("this day"));
    world.finish().await;
}
