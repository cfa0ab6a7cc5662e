use baton_protocol::{Event, RunnerId, SessionId, Timestamp, Turn, event::Notification};
use proptest::prelude::*;
use uuid::Uuid;

use super::*;

proptest! {
    #[test]
    fn the_composed_text_is_what_the_protocol_writes(
        id in any::<u128>(),
        seq in any::<u64>(),
        millis in -62_135_596_800_000_i64..253_402_300_799_000,
        turn in any::<u32>(),
        agent in proptest::option::of(any::<String>()),
        message in any::<String>(),
        name in proptest::option::of(any::<String>()),
    ) {
        let known = Event::from(Notification {
            title: agent.clone(),
            message,
            kind: "idle".to_owned(),
        });
        let event = match name {
            Some(name) => Event::Unrecognised { name, payload: known.payload() },
            None => known,
        };
        let envelope = Envelope {
            session_id: SessionId::from_uuid(Uuid::from_u128(id)),
            seq: Seq(seq),
            ts: Timestamp::from_millis(millis),
            runner_id: RunnerId::from_uuid(Uuid::from_u128(!id)),
            project_id: ProjectId::from_digest(&[7; 32]),
            turn: Turn(turn),
            agent_id: agent,
            event,
        };
        let mut text = String::from("left over");
        Pieces::of(&envelope, &envelope.event.payload()).join(&mut text, envelope.seq, envelope.project_id);
        prop_assert_eq!(text, serde_json::to_string(&envelope).unwrap());
    }
}
