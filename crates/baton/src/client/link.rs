//! A session, followed over a connection that heals itself.
//!
//! When the daemon is killed, a new one is started, and the session goes on
//! from the last event that was seen: none is lost and none comes twice.
//! Commands without a reply are sent again; they are made so that twice is
//! once.

use std::{collections::BTreeMap, time::Duration};

use baton_protocol::{
    Envelope, LiveFrame, Seq, SessionId,
    api::{Command, Problem, ServerFrame},
    words::Json,
};
use tokio::time::{Instant, sleep};

use super::{Client, Lost};
use crate::{failure::Failure, setup::Setup};

/// How long another daemon is waited for after one that let its agents go on.
const SUCCESSOR: Duration = Duration::from_secs(10);
const PAUSE: Duration = Duration::from_millis(50);

pub(crate) struct SessionLink {
    setup: Setup,
    name: &'static str,
    client: Client,
    session: SessionId,
    /// The last event that was seen.
    seen: Seq,
    unanswered: BTreeMap<String, Command>,
    goodbye: Option<bool>,
}

/// Something to react to.
pub(crate) enum News {
    Event {
        text: Json,
        envelope: Box<Envelope>,
    },
    Live {
        text: Json,
        frame: Option<Box<LiveFrame>>,
    },
    CaughtUp,
    Reply {
        command: Box<Command>,
        result: Result<Json, Problem>,
    },
    /// The session cannot be followed any more.
    Over(Problem),
    /// The daemon is gone; [`SessionLink::reconnect`] goes on.
    Lost,
}

impl SessionLink {
    pub(crate) async fn open(
        setup: &Setup,
        name: &'static str,
        client: Client,
        session: SessionId,
        after: Seq,
    ) -> Result<Self, Failure> {
        let mut link = Self {
            setup: setup.clone(),
            name,
            client,
            session,
            seen: after,
            unanswered: BTreeMap::new(),
            goodbye: None,
        };
        if link.client.subscribe(session, after).await.is_err() {
            link.reconnect().await?;
        }
        Ok(link)
    }

    pub(crate) const fn session(&self) -> SessionId {
        self.session
    }

    /// Sends a command to the session; its reply comes as news.
    pub(crate) async fn command(&mut self, command: Command) {
        match self.client.command(Some(self.session), &command).await {
            Ok(id) => drop(self.unanswered.insert(id, command)),
            // Said again once there is a daemon.
            Err(Lost) => {
                let id = format!("lost-{}", self.unanswered.len());
                self.unanswered.insert(id, command);
            }
        }
    }

    /// The next news. Cancel-safe.
    pub(crate) async fn next(&mut self) -> Result<News, Failure> {
        loop {
            let Ok(frame) = self.client.next().await else {
                return Ok(News::Lost);
            };
            match frame {
                ServerFrame::Event { event } => {
                    let envelope: Envelope = super::read(&event)?;
                    if envelope.session_id == self.session && envelope.seq > self.seen {
                        self.seen = envelope.seq;
                        return Ok(News::Event {
                            text: event,
                            envelope: Box::new(envelope),
                        });
                    }
                }
                ServerFrame::Live { frame } => {
                    return Ok(News::Live {
                        frame: frame.parse().map(Box::new),
                        text: frame,
                    });
                }
                ServerFrame::CaughtUp { .. } => return Ok(News::CaughtUp),
                ServerFrame::Reply {
                    id: Some(id),
                    result,
                    problem,
                    ..
                } => {
                    if let Some(command) = self.unanswered.remove(&id) {
                        return Ok(News::Reply {
                            command: Box::new(command),
                            result: match problem {
                                Some(problem) => Err(problem),
                                None => Ok(result.unwrap_or_else(Json::null)),
                            },
                        });
                    }
                }
                // Not asked for by a command: the subscription was refused.
                ServerFrame::Reply {
                    problem: Some(problem),
                    ..
                }
                | ServerFrame::Unsubscribed {
                    problem: Some(problem),
                    ..
                } => return Ok(News::Over(problem)),
                ServerFrame::Goodbye { agents_kept } => self.goodbye = Some(agents_kept),
                ServerFrame::Welcome { .. }
                | ServerFrame::Reply { .. }
                | ServerFrame::Unsubscribed { .. }
                | ServerFrame::Sessions { .. }
                | ServerFrame::Pong
                | ServerFrame::Daemon(_) => {}
            }
        }
    }

    /// Finds a daemon again and goes on. One that was stopped on purpose is
    /// not started again behind the back of whoever stopped it.
    pub(crate) async fn reconnect(&mut self) -> Result<(), Failure> {
        loop {
            self.client = match self.goodbye.take() {
                None => Client::connect(&self.setup, self.name).await?,
                Some(agents_kept) => self.successor(agents_kept).await?,
            };
            if self.resume().await.is_ok() {
                return Ok(());
            }
        }
    }

    async fn successor(&self, agents_kept: bool) -> Result<Client, Failure> {
        let until = Instant::now() + SUCCESSOR;
        while agents_kept && Instant::now() < until {
            if let Some(client) = Client::existing(&self.setup, self.name).await? {
                return Ok(client);
            }
            sleep(PAUSE).await;
        }
        let (what, remedy) = if agents_kept {
            (
                "the daemon was ended, and no other has come",
                "Its agent goes on; this starts a daemon and shows it:",
            )
        } else {
            ("the daemon was stopped", "This starts it again:")
        };
        Err(Failure::new(
            what,
            format!("{remedy} {} watch {}", self.setup.called, self.session),
        ))
    }

    async fn resume(&mut self) -> Result<(), Lost> {
        self.client.subscribe(self.session, self.seen).await?;
        for command in std::mem::take(&mut self.unanswered).into_values() {
            self.command(command).await;
        }
        Ok(())
    }
}
