//! A server on a port of its own, and the smallest client there is.

use std::net::SocketAddr;

use baton_protocol::words::AccessScope;
use baton_server::{
    Uploads,
    auth::{LoginSecret, Principal},
    http::{self, Hosts, HttpLimits, HttpOptions},
    tls::Tls,
};
use baton_testkit::LIMIT;
use http_body_util::{BodyExt as _, Full};
use hyper::{
    HeaderMap, Method, Request, Response,
    body::{Bytes, Incoming},
    client::conn::http1,
};
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use tokio::{
    net::{TcpListener, TcpStream},
    task::JoinSet,
    time::timeout,
};
use tokio_util::sync::CancellationToken;

use crate::world::World;

pub(crate) struct Site {
    pub(crate) world: World,
    pub(crate) address: SocketAddr,
    /// The API token, which may do everything.
    pub(crate) token: String,
    pub(crate) cancel: CancellationToken,
    pub(crate) server: JoinSet<()>,
}

impl Site {
    pub(crate) async fn new() -> Self {
        Self::with_pace(0).await
    }

    /// A site with a session that has come to this state.
    pub(crate) async fn at(prompt: &str, state: &str) -> (Self, String) {
        let site = Self::new().await;
        let id = site.session(prompt).await;
        site.until_state(&id, state).await;
        (site, id)
    }

    pub(crate) async fn with_pace(pace: u64) -> Self {
        Self::over(World::with_pace(pace).await, HttpLimits::default(), None).await
    }

    pub(crate) async fn limited(change: impl FnOnce(&mut HttpLimits)) -> Self {
        let mut limits = HttpLimits::default();
        change(&mut limits);
        Self::with_limits(limits).await
    }

    pub(crate) async fn with_limits(limits: HttpLimits) -> Self {
        Self::over(World::new().await, limits, None).await
    }

    pub(crate) async fn over(world: World, limits: HttpLimits, tls: Option<Tls>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let uploads = world.sandbox.data().join("uploads");
        world.api.take_uploads(Uploads::new(uploads));
        world.api.serves_at(format!("http://{address}"));
        let token = std::fs::read_to_string(world.sandbox.data().join("token")).unwrap();
        let options = HttpOptions {
            hosts: Hosts::new(address.port(), tls.is_some(), &[]).unwrap(),
            tls: tls.map(|tls| tls.config),
            limits,
        };
        let cancel = CancellationToken::new();
        let mut server = JoinSet::new();
        server.spawn(http::serve(
            listener,
            world.api.clone(),
            options,
            cancel.clone(),
        ));
        Self {
            world,
            address,
            token: token.trim().to_owned(),
            cancel,
            server,
        }
    }

    /// The token of a device with this scope.
    pub(crate) async fn device(&self, scope: AccessScope) -> String {
        let auth = self.world.api.auth();
        let link = auth.make_link(&Principal::terminal(), scope).await.unwrap();
        let secret = LoginSecret::Link(link.secret);
        let from = [127, 0, 0, 1].into();
        let login = auth.login(from, secret, Some("test".into())).await.unwrap();
        login.token.expose().to_owned()
    }

    pub(crate) fn ask(&self, method: &str, path: &str) -> Ask {
        Ask {
            address: self.address,
            method: method.parse().unwrap(),
            path: path.to_owned(),
            headers: vec![("host".into(), self.address.to_string())],
            body: Bytes::new(),
        }
        .bearer(&self.token)
    }

    pub(crate) async fn get(&self, path: &str) -> Answer {
        self.ask("GET", path).send().await
    }

    pub(crate) async fn post(&self, path: &str, body: Value) -> Answer {
        self.ask("POST", path).json(&body).send().await
    }

    /// A session of the demo agent with a first message.
    /// What is there, told with this status.
    pub(crate) async fn got(&self, status: u16, path: &str) -> Value {
        self.get(path).await.expect(status)
    }

    /// What came of a body, told with this status.
    pub(crate) async fn posted(&self, status: u16, path: &str, body: Value) -> Value {
        self.post(path, body).await.expect(status)
    }

    pub(crate) async fn session(&self, prompt: &str) -> String {
        let mut client = self.world.client("maker");
        self.world.session(&mut client, prompt).await
    }

    /// Waits until the log says so.
    pub(crate) async fn until_state(&self, session: &str, state: &str) {
        self.until_one_of(session, &[state]).await;
    }

    pub(crate) async fn until_one_of(&self, session: &str, states: &[&str]) {
        let waiting = async {
            let mut commits = self.world.supervisor.store().watch_all();
            loop {
                commits.mark_unchanged();
                let row = self.get(&format!("/api/v1/sessions/{session}")).await;
                if states.iter().any(|state| row.json()["state"] == *state) {
                    return;
                }
                commits.changed().await.unwrap();
            }
        };
        timeout(LIMIT, waiting).await.expect("the state comes");
    }

