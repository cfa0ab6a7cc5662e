//! A body that is written while it is sent.

use std::{
    io,
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};

use axum::body::HttpBody;
use bytes::Bytes;
use hyper::body::Frame;
use tokio::{
    sync::mpsc,
    time::{Instant, Sleep},
};
use tokio_util::sync::{CancellationToken, WaitForCancellationFutureOwned};

/// Sends what comes through a queue, and something between when nothing does.
pub(crate) struct StreamBody {
    queue: mpsc::Receiver<Bytes>,
    /// Ends it at once, whatever still waits.
    cut: Pin<Box<WaitForCancellationFutureOwned>>,
    /// Whether a cut breaks the connection, so that nobody takes a part for
    /// the whole.
    breaks: bool,
    beat: Option<Beat>,
}

struct Beat {
    every: Duration,
    what: Bytes,
    next: Pin<Box<Sleep>>,
}

impl StreamBody {
    pub(crate) fn new(queue: mpsc::Receiver<Bytes>, cut: CancellationToken) -> Self {
        Self {
            queue,
            cut: Box::pin(cut.cancelled_owned()),
            breaks: false,
            beat: None,
        }
    }

    /// The same of something that has an end of its own.
    pub(crate) fn of_whole(queue: mpsc::Receiver<Bytes>, cut: CancellationToken) -> Self {
        Self {
            breaks: true,
            ..Self::new(queue, cut)
        }
    }

    /// Sends `what` after each pause of this length.
    pub(crate) fn with_beat(mut self, every: Duration, what: &'static [u8]) -> Self {
        self.beat = Some(Beat {
            every,
            what: Bytes::from_static(what),
            next: Box::pin(tokio::time::sleep(every)),
        });
        self
    }
}

impl HttpBody for StreamBody {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        if self.cut.as_mut().poll(cx).is_ready() {
            let broken = || Err(io::Error::other("it was cut short"));
            return Poll::Ready(self.breaks.then(broken));
        }
        let queued = self.queue.poll_recv(cx);
        let Some(beat) = &mut self.beat else {
            return queued.map(|chunk| chunk.map(|chunk| Ok(Frame::data(chunk))));
        };
        let chunk = match queued {
            Poll::Ready(None) => return Poll::Ready(None),
            Poll::Ready(Some(chunk)) => chunk,
            Poll::Pending => {
                if beat.next.as_mut().poll(cx).is_pending() {
                    return Poll::Pending;
                }
                beat.what.clone()
            }
        };
        let next = Instant::now() + beat.every;
        beat.next.as_mut().reset(next);
        Poll::Ready(Some(Ok(Frame::data(chunk))))
    }
}
