//! What the system passes on to tell a command to stop or to leave.

use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::failure::Failure;

/// Hears one kind of signal from here on.
pub(crate) fn hear(kind: SignalKind) -> Result<Signal, Failure> {
    let heard = signal(kind);
    heard.map_err(|error| Failure::new(format!("signals cannot be heard: {error}"), "Try again."))
}

/// Ctrl-C, and the polite request to end.
pub(crate) struct Signals {
    interrupt: Signal,
    terminate: Signal,
}

impl Signals {
    pub(crate) fn new() -> Result<Self, Failure> {
        Ok(Self {
            interrupt: hear(SignalKind::interrupt())?,
            terminate: hear(SignalKind::terminate())?,
        })
    }

    /// The next one; true for the request to end.
    pub(crate) async fn next(&mut self) -> bool {
        tokio::select! {
            _ = self.interrupt.recv() => false,
            _ = self.terminate.recv() => true,
        }
    }

    /// Either of them.
    pub(crate) async fn leave(&mut self) {
        self.next().await;
    }
}
