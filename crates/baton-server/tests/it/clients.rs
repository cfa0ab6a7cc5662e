//! Many clients, slow clients, clients that talk nonsense.

use serde_json::json;
use tokio::time::timeout;

use baton_protocol::words::ClientRef;
use baton_server::Connection;
use baton_testkit::LIMIT;

use crate::world::{World, seqs};

#[tokio::test]
async fn nonsense_is_answered_and_the_connection_lives_on() {
    let world = World::new().await;
    let mut client = world.client("one");
    for (text, code) in [
        ("{", "bad_json"),
        ("[]", "bad_json"),
        ("\"hello\"", "bad_json"),
        ("\u{1}\u{2}", "bad_json"),
        ("{}", "invalid_request"),
        (r#"{"type":"dance"}"#, "invalid_request"),
        (r#"{"type":"command","id":"7"}"#, "invalid_request"),
        (r#"{"type":"subscribe","sessionId":"prj_1"}"#, "bad_json"),
        (
            r#"{"type":"subscribe","sessionId":"ses_00000000000000000000000000000001"}"#,
            "not_found",
        ),
    ] {
        client.say_text(text).await;
        let answer = client.next().await;
        assert_eq!(answer["ok"], false, "{text}: {answer}");
        assert_eq!(answer["problem"]["code"], code, "{text}: {answer}");
        assert!(answer["error"].is_string());
    }
    client.say_text(r#"{"cmd":"make_coffee"}"#).await;
    let answer = client.next().await;
    assert_eq!(answer["ok"], false);
    assert!(answer["error"].as_str().unwrap().contains("make_coffee"));
    client.say_text(r#"{"type":"ping"}"#).await;
    assert_eq!(client.next().await, json!({"type": "pong"}));
}

#[tokio::test]
async fn who_does_not_read_slows_nobody_and_is_caught_up_from_the_log() {
    let world = World::new().await;
    let mut quick = world.client("quick");
    let mut slow = world.client("slow");
    let session = world.session(&mut quick, "tools").await;
    slow.subscribe(&session, 0).await;
    quick.subscribe(&session, 0).await;
    // Many more events than the slow one's queue has places for, none of which
    // it reads.
    for turn in 1..=8 {
        quick.event("turn.completed").await;
        quick.state("idle").await;
        if turn < 8 {
            let text = json!({"text": "tools todo"});
            quick.ok("message", Some(&session), text).await;
        }
    }
    let one = quick.ok("session", Some(&session), json!({})).await;
    let count = one["eventCount"].as_u64().unwrap();
    assert!(count > 100, "{count}");
    let frames = slow.all_until(|frame| frame["event"]["seq"] == count).await;
    let dense: Vec<u64> = (1..=count).collect();
    assert_eq!(seqs(&frames), dense, "everything, once, in order");
}

#[tokio::test]
async fn after_unsubscribed_nothing_more_of_the_session_comes() {
    let world = World::with_pace(1).await;
    let (mut client, session) = world.following("one", "slow").await;
    client.until(|frame| frame["type"] == "live").await;
    let leave = json!({"type": "unsubscribe", "id": "u", "sessionId": session});
    client.say(&leave).await;
    let last = client.until(|frame| frame["type"] == "unsubscribed").await;
    assert_eq!(last["sessionId"], session.as_str());
    assert_eq!(client.next().await["id"], "u");
    // It goes on for others, and for this one from a cursor of its choice.
    client.subscribe(&session, 3).await;
    let first = client.until(|frame| frame["type"] == "event").await;
    assert_eq!(first["event"]["seq"], 4);
    // Who subscribes again begins again.
    client.subscribe(&session, 1).await;
    client.until(|frame| frame["type"] == "unsubscribed").await;
    let first = client.until(|frame| frame["type"] == "event").await;
    assert_eq!(first["event"]["seq"], 2);
}

#[tokio::test]
async fn changes_of_the_list_come_to_who_asked_for_them() {
    let world = World::new().await;
    let mut one = world.client("one");
    let mut two = world.client("two");
    let old = world.session(&mut one, "text").await;
    two.say(&json!({"type": "subscribe", "id": "s"})).await;
    two.until(|frame| frame["id"] == "s").await;
    let new = world.session(&mut one, "text").await;
    let wanted = |frame: &serde_json::Value| {
        let items = frame["items"].as_array().cloned().unwrap_or_default();
        frame["type"] == "sessions"
            && items.iter().any(|row| {
                row["id"] == new.as_str() && row["turnCount"] == 1 && row["state"] == "idle"
            })
    };
    two.until(wanted).await;
    assert_ne!(old, new);
}

#[tokio::test]
async fn there_is_a_bound_on_connections() {
    let world = World::new().await;
    let client = |number: usize| {
        let (out, _inbox) = tokio::sync::mpsc::channel(1);
        let who = ClientRef {
            id: number.to_string(),
            name: "many".into(),
        };
        Connection::open(&world.api, who, out)
    };
    let mut all: Vec<Connection> = (0..256).map(|number| client(number).unwrap()).collect();
    let refused = client(256).unwrap_err();
    assert_eq!(refused.code.as_str(), "too_many");
    let left = all.pop().unwrap();
    timeout(LIMIT, left.close()).await.unwrap();
    assert!(client(257).is_ok(), "a place that was left is free");
}
