use std::{
    io::{self, Write},
    sync::{Arc, Mutex},
};

use baton_protocol::{Seq, words::PermissionMode};
use serde_json::{Value, json};
use uuid::Uuid;

use super::*;
use crate::{
    outbox::{Out, Outbox},
    servers::Merged,
    validate,
};

fn context() -> Context {
    Context {
        conversation: "c".into(),
        session: baton_protocol::SessionId::from_uuid(Uuid::from_u128(7)),
        cwd: "/".into(),
        agent: "claude".into(),
        version: "0".into(),
        permission_mode: PermissionMode::Default,
        tool_preset: "full".into(),
        tools: None,
        resumes: None,
        forked: false,
        folder: Folder {
            trust: crate::output::FolderTrust {
                trusted: false,
                left_out: Vec::new(),
                reason: None,
                digest: "d".into(),
                request_id: None,
            },
            servers: Merged::default(),
        },
        checkpointing: false,
        budget: crate::output::Budget::default(),
    }
}

/// A log from names and payloads.
fn log(events: &[(&str, Value)]) -> Vec<Envelope> {
    let envelope = |(at, (name, payload)): (usize, &(&str, Value))| {
        let text = json!({
            "sessionId": "ses_00000000000000000000000000000007", "seq": at + 1, "turn": 1,
            "ts": "2026-11-15T06:44:01.522Z", "runnerId": "run_00000000000000000000000000000001",
            "projectId": "prj_0123456789abcdef", "type": name, "agentId": null, "payload": payload,
        });
        Envelope::parse(&text.to_string()).unwrap()
    };
    events.iter().enumerate().map(envelope).collect()
}

/// What is said of a log.
fn said(events: &[Envelope]) -> Vec<Value> {
    let mut state = Translator::new(context());
    let mut out = Vec::new();
    for event in events {
        state.event(event, &mut out);
    }
    state.release(&mut out);
    out.iter()
        .map(|line| serde_json::to_value(line).unwrap())
        .collect()
}

fn names(lines: &[Value]) -> Vec<&str> {
    lines
        .iter()
        .map(|line| line["type"].as_str().unwrap())
        .collect()
}

fn asked() -> Value {
    json!({"approvalId": "apr_00000000000000000000000000000001", "kind": "tool", "toolName": "Bash", "input": {}, "risk": "high"})
}

fn answered(by: &str) -> Value {
    json!({"approvalId": "apr_00000000000000000000000000000001", "decision": "allow", "by": by})
}

#[test]
fn what_a_rule_decides_at_once_is_no_question_to_a_person() {
    let lines = said(&log(&[
        ("approval.requested", asked()),
        ("approval.resolved", answered("rule")),
    ]));
    assert_eq!(names(&lines), Vec::<&str>::new());
}

#[test]
fn a_question_is_told_once_nothing_answers_it_and_so_is_its_end() {
    let lines = said(&log(&[
        ("approval.requested", asked()),
        ("session.state", json!({"state": "waiting"})),
        ("approval.resolved", answered("timeout")),
    ]));
    assert_eq!(
        names(&lines),
        [
            "tool_approval_request",
            "agent_notification",
            "approval_resolved"
        ]
    );
    assert_eq!(lines[2]["by"], "timeout");
}

#[test]
fn a_call_that_waits_for_an_answer_is_not_told_to_run() {
    let call = json!({"toolUseId": "t", "name": "Bash", "input": {}, "label": "Running"});
    let mut asked = asked();
    asked["toolUseId"] = json!("t");
    let mut log = log(&[
        ("tool.requested", call),
        ("approval.requested", asked),
        ("session.state", json!({"state": "waiting"})),
        ("approval.resolved", answered("user")),
    ]);
    let seconds = std::time::Duration::from_secs;
    let begun = log[0].ts;
    log[3].ts = begun.plus(seconds(60));
    let mut state = Translator::new(context());
    let mut out = Vec::new();
    log[..3]
        .iter()
        .for_each(|event| state.event(event, &mut out));
    state.tick(begun.plus(seconds(60)), &mut out);
    state.event(&log[3], &mut out);
    state.tick(begun.plus(seconds(63)), &mut out);
    let told = out.iter().map(|line| serde_json::to_value(line).unwrap());
    let told = told.filter(|line| line["type"] == "tool_progress");
    let told: Vec<_> = told.map(|line| line["elapsedMs"].as_u64()).collect();
    assert_eq!(told, [Some(3000)]);
}

