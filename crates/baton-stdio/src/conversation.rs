//! The loop between the parent and the session.
//!
//! Everything that can happen is in one `select!`: the session's log, commands
//! that are done, lines of the parent, time, signals. Nothing in it waits for a
//! person, an agent or a slow parent. While a line has no place in the outbox
//! the log is not read on, and a log in memory waits for it in turn.

mod ending;
mod images;

pub use self::ending::farewell;

use std::{collections::VecDeque, path::PathBuf, sync::Arc, task::Poll, time::Duration};

use baton_protocol::{Event, Seq, words::ClientRef};
use baton_session::{Item, SessionHandle, Subscription, World};
use tokio::{
    io::AsyncRead,
    sync::mpsc,
    task::JoinSet,
    time::{Instant, sleep_until},
};

use self::{ending::Why, images::Images};
use crate::{
    act::{Act, Acting, Actions, Done, error},
    context::Context,
    folder::{FolderAsk, Folders},
    input,
    outbox::Outbox,
    output::{Error, FolderTrust, Output},
    stdin::{self, Incoming},
    translate::Translator,
};

/// Commands under way. Full means that the input is not read.
const MAX_ACTING: usize = 64;

/// How long a message may wait for its turn once the input has ended.
const LAST_TURN: Duration = Duration::from_secs(30);

/// How often it is looked what is still running.
const TICK: Duration = Duration::from_millis(500);

/// How long the last words of a session's task may take to come when it is gone.
const LOST: Duration = Duration::from_secs(2);

/// A log in memory drops what was told after this many events, and after turns.
const FORGET_EVERY: u64 = 128;

/// One conversation, ready to begin.
pub struct Conversation {
    pub session: SessionHandle,
    pub context: Context,
    pub folders: Arc<dyn Folders>,
    /// Holds what is too large for a line, and goes when the conversation is
    /// over.
    pub folder: PathBuf,
    /// Events up to here were told to an earlier parent.
    pub after: Seq,
    pub world: Arc<dyn World>,
    /// The log is in memory and this is its only reader: what was told is
    /// dropped from it, and an agent that is far ahead of the parent waits.
    pub forgets: bool,
    /// Told right after `ready`.
    pub warnings: Vec<Error>,
    /// Starts the agent before the first message.
    pub warm: bool,
    /// Whether nobody reads the output, as far as that can be told without
    /// writing. Asked now and then while a turn runs or the input has ended.
    pub is_alone: Box<dyn Fn() -> bool + Send + Sync>,
}

/// How a conversation ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// In order.
    Ended,
    /// In order, but in a hurry: somebody sent a signal.
    Signalled,
    /// The same, and the parent has had its time for the last lines, or
    /// somebody sent another signal.
    Abandoned,
    /// Something broke.
    Failed,
}

/// Requests to end that come from outside, by name.
pub type Signals = mpsc::Receiver<&'static str>;

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
        /// Somebody sent a signal, before or after.
        hurried: bool,
        /// And another one.
        impatient: bool,
    },
}

/// Holds one conversation to its end.
pub async fn converse(
    conversation: Conversation,
    input: impl AsyncRead + Unpin + Send + 'static,
    outbox: &Outbox,
    signals: &mut Signals,
) -> Ending {
    let (tell, lines) = mpsc::channel(stdin::QUEUE);
    let mut reader = JoinSet::new();
    // A read of the input may never come back; it ends with the process.
    reader.spawn(stdin::read(input, tell, stdin::MAX_LINE));
    let mut talk = Talk::new(conversation, outbox);
    let why = talk.run(lines, signals).await;
    reader.abort_all();
    talk.finish(why, signals).await
}

