//! Commands: what they do, and what they are refused with.

use baton_protocol::{RuleId, Timestamp, words::RuleDecision};
use baton_store::{RuleChange, RuleRecord, RuleScope};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::world::{World, is_event, seqs};

#[tokio::test]
async fn a_session_is_made_and_its_events_come_in_order() {
    let world = World::new().await;
    let (mut client, session) = world.following("one", "text").await;
    let frames = client
        .all_until(|frame| is_event(frame, "turn.completed"))
        .await;
    let seqs = seqs(&frames);
    let dense: Vec<u64> = (1..=seqs.len() as u64).collect();
    assert_eq!(seqs, dense);
    let at = frames.iter().position(|frame| frame["type"] == "caught_up");
    assert!(at.is_some(), "{frames:?}");
    // The same events again, as text that was stored.
    let mut other = world.client("two");
    other.subscribe(&session, 0).await;
    let again = other
        .all_until(|frame| is_event(frame, "turn.completed"))
        .await;
    let events = |frames: &[Value]| -> Vec<Value> {
        let events = frames.iter().filter(|frame| frame["type"] == "event");
        events.map(|frame| frame["event"].clone()).collect()
    };
    assert_eq!(events(&again), events(&frames));
}

#[tokio::test]
async fn the_first_answer_wins_and_the_second_is_told_who_won() {
    let world = World::new().await;
    let mut one = world.client("one");
    let mut two = world.client("two");
    let session = world.session(&mut one, "approval").await;
    for client in [&mut one, &mut two] {
        client.subscribe(&session, 0).await;
    }
    let asked = one.event("approval.requested").await;
    let id = asked["event"]["payload"]["approvalId"].clone();
    let listed = two.ok("approvals", None, json!({})).await;
    assert_eq!(listed["items"][0]["approval"]["approvalId"], id);
    assert_eq!(listed["items"][0]["sessionId"], session.as_str());
    // An agent would take no input for the one that it asked about.
    let nothing = json!({"approvalId": id, "decision": "allow", "modifiedInput": {}});
    let problem = two.refused("approve", None, nothing).await;
    assert_eq!(problem["code"], "invalid_request");
    assert_eq!(problem["errors"][0]["field"], "modifiedInput");
    let allow = json!({"approvalId": id, "decision": "allow"});
    let deny = json!({"approvalId": id, "decision": "deny", "denyMessage": "no"});
    two.ok("approve", None, allow).await;
    let problem = one.refused("approve", Some(&session), deny).await;
    assert_eq!(problem["code"], "already_answered");
    assert_eq!(problem["status"], 409);
    assert_eq!(problem["winner"]["decision"], "allow");
    assert_eq!(problem["winner"]["client"]["name"], "two");
    let resolved = one.event("approval.resolved").await;
    assert_eq!(resolved["event"]["payload"]["client"]["id"], "id-two");
    one.event("turn.completed").await;
    let listed = two.ok("approvals", None, json!({})).await;
    assert_eq!(listed["items"], json!([]));
}

#[tokio::test]
async fn a_question_is_answered_by_its_text() {
    let world = World::new().await;
    let (mut client, _session) = world.following("one", "question").await;
    let asked = client.event("approval.requested").await;
    let request = &asked["event"]["payload"];
    let question = request["input"]["questions"][0]["question"]
        .as_str()
        .unwrap();
    let bare = json!({"approvalId": request["approvalId"], "decision": "allow"});
    let problem = client.refused("approve", None, bare).await;
    assert_eq!(problem["code"], "answers_missing");
    let answer = json!({
        "approvalId": request["approvalId"], "decision": "allow", "answers": {question: "Green"},
    });
    client.ok("approve", None, answer).await;
    let said = client.event("assistant.message").await;
    let said = said["event"]["payload"]["content"].as_str().unwrap();
    assert!(said.contains("Green"), "{said}");
}

