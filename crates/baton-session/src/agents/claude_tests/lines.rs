//! Single lines and short exchanges that no recording shows.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "a test looks for a few kinds among all"
)]

use baton_protocol::{
    Event, Live, MessageId,
    event::ErrorRaised,
    words::{ErrorCode, PermissionMode, StopReason},
};
use proptest::prelude::*;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::agents::{
    AgentCommand, AgentOutput, Whole,
    claude::{Start, Translator},
};

fn fresh() -> Translator {
    Translator::new(&Start::default())
}

/// What follows from these lines.
fn said(translator: &mut Translator, lines: &[Value]) -> Vec<AgentOutput> {
    let mut out = Vec::new();
    for line in lines {
        translator.line(line.to_string().as_bytes(), &mut out);
    }
    out
}

fn events(outputs: &[AgentOutput]) -> Vec<&Event> {
    let mut events = Vec::new();
    for output in outputs {
        if let AgentOutput::Event { event, .. } = output {
            events.push(event);
        }
    }
    events
}

fn init(version: &str) -> Value {
    json!({"type": "system", "subtype": "init", "session_id": "s", "model": "m",
        "claude_code_version": version, "tools": [], "permissionMode": "default"})
}

fn stream(event: &Value) -> Value {
    json!({"type": "stream_event", "event": event, "parent_tool_use_id": null})
}

fn delta(block: u32, text: &str) -> Value {
    let delta = json!({"type": "text_delta", "text": text});
    stream(&json!({"type": "content_block_delta", "index": block, "delta": delta}))
}

fn assistant(id: &str, block: &Value) -> Value {
    json!({"type": "assistant", "uuid": Uuid::from_u128(next()).to_string(), "parent_tool_use_id": null,
        "message": {"id": id, "role": "assistant", "model": "m", "content": [block]}})
}

fn tool_result(id: &str, content: &Value, detail: &Value) -> Value {
    json!({"type": "user", "uuid": Uuid::from_u128(next()).to_string(), "parent_tool_use_id": null,
        "message": {"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": id, "content": content}]},
        "tool_use_result": detail})
}

fn result(total: f64, more: &Value) -> Value {
    let mut line = json!({"type": "result", "subtype": "success", "is_error": false, "result": "ok",
        "terminal_reason": "completed", "total_cost_usd": total});
    for (name, value) in more.as_object().unwrap() {
        line[name] = value.clone();
    }
    line
}

/// A number that no line before had.
fn next() -> u128 {
    use std::sync::atomic::{AtomicU64, Ordering};
    static LINES: AtomicU64 = AtomicU64::new(1);
    u128::from(LINES.fetch_add(1, Ordering::Relaxed))
}

fn prices(outputs: &[AgentOutput]) -> Vec<Option<f64>> {
    let mut prices = Vec::new();
    for output in outputs {
        if let AgentOutput::TurnEnded(end) = output {
            prices.push(end.cost_usd);
        }
    }
    prices
}

#[test]
fn offsets_count_utf16_units_and_start_anew_with_each_block() {
    let start = |index| {
        let block = json!({"type": "text", "text": ""});
        stream(&json!({"type": "content_block_start", "index": index, "content_block": block}))
    };
    let lines = [
        stream(&json!({"type": "message_start", "message": {"id": "msg_1"}})),
        start(0),
        delta(0, "a😀"),
        delta(0, "é日"),
        delta(0, "z"),
        start(1),
        delta(1, "👩‍👩‍👧"),
        delta(1, "!"),
    ];
    let frames: Vec<_> = said(&mut fresh(), &lines)
        .into_iter()
        .map(|output| match output {
            AgentOutput::Live(Live::AssistantDelta(delta)) => {
                (delta.message_id, delta.block, delta.offset)
            }
            other => panic!("{other:?}"),
        })
        .collect();
    let frame = |block, offset| ("msg_1".to_owned(), block, offset);
    assert_eq!(
        frames,
        [
            frame(0, 0),
            frame(0, 3),
            frame(0, 5),
            frame(1, 0),
            frame(1, 8)
        ]
    );
}