struct Talk<'a> {
    outbox: &'a Outbox,
    state: Translator,
    actions: Actions,
    log: Subscription,
    world: Arc<dyn World>,
    acting: Vec<Acting>,
    stage: Stage,
    /// Lines that an input led to.
    out: Vec<Output>,
    /// Lines that wait for a place in the outbox. While there are any, the
    /// log is not read on.
    unsaid: VecDeque<Output>,
    /// The last event that was read, told and dropped.
    seen: Seq,
    told: Seq,
    forgotten: Seq,
    forgets: bool,
    /// Until when the session's last words may come, once its task is gone.
    lost: Option<Instant>,
    tick: Instant,
    trouble: Option<Output>,
    images: Images,
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
    /// The session's task has ended.
    Gone,
    /// There may be a place in the outbox.
    Place,
    Tick,
    Overdue,
}

impl<'a> Talk<'a> {
    fn new(conversation: Conversation, outbox: &'a Outbox) -> Self {
        let Conversation {
            session,
            context,
            folders,
            folder,
            after,
            world,
            forgets,
            warnings,
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
        if forgets {
            session.told(after);
        }
        let warnings = warnings.into_iter().map(Output::from);
        Self {
            outbox,
            out: state.ready().into_iter().chain(warnings).collect(),
            unsaid: VecDeque::new(),
            seen: after,
            told: after,
            forgotten: after,
            forgets,
            lost: None,
            log: session.subscribe(after),
            state,
            actions: Actions {
                session,
                folders,
                world: Arc::clone(&world),
                client,
            },
            world,
            acting,
            stage: Stage::Talking,
            tick: Instant::now() + TICK,
            trouble: None,
            images: Images { folder },
            is_alone,
        }
    }

    async fn run(&mut self, mut lines: mpsc::Receiver<Incoming>, signals: &mut Signals) -> Why {
        loop {
            self.say();
            if let Some(why) = self.is_over() {
                return why;
            }
            match self.wake(&mut lines, signals).await {
                Wake::Log(Ok(item)) => {
                    if !self.item(&item).await {
                        return Why::Broken;
                    }
                    self.images.fill(&self.actions.session, &mut self.out).await;
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
                Wake::Gone => self.lost = Some(Instant::now() + LOST),
                Wake::Place => self.reads_again(),
                Wake::Tick => {
                    self.tick = Instant::now() + TICK;
                    self.state.tick(self.world.now(), &mut self.out);
                    if !matches!(self.stage, Stage::Ending { .. }) && (self.is_alone)() {
                        self.end(Why::ParentGone);
                    }
                }
                Wake::Overdue => return self.overdue(),
            }
        }
    }

    /// Says what there is a place for. Whatever the log told up to here is
    /// told once all of it is said.
    fn say(&mut self) {
        self.unsaid.extend(self.out.drain(..));
        while let Some(said) = self.unsaid.pop_front() {
            if let Err(said) = self.outbox.try_say(said) {
                self.unsaid.push_front(*said);
                return;
            }
        }
        if !self.forgets || self.told == self.seen {
            return;
        }
        self.told = self.seen;
        if !matches!(self.stage, Stage::Ending { .. }) {
            self.actions.session.told(self.told);
        }
        let far = self.told.0 - self.forgotten.0 >= FORGET_EVERY;
        if far || self.state.turn().is_none() {
            self.forgotten = self.told;
            let (session, up_to) = (self.actions.session.clone(), self.told);
            self.acting.push(Box::pin(async move {
                if let Err(error) = session.forget(up_to).await {
                    tracing::warn!(%error, "what was told stays in memory");
                }
                Done::Nothing
            }));
        }
    }

    async fn wake(&mut self, lines: &mut mpsc::Receiver<Incoming>, signals: &mut Signals) -> Wake {
        let free = self.unsaid.is_empty();
        let reads = matches!(self.stage, Stage::Talking) && self.acting.len() < MAX_ACTING;
        let wants_quiet = self.wants_quiet();
        // While the agent works, nothing else may tell that nobody reads.
        let ticks = self.state.turn().is_some()
            || self.state.has_open_tools()
            || matches!(self.stage, Stage::LastTurns { .. });
        let overdue = match &self.stage {
            // While the parent does not read, it is not the agent that is late.
            Stage::Ending { why, hurried, .. } if !free && why.has_time() && !hurried => None,
            Stage::Ending { until, .. } => Some(*until),
            Stage::LastTurns { idle } => idle.map(|since| since + LAST_TURN),
            Stage::Talking => None,
        };
        let overdue = overdue.into_iter().chain(self.lost).min();
        let gone = self.lost.is_some();
        // Asked once it is, this would be answered at once for ever.
        let ending = matches!(self.stage, Stage::Ending { .. });
        let mut broken = self.outbox.broken();
        tokio::select! {
            biased;
            Some(name) = signals.recv() => Wake::Signal(name),
            Ok(_) = broken.wait_for(|broken| *broken), if !ending => Wake::ParentGone,
            () = self.outbox.has_place(), if !free => Wake::Place,
            item = self.log.next(), if free => Wake::Log(item),
            () = std::future::ready(()), if free && wants_quiet => Wake::Quiet,
            done = next(&mut self.acting) => Wake::Done(done),
            () = until(overdue) => Wake::Overdue,
            () = self.actions.session.finished(), if free && !gone => Wake::Gone,
            () = sleep_until(self.tick), if free && ticks => Wake::Tick,
            line = lines.recv(), if free && reads => Wake::Line(line),
        }
    }

    /// Whether something waits until the log has nothing more to say. A read
    /// that is under way says nothing either, so its head is asked.
    fn wants_quiet(&self) -> bool {
        let last_turns = matches!(self.stage, Stage::LastTurns { idle: None });
        let idle = self.acting.is_empty();
        let at_rest = idle && !self.state.is_busy();
        let wanted = self.state.holds_back()
            || self.state.owes_answers()
            || (idle && self.state.expects_messages())
            || self.unanswerable()
            || (last_turns && at_rest);
        wanted && self.seen >= self.actions.session.head()
    }

    /// Whether requests are open that nobody will answer.
    fn unanswerable(&self) -> bool {
        let asks = self.state.open_requests().next().is_some();
        matches!(self.stage, Stage::LastTurns { .. }) && asks && self.acting.is_empty()
    }

    fn quiet(&mut self) {
        self.state.release(&mut self.out);
        self.state.answer(&mut self.out);
        if self.acting.is_empty() {
            self.state.expect_no_messages(&mut self.out);
        }
        if !matches!(self.stage, Stage::LastTurns { .. }) {
            return;
        }
        let open: Vec<_> = self.state.open_requests().collect();
        if !open.is_empty() {
            const WHY: &str = "The input was closed, so nobody can answer. Go on without it.";
            let rejected = open.into_iter().map(|id| self.actions.reject(id, WHY));
            self.acting.extend(rejected);
        } else if !self.state.is_busy() && self.acting.is_empty() {
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

    /// The folder may have changed since it was last looked at, and somebody
    /// else may have answered about it. A process is told with what it starts
    /// on.
    async fn look_at_folder(&mut self) {
        let ask = FolderAsk {
            accept: None,
            digest: None,
        };
        match Arc::clone(&self.actions.folders).ask(ask).await {
            Ok(folder) => {
                let told = self.state.folder_stands(folder);
                self.out.extend(told.map(Output::from));
            }
            Err(why) => tracing::warn!("the folder cannot be looked at: {why}"),
        }
    }

    /// False when the event cannot be understood.
    async fn item(&mut self, item: &Item) -> bool {
        match item {
            Item::Live(frame) => self.state.live(frame, &mut self.out),
            Item::Event(stored) => match stored.envelope() {
                Ok(envelope) => {
                    self.seen = envelope.seq;
                    if let Stage::LastTurns { idle } = &mut self.stage {
                        *idle = None;
                    }
                    if matches!(envelope.event, Event::SessionStarted(_)) {
                        self.look_at_folder().await;
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
            Done::NotTaken(message, told) => {
                self.state.message_refused(message, &told);
                self.out.push((*told).into());
            }
            Done::Folder(folder, request_id) => {
                let told = FolderTrust {
                    request_id,
                    ..folder.trust.clone()
                };
                // That is the answer.
                drop(self.state.folder_stands(*folder));
                self.out.push(told.into());
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
