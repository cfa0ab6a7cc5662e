//! The reference: the least that could stand between an agent and a browser.

use std::{
    convert::Infallible,
    io::{Read as _, Write as _},
    process::{Child, Stdio},
    sync::Arc,
};

use axum::{
    Router,
    body::{Body, Bytes},
    extract::{
        State,
        ws::{Message, Utf8Bytes, WebSocket, WebSocketUpgrade},
    },
    http::header,
    response::{IntoResponse, Response},
    routing::{get, post},
};
use baton_testkit::{Sandbox, bin};
use futures_util::stream;
use serde::Deserialize;
use serde_json::json;
use tokio::{
    io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader},
    net::{TcpListener, TcpStream},
    process::ChildStdin,
    sync::{broadcast, mpsc},
};

use crate::reader::{Reader, Transport};

/// A running relay with its agent.
pub(crate) struct Relay {
    child: Child,
    address: String,
    _sandbox: Sandbox,
}

impl Relay {
    pub(crate) fn start() -> Self {
        let sandbox = Sandbox::new();
        let mut command = sandbox.command(std::env::current_exe().unwrap());
        command.arg("relay").arg(bin("fake-claude"));
        let mut child = command.stderr(Stdio::null()).spawn().unwrap();
        let mut address = [0; 32];
        let length = child.stdout.as_mut().unwrap().read(&mut address).unwrap();
        Self {
            child,
            address: String::from_utf8_lossy(&address[..length])
                .trim()
                .to_owned(),
            _sandbox: sandbox,
        }
    }

    pub(crate) fn follow(&self, transport: Transport) -> Reader {
        let path = match transport {
            Transport::WebSocket => "/ws",
            Transport::Sse => "/events",
        };
        Reader::open(&self.address, path, "", transport)
    }

    pub(crate) fn message(&self, text: &str) {
        crate::daemon::post(&self.address, "/say", "", text);
    }
}

impl Drop for Relay {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

/// The process in the holder's place: reads and writes, nothing else.
pub(crate) fn bare() {
    let (mut input, mut output) = (std::io::stdin().lock(), std::io::stdout().lock());
    let mut buffer = vec![0; 65_536];
    while let Ok(count @ 1..) = input.read(&mut buffer) {
        let written = output.write_all(&buffer[..count]);
        if written.and_then(|()| output.flush()).is_err() {
            break;
        }
    }
}

struct Shared {
    lines: broadcast::Sender<Utf8Bytes>,
    /// Lines for the agent. When full, who asks waits.
    said: mpsc::Sender<String>,
}

/// All that is read of a line.
#[derive(Deserialize)]
struct Line<'a> {
    r#type: &'a str,
}

/// The process with axum: each line is looked at, and goes to everyone as it is.
pub(crate) fn serve(agent: &str) {
    let runtime = tokio::runtime::Builder::new_multi_thread();
    let runtime = { runtime }.enable_all().build().unwrap();
    runtime.block_on(async {
        let (mut agent, output) = begin(agent);
        let (said, mut heard) = mpsc::channel::<String>(16);
        let (lines, _) = broadcast::channel(1 << 16);
        let shared = Arc::new(Shared {
            lines: lines.clone(),
            said,
        });
        let router = Router::new()
            .route("/ws", get(upgrade))
            .route("/events", get(events))
            .route("/say", post(say))
            .with_state(shared);
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let listener = axum::serve::ListenerExt::tap_io(listener, |stream: &mut TcpStream| {
            stream.set_nodelay(true).unwrap();
        });
        println!("{}", axum::serve::Listener::local_addr(&listener).unwrap());
        let reading = async {
            let mut output = BufReader::new(output).lines();
            while let Ok(Some(line)) = output.next_line().await {
                let known = serde_json::from_str::<Line<'_>>(&line);
                if known.is_ok_and(|line| !line.r#type.is_empty()) {
                    lines.send(line.into()).ok();
                }
            }
        };
        // Whoever started this holds the other end, and may be killed.
        let left = async {
            let mut nothing = String::new();
            tokio::io::stdin().read_to_string(&mut nothing).await.ok();
        };
        let writing = async {
            while let Some(line) = heard.recv().await {
                agent.write_all(line.as_bytes()).await.unwrap();
            }
        };
        tokio::select! {
            () = reading => {}
            () = writing => {}
            () = left => {}
            served = async { axum::serve(listener, router).await } => served.unwrap(),
        }
    });
    runtime.shutdown_background();
}

/// Agent, then the bare relay, then here.
fn begin(agent: &str) -> (ChildStdin, tokio::process::ChildStdout) {
    let mut command = tokio::process::Command::new(agent);
    command.args(["--output-format", "stream-json", "--verbose"]);
    command.args(["--input-format", "stream-json"]);
    command.arg("--include-partial-messages");
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut agent = command.spawn().unwrap();
    let output: Stdio = agent.stdout.take().unwrap().try_into().unwrap();
    let mut bare = tokio::process::Command::new(std::env::current_exe().unwrap());
    bare.arg("bare").stdin(output).stdout(Stdio::piped());
    let mut bare = bare.spawn().unwrap();
    (agent.stdin.take().unwrap(), bare.stdout.take().unwrap())
}

async fn say(State(shared): State<Arc<Shared>>, text: String) {
    let message = json!({
        "type": "user",
        "message": {"role": "user", "content": text},
        "uuid": uuid::Uuid::new_v4(),
    });
    shared.said.send(format!("{message}\n")).await.unwrap();
}

async fn upgrade(State(shared): State<Arc<Shared>>, upgrade: WebSocketUpgrade) -> Response {
    let lines = shared.lines.subscribe();
    upgrade.on_upgrade(|socket| pass_on(socket, lines))
}

async fn pass_on(mut socket: WebSocket, mut lines: broadcast::Receiver<Utf8Bytes>) {
    while let Ok(line) = lines.recv().await {
        if socket.send(Message::Text(line)).await.is_err() {
            return;
        }
    }
}

async fn events(State(shared): State<Arc<Shared>>) -> Response {
    let lines = stream::unfold(shared.lines.subscribe(), |mut lines| async {
        let line = lines.recv().await.ok()?;
        let event = format!("event: line\ndata: {line}\n\n");
        Some((Ok::<_, Infallible>(Bytes::from(event)), lines))
    });
    let kind = (header::CONTENT_TYPE, "text/event-stream");
    ([kind], Body::from_stream(lines)).into_response()
}
