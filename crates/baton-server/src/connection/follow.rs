//! One session, followed for one client, whatever carries it.

use baton_protocol::{
    Seq, SessionId,
    api::{Problem, ServerFrame},
    words::SessionState,
};
use baton_session::{Item, SessionHandle};
use baton_store::{Store, StoredEvent};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::Line;
use crate::problem;

/// As it stands in an event's text: after such an event the session may be over.
const ENDED: &str = "\"session.ended\"";

/// One thing that a follower is told.
pub(crate) enum Sent<'a> {
    Event(&'a StoredEvent),
    /// A live frame as JSON.
    Live(&'a str),
    /// Everything up to here was there when the follower came.
    CaughtUp(SessionId, Seq),
    /// The session has ended; told only to who wants to leave then.
    Done(SessionId, Seq),
    /// The last, always.
    Over(SessionId, Option<Problem>),
}

/// Puts what is sent into the form of a transport; none leaves it out.
pub(crate) type Framing<T> = fn(Sent<'_>) -> Option<T>;

pub(crate) struct Follow<T> {
    pub(crate) handle: SessionHandle,
    pub(crate) after: Seq,
    /// The last event when the client asked: what is catching up.
    pub(crate) head: Seq,
    pub(crate) out: mpsc::Sender<T>,
    pub(crate) cancel: CancellationToken,
    pub(crate) framing: Framing<T>,
    /// The log, to leave when the session ends.
    pub(crate) leaves: Option<Store>,
}

/// Where a session's end is, seen from an event.
enum End {
    /// It is this event.
    Here,
    /// It comes after it.
    Later,
    None,
}

impl<T: Send + 'static> Follow<T> {
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
        // Who is cancelled because it left does not read it either.
        let last = async { self.tell(Sent::Over(self.handle.id(), problem)).await };
        tokio::select! {
            _ = last => {}
            () = self.out.closed() => {}
        }
    }

    async fn forward(&self) -> Result<(), Problem> {
        let id = self.handle.id();
        let mut items = self.handle.subscribe(self.after);
        let mut seen = self.after;
        let mut caught_up = seen >= self.head;
        let mut may_have_ended = false;
        if caught_up {
            self.tell(Sent::CaughtUp(id, self.head)).await;
        }
        let failed = self.handle.wait_for(|progress| progress.failed.is_some());
        tokio::pin!(failed);
        let mut watches = true;
        loop {
            let item = tokio::select! {
                biased;
                item = items.next() => item.map_err(|error| problem::of_store(&error))?,
                progress = &mut failed, if watches => match progress.failed {
                    Some(why) => return Err(problem::of_stopped(&why)),
                    None => {
                        watches = false;
                        continue;
                    }
                },
            };
            let told = match &item {
                Item::Event(stored) => {
                    seen = stored.seq;
                    may_have_ended |= stored.text.contains(ENDED);
                    self.tell(Sent::Event(stored)).await
                }
                Item::Live(frame) => match serde_json::to_string(frame) {
                    Ok(frame) => self.tell(Sent::Live(&frame)).await,
                    Err(_) => continue,
                },
            };
            if !told {
                return Ok(());
            }
            if !caught_up && seen >= self.head {
                caught_up = true;
                may_have_ended = true;
                self.tell(Sent::CaughtUp(id, seen)).await;
            }
            if caught_up && may_have_ended {
                match self.end(seen).await? {
                    End::Here => {
                        self.tell(Sent::Done(id, seen)).await;
                        return Ok(());
                    }
                    End::Later => {}
                    // Asked again only after another word of an end: the text
                    // of a turn must not cost a look at the log each time.
                    End::None => may_have_ended = false,
                }
            }
        }
    }

    /// Whether the session has ended with this event, for who leaves then.
    async fn end(&self, seen: Seq) -> Result<End, Problem> {
        let Some(store) = &self.leaves else {
            return Ok(End::None);
        };
        let row = store.session_row(self.handle.id()).await;
        let row = row.map_err(|error| problem::of_store(&error))?;
        Ok(match row {
            Some(row) if row.state == SessionState::Ended && row.event_count == seen.0 => End::Here,
            Some(row) if row.state == SessionState::Ended => End::Later,
            Some(_) | None => End::None,
        })
    }

    /// Waits for room; false once nobody reads.
    async fn tell(&self, sent: Sent<'_>) -> bool {
        match (self.framing)(sent) {
            Some(frame) => self.out.send(frame).await.is_ok(),
            None => true,
        }
    }
}

/// The frames of the contract, for sockets.
pub(super) fn frames(sent: Sent<'_>) -> Option<Line> {
    let frame = match sent {
        Sent::Event(stored) => return Some(ServerFrame::event_text(&stored.text)),
        Sent::Live(frame) => return Some(format!(r#"{{"type":"live","frame":{frame}}}"#)),
        Sent::CaughtUp(session_id, seq) => ServerFrame::CaughtUp { session_id, seq },
        Sent::Done(..) => return None,
        Sent::Over(session, problem) => ServerFrame::Unsubscribed {
            session_id: Some(session),
            problem,
        },
    };
    serde_json::to_string(&frame).ok()
}
