//! What a person is asked, and what becomes of it.

use serde_json::{Value, json};

use super::{Parent, fake, names, only};

fn allow(asked: &Value) -> Value {
    json!({"type": "tool_approval_response", "requestId": asked["requestId"], "decision": "allow"})
}

#[test]
fn a_tool_call_is_allowed_changed_or_denied_with_words() {
    let bench = fake();
    let parent = Parent::start(&bench, &[]);
    let project = bench.sandbox.project();
    parent.say("bash touch one");
    let asked = parent.wait("tool_approval_request");
    assert_eq!(asked["toolName"], "Bash");
    assert_eq!(asked["risk"], "medium");
    assert!(asked["expiresAt"].is_string(), "{asked}");
    assert!(
        !asked["suggestions"].as_array().unwrap().is_empty(),
        "{asked}"
    );
    parent.send(&allow(&asked));
    assert_eq!(parent.wait("approval_resolved")["decision"], "allow");
    parent.wait("turn_complete");
    assert!(project.join("one").exists());

    parent.say("bash touch two");
    let asked = parent.wait("tool_approval_request");
    let mut changed = allow(&asked);
    changed["modifiedInput"] = json!({"command": "touch three"});
    parent.send(&changed);
    parent.wait("turn_complete");
    assert!(project.join("three").exists() && !project.join("two").exists());

    // The agent would take nothing for what it asked.
    parent.say("bash touch original");
    let asked = parent.wait("tool_approval_request");
    let mut nothing = allow(&asked);
    nothing["modifiedInput"] = json!({});
    parent.send(&nothing);
    let refused = parent.wait("error");
    assert_eq!(refused["code"], "bad_answer");
    assert_eq!(refused["requestId"], asked["requestId"]);
    let mut denied = allow(&asked);
    denied["decision"] = json!("deny");
    parent.send(&denied);
    parent.wait("turn_complete");
    assert!(!project.join("original").exists());

    parent.say("bash touch four");
    let asked = parent.wait("tool_approval_request");
    parent.send(&json!({"type": "tool_approval_response", "requestId": asked["requestId"], "decision": "deny", "denyMessage": "use five"}));
    let end = parent.wait("tool_end");
    assert!(
        end["output"].as_str().unwrap().contains("use five"),
        "{end}"
    );
    parent.wait("turn_complete");

    parent.say("bash touch six");
    let asked = parent.wait("tool_approval_request");
    parent.send(&json!({"type": "tool_approval_response", "requestId": asked["requestId"], "decision": "deny", "interrupt": true}));
    assert_eq!(parent.wait("result")["stopReason"], "interrupted");
    parent.stop();
}

#[test]
fn a_remembered_answer_is_not_asked_for_again() {
    let bench = fake();
    let parent = Parent::saying(&bench, &[], "bash touch one");
    let asked = parent.wait("tool_approval_request");
    let mut always = allow(&asked);
    always["rule"] = json!("Bash(touch:*)");
    always["scope"] = json!("session");
    parent.send(&always);
    parent.wait("turn_complete");
    parent.turn("bash touch two");
    let lines = parent.stop();
    only(&lines, "tool_approval_request");
    only(&lines, "approval_resolved");
}

#[test]
fn a_question_is_answered_by_its_text() {
    let bench = fake();
    let parent = Parent::saying(&bench, &[], "question Which colour?|Red|Blue");
    let asked = parent.wait("user_question_request");
    assert_eq!(asked["questions"][0]["question"], "Which colour?");
    let answer = |answers: Value| json!({"type": "user_question_response", "requestId": asked["requestId"], "answers": answers});
    parent.send(&answer(json!({"What else?": "Red"})));
    assert_eq!(parent.wait("error")["code"], "bad_answer");
    parent.send(&json!({"type": "plan_approval_response", "requestId": asked["requestId"], "approved": true}));
    assert_eq!(parent.wait("error")["code"], "no_such_request");
    parent.send(&answer(json!({"Which colour?": "Blue"})));
    let end = parent.wait("tool_end");
    assert!(end["output"].as_str().unwrap().contains("Blue"), "{end}");
    parent.wait("turn_complete");
    parent.send(&answer(json!({"Which colour?": "Red"})));
    assert_eq!(parent.wait("error")["code"], "no_such_request");
    parent.say("question Which colour?|Red|Blue");
    let asked = parent.wait("user_question_request");
    parent.send(
        &json!({"type": "user_question_response", "requestId": asked["requestId"], "answers": {}}),
    );
    assert_eq!(parent.wait("approval_resolved")["decision"], "deny");
    parent.wait("turn_complete");
    parent.stop();
}

