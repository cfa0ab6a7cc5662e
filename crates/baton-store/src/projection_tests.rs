use baton_protocol::{
    ApprovalId, ProjectId, RunnerId, Seq, SessionId, Timestamp, Turn, event::ContextUsage,
    words::Risk,
};
use serde_json::json;
use uuid::Uuid;

use super::*;

fn fold(events: impl IntoIterator<Item = Event>) -> SessionRow {
    let id = SessionId::from_uuid(Uuid::from_u128(1));
    let project_id = ProjectId::from_digest(&[1; 32]);
    let mut row = SessionRow::new(id, project_id, Timestamp::from_millis(0));
    for (number, event) in (1..).zip(events) {
        let envelope = Envelope {
            session_id: id,
            seq: Seq(number),
            ts: Timestamp::from_millis(i64::try_from(number).unwrap() * 1000),
            runner_id: RunnerId::from_uuid(Uuid::from_u128(2)),
            project_id,
            turn: Turn::NONE,
            agent_id: None,
            event,
        };
        apply(&mut row, &envelope);
    }
    row
}

fn event(name: &str, payload: &serde_json::Value) -> Event {
    assert!(Event::NAMES.contains(&name), "{name}");
    let payload = serde_json::value::to_raw_value(payload).unwrap();
    Event::decode(name, &payload).unwrap()
}

fn created() -> Event {
    let how = json!({"agent": "demo", "mode": "structured", "runtime": "streaming", "cwd": "/p",
        "options": {}});
    event("session.created", &how)
}

fn ended() -> Event {
    let how = json!({"status": "failed", "exitCode": 3, "error": "boom"});
    event("session.ended", &how)
}

fn asked(number: u128, risk: Risk) -> Event {
    let id = ApprovalId::from_uuid(Uuid::from_u128(number));
    let what = json!({"approvalId": id, "kind": "tool", "toolName": "Bash", "input": null,
        "risk": risk});
    event("approval.requested", &what)
}

fn resolved(number: u128) -> Event {
    let id = ApprovalId::from_uuid(Uuid::from_u128(number));
    let how = json!({"approvalId": id, "decision": "allow", "by": "user"});
    event("approval.resolved", &how)
}

fn turn_done(turn: u32, cost: f64) -> Event {
    let how = json!({"turn": turn, "stopReason": "end", "durationMs": 1, "costUsd": cost, "stats": {},
        "usage": {"inputTokens": 10, "outputTokens": 1}});
    event("turn.completed", &how)
}

#[test]
fn an_ended_session_says_how_and_a_resumed_one_runs_again() {
    let row = fold([created(), ended()]);
    assert_eq!(row.status, SessionStatus::Failed);
    assert_eq!(row.state, SessionState::Ended);
    assert_eq!(row.ended_at, Some(Timestamp::from_millis(2000)));
    assert_eq!(row.exit_code, Some(3));
    assert_eq!(row.error.as_deref(), Some("boom"));
    assert_eq!((row.duration_ms, row.event_count), (1000, 2));

    let how = json!({"agentSessionId": "agent", "model": "m", "pid": 7});
    let started = event("session.started", &how);
    let row = fold([created(), ended(), started]);
    assert_eq!(row.status, SessionStatus::Running);
    assert_eq!(row.state, SessionState::Starting);
    assert_eq!((row.ended_at, row.exit_code, row.error), (None, None, None));
    assert_eq!((row.pid, row.model.as_deref()), (Some(7), Some("m")));

    let idle = event("session.state", &json!({"state": "idle"}));
    let row = fold([created(), ended(), idle]);
    assert_eq!(row.status, SessionStatus::Running);
    assert_eq!(row.state, SessionState::Idle);
}

#[test]
fn open_approvals_and_their_highest_risk_follow_the_answers() {
    let both = || vec![created(), asked(1, Risk::High), asked(2, Risk::Low)];
    let row = fold(both());
    assert_eq!(row.open_approvals, 2);
    assert_eq!(row.highest_risk, Some(Risk::High));
    let row = fold(both().into_iter().chain([resolved(1)]));
    assert_eq!((row.open_approvals, row.highest_risk), (1, Some(Risk::Low)));
    let row = fold(both().into_iter().chain([resolved(1), resolved(2)]));
    assert_eq!((row.open_approvals, row.highest_risk), (0, None));
}

#[test]
fn costs_and_tokens_add_up_over_turns() {
    let row = fold([created(), turn_done(1, 0.1), turn_done(2, 0.2)]);
    assert_eq!(row.turn_count, 2);
    assert_eq!(row.cost_usd, Some(0.1 + 0.2));
    assert_eq!((row.usage.input_tokens, row.usage.output_tokens), (20, 2));
}

