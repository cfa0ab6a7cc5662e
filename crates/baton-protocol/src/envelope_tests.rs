use expect_test::expect;
use uuid::Uuid;

use super::*;
use crate::event::ToolRequested;
use crate::words::Json;

fn envelope(event: Event) -> Envelope {
    Envelope {
        session_id: SessionId::from_uuid(Uuid::from_u128(0x0193)),
        seq: Seq(17),
        ts: Timestamp::from_millis(1_794_725_041_522),
        runner_id: RunnerId::from_uuid(Uuid::from_u128(1)),
        project_id: ProjectId::from_digest(&[0xab; 32]),
        turn: Turn(2),
        agent_id: None,
        event,
    }
}

#[test]
fn an_envelope_has_the_wire_form_of_the_contract() {
    let event = Event::ToolRequested(ToolRequested {
        tool_kind: Default::default(),
        subject: Default::default(),
        tool_use_id: "toolu_1".into(),
        name: "Bash".into(),
        input: Json::of(&serde_json::json!({"command": "ls"})),
        label: "Running ls".into(),
        parent_tool_use_id: None,
    });
    let text = serde_json::to_string(&envelope(event.clone())).unwrap();
    expect![[r#"{"sessionId":"ses_00000000000000000000000000000193","seq":17,"ts":"2026-11-15T06:44:01.522Z","runnerId":"run_00000000000000000000000000000001","projectId":"prj_abababababababab","turn":2,"type":"tool.requested","agentId":null,"payload":{"toolUseId":"toolu_1","name":"Bash","input":{"command":"ls"},"label":"Running ls"}}"#]]
        .assert_eq(&text);
    let wanted = envelope(event);
    assert_eq!(serde_json::from_str::<Envelope>(&text).unwrap(), wanted);
}

#[test]
fn an_event_of_a_newer_baton_keeps_its_name_and_payload() {
    let text = serde_json::to_string(&envelope(Event::Unrecognised {
        name: "moon.landed".into(),
        payload: Json::of(&serde_json::json!({"z": 1, "a": [2]})),
    }))
    .unwrap();
    let read: Envelope = serde_json::from_str(&text).unwrap();
    assert_eq!(read.event.name(), "moon.landed");
    assert_eq!(serde_json::to_string(&read).unwrap(), text);
}

#[test]
fn unknown_fields_are_ignored_and_a_bad_payload_names_its_type() {
    let text = serde_json::to_string(&envelope(Event::MessageDelivered(
        crate::event::MessageDelivered {
            message_id: crate::MessageId::from_uuid(Uuid::nil()),
        },
    )))
    .unwrap();
    let more = text.replace(r#""payload":{"#, r#""extra":1,"payload":{"new":true,"#);
    let wanted = serde_json::from_str::<Envelope>(&text).unwrap();
    assert_eq!(serde_json::from_str::<Envelope>(&more).unwrap(), wanted);
    let bad = text.replace("messageId", "messageIdx");
    let error = serde_json::from_str::<Envelope>(&bad)
        .unwrap_err()
        .to_string();
    assert!(error.contains("message.delivered"), "{error}");
}

#[test]
fn the_kind_is_read_without_what_stands_behind_it() {
    let kind = |text: &str| Envelope::kind(text);
    let cut = r#"{"sessionId":"ses_1","seq":7,"type":"session.ended","payload":{"reas"#;
    assert_eq!(kind(cut), Some(EventKind::SessionEnded));
    let quoted = r#"{"payload":{"text":"\"type\":\"session.ended\""},"type":"user.message"}"#;
    assert_eq!(kind(quoted), Some(EventKind::UserMessage));
    for other in [r#"{"type":"of.tomorrow"}"#, r#"{"seq":1}"#, "[]", ""] {
        assert_eq!(kind(other), None, "{other}");
    }
}
