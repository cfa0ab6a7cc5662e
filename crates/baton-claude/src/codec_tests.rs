use expect_test::{Expect, expect};

use super::*;
use crate::{
    ApiEvent, CliRequestBody, ContentBlock, Delta, PermissionDecision, PermissionUpdate, Reply,
    SystemMessage, UserBlock, UserMessage,
};

#[track_caller]
#[expect(clippy::needless_pass_by_value, reason = "the call reads better")]
fn check(line: &str, expect: Expect) {
    let shown = match decode(line.as_bytes()) {
        Ok(message) => format!("{message:?}"),
        Err(error) => format!("error: {error}"),
    };
    expect.assert_eq(&shown);
}

#[test]
fn a_text_delta_borrows_from_its_line() {
    let line = r#"{"type":"stream_event","event":{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"tok "}},"session_id":"s","parent_tool_use_id":null,"uuid":"u"}"#;
    let Message::StreamEvent(event) = decode(line.as_bytes()).unwrap() else {
        panic!()
    };
    let ApiEvent::ContentBlockDelta {
        index: 0,
        delta: Delta::Text(Cow::Borrowed("tok ")),
    } = event.event
    else {
        panic!("{event:?}")
    };
    assert!(matches!(event.session_id, Some(Cow::Borrowed("s"))));
    assert!(matches!(event.uuid, Some(Cow::Borrowed("u"))));
    assert_eq!(event.parent_tool_use_id, None);
}

#[test]
fn keys_may_come_in_any_order() {
    check(
        r#"{"uuid":"u","event":{"delta":{"text":"x","type":"text_delta"},"index":2,"type":"content_block_delta"},"type":"stream_event"}"#,
        expect![[
            r#"StreamEvent(StreamEvent { event: ContentBlockDelta { index: 2, delta: Text("x") }, session_id: None, uuid: Some("u"), parent_tool_use_id: None, ttft_ms: None, api_message_id: None })"#
        ]],
    );
}

#[test]
fn unknown_deltas_and_events_keep_their_json() {
    check(
        r#"{"type":"stream_event","event":{"type":"content_block_delta","index":1,"delta":{"type":"citations_delta","citation":{"a":1}}}}"#,
        expect![[
            r#"StreamEvent(StreamEvent { event: ContentBlockDelta { index: 1, delta: Other({"type":"citations_delta","citation":{"a":1}}) }, session_id: None, uuid: None, parent_tool_use_id: None, ttft_ms: None, api_message_id: None })"#
        ]],
    );
    check(
        r#"{"type":"stream_event","event":{"type":"novelty","x":1}}"#,
        expect![[
            r#"StreamEvent(StreamEvent { event: Other({"type":"novelty","x":1}), session_id: None, uuid: None, parent_tool_use_id: None, ttft_ms: None, api_message_id: None })"#
        ]],
    );
    check(
        r#"{"type":"stream_event","event":{"type":"error","error":{"type":"overloaded_error"}}}"#,
        expect![[
            r#"StreamEvent(StreamEvent { event: Error({"type":"error","error":{"type":"overloaded_error"}}), session_id: None, uuid: None, parent_tool_use_id: None, ttft_ms: None, api_message_id: None })"#
        ]],
    );
}

#[test]
fn unknown_types_and_subtypes_are_carried_whole() {
    check(
        r#"{"type":"active_goal","value":[1, 2]}"#,
        expect![[
            r#"Unknown(Unknown { kind: Some("active_goal"), subtype: None, reason: None, raw: {"type":"active_goal","value":[1, 2]} })"#
        ]],
    );
    check(
        r#"{"type":"system","subtype":"memory_recall","x":1,"session_id":"s"}"#,
        expect![[
            r#"System(System { session_id: Some("s"), uuid: None, user_message_uuids: [], message: Other { subtype: Some("memory_recall"), raw: {"type":"system","subtype":"memory_recall","x":1,"session_id":"s"} } })"#
        ]],
    );
    check(
        r#"{"no":"type"}"#,
        expect![[
            r#"Unknown(Unknown { kind: None, subtype: None, reason: None, raw: {"no":"type"} })"#
        ]],
    );
    check(
        r#"{"type":7}"#,
        expect![[
            r#"Unknown(Unknown { kind: None, subtype: None, reason: None, raw: {"type":7} })"#
        ]],
    );
}