#[test]
fn a_process_that_is_replaced_ends_before_the_next_one_starts() {
    let lines = said(&log(&[
        ("session.started", json!({"agentSessionId": "a"})),
        ("session.started", json!({"agentSessionId": "b"})),
    ]));
    assert_eq!(
        names(&lines),
        [
            "session_id_update",
            "session_started",
            "init",
            "session_ended",
            "session_id_update",
            "session_started",
            "init",
        ]
    );
    assert_eq!(lines[5]["source"], "restart");
}

#[test]
fn a_process_that_is_lost_is_told_to_be_gone_at_once() {
    let lost = (
        "error",
        json!({"code": "agent_lost", "message": "lost", "retryable": true}),
    );
    let over = json!({"turn": 1, "stopReason": "error", "durationMs": 1, "stats": {}});
    let in_a_turn = [
        ("session.started", json!({"agentSessionId": "a"})),
        ("turn.started", json!({"turn": 1, "origin": "user"})),
        lost.clone(),
        ("turn.completed", over),
    ];
    let between = [("session.started", json!({"agentSessionId": "a"})), lost];
    for events in [&in_a_turn[..], &between] {
        let lines = said(&log(events));
        let last = lines.last().unwrap();
        assert_eq!(last["type"], "session_ended");
        assert_eq!(last["reason"], "lost");
    }
}

#[test]
fn a_process_that_ends_with_its_turn_is_told_to_be_gone_at_once() {
    let over =
        json!({"turn": 1, "stopReason": "error", "durationMs": 1, "exitCode": 3, "stats": {}});
    let begun = [
        ("session.started", json!({"agentSessionId": "a"})),
        ("turn.started", json!({"turn": 1, "origin": "user"})),
        ("turn.completed", over),
    ];
    let lines = said(&log(&begun));
    let last = lines.last().unwrap();
    assert_eq!(last["reason"], "its process ended with exit code 3");
    // Whoever ended the conversation is the better reason.
    let ended = json!({"status": "stopped", "reason": "stop"});
    let removed = json!({"messageId": "3f2a9c1e-0000-4000-8000-000000000001"});
    let more = [("message.removed", removed), ("session.ended", ended)];
    let lines = said(&log(&[&begun[..], &more].concat()));
    let ends: Vec<_> = lines
        .iter()
        .filter(|line| line["type"] == "session_ended")
        .map(|line| (&line["reason"], &line["status"]))
        .collect();
    assert_eq!(ends, [(&json!("stop"), &json!("stopped"))]);
}

#[test]
fn a_plan_is_told_though_the_agent_asks_without_it() {
    let call = json!({"toolUseId": "t", "name": "P", "input": {"plan": "Do it"}, "label": "P"});
    for (input, plan) in [
        (json!({}), "Do it"),
        (json!({"plan": ""}), "Do it"),
        (json!({"plan": "Do that"}), "Do that"),
    ] {
        let asked = json!({"approvalId": "apr_00000000000000000000000000000001", "kind": "plan", "toolName": "P", "toolUseId": "t", "input": input, "risk": "low"});
        let lines = said(&log(&[
            ("tool.requested", call.clone()),
            ("approval.requested", asked),
        ]));
        let told = lines
            .iter()
            .find(|line| line["type"] == "plan_approval_request");
        assert_eq!(told.unwrap()["plan"], plan);
    }
}

#[test]
fn costs_add_up_without_dust_and_no_tokens_are_not_counted() {
    let over = |turn: u32, cost: f64| json!({"turn": turn, "stopReason": "end", "durationMs": 1, "costUsd": cost, "stats": {}});
    let none = json!({"inputTokens": 0, "outputTokens": 0});
    let local = json!({"messageId": "m", "block": 0, "content": "Cost", "usage": none});
    let lines = said(&log(&[
        ("assistant.message", local),
        ("turn.completed", over(1, 0.0008)),
        ("turn.completed", over(2, 0.0024)),
    ]));
    assert!(!names(&lines).contains(&"context_usage"), "{lines:?}");
    let result = lines.iter().rfind(|line| line["type"] == "result").unwrap();
    assert_eq!(result["totalCostUsd"].to_string(), "0.0032");
}

