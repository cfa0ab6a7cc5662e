//! Server-sent events: everything once and in order, wherever one begins.

use baton_protocol::words::AccessScope;
use serde_json::{Value, json};

use super::client::{Site, SseEvent, Stream};

impl Site {
    async fn follow(&self, session: &str, after: Option<u64>, token: &str) -> Stream {
        let path = format!("/api/v1/sessions/{session}/events");
        let mut ask = self
            .ask("GET", &path)
            .bearer(token)
            .header("accept", "text/event-stream");
        if let Some(after) = after {
            ask = ask.header("last-event-id", &after.to_string());
        }
        ask.open().await
    }
}

fn stored(event: &SseEvent) -> Option<Value> {
    let event = Some(event).filter(|event| event.kind == "session_event")?;
    let value: Value = serde_json::from_str(&event.data).unwrap();
    assert_eq!(value["seq"].as_u64(), event.id);
    Some(value)
}

/// Everything until a turn is over.
async fn until_idle(stream: &mut Stream) -> Vec<Value> {
    let (mut events, mut ended) = (Vec::new(), false);
    loop {
        let event = stream.event().await.expect("the stream goes on");
        let Some(event) = stored(&event) else {
            continue;
        };
        let idle = event["type"] == "session.state" && event["payload"]["state"] == "idle";
        ended |= event["type"] == "turn.completed";
        events.push(event);
        if idle && ended {
            return events;
        }
    }
}

#[tokio::test]
async fn a_stream_replays_goes_on_live_and_resumes_anywhere() {
    let site = Site::with_pace(2).await;
    let id = site.session("hello").await;
    let mut stream = site.follow(&id, None, &site.token).await;
    let wanted = "text/event-stream";
    assert_eq!(stream.response.headers()["content-type"], wanted);
    let all = until_idle(&mut stream).await;
    for (index, event) in all.iter().enumerate() {
        assert_eq!(event["seq"], index + 1);
    }
    // The end of the turn is the last but a few; what begins before it sees it.
    let ended = all
        .iter()
        .position(|event| event["type"] == "turn.completed");
    for after in 0..=ended.unwrap() {
        let mut again = site.follow(&id, Some(after as u64), &site.token).await;
        assert_eq!(until_idle(&mut again).await, all[after..], "after {after}");
    }
}

#[tokio::test]
async fn live_text_comes_without_an_id_and_is_made_whole() {
    let site = Site::with_pace(5).await;
    let id = site.session("hello").await;
    let mut stream = site.follow(&id, None, &site.token).await;
    let (mut live, mut whole) = (0, String::new());
    while whole.is_empty() {
        let event = stream.event().await.expect("the stream goes on");
        if event.kind == "session_live" {
            assert_eq!(event.id, None);
            live += 1;
        } else if let Some(event) = stored(&event)
            && event["type"] == "assistant.message"
        {
            whole = event["payload"]["content"].as_str().unwrap().to_owned();
        }
    }
    assert!(live > 0);
}

#[tokio::test]
async fn the_end_of_the_session_ends_the_stream_and_there_is_nothing_after_it() {
    let (site, id) = Site::at("hello", "idle").await;
    let mut stream = site.follow(&id, None, &site.token).await;
    until_idle(&mut stream).await;
    let stop = format!("/api/v1/sessions/{id}/stop");
    site.ask("POST", &stop).send().await.expect(200);
    let mut last = 0;
    let done = loop {
        let event = stream.event().await.expect("the stream goes on");
        last = event.id.unwrap_or(last);
        if event.kind == "session_done" {
            break event;
        }
    };
    let done: Value = serde_json::from_str(&done.data).unwrap();
    assert_eq!(done, json!({"sessionId": id, "seq": last}));
    assert_eq!(stream.event().await, None);
    let again = site.follow(&id, Some(last), &site.token).await;
    assert_eq!(again.response.status(), 204);
    let mut from_before = site.follow(&id, Some(last - 1), &site.token).await;
    assert_eq!(from_before.event().await.unwrap().id, Some(last));
    assert_eq!(from_before.event().await.unwrap().kind, "session_done");
}

#[tokio::test]
async fn a_revoked_device_loses_its_stream_at_once() {
    let (site, id) = Site::at("hello", "idle").await;
    let token = site.device(AccessScope::Observe).await;
    let mut stream = site.follow(&id, None, &token).await;
    until_idle(&mut stream).await;
    let out = site
        .ask("POST", "/api/v1/auth/logout")
        .bearer(&token)
        .send()
        .await;
    assert_eq!(out.status, 204);
    assert_eq!(stream.event().await, None);
}

#[tokio::test]
async fn the_end_of_the_daemon_ends_streams_without_an_end_of_the_session() {
    let mut site = Site::new().await;
    let id = site.session("hello").await;
    site.until_state(&id, "idle").await;
    let mut stream = site.follow(&id, None, &site.token).await;
    until_idle(&mut stream).await;
    site.stop().await;
    assert_eq!(stream.event().await, None);
}

#[tokio::test]
async fn a_wrong_last_event_id_is_told() {
    let site = Site::new().await;
    let id = site.session("hello").await;
    let path = format!("/api/v1/sessions/{id}/events");
    let ask = site.ask("GET", &path).header("accept", "text/event-stream");
    let answer = ask.header("last-event-id", "abc").send().await;
    assert_eq!(answer.problem(), (400, "invalid_request".into()));
}