#[test]
fn a_known_line_without_what_it_needs_is_carried_whole() {
    check(
        r#"{"type":"assistant","uuid":"u"}"#,
        expect![[
            r#"Unknown(Unknown { kind: Some("assistant"), subtype: None, reason: Some("missing field `message` at line 1 column 31"), raw: {"type":"assistant","uuid":"u"} })"#
        ]],
    );
    check(
        r#"{"type":"control_request","request":{"subtype":"can_use_tool"}}"#,
        expect![[
            r#"Unknown(Unknown { kind: Some("control_request"), subtype: None, reason: Some("missing field `request_id` at line 1 column 63"), raw: {"type":"control_request","request":{"subtype":"can_use_tool"}} })"#
        ]],
    );
}

#[test]
fn a_request_we_cannot_read_still_names_itself_so_that_it_can_be_answered() {
    let line =
        br#"{"type":"control_request","request_id":"r1","request":{"subtype":"can_use_tool"}}"#;
    let Message::ControlRequest(request) = decode(line).unwrap() else {
        panic!()
    };
    assert_eq!(request.request_id, "r1");
    let CliRequestBody::Other { subtype, raw } = request.body else {
        panic!()
    };
    assert_eq!(subtype.as_deref(), Some("can_use_tool"));
    assert_eq!(raw.get(), r#"{"subtype":"can_use_tool"}"#);
}

#[test]
fn informative_fields_of_a_surprising_type_do_not_cost_the_message() {
    let line = br#"{"type":"result","subtype":"success","is_error":false,"ttft_ms":5.7,"num_turns":"three","result":["x"],"usage":{"input_tokens":null},"errors":null,"origin":null}"#;
    let Message::Result(result) = decode(line).unwrap() else {
        panic!()
    };
    assert_eq!(result.ttft_ms, Some(5));
    assert_eq!(result.num_turns, None);
    assert_eq!(result.result, None);
    let line = br#"{"type":"system","subtype":"status","status":{"new":"shape"}}"#;
    let Message::System(system) = decode(line).unwrap() else {
        panic!()
    };
    assert!(matches!(system.message, SystemMessage::Status(status) if status.status.is_none()));
}

#[test]
fn only_lines_that_are_no_json_objects_are_errors() {
    check("", expect![[r#"error: line is not JSON: """#]]);
    check(
        "Warning: x",
        expect![[r#"error: line is not JSON: "Warning: x""#]],
    );
    check(
        "[1]",
        expect![[r#"error: line is not a JSON object: "[1]""#]],
    );
    check(
        "\"text\"",
        expect![[r#"error: line is not a JSON object: "\"text\"""#]],
    );
    check(
        r#"{"type":"stream_event","event":{"type":"#,
        expect![[r#"error: line is not JSON: "{\"type\":\"stream_event\",\"event\":{\"type\":""#]],
    );
    let error = decode(b"{\"type\":\"\xff\"}").unwrap_err();
    assert!(matches!(error, DecodeError::NotUtf8 { .. }), "{error:?}");
    let DecodeError::NotJson { head, .. } = decode(&[b'x'; 9000]).unwrap_err() else {
        panic!()
    };
    assert_eq!(head.len(), HEAD_CHARS);
}

#[test]
fn a_lone_surrogate_becomes_a_replacement_character() {
    let line = r#"{"type":"stream_event","event":{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"a\ud83d"}}}"#;
    let Message::StreamEvent(event) = decode(line.as_bytes()).unwrap() else {
        panic!()
    };
    let ApiEvent::ContentBlockDelta { delta, .. } = event.event else {
        panic!()
    };
    assert_eq!(delta, Delta::Text(Cow::Borrowed("a\u{fffd}")));
    let keeps = |text: &str| assert_eq!(surrogates::repair(text), None, "{text}");
    keeps(r#""\ud83d\ude00 \n \\ud83d é""#);
    let repaired = surrogates::repair(r#""\\\ud83d\ud83d\ude00\ude00é""#).unwrap();
    assert_eq!(repaired, "\"\\\\\\ufffd\\ud83d\\ude00\\ufffdé\"");
}

#[test]
fn content_blocks_of_every_kind_are_read() {
    let line = br#"{"type":"user","message":{"role":"user","content":[
        {"tool_use_id":"t1","type":"tool_result","content":[{"type":"text","text":"x"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AA=="}}]},
        {"type":"tool_result","tool_use_id":"t2","content":"no","is_error":true},
        {"type":"tool_result","tool_use_id":"t3"},
        {"type":"text","text":"hello"},
        {"type":"thinking","thinking":"hm","signature":"sig"},
        {"type":"tool_use","id":"t4","name":"Bash","input":{"command":"ls"}},
        {"type":"image","source":{"type":"hologram"}},
        {"type":"document","title":"d"}]}}"#;
    let Message::User(user) = decode(line).unwrap() else {
        panic!()
    };
    expect![[r#"
        [
            ToolResult {
                tool_use_id: "t1",
                content: Blocks(
                    [
                        Text {
                            text: "x",
                        },
                        Image {
                            source: Base64 {
                                media_type: "image/png",
                                data: "AA==",
                            },
                        },
                    ],
                ),
                is_error: false,
            },
            ToolResult {
                tool_use_id: "t2",
                content: Text(
                    "no",
                ),
                is_error: true,
            },
            ToolResult {
                tool_use_id: "t3",
                content: Blocks(
                    [],
                ),
                is_error: false,
            },
            Text {
                text: "hello",
            },
            Thinking {
                thinking: "hm",
                signature: Some(
                    "sig",
                ),
            },
            ToolUse {
                id: "t4",
                name: "Bash",
                input: {"command":"ls"},
            },
            Other(
                {"type":"image","source":{"type":"hologram"}},
            ),
            Other(
                {"type":"document","title":"d"},
            ),
        ]
    "#]]
    .assert_debug_eq(&user.message.content.blocks());
    assert_eq!(user.tool_results().count(), 3);
    assert!(matches!(
        user.message.content.blocks()[3],
        ContentBlock::Text { .. }
    ));
}

#[test]
fn a_suggestion_with_an_unknown_field_goes_back_as_it_came() {
    let text = r#"{"type":"setMode","mode":"plan","destination":"session","novel":1}"#;
    let update: PermissionUpdate = serde_json::from_str(text).unwrap();
    assert!(matches!(update, PermissionUpdate::Other(_)));
    assert_eq!(serde_json::to_string(&update).unwrap(), text);
}

#[test]
fn an_encoded_line_has_exactly_one_line_end_whatever_is_inside() {
    let input = RawJson::from_text("{\r\n  \"command\": \"a\\nb\"\n}").unwrap();
    let decision = PermissionDecision::Allow {
        updated_input: input,
        updated_permissions: Vec::new(),
    };
    let line = encode(&Outgoing::Reply {
        request_id: "r".into(),
        reply: Reply::Permission(decision),
    })
    .unwrap();
    let text = String::from_utf8(line).unwrap();
    expect![[r#"
        {"type":"control_response","response":{"subtype":"success","request_id":"r","response":{"behavior":"allow","updatedInput":{    "command": "a\nb" }}}}
    "#]]
    .assert_eq(&text);
}

#[test]
fn user_messages_have_the_shape_the_cli_wants() {
    let uuid = uuid::Uuid::from_u128(7);
    let line = encode(&Outgoing::User(UserMessage::blocks(
        uuid,
        vec![
            UserBlock::text("a\nb"),
            UserBlock::image("image/png", &[1, 2]),
        ],
    )))
    .unwrap();
    expect![[r#"
        {"type":"user","message":{"role":"user","content":[{"type":"text","text":"a\nb"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AQI="}}]},"parent_tool_use_id":null,"session_id":"","uuid":"00000000-0000-0000-0000-000000000007"}
    "#]]
    .assert_eq(std::str::from_utf8(&line).unwrap());
}
