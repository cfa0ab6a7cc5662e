//! This program as a client of the daemon: connected, started if need be.

mod find;
mod link;

pub(crate) use find::{begins_with, find_approval, find_session, one_session};
pub(crate) use link::{Link, News};

use std::time::Duration;

use baton_protocol::{
    Seq, SessionId,
    api::{Command, ServerFrame},
    words::{ClientRef, Json},
};
use serde_json::json;
use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader},
    net::unix::{OwnedReadHalf, OwnedWriteHalf},
    time::{Instant, sleep},
};

use crate::{
    daemon::{self, Start, VERSION},
    failure::Failure,
    setup::Setup,
    terminal::Screen,
};

/// A daemon that begins or ends is waited for so long.
const PATIENCE: Duration = Duration::from_secs(60);

/// Between two looks whether it is there.
const PAUSE: Duration = Duration::from_millis(20);

/// The connection is gone: the daemon ended, or was killed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Lost;

/// A connection to the daemon.
pub(crate) struct Client {
    read: BufReader<OwnedReadHalf>,
    write: OwnedWriteHalf,
    /// The line so far, kept when a read is given up halfway.
    line: Vec<u8>,
    number: u64,
    pub(crate) pid: u32,
    version: String,
}

impl Client {
    /// Connects as `name`, and starts the daemon first if there is none.
    pub(crate) async fn connect(setup: &Setup, name: &str) -> Result<Self, Failure> {
        let until = Instant::now() + PATIENCE;
        let mut owner = None;
        while Instant::now() < until {
            if let Some(client) = Self::existing(setup, name).await? {
                client.compare_versions()?;
                return Ok(client);
            }
            match daemon::start(setup).await? {
                Start::Ready => {}
                Start::Owned { by } => {
                    owner = by;
                    // Somebody else was faster, or is about to end.
                    for _ in 0..10 {
                        sleep(PAUSE).await;
                        if let Some(client) = Self::existing(setup, name).await? {
                            client.compare_versions()?;
                            return Ok(client);
                        }
                    }
                }
            }
        }
        let who = owner.map_or_else(String::new, |pid| format!(" (process {pid})"));
        Err(Failure::new(
            format!("another baton{who} owns the data folder and does not answer"),
            "Wait until it has ended, or end it; or use another folder with --data-dir.",
        ))
    }

    /// Connects to a daemon that runs; none if there is none.
    pub(crate) async fn existing(setup: &Setup, name: &str) -> Result<Option<Self>, Failure> {
        let stream = daemon::connect(&setup.data).await.map_err(|error| {
            Failure::new(
                format!("the daemon cannot be reached: {error}"),
                "Check the permissions of the data folder, or choose another with --data-dir.",
            )
        })?;
        let Some(stream) = stream else {
            return Ok(None);
        };
        let (read, write) = stream.into_split();
        let mut client = Self {
            read: BufReader::new(read),
            write,
            line: Vec::new(),
            number: 0,
            pid: 0,
            version: String::new(),
        };
        let who = ClientRef {
            id: own_id(),
            name: name.to_owned(),
        };
        if client.hello(who).await.is_err() {
            // It ended while we came in.
            return Ok(None);
        }
        if client.version.is_empty() {
            return Err(Failure::new(
                "the daemon does not let this program in",
                "Too many programs may be connected to it: end some, or restart it.",
            ));
        }
        Ok(Some(client))
    }

    async fn hello(&mut self, client: ClientRef) -> Result<(), Lost> {
        self.send(&json!({"type": "hello", "client": client}))
            .await?;
        if let ServerFrame::Welcome { version, pid } = self.next().await? {
            self.version = version;
            self.pid = pid;
        }
        Ok(())
    }

    fn compare_versions(&self) -> Result<(), Failure> {
        if self.version == VERSION {
            return Ok(());
        }
        Screen::stderr(false).line(&format!(
            "the daemon is version {}, this program {VERSION}: `baton restart` brings them together",
            self.version
        ))
    }

    /// The next frame. Cancel-safe.
    pub(crate) async fn next(&mut self) -> Result<ServerFrame, Lost> {
        loop {
            // What a cancelled read took in is kept in `line`.
            let read = self.read.read_until(b'\n', &mut self.line).await;
            if read.is_err() || self.line.last() != Some(&b'\n') {
                return Err(Lost);
            }
            let frame = ServerFrame::parse(&self.line);
            self.line.clear();
            // What a newer daemon adds is none of our business.
            if let Ok(Some(frame)) = frame {
                return Ok(frame);
            }
        }
    }

    pub(crate) async fn subscribe(&mut self, session: SessionId, after: Seq) -> Result<(), Lost> {
        self.send(&json!({"type": "subscribe", "sessionId": session, "after": after}))
            .await
    }

    /// Sends a command; its reply comes as a frame with the id returned.
    pub(crate) async fn command(
        &mut self,
        session: Option<SessionId>,
        command: &Command,
    ) -> Result<String, Lost> {
        self.number += 1;
        let id = self.number.to_string();
        self.send(&json!({
            "type": "command", "id": id, "command": command.name(),
            "sessionId": session, "payload": command.payload(),
        }))
        .await?;
        Ok(id)
    }

    /// Sends a command and waits for its reply. Only for a connection that
    /// follows nothing: other frames are dropped.
    pub(crate) async fn ask(
        &mut self,
        session: Option<SessionId>,
        command: &Command,
    ) -> Result<Json, Failure> {
        let sent = self.command(session, command).await.map_err(gone)?;
        loop {
            if let ServerFrame::Reply {
                id,
                result,
                problem,
                ..
            } = self.next().await.map_err(gone)?
                && id.as_ref() == Some(&sent)
            {
                return match problem {
                    Some(problem) => Err(problem.into()),
                    None => Ok(result.unwrap_or_else(Json::null)),
                };
            }
        }
    }

    /// Sends one of the daemon's own messages and waits for the answer.
    pub(crate) async fn ask_daemon(
        &mut self,
        message: &serde_json::Value,
    ) -> Result<Json, Failure> {
        self.send(message).await.map_err(gone)?;
        loop {
            if let ServerFrame::Daemon(answer) = self.next().await.map_err(gone)? {
                return Ok(answer);
            }
        }
    }

    /// Waits until the daemon has closed the connection.
    pub(crate) async fn until_closed(&mut self) {
        while self.next().await.is_ok() {}
    }

    async fn send(&mut self, message: &serde_json::Value) -> Result<(), Lost> {
        let line = format!("{message}\n");
        self.write
            .write_all(line.as_bytes())
            .await
            .map_err(|_| Lost)
    }
}

/// The daemon ended in the middle of something short.
pub(crate) fn gone(_: Lost) -> Failure {
    Failure::new(
        "the daemon ended before it answered",
        "Run the command again: it starts a new one, and nothing that was stored is lost.",
    )
}

/// Reads an answer; one that has another form is of another version.
pub(crate) fn read<T: serde::de::DeserializeOwned>(answer: &Json) -> Result<T, Failure> {
    serde_json::from_str(answer.text()).map_err(|error| {
        Failure::new(
            format!("the daemon's answer cannot be read: {error}"),
            "It may be of another version: run `baton restart`.",
        )
    })
}

/// What this process is called where its answers are recorded.
pub(crate) fn own_id() -> String {
    format!("cli-{}", std::process::id())
}
