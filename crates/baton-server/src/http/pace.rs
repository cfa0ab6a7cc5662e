//! A connection that does not wait forever for the other side to read.

use std::{
    io,
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};

use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    time::{Instant, Sleep},
};

use super::limits::Pace;

/// Fails once writing has waited for too long while too little was written.
/// Only the waiting counts: a stream with little to say may be open for years.
pub(crate) struct Paced<S> {
    io: S,
    pace: Pace,
    /// How long writing has waited since the last `pace.bytes` were written.
    waited: Duration,
    written: u64,
    /// Since when it waits now, and when it has waited for too long.
    waiting: Option<(Instant, Pin<Box<Sleep>>)>,
}

impl<S> Paced<S> {
    pub(crate) const fn new(io: S, pace: Pace) -> Self {
        Self {
            io,
            pace,
            waited: Duration::ZERO,
            written: 0,
            waiting: None,
        }
    }

    /// Counts what became of one try to write.
    fn counted<T>(
        &mut self,
        cx: &mut Context<'_>,
        done: Poll<io::Result<T>>,
        bytes: impl FnOnce(&T) -> usize,
    ) -> Poll<io::Result<T>> {
        let Poll::Ready(done) = done else {
            let (pace, waited) = (self.pace, self.waited);
            let (_, limit) = self.waiting.get_or_insert_with(|| {
                let now = Instant::now();
                let left = pace.time.saturating_sub(waited);
                (now, Box::pin(tokio::time::sleep_until(now + left)))
            });
            return limit.as_mut().poll(cx).map(|()| {
                let what = "the other side reads too slowly";
                Err(io::Error::new(io::ErrorKind::TimedOut, what))
            });
        };
        if let Some((since, _)) = self.waiting.take() {
            self.waited += since.elapsed();
        }
        if let Ok(value) = &done {
            self.written += bytes(value) as u64;
            if self.written >= self.pace.bytes {
                self.written = 0;
                self.waited = Duration::ZERO;
            }
        }
        Poll::Ready(done)
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Paced<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_read(cx, buf)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Paced<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        let done = Pin::new(&mut self.io).poll_write(cx, buf);
        self.counted(cx, done, |bytes| *bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let done = Pin::new(&mut self.io).poll_write_vectored(cx, bufs);
        self.counted(cx, done, |bytes| *bytes)
    }

    fn is_write_vectored(&self) -> bool {
        self.io.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let done = Pin::new(&mut self.io).poll_flush(cx);
        self.counted(cx, done, |()| 0)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let done = Pin::new(&mut self.io).poll_shutdown(cx);
        self.counted(cx, done, |()| 0)
    }
}

#[cfg(test)]
#[path = "pace_tests.rs"]
mod tests;