#[test]
fn blocks_have_the_same_numbers_with_and_without_live_text() {
    let thinking = json!({"type": "thinking", "thinking": "hm", "signature": "x"});
    let text = json!({"type": "text", "text": "hi"});
    let tool = json!({"type": "tool_use", "id": "t", "name": "Bash", "input": {}});
    let last = json!({"type": "text", "text": "there"});
    let blocks = [&thinking, &text, &tool, &last];
    let numbers = |outputs: &[AgentOutput]| -> Vec<u32> {
        let number = |event: &&Event| match event {
            Event::AssistantMessage(block) => Some(block.0.block),
            Event::AssistantThinking(block) => Some(block.0.block),
            _ => None,
        };
        events(outputs).iter().filter_map(number).collect()
    };
    let mut plain = Vec::new();
    let mut streamed = vec![stream(
        &json!({"type": "message_start", "message": {"id": "msg_1"}}),
    )];
    for (index, block) in blocks.into_iter().enumerate() {
        let begins = json!({"type": "content_block_start", "index": index, "content_block": block});
        streamed.push(stream(&begins));
        streamed.push(assistant("msg_1", block));
        plain.push(assistant("msg_1", block));
    }
    // The next message counts from zero.
    plain.push(assistant("msg_2", &text));
    streamed.push(assistant("msg_2", &text));
    let (plain, streamed) = (said(&mut fresh(), &plain), said(&mut fresh(), &streamed));
    assert_eq!(numbers(&plain), [0, 1, 3, 0]);
    assert_eq!(numbers(&streamed), numbers(&plain));
}

#[test]
fn the_same_image_is_one_blob_and_a_turn_shows_only_so_many() {
    let picture = json!([{"type": "image", "source":
        {"type": "base64", "media_type": "image/png", "data": "aGVsbG8="}}]);
    let mut lines = vec![init("2.1.197")];
    lines.extend((0..14).map(|tool| {
        tool_result(
            &format!("t{tool}"),
            &picture,
            &json!({"type": "image", "file": {"base64": "aGVsbG8="}}),
        )
    }));
    let outputs = said(&mut fresh(), &lines);
    let blobs: std::collections::BTreeSet<_> = outputs
        .iter()
        .filter_map(|output| match output {
            AgentOutput::Blob { id, bytes, .. } => Some((*id, bytes.clone())),
            _ => None,
        })
        .collect();
    assert_eq!(blobs.len(), 1);
    let names = events(&outputs)
        .into_iter()
        .map(|event| event.name().to_owned());
    let names: Vec<_> = names.collect();
    let count = |name: &str| names.iter().filter(|told| *told == name).count();
    assert_eq!((count("image.output"), count("notification")), (10, 1));
    for output in &outputs {
        if let AgentOutput::ToolResult(result) = output {
            assert!(result.detail.is_none(), "the bytes again, as JSON");
        }
    }
}

#[test]
fn an_image_that_is_too_large_is_left_out() {
    let data = "A".repeat(26 * 1024 * 1024);
    let picture = json!([{"type": "image", "source":
        {"type": "base64", "media_type": "image/png", "data": data}}]);
    let outputs = said(&mut fresh(), &[tool_result("t", &picture, &Value::Null)]);
    let names: Vec<_> = events(&outputs).iter().map(|event| event.name()).collect();
    assert_eq!(names, ["notification"]);
}

#[test]
fn an_output_that_was_put_aside_is_looked_for_in_the_clis_own_folder_only() {
    let kept = |path: &str| {
        let line = tool_result("t", &json!("x"), &json!({"persistedOutputPath": path}));
        match &said(&mut fresh(), &[line])[..] {
            [AgentOutput::ToolResult(result)] => result.whole.clone(),
            other => panic!("{other:?}"),
        }
    };
    let own = "/home/user/.claude/projects/-srv-code/0a/tool-results/b.txt";
    assert_eq!(kept(own), Whole::Kept(own.into()));
    for other in [
        "/etc/passwd",
        "/srv/tool-results/b.txt",
        "projects/a/b/tool-results/b.txt",
        "/home/user/.claude/projects/a/b/tool-results/../../../../.ssh/id",
        "/home/user/.claude/projects/../b/tool-results/b.txt",
    ] {
        assert_eq!(kept(other), Whole::Said, "{other}");
    }
}

