//! The driver against a scripted CLI: each test is one way things can go.

use std::time::Duration;

use baton_claude::*;
use baton_process::{Exit, StopPlan};
use serde_json::{Value, json};
use tokio::sync::mpsc;

use crate::scripted::{Script, scripted, within};

/// Runs a driver and its script side by side.
async fn session<H: Handler>(handler: H) -> (Claude, Script) {
    let (mut script, wire) = scripted();
    let start = Claude::over(wire, Initialize::default(), handler, Limits::default());
    let (claude, ()) = tokio::join!(start, script.get_ready());
    (claude.unwrap(), script)
}

async fn next_message(claude: &mut Claude) -> Message<'static> {
    let event = within(claude.next()).await.unwrap();
    let Event::Message(message) = event else {
        panic!("{event:?}")
    };
    message
}

fn result(text: &str) -> Value {
    json!({ "type": "result", "subtype": "success", "is_error": false, "result": text })
}

#[tokio::test(start_paused = true)]
async fn two_turns_on_one_process() {
    let (mut claude, mut script) = session(()).await;
    assert_eq!(
        claude.ready().claude_code_version.as_deref(),
        Some("2.1.325")
    );
    for text in ["one", "two"] {
        let uuid = claude.say(text).await.unwrap();
        let line = script.hear().await.unwrap();
        assert_eq!(line["message"], json!({ "role": "user", "content": text }));
        assert_eq!(line["uuid"], uuid.to_string());
        script.say(&result(text)).await;
        let Message::Result(result) = next_message(&mut claude).await else {
            panic!()
        };
        assert_eq!(result.result.as_deref(), Some(text));
    }
    script.exit(0);
    let ended = within(claude.close()).await.unwrap();
    assert_eq!(ended.report.exit, Exit::Exited { code: 0 });
    assert_eq!(ended.stderr_tail, "some words\n");
}

#[tokio::test(start_paused = true)]
async fn the_first_line_introduces_the_host() {
    let (mut script, wire) = scripted();
    let start = Claude::over(wire, Initialize::default(), (), Limits::default());
    let first = async {
        let (id, request) = script.hear_request().await;
        assert_eq!(request, json!({ "subtype": "initialize" }));
        script.answer(&id, json!({})).await;
    };
    let (claude, ()) = tokio::join!(start, first);
    claude.unwrap().say("hello").await.unwrap();
    assert_eq!(script.hear().await.unwrap()["type"], "user");
}

#[tokio::test(start_paused = true)]
async fn a_request_gets_its_typed_answer() {
    let (claude, mut script) = session(()).await;
    let client = claude.client();
    let serve = async {
        let (id, request) = script.hear_request().await;
        assert_eq!(request, json!({ "subtype": "interrupt" }));
        script.answer(&id, json!({ "still_queued": ["m1"] })).await;
        let (id, request) = script.hear_request().await;
        assert_eq!(
            request,
            json!({ "subtype": "set_permission_mode", "mode": "plan" })
        );
        // An answer to somebody else, as replay makes them, changes nothing.
        script
            .answer(
                "c7994c8a-61c8-4794-ba81-67c062dbf69c",
                json!({ "mode": "x" }),
            )
            .await;
        script.answer(&id, json!({ "mode": "plan" })).await;
        script.answer(&id, json!({ "mode": "twice" })).await;
        let (id, _) = script.hear_request().await;
        script.answer(&id, json!({ "no": "servers" })).await;
        let (id, _) = script.hear_request().await;
        script
            .say(&json!({ "type": "control_response", "response": {
                "subtype": "error", "request_id": id, "error": "not enabled" } }))
            .await;
    };
    let ask = async {
        let interrupted = client.interrupt().await.unwrap();
        assert_eq!(interrupted.still_queued, Some(vec!["m1".to_owned()]));
        let set = client
            .set_permission_mode(PermissionMode::Plan)
            .await
            .unwrap();
        assert_eq!(set.mode, Some(PermissionMode::Plan));
        let error = client.mcp_status().await.unwrap_err();
        assert!(matches!(error, RequestError::BadAnswer { .. }), "{error:?}");
        let error = client.rewind_files(uuid::Uuid::nil()).await.unwrap_err();
        let RequestError::Refused { refusal, .. } = error else {
            panic!("{error:?}")
        };
        assert_eq!(refusal.message, "not enabled");
    };
    tokio::join!(serve, ask);
}