#[tokio::test]
async fn a_message_is_sent_once_refused_when_busy_queued_and_taken_back() {
    let world = World::with_pace(5).await;
    let (mut client, session) = world.following("one", "slow").await;
    client.state("processing").await;
    let send =
        |id: Uuid, text: &str, queue: bool| json!({"messageId": id, "text": text, "queue": queue});
    let [first, second] = [1, 2].map(Uuid::from_u128);
    let busy = client
        .refused("message", Some(&session), send(first, "text", false))
        .await;
    assert_eq!(busy["code"], "busy");
    assert_eq!(busy["status"], 409);
    let queued = client
        .ok("message", Some(&session), send(first, "text", true))
        .await;
    assert_eq!(queued["turn"], Value::Null);
    assert_eq!(queued["messageId"], first.to_string());
    let again = client
        .ok("message", Some(&session), send(first, "text", true))
        .await;
    assert_eq!(again, queued);
    let conflict = client
        .refused("message", Some(&session), send(first, "other", true))
        .await;
    assert_eq!(conflict["code"], "message_id_conflict");
    client
        .ok("take_back", Some(&session), json!({"messageId": first}))
        .await;
    let gone = client
        .refused("take_back", Some(&session), json!({"messageId": first}))
        .await;
    assert_eq!(gone["code"], "not_queued");
    client.ok("interrupt", Some(&session), json!({})).await;
    let ended = client.event("turn.completed").await;
    assert_eq!(ended["event"]["payload"]["stopReason"], "interrupted");
    let sent = client
        .ok("message", Some(&session), send(second, "text", false))
        .await;
    assert_eq!(sent["turn"], 2);
}

#[tokio::test]
async fn a_session_is_titled_ended_and_taken_up_again() {
    let world = World::new().await;
    let mut client = world.client("one");
    let session = world.session(&mut client, "text").await;
    let title = json!({"title": "A name"});
    client.ok("title", Some(&session), title).await;
    client.subscribe(&session, 0).await;
    client.event("turn.completed").await;
    client.ok("stop", Some(&session), json!({})).await;
    client.state("ended").await;
    let refused = client
        .refused("message", Some(&session), json!({"text": "hello"}))
        .await;
    assert_eq!(refused["code"], "session_ended");
    let listed = client.ok("sessions", None, json!({})).await;
    assert_eq!(listed["items"][0]["title"], "A name");
    assert_eq!(listed["items"][0]["status"], "stopped");
    client.ok("resume", Some(&session), json!({})).await;
    client
        .ok("message", Some(&session), json!({"text": "text"}))
        .await;
    client.event("turn.completed").await;
    let one = client.ok("session", Some(&session), json!({})).await;
    assert_eq!(one["turnCount"], 2);
}

#[tokio::test]
async fn what_makes_no_sense_is_refused_by_name() {
    let world = World::new().await;
    let mut client = world.client("one");
    let project = world.sandbox.project().display().to_string();
    let nobody = "ses_00000000000000000000000000000001";
    for (command, session, payload, code) in [
        ("frobnicate", None, json!({}), "unknown_command"),
        ("message", None, json!({"text": "x"}), "invalid_request"),
        ("message", Some(nobody), json!({"text": "x"}), "not_found"),
        ("session", Some(nobody), json!({}), "not_found"),
        ("checkpoints", Some(nobody), json!({}), "not_found"),
        (
            "create",
            None,
            json!({"project": "/nowhere"}),
            "invalid_request",
        ),
        (
            "create",
            None,
            json!({"project": project, "agent": "nobody"}),
            "invalid_request",
        ),
        (
            "create",
            None,
            json!({"project": project, "prompt": " "}),
            "empty",
        ),
        (
            "create",
            None,
            json!({"project": project, "permisionMode": "plan"}),
            "invalid_request",
        ),
        (
            "create",
            None,
            json!({"project": project, "permissionMode": "yolo"}),
            "invalid_request",
        ),
        ("sessions", None, json!({"limit": 0}), "invalid_request"),
        (
            "sessions",
            None,
            json!({"cursor": "here"}),
            "invalid_request",
        ),
        (
            "title",
            Some(nobody),
            json!({"title": " "}),
            "invalid_request",
        ),
        (
            "interrupt",
            Some(nobody),
            json!({"force": true}),
            "invalid_request",
        ),
        (
            "approve",
            None,
            json!({"approvalId": "apr_00000000000000000000000000000001", "decision": "allow"}),
            "not_found",
        ),
    ] {
        let problem = client.refused(command, session, payload.clone()).await;
        assert_eq!(problem["code"], code, "{command} {payload}: {problem}");
        assert!(problem["title"].is_string() && problem["status"].is_u64());
    }
    let listed = client.ok("sessions", None, json!({})).await;
    assert_eq!(listed["items"], json!([]), "no session was made");
}

