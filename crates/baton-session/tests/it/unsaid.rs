//! Owners that stop between their commit and the deed: the next one does it.

use baton_protocol::{
    Event, EventDraft, HolderId, MessageId, Turn,
    event::{ApprovalResolved, TurnStarted, UserMessage},
    words::{ApprovalKind, DecidedBy, Decision, Json, Origin, SessionState},
};
use baton_session::{
    RealWorld, World as _,
    agents::{AgentKind, Answer},
};
use baton_store::{Append, HolderChange, RequestChange};
use baton_testkit::model::{self};
use expect_test::expect;
use serde_json::json;

use crate::{
    both::{check, check_fake},
    owners::{bash, taken_over},
    talk::allow,
    world::{MODEL, Setup},
};

#[test]
fn an_answer_that_was_never_said_is_said_by_the_next_owner() {
    check(
        |setup| setup.replies([bash("touch made.txt"), model::text("Done.")]),
        async |world| {
            let mut talk = world.session().await;
            talk.send("make a file").await;
            let asked = talk.until_ask().await;
            world.let_go().await;
            // The owner's last deed: it committed the answer and said nothing.
            let store = world.store();
            let open = store.open_requests(talk.id()).await.unwrap();
            let question = open.iter().find(|one| one.approval.is_some()).unwrap();
            let mut append = Append::to(talk.id());
            append.events.push(draft(ApprovalResolved {
                modified_subject: Default::default(),
                approval_id: asked.approval_id,
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
            }));
            append.requests.push(RequestChange::Answered {
                request_id: question.request_id.clone(),
                answer: Json::of(&Answer {
                    kind: ApprovalKind::Tool,
                    tool_name: asked.tool_name.clone(),
                    input: asked.input.clone(),
                    decision: allow(),
                }),
            });
            store.append(append).await.unwrap();
            store.close().await;
            let mut talk = taken_over(world, talk).await;
            talk.until_turn_end().await;
            assert!(world.sandbox.project().join("made.txt").exists());
        },
        expect![[r#"
            opened as 1
            turn 1 in a new process of 1 with claude-sonnet-4-5, mode default: "make a file"
            tool.requested {"input":{"command":"touch made.txt","description":"run a command"},"label":"Running touch made.txt","name":"Bash","subject":{"command":"touch made.txt"},"toolKind":"shell","toolUseId":"toolu_test_1"}
            approval.requested {"approvalId":"apr_1","input":{"command":"touch made.txt","description":"run a command"},"kind":"tool","risk":"medium","subject":{"command":"touch made.txt"},"suggestions":[{"rule":"Bash(touch made.txt)","scope":"session"}],"toolKind":"shell","toolName":"Bash","toolUseId":"toolu_test_1"}
            session.state {"state":"waiting"}
            apr_1 is answered by the user: "allow"
            tool.completed {"detail":{"noOutputExpected":true,"stderr":"","stdout":""},"name":"Bash","output":"(Bash completed with no output)","toolUseId":"toolu_test_1"}
            end of turn 1, agentUuid1, msg_test_2, window 200000, 0.0012 for "inputTokens":200,"outputTokens":40: "Done." "stats":{"bashCommands":1,"toolCalls":1,"toolsByType":{"Bash":1}},
            The model heard 1: ["make a file"]; 3: [{"result":"(Bash completed with no output)"}]
        "#]],
    );
}

#[test]
fn a_message_that_was_never_sent_is_sent_by_the_next_owner() {
    check(
        |setup| setup.replies([model::text("first"), model::text("second")]),
        async |world| {
            let mut talk = world.session().await;
            talk.turn("one").await;
            world.let_go().await;
            let store = world.store();
            let mut append = Append::to(talk.id());
            append.events.extend(message("two", Turn(2)));
            store.append(append).await.unwrap();
            store.close().await;
            let mut talk = taken_over(world, talk).await;
            talk.until_turn_end().await;
        },
        expect![[r#"
            opened as 1
            turn 1 in a new process of 1 with claude-sonnet-4-5, mode default: "one"
            end of turn 1, agentUuid1, msg_test_1, window 200000, 0.0006 for "inputTokens":100,"outputTokens":20: "first"
            197: turn 2: "two"
            325: user.message {"messageId":"messageId2","text":"two"}
            325: turn.started {"origin":"user","turn":2}
            325: message.delivered {"messageId":"messageId2"}
            325: checkpoint.created {"checkpointId":"messageId2"}
            325: session.state {"state":"processing"}
            end of turn 2, agentUuid2, msg_test_2, window 200000, 0.0006 for "inputTokens":100,"outputTokens":20: "second"
            The model heard 1: ["one"]; 3: ["two"]
        "#]],
    );
}

#[test]
fn a_turn_whose_process_was_never_started_is_begun_by_the_next_owner() {
    check_fake(
        |setup| setup,
        async |world| {
            let talk = world.session().await;
            world.let_go().await;
            let store = world.store();
            let mut append = Append::to(talk.id());
            append.events.extend(message("one", Turn(1)));
            store.append(append).await.unwrap();
            store.close().await;
            let taken = world.take_over().await;
            let mut talk = world.follow(taken[0].clone());
            talk.until_turn_end().await;
            talk.turn("two").await;
        },
        expect![[r#"
            opened as 1
            turn 1 in a new process of 1 with claude-sonnet-4-5, mode default: "one"
            end of turn 1, agentUuid1, msg_fake_1, window 1000000, 0.001 for "inputTokens":100,"outputTokens":20: "You said: one"
            turn 2: "two"
            end of turn 2, agentUuid2, msg_fake_2, window 1000000, 0.001 for "inputTokens":100,"outputTokens":20: "You said: two"
        "#]],
    );
}

/// The process is up and has its message, but has not yet said what it runs with.
#[test]
fn the_next_owner_tells_what_a_process_runs_with() {
    let init = json!({"type": "system", "subtype": "init", "session_id": "$session",
        "model": MODEL, "tools": ["Bash"], "permissionMode": "default",
        "claude_code_version": "2.1.197"});
    let taken = json!({"type": "user", "isReplay": true, "uuid": "$uuid",
        "message": {"role": "user", "content": "one"}, "parent_tool_use_id": null});
    let result = json!({"type": "result", "subtype": "success", "is_error": false,
        "result": "done", "terminal_reason": "completed", "session_id": "$session"});
    let heard = json!({"expect": {"type": "user"}});
    let steps = [
        json!({"initialize": true}),
        heard.clone(),
        heard,
        json!({"emit": init}),
        json!({"emit": taken}),
        json!({"emit": result}),
        json!({"serve": true}),
    ];
    let script = tempfile::NamedTempFile::new().unwrap();
    let lines = steps.map(|step| format!("{step}\n"));
    std::fs::write(script.path(), lines.concat()).unwrap();
    check_fake(
        |setup| setup.env("FAKE_CLAUDE_SCRIPT", script.path().to_str().unwrap()),
        async |world| {
            let mut talk = world.session().await;
            talk.send("one").await;
            until!(talk, SessionState, |state| state.state
                == SessionState::Processing);
            world.let_go().await;
            let mut talk = taken_over(world, talk).await;
            talk.until_turn_end().await;
        },
        expect![[r#"
            opened as 1
            user.message {"messageId":"messageId1","text":"one"}
            turn.started {"origin":"user","turn":1}
            session.state {"state":"starting"}
            session.state {"state":"processing"}
            session.started {"agentSessionId":"agentSessionId1","agentVersion":"[VERSION]","model":"claude-sonnet-4-5","permissionMode":"default","tools":["Bash"]}
            message.delivered {"messageId":"messageId1"}
            checkpoint.created {"checkpointId":"messageId1"}
            turn.completed {"messageIds":["messageId1"],"result":"done","stopReason":"end","turn":1}
            session.state {"state":"idle"}
        "#]],
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_turn_of_the_agents_own_is_not_taken_for_the_one_never_sent() {
    let mut world = Setup::fake().start();
    let mut talk = world.session().await;
    let wait = "background while [ ! -e go ]; do sleep 0.01; done\nsay one";
    talk.send(wait).await;
    let asked = talk.until_ask().await;
    talk.answer(&asked, allow()).await;
    talk.until_over().await;
    world.let_go().await;
    let store = world.store();
    let mut append = Append::to(talk.id());
    append.events.extend(message("say two", Turn(2)));
    store.append(append).await.unwrap();
    store.close().await;
    std::fs::write(world.sandbox.project().join("go"), "").unwrap();
    world.has_written("task-notification\"}").await;
    let mut talk = taken_over(&mut world, talk).await;
    talk.until_turn_end().await;
    let second = talk.seen.iter().filter(|envelope| envelope.turn == Turn(2));
    let told = second.filter_map(|envelope| match &envelope.event {
        Event::MessageDelivered(_) => Some("it was taken".to_owned()),
        Event::AssistantMessage(message) => Some(message.0.content.clone()),
        Event::TurnCompleted(end) => end.result.clone(),
        _ => None,
    });
    let told: Vec<_> = told.collect();
    let expected = [
        "The background work has ended.",
        "it was taken",
        "two",
        "two",
    ];
    assert_eq!(told, expected);
    world.finish().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_holder_that_comes_up_after_it_was_given_up_finds_no_folder() {
    let mut world = Setup::fake().start();
    let mut talk = world.session().await;
    talk.until_idle().await;
    world.let_go().await;
    // The owner's last deed: it forked, and its holder has yet to begin.
    let holder = HolderId::from_uuid(RealWorld.id());
    let store = world.store();
    let mut append = Append::to(talk.id());
    append.events.extend(message("say one", Turn(1)));
    append.holder = Some(HolderChange::Added {
        holder,
        facts: Json::of(&AgentKind::Claude),
    });
    store.append(append).await.unwrap();
    store.close().await;
    let folder = world
        .sandbox
        .data()
        .join("holders")
        .join(holder.to_string());
    std::fs::create_dir_all(&folder).unwrap();
    let mut talk = taken_over(&mut world, talk).await;
    talk.until_turn_end().await;
    assert!(!folder.exists());
    world.finish().await;
}

/// A message and the turn it begins, as an owner commits them.
fn message(text: &str, turn: Turn) -> [EventDraft; 2] {
    let message = UserMessage {
        message_id: MessageId::from_uuid(RealWorld.random_id()),
        text: text.into(),
        attachments: Vec::new(),
        queued: false,
        client: None,
    };
    let origin = Origin::User;
    let before = Turn(turn.0 - 1);
    [
        (before, Event::from(message)),
        (
            turn,
            TurnStarted {
                turn,
                origin,
                message_id: None,
                because: Vec::new(),
            }
            .into(),
        ),
    ]
    .map(|(turn, event)| EventDraft {
        turn,
        ..draft(event)
    })
}

fn draft(event: impl Into<Event>) -> EventDraft {
    EventDraft {
        ts: RealWorld.now(),
        turn: Turn(1),
        agent_id: None,
        event: event.into(),
    }
}
