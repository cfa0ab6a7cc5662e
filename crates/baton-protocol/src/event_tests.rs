use super::*;

const SAMPLES: &[(&str, &str)] = &[
    (
        "session.created",
        r#"{"agent":"demo","mode":"structured","runtime":"streaming","cwd":"/p","options":{}}"#,
    ),
    (
        "session.started",
        r#"{"tools":[],"mcpServers":[],"slashCommands":[]}"#,
    ),
    ("session.state", r#"{"state":"idle"}"#),
    ("session.updated", r#"{"title":"x"}"#),
    ("session.ended", r#"{"status":"stopped","reason":"asked"}"#),
    ("turn.started", r#"{"turn":1,"origin":"user"}"#),
    (
        "turn.completed",
        r#"{"turn":1,"messageIds":[],"stopReason":"end","isError":false,"durationMs":5,"stats":{"toolCalls":0,"toolsByType":{},"subAgents":0,"filesRead":0,"filesWritten":0,"bashCommands":0,"webSearches":0,"totalToolDurationMs":0}}"#,
    ),
    (
        "user.message",
        r#"{"messageId":"00000000-0000-0000-0000-000000000000","text":"hi","attachments":[],"queued":false}"#,
    ),
    (
        "message.delivered",
        r#"{"messageId":"00000000-0000-0000-0000-000000000000"}"#,
    ),
    (
        "message.removed",
        r#"{"messageId":"00000000-0000-0000-0000-000000000000"}"#,
    ),
    (
        "message.edited",
        r#"{"messageId":"00000000-0000-0000-0000-000000000000","text":"hi"}"#,
    ),
    (
        "message.moved",
        r#"{"messageId":"00000000-0000-0000-0000-000000000000"}"#,
    ),
    ("queue.held", "{}"),
    ("queue.released", "{}"),
    (
        "assistant.message",
        r#"{"messageId":"m","block":0,"content":"hi","aborted":false}"#,
    ),
    (
        "assistant.thinking",
        r#"{"messageId":"m","block":0,"content":"hm","aborted":false}"#,
    ),
    (
        "tool.requested",
        r#"{"toolUseId":"t","name":"Read","input":{},"label":"Reading"}"#,
    ),
    (
        "tool.completed",
        r#"{"toolUseId":"t","name":"Read","output":"","isError":false,"durationMs":1,"images":[],"truncated":false}"#,
    ),
    (
        "approval.requested",
        r#"{"approvalId":"apr_00000000000000000000000000000001","kind":"tool","toolName":"Bash","input":{},"risk":"high","warnings":[],"suggestions":[]}"#,
    ),
    (
        "approval.resolved",
        r#"{"approvalId":"apr_00000000000000000000000000000001","decision":"deny","by":"user","interrupt":false}"#,
    ),
    ("subagent.started", r#"{"agentId":"a"}"#),
    (
        "subagent.stopped",
        r#"{"agentId":"a","status":"completed"}"#,
    ),
    ("task.updated", r#"{"taskId":"a","status":"running"}"#),
    (
        "todo.updated",
        r#"{"items":[{"content":"x","status":"pending"}]}"#,
    ),
    (
        "image.output",
        r#"{"imageId":"blb_00000000000000000000000000000001","mediaType":"image/png","bytes":3}"#,
    ),
    ("context.usage", r#"{"tokens":1,"window":2}"#),
    ("context.compacted", r#"{"trigger":"manual"}"#),
    (
        "checkpoint.created",
        r#"{"checkpointId":"00000000-0000-0000-0000-000000000000"}"#,
    ),
    (
        "files.rewound",
        r#"{"checkpointId":"00000000-0000-0000-0000-000000000000","files":[]}"#,
    ),
    ("model.changed", r#"{"model":"m"}"#),
    ("permission_mode.changed", r#"{"mode":"plan","by":"user"}"#),
    ("notification", r#"{"message":"m","kind":"idle"}"#),
    (
        "runtime.fallback",
        r#"{"from":"streaming","to":"resume","reason":"hung"}"#,
    ),
    (
        "agent.retry",
        r#"{"attempt":1,"delayMs":500,"reason":"overloaded"}"#,
    ),
    ("agent.unknown", r#"{"raw":{"type":"x"}}"#),
    (
        "error",
        r#"{"code":"auth","message":"m","retryable":false}"#,
    ),
    ("pty.opened", r#"{"cols":120,"rows":40,"useTmux":false}"#),
    ("pty.resized", r#"{"cols":120,"rows":40}"#),
    ("pty.closed", r#"{"exitCode":0}"#),
];

/// The names of the contract, written out: removing or renaming one breaks outsiders.
#[test]
fn every_name_of_the_contract_is_there() {
    let contract = "session.created session.started session.state session.updated session.ended \
        turn.started turn.completed user.message message.delivered message.removed \
        message.edited message.moved queue.held queue.released assistant.message assistant.thinking tool.requested tool.completed approval.requested \
        approval.resolved subagent.started subagent.stopped task.updated todo.updated image.output \
        context.usage context.compacted checkpoint.created files.rewound model.changed \
        permission_mode.changed notification runtime.fallback agent.retry agent.unknown error \
        pty.opened pty.resized pty.closed";
    let names: Vec<&str> = contract.split_whitespace().collect();
    assert_eq!(Event::NAMES, names.as_slice());
}

/// Minimal payloads, as an older Baton or another program might write them.
#[test]
fn each_event_reads_its_smallest_payload_and_writes_it_back() {
    let names: Vec<&str> = SAMPLES.iter().map(|(name, _)| *name).collect();
    assert_eq!(names, Event::NAMES);
    for (name, payload) in SAMPLES {
        let raw: Box<RawValue> = serde_json::from_str(payload).unwrap();
        let event = Event::decode(name, &raw).unwrap();
        assert_eq!(event.name(), *name);
        assert_eq!(event.payload().text(), *payload, "{name}");
    }
}

#[test]
fn the_schema_knows_every_event_and_every_frame() {
    let (_, document) = crate::schema::documents().remove(0);
    let listed = |definition: &str| -> Vec<String> {
        document["$defs"][definition]["oneOf"]
            .as_array()
            .unwrap()
            .iter()
            .map(|entry| entry["title"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(listed("Envelope"), Event::NAMES);
    assert_eq!(listed("LiveFrame"), crate::Live::NAMES);
}