#[test]
fn a_session_without_a_title_takes_the_first_line_of_the_first_message() {
    let say = |text: &str| {
        event(
            "user.message",
            &json!({"messageId": Uuid::nil(), "text": text}),
        )
    };
    let row = fold([
        created(),
        say("\n  Fix the login \nplease"),
        say("and more"),
    ]);
    assert_eq!(row.title.as_deref(), Some("Fix the login"));
    let row = fold([created(), say(&"ä".repeat(200))]);
    assert_eq!(row.title.map(|title| title.chars().count()), Some(80));
}

fn runs(id: &str, label: &str) -> Event {
    let what = json!({"toolUseId": id, "name": "Bash", "input": null, "label": label});
    event("tool.requested", &what)
}

fn ran(id: &str) -> Event {
    let how = json!({"toolUseId": id, "name": "Bash", "output": "", "durationMs": 1});
    event("tool.completed", &how)
}

fn turn_begins(turn: u32) -> Event {
    event("turn.started", &json!({"turn": turn, "origin": "user"}))
}

#[test]
fn the_label_is_of_a_call_that_runs_and_of_no_other() {
    let label = |events: Vec<Event>| fold(events).last_label;
    let both = || {
        vec![
            turn_begins(1),
            runs("a", "Running a"),
            runs("b", "Running b"),
        ]
    };
    assert_eq!(label(both()).as_deref(), Some("Running b"));
    let one_left = [both(), vec![ran("b")]].concat();
    assert_eq!(label(one_left).as_deref(), Some("Running a"));
    let none_left = [both(), vec![ran("b"), ran("a")]].concat();
    assert_eq!(label(none_left), None);
    // Whatever became of a call, it does not outlive its turn or its session.
    assert_eq!(label([both(), vec![turn_done(1, 0.1)]].concat()), None);
    assert_eq!(label([both(), vec![ended()]].concat()), None);
    let next = [both(), vec![turn_done(1, 0.1), turn_begins(2)]].concat();
    assert_eq!(label(next), None);
}

#[test]
fn a_retry_is_told_until_the_agent_gets_through() {
    let how =
        json!({"attempt": 2, "delayMs": 500, "reason": "overloaded (529)", "maxAttempts": 10});
    let retry = event("agent.retry", &how);
    let row = fold([turn_begins(1), retry.clone()]);
    let told = "Trying again (2 of 10): overloaded (529)";
    assert_eq!(row.last_label.as_deref(), Some(told));
    let waits = row.retry.unwrap();
    assert_eq!((waits.attempt, waits.max_attempts), (2, Some(10)));
    assert_eq!(waits.reason, "overloaded (529)");
    let told_at = row.last_activity_at;
    assert_eq!(waits.due, told_at.plus(Duration::from_millis(500)));
    let again = retry.clone();
    let row = fold([turn_begins(1), retry, runs("a", "Running a")]);
    assert_eq!(row.last_label.as_deref(), Some("Running a"));
    assert_eq!(row.retry, None);
    let row = fold([turn_begins(1), again, turn_done(1, 0.1)]);
    assert_eq!((row.last_label, row.retry), (None, None));
}

#[test]
fn a_failed_turn_is_told_until_the_next_one_begins() {
    let failed = || {
        let how = json!({"turn": 1, "isError": true, "stopReason": "error", "durationMs": 1,
            "stats": {}});
        event("turn.completed", &how)
    };
    assert!(!fold([turn_begins(1), turn_done(1, 0.1)]).turn_failed);
    assert!(fold([turn_begins(1), failed()]).turn_failed);
    assert!(!fold([turn_begins(1), failed(), turn_begins(2)]).turn_failed);
}

#[test]
fn the_context_share_needs_a_window() {
    let usage = |tokens, window| Event::from(ContextUsage { tokens, window });
    assert_eq!(fold([usage(50, 200)]).context_share, Some(0.25));
    assert_eq!(fold([usage(50, 0)]).context_share, None);
}

#[test]
fn a_row_survives_its_own_wire_form() {
    let row = fold([created(), asked(1, Risk::Medium), turn_done(1, 0.1 + 0.2)]);
    let text = serde_json::to_string(&row).unwrap();
    assert!(
        text.contains(r#""openApprovals":1,"highestRisk":"medium""#),
        "{text}"
    );
    assert_eq!(serde_json::from_str::<SessionRow>(&text).unwrap(), row);
}

#[test]
fn what_only_happens_to_a_session_is_no_activity_of_it() {
    let ends = |status: EndStatus| event("session.ended", &json!({"status": status}));
    let ended = || event("session.state", &json!({"state": "ended"}));
    let begun = || [turn_begins(1), turn_done(1, 0.1)].into_iter();
    let last = |rest: [Event; 2]| fold(begun().chain(rest)).last_activity_at;
    let used = fold(begun()).last_activity_at;
    assert_eq!(last([ended(), ends(EndStatus::Asleep)]), used);
    assert!(last([ended(), ends(EndStatus::Stopped)]) > used);
}