#[test]
fn a_plan_is_sent_back_with_words_and_then_approved() {
    let bench = fake();
    let parent = Parent::saying(&bench, &["--permission-mode", "plan"], "plan Do it");
    let asked = parent.wait("plan_approval_request");
    assert!(asked["plan"].as_str().unwrap().contains("Do it"), "{asked}");
    parent.send(&json!({"type": "plan_approval_response", "requestId": asked["requestId"], "approved": false, "feedback": "Test it too"}));
    let end = parent.wait("tool_end");
    assert!(
        end["output"].as_str().unwrap().contains("Test it too"),
        "{end}"
    );
    parent.wait("turn_complete");
    parent.say("plan Do it");
    let asked = parent.wait("plan_approval_request");
    for (approved, mode) in [(true, "plan"), (false, "acceptEdits")] {
        parent.send(&json!({"type": "plan_approval_response", "requestId": asked["requestId"], "approved": approved, "mode": mode}));
        let wanted = "bad_answer";
        assert_eq!(parent.wait("error")["code"], wanted, "{approved} {mode}");
    }
    parent.send(&json!({"type": "plan_approval_response", "requestId": asked["requestId"], "approved": true, "mode": "acceptEdits"}));
    let changed = parent.baton.wait_for(
        |line| line["type"] == "permission_mode_changed" && line["mode"] == "acceptEdits",
        baton_testkit::LIMIT,
    );
    assert_eq!(changed["mode"], "acceptEdits");
    parent.wait("turn_complete");
    parent.stop();
}

#[test]
fn a_tool_call_that_nobody_answers_is_denied_in_time_and_a_question_waits_longer() {
    let bench = fake().with("BATON_AGENT_APPROVAL_TIMEOUT_MS", "300");
    let parent = Parent::saying(&bench, &[], "bash touch one");
    parent.wait("tool_approval_request");
    let resolved = parent.wait("approval_resolved");
    assert_eq!(resolved["decision"], "deny");
    assert_eq!(resolved["by"], "timeout");
    parent.wait("turn_complete");
    parent.say("question Which?|A|B");
    let asked = parent.wait("user_question_request");
    let day = |at: &Value| at.as_str().unwrap()[..10].to_owned();
    assert!(
        day(&asked["expiresAt"]) > day(&json!("2026-01-01T")),
        "{asked}"
    );
    let lines = parent.stop();
    assert!(names(&lines).contains(&"agent_notification"));
}

#[test]
fn without_a_setting_a_tool_call_waits_five_minutes_and_a_question_a_day() {
    let bench = fake();
    let parent = Parent::saying(&bench, &[], "bash touch one");
    let tool = parent.wait("tool_approval_request");
    parent.send(&allow(&tool));
    parent.wait("turn_complete");
    parent.say("question Which?|A|B");
    let question = parent.wait("user_question_request");
    let at = |asked: &Value| -> baton_protocol::Timestamp {
        serde_json::from_value(asked["expiresAt"].clone()).unwrap()
    };
    let apart = at(&question).since(at(&tool)).as_secs();
    // Both were asked within moments of each other.
    let (least, most) = (24 * 3600 - 600, 24 * 3600);
    assert!((least..=most).contains(&apart), "{apart} s");
    parent.stop();
}
