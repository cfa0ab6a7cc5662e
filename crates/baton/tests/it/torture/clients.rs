//! One client that cannot stay, and the address it comes back to.

use std::{
    path::{Path, PathBuf},
    sync::atomic::{AtomicBool, Ordering},
    time::Duration,
};

use futures_util::{SinkExt as _, StreamExt as _};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader},
    net::TcpStream,
    time::{Instant, sleep, timeout},
};
use tokio_tungstenite::{
    client_async,
    tungstenite::{Message, client::IntoClientRequest as _},
};

const LIMIT: Duration = Duration::from_secs(120);
const LOOK: Duration = Duration::from_millis(50);

/// Where the daemon is; another one may listen elsewhere.
pub(crate) struct Site {
    data: PathBuf,
}

impl Site {
    pub(crate) fn of(data: &Path) -> Self {
        Self { data: data.into() }
    }

    /// None while no daemon is there.
    fn address(&self) -> Option<String> {
        let facts = std::fs::read(self.data.join("daemon.json")).ok()?;
        let facts: Value = serde_json::from_slice(&facts).ok()?;
        let url = facts["url"].as_str()?.trim_end_matches('/');
        Some(url.strip_prefix("http://")?.to_owned())
    }

    fn token(&self) -> String {
        let token = std::fs::read_to_string(self.data.join("token")).unwrap();
        token.trim().to_owned()
    }

    /// A request of the old kind: its answer ends with the connection, so no
    /// chunks have to be put together.
    async fn request(&self, head: &str, accept: &str, body: &str) -> Option<TcpStream> {
        let address = self.address()?;
        let mut stream = TcpStream::connect(&address).await.ok()?;
        let token = self.token();
        let length = body.len();
        let text = format!(
            "{head} HTTP/1.0\r\nHost: {address}\r\nAuthorization: Bearer {token}\r\n\
             Accept: {accept}\r\nContent-Type: application/json\r\n\
             Content-Length: {length}\r\n\r\n{body}"
        );
        stream.write_all(text.as_bytes()).await.ok()?;
        Some(stream)
    }

    async fn whole(&self, head: &str, body: &str) -> String {
        let stream = self.request(head, "application/json", body).await;
        let mut stream = stream.expect("the daemon is there");
        let mut text = String::new();
        let read = stream.read_to_string(&mut text);
        timeout(LIMIT, read).await.unwrap().unwrap();
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        let status = head.split(' ').nth(1).unwrap();
        assert!(status.starts_with('2'), "{head}\n{body}");
        body.to_owned()
    }

    pub(crate) async fn get(&self, path: &str) -> String {
        self.whole(&format!("GET {path}"), "").await
    }

    pub(crate) async fn post(&self, path: &str, body: &Value) -> Value {
        let answer = self.whole(&format!("POST {path}"), &body.to_string()).await;
        serde_json::from_str(&answer).unwrap()
    }

