use baton_protocol::{
    ApprovalId, ProjectId, RunnerId, Seq, SessionId, Timestamp, Turn,
    event::{
        ApprovalRequested, ApprovalResolved, ContextUsage, SessionCreated, SessionEnded,
        SessionOptions, SessionStarted, SessionStateChanged, ToolCompleted, ToolRequested,
        TurnCompleted, TurnStarted, TurnStats, UserMessage,
    },
    words::{
        ApprovalKind, DecidedBy, Decision, Json, Mode, Origin, Risk, Runtime, StopReason, Usage,
    },
};
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

fn created() -> Event {
    Event::from(SessionCreated {
        agent: "demo".to_owned(),
        mode: Mode::Structured,
        runtime: Runtime::Streaming,
        cwd: "/p".to_owned(),
        project: None,
        title: None,
        forked_from: None,
        forked_at: None,
        resumes: None,
        options: SessionOptions::default(),
    })
}

fn ended() -> Event {
    Event::from(SessionEnded {
        status: EndStatus::Failed,
        reason: None,
        exit_code: Some(3),
        error: Some("boom".to_owned()),
    })
}

fn asked(number: u128, risk: Risk) -> Event {
    Event::from(ApprovalRequested {
        approval_id: ApprovalId::from_uuid(Uuid::from_u128(number)),
        tool_use_id: None,
        kind: ApprovalKind::Tool,
        tool_name: "Bash".to_owned(),
        input: Json::null(),
        risk,
        reason: None,
        warnings: Vec::new(),
        preview: None,
        suggestions: Vec::new(),
        expires_at: None,
        agent_id: None,
    })
}

fn resolved(number: u128) -> Event {
    Event::from(ApprovalResolved {
        approval_id: ApprovalId::from_uuid(Uuid::from_u128(number)),
        decision: Decision::Allow,
        by: DecidedBy::User,
        mode: None,
        unattended: false,
        client: None,
        rule_id: None,
        rule: None,
        scope: None,
        message: None,
        modified_input: None,
        interrupt: false,
    })
}

fn turn_done(turn: u32, cost: f64) -> Event {
    Event::from(TurnCompleted {
        turn: Turn(turn),
        message_ids: Vec::new(),
        stop_reason: StopReason::End,
        exit_code: None,
        is_error: false,
        result: None,
        structured_output: None,
        duration_ms: 1,
        cost_usd: Some(cost),
        usage: Some(Usage {
            input_tokens: 10,
            output_tokens: 1,
            ..Usage::default()
        }),
        stats: TurnStats::default(),
        still_running: Vec::new(),
    })
}

#[test]
fn an_ended_session_says_how_and_a_resumed_one_runs_again() {
    let row = fold([created(), ended()]);
    assert_eq!(row.status, SessionStatus::Failed);
    assert_eq!(row.state, SessionState::Ended);
    assert_eq!(row.ended_at, Some(Timestamp::from_millis(2000)));
    assert_eq!(
        (row.exit_code, row.error.as_deref()),
        (Some(3), Some("boom"))
    );
    assert_eq!((row.duration_ms, row.event_count), (1000, 2));

    let started = Event::from(SessionStarted {
        agent_session_id: Some("agent".to_owned()),
        model: Some("m".to_owned()),
        tools: Vec::new(),
        mcp_servers: Vec::new(),
        slash_commands: Vec::new(),
        permission_mode: None,
        agent_version: None,
        pid: Some(7),
    });
    let row = fold([created(), ended(), started]);
    assert_eq!(row.status, SessionStatus::Running);
    assert_eq!(row.state, SessionState::Starting);
    assert_eq!((row.ended_at, row.exit_code, row.error), (None, None, None));
    assert_eq!((row.pid, row.model.as_deref()), (Some(7), Some("m")));

    let idle = Event::from(SessionStateChanged {
        state: SessionState::Idle,
        reason: None,
    });
    let row = fold([created(), ended(), idle]);
    assert_eq!(
        (row.status, row.state),
        (SessionStatus::Running, SessionState::Idle)
    );
}

#[test]
fn open_approvals_and_their_highest_risk_follow_the_answers() {
    let both = || vec![created(), asked(1, Risk::High), asked(2, Risk::Low)];
    let row = fold(both());
    assert_eq!(
        (row.open_approvals, row.highest_risk),
        (2, Some(Risk::High))
    );
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
        Event::from(UserMessage {
            message_id: baton_protocol::MessageId::from_uuid(Uuid::nil()),
            text: text.to_owned(),
            attachments: Vec::new(),
            queued: false,
            client: None,
        })
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
    Event::from(ToolRequested {
        tool_use_id: id.to_owned(),
        name: "Bash".to_owned(),
        input: Json::null(),
        label: label.to_owned(),
        parent_tool_use_id: None,
    })
}

fn ran(id: &str) -> Event {
    Event::from(ToolCompleted {
        tool_use_id: id.to_owned(),
        name: "Bash".to_owned(),
        output: String::new(),
        detail: None,
        is_error: false,
        duration_ms: 1,
        images: Vec::new(),
        truncated: false,
        bytes: None,
        output_blob: None,
        parent_tool_use_id: None,
    })
}

fn turn_begins(turn: u32) -> Event {
    Event::from(TurnStarted {
        turn: Turn(turn),
        origin: Origin::User,
        message_id: None,
        because: Vec::new(),
    })
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
    let retry = Event::from(AgentRetry {
        attempt: 2,
        delay_ms: 500,
        reason: "overloaded (529)".to_owned(),
        max_attempts: Some(10),
    });
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
        let Event::TurnCompleted(mut end) = turn_done(1, 0.1) else {
            unreachable!()
        };
        end.is_error = true;
        end.stop_reason = StopReason::Error;
        Event::TurnCompleted(end)
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
    let ends = |status| {
        Event::from(SessionEnded {
            status,
            reason: None,
            exit_code: None,
            error: None,
        })
    };
    let ended = || {
        Event::from(SessionStateChanged {
            state: SessionState::Ended,
            reason: None,
        })
    };
    let begun = || [turn_begins(1), turn_done(1, 0.1)].into_iter();
    let last = |rest: [Event; 2]| fold(begun().chain(rest)).last_activity_at;
    let used = fold(begun()).last_activity_at;
    assert_eq!(last([ended(), ends(EndStatus::Asleep)]), used);
    assert!(last([ended(), ends(EndStatus::Stopped)]) > used);
}
