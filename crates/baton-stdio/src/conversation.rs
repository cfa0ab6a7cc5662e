//! The loop between the parent and the session.
//!
//! Everything that can happen is in one `select!`: the session's log, commands
//! that are done, lines of the parent, time, signals. Nothing in it waits for a
//! person, an agent or a slow parent, except for a place in the outbox.

use std::{sync::Arc, task::Poll, time::Duration};

use baton_protocol::{
    Seq,
    words::{ClientRef, EndStatus},
};
use baton_session::{Item, SessionHandle, Subscription, World};
use tokio::{
    io::AsyncRead,
    sync::mpsc,
    task::JoinSet,
    time::{Instant, sleep_until},
};

use crate::{
    act::{Act, Acting, Actions, Done, error},
    context::Context,
    input,
    outbox::{Last, Outbox},
    output::{Complete, Error, Output, Shutdown},
    stdin::{self, Incoming},
    translate::Translator,
};

/// Commands under way. Full means that the input is not read.
const MAX_ACTING: usize = 64;

/// How long the agent may take to end before the conversation ends without it.
const ENDING: Duration = Duration::from_secs(30);

/// How long a message may wait for its turn once the input has ended.
const LAST_TURN: Duration = Duration::from_secs(30);

/// How often it is looked what is still running.
const TICK: Duration = Duration::from_millis(500);

/// How long the parent may take to read the last lines after a signal.
const LAST_LINES: Duration = Duration::from_secs(10);

/// One conversation, ready to begin.
pub struct Conversation {
    pub session: SessionHandle,
    pub context: Context,
    /// Events up to here were told to an earlier parent.
    pub after: Seq,
    pub world: Arc<dyn World>,
    /// Starts the agent before the first message.
    pub warm: bool,
    /// Whether nobody reads the output, as far as that can be told without
    /// writing. Asked now and then once the input has ended.
    pub is_alone: Box<dyn Fn() -> bool + Send + Sync>,
}

/// How a conversation ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// In order.
    Ended,
    /// In order, but in a hurry: somebody sent a signal.
    Signalled,
    /// Something broke.
    Failed,
}

/// Requests to end that come from outside, by name.
pub type Signals = mpsc::Receiver<&'static str>;

/// Why it ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Why {
    Stop,
    InputClosed,
    Signal(&'static str),
    /// Nobody reads the output.
    ParentGone,
    /// The session ended by itself.
    SessionEnded,
    /// The log cannot be read.
    Broken,
    /// The agent does not end.
    Stuck,
}

impl Why {
    const fn reason(self) -> &'static str {
        match self {
            Self::Stop => "stop",
            Self::InputClosed => "stdin_closed",
            Self::Signal(name) => name,
            Self::ParentGone => "parent_gone",
            Self::SessionEnded => "session_ended",
            Self::Broken | Self::Stuck => "error",
        }
    }

    const fn is_failure(self) -> bool {
        matches!(self, Self::Broken | Self::Stuck)
    }
}

/// How far it has come.
enum Stage {
    Talking,
    /// The input has ended; what was said is still worked on.
    LastTurns {
        /// Since when nothing is worked on though something waits.
        idle: Option<Instant>,
    },
    /// The session was told to end.
    Ending {
        why: Why,
        until: Instant,
    },
}

/// Holds one conversation to its end.
pub async fn converse(
    conversation: Conversation,
    input: impl AsyncRead + Unpin + Send + 'static,
    outbox: &Outbox,
    signals: Signals,
) -> Ending {
    let (tell, lines) = mpsc::channel(stdin::QUEUE);
    let mut reader = JoinSet::new();
    // A read of the input may never come back; it ends with the process.
    reader.spawn(stdin::read(input, tell, stdin::MAX_LINE));
    let mut talk = Talk::new(conversation, outbox);
    let why = talk.run(lines, signals).await;
    reader.abort_all();
    talk.finish(why).await
}

struct Talk<'a> {
    outbox: &'a Outbox,
    state: Translator,
    actions: Actions,
    log: Subscription,
    world: Arc<dyn World>,
    acting: Vec<Acting>,
    stage: Stage,
    /// Lines that are ready to be said.
    out: Vec<Output>,
    tick: Instant,
    trouble: Option<Output>,
    is_alone: Box<dyn Fn() -> bool + Send + Sync>,
}

enum Wake {
    Log(Result<Item, baton_store::StoreError>),
    /// The log has nothing more at the moment.
    Quiet,
    Done(Done),
    Line(Option<Incoming>),
    Signal(&'static str),
    ParentGone,
    Tick,
    Overdue,
}

impl<'a> Talk<'a> {
    fn new(conversation: Conversation, outbox: &'a Outbox) -> Self {
        let Conversation {
            session,
            context,
            after,
            world,
            warm,
            is_alone,
        } = conversation;
        let client = ClientRef {
            id: context.conversation.clone(),
            name: "stdio".into(),
        };
        let state = Translator::new(context);
        let mut acting: Vec<Acting> = Vec::new();
        if warm {
            let session = session.clone();
            acting.push(Box::pin(async move {
                // What goes wrong with its start is in the log.
                session.mcp_status().await.ok();
                Done::Nothing
            }));
        }
        Self {
            outbox,
            out: vec![state.ready()],
            log: session.subscribe(after),
            state,
            actions: Actions {
                session,
                world: Arc::clone(&world),
                client,
            },
            world,
            acting,
            stage: Stage::Talking,
            tick: Instant::now() + TICK,
            trouble: None,
            is_alone,
        }
    }