#[test]
fn the_list_follows_calls_that_succeed() {
    let call = |id: &str, name: &str, input: &Value| {
        assistant(
            "m",
            &json!({"type": "tool_use", "id": id, "name": name, "input": input}),
        )
    };
    let failed = |id: &str| {
        json!({"type": "user", "parent_tool_use_id": null, "message": {"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": id, "content": "no", "is_error": true}]}})
    };
    let made =
        |id: &str, number: &str| tool_result(id, &json!("ok"), &json!({"task": {"id": number}}));
    let done = |id: &str| tool_result(id, &json!("ok"), &json!({}));
    let lines = [
        call("1", "TaskCreate", &json!({"subject": "one"})),
        call(
            "2",
            "TaskCreate",
            &json!({"subject": "two", "activeForm": "doing two"}),
        ),
        made("1", "1"),
        made("2", "2"),
        call(
            "3",
            "TaskUpdate",
            &json!({"taskId": "2", "status": "in_progress"}),
        ),
        done("3"),
        call(
            "4",
            "TaskUpdate",
            &json!({"taskId": "1", "status": "completed"}),
        ),
        failed("4"),
        call(
            "5",
            "TaskUpdate",
            &json!({"taskId": "1", "status": "deleted"}),
        ),
        done("5"),
        call(
            "6",
            "TaskUpdate",
            &json!({"taskId": "9", "status": "completed"}),
        ),
        done("6"),
    ];
    let outputs = said(&mut fresh(), &lines);
    let lists: Vec<String> = events(&outputs)
        .into_iter()
        .filter_map(|event| match event {
            Event::TodoUpdated(todo) => Some(&todo.items),
            _ => None,
        })
        .map(|items| {
            let items = items
                .iter()
                .map(|item| format!("{} {}", item.content, item.status));
            items.collect::<Vec<_>>().join(", ")
        })
        .collect();
    assert_eq!(
        lists,
        [
            "one pending",
            "one pending, two pending",
            "one pending, two in_progress",
            "two in_progress",
        ]
    );
}

#[test]
fn a_turn_costs_what_the_total_grew_by() {
    let mut translator = fresh();
    let lines = [
        init("2.1.197"),
        result(0.1, &json!({})),
        result(0.1, &json!({})),
        result(0.35, &json!({})),
    ];
    let outputs = said(&mut translator, &lines);
    assert_eq!(prices(&outputs), [Some(0.1), Some(0.0), Some(0.25)]);
}

#[test]
fn after_a_resume_each_version_counts_in_its_own_way() {
    let resumed = |version: &str, total: f64, since: &Value| {
        let outputs = said(&mut fresh(), &[init(version), result(total, since)]);
        prices(&outputs)
    };
    let since = |price: f64| json!({"model_usage_since_last_result": {"m": {"costUSD": price}}});
    // The older one starts at zero.
    assert_eq!(resumed("2.1.197", 0.1, &json!({})), [Some(0.1)]);
    // The newer one goes on, unless it was killed, and says what is new.
    assert_eq!(resumed("2.1.325", 0.75, &since(0.25)), [Some(0.25)]);
    assert_eq!(resumed("2.1.325", 0.1, &since(0.1)), [Some(0.1)]);
}

#[test]
fn a_turn_of_the_clis_own_does_not_answer_a_message_it_has_not_taken() {
    let message = MessageId::from_uuid(Uuid::from_u128(0x4000_8000_0000_0000_0007));
    let notified = json!({"origin": {"kind": "task-notification"}});
    let mut translator = fresh();
    translator.command(&AgentCommand::Prompt {
        message_id: message,
        text: "hello".into(),
        files: Vec::new(),
    });
    let before = said(&mut translator, &[init("2.1.197"), result(0.25, &notified)]);
    assert!(prices(&before).is_empty());
    let taken = json!({"type": "user", "isReplay": true, "uuid": message.to_string(),
        "message": {"role": "user", "content": "hello"}, "parent_tool_use_id": null});
    let after = said(
        &mut translator,
        &[init("2.1.197"), taken, result(0.75, &json!({}))],
    );
    assert!(after.contains(&AgentOutput::Taken(message)));
    assert_eq!(prices(&after), [Some(0.75)]);
    // With nothing of ours outstanding, it is a turn like any other.
    let own = said(&mut translator, &[init("2.1.197"), result(1.0, &notified)]);
    assert_eq!(prices(&own), [Some(0.25)]);
}