#[tokio::test(start_paused = true)]
async fn silence_is_an_error_and_not_a_hang() {
    let (claude, mut script) = session(()).await;
    let client = claude.client();
    let request = client.request_within(GetSettings {}, Duration::from_secs(7));
    let (answer, (id, _)) = tokio::join!(request, script.hear_request());
    let after = Duration::from_secs(7);
    assert_eq!(
        answer,
        Err(RequestError::Silent {
            subtype: "get_settings",
            after
        })
    );
    // The late answer disturbs nobody.
    script.answer(&id, json!({ "effective": {} })).await;
    let (answer, ()) = tokio::join!(client.context_usage(), async {
        let (id, _) = script.hear_request().await;
        let usage = json!({ "categories": [], "totalTokens": 1, "maxTokens": 2 });
        script.answer(&id, usage).await;
    });
    assert_eq!(answer.unwrap().total_tokens, 1);
}

#[tokio::test(start_paused = true)]
async fn a_cli_that_never_gets_ready_is_ended() {
    let (mut script, wire) = scripted();
    let start = Claude::over(wire, Initialize::default(), (), Limits::default());
    let serve = async {
        script.hear_request().await;
        script.told_to_stop().await;
        script.exit(143);
    };
    let (claude, ()) = tokio::join!(start, serve);
    let Err(StartError::NotReady { source }) = claude else {
        panic!("{claude:?}")
    };
    let after = Duration::from_secs(60);
    assert_eq!(
        source,
        RequestError::Silent {
            subtype: "initialize",
            after
        }
    );
}

#[tokio::test(start_paused = true)]
async fn a_cli_that_ends_at_once_says_why() {
    let (mut script, wire) = scripted();
    let start = Claude::over(wire, Initialize::default(), (), Limits::default());
    let serve = async {
        script.hear_request().await;
        script.exit(1);
    };
    let (claude, ()) = tokio::join!(start, serve);
    let error = claude.unwrap_err();
    assert_eq!(error.to_string(), "the CLI ended at once: some words");
}

#[tokio::test(start_paused = true)]
async fn the_end_of_the_process_ends_every_open_request() {
    let (mut claude, mut script) = session(()).await;
    let client = claude.client();
    let (answer, ()) = tokio::join!(client.interrupt(), async {
        script.hear_request().await;
        script.exit(137);
    });
    assert_eq!(
        answer,
        Err(RequestError::Gone {
            subtype: "interrupt"
        })
    );
    let Some(Event::Ended(ended)) = within(claude.next()).await else {
        panic!()
    };
    assert_eq!(ended.report.exit, Exit::Exited { code: 137 });
    assert!(within(claude.next()).await.is_none());
    assert_eq!(
        client.interrupt().await,
        Err(RequestError::Gone {
            subtype: "interrupt"
        })
    );
    assert_eq!(claude.say("anyone?").await, Err(SendError));
    assert_eq!(within(claude.close()).await, None);
}

#[tokio::test(start_paused = true)]
async fn a_process_that_closes_its_stdout_and_stays_is_ended() {
    let (mut claude, mut script) = session(()).await;
    script.go_quiet();
    assert_eq!(script.told_to_stop().await, StopPlan::default());
    script.exit(0);
    assert!(matches!(within(claude.next()).await, Some(Event::Ended(_))));
}

