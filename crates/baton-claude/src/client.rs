//! A running CLI: start it, talk to it, hear from it, end it.
//!
//! [`Claude`] owns the process and its tasks and yields what the CLI says;
//! [`Client`] is a handle for saying things, to be cloned at will; a
//! [`Handler`] answers what the CLI asks. This module knows pipes and time,
//! everything it decides is decided by the codec and by [`Peer`].

mod driver;
mod handler;
mod requests;
mod transport;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use baton_process::{Child, ExitReport, SpawnError, Spec, StopPlan};
use tokio::sync::{mpsc, oneshot, watch};
use tokio::task::JoinSet;
use uuid::Uuid;

use crate::codec::DecodeError;
use crate::control::{Initialize, InitializeAnswer, Request};
use crate::message::Message;
use crate::options::Options;
use crate::outgoing::UserMessage;
use crate::peer::{Peer, RequestError};
use crate::version::Capabilities;
use driver::{Command, Driver, watch_process, write};
pub use handler::Handler;
pub use transport::{Input, Output, Process, Transport};

/// Commands that wait for the driver. When it is full, callers wait.
const COMMANDS: usize = 64;

/// Lines that wait for the writer. When it is full, commands wait.
const LINES: usize = 16;

/// Events that wait for their reader. When it is full, the CLI's stdout is no
/// longer read and the CLI waits; answers to requests are behind them.
const EVENTS: usize = 1024;

/// How long things may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// From the start to the answer to `initialize`.
    pub initialize: Duration,
    /// From a request to its answer.
    pub request: Duration,
    /// From the wish to end to the end.
    pub stop: StopPlan,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            initialize: Duration::from_secs(60),
            request: Duration::from_secs(60),
            stop: StopPlan::default(),
        }
    }
}

/// What comes from a running CLI.
#[derive(Debug)]
pub enum Event {
    /// It says something. Requests and answers are not among it.
    Message(Message<'static>),
    /// It wrote a line that is not a JSON object.
    Unreadable(DecodeError),
    /// It wrote a line too long to keep.
    TooLong {
        /// The line's length.
        bytes: u64,
        /// How it began.
        head: String,
    },
    /// It ended in the middle of a line.
    Cut {
        /// How the line began.
        head: String,
    },
    /// It ended. Nothing comes after this.
    Ended(Ended),
}

/// How a CLI ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ended {
    /// Exit code or signal, and what outlived it. The code is 1 also when all
    /// is well but the last turn failed.
    pub report: ExitReport,
    /// The newest of what it wrote to stderr.
    pub stderr_tail: String,
}

/// Why a CLI could not be started.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The program could not be run.
    #[error("the CLI could not be started")]
    Spawn(#[from] SpawnError),
    /// It ended at once: a bad option, an unknown session, a missing login.
    #[error("the CLI ended at once: {}", .ended.stderr_tail.trim())]
    Ended {
        /// How, and what it said.
        ended: Ended,
    },
    /// It runs but does not answer as it should. It has been ended.
    #[error("the CLI did not get ready")]
    NotReady {
        /// What went wrong.
        #[source]
        source: RequestError,
    },
}

/// A message was not sent, because the CLI takes no more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the CLI takes no more messages")]
pub struct SendError;

/// A running CLI. Dropping it kills the process; [`Claude::close`] ends it well.
#[derive(Debug)]
pub struct Claude {
    client: Client,
    events: mpsc::Receiver<Event>,
    ready: InitializeAnswer,
    stop: StopPlan,
    /// Driver, writer and process watcher.
    tasks: JoinSet<()>,
}

impl Claude {
    /// Starts a CLI, introduces the host and waits until the CLI is ready.
    ///
    /// # Errors
    /// Fails when the program cannot be run, ends at once, or does not answer.
    pub async fn start<H: Handler>(
        options: &Options,
        mut initialize: Initialize,
        handler: H,
        limits: Limits,
    ) -> Result<Self, StartError> {
        for name in &options.sdk_mcp_servers {
            if !initialize.sdk_mcp_servers.contains(name) {
                initialize.sdk_mcp_servers.push(name.clone());
            }
        }
        let child = Child::spawn(&Spec::from(options))?;
        Self::over(child, initialize, handler, limits).await
    }

    /// As [`Claude::start`], with a CLI that runs already but has not been
    /// spoken to.
    ///
    /// # Errors
    /// Fails when the CLI ends at once or does not answer.
    pub async fn over<T: Transport, H: Handler>(
        transport: T,
        initialize: Initialize,
        handler: H,
        limits: Limits,
    ) -> Result<Self, StartError> {
        let mut claude = Self::drive(transport, handler, limits);
        match claude
            .client
            .request_within(initialize, limits.initialize)
            .await
        {
            Ok(answer) => {
                let known = &claude.client.capabilities;
                known.send_modify(|known| known.learn_from_initialize(&answer));
                claude.ready = answer;
                Ok(claude)
            }
            Err(source) => {
                let ended = claude.close().await;
                match (source, ended) {
                    (RequestError::Gone { .. }, Some(ended)) => Err(StartError::Ended { ended }),
                    (source, _) => Err(StartError::NotReady { source }),
                }
            }
        }
    }