#[test]
fn thought_that_is_cut_short_gets_its_end() {
    let mut state = Translator::new(context());
    let mut out = Vec::new();
    let frame = |offset: u64, text: &str| LiveFrame {
        session_id: baton_protocol::SessionId::from_uuid(Uuid::from_u128(7)),
        after: Seq(0),
        ts: Timestamp::from_millis(0),
        turn: Turn(1),
        live: Live::ThinkingDelta(baton_protocol::live::TextDelta {
            message_id: "m".into(),
            block: 0,
            offset,
            text: text.into(),
        }),
    };
    // Merged, repeated, and with a gap that only the whole could fill.
    for frame in [
        frame(0, "ab"),
        frame(0, "abc"),
        frame(9, "z"),
        frame(3, "d"),
    ] {
        state.live(&frame, &mut out);
    }
    let done = json!({"turn": 1, "stopReason": "interrupted", "durationMs": 1, "stats": {}});
    for event in log(&[("turn.completed", done)]) {
        state.event(&event, &mut out);
    }
    let lines: Vec<Value> = out
        .iter()
        .map(|line| serde_json::to_value(line).unwrap())
        .collect();
    let pieces: Vec<&str> = lines
        .iter()
        .filter(|line| line["type"] == "thinking_delta")
        .map(|line| line["text"].as_str().unwrap())
        .collect();
    assert_eq!(pieces, ["ab", "c", "d"]);
    let whole = lines
        .iter()
        .find(|line| line["type"] == "thinking")
        .unwrap();
    assert_eq!(whole["text"], "abcd");
    assert_eq!(whole["aborted"], true);
}

#[test]
fn thought_that_was_not_seen_while_it_came_still_has_its_pieces() {
    let thought = json!({"messageId": "m", "block": 0, "content": "why not"});
    let lines = said(&log(&[("assistant.thinking", thought)]));
    let wanted = ["thinking_start", "thinking_delta", "thinking"];
    assert_eq!(names(&lines), wanted);
    assert_eq!(lines[1]["text"], lines[2]["text"]);
}

#[test]
fn a_failed_sign_in_is_an_event_of_its_own() {
    let raised = json!({"code": "auth", "message": "not signed in", "hint": "sign in"});
    let lines = said(&log(&[("error", raised)]));
    assert_eq!(names(&lines), ["auth_error"]);
}

#[derive(Clone, Default)]
struct Kept(Arc<Mutex<Vec<u8>>>);

impl Write for Kept {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Out for Kept {
    fn write_now(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.write(bytes)
    }
}

/// Logs that Baton wrote, of the demo agent and of the real CLI.
fn recorded() -> Vec<Vec<Envelope>> {
    let folder = baton_testkit::repo_root().join("web/tests/fixtures");
    let mut logs = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|kind| kind == "ndjson") {
            let text = std::fs::read_to_string(&path).unwrap();
            logs.push(
                text.lines()
                    .filter_map(|line| Envelope::parse(line).ok())
                    .collect(),
            );
        }
    }
    assert!(!logs.is_empty());
    logs
}

#[tokio::test]
async fn wherever_a_recorded_log_is_cut_off_the_output_ends_in_order() {
    for log in recorded() {
        let step = log.len().div_ceil(40).max(1);
        for cut in (0..=log.len()).step_by(step) {
            let kept = Kept::default();
            let outbox = Outbox::to(kept.clone(), Arc::new(baton_session::RealWorld)).unwrap();
            let mut state = Translator::new(context());
            let mut out = state.ready();
            for event in &log[..cut] {
                state.event(event, &mut out);
            }
            for line in out {
                outbox.say(line).await;
            }
            // Nobody says how it ends: as after a panic.
            outbox.close(None);
            let text = String::from_utf8(kept.0.lock().unwrap().clone()).unwrap();
            let lines: Vec<Value> = text
                .lines()
                .map(|line| serde_json::from_str(line).unwrap())
                .collect();
            let problems = validate::problems(&lines);
            assert!(problems.is_empty(), "cut at {cut}: {problems:#?}");
        }
    }
}

#[test]
fn a_change_that_made_no_event_is_told_once_it_is_done() {
    let mut state = Translator::new(context());
    let mut out = Vec::new();
    let mode = crate::pending::What::Mode(PermissionMode::Plan);
    let number = state.expected.add(mode, Some("m".into()));
    state.answer(&mut out);
    assert!(!state.owes_answers() && out.is_empty(), "it is not done");
    state.expected.done(number);
    assert!(state.owes_answers());
    state.answer(&mut out);
    assert_eq!(out.len(), 1);
    assert!(!state.owes_answers(), "it is told once");
}