    async fn run(&mut self, mut lines: mpsc::Receiver<Incoming>, mut signals: Signals) -> Why {
        loop {
            for said in std::mem::take(&mut self.out) {
                self.outbox.say(said).await;
            }
            if let Some(why) = self.is_over() {
                return why;
            }
            match self.wake(&mut lines, &mut signals).await {
                Wake::Log(Ok(item)) => {
                    if !self.item(&item) {
                        return Why::Broken;
                    }
                }
                Wake::Log(Err(error)) => {
                    self.broken(&error);
                    return Why::Broken;
                }
                Wake::Quiet => self.quiet(),
                Wake::Done(done) => self.done(done),
                Wake::Line(Some(Incoming::Line(line))) => self.line(&line),
                Wake::Line(Some(Incoming::TooLong(bytes))) => {
                    let limit = stdin::MAX_LINE >> 20;
                    let text = format!("the line has {bytes} bytes; {limit} MiB are allowed");
                    self.out.push(error("line_too_long", text, None).into());
                }
                Wake::Line(None) => self.stage = Stage::LastTurns { idle: None },
                Wake::Signal(name) => self.end(Why::Signal(name)),
                Wake::ParentGone => self.end(Why::ParentGone),
                Wake::Tick => {
                    self.tick = Instant::now() + TICK;
                    self.state.tick(self.world.now(), &mut self.out);
                    if matches!(self.stage, Stage::LastTurns { .. }) && (self.is_alone)() {
                        self.end(Why::ParentGone);
                    }
                }
                Wake::Overdue => return self.overdue(),
            }
        }
    }

    async fn wake(&mut self, lines: &mut mpsc::Receiver<Incoming>, signals: &mut Signals) -> Wake {
        let reads = matches!(self.stage, Stage::Talking) && self.acting.len() < MAX_ACTING;
        let wants_quiet = self.wants_quiet();
        let ticks = self.state.has_open_tools()
            || !self.state.expected.is_empty()
            || matches!(self.stage, Stage::LastTurns { .. });
        let overdue = match &self.stage {
            Stage::Ending { until, .. } => Some(*until),
            Stage::LastTurns { idle } => idle.map(|since| since + LAST_TURN),
            Stage::Talking => None,
        };
        let ending = matches!(
            self.stage,
            Stage::Ending {
                why: Why::ParentGone,
                ..
            }
        );
        let mut broken = self.outbox.broken();
        tokio::select! {
            biased;
            Some(name) = signals.recv() => Wake::Signal(name),
            Ok(_) = broken.wait_for(|broken| *broken), if !ending => Wake::ParentGone,
            item = self.log.next() => Wake::Log(item),
            () = std::future::ready(()), if wants_quiet => Wake::Quiet,
            done = next(&mut self.acting) => Wake::Done(done),
            () = until(overdue) => Wake::Overdue,
            () = sleep_until(self.tick), if ticks => Wake::Tick,
            line = lines.recv(), if reads => Wake::Line(line),
        }
    }

    /// Whether something waits until the log has nothing more to say.
    fn wants_quiet(&self) -> bool {
        let last_turns = matches!(self.stage, Stage::LastTurns { idle: None });
        let at_rest = self.acting.is_empty() && self.state.turn().is_none();
        self.state.holds_back() || self.unanswerable() || (last_turns && at_rest)
    }

    /// Whether requests are open that nobody will answer.
    fn unanswerable(&self) -> bool {
        let asks = self.state.open_requests().next().is_some();
        matches!(self.stage, Stage::LastTurns { .. }) && asks && self.acting.is_empty()
    }

    fn quiet(&mut self) {
        self.state.release(&mut self.out);
        if !matches!(self.stage, Stage::LastTurns { .. }) {
            return;
        }
        let open: Vec<_> = self.state.open_requests().collect();
        if !open.is_empty() {
            const WHY: &str = "The input was closed, so nobody can answer. Go on without it.";
            let rejected = open.into_iter().map(|id| self.actions.reject(id, WHY));
            self.acting.extend(rejected);
        } else if self.state.turn().is_none() && self.acting.is_empty() {
            if self.state.has_waiting() {
                // It begins when the process before it has gone.
                self.stage = Stage::LastTurns {
                    idle: Some(Instant::now()),
                };
            } else {
                self.end(Why::InputClosed);
            }
        }
    }

