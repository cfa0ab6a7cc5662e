//! The frames over a WebSocket, and how one signs in there.

use baton_protocol::words::AccessScope;
use baton_testkit::LIMIT;
use futures_util::{SinkExt as _, StreamExt as _};
use serde_json::{Value, json};
use tokio::{net::TcpStream, time::timeout};
use tokio_tungstenite::{
    WebSocketStream, client_async,
    tungstenite::{self, Message, client::IntoClientRequest as _},
};

use super::client::Site;
use crate::world::{is_event, is_state, seqs};

pub(super) struct Socket(pub(super) WebSocketStream<TcpStream>);

impl Site {
    async fn upgrade(
        &self,
        headers: &[(&'static str, &str)],
    ) -> Result<Socket, tungstenite::Error> {
        self.upgrade_at("/api/v1/ws", headers).await
    }

    pub(super) async fn upgrade_at(
        &self,
        path: &str,
        headers: &[(&'static str, &str)],
    ) -> Result<Socket, tungstenite::Error> {
        let url = format!("ws://{}{path}", self.address);
        let mut request = url.into_client_request()?;
        for (name, value) in headers {
            request.headers_mut().insert(*name, value.parse().unwrap());
        }
        let tcp = TcpStream::connect(self.address).await?;
        let (socket, _) = client_async(request, tcp).await?;
        Ok(Socket(socket))
    }

    pub(super) async fn signed(&self, token: &str) -> Socket {
        let value = format!("Bearer {token}");
        self.upgrade(&[("authorization", &value)]).await.unwrap()
    }
}

impl Socket {
    pub(super) async fn say(&mut self, frame: &Value) {
        let text = Message::text(frame.to_string());
        self.0.send(text).await.unwrap();
    }

    /// Sends a frame that may be too much to be read to its end.
    pub(super) async fn say_or_lose(&mut self, frame: &Value) {
        self.0.send(Message::text(frame.to_string())).await.ok();
    }

    /// The code that it is closed with, once it is.
    pub(super) async fn closed(&mut self) -> Option<u16> {
        loop {
            if let Err(code) = self.next().await {
                return code;
            }
        }
    }

    /// The next frame; none once it is closed, with the code.
    pub(super) async fn next(&mut self) -> Result<Value, Option<u16>> {
        loop {
            let message = timeout(LIMIT, self.0.next())
                .await
                .expect("something comes");
            match message {
                Some(Ok(Message::Text(text))) => return Ok(serde_json::from_str(&text).unwrap()),
                Some(Ok(Message::Close(close))) => {
                    return Err(close.map(|close| close.code.into()));
                }
                Some(Ok(_)) => {}
                Some(Err(_)) | None => return Err(None),
            }
        }
    }

    pub(super) async fn all_until(&mut self, wanted: impl Fn(&Value) -> bool) -> Vec<Value> {
        let mut frames = Vec::new();
        loop {
            let frame = self.next().await.expect("the socket stays open");
            let last = wanted(&frame);
            frames.push(frame);
            if last {
                return frames;
            }
        }
    }

    pub(super) async fn ask(
        &mut self,
        command: &str,
        session: Option<&str>,
        payload: Value,
    ) -> Value {
        let frame = json!({"type": "command", "id": "1", "command": command,
            "sessionId": session, "payload": payload});
        self.say(&frame).await;
        let frames = self.all_until(|frame| frame["type"] == "reply").await;
        frames.last().unwrap().clone()
    }
}

#[tokio::test]
async fn a_page_signs_in_by_its_first_message() {
    let site = Site::new().await;
    let mut socket = site.upgrade(&[]).await.unwrap();
    socket
        .say(&json!({"type": "hello", "token": site.token}))
        .await;
    assert_eq!(socket.next().await.unwrap()["type"], "welcome");
    socket.say(&json!({"type": "ping"})).await;
    assert_eq!(socket.next().await.unwrap()["type"], "pong");
}

#[tokio::test]
async fn who_does_not_sign_in_hears_nothing() {
    let site = Site::new().await;
    for first in [
        json!({"type": "hello", "token": "wrong"}),
        json!({"type": "hello"}),
        json!({"type": "command", "id": "1", "command": "sessions"}),
        json!({"cmd": "get_status"}),
        json!(1),
    ] {
        let mut socket = site.upgrade(&[]).await.unwrap();
        socket.say(&first).await;
        let refused = socket.next().await.unwrap();
        assert_eq!(refused["problem"]["code"], "unauthorized", "{first}");
        assert_eq!(socket.next().await, Err(Some(1008)), "{first}");
    }
    // Said nothing at all.
    let mut silent = site.upgrade(&[]).await.unwrap();
    let wanted = "unauthorized";
    assert_eq!(silent.next().await.unwrap()["problem"]["code"], wanted);
    assert_eq!(silent.next().await, Err(Some(1008)));
}

#[tokio::test]
async fn an_upgrade_is_refused_like_any_other_request() {
    let site = Site::new().await;
    for headers in [
        vec![("authorization", "Bearer wrong")],
        vec![("origin", "http://evil.example")],
        vec![("origin", "null")],
        vec![("origin", "http://127.0.0.1:1")],
        vec![("host", "evil.example")],
    ] {
        let refused = site.upgrade(&headers).await.err();
        let Some(tungstenite::Error::Http(response)) = refused else {
            panic!("{headers:?} was let in: {refused:?}");
        };
        assert!(
            matches!(response.status().as_u16(), 401 | 403),
            "{headers:?}"
        );
    }
    let own = format!("http://{}", site.address);
    assert!(site.upgrade(&[("origin", &own)]).await.is_ok());
}

#[tokio::test]
async fn what_a_socket_replays_is_what_the_log_has() {
    let site = Site::with_pace(2).await;
    let id = site.session("hello").await;
    let mut socket = site.signed(&site.token).await;
    socket
        .say(&json!({"type": "subscribe", "sessionId": id}))
        .await;
    let mut frames = socket
        .all_until(|frame| is_event(frame, "turn.completed"))
        .await;
    frames.extend(socket.all_until(|frame| is_state(frame, "idle")).await);
    let numbers = seqs(&frames);
    assert_eq!(numbers, (1..=numbers.len() as u64).collect::<Vec<_>>());
    let page = site
        .get(&format!("/api/v1/sessions/{id}/events?limit=5000"))
        .await;
    let events: Vec<Value> = frames
        .iter()
        .filter(|frame| frame["type"] == "event")
        .map(|frame| frame["event"].clone())
        .collect();
    assert_eq!(page.expect(200)["events"], Value::Array(events));
    assert!(frames.iter().any(|frame| frame["type"] == "live"));
    assert!(
        frames
            .iter()
            .any(|frame| is_event(frame, "assistant.message"))
    );
}

#[tokio::test]
async fn an_observer_may_look_and_nothing_else() {
    let site = Site::new().await;
    let id = site.session("hello").await;
    let token = site.device(AccessScope::Observe).await;
    let mut socket = site.signed(&token).await;
    assert_eq!(socket.ask("sessions", None, json!({})).await["ok"], true);
    for (command, payload) in [
        ("message", json!({"text": "x"})),
        ("interrupt", json!({})),
        ("stop", json!({})),
        ("title", json!({"title": "x"})),
        ("model", json!({"model": "x"})),
    ] {
        let refused = socket.ask(command, Some(&id), payload).await;
        assert_eq!(refused["problem"]["code"], "forbidden", "{command}");
    }
    socket.say(&json!({"cmd": "shutdown"})).await;
    let refused = socket.next().await.unwrap();
    assert_eq!(refused["problem"]["code"], "unknown_command");
    assert_eq!(*site.world.api.shutdown_requests().borrow(), None);
}

#[tokio::test]
async fn a_client_cannot_call_itself_somebody_else() {
    let (site, id) = Site::at("approval", "waiting").await;
    let mut socket = site.signed(&site.token).await;
    let liar = json!({"type": "hello", "client": {"id": "boss", "name": "Boss"}});
    socket.say(&liar).await;
    socket.next().await.unwrap();
    let open = site.get("/api/v1/approvals").await.expect(200);
    let approval = &open["items"][0]["approval"]["approvalId"];
    let body = json!({"approvalId": approval, "decision": "deny"});
    socket.ask("approve", Some(&id), body).await;
    socket
        .say(&json!({"type": "subscribe", "sessionId": id}))
        .await;
    let frames = socket
        .all_until(|frame| is_event(frame, "approval.resolved"))
        .await;
    let resolved = &frames.last().unwrap()["event"]["payload"];
    assert_eq!(resolved["client"]["id"], "token");
}

#[tokio::test]
async fn a_revoked_device_loses_its_socket_at_once() {
    let site = Site::new().await;
    let token = site.device(AccessScope::Operate).await;
    let mut socket = site.signed(&token).await;
    assert_eq!(socket.ask("sessions", None, json!({})).await["ok"], true);
    let out = site
        .ask("POST", "/api/v1/auth/logout")
        .bearer(&token)
        .send()
        .await;
    assert_eq!(out.status, 204);
    assert_eq!(socket.next().await, Err(Some(1008)));
}

#[tokio::test]
async fn the_end_of_the_daemon_is_told_and_closes() {
    let mut site = Site::new().await;
    let mut socket = site.signed(&site.token).await;
    assert_eq!(socket.ask("sessions", None, json!({})).await["ok"], true);
    site.world.api.say_goodbye(true);
    site.stop().await;
    let goodbye = json!({"type": "goodbye", "agentsKept": true});
    assert_eq!(socket.next().await, Ok(goodbye));
    assert_eq!(socket.next().await, Err(Some(1012)));
}