#[tokio::test]
async fn files_are_taken_as_what_they_are_or_not_at_all() {
    let world = World::new().await;
    let mut client = world.client("one");
    let project = world.sandbox.project().display().to_string();
    let with = |name: &str, media_type: Value, data: &str| {
        json!({"project": project, "agent": "demo", "prompt": "text",
            "attachments": [{"name": name, "mediaType": media_type, "data": data}]})
    };
    for (name, kind, data, code) in [
        // A claim that the bytes deny, bytes that are nothing, and no base64.
        ("a.png", json!("image/png"), "aGVsbG8=", "invalid_request"),
        ("a.png", Value::Null, "aGVsbG8=", "invalid_request"),
        ("a", Value::Null, "f0VMRgD//g==", "invalid_request"),
        ("a", Value::Null, "!", "invalid_request"),
    ] {
        let refused = client.ask("create", None, with(name, kind, data)).await;
        let refused = refused.unwrap_err();
        assert_eq!(refused["code"], code, "{refused}");
        assert_eq!(refused["errors"][0]["field"], "attachments");
    }
    let many = json!({"project": project, "agent": "demo", "prompt": "text",
        "attachments": vec![json!({"name": "a", "data": ""}); 11]});
    let many = client.refused("create", None, many).await;
    assert_eq!(many["code"], "invalid_request");
    assert_eq!(many["errors"][0]["message"], "Attach at most 10 files.");
    let none = client.ok("sessions", None, json!({})).await;
    assert_eq!(none["items"], json!([]), "nothing was begun");
    let body = with("../x/notes.md", Value::Null, "aGVsbG8=");
    let made = client.ok("create", None, body).await;
    client.subscribe(made["id"].as_str().unwrap(), 0).await;
    let said = client.event("user.message").await;
    let file = &said["event"]["payload"]["attachments"][0];
    assert_eq!(file["name"], "notes.md");
    assert_eq!(file["mediaType"], "text/plain");
}

#[tokio::test]
async fn addresses_are_refused_or_go_into_the_prompt_and_none_is_asked_in_vain() {
    let world = World::new().await;
    let mut client = world.client("one");
    let project = world.sandbox.project().display().to_string();
    let with = |attachments: Value| json!({"project": project, "agent": "demo", "prompt": "text", "attachments": attachments});
    let file = json!({"url": "https://files.example/notes.pdf?v=1"});
    for (attachments, code, hint) in [
        (
            json!([{"url": "https://files.example/cat.png"}]),
            "invalid_request",
            "Download the image and attach it",
        ),
        (
            json!([file, {"url": "http://cdn.discordapp.com/cat.png"}]),
            "invalid_request",
            "begins with https://",
        ),
        (
            json!([{"url": "https://cdn.discordapp.com/cat.png", "data": "aGVsbG8="}]),
            "invalid_request",
            "neither `data`",
        ),
        (json!([{}]), "invalid_request", "or a `url`"),
        (
            json!(vec![file.clone(); 11]),
            "invalid_request",
            "at most 10",
        ),
    ] {
        let refused = client.ask("create", None, with(attachments)).await;
        let refused = refused.unwrap_err();
        assert_eq!(refused["code"], code, "{refused}");
        let said = refused["errors"][0]["message"].as_str().unwrap();
        assert!(said.contains(hint), "{refused}");
    }
    let none = client.ok("sessions", None, json!({})).await;
    assert_eq!(none["items"], json!([]), "nothing was begun");

    let named = json!({"url": "https://files.example/1", "name": "lo\ng.txt"});
    let made = client.ask("create", None, with(json!([file, named]))).await;
    let made = made.unwrap();
    client.subscribe(made["id"].as_str().unwrap(), 0).await;
    let said = client.event("user.message").await;
    assert_eq!(
        said["event"]["payload"]["text"],
        "text\n\nAttached: notes.pdf at https://files.example/notes.pdf?v=1\n\
         Attached: log.txt at https://files.example/1"
    );
}

#[tokio::test]
async fn a_session_whose_first_message_cannot_be_paid_is_not_made() {
    let world = World::new().await;
    let mut client = world.client("one");
    let project = world.sandbox.project().display().to_string();
    let body = json!({"project": project, "agent": "demo", "prompt": "text", "maxBudgetUsd": 0.0});
    let refused = client.refused("create", None, body).await;
    assert_eq!(refused["code"], "budget_spent");
    let listed = client.ok("sessions", None, json!({})).await;
    assert_eq!(listed["items"], json!([]));
}

