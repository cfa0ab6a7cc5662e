//! What waits, as screens are told and as the state machine knows it.

use serde_json::json;

use super::script::Session;
use crate::machine::Facts;

fn id(number: u32) -> String {
    format!("00000000-0000-4000-8000-00000000000{number}")
}

fn three_messages() -> Session {
    let mut session = Session::default();
    for number in 1..=3 {
        let message = json!({"messageId": id(number), "text": "", "queued": true});
        session.event("user.message", None, &message);
    }
    session
}

#[track_caller]
fn waits(session: &Session, numbers: &[u32]) {
    let expected: Vec<_> = numbers.iter().map(|number| id(*number)).collect();
    let facts = Facts::replay(session.events());
    for queue in [session.facts().queue, facts.open.queue] {
        let ids = queue.iter().map(|one| one.message_id.to_string());
        assert_eq!(ids.collect::<Vec<_>>(), expected);
    }
}

/// A turn takes the message that began it, wherever that stood in the queue.
#[test]
fn a_turn_leaves_the_messages_that_did_not_begin_it() {
    let mut session = three_messages();
    let began = json!({"turn": 1, "origin": "user", "messageId": id(2)});
    session.event("turn.started", None, &began);
    let own = json!({"turn": 2, "origin": "agent"});
    session.event("turn.started", None, &own);
    waits(&session, &[1, 3]);
}

#[test]
fn a_message_that_the_running_turn_took_too_waits_no_more() {
    let mut session = three_messages();
    let taken = json!({"messageId": id(2)});
    session
        .turn(1)
        .event("message.delivered", None, &taken)
        .done(None);
    waits(&session, &[3]);
    session.turn(2);
    waits(&session, &[]);
}
