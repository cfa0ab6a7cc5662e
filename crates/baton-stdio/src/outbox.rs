//! The one writer of lines.
//!
//! A line that the parent takes at once is written where it is said. One that
//! would have to wait goes to a thread of its own, with all that follow, so
//! that a parent that does not read holds up nothing but the queue before it.
//! When that is full, whoever has something to say waits.

use std::{
    io::{self, Write},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError, TryLockError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
        mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel},
    },
    time::Duration,
};

use baton_session::World;
use tokio::sync::{
    mpsc::{self, error::TrySendError},
    watch,
};

use crate::{
    ledger::Ledger,
    line::line,
    output::{Complete, Error, Output, Shutdown},
};

/// Lines on their way to the parent. Full means that the conversation waits;
/// the log keeps what comes meanwhile.
const QUEUE: usize = 64;

/// How the output is to end.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Last {
    /// What went wrong, if that is why.
    pub(crate) error: Option<Output>,
    /// Whether the conversation came to its own end.
    pub(crate) complete: Option<Complete>,
    pub(crate) shutdown: Shutdown,
}

/// Where lines go.
pub trait Out: Write + Send {
    /// Writes as much as is taken without waiting, which may be nothing.
    fn write_now(&mut self, bytes: &[u8]) -> io::Result<usize>;
}

enum Item {
    Say(Box<Output>),
    /// There is the rest of a line to write.
    Rest,
    Finish(Box<Last>),
}

/// Takes lines for the parent.
pub struct Outbox {
    items: mpsc::Sender<Item>,
    /// Whoever writes has it.
    desk: Arc<Mutex<Desk>>,
    /// Items that the thread has not done yet.
    waiting: Arc<AtomicUsize>,
    broken: watch::Receiver<bool>,
    /// Lines could not be written, though nobody has left.
    unwritable: Arc<AtomicBool>,
    /// Closed once the last line is written.
    written: Option<Mutex<Receiver<()>>>,
    /// The last lines are on their way.
    finished: AtomicBool,
}

/// How long the last lines may take when nobody waits for them by name.
const UNWINDING: Duration = Duration::from_secs(10);

impl Outbox {
    /// Writes to `out` from here on.
    pub fn to(out: impl Out + 'static, world: Arc<dyn World>) -> io::Result<Self> {
        let (items, inbox) = mpsc::channel(QUEUE);
        let (tell, broken) = watch::channel(false);
        let (end, written) = sync_channel(1);
        let desk = Arc::new(Mutex::new(Desk {
            out: Box::new(out),
            world,
            seq: 0,
            ledger: Ledger::default(),
            rest: Vec::new(),
            is_broken: false,
            is_over: false,
        }));
        let waiting = Arc::default();
        let unwritable = Arc::<AtomicBool>::default();
        let writer = Writer {
            _end: end,
            unwritable: Arc::clone(&unwritable),
            desk: Arc::clone(&desk),
            waiting: Arc::clone(&waiting),
            broken: tell,
        };
        std::thread::Builder::new()
            .name("baton-stdout".to_owned())
            .spawn(move || writer.run(inbox))?;
        Ok(Self {
            items,
            desk,
            waiting,
            broken,
            unwritable,
            written: Some(Mutex::new(written)),
            finished: AtomicBool::new(false),
        })
    }

    /// Says a line. Waits while the parent does not read.
    pub(crate) async fn say(&self, said: Output) {
        if let Some(said) = self.say_now(said) {
            self.queue(Item::Say(Box::new(said))).await;
        }
    }

    /// Says a line if there is a place for it; else gives it back.
    pub(crate) fn try_say(&self, said: Output) -> Result<(), Box<Output>> {
        let Some(said) = self.say_now(said) else {
            return Ok(());
        };
        self.waiting.fetch_add(1, Ordering::AcqRel);
        match self.items.try_send(Item::Say(Box::new(said))) {
            Err(TrySendError::Full(Item::Say(said))) => {
                self.waiting.fetch_sub(1, Ordering::AcqRel);
                Err(said)
            }
            // Nobody will read it any more.
            Ok(()) | Err(_) => Ok(()),
        }
    }