    /// Ends the server and waits until it has.
    pub(crate) async fn stop(&mut self) {
        self.cancel.cancel();
        let ended = self.server.join_next();
        timeout(LIMIT, ended).await.expect("the server ends");
    }
}

/// One request.
#[derive(Clone)]
pub(crate) struct Ask {
    address: SocketAddr,
    method: Method,
    path: String,
    headers: Vec<(String, String)>,
    body: Bytes,
}

impl Ask {
    /// Sets or, with an empty value, removes a header.
    pub(crate) fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.retain(|(known, _)| known != name);
        if !value.is_empty() {
            self.headers.push((name.to_owned(), value.to_owned()));
        }
        self
    }

    pub(crate) fn bearer(self, token: &str) -> Self {
        let value = format!("Bearer {token}");
        self.header("authorization", if token.is_empty() { "" } else { &value })
    }

    pub(crate) fn json(self, body: &Value) -> Self {
        self.body(body.to_string().into_bytes())
            .header("content-type", "application/json")
    }

    pub(crate) fn body(mut self, body: impl Into<Bytes>) -> Self {
        self.body = body.into();
        self
    }

    pub(crate) async fn send(self) -> Answer {
        let mut stream = self.open().await;
        let status = stream.response.status().as_u16();
        let headers = stream.response.headers().clone();
        let body = stream.response.body_mut().collect();
        let body = timeout(LIMIT, body).await.expect("the answer ends");
        Answer {
            status,
            headers,
            body: body.expect("the answer is whole").to_bytes(),
        }
    }

    /// The answer while it still comes.
    pub(crate) async fn open(self) -> Stream {
        let tcp = TcpStream::connect(self.address).await.unwrap();
        let (mut sender, connection) = http1::handshake(TokioIo::new(tcp)).await.unwrap();
        let mut driver = JoinSet::new();
        driver.spawn(async move {
            connection.await.ok();
        });
        let mut request = Request::builder().method(self.method).uri(self.path);
        for (name, value) in self.headers {
            request = request.header(name, value);
        }
        let request = request.body(Full::new(self.body)).unwrap();
        let response = timeout(LIMIT, sender.send_request(request)).await;
        let response = response.expect("an answer comes").expect("an answer");
        Stream {
            response,
            bytes: Vec::new(),
            _driver: driver,
        }
    }
}

pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

impl Answer {
    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body)
            .unwrap_or_else(|_| panic!("no JSON: {}", String::from_utf8_lossy(&self.body)))
    }

    pub(crate) fn header(&self, name: &str) -> &str {
        let value = self.headers.get(name);
        value.map_or("", |value| value.to_str().unwrap())
    }

    /// The status and the code of a problem, looked at as a whole.
    #[track_caller]
    pub(crate) fn problem(&self) -> (u16, String) {
        let problem = self.json();
        assert_eq!(self.header("content-type"), "application/problem+json");
        assert_eq!(problem["status"], self.status, "{problem}");
        let code = problem["code"].as_str().unwrap();
        assert_eq!(problem["type"], format!("urn:baton:problem:{code}"));
        assert!(problem["title"].is_string() && problem["detail"].is_string());
        (self.status, code.to_owned())
    }

    #[track_caller]
    pub(crate) fn expect(&self, status: u16) -> Value {
        let text = String::from_utf8_lossy(&self.body);
        assert_eq!(self.status, status, "{text}");
        if self.body.is_empty() {
            return json!(null);
        }
        self.json()
    }
}

/// An answer that goes on.
pub(crate) struct Stream {
    pub(crate) response: Response<Incoming>,
    /// What came and is no whole event yet: a frame may end within a character.
    bytes: Vec<u8>,
    _driver: JoinSet<()>,
}

impl Stream {
    /// The next event of a stream: its fields. None at the end.
    pub(crate) async fn event(&mut self) -> Option<SseEvent> {
        loop {
            let end = self.bytes.windows(2).position(|pair| pair == b"\n\n");
            if let Some(end) = end {
                let block: Vec<u8> = self.bytes.drain(..end + 2).collect();
                let event = SseEvent::parse(std::str::from_utf8(&block).unwrap());
                if event.kind.is_empty() {
                    continue;
                }
                return Some(event);
            }
            let frame = timeout(LIMIT, self.response.body_mut().frame()).await;
            let frame = frame.expect("something comes in time")?;
            let data = frame.ok()?.into_data().unwrap_or_default();
            self.bytes.extend_from_slice(&data);
        }
    }
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SseEvent {
    pub(crate) kind: String,
    pub(crate) id: Option<u64>,
    pub(crate) data: String,
}

impl SseEvent {
    fn parse(block: &str) -> Self {
        let field = |name: &str| {
            let mut lines = block.lines();
            lines.find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
        };
        Self {
            kind: field("event").unwrap_or("").to_owned(),
            id: field("id").map(|id| id.parse().unwrap()),
            data: field("data").unwrap_or("").to_owned(),
        }
    }
}
