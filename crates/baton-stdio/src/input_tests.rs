use serde_json::json;

use super::*;

fn wrong(line: &str) -> String {
    parse(line.as_bytes()).unwrap_err().wrong.to_string()
}

#[test]
fn each_kind_of_bad_line_is_told_apart() {
    assert!(wrong("{").starts_with("the line is no JSON"));
    assert_eq!(wrong("[1]"), "a message is a JSON object");
    assert_eq!(wrong("{}"), "the message has no `type`");
    assert_eq!(wrong(r#"{"type":7}"#), "the message has no `type`");
    assert!(wrong(r#"{"type":"shout"}"#).starts_with("there is no message of type `shout`"));
    let typo = wrong(r#"{"type":"message","contnet":"x"}"#);
    assert!(typo.contains("unknown field `contnet`"), "{typo}");
    let missing = wrong(r#"{"type":"message"}"#);
    assert!(missing.contains("missing field `content`"), "{missing}");
    let typed = wrong(r#"{"type":"message","content":5}"#);
    assert!(typed.contains("`content`: invalid type"), "{typed}");
    let deep = wrong(r#"{"type":"message","content":"a","attachments":[{"name":7}]}"#);
    assert!(deep.contains("`attachments[0].name`: "), "{deep}");
    let mode = wrong(r#"{"type":"set_permission_mode","mode":"yolo"}"#);
    assert!(mode.contains("unknown variant `yolo`"), "{mode}");
}

#[test]
fn the_request_of_a_bad_line_is_known_where_it_said_so() {
    let bad = parse(br#"{"type":"nope","requestId":"r1"}"#).unwrap_err();
    assert_eq!(bad.request_id.as_deref(), Some("r1"));
    assert_eq!(bad.wrong.code(), "unknown_type");
}

#[test]
fn several_answers_to_one_question_are_joined() {
    let request = "apr_00000000000000000000000000000007";
    let line = json!({"type": "user_question_response", "requestId": request, "answers": {"Which?": ["S", "L"], "Why?": "so"}});
    let Ok(Input::UserQuestionResponse(response)) = parse(line.to_string().as_bytes()) else {
        panic!("a response");
    };
    assert_eq!(response.answers["Which?"].0, "S, L");
    assert_eq!(response.answers["Why?"].0, "so");
    let bad =
        json!({"type": "user_question_response", "requestId": request, "answers": {"Which?": 7}});
    assert!(wrong(&bad.to_string()).contains("a text or a list of texts"));
}

#[test]
fn a_line_that_is_no_json_is_answered_by_its_request_and_a_mark_is_passed_over() {
    for line in [
        r#"{"type":"message","content":"\ud800","requestId":"r1"}"#,
        r#"{"requestId" : "r1", "type":"message","content":"x""#,
    ] {
        let bad = parse(line.as_bytes()).unwrap_err();
        assert_eq!(bad.wrong.code(), "bad_json");
        assert_eq!(bad.request_id.as_deref(), Some("r1"), "{line}");
    }
    assert_eq!(parse(b"nonsense").unwrap_err().request_id, None);
    parse("\u{feff}{\"type\":\"stop\"}".as_bytes()).unwrap();
    parse(br#"{"type":"message","content":"x","attachments":null}"#).unwrap();
}
