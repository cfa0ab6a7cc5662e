use baton_protocol::{Live, live::TextDelta};
use expect_test::{Expect, expect};
use serde_json::json;

use super::{
    super::{Narrated, Narration},
    script::{Given, Session},
};

fn narrate(view: &mut Narration, given: &Given) -> Vec<Narrated> {
    match given {
        Given::Event(envelope) => view.event(envelope),
        Given::Live(frame) => view.live(frame),
    }
}

fn line(narrated: &Narrated) -> String {
    match narrated {
        Narrated::Activity(None) => "activity ends".to_owned(),
        Narrated::Activity(Some(label)) => format!("activity: {label}"),
        Narrated::Narration(text) => format!("narration: {text}"),
        Narrated::Answer(answer) => {
            let error = answer.error.as_ref();
            let error = error.map_or_else(String::new, |error| format!(" failed: {error}"));
            format!("answer {}: {}{error}", answer.turn, answer.text)
        }
    }
}

#[track_caller]
#[expect(
    clippy::needless_pass_by_value,
    reason = "an expectation is written in place"
)]
fn check(session: &Session, expected: Expect) {
    let mut view = Narration::default();
    let lines = session
        .given
        .iter()
        .flat_map(|given| narrate(&mut view, given));
    let lines: Vec<String> = lines.map(|narrated| line(&narrated)).collect();
    expected.assert_eq(&(lines.join("\n") + "\n"));
}

#[test]
fn narration_is_held_back_and_the_answer_comes_whole() {
    let mut session = Session::default();
    session
        .turn(1)
        .writes("m1", 0, "Let me ")
        .writes("m1", 7, "look.")
        .said("m1", "Let me look.")
        .calls("t1", "Read", "Reading src/main.rs")
        .calls("t2", "Grep", "Searching for main")
        .returns("t1")
        .returns("t2")
        .writes("m2", 0, "It is fine.")
        .said("m2", "It is fine.\n")
        .done(Some("It is fine."));
    check(
        &session,
        expect![[r#"
            activity: Working
            activity: Writing
            activity: Working
            narration: Let me look.
            activity: Reading src/main.rs
            activity: Searching for main (+1)
            activity: Searching for main
            activity: Working
            activity: Writing
            activity: Working
            answer 1: It is fine.
            activity ends
        "#]],
    );
}

#[test]
fn a_subagents_tools_are_shown_but_end_no_text_of_the_main_agent() {
    let mut session = Session::default();
    session
        .turn(1)
        .calls("t1", "Agent", "Sub-agent: look")
        .calls_in(Some("a"), Some("t1"), "t2", "Read", "Reading b.rs")
        .said("m1", "Meanwhile, the answer.")
        .calls_in(Some("a"), Some("t1"), "t3", "Read", "Reading c.rs")
        .returns("t2")
        .returns("t3")
        .returns("t1")
        .done(None);
    check(
        &session,
        expect![[r#"
            activity: Working
            activity: Sub-agent: look
            activity: Reading b.rs
            activity: Reading c.rs (+1)
            activity: Reading c.rs
            activity: Sub-agent: look
            activity: Working
            answer 1: Meanwhile, the answer.
            activity ends
        "#]],
    );
}

#[test]
fn a_failed_turn_gives_what_was_said_and_why_it_failed() {
    let mut session = Session::default();
    let failed = json!({
        "turn": 1, "stopReason": "error", "isError": true, "result": "overloaded",
        "durationMs": 1, "stats": {},
    });
    session
        .turn(1)
        .said("m1", "So far")
        .event("turn.completed", None, &failed)
        .turn(2)
        .done(Some("Given without a message."));
    check(
        &session,
        expect![[r#"
            activity: Working
            answer 1: So far failed: overloaded
            activity ends
            activity: Working
            answer 2: Given without a message.
            activity ends
        "#]],
    );
}

#[test]
fn an_open_approval_is_what_the_screen_waits_for() {
    let id = "apr_01930000000070008000000000000001";
    let asked = json!({
        "approvalId": id, "kind": "tool", "toolName": "Bash", "input": {}, "risk": "high",
    });
    let resolved = json!({"approvalId": id, "decision": "allow", "by": "user"});
    let mut session = Session::default();
    session
        .turn(1)
        .live(Live::ThinkingDelta(TextDelta {
            message_id: "m".into(),
            block: 0,
            offset: 0,
            text: "hm".into(),
        }))
        .calls("t1", "Bash", "Running ls")
        .event("approval.requested", None, &asked)
        .event("approval.resolved", None, &resolved);
    check(
        &session,
        expect![[r#"
            activity: Working
            activity: Thinking
            activity: Running ls
            activity: Waiting for you
            activity: Running ls
        "#]],
    );
}

#[test]
fn what_is_held_grows_with_the_frames_and_goes_with_a_tool() {
    let mut session = Session::default();
    session.turn(1).said("m1", "One.").writes("m2", 0, "Two");
    let mut view = Narration::default();
    for given in &session.given {
        narrate(&mut view, given);
    }
    assert_eq!(view.held(), "One.\n\nTwo");
    let mut rest = session.clone();
    rest.given.clear();
    rest.said("m2", "Two.").writes("lost", 0, "Thr");
    rest.calls("t", "Read", "Reading");
    for given in &rest.given {
        narrate(&mut view, given);
    }
    assert_eq!(view.held(), "");
}
