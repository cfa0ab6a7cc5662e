//! A failure before the conversation began, as the parent understands it.

use std::{
    io::Write,
    sync::atomic::{AtomicBool, Ordering},
};

use baton_session::{RealWorld, World};
use baton_stdio::{Output, Shutdown, line, messages::Error};

use crate::failure::{Exit, Failure};

/// The outbox has begun: it says how things end.
static TAKEN: AtomicBool = AtomicBool::new(false);

pub(super) fn leave_it_to_the_outbox() {
    TAKEN.store(true, Ordering::Relaxed);
}

/// Tells the parent on standard output what a person is told on standard
/// error. Wrong usage is one line; anything else ends like a conversation.
pub(crate) fn shout(failure: &Failure) {
    if TAKEN.load(Ordering::Relaxed) {
        return;
    }
    let wrong_usage = failure.exit == Exit::Usage;
    let error = Error {
        code: if wrong_usage { "usage" } else { "start_failed" }.to_owned(),
        message: failure.what.clone(),
        hint: Some(failure.remedy.clone()),
        fatal: true,
        retryable: None,
        retry_at: None,
        detail: None,
        request_id: None,
        message_id: None,
    };
    let shutdown = Shutdown {
        reason: "error".into(),
        exit_code: failure.exit as u8,
    };
    let mut lines: Vec<Output> = vec![error.into()];
    if !wrong_usage {
        lines.push(shutdown.into());
    }
    let mut out = std::io::stdout().lock();
    for (said, seq) in lines.iter().zip(1..) {
        if let Some(line) = line(said, seq, RealWorld.now()) {
            out.write_all(&line).ok();
        }
    }
    out.flush().ok();
}