    /// False when the event cannot be understood.
    fn item(&mut self, item: &Item) -> bool {
        match item {
            Item::Live(frame) => self.state.live(frame, &mut self.out),
            Item::Event(stored) => match stored.envelope() {
                Ok(envelope) => {
                    if let Stage::LastTurns { idle } = &mut self.stage {
                        *idle = None;
                    }
                    self.state.event(&envelope, &mut self.out);
                }
                Err(error) => {
                    self.broken(&error);
                    return false;
                }
            },
        }
        true
    }

    fn broken(&mut self, why: &dyn std::error::Error) {
        let told = Error {
            fatal: true,
            ..error(
                "storage",
                format!("the event log cannot be read: {why}"),
                None,
            )
        };
        self.trouble = Some(told.into());
    }

    fn done(&mut self, done: Done) {
        match done {
            Done::Nothing => {}
            Done::Say(said) => self.out.push(*said),
            Done::Changed(number) => self.state.expected.done(number),
            Done::Unchanged(number, mut told) => {
                told.request_id = self.state.expected.failed(number);
                self.out.push((*told).into());
            }
        }
    }

    fn line(&mut self, line: &[u8]) {
        let input = match input::parse(line) {
            Ok(input) => input,
            Err(bad) => {
                let told = error(bad.wrong.code(), bad.wrong.to_string(), bad.request_id);
                self.out.push(told.into());
                return;
            }
        };
        match self.actions.on(input, &mut self.state) {
            Act::Do(acting) => self.acting.push(acting),
            Act::Say(said) => self.out.push(*said),
            Act::Stop => self.end(Why::Stop),
        }
    }

    /// Tells the session to end. Its own last events tell when it has.
    fn end(&mut self, why: Why) {
        if let Stage::Ending { why: first, .. } = &mut self.stage {
            // A second signal does not wait any longer.
            if let Why::Signal(_) = why {
                self.stage = Stage::Ending {
                    why: *first,
                    until: Instant::now(),
                };
            }
            return;
        }
        self.stage = Stage::Ending {
            why,
            until: Instant::now() + ENDING,
        };
        let status = if why == Why::InputClosed {
            EndStatus::Completed
        } else {
            EndStatus::Stopped
        };
        let session = self.actions.session.clone();
        self.acting.push(Box::pin(async move {
            session.end(status, why.reason()).await.ok();
            Done::Nothing
        }));
    }

    fn is_over(&self) -> Option<Why> {
        self.state.ended()?;
        Some(match &self.stage {
            Stage::Ending { why, .. } => *why,
            Stage::Talking | Stage::LastTurns { .. } => Why::SessionEnded,
        })
    }

    fn overdue(&mut self) -> Why {
        match &self.stage {
            // Whatever waits there does not begin by itself any more.
            Stage::LastTurns { .. } | Stage::Talking => Why::InputClosed,
            Stage::Ending { why, .. } if !matches!(why, Why::Stop | Why::InputClosed) => *why,
            Stage::Ending { .. } => {
                let told = Error {
                    fatal: true,
                    ..error("agent_stuck", "the agent did not end in time", None)
                };
                self.trouble = Some(told.into());
                Why::Stuck
            }
        }
    }

    async fn finish(mut self, why: Why) -> Ending {
        self.state.release(&mut self.out);
        let (turns, total_cost_usd) = self.state.totals();
        let last = Last {
            error: self.trouble.take(),
            complete: matches!(why, Why::Stop | Why::InputClosed).then_some(Complete {
                turns,
                total_cost_usd,
            }),
            shutdown: Shutdown {
                reason: why.reason().to_owned(),
                exit_code: u8::from(why.is_failure()),
            },
        };
        let outbox = self.outbox;
        let out = std::mem::take(&mut self.out);
        let saying = async {
            for said in out {
                outbox.say(said).await;
            }
            outbox.finish(last).await;
        };
        // Whoever sent a signal does not wait for a parent that reads nothing.
        if let Why::Signal(_) = why {
            if tokio::time::timeout(LAST_LINES, saying).await.is_err() {
                tracing::warn!("the parent does not read the last lines");
            }
        } else {
            saying.await;
        }
        match why {
            Why::Broken | Why::Stuck => Ending::Failed,
            Why::Signal(_) | Why::ParentGone => Ending::Signalled,
            Why::Stop | Why::InputClosed | Why::SessionEnded => Ending::Ended,
        }
    }
}

/// The first of the commands that is done. Each is begun in the order of the
/// lines it came from.
async fn next(acting: &mut Vec<Acting>) -> Done {
    std::future::poll_fn(|context| {
        for at in 0..acting.len() {
            if let Poll::Ready(done) = acting[at].as_mut().poll(context) {
                drop(acting.remove(at));
                return Poll::Ready(done);
            }
        }
        Poll::Pending
    })
    .await
}

async fn until(at: Option<Instant>) {
    match at {
        Some(at) => sleep_until(at).await,
        None => std::future::pending().await,
    }
}