#[tokio::test]
async fn the_same_first_message_makes_one_session_however_often_and_at_once() {
    let world = World::new().await;
    let project = world.sandbox.project().display().to_string();
    let first = "8d7f7a1e-2f9b-4c64-9b3c-0d1b8a1f1a11";
    let body = json!({"project": project, "agent": "demo", "prompt": "text", "messageId": first});
    let mut clients: Vec<_> = (0..10)
        .map(|number| world.client(&format!("client {number}")))
        .collect();
    let asked = clients
        .iter_mut()
        .map(|client| client.ask("create", None, body.clone()));
    let made = futures_util::future::join_all(asked).await;
    let ids: std::collections::BTreeSet<_> = made
        .into_iter()
        .map(|made| made.unwrap()["id"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(ids.len(), 1, "{ids:?}");
    let mut client = world.client("later");
    let again = client.ok("create", None, body.clone()).await;
    assert!(ids.contains(again["id"].as_str().unwrap()));
    let listed = client.ok("sessions", None, json!({})).await;
    assert_eq!(listed["items"].as_array().unwrap().len(), 1);
    let mut other = body;
    other["prompt"] = json!("something else");
    let refused = client.refused("create", None, other).await;
    assert_eq!(refused["code"], "message_id_conflict");
}

#[tokio::test]
async fn what_no_session_can_be_made_with_is_refused() {
    let world = World::new().await;
    let mut client = world.client("one");
    let project = world.sandbox.project().display().to_string();
    for (field, value) in [
        ("maxBudgetUsd", json!(-1)),
        ("maxTurns", json!(0)),
        ("addDirs", json!(["beside"])),
        ("outputSchema", json!("x")),
        ("model", json!(" ")),
        ("fallbackModel", json!("")),
        ("title", json!("x".repeat(201))),
    ] {
        let mut body = json!({"project": project, "agent": "demo"});
        body[field] = value;
        let refused = client.refused("create", None, body).await;
        assert_eq!(refused["code"], "invalid_request", "{field}: {refused}");
        assert!(refused.to_string().contains(field), "{refused}");
    }
    let session = world.session(&mut client, "text").await;
    let long = json!({"text": "x".repeat(5 << 20), "queue": true});
    let refused = client.ask("message", Some(&session), long).await;
    let refused = refused.unwrap_err();
    let wanted = "the text of a message may be at most 4 MB";
    assert_eq!(refused["detail"], wanted);
}

#[tokio::test]
async fn a_sessions_budget_is_raised_by_a_command_also_when_it_has_ended() {
    let world = World::new().await;
    let (mut client, session) = world.following("one", "text").await;
    client.event("turn.completed").await;
    client.ok("stop", Some(&session), json!({})).await;
    client.state("ended").await;
    let more = json!({"maxBudgetUsd": 2.5});
    client.ok("budget", Some(&session), more).await;
    let changed = client.event("session.updated").await;
    assert_eq!(changed["event"]["payload"]["options"]["maxBudgetUsd"], 2.5);
    for wrong in [json!({"maxBudgetUsd": -1}), json!({"budget": 1})] {
        let refused = client.ask("budget", Some(&session), wrong).await;
        assert_eq!(refused.unwrap_err()["code"], "invalid_request");
    }
}

#[tokio::test]
async fn a_rule_that_cannot_be_read_is_shown_as_broken() {
    let world = World::new().await;
    let mut client = world.client("one");
    let good = json!({"rule": "Bash(ls)", "decision": "deny", "scope": "user"});
    client.ok("rule.add", None, good).await;
    let strange = RuleRecord {
        id: RuleId::from_uuid(Uuid::from_u128(1)),
        scope: RuleScope::User,
        rule: "Bash(".into(),
        decision: RuleDecision::Deny,
        created_at: Timestamp::from_millis(0),
        client: None,
        approval: None,
    };
    let added = vec![RuleChange::Added(strange)];
    world.supervisor.store().change_rules(added).await.unwrap();
    let listed = client.ok("rules", None, json!({})).await;
    let items = listed["items"].as_array().unwrap();
    let of = |rule: &str| items.iter().find(|item| item["rule"] == rule).unwrap();
    assert_eq!(of("Bash(ls)")["broken"], Value::Null);
    assert!(of("Bash(")["broken"].is_string());
    let words = of("Bash(")["words"].as_str().unwrap();
    assert!(words.contains("every call is asked about"), "{words}");
}