    fn drive<T: Transport, H: Handler>(transport: T, handler: H, limits: Limits) -> Self {
        let (output, input, process) = transport.split();
        let (command_sender, commands) = mpsc::channel(COMMANDS);
        let (event_sender, events) = mpsc::channel(EVENTS);
        let (line_sender, lines) = mpsc::channel(LINES);
        let (closing_sender, closing) = watch::channel(None);
        let (stop_sender, stop) = oneshot::channel();
        let (ended_sender, ended) = oneshot::channel();
        let capabilities = watch::Sender::new(Capabilities::default());
        let driver = Driver {
            output,
            lines: Some(line_sender),
            commands,
            closing,
            events: event_sender,
            capabilities: capabilities.clone(),
            handler: Arc::new(handler),
            stop: Some(stop_sender),
            ended,
            plan: limits.stop,
            peer: Peer::default(),
            serving: JoinSet::new(),
            served: BTreeMap::new(),
            aborts: BTreeMap::new(),
        };
        let mut tasks = JoinSet::new();
        tasks.spawn(write(input, lines));
        tasks.spawn(watch_process(process, stop, ended_sender));
        tasks.spawn(driver.run());
        Self {
            client: Client {
                commands: command_sender,
                closing: closing_sender,
                capabilities,
                limit: limits.request,
            },
            events,
            ready: InitializeAnswer::default(),
            stop: limits.stop,
            tasks,
        }
    }

    /// What the CLI offers: commands, models, agents, account.
    #[must_use]
    pub fn ready(&self) -> &InitializeAnswer {
        &self.ready
    }

    /// A handle for saying things.
    #[must_use]
    pub fn client(&self) -> Client {
        self.client.clone()
    }

    /// The next thing that comes from the CLI; `None` after [`Event::Ended`].
    /// Keep reading: a reader that stays away makes the CLI wait. Cancel-safe.
    pub async fn next(&mut self) -> Option<Event> {
        self.events.recv().await
    }

    /// Sends text and gives the message its uuid. See [`Client::send`].
    ///
    /// # Errors
    /// Fails when the CLI takes no more.
    pub async fn say(&self, text: impl Into<String> + Send) -> Result<Uuid, SendError> {
        let uuid = fresh_id();
        self.client.send(UserMessage::text(uuid, text)).await?;
        Ok(uuid)
    }

    /// Ends the CLI: closes its stdin, which lets a running turn complete;
    /// then, after the plan's times, SIGTERM and SIGKILL. What it says on the
    /// way is dropped. To read it, call [`Client::close`] and read on.
    ///
    /// `None` only when [`Event::Ended`] was read before.
    pub async fn close(mut self) -> Option<Ended> {
        self.client.close(self.stop);
        let mut ended = None;
        while let Some(event) = self.events.recv().await {
            if let Event::Ended(end) = event {
                ended = Some(end);
            }
        }
        // The process is gone; a writer that still waits for it would wait on.
        self.tasks.shutdown().await;
        ended
    }
}

/// Says things to a running CLI. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Client {
    commands: mpsc::Sender<Command>,
    closing: watch::Sender<Option<StopPlan>>,
    capabilities: watch::Sender<Capabilities>,
    limit: Duration,
}

impl Client {
    /// Sends a message; returns once it is on its way to the CLI's stdin. Sent
    /// while a turn runs, it is folded into it or starts the next one.
    ///
    /// # Errors
    /// Fails when the CLI takes no more.
    pub async fn send(&self, message: UserMessage) -> Result<(), SendError> {
        let (written, done) = oneshot::channel();
        let command = Command::Send { message, written };
        self.commands.send(command).await.map_err(|_| SendError)?;
        done.await.map_err(|_| SendError)
    }

    /// Asks the CLI and waits for the answer.
    ///
    /// # Errors
    /// Fails when the CLI refuses, is silent for too long, ends, or answers
    /// something else.
    pub async fn request<R: Request>(&self, request: R) -> Result<R::Answer, RequestError> {
        self.request_within(request, self.limit).await
    }

    /// As [`Client::request`], with another limit; questions to the model such
    /// as [`crate::SideQuestion`] take longer.
    ///
    /// # Errors
    /// As [`Client::request`].
    pub async fn request_within<R: Request>(
        &self,
        request: R,
        limit: Duration,
    ) -> Result<R::Answer, RequestError> {
        let request = request.into();
        let subtype = request.subtype();
        let gone = RequestError::Gone { subtype };
        let (asker, answer) = oneshot::channel();
        let command = Command::Ask {
            id: fresh_id(),
            request,
            limit,
            asker,
        };
        // The queue is part of the waiting: a CLI that does not read is silent.
        let answer = tokio::time::timeout(limit * 2, async {
            self.commands.send(command).await.ok()?;
            answer.await.ok()
        })
        .await
        .map_err(|_| RequestError::Silent {
            subtype,
            after: limit * 2,
        })?;
        let body = answer.ok_or(gone)??;
        R::read_answer(body.as_ref()).map_err(|error| RequestError::BadAnswer {
            subtype,
            detail: error.to_string(),
        })
    }

    /// Begins to end the CLI; [`Event::Ended`] tells when it has. The first
    /// plan counts.
    pub fn close(&self, plan: StopPlan) {
        self.closing.send_if_modified(|wish| {
            let first = wish.is_none();
            wish.get_or_insert(plan);
            first
        });
    }

    /// What this CLI can do, as far as it has said so.
    #[must_use]
    pub fn capabilities(&self) -> Capabilities {
        self.capabilities.borrow().clone()
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "the driver is where its ids are made"
)]
fn fresh_id() -> Uuid {
    Uuid::new_v4()
}
