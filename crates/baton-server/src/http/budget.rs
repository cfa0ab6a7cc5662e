//! How much of what clients send is held in memory at once, by all of them.
//!
//! A body or a message is read whole before it is understood. Each is bounded,
//! but many at once are not, so they share what room there is; short ones do
//! not count, so that a daemon which is sent much can still be steered.

use std::{
    io,
    pin::Pin,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    task::{Context, Poll, ready},
};

use baton_protocol::api::{Problem, ProblemCode};
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    sync::{OwnedSemaphorePermit, Semaphore},
};

/// What is not longer than this is not counted.
const SHORT: usize = 64 << 10;
/// What is counted in; a permit for each.
const UNIT: usize = 1 << 10;

/// The room that all share.
#[derive(Debug, Clone)]
pub(crate) struct Budget(Arc<Semaphore>);

impl Budget {
    pub(crate) fn new(bytes: usize) -> Self {
        let units = (bytes / UNIT).min(Semaphore::MAX_PERMITS);
        Self(Arc::new(Semaphore::new(units)))
    }

    /// Nothing yet.
    pub(crate) fn begin(&self) -> Taken {
        Taken {
            budget: self.clone(),
            units: 0,
            permit: None,
        }
    }
}

/// Room that somebody has, for as long as this is there.
#[derive(Debug)]
pub(crate) struct Taken {
    budget: Budget,
    units: usize,
    permit: Option<OwnedSemaphorePermit>,
}

/// There is not enough room.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct NoRoom;

impl From<NoRoom> for Problem {
    fn from(_: NoRoom) -> Self {
        let detail = "others send too much at the moment; try again in a few seconds";
        Self::new(ProblemCode::TooMany, detail)
    }
}

impl Taken {
    /// Has room for so many bytes in all, if there is as much.
    pub(crate) fn reach(&mut self, bytes: usize) -> Result<(), NoRoom> {
        if bytes <= SHORT {
            return Ok(());
        }
        let wanted = bytes.div_ceil(UNIT);
        let Some(more) = wanted.checked_sub(self.units).filter(|more| *more > 0) else {
            return Ok(());
        };
        let more = u32::try_from(more).map_err(|_| NoRoom)?;
        let permit = Arc::clone(&self.budget.0).try_acquire_many_owned(more);
        let permit = permit.map_err(|_| NoRoom)?;
        self.units = wanted;
        match &mut self.permit {
            Some(own) => own.merge(permit),
            None => self.permit = Some(permit),
        }
        Ok(())
    }

    fn give_back(&mut self) {
        self.units = 0;
        self.permit = None;
    }
}

/// What a WebSocket has read since its last whole message.
#[derive(Debug)]
pub(crate) struct Meter {
    since: AtomicUsize,
    taken: Mutex<Taken>,
    full: AtomicBool,
}

impl Meter {
    pub(crate) fn new(budget: &Budget) -> Self {
        Self {
            since: AtomicUsize::new(0),
            taken: Mutex::new(budget.begin()),
            full: AtomicBool::new(false),
        }
    }

    /// A message was read and dealt with.
    pub(crate) fn reset(&self) {
        self.since.store(0, Ordering::Relaxed);
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        taken.give_back();
    }

    /// Whether it was closed because there was no room.
    pub(crate) fn is_full(&self) -> bool {
        self.full.load(Ordering::Relaxed)
    }

    fn read(&self, bytes: usize) -> Result<(), NoRoom> {
        let since = self.since.fetch_add(bytes, Ordering::Relaxed) + bytes;
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        let reached = taken.reach(since);
        self.full.fetch_or(reached.is_err(), Ordering::Relaxed);
        reached
    }
}

/// A connection whose reads are counted.
pub(crate) struct Metered<S> {
    pub(crate) io: S,
    pub(crate) meter: Arc<Meter>,
}

impl<S: AsyncRead + Unpin> AsyncRead for Metered<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buf.filled().len();
        ready!(Pin::new(&mut self.io).poll_read(cx, buf))?;
        let read = self.meter.read(buf.filled().len() - before);
        let full = |_| io::Error::new(io::ErrorKind::OutOfMemory, "others send too much");
        Poll::Ready(read.map_err(full))
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Metered<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.io).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_shutdown(cx)
    }
}