    async fn queue(&self, item: Item) {
        self.waiting.fetch_add(1, Ordering::AcqRel);
        self.items.send(item).await.ok();
    }

    /// Writes the line here and now if none waits before it; else gives it
    /// back.
    fn say_now(&self, said: Output) -> Option<Output> {
        let mut desk = match self.desk.try_lock() {
            Ok(desk) => desk,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => return Some(said),
        };
        // The thread counts an item as done before it lets go of the desk.
        if self.waiting.load(Ordering::Acquire) > 0 || desk.is_broken {
            return Some(said);
        }
        if desk.is_over {
            return None;
        }
        if !desk.say_now(&said) {
            // Nothing is queued, so there is a place; a thread that is gone
            // has said its last line.
            self.waiting.fetch_add(1, Ordering::AcqRel);
            self.items.try_send(Item::Rest).ok();
        }
        None
    }

    /// Waits until there is a place for a line.
    pub(crate) async fn has_place(&self) {
        // A closed queue takes everything and keeps nothing.
        self.items.reserve().await.ok();
    }

    /// Says the last lines.
    pub(crate) async fn finish(&self, last: Last) {
        self.queue(Item::Finish(Box::new(last))).await;
        self.finished.store(true, Ordering::Relaxed);
    }

    /// Whether nobody can read any more.
    pub(crate) fn broken(&self) -> watch::Receiver<bool> {
        self.broken.clone()
    }

    /// Whether lines could not be written, though nobody has left: the disk that
    /// they go to is full, say.
    pub(crate) fn is_unwritable(&self) -> bool {
        self.unwritable.load(Ordering::Acquire)
    }

    /// Waits until the last line is written, or cannot be. One that nobody has
    /// said is not waited for.
    pub(crate) async fn written(&self) {
        if !self.finished.load(Ordering::Relaxed) {
            return;
        }
        // The writer's end goes with it.
        let mut broken = self.broken.clone();
        while broken.changed().await.is_ok() {}
    }

    /// Waits until everything is written, or cannot be, or the time is over.
    /// Blocks.
    pub fn close(mut self, limit: Option<Duration>) {
        let written = self.written.take();
        drop(self);
        if let Some(written) = written {
            wait(written, limit);
        }
    }
}

impl Drop for Outbox {
    fn drop(&mut self) {
        let Some(written) = self.written.take() else {
            return;
        };
        // Without this one the writer knows that nobody speaks any more.
        let (nobody, _) = mpsc::channel(1);
        drop(std::mem::replace(&mut self.items, nobody));
        wait(written, Some(UNWINDING));
    }
}

fn wait(written: Mutex<Receiver<()>>, limit: Option<Duration>) {
    let written = written.into_inner().unwrap_or_else(PoisonError::into_inner);
    // Nothing is ever sent: the writer's end goes with it.
    let ended = match limit {
        Some(limit) => written.recv_timeout(limit),
        None => written.recv().map_err(|_| RecvTimeoutError::Disconnected),
    };
    if ended == Err(RecvTimeoutError::Timeout) {
        tracing::warn!("the parent does not read the last lines");
    }
}

/// What has been said, and where it goes.
struct Desk {
    out: Box<dyn Out>,
    world: Arc<dyn World>,
    /// Lines so far.
    seq: u64,
    ledger: Ledger,
    /// What is left of a line that was begun.
    rest: Vec<u8>,
    /// Nobody reads any more.
    is_broken: bool,
    /// The last line has been said.
    is_over: bool,
}

impl Desk {
    fn line(&mut self, said: &Output) -> Option<Vec<u8>> {
        let line = line(said, self.seq + 1, self.world.now())?;
        self.seq += 1;
        Some(line)
    }