#[test]
fn an_interrupt_that_came_before_the_message_began_is_told_when_it_does() {
    let message = MessageId::from_uuid(Uuid::from_u128(0x4000_8000_0000_0000_0007));
    let begins = |left: serde_json::Value| {
        let mut translator = fresh();
        translator.command(&AgentCommand::Prompt {
            message_id: message,
            text: "hello".into(),
            files: Vec::new(),
        });
        translator.command(&AgentCommand::Interrupt { id: "i".into() });
        let answer = json!({"type": "control_response", "response": {
            "subtype": "success", "request_id": "i", "response": left}});
        let started = json!({"type": "command_lifecycle", "state": "started",
            "command_uuid": message.to_string(), "uuid": Uuid::from_u128(9).to_string()});
        let told = said(&mut translator, &[answer, started.clone(), started]);
        told.into_iter()
            .filter(|one| *one == AgentOutput::Unstopped)
            .count()
    };
    assert_eq!(begins(json!({"still_queued": [message.to_string()]})), 1);
    assert_eq!(begins(json!({"still_queued": ["another"]})), 0);
    assert_eq!(begins(json!({"still_queued": []})), 0);
    assert_eq!(begins(json!({})), 0);
}

#[test]
fn an_interrupt_that_a_slash_command_did_not_hear_is_not_told_of_the_next_message() {
    let ids = [7, 8]
        .map(|number| MessageId::from_uuid(Uuid::from_u128(0x4000_8000_0000_0000_0000 + number)));
    let mut translator = fresh();
    let prompt = |translator: &mut Translator, message_id| {
        let text = "/context".into();
        let files = Vec::new();
        translator.command(&AgentCommand::Prompt {
            message_id,
            text,
            files,
        });
    };
    prompt(&mut translator, ids[0]);
    translator.command(&AgentCommand::Interrupt { id: "i".into() });
    let answer = json!({"type": "control_response", "response": {
        "subtype": "success", "request_id": "i", "response": {"still_queued": [ids[0].to_string()]}}});
    said(&mut translator, &[answer, result(0.0, &json!({}))]);
    prompt(&mut translator, ids[1]);
    let started = json!({"type": "command_lifecycle", "state": "started",
        "command_uuid": ids[1].to_string(), "uuid": Uuid::from_u128(9).to_string()});
    let told = said(&mut translator, &[started]);
    assert!(!told.contains(&AgentOutput::Unstopped), "{told:?}");
}

#[test]
fn what_is_said_after_an_obeyed_interrupt_was_cut_short() {
    let mut translator = fresh();
    let id = Uuid::from_u128(9).to_string();
    translator.command(&AgentCommand::Interrupt { id: id.clone() });
    let text = json!({"type": "text", "text": "half a"});
    let lines = [
        assistant("m", &text),
        json!({"type": "control_response", "response": {"subtype": "success", "request_id": id}}),
        assistant("n", &text),
        result(
            0.0,
            &json!({"is_error": true, "subtype": "error_during_execution",
            "terminal_reason": "aborted_streaming", "errors": ["[ede_diagnostic]"]}),
        ),
        assistant("o", &text),
    ];
    let outputs = said(&mut translator, &lines);
    let aborted = |event: &&Event| match event {
        Event::AssistantMessage(block) => Some(block.0.aborted),
        Event::Error(_) => panic!("an interrupt is no error"),
        _ => None,
    };
    let aborted: Vec<_> = events(&outputs).iter().filter_map(aborted).collect();
    assert_eq!(aborted, [false, true, false]);
    let ended = outputs.iter().find_map(|output| match output {
        AgentOutput::TurnEnded(end) => Some((end.stop_reason, end.is_error, end.result.clone())),
        _ => None,
    });
    assert_eq!(ended, Some((Some(StopReason::Interrupted), false, None)));
}