#[tokio::test(start_paused = true)]
async fn closing_closes_stdin_first_and_hears_the_turn_out() {
    let (mut claude, mut script) = session(()).await;
    let client = claude.client();
    client.close(StopPlan::default());
    assert_eq!(script.hear().await, None);
    script.told_to_stop().await;
    script.say(&result("last words")).await;
    let Message::Result(_) = next_message(&mut claude).await else {
        panic!()
    };
    assert_eq!(
        client.send(UserMessage::text(uuid::Uuid::nil(), "x")).await,
        Err(SendError)
    );
    script.exit(0);
    assert!(matches!(within(claude.next()).await, Some(Event::Ended(_))));
}

#[tokio::test(start_paused = true)]
async fn a_cli_that_reads_nothing_can_still_be_ended() {
    let (claude, mut script) = session(()).await;
    let mut sending = tokio::task::JoinSet::new();
    for number in 0..200 {
        let client = claude.client();
        let message = UserMessage::text(uuid::Uuid::from_u128(number), "x");
        sending.spawn(async move { client.send(message).await });
    }
    // Until every queue on the way is full.
    while tokio::time::timeout(Duration::from_secs(1), sending.join_next())
        .await
        .is_ok()
    {}
    assert!(!sending.is_empty());
    let (ended, ()) = tokio::join!(claude.close(), async {
        script.told_to_stop().await;
        script.exit(143);
    });
    assert!(ended.is_some());
    while let Some(sent) = sending.join_next().await {
        assert_eq!(sent.unwrap(), Err(SendError));
    }
}

#[tokio::test(start_paused = true)]
async fn a_reader_that_stays_away_makes_the_cli_wait_and_loses_nothing() {
    let (mut claude, script) = session(()).await;
    let line = result("x");
    let mut said = 0;
    while tokio::time::timeout(Duration::from_secs(1), script.say(&line))
        .await
        .is_ok()
    {
        said += 1;
        assert!(said < 5000, "nothing holds the CLI back");
    }
    for _ in 0..said {
        next_message(&mut claude).await;
    }
}

#[tokio::test(start_paused = true)]
async fn lines_that_are_no_messages_are_reported_and_not_fatal() {
    let (mut claude, script) = session(()).await;
    script.say_bytes(b"warning: something").await;
    script.say_bytes(b"   ").await;
    script.say(&json!({ "type": "novelty" })).await;
    let Some(Event::Unreadable(DecodeError::NotJson { head, .. })) = within(claude.next()).await
    else {
        panic!()
    };
    assert_eq!(head, "warning: something");
    assert!(matches!(
        next_message(&mut claude).await,
        Message::Unknown(_)
    ));
}

#[tokio::test(start_paused = true)]
async fn capabilities_are_learnt_on_the_way() {
    let (mut claude, script) = session(()).await;
    assert!(claude.client().capabilities().marks_aborted_answers());
    assert!(!claude.client().capabilities().reports_message_lifecycle());
    let init = json!({ "type": "system", "subtype": "init", "capabilities": ["msg_lifecycle_v1"] });
    script.say(&init).await;
    next_message(&mut claude).await;
    assert!(claude.client().capabilities().reports_message_lifecycle());
}

/// Allows `Read`, waits forever on `Bash`, panics on `Oops`, denies the rest;
/// serves one MCP server and one hook.
struct Clerk {
    dropped: mpsc::Sender<String>,
}

struct OnDrop(mpsc::Sender<String>, String);

impl Drop for OnDrop {
    fn drop(&mut self) {
        self.0.try_send(std::mem::take(&mut self.1)).unwrap();
    }
}

impl Handler for Clerk {
    async fn can_use_tool(&self, ask: CanUseTool) -> PermissionDecision {
        match &*ask.tool_name {
            "Read" => PermissionDecision::allow(&ask),
            "Bash" => {
                let _told = OnDrop(self.dropped.clone(), "Bash".to_owned());
                std::future::pending().await
            }
            "Oops" => panic!("a handler that fails"),
            other => PermissionDecision::deny(format!("not {other}")),
        }
    }

    async fn hook(&self, call: HookCallback) -> HookOutput {
        HookOutput {
            system_message: Some(call.callback_id),
            ..HookOutput::default()
        }
    }

