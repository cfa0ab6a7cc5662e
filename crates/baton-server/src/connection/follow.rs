//! One session, followed for one client.

use baton_protocol::{
    Seq,
    api::{Problem, ServerFrame},
};
use baton_session::{Item, SessionHandle};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::{Line, send};
use crate::problem;

pub(super) struct Follow {
    pub(super) handle: SessionHandle,
    pub(super) after: Seq,
    /// The last event when the client asked: what is catching up.
    pub(super) head: Seq,
    pub(super) out: mpsc::Sender<Line>,
    pub(super) cancel: CancellationToken,
}

impl Follow {
    /// Sends everything until it is cancelled or cannot go on, and then that
    /// it is over, as the last.
    pub(super) async fn run(self) {
        let cancel = self.cancel.clone();
        let result = tokio::select! {
            biased;
            () = cancel.cancelled() => Ok(()),
            result = self.forward() => result.map_err(Some),
        };
        let problem = result.err().flatten();
        let over = ServerFrame::Unsubscribed {
            session_id: Some(self.handle.id()),
            problem,
        };
        // Who is cancelled because it left does not read it either.
        let last = async { send(&self.out, &over).await };
        tokio::select! {
            () = last => {}
            () = self.out.closed() => {}
        }
    }

    async fn forward(&self) -> Result<(), Problem> {
        let mut items = self.handle.subscribe(self.after);
        let mut seen = self.after;
        let mut caught_up = seen >= self.head;
        if caught_up {
            self.caught_up(self.head).await;
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
            let line = match item {
                Item::Event(stored) => {
                    seen = stored.seq;
                    ServerFrame::event_text(&stored.text)
                }
                Item::Live(frame) => match serde_json::to_string(&frame) {
                    Ok(frame) => format!(r#"{{"type":"live","frame":{frame}}}"#),
                    Err(_) => continue,
                },
            };
            if self.out.send(line).await.is_err() {
                return Ok(());
            }
            if !caught_up && seen >= self.head {
                caught_up = true;
                self.caught_up(seen).await;
            }
        }
    }

    async fn caught_up(&self, seq: Seq) {
        let frame = ServerFrame::CaughtUp {
            session_id: self.handle.id(),
            seq,
        };
        send(&self.out, &frame).await;
    }
}
