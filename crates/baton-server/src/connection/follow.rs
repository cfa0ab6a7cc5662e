//! One session, followed for one client, whatever carries it.

use baton_protocol::{
    Envelope, EventKind, Seq, SessionId,
    api::{Problem, ServerFrame},
    words::SessionState,
};
use baton_session::{Item, SessionHandle};
use baton_store::Store;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::Line;
use crate::{
    problem::{self, Told as _},
    sight::{LiveSight, Sight},
};

/// One thing that a follower is told.
pub(crate) enum Sent<'a> {
    /// As it may be shown.
    Event(Seq, &'a str),
    /// A live frame as JSON.
    Live(&'a str),
    /// Everything up to here was there when the follower came.
    CaughtUp(SessionId, Seq),
    /// The session has ended; told only to who wants to leave then.
    Done(SessionId, Seq),
    /// The last, always.
    Over(SessionId, Option<Problem>),
}

/// Adds what is sent to a text in the form of a transport.
pub(crate) type Framing = fn(Sent<'_>, &mut String);

/// What lies ready is sent together up to this many bytes: a queue of such
/// texts is what a client that does not read can hold back.
const TOGETHER: usize = 16 << 10;

pub(crate) struct Follow {
    pub(crate) handle: SessionHandle,
    pub(crate) after: Seq,
    /// The last event when the client asked: what is catching up.
    pub(crate) head: Seq,
    pub(crate) out: mpsc::Sender<Line>,
    pub(crate) cancel: CancellationToken,
    pub(crate) framing: Framing,
    pub(crate) sight: Sight,
    /// The log, to leave when the session ends.
    pub(crate) leaves: Option<Store>,
}

/// How far a client has been told.
struct Told {
    /// What waits to be sent.
    text: String,
    seen: Seq,
    caught_up: bool,
    may_have_ended: bool,
    live: LiveSight,
}

/// Where a session's end is, seen from an event.
enum End {
    /// It is this event.
    Here,
    /// It comes after it.
    Later,
    None,
}

impl Follow {
    /// Sends everything until it is cancelled or cannot go on, and then that
    /// it is over, as the last.
    pub(crate) async fn run(self) {
        let cancel = self.cancel.clone();
        let result = tokio::select! {
            biased;
            () = cancel.cancelled() => Ok(()),
            result = self.forward() => result.map_err(Some),
        };
        let problem = result.err().flatten();
        let mut last = String::new();
        (self.framing)(Sent::Over(self.handle.id(), problem), &mut last);
        // Who is cancelled because it left does not read it either.
        tokio::select! {
            _ = self.send(&mut last) => {}
            () = self.out.closed() => {}
        }
    }

    async fn forward(&self) -> Result<(), Problem> {
        let mut items = self.handle.subscribe(self.after);
        let mut progress = Told {
            text: String::new(),
            seen: self.after,
            caught_up: self.after >= self.head,
            may_have_ended: false,
            live: LiveSight::new(self.sight),
        };
        if progress.caught_up {
            self.add(Sent::CaughtUp(self.handle.id(), self.head), &mut progress);
            self.send(&mut progress.text).await;
        }
        let failed = self.handle.wait_for(|progress| progress.failed.is_some());
        tokio::pin!(failed);
        let mut watches = true;
        loop {
            let item = tokio::select! {
                biased;
                item = items.next() => item.told()?,
                progress = &mut failed, if watches => match progress.failed {
                    Some(why) => return Err(problem::of_stopped(&why)),
                    None => {
                        watches = false;
                        continue;
                    }
                },
            };
            let mut next = Some(item);
            while let Some(item) = next {
                self.item(&item, &mut progress);
                if progress.caught_up && progress.may_have_ended {
                    match self.end(progress.seen).await? {
                        End::Here => {
                            self.add(Sent::Done(self.handle.id(), progress.seen), &mut progress);
                            self.send(&mut progress.text).await;
                            return Ok(());
                        }
                        End::Later => {}
                        // Asked again only after another word of an end: the text
                        // of a turn must not cost a look at the log each time.
                        End::None => progress.may_have_ended = false,
                    }
                }
                next = (progress.text.len() < TOGETHER)
                    .then(|| items.ready())
                    .flatten();
            }
            if !self.send(&mut progress.text).await {
                return Ok(());
            }
        }
    }

    fn item(&self, item: &Item, told: &mut Told) {
        match item {
            Item::Event(stored) => {
                told.seen = stored.seq;
                // Only who leaves then wants to know.
                told.may_have_ended |= self.leaves.is_some()
                    && Envelope::kind(&stored.text) == Some(EventKind::SessionEnded);
                self.add(Sent::Event(stored.seq, &self.sight.event(stored)), told);
            }
            Item::Live(frame) => {
                let shown = told.live.frame(frame);
                let shown = shown.and_then(|frame| serde_json::to_string(&*frame).ok());
                if let Some(frame) = shown {
                    self.add(Sent::Live(&frame), told);
                }
            }
        }
        if !told.caught_up && told.seen >= self.head {
            told.caught_up = true;
            told.may_have_ended = true;
            self.add(Sent::CaughtUp(self.handle.id(), told.seen), told);
        }
    }

    fn add(&self, sent: Sent<'_>, told: &mut Told) {
        (self.framing)(sent, &mut told.text);
    }

    /// Whether the session has ended with this event, for who leaves then.
    async fn end(&self, seen: Seq) -> Result<End, Problem> {
        let Some(store) = &self.leaves else {
            return Ok(End::None);
        };
        let row = store.session_row(self.handle.id()).await.told()?;
        Ok(match row {
            Some(row) if row.state == SessionState::Ended && row.event_count == seen.0 => End::Here,
            Some(row) if row.state == SessionState::Ended => End::Later,
            Some(_) | None => End::None,
        })
    }

    /// Waits for room; false once nobody reads.
    async fn send(&self, text: &mut String) -> bool {
        text.is_empty() || self.out.send(std::mem::take(text).into()).await.is_ok()
    }
}

/// The frames of the contract, for sockets: a line each.
pub(super) fn frames(sent: Sent<'_>, text: &mut String) {
    // Only who leaves then is told, and no socket does.
    if matches!(sent, Sent::Done(..)) {
        return;
    }
    if !text.is_empty() {
        text.push('\n');
    }
    let frame = match sent {
        Sent::Event(_, event) => return ServerFrame::push_event(text, event),
        Sent::Live(frame) => return ServerFrame::push_live(text, frame),
        Sent::CaughtUp(session_id, seq) => ServerFrame::CaughtUp { session_id, seq },
        Sent::Done(..) => return,
        Sent::Over(session, problem) => ServerFrame::Unsubscribed {
            session_id: Some(session),
            problem,
        },
    };
    text.push_str(&serde_json::to_string(&frame).unwrap_or_default());
}
