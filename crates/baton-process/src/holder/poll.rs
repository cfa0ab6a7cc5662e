//! One wait for everything a holder waits for.

use std::io;
use std::os::fd::BorrowedFd;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};

/// The monotonic clock.
#[expect(
    clippy::disallowed_types,
    reason = "the holder has no runtime and no test clock"
)]
pub(super) type Moment = std::time::Instant;

/// The moment `duration` from `now`, or one that nobody lives to see.
pub(super) fn after(now: Moment, duration: Duration) -> Moment {
    now + duration.min(FAR)
}

const FAR: Duration = Duration::from_secs(100 * 365 * 24 * 60 * 60);

/// What may become ready.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Source {
    Signals,
    Listener,
    Candidate,
    Owner,
    Stdin,
    Stdout,
    Stderr,
}

/// A source that is ready, and how.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ready {
    pub(super) source: Source,
    pub(super) readable: bool,
    pub(super) writable: bool,
    /// The other end is gone. It is told whether asked for or not.
    pub(super) hung_up: bool,
}

/// What to wait for, on which descriptor.
pub(super) struct Wish<'a> {
    pub(super) source: Source,
    pub(super) fd: BorrowedFd<'a>,
    pub(super) flags: PollFlags,
}

/// Waits until something is ready or `until` has come.
pub(super) fn wait(wishes: &[Wish<'_>], until: Option<Moment>) -> io::Result<Vec<Ready>> {
    let mut fds: Vec<PollFd<'_>> = wishes
        .iter()
        .map(|wish| PollFd::from_borrowed_fd(wish.fd, wish.flags))
        .collect();
    let timeout = until.map(|until| timespec(until.saturating_duration_since(Moment::now())));
    match poll(&mut fds, timeout.as_ref()) {
        Ok(_) => {}
        Err(rustix::io::Errno::INTR) => return Ok(Vec::new()),
        Err(error) => return Err(error.into()),
    }
    let ready = wishes
        .iter()
        .zip(&fds)
        .filter(|(_, fd)| !fd.revents().is_empty());
    Ok(ready
        .map(|(wish, fd)| {
            let hung_up = fd
                .revents()
                .intersects(PollFlags::HUP | PollFlags::ERR | PollFlags::NVAL);
            Ready {
                source: wish.source,
                readable: fd.revents().contains(PollFlags::IN)
                    || (hung_up && wish.flags.contains(PollFlags::IN)),
                writable: fd.revents().contains(PollFlags::OUT)
                    || (hung_up && wish.flags.contains(PollFlags::OUT)),
                hung_up,
            }
        })
        .collect())
}

fn timespec(duration: Duration) -> Timespec {
    // Up by a millisecond, so that the moment has surely come afterwards.
    let duration = duration.saturating_add(Duration::from_millis(1));
    Timespec {
        tv_sec: i64::try_from(duration.as_secs()).unwrap_or(i64::MAX),
        tv_nsec: i64::from(duration.subsec_nanos()),
    }
}
