//! Signals to the holder, as something `poll` can wait for.

use std::io::{self, Read};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::process::Signal;
use signal_hook::{flag, low_level::pipe};

#[derive(Debug)]
pub(super) struct Signals {
    wake: UnixStream,
    stop: Arc<AtomicBool>,
}

impl Signals {
    /// Catches the end of children, and SIGTERM and SIGINT as the wish to
    /// stop. SIGHUP is caught so that it does nothing.
    pub(super) fn catch() -> io::Result<Self> {
        let (wake, sender) = UnixStream::pair()?;
        wake.set_nonblocking(true)?;
        let stop = Arc::new(AtomicBool::new(false));
        for signal in [Signal::TERM, Signal::INT] {
            flag::register(signal.as_raw(), Arc::clone(&stop))?;
            pipe::register(signal.as_raw(), sender.try_clone()?)?;
        }
        pipe::register(Signal::HUP.as_raw(), sender.try_clone()?)?;
        pipe::register(Signal::CHILD.as_raw(), sender)?;
        Ok(Self { wake, stop })
    }

    /// Empties the wake-ups; true when somebody asked to stop.
    pub(super) fn take(&mut self) -> bool {
        let mut room = [0; 64];
        while self.wake.read(&mut room).is_ok_and(|count| count > 0) {}
        self.stop.swap(false, Ordering::Relaxed)
    }
}

impl AsFd for Signals {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.wake.as_fd()
    }
}