    /// Waits until nothing runs or waits in a session, and says how long its
    /// log is then.
    pub(crate) async fn until_idle(&self, session: &str) -> u64 {
        let begun = Instant::now();
        loop {
            let text = self.get(&format!("/api/v1/sessions/{session}")).await;
            let facts: Value = serde_json::from_str(&text).unwrap();
            let queued = facts["queuedMessages"].as_array().map_or(0, Vec::len);
            if facts["state"] == "idle" && queued == 0 {
                return facts["eventCount"].as_u64().unwrap();
            }
            assert!(begun.elapsed() < LIMIT, "{session} is never idle: {text}");
            sleep(LOOK).await;
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Transport {
    Events,
    Socket,
}

pub(crate) struct Client {
    pub(crate) number: usize,
    session: String,
    pub(crate) transport: Transport,
    /// The events as they came, the first with number 1.
    pub(crate) seen: Vec<String>,
    /// How often it left or was left.
    pub(crate) breaks: usize,
    /// Its own small randomness, the same in each run.
    dice: u64,
}

impl Client {
    pub(crate) fn new(number: usize, session: String, transport: Transport) -> Self {
        Self {
            number,
            session,
            transport,
            seen: Vec::new(),
            breaks: 0,
            dice: 0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(number as u64 + 1),
        }
    }

    fn roll(&mut self, sides: u64) -> u64 {
        self.dice ^= self.dice << 13;
        self.dice ^= self.dice >> 7;
        self.dice ^= self.dice << 17;
        self.dice % sides
    }

    /// Connects, reads for a while, leaves without a word, and again.
    pub(crate) async fn come_and_go(mut self, site: &Site, over: &AtomicBool) -> Self {
        while !over.load(Ordering::Relaxed) {
            let stay = Duration::from_millis(self.roll(3000));
            timeout(stay, self.follow(site, None)).await.ok();
            self.breaks += 1;
            let away = Duration::from_millis(self.roll(400));
            sleep(away).await;
        }
        self
    }

    /// Stays until it has as many events as there are.
    pub(crate) async fn catch_up(&mut self, site: &Site, length: u64) {
        let all = async {
            while (self.seen.len() as u64) < length {
                self.follow(site, Some(length)).await;
                sleep(LOOK).await;
            }
        };
        timeout(LIMIT, all).await.expect("the rest comes");
    }

    /// Reads until the line breaks, or until there are so many events.
    async fn follow(&mut self, site: &Site, until: Option<u64>) {
        match self.transport {
            Transport::Events => self.follow_events(site, until).await,
            Transport::Socket => self.follow_socket(site, until).await,
        };
    }

    async fn follow_events(&mut self, site: &Site, until: Option<u64>) -> Option<()> {
        let after = self.seen.len();
        let head = format!("GET /api/v1/sessions/{}/events?after={after}", self.session);
        let stream = site.request(&head, "text/event-stream", "").await?;
        let mut lines = BufReader::new(stream).lines();
        let mut is_event = false;
        let status = lines.next_line().await.ok()??;
        // One that ends in good order says so to who comes too late.
        if status.contains(" 503 ") {
            return None;
        }
        assert!(status.contains(" 200 "), "{status}");
        while let Ok(Some(line)) = lines.next_line().await {
            if let Some(kind) = line.strip_prefix("event:") {
                is_event = kind.trim() == "session_event";
            } else if let (true, Some(event)) = (is_event, line.strip_prefix("data:")) {
                self.take(event.trim_start());
                if Some(self.seen.len() as u64) == until {
                    return Some(());
                }
            }
        }
        None
    }

    async fn follow_socket(&mut self, site: &Site, until: Option<u64>) -> Option<()> {
        let address = site.address()?;
        let mut request = format!("ws://{address}/api/v1/ws")
            .into_client_request()
            .unwrap();
        let bearer = format!("Bearer {}", site.token()).parse().unwrap();
        request.headers_mut().insert("authorization", bearer);
        let stream = TcpStream::connect(&address).await.ok()?;
        let (mut socket, _) = client_async(request, stream).await.ok()?;
        let after = self.seen.len();
        let subscribe = json!({"type": "subscribe", "sessionId": self.session, "after": after});
        socket
            .send(Message::text(subscribe.to_string()))
            .await
            .ok()?;
        while let Some(Ok(message)) = socket.next().await {
            let Message::Text(text) = message else {
                continue;
            };
            if let Some(event) = text.strip_prefix(r#"{"type":"event","event":"#) {
                self.take(event.strip_suffix('}').unwrap());
                if Some(self.seen.len() as u64) == until {
                    return Some(());
                }
            }
        }
        None
    }

    fn take(&mut self, event: &str) {
        let envelope: Value = serde_json::from_str(event).unwrap();
        let next = self.seen.len() as u64 + 1;
        assert_eq!(
            envelope["seq"], next,
            "client {} over {:?}: each event comes once, in order",
            self.number, self.transport
        );
        self.seen.push(event.to_owned());
    }
}
