//! The task that owns a running CLI's conversation.
//!
//! It never waits for the CLI's stdin (a writer task does), for a person
//! (handler tasks do) or for the process (a third task does), so it always
//! reads stdout, and a CLI that reads and writes cannot lock up with us.

use std::collections::BTreeMap;
use std::future::pending;
use std::sync::Arc;
use std::time::Duration;

use baton_process::{Line, StopPlan};
use tokio::sync::{mpsc, oneshot, watch};
use tokio::task::{AbortHandle, Id, JoinError, JoinSet};
use tokio::time::{Instant, sleep_until};
use uuid::Uuid;

use super::handler::{Handler, serve};
use super::transport::{Input, Output, Process};
use super::{Ended, Event};
use crate::codec::{decode, encode};
use crate::control::{CliRequest, HostRequest, Reply};
use crate::json::RawJson;
use crate::message::Message;
use crate::message::system::SystemMessage;
use crate::outgoing::{Outgoing, UserMessage};
use crate::peer::{Arrival, Peer, RequestError, Settled};
use crate::version::Capabilities;

/// Who asked, and waits.
type Asker = oneshot::Sender<Result<Option<RawJson>, RequestError>>;

/// What a client wants of the driver.
pub(super) enum Command {
    Send {
        message: UserMessage,
        written: oneshot::Sender<()>,
    },
    Ask {
        id: Uuid,
        request: HostRequest,
        limit: Duration,
        asker: Asker,
    },
}

pub(super) struct Driver<O, H> {
    pub(super) output: O,
    /// To the writer task; `None` once stdin is closed.
    pub(super) lines: Option<mpsc::Sender<Vec<u8>>>,
    pub(super) commands: mpsc::Receiver<Command>,
    /// Beside the commands, because those wait while the CLI does not read.
    pub(super) closing: watch::Receiver<Option<StopPlan>>,
    pub(super) events: mpsc::Sender<Event>,
    pub(super) capabilities: watch::Sender<Capabilities>,
    pub(super) handler: Arc<H>,
    pub(super) stop: Option<oneshot::Sender<StopPlan>>,
    pub(super) ended: oneshot::Receiver<Ended>,
    pub(super) plan: StopPlan,
    pub(super) peer: Peer<Asker>,
    pub(super) serving: JoinSet<Reply>,
    pub(super) served: BTreeMap<Id, String>,
    pub(super) aborts: BTreeMap<String, AbortHandle>,
}