#[test]
fn an_interrupt_is_answered_by_its_turn_and_else_when_none_runs() {
    let mut state = Translator::new(context());
    let mut out = Vec::new();
    let events = log(&[("turn.started", json!({"turn": 1, "origin": "user"}))]);
    state.event(&events[0], &mut out);
    let ask = |state: &mut Translator| {
        let number = state.expected.add(crate::pending::What::Interrupt, None);
        state.expected.done(number);
    };
    ask(&mut state);
    assert!(!state.owes_answers(), "the turn's end tells of it");
    let mut idle = Translator::new(context());
    ask(&mut idle);
    let mut out = Vec::new();
    idle.answer(&mut out);
    let told = serde_json::to_value(&out).unwrap();
    assert_eq!(told, json!([{"type": "interrupted", "wasRunning": false}]));
}

#[test]
fn what_is_not_known_is_told_in_its_own_words_and_what_is_for_the_model_is_not() {
    let unknown = |raw: Value| ("agent.unknown", json!({"raw": raw}));
    let lines = said(&log(&[
        unknown(
            json!({"type": "system", "subtype": "informational", "content": "A new model is there."}),
        ),
        unknown(json!({"type": "system", "subtype": "permission_denied", "tool_name": "Bash"})),
        (
            "notification",
            json!({"kind": "synthetic", "message": "Resume directly, no apology."}),
        ),
    ]));
    let told: Vec<_> = lines
        .iter()
        .map(|line| {
            (
                line["title"].as_str().unwrap(),
                line["message"].as_str().unwrap(),
            )
        })
        .collect();
    assert_eq!(
        told,
        [
            ("informational", "A new model is there."),
            (
                "permission_denied",
                "The agent told of `permission_denied`, which this version does not know."
            ),
        ]
    );
    assert_eq!(lines[1]["raw"]["tool_name"], "Bash");
}

#[test]
fn a_message_that_the_budget_refuses_is_told_once_whoever_comes_first() {
    let spent = log(&[(
        "error",
        json!({"code": "budget", "message": "the budget of this session is spent", "retryable": true}),
    )]);
    let id = MessageId::from_uuid(Uuid::from_u128(9));
    let refusal = Error {
        request_id: Some("r".into()),
        ..crate::act::error("budget", "the budget of this session is spent", None)
    };
    let told = |log_first: bool| {
        let mut state = Translator::new(context());
        let mut out = Vec::new();
        state.expect_message(id, Some("r".into()));
        if log_first {
            state.event(&spent[0], &mut out);
        }
        state.message_refused(id, &refusal);
        out.push(refusal.clone().into());
        if !log_first {
            state.event(&spent[0], &mut out);
        }
        // Another time it is news again.
        state.event(&spent[0], &mut out);
        out.len()
    };
    assert_eq!((told(true), told(false)), (2, 2));
}

#[test]
fn a_limit_says_from_when_on_it_may_be_tried_again() {
    let lines = said(&log(&[(
        "error",
        json!({"code": "rate_limit", "message": "the limit is reached", "retryable": true,
            "retryAt": "2026-11-15T07:00:00.000Z"}),
    )]));
    assert_eq!(lines[0]["retryAt"], "2026-11-15T07:00:00.000Z");
}

#[test]
fn a_turn_takes_the_message_that_began_it_and_those_that_it_was_given() {
    let id = |number: u32| format!("00000000-0000-4000-8000-00000000000{number}");
    let sent = |number| {
        (
            "user.message",
            json!({"messageId": id(number), "text": "", "queued": true}),
        )
    };
    let began = json!({"turn": 1, "origin": "user", "messageId": id(2)});
    let mut state = Translator::new(context());
    let mut out = Vec::new();
    for event in log(&[
        sent(1),
        sent(2),
        sent(3),
        ("turn.started", began),
        ("message.delivered", json!({"messageId": id(1)})),
    ]) {
        state.event(&event, &mut out);
    }
    let begun = out.iter().map(|line| serde_json::to_value(line).unwrap());
    let begun: Vec<_> = begun
        .filter(|line| line["type"] == "turn_started")
        .map(|line| line["messageIds"].clone())
        .collect();
    assert_eq!(begun, [json!([id(2)])]);
    let waiting: Vec<_> = state.waiting.iter().map(|one| one.id.to_string()).collect();
    assert_eq!(waiting, [id(3)]);
}
