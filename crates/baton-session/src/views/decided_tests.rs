use serde_json::{Value, json};

use super::*;

/// The words for a decision, to the client `me`.
fn words(more: &Value) -> String {
    decision_words(&resolved(more), ApprovalKind::Tool, Some("me"))
}

#[test]
fn a_question_is_answered_and_a_plan_approved() {
    let end = |decision: &str| {
        let client = json!({"id": "me", "name": "baton run"});
        resolved(&json!({"decision": decision, "by": "user", "client": client}))
    };
    let words = |kind, decision| decision_words(&end(decision), kind, Some("me"));
    assert_eq!(words(ApprovalKind::Question, "allow"), "answered by you");
    assert_eq!(words(ApprovalKind::Plan, "allow"), "approved by you");
    assert_eq!(words(ApprovalKind::Tool, "allow"), "allowed by you");
    for kind in [ApprovalKind::Question, ApprovalKind::Plan] {
        assert_eq!(words(kind, "deny"), "denied by you");
    }
}

fn resolved(more: &Value) -> ApprovalResolved {
    let mut event = json!({"approvalId": "apr_00000000000000000000000000000001"});
    let fields = event.as_object_mut().unwrap();
    fields.extend(more.as_object().unwrap().clone());
    serde_json::from_value(event).unwrap()
}

#[test]
fn a_person_is_named_by_the_device() {
    let by = |client: &Value| words(&json!({"decision": "deny", "by": "user", "client": client}));
    let wanted = "denied by you";
    assert_eq!(by(&json!({"id": "me", "name": "baton run"})), wanted);
    let other = by(&json!({"id": "x", "name": "iPad"}));
    assert_eq!(other, "denied by a person (iPad)");
    assert_eq!(by(&Value::Null), "denied by a person");
    let remembered = json!({
        "decision": "allow", "by": "user", "client": {"id": "x", "name": "iPad"},
        "rule": "Bash(ls)", "scope": "user",
    });
    let wanted = "allowed by a person (iPad); remembered for every project: Bash(ls)";
    assert_eq!(words(&remembered), wanted);
}

#[test]
fn what_decided_without_a_person_is_named() {
    let rule = json!({"decision": "deny", "by": "rule", "rule": "Bash(rm:*)", "scope": "project"});
    let wanted = "denied by the rule Bash(rm:*) (project scope)";
    assert_eq!(words(&rule), wanted);
    let mode = json!({"decision": "deny", "by": "mode", "mode": "dontAsk"});
    assert_eq!(words(&mode), "denied by the permission mode dontAsk");
    let mode = json!({"decision": "allow", "by": "mode", "mode": "acceptEdits"});
    assert_eq!(words(&mode), "allowed by the permission mode acceptEdits");
    let tools = json!({"decision": "deny", "by": "mode", "message": "not among the tools"});
    assert_eq!(words(&tools), "denied by the limits of the session");
    let note = decision_note(&resolved(&tools));
    assert_eq!(note.as_deref(), Some("not among the tools"));
    let late = json!({"decision": "deny", "by": "timeout"});
    assert_eq!(words(&late), "denied, because nobody answered in time");
    let over = json!({"decision": "deny", "by": "cancelled", "message": "the turn ended"});
    assert_eq!(words(&over), "withdrawn: the turn ended");
    assert_eq!(decision_note(&resolved(&over)), None);
}

/// Whoever reads it: nobody decided, not even the client itself.
#[test]
fn where_nobody_was_there_nobody_and_no_mode_decided() {
    for id in ["me", "x"] {
        let client = json!({"id": id, "name": "baton run"});
        let told = json!({"decision": "deny", "by": "mode", "unattended": true, "client": client});
        let expected = "denied, because nobody could be asked (baton run)";
        assert_eq!(words(&told), expected);
        let older = json!({"decision": "deny", "by": "mode", "client": client});
        assert_eq!(words(&older), expected);
    }
}

#[test]
fn nobody_is_quoted_who_said_nothing() {
    let silent = json!({"decision": "deny", "by": "user", "message": UNSAID});
    assert_eq!(decision_note(&resolved(&silent)), None);
    let said = json!({"decision": "deny", "by": "user", "message": "not now"});
    assert_eq!(decision_note(&resolved(&said)).as_deref(), Some("not now"));
}