    /// Says a line without waiting. False if some of it is left.
    fn say_now(&mut self, said: &Output) -> bool {
        self.ledger.note(said);
        let Some(mut line) = self.line(said) else {
            return true;
        };
        match self.out.write_now(&line) {
            Ok(count) if count == line.len() => return true,
            Ok(count) => {
                line.drain(..count);
            }
            // It shows again, to the one who deals with it.
            Err(_) => {}
        }
        self.rest = line;
        false
    }

    /// Says a line, and waits until it is taken.
    fn say(&mut self, said: &Output) -> io::Result<()> {
        self.ledger.note(said);
        if let Some(line) = self.line(said) {
            self.write_rest()?;
            self.write(&line)?;
        }
        Ok(())
    }

    fn write_rest(&mut self) -> io::Result<()> {
        let rest = std::mem::take(&mut self.rest);
        if rest.is_empty() {
            return Ok(());
        }
        self.write(&rest)
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        if self.is_broken {
            return Ok(());
        }
        self.out.write_all(bytes)?;
        self.out.flush()
    }

    fn finish(&mut self, last: Last) -> io::Result<()> {
        self.is_over = true;
        self.write_rest()?;
        let complete = last.complete.map(Output::from);
        let shutdown = Some(last.shutdown.into());
        let closing = self.ledger.close();
        let ending = last.error.into_iter().chain(complete).chain(shutdown);
        for said in closing.into_iter().chain(ending) {
            self.say(&said)?;
        }
        Ok(())
    }
}

/// The thread for lines that have to wait.
struct Writer {
    /// First, because fields are dropped in this order: whoever sees that
    /// nothing tells of a broken output any more ([`Outbox::written`]) finds
    /// this gone too, and does not take the last lines for unread.
    _end: SyncSender<()>,
    unwritable: Arc<AtomicBool>,
    desk: Arc<Mutex<Desk>>,
    waiting: Arc<AtomicUsize>,
    broken: watch::Sender<bool>,
}

impl Writer {
    fn run(self, mut inbox: mpsc::Receiver<Item>) {
        while let Some(item) = inbox.blocking_recv() {
            let mut desk = self.desk();
            let is_last = matches!(item, Item::Finish(_));
            let done = match item {
                Item::Say(said) => desk.say(&said),
                Item::Rest => desk.write_rest(),
                Item::Finish(last) => desk.finish(*last),
            };
            self.look(&mut desk, done);
            self.waiting.fetch_sub(1, Ordering::AcqRel);
            if is_last {
                return;
            }
        }
        // Whoever spoke is gone without a word.
        let mut desk = self.desk();
        let done = desk.finish(bug());
        self.look(&mut desk, done);
    }

    fn desk(&self) -> MutexGuard<'_, Desk> {
        self.desk.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn look(&self, desk: &mut Desk, done: io::Result<()>) {
        if let Err(error) = done {
            if error.kind() == io::ErrorKind::BrokenPipe {
                tracing::warn!(%error, "the parent does not read any more");
            } else {
                tracing::error!(%error, "lines cannot be written");
                self.unwritable.store(true, Ordering::Release);
            }
            desk.is_broken = true;
            self.broken.send_replace(true);
        }
    }
}

fn bug() -> Last {
    Last {
        error: Some(
            Error {
                code: "internal".into(),
                message: "Baton stopped because of a bug".into(),
                hint: Some("Look at its standard error, and start it again.".into()),
                fatal: true,
                retryable: None,
                retry_at: None,
                detail: None,
                request_id: None,
                message_id: None,
            }
            .into(),
        ),
        complete: None,
        shutdown: Shutdown {
            reason: "panic".into(),
            exit_code: 1,
        },
    }
}

#[cfg(test)]
#[path = "outbox_tests.rs"]
mod tests;
