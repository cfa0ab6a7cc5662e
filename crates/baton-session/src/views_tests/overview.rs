//! What waits, as the overview and the engine know it.

use serde_json::json;

use super::{
    super::Overview,
    script::{Given, Session},
};
use crate::machine::Facts;

/// A turn takes the message that began it, wherever that stood in the queue.
#[test]
fn a_turn_leaves_the_messages_that_did_not_begin_it() {
    let id = |number: u32| format!("00000000-0000-4000-8000-00000000000{number}");
    let mut session = Session::default();
    for number in 1..=3 {
        let message = json!({
            "messageId": id(number), "text": "", "attachments": [], "queued": true,
            "client": {"id": "c", "name": "c"},
        });
        session.event("user.message", None, &message);
    }
    let began = json!({"turn": 1, "origin": "user", "messageId": id(2)});
    session.event("turn.started", None, &began);
    let own = json!({"turn": 2, "origin": "agent"});
    session.event("turn.started", None, &own);
    let (mut facts, mut view) = (Facts::default(), Overview::default());
    for given in &session.given {
        let Given::Event(envelope) = given else {
            continue;
        };
        facts.apply(envelope.ts, &envelope.event);
        view.event(envelope);
    }
    let shown = view.queue().iter().map(|one| one.message_id.to_string());
    assert_eq!(shown.collect::<Vec<_>>(), [id(1), id(3)]);
    let known = facts.queue.iter().map(|one| one.id.to_string());
    assert_eq!(known.collect::<Vec<_>>(), [id(1), id(3)]);
}