#[test]
fn an_error_is_told_once_with_its_kind_and_a_hint() {
    let failed = |error: &str, text: &str, parent: &Value| {
        let line = json!({"type": "assistant", "uuid": Uuid::from_u128(next()).to_string(),
            "error": error, "parent_tool_use_id": parent,
            "message": {"id": "e", "role": "assistant", "model": "<synthetic>",
                "content": [{"type": "text", "text": text}]}});
        let end = json!({"is_error": true, "result": text});
        let outputs = said(&mut fresh(), &[init("2.1.197"), line, result(0.0, &end)]);
        let errors = events(&outputs)
            .into_iter()
            .filter_map(|event| match event {
                Event::Error(ErrorRaised { code, hint, .. }) => {
                    assert!(hint.is_some());
                    Some(*code)
                }
                _ => None,
            });
        errors.collect::<Vec<_>>()
    };
    let main = Value::Null;
    let cases = [
        ("authentication_failed", "Invalid", ErrorCode::Auth),
        ("server_error", "API Error: 529 busy", ErrorCode::Overloaded),
        ("server_error", "API Error: 500 oh", ErrorCode::Network),
        ("overloaded", "busy", ErrorCode::Overloaded),
        ("rate_limit", "slow down", ErrorCode::RateLimit),
        ("model_not_found", "none", ErrorCode::ModelNotFound),
        ("unknown", "API Error: 400 bad", ErrorCode::InvalidRequest),
        ("unknown", "Please run /login", ErrorCode::Auth),
        ("something_new", "what", ErrorCode::Internal),
    ];
    for (error, text, code) in cases {
        assert_eq!(failed(error, text, &main), [code], "{error}: {text}");
    }
    // A sub-agent's trouble does not keep the turn's own from being told.
    let both = failed("rate_limit", "slow", &json!("toolu_1"));
    assert_eq!(both, [ErrorCode::RateLimit, ErrorCode::Internal]);
}

#[test]
fn a_used_up_allowance_says_when_it_starts_anew() {
    let failed = |text: &str, before: &[Value]| {
        let mut line = assistant("m", &json!({"type": "text", "text": text}));
        line["error"] = json!("rate_limit");
        let lines = [before, &[line]].concat();
        let outputs = said(&mut fresh(), &lines);
        let raised = events(&outputs).into_iter().find_map(|event| match event {
            Event::Error(error) => Some(error.retry_at),
            _ => None,
        });
        raised
            .expect("an error")
            .map(baton_protocol::Timestamp::as_millis)
    };
    let limit = |status: &str| {
        let info =
            json!({"status": status, "resetsAt": 1_794_837_600, "rateLimitType": "five_hour"});
        json!({"type": "rate_limit_event", "rate_limit_info": info})
    };
    assert_eq!(failed("slow down", &[]), None);
    let known = Some(1_794_837_600_000);
    assert_eq!(failed("slow down", &[limit("rejected")]), known);
    assert_eq!(failed("slow down", &[limit("allowed")]), None);
    assert_eq!(failed("usage limit reached|1794837600", &[]), known);
}

#[test]
fn a_plan_that_only_its_call_has_is_asked_about_whole() {
    let call = json!({"type": "tool_use", "id": "t1", "name": "ExitPlanMode", "input": {"plan": "1. Do it"}});
    let ask = |id: &str, input: &Value| {
        json!({"type": "control_request", "request_id": id, "request": {
            "subtype": "can_use_tool", "tool_name": "ExitPlanMode", "input": input, "tool_use_id": "t1",
        }})
    };
    let lines = [
        assistant("m", &call),
        ask("r1", &json!({})),
        ask("r2", &json!({"plan": "2. Do that"})),
    ];
    let outputs = said(&mut fresh(), &lines);
    let plans = outputs.iter().filter_map(|output| match output {
        AgentOutput::Ask { ask, .. } => Some(ask.input.value()["plan"].clone()),
        _ => None,
    });
    assert_eq!(plans.collect::<Vec<_>>(), ["1. Do it", "2. Do that"]);
}