    async fn mcp(&self, message: McpMessage) -> Result<RawJson, String> {
        let call: Value = message.message.parse().unwrap();
        Ok(RawJson::from(
            json!({ "jsonrpc": "2.0", "id": call["id"], "result": {} }),
        ))
    }
}

fn clerk() -> (Clerk, mpsc::Receiver<String>) {
    let (dropped, receiver) = mpsc::channel(4);
    (Clerk { dropped }, receiver)
}

fn ask(tool: &str) -> Value {
    json!({ "subtype": "can_use_tool", "tool_name": tool, "input": { "x": 1 } })
}

async fn reply_to(script: &mut Script, request: Value) -> Value {
    script.ask("r", request).await;
    let line = script.hear().await.unwrap();
    assert_eq!(line["type"], "control_response");
    assert_eq!(line["response"]["request_id"], "r");
    let mut response = line["response"].clone();
    response.as_object_mut().unwrap().remove("request_id");
    response
}

#[tokio::test(start_paused = true)]
async fn every_question_of_the_cli_gets_an_answer() {
    let (_claude, mut script) = session(clerk().0).await;
    let table = [
        (
            ask("Read"),
            json!({ "behavior": "allow", "updatedInput": { "x": 1 } }),
        ),
        (
            ask("Write"),
            json!({ "behavior": "deny", "message": "not Write" }),
        ),
        (
            json!({ "subtype": "hook_callback", "callback_id": "cb", "input": {} }),
            json!({ "systemMessage": "cb" }),
        ),
        (
            json!({ "subtype": "mcp_message", "server_name": "calc", "message": { "id": 4 } }),
            json!({ "mcp_response": { "jsonrpc": "2.0", "id": 4, "result": {} } }),
        ),
        (
            json!({ "subtype": "elicitation", "mcp_server_name": "m" }),
            json!({ "action": "decline" }),
        ),
    ];
    for (request, wanted) in table {
        let reply = reply_to(&mut script, request).await;
        assert_eq!(reply, json!({ "subtype": "success", "response": wanted }));
    }
    for (request, wanted) in [
        (
            json!({ "subtype": "novelty" }),
            r#"request "novelty" is not supported"#,
        ),
        (
            json!({ "subtype": "can_use_tool" }),
            r#"request "can_use_tool" is not supported"#,
        ),
        (ask("Oops"), "the handler failed"),
    ] {
        let reply = reply_to(&mut script, request).await;
        assert_eq!(reply, json!({ "subtype": "error", "error": wanted }));
    }
}

#[tokio::test(start_paused = true)]
async fn sdk_mcp_servers_are_served_before_the_cli_is_ready() {
    let (mut script, wire) = scripted();
    let initialize = Initialize {
        sdk_mcp_servers: vec!["calc".to_owned()],
        ..Initialize::default()
    };
    let start = Claude::over(wire, initialize, clerk().0, Limits::default());
    let serve = async {
        let (id, request) = script.hear_request().await;
        assert_eq!(request["sdkMcpServers"], json!(["calc"]));
        let request =
            json!({ "subtype": "mcp_message", "server_name": "calc", "message": { "id": 0 } });
        assert_eq!(reply_to(&mut script, request).await["subtype"], "success");
        script.answer(&id, json!({})).await;
    };
    let (claude, ()) = tokio::join!(start, serve);
    assert!(claude.is_ok());
}

#[tokio::test(start_paused = true)]
async fn a_question_taken_back_stops_its_handler_and_is_not_answered() {
    let (clerk, mut dropped) = clerk();
    let (_claude, mut script) = session(clerk).await;
    script.ask("slow", ask("Bash")).await;
    // Two asks at once: the second is answered while the first waits.
    assert_eq!(
        reply_to(&mut script, ask("Read")).await["subtype"],
        "success"
    );
    script
        .say(&json!({ "type": "control_cancel_request", "request_id": "slow" }))
        .await;
    assert_eq!(within(dropped.recv()).await.as_deref(), Some("Bash"));
    assert_eq!(
        reply_to(&mut script, ask("Read")).await["subtype"],
        "success"
    );
}
