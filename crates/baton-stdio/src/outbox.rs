//! The one writer of lines.
//!
//! A thread of its own writes them, whole and flushed, so that a parent that
//! does not read holds up nothing but the queue before it. When that is full,
//! whoever has something to say waits.

use std::{
    io::Write,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
        mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel},
    },
    time::Duration,
};

use tokio::sync::{
    mpsc::{self, error::TrySendError},
    watch,
};

use crate::{
    ledger::Ledger,
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

enum Item {
    Say(Box<Output>),
    Finish(Box<Last>),
}

/// Takes lines for the parent.
pub struct Outbox {
    items: mpsc::Sender<Item>,
    broken: watch::Receiver<bool>,
    /// Closed once the last line is written.
    written: Option<Mutex<Receiver<()>>>,
    /// The last lines are on their way.
    finished: AtomicBool,
}

/// How long the last lines may take when nobody waits for them by name.
const UNWINDING: Duration = Duration::from_secs(10);

impl Outbox {
    /// Writes to `out` from here on.
    pub fn to(out: impl Write + Send + 'static) -> std::io::Result<Self> {
        let (items, inbox) = mpsc::channel(QUEUE);
        let (tell, broken) = watch::channel(false);
        let (end, written) = sync_channel(1);
        let writer = Writer {
            out,
            ledger: Ledger::default(),
            broken: tell,
            _end: end,
        };
        std::thread::Builder::new()
            .name("baton-stdout".to_owned())
            .spawn(move || writer.run(inbox))?;
        Ok(Self {
            items,
            broken,
            written: Some(Mutex::new(written)),
            finished: AtomicBool::new(false),
        })
    }

    /// Says a line. Waits while the parent does not read.
    pub(crate) async fn say(&self, said: Output) {
        self.items.send(Item::Say(Box::new(said))).await.ok();
    }

    /// Says a line if there is a place for it; else gives it back.
    pub(crate) fn try_say(&self, said: Output) -> Result<(), Box<Output>> {
        match self.items.try_send(Item::Say(Box::new(said))) {
            Err(TrySendError::Full(Item::Say(said))) => Err(said),
            // Nobody will read it any more.
            Ok(()) | Err(TrySendError::Closed(_) | TrySendError::Full(Item::Finish(_))) => Ok(()),
        }
    }

    /// Waits until there is a place for a line.
    pub(crate) async fn has_place(&self) {
        // A closed queue takes everything and keeps nothing.
        self.items.reserve().await.ok();
    }

    /// Says the last lines.
    pub(crate) async fn finish(&self, last: Last) {
        self.items.send(Item::Finish(Box::new(last))).await.ok();
        self.finished.store(true, Ordering::Relaxed);
    }

    /// Whether nobody can read any more.
    pub(crate) fn broken(&self) -> watch::Receiver<bool> {
        self.broken.clone()
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

struct Writer<W> {
    out: W,
    ledger: Ledger,
    broken: watch::Sender<bool>,
    _end: SyncSender<()>,
}

impl<W: Write> Writer<W> {
    fn run(mut self, mut inbox: mpsc::Receiver<Item>) {
        while let Some(item) = inbox.blocking_recv() {
            match item {
                Item::Say(said) => self.say(&said),
                Item::Finish(last) => return self.finish(*last),
            }
        }
        // Whoever spoke is gone without a word.
        self.finish(Last {
            error: Some(
                Error {
                    code: "internal".into(),
                    message: "Baton stopped because of a bug".into(),
                    hint: Some("Look at its standard error, and start it again.".into()),
                    fatal: true,
                    retryable: None,
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
        });
    }

    fn say(&mut self, said: &Output) {
        self.ledger.note(said);
        if *self.broken.borrow() {
            return;
        }
        let line = match serde_json::to_vec(said) {
            Ok(line) => line,
            Err(error) => {
                tracing::error!(%error, name = said.name(), "a line cannot be written as JSON");
                return;
            }
        };
        let mut line = on_one_line(line);
        line.push(b'\n');
        let written = self.out.write_all(&line).and_then(|()| self.out.flush());
        if let Err(error) = written {
            tracing::warn!(%error, "the parent does not read any more");
            self.broken.send_replace(true);
        }
    }

    fn finish(&mut self, last: Last) {
        for said in self.ledger.close() {
            self.say(&said);
        }
        let complete = last.complete.map(Output::from);
        let shutdown = Some(last.shutdown.into());
        for said in last.error.into_iter().chain(complete).chain(shutdown) {
            self.say(&said);
        }
    }
}

/// Some readers end a line at characters that JSON allows in it, Node's
/// `readline` among them. As escapes they are the same to JSON and one line to
/// everybody.
fn on_one_line(line: Vec<u8>) -> Vec<u8> {
    let ends = |at: usize| match line.get(at..)? {
        [0xc2, 0x85, ..] => Some((2, "\\u0085")),
        [0xe2, 0x80, 0xa8, ..] => Some((3, "\\u2028")),
        [0xe2, 0x80, 0xa9, ..] => Some((3, "\\u2029")),
        _ => None,
    };
    let found = (0..line.len()).filter_map(|at| ends(at).map(|found| (at, found)));
    let mut found = found.peekable();
    if found.peek().is_none() {
        drop(found);
        return line;
    }
    let mut whole = Vec::with_capacity(line.len() + 64);
    let mut from = 0;
    for (at, (length, escape)) in found {
        whole.extend_from_slice(&line[from..at]);
        whole.extend_from_slice(escape.as_bytes());
        from = at + length;
    }
    whole.extend_from_slice(&line[from..]);
    whole
}

#[cfg(test)]
#[path = "outbox_tests.rs"]
mod tests;
