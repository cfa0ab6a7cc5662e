//! This program as a client of the daemon: connected, started if need be.

mod find;
mod link;

pub(crate) use find::{begins_with, find_approval, find_session, one_session, open_at};
pub(crate) use link::{News, SessionLink};

use std::{ops::Deref, time::Duration};

use baton_protocol::{
    Seq, SessionId,
    api::{Ask, ClientFrame, Command, ServerFrame, Tell, read_daemon_answer},
    words::{ClientRef, Json},
};
use serde::de::DeserializeOwned;
use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader},
    net::unix::{OwnedReadHalf, OwnedWriteHalf},
    time::{Instant, sleep},
};

use crate::{
    daemon::{self, Start, VERSION},
    failure::Failure,
    setup::Setup,
    terminal::{Screen, clean},
};

/// A daemon that begins or ends is waited for so long.
const PATIENCE: Duration = Duration::from_secs(60);

/// Between two looks whether it is there.
const PAUSE: Duration = Duration::from_millis(20);

/// What to do about what the daemon refuses.
pub(crate) const CHECK: &str = "`baton config show` says what is set, and where.";

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
        self.send(&ClientFrame::Hello {
            client: Some(client),
            token: None,
        })
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
        self.send(&ClientFrame::Subscribe {
            id: None,
            session: Some(session),
            after,
        })
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
        self.send(&ClientFrame::Command {
            id: id.clone(),
            command: command.name().to_owned(),
            session,
            payload: Some(command.payload()),
        })
        .await?;
        Ok(id)
    }

    /// Sends a command and waits for its reply. Only for a connection that
    /// follows nothing: other frames are dropped.
    pub(crate) async fn ask<C: Ask>(
        &mut self,
        session: Option<SessionId>,
        body: C::Body,
    ) -> Result<Told<C::Answer>, Failure> {
        let command = C::command(body);
        let sent = self.command(session, &command).await.map_err(gone)?;
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
                    None => Told::read(result.unwrap_or_else(Json::null)),
                };
            }
        }
    }

    /// Sends one of the daemon's own messages and waits for the answer; a
    /// refusal is a failure.
    pub(crate) async fn tell<M>(&mut self, message: M) -> Result<Told<M::Answer>, Failure>
    where
        M: Tell<Answer: DeserializeOwned>,
    {
        let frame = ClientFrame::Daemon(message.into());
        self.send(&frame).await.map_err(gone)?;
        let text = loop {
            if let ServerFrame::Daemon(answer) = self.next().await.map_err(gone)? {
                break answer;
            }
        };
        match read_daemon_answer(&text).map_err(|error| unreadable(&error))? {
            Ok(answer) => Ok(Told { text, answer }),
            Err(error) => Err(Failure::new(clean(&error, 500), CHECK)),
        }
    }

    /// Waits until the daemon has closed the connection.
    pub(crate) async fn until_closed(&mut self) {
        while self.next().await.is_ok() {}
    }

    async fn send(&mut self, frame: &ClientFrame) -> Result<(), Lost> {
        let mut line = serde_json::to_vec(frame).map_err(|_| Lost)?;
        line.push(b'\n');
        self.write.write_all(&line).await.map_err(|_| Lost)
    }
}

/// The daemon ended in the middle of something short.
pub(crate) fn gone(_: Lost) -> Failure {
    Failure::new(
        "the daemon ended before it answered",
        "Run the command again: it starts a new one, and nothing that was stored is lost.",
    )
}

/// An answer, and its text as it came.
pub(crate) struct Told<T> {
    text: Json,
    pub(crate) answer: T,
}

impl<T: DeserializeOwned> Told<T> {
    pub(crate) fn read(text: Json) -> Result<Self, Failure> {
        let answer = read(&text)?;
        Ok(Self { text, answer })
    }
}

impl<T> Told<T> {
    pub(crate) fn text(&self) -> &str {
        self.text.text()
    }
}

impl<T> Deref for Told<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.answer
    }
}

fn read<T: DeserializeOwned>(answer: &Json) -> Result<T, Failure> {
    serde_json::from_str(answer.text()).map_err(|error| unreadable(&error))
}

/// An answer that has another form is of another version.
fn unreadable(error: &serde_json::Error) -> Failure {
    Failure::new(
        format!("the daemon's answer cannot be read: {error}"),
        "It may be of another version: run `baton restart`.",
    )
}

/// What this process is called where its answers are recorded.
pub(crate) fn own_id() -> String {
    format!("cli-{}", std::process::id())
}