/// What the driver woke up for.
enum Wake<'a> {
    /// Something to write, and a place for it in the writer's queue.
    Out(Out, Option<mpsc::Permit<'a, Vec<u8>>>),
    /// A line, and a place for it in the events.
    In(Event, mpsc::Permit<'a, Event>),
    /// A question of ours may be overdue.
    Overdue,
    /// The CLI shall end.
    Close(StopPlan),
    /// Stdout is closed, or nobody listens any more.
    Over,
}

enum Out {
    Command(Command),
    Served(Result<(Id, Reply), JoinError>),
    /// All clients are gone; the owner ends the session.
    Idle,
}

impl<O: Output, H: Handler> Driver<O, H> {
    pub(super) async fn run(mut self) {
        loop {
            let lines = self.lines.clone();
            let events = self.events.clone();
            let wake = tokio::select! {
                biased;
                () = wait_until(self.peer.poll_timeout()) => Wake::Overdue,
                plan = wanted(&mut self.closing), if self.stop.is_some() => Wake::Close(plan),
                (out, place) = next_out(lines.as_ref(), &mut self.commands, &mut self.serving) => {
                    Wake::Out(out, place)
                }
                wake = next_in(&events, &mut self.output) => wake,
            };
            match wake {
                Wake::Overdue => {
                    let late = self.peer.expire(Instant::now());
                    late.into_iter().for_each(settle);
                }
                Wake::Out(out, place) => {
                    if let Some((line, written)) = self.outgoing(out)
                        && let Some(place) = place
                    {
                        send(place, &line, written);
                    }
                }
                Wake::In(event, place) => {
                    if let Some(event) = self.incoming(event) {
                        place.send(event);
                    }
                }
                Wake::Close(plan) => self.close(plan),
                Wake::Over => break,
            }
        }
        self.finish().await;
    }

    /// Decides what to write.
    fn outgoing(&mut self, out: Out) -> Option<(Outgoing, Option<oneshot::Sender<()>>)> {
        // Once stdin is closed nothing can be said; askers hear of it by their
        // dropped channel.
        let open = self.lines.is_some();
        match out {
            Out::Command(Command::Send { message, written }) => {
                open.then_some((Outgoing::User(message), Some(written)))
            }
            Out::Command(Command::Ask {
                id,
                request,
                limit,
                asker,
            }) if open => Some((
                self.peer.ask(id, request, asker, Instant::now(), limit),
                None,
            )),
            Out::Command(Command::Ask { request, asker, .. }) => {
                let outcome = Err(RequestError::Gone {
                    subtype: request.subtype(),
                });
                settle(Settled {
                    token: asker,
                    outcome,
                });
                None
            }
            Out::Served(result) => {
                let (task, reply) = match result {
                    Ok((task, reply)) => (task, reply),
                    // A handler that panicked must not leave the CLI waiting.
                    Err(error) => (error.id(), Reply::Error("the handler failed".to_owned())),
                };
                let request_id = self.served.remove(&task)?;
                self.aborts.remove(&request_id);
                let wanted = self.peer.reply(&request_id) && open;
                wanted.then_some((Outgoing::Reply { request_id, reply }, None))
            }
            Out::Idle => None,
        }
    }

    /// Takes what is part of the control protocol; gives back what is for the
    /// reader of events.
    fn incoming(&mut self, event: Event) -> Option<Event> {
        let Event::Message(message) = event else {
            return Some(event);
        };
        match message {
            Message::ControlResponse(response) => {
                let mut pending = response.pending_permission_requests.clone();
                pending.extend_from_slice(&response.pending_user_dialog_requests);
                if let Some(settled) = self.peer.answer(*response) {
                    settle(settled);
                    pending.into_iter().for_each(|request| self.serve(request));
                }
                None
            }
            Message::ControlRequest(request) => {
                self.serve(*request);
                None
            }
            Message::ControlCancelRequest { request_id } => {
                if self.peer.take_back(&request_id)
                    && let Some(abort) = self.aborts.remove(&request_id)
                {
                    abort.abort();
                    self.served.remove(&abort.id());
                }
                None
            }
            Message::System(system) => {
                if let SystemMessage::Init(init) = &system.message {
                    self.capabilities
                        .send_modify(|known| known.learn_from_init(init));
                }
                Some(Event::Message(Message::System(system)))
            }
            said @ (Message::StreamEvent(_)
            | Message::Assistant(_)
            | Message::User(_)
            | Message::Result(_)
            | Message::CommandLifecycle(_)
            | Message::ToolProgress(_)
            | Message::ToolUseSummary(_)
            | Message::AuthStatus(_)
            | Message::RateLimitEvent(_)
            | Message::PromptSuggestion(_)
            | Message::KeepAlive
            | Message::ConversationReset(_)
            | Message::Unknown(_)) => Some(Event::Message(said)),
        }
    }

    fn serve(&mut self, request: CliRequest) {
        let CliRequest { request_id, body } = request;
        if self.peer.arrive(&request_id) == Arrival::Repeated {
            return;
        }
        let handler = Arc::clone(&self.handler);
        let abort = self
            .serving
            .spawn(async move { serve(&*handler, body).await });
        self.served.insert(abort.id(), request_id.clone());
        self.aborts.insert(request_id, abort);
    }

    fn close(&mut self, plan: StopPlan) {
        self.lines = None;
        if let Some(stop) = self.stop.take() {
            // A process that has ended needs no stopping.
            let _ = stop.send(plan);
        }
    }

    /// Stdout is closed: whoever still waits is told, and the process, should
    /// it linger without its output, is ended.
    async fn finish(mut self) {
        self.serving.shutdown().await;
        let gone = self.peer.gone();
        gone.ours.into_iter().for_each(settle);
        self.close(self.plan);
        // Commands that come from here on fail at once.
        self.commands.close();
        while let Ok(command) = self.commands.try_recv() {
            drop(self.outgoing(Out::Command(command)));
        }
        if let Ok(ended) = (&mut self.ended).await {
            // Nobody listens when the owner is gone.
            drop(self.events.send(Event::Ended(ended)).await);
        }
    }
}

fn settle(settled: Settled<Asker>) {
    // An asker that stopped waiting does not mind.
    drop(settled.token.send(settled.outcome));
}

fn send(place: mpsc::Permit<'_, Vec<u8>>, line: &Outgoing, written: Option<oneshot::Sender<()>>) {
    match encode(line) {
        Ok(mut bytes) => {
            // The transport adds the line end itself.
            bytes.pop();
            place.send(bytes);
            if let Some(written) = written {
                // A sender that stopped waiting does not mind.
                let _ = written.send(());
            }
        }
        Err(error) => tracing::error!(%error, "a line could not be encoded"),
    }
}

/// Waits for something to write, but not before there is a place for it: when
/// the CLI does not read, commands wait in their own bounded queue. Cancel-safe.
async fn next_out<'a>(
    lines: Option<&'a mpsc::Sender<Vec<u8>>>,
    commands: &mut mpsc::Receiver<Command>,
    serving: &mut JoinSet<Reply>,
) -> (Out, Option<mpsc::Permit<'a, Vec<u8>>>) {
    let place = match lines {
        // A writer that has given up takes nothing; stdout will tell the rest.
        Some(lines) => lines.reserve().await.ok(),
        None => None,
    };
    let out = tokio::select! {
        Some(served) = serving.join_next_with_id() => Out::Served(served),
        command = commands.recv() => command.map_or(Out::Idle, Out::Command),
    };
    if matches!(out, Out::Idle) {
        return pending().await;
    }
    (out, place)
}

