//! Money: what a session and a day may cost, in turns under way too.

use baton_protocol::{
    Event,
    words::{PermissionMode, StopReason},
};
use baton_testkit::model::{self, Reply, Script};
use serde_json::json;

use crate::{
    both::both,
    talk::Talk,
    world::{Setup, World},
};

/// A model that never comes to an end. What an answer of it costs is each
/// version's own to say: 0.0006 or 0.001 dollars.
fn endless(setup: Setup) -> Setup {
    let echo = || model::tool_use("Bash", json!({"command": "echo on and on"}));
    let mut replies = 0;
    let reply = move |_: &model::Request| -> Option<Reply> {
        replies += 1;
        Some(if replies > 60 {
            model::text("The end.")
        } else {
            echo()
        })
    };
    setup.script(Script::new().respond(reply))
}

async fn session(world: &mut World) -> Talk {
    let bypass = Some(PermissionMode::BypassPermissions);
    world
        .session_with(|options| options.permission_mode = bypass)
        .await
}

/// How the last turn ended and what was said about money.
fn ended(talk: &Talk) -> (StopReason, Vec<String>) {
    let mut stop = None;
    let mut errors = Vec::new();
    for envelope in &talk.seen {
        match &envelope.event {
            Event::TurnCompleted(turn) => stop = Some(turn.stop_reason),
            Event::Error(error) if error.code.as_str() == "budget" => {
                errors.push(error.message.clone());
            }
            _ => {}
        }
    }
    (stop.unwrap(), errors)
}

#[test]
fn the_settings_budget_of_a_session_stops_a_turn_under_way_and_can_be_raised() {
    both(
        |setup| endless(setup).limits(|limits| limits.session_budget_usd = Some(0.0025)),
        async |world| {
            let mut talk = session(world).await;
            talk.turn("one").await;
            let (stop, errors) = ended(&talk);
            assert_eq!(stop, StopReason::Budget, "{errors:?}");
            let asked = world.model.requests().len();
            assert!((3..=6).contains(&asked), "{asked} answers were paid for");
            let again = talk.handle.send(crate::memory::message("two")).await;
            let again = again.unwrap_err().to_string();
            assert!(again.contains("the budget of this session"), "{again}");
            talk.handle.set_budget(Some(0.007)).await.unwrap();
            talk.turn("three").await;
            let more = world.model.requests().len();
            assert!(more > asked, "the turn ran");
            assert_eq!(ended(&talk).0, StopReason::Budget);
        },
    );
}

#[test]
fn the_budget_of_a_day_stops_all_sessions_together() {
    both(
        |setup| endless(setup).limits(|limits| limits.day_budget_usd = Some(0.007)),
        async |world| {
            let mut talks = Vec::new();
            for _ in 0..3 {
                talks.push(session(world).await);
            }
            for talk in &talks {
                talk.send("go").await;
            }
            let mut told = Vec::new();
            for talk in &mut talks {
                talk.until_turn_end().await;
                let (stop, errors) = ended(talk);
                assert_eq!(stop, StopReason::Budget, "{errors:?}");
                told.extend(errors);
            }
            // The budget pays for 12. What a session has cost is known after its
            // next tool, one answer late, and the CLI asks the model again beside
            // the question: so two answers more for each. Without a sum over all
            // sessions it would be three times the budget, 36.
            let asked = world.model.requests().len();
            assert!(
                asked <= 12 + 3 * 2,
                "{asked} answers were paid for: {told:?}"
            );
        },
    );
}
