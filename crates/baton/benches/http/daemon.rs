//! A daemon of its own, and requests to it.

use std::{
    io::{Read as _, Write as _},
    net::TcpStream,
    process::{Child, Stdio},
    time::Duration,
};

use baton_testkit::{Sandbox, bin};
use serde_json::{Value, json};

use crate::reader::{Reader, Transport};

pub(crate) struct Daemon {
    sandbox: Sandbox,
    child: Child,
    pub(crate) address: String,
    token: String,
}

impl Daemon {
    pub(crate) fn start() -> Self {
        let fake = bin("fake-claude").display().to_string();
        Self::start_in(Sandbox::new().with_env("BATON_AGENT_CLAUDE_PATH", fake))
    }

    pub(crate) fn start_in(sandbox: Sandbox) -> Self {
        let data = sandbox.data();
        let child = serve(&sandbox);
        let facts = loop {
            let facts = std::fs::read(data.join("daemon.json")).unwrap_or_default();
            match serde_json::from_slice::<Value>(&facts) {
                Ok(facts) => break facts,
                Err(_) => std::thread::sleep(Duration::from_millis(2)),
            }
        };
        let url = facts["url"].as_str().unwrap();
        let token = std::fs::read_to_string(data.join("token")).unwrap();
        Self {
            sandbox,
            child,
            address: url.strip_prefix("http://").unwrap().to_owned(),
            token: token.trim().to_owned(),
        }
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    fn bearer(&self) -> String {
        format!("Authorization: Bearer {}\r\n", self.token)
    }

    /// Lists the project.
    pub(crate) fn project(&self) -> String {
        let project = json!({"path": self.sandbox.project()});
        let project = self.post("/api/v1/projects", &project);
        project["slug"].as_str().unwrap().to_owned()
    }

    /// A client that has asked for nothing yet.
    pub(crate) fn page(&self) -> Reader {
        Reader::open(
            &self.address,
            "/api/v1/ws",
            &self.bearer(),
            Transport::WebSocket,
        )
    }

    /// Makes a session and waits until its first turn is over.
    pub(crate) fn session(&self) -> String {
        let slug = self.project();
        let made = json!({"agent": "claude", "prompt": "say Good day."});
        let made = self.post(&format!("/api/v1/projects/{slug}/sessions"), &made);
        let session = made["id"].as_str().unwrap().to_owned();
        let mut reader = self.follow(&session, Transport::WebSocket);
        while !crate::reader::is_event(reader.next(), r#""type":"turn.completed""#) {}
        session
    }

    pub(crate) fn message(&self, session: &str, text: &str) {
        let path = format!("/api/v1/sessions/{session}/messages");
        self.post(&path, &json!({"text": text}));
    }

    /// A client that has asked for everything of a session.
    pub(crate) fn follow(&self, session: &str, transport: Transport) -> Reader {
        let bearer = self.bearer();
        match transport {
            Transport::WebSocket => {
                let mut reader = Reader::open(&self.address, "/api/v1/ws", &bearer, transport);
                let frame = json!({"type": "subscribe", "sessionId": session, "after": 0});
                reader.say(&frame.to_string());
                reader
            }
            Transport::Sse => {
                let path = format!("/api/v1/sessions/{session}/events?after=0");
                Reader::open(&self.address, &path, &bearer, transport)
            }
        }
    }

    /// The same, and the last turn there was has been read.
    pub(crate) fn follow_after(&self, session: &str, transport: Transport, turns: usize) -> Reader {
        let mut reader = self.follow(session, transport);
        let mut seen = 0;
        while seen < turns {
            let over = crate::reader::is_event(reader.next(), r#""type":"turn.completed""#);
            seen += usize::from(over);
        }
        reader
    }

    pub(crate) fn post(&self, path: &str, body: &Value) -> Value {
        let answer = post(&self.address, path, &self.bearer(), &body.to_string());
        serde_json::from_str(&answer).unwrap_or_default()
    }
}

/// One request; its answer ends with the connection.
pub(crate) fn post(address: &str, path: &str, head: &str, body: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    let length = body.len();
    let request = format!(
        "POST {path} HTTP/1.0\r\nHost: {address}\r\n{head}Content-Type: application/json\r\n\
         Content-Length: {length}\r\n\r\n{body}"
    );
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    assert!(head.contains(" 20"), "{path}: {answer}");
    body.to_owned()
}

/// Begins a daemon.
pub(crate) fn serve(sandbox: &Sandbox) -> Child {
    let data = sandbox.data().display().to_string();
    let mut command = sandbox.command(bin("baton"));
    command.args(["--data-dir", &data, "serve"]);
    command.stdin(Stdio::null()).stdout(Stdio::null());
    command.stderr(Stdio::null()).spawn().unwrap()
}

impl Drop for Daemon {
    fn drop(&mut self) {
        // Killed, not asked: what is measured is over, and the sandbox ends the rest.
        self.child.kill().ok();
        self.child.wait().ok();
    }
}