/// Reads a line, but not before there is a place for it: when nobody reads the
/// events, the CLI is made to wait. Cancel-safe.
async fn next_in<'a, O: Output>(events: &'a mpsc::Sender<Event>, output: &mut O) -> Wake<'a> {
    let Ok(place) = events.reserve().await else {
        return Wake::Over;
    };
    loop {
        let line = match output.next().await {
            None => return Wake::Over,
            Some(Line::Whole(line)) => line,
            // Half a line is what a killed CLI leaves behind.
            Some(Line::Unfinished(line)) => {
                return Wake::In(Event::Cut { head: head(line) }, place);
            }
            Some(Line::TooLong { bytes, head: start }) => {
                return Wake::In(
                    Event::TooLong {
                        bytes,
                        head: head(start),
                    },
                    place,
                );
            }
        };
        if line.trim_ascii().is_empty() {
            continue;
        }
        let event = match decode(line) {
            Ok(message) => Event::Message(message.into_owned()),
            Err(error) => Event::Unreadable(error),
        };
        return Wake::In(event, place);
    }
}

fn head(line: &[u8]) -> String {
    String::from_utf8_lossy(line).chars().take(200).collect()
}

/// Waits for the wish to end. Cancel-safe.
async fn wanted(closing: &mut watch::Receiver<Option<StopPlan>>) -> StopPlan {
    match closing.wait_for(Option::is_some).await.map(|plan| *plan) {
        Ok(Some(plan)) => plan,
        // Nobody is left who could wish.
        Ok(None) | Err(_) => pending().await,
    }
}

async fn wait_until(deadline: Option<Instant>) {
    match deadline {
        Some(deadline) => sleep_until(deadline).await,
        None => pending().await,
    }
}

/// Writes queued lines; ends, and closes stdin, when the queue is closed or
/// the CLI takes no more.
pub(super) async fn write<I: Input>(mut input: I, mut lines: mpsc::Receiver<Vec<u8>>) {
    while let Some(line) = lines.recv().await {
        if let Err(error) = input.line(&line).await {
            tracing::debug!(%error, "the CLI takes no more input");
            return;
        }
    }
}

/// Waits for the process, or stops it when told to.
pub(super) async fn watch_process<P: Process>(
    mut process: P,
    stop: oneshot::Receiver<StopPlan>,
    ended: oneshot::Sender<Ended>,
) {
    let report = tokio::select! {
        report = process.wait() => report,
        plan = stop => match plan {
            Ok(plan) => process.stop(plan).await,
            // The driver is gone, so nobody will ever ask for less.
            Err(_) => process.stop(StopPlan::default()).await,
        },
    };
    let stderr_tail = String::from_utf8_lossy(&process.stderr_tail()).into_owned();
    // Nobody listens when the owner is gone.
    drop(ended.send(Ended {
        report,
        stderr_tail,
    }));
}
