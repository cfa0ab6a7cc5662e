//! What the agent says: live text straight to the screen, the rest to the log.

use std::task::Poll;

use baton_process::{
    Line,
    holder::{HolderEvent, Position},
};
use bytes::Bytes;

use super::{Actor, Broken, attached::Attached, batch::Batch};
use crate::agents::AgentOutput;

/// Output that has come already goes into one commit, up to this many bytes:
/// an agent that says much at once must not wait for the disk each time.
const TOGETHER: usize = 256 * 1024;

impl Actor {
    pub(super) async fn output(&mut self, start: Position, bytes: Bytes) -> Result<(), Broken> {
        let Some(mut process) = self.process.take() else {
            return Ok(());
        };
        // Lines that mean nothing to a person are signs of life too.
        self.parts.machine.hear(self.at());
        let turn = self.parts.machine.facts().open.turn;
        let mut batch = Batch::default();
        let mut taken = bytes.len();
        self.translate(&mut process, start, &bytes, &mut batch)
            .await;
        // Where a reader must not be overtaken, each commit is looked at.
        while batch.has_records()
            && taken < TOGETHER
            && !self.parts.pace.is_kept()
            && self.parts.machine.facts().open.turn == turn
            && let Some((start, bytes)) = more(&mut process).await
        {
            taken += bytes.len();
            self.translate(&mut process, start, &bytes, &mut batch)
                .await;
        }
        self.process = Some(process);
        if batch.is_empty() {
            return self.mark_if_far().await;
        }
        let costs = batch.costs;
        self.commit(batch, true).await?;
        if costs {
            self.watch_spending().await?;
        }
        // A turn that the agent began by itself.
        if self.parts.machine.facts().open.turn != turn {
            self.look_again().await?;
        }
        self.watch_folder().await
    }

    async fn translate(
        &mut self,
        process: &mut Attached,
        start: Position,
        bytes: &[u8],
        batch: &mut Batch,
    ) {
        let now = self.parts.world.now();
        let mut shown = false;
        let mut outputs = Vec::new();
        let mut at = 0;
        while let Some(split) = process.splitter.next(&bytes[at..]) {
            at += split.consumed;
            match split.line {
                Line::Whole(line) | Line::Unfinished(line) => {
                    process.translator.line(line, &mut outputs);
                }
                Line::TooLong { bytes, head } => {
                    process.translator.oversized(bytes, head, &mut outputs);
                }
            }
            process.position = start.0 + at as u64;
            for output in outputs.drain(..) {
                if batch.is_empty()
                    && let AgentOutput::Live(live) = output
                {
                    self.parts.live.put(now, live);
                    shown = true;
                } else {
                    self.agent_output(output, batch, process.source()).await;
                }
            }
        }
        if shown {
            // Once for all that came together: whoever reads takes it as one.
            self.parts.live.wake();
        }
        process.in_line = at < bytes.len();
        if process.splitter.is_skipping() {
            process.in_line = false;
            process.position = start.0 + bytes.len() as u64;
        }
    }
}

/// Further output if it is there already. Anything else that is waits for its
/// turn.
async fn more(process: &mut Attached) -> Option<(Position, Bytes)> {
    if process.ahead.is_some() {
        return None;
    }
    let look = {
        let next = process.reader.next();
        tokio::pin!(next);
        std::future::poll_fn(|cx| Poll::Ready(next.as_mut().poll(cx))).await
    };
    match look {
        Poll::Ready(Ok(HolderEvent::Output { start, bytes })) => Some((start, bytes)),
        Poll::Ready(other) => {
            process.ahead = Some(other);
            None
        }
        Poll::Pending => None,
    }
}