#[test]
fn what_nobody_knows_is_kept_raw() {
    let lines = [
        json!({"type": "brand_new", "a": 1}),
        json!({"type": "system", "subtype": "brand_new", "b": 2}),
        assistant("m", &json!({"type": "new_block", "c": 3})),
    ];
    let outputs = said(&mut fresh(), &lines);
    let raw: Vec<Value> = events(&outputs)
        .into_iter()
        .map(|event| match event {
            Event::AgentUnknown(unknown) => unknown.raw.value(),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(raw[0], lines[0]);
    assert_eq!(raw[1], lines[1]);
    assert_eq!(raw[2], json!({"type": "new_block", "c": 3}));
    let mut out = Vec::new();
    fresh().line(b"not json {", &mut out);
    let [Event::AgentUnknown(unknown)] = events(&out)[..] else {
        panic!("{out:?}");
    };
    assert_eq!(unknown.raw.value()["line"], "not json {");
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_are_survived_and_never_swallowed(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let mut out = Vec::new();
        fresh().line(&bytes, &mut out);
        let blank = bytes.iter().all(u8::is_ascii_whitespace);
        prop_assert_eq!(out.is_empty(), blank);
    }

    #[test]
    fn any_cut_of_a_real_line_is_survived(cut in 0_usize..400, swap in any::<u8>()) {
        let mut translator = fresh();
        let whole = tool_result("t", &json!([{"type": "text", "text": "x"}]), &json!({"a": [1]}));
        let mut line = whole.to_string().into_bytes();
        let at = cut % line.len();
        let mut out = Vec::new();
        translator.line(&line[..at], &mut out);
        line[at] = swap;
        translator.line(&line, &mut out);
    }
}

fn set_mode(translator: &mut Translator, id: u128, mode: PermissionMode) {
    let id = Uuid::from_u128(id).to_string();
    translator.command(&AgentCommand::SetPermissionMode { id, mode });
}

fn answer(id: u128, outcome: &str) -> Value {
    json!({"type": "control_response", "response": {
        "subtype": outcome, "request_id": Uuid::from_u128(id), "error": "no", "response": {}}})
}

fn modes(outputs: &[AgentOutput]) -> Vec<PermissionMode> {
    let mut modes = Vec::new();
    for output in outputs {
        if let AgentOutput::Started(started) = output {
            modes.extend(started.permission_mode);
        }
    }
    modes
}

#[test]
fn a_mode_that_baton_keeps_holds_once_the_cli_has_agreed() {
    let mut translator = fresh();
    set_mode(&mut translator, 1, PermissionMode::DontAsk);
    let before = said(&mut translator, &[init("2.1.197")]);
    assert_eq!(modes(&before), [PermissionMode::Default]);
    let after = said(&mut translator, &[answer(1, "success"), init("2.1.197")]);
    assert_eq!(modes(&after), [PermissionMode::DontAsk]);
    // A change that fails leaves what held before.
    set_mode(&mut translator, 2, PermissionMode::Plan);
    let failed = said(&mut translator, &[answer(2, "error"), init("2.1.197")]);
    assert_eq!(modes(&failed), [PermissionMode::DontAsk]);
    set_mode(&mut translator, 3, PermissionMode::Default);
    let back = said(&mut translator, &[answer(3, "success"), init("2.1.197")]);
    assert_eq!(modes(&back), [PermissionMode::Default]);
}

#[test]
fn what_the_answers_of_a_turn_use_is_told_as_they_end() {
    let mut translator = fresh();
    let message = |id: &str, input: u64, output: u64| {
        [
            stream(&json!({"type": "message_start",
                "message": {"id": id, "usage": {"input_tokens": input, "output_tokens": 1}}})),
            stream(
                &json!({"type": "message_delta", "delta": {"stop_reason": "tool_use"},
                "usage": {"output_tokens": output}}),
            ),
        ]
    };
    let mut lines = message("msg_1", 100, 20).to_vec();
    lines.extend(message("msg_2", 200, 30));
    lines.push(result(0.1, &json!({})));
    lines.extend(message("msg_3", 7, 8));
    let told = said(&mut translator, &lines);
    let told = told.iter().filter_map(|output| match output {
        AgentOutput::Spent(usage) => Some((usage.input_tokens, usage.output_tokens)),
        _ => None,
    });
    assert_eq!(told.collect::<Vec<_>>(), [(100, 20), (300, 50), (7, 8)]);
}
