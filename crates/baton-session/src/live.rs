//! Text that is being written, shared with every screen.
//!
//! Live text is a state, not a queue: the buffer holds what each open block
//! says so far, and every reader takes what lies beyond its own offset. A slow
//! reader gets fewer, longer frames; a late one starts at offset 0; nobody can
//! make it grow, because it never holds more than the open blocks themselves.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
};

use baton_protocol::{
    Live, LiveFrame, Seq, SessionId, Timestamp, Turn,
    event::{AssistantBlock, AssistantMessage, AssistantThinking},
    live::{TextDelta, ToolProgress},
};
use tokio::sync::watch;

use crate::agents::AgentOutput;

/// Text of one block beyond this is not kept for late readers; the event
/// that completes the block makes them whole.
const MAX_BLOCK: usize = 4 * 1024 * 1024;

/// The writing side, owned by the session's task.
#[derive(Debug)]
pub(crate) struct LiveBuffer {
    shared: Arc<Mutex<Shared>>,
    wake: watch::Sender<u64>,
    /// How many read along.
    readers: watch::Sender<usize>,
}

/// One reader's place in the live text.
#[derive(Debug)]
pub(crate) struct LiveReader {
    shared: Arc<Mutex<Shared>>,
    wake: watch::Receiver<u64>,
    seen: BTreeMap<Key, Seen>,
    generation: u64,
    /// Counts this reader while it is there.
    readers: watch::Sender<usize>,
}

impl Drop for LiveReader {
    fn drop(&mut self) {
        self.readers
            .send_modify(|readers| *readers = readers.saturating_sub(1));
    }
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Key {
    Text {
        message: String,
        block: u32,
        thinking: bool,
    },
    Tool(String),
}

#[derive(Debug, Clone, Copy)]
struct Seen {
    bytes: usize,
    units: u64,
    progress: u64,
}

#[derive(Debug)]
struct Shared {
    session: SessionId,
    after: Seq,
    turn: Turn,
    ts: Timestamp,
    /// Counts resets, so that a reader knows its offsets are of old blocks.
    generation: u64,
    entries: BTreeMap<Key, LiveText>,
}

#[derive(Debug, Clone, Default)]
struct LiveText {
    /// Where the text begins in its block, in UTF-16 units: not at its start
    /// when an earlier owner saw that.
    base: u64,
    text: String,
    /// Text was left out, so nothing more may follow.
    full: bool,
    progress: u64,
}

impl LiveBuffer {
    pub(crate) fn new(session: SessionId, after: Seq, turn: Turn, ts: Timestamp) -> Self {
        let shared = Shared {
            session,
            after,
            turn,
            ts,
            generation: 0,
            entries: BTreeMap::new(),
        };
        Self {
            shared: Arc::new(Mutex::new(shared)),
            wake: watch::Sender::new(0),
            readers: watch::Sender::new(0),
        }
    }

    /// The last event that was committed.
    pub(crate) fn head(&self) -> Seq {
        lock(&self.shared).after
    }

    /// How many read along, and when that changes.
    pub(crate) fn readers(&self) -> watch::Receiver<usize> {
        self.readers.subscribe()
    }

    /// Takes one frame's content in and wakes the readers.
    pub(crate) fn push(&self, ts: Timestamp, live: Live) {
        self.put(ts, live);
        self.wake();
    }

    /// Takes one frame's content in. The readers see it when they are woken,
    /// which one who puts much at once does once.
    pub(crate) fn put(&self, ts: Timestamp, live: Live) {
        let mut shared = lock(&self.shared);
        shared.ts = ts;
        match live {
            Live::AssistantDelta(delta) => shared.text(delta, false),
            Live::ThinkingDelta(delta) => shared.text(delta, true),
            Live::ToolProgress(progress) => {
                let key = Key::Tool(progress.tool_use_id);
                shared.entries.entry(key).or_default().progress = progress.elapsed_ms;
            }
            // Terminal bytes have their own scrollback, not this buffer.
            Live::PtyData(_) => {}
        }
    }

    pub(crate) fn wake(&self) {
        self.wake.send_modify(|count| *count += 1);
    }

    /// Events up to `after` are committed. Blocks they completed are dropped.
    pub(crate) fn committed(
        &self,
        after: Seq,
        turn: Turn,
        done: &[(String, u32)],
        turn_over: bool,
    ) {
        let mut shared = lock(&self.shared);
        shared.after = after;
        shared.turn = turn;
        if turn_over {
            shared.generation += 1;
            shared.entries.clear();
        }
        shared.entries.retain(|key, _| match key {
            Key::Text { message, block, .. } => !done
                .iter()
                .any(|(id, number)| id == message && number == block),
            Key::Tool(_) => true,
        });
        drop(shared);
        self.wake();
    }

    /// Blocks that were streamed from their start and never completed, as the
    /// events that keep what there is of them.
    pub(crate) fn unfinished(&self) -> Vec<AgentOutput> {
        let shared = lock(&self.shared);
        let open = shared.entries.iter().filter_map(|(key, entry)| match key {
            Key::Text {
                message,
                block,
                thinking,
            } if entry.base == 0 && !entry.full && !entry.text.is_empty() => {
                let cut = AssistantBlock {
                    message_id: message.clone(),
                    agent_uuid: None,
                    block: *block,
                    content: entry.text.clone(),
                    model: None,
                    usage: None,
                    parent_tool_use_id: None,
                    aborted: true,
                };
                let event = if *thinking {
                    AssistantThinking(cut).into()
                } else {
                    AssistantMessage(cut).into()
                };
                Some(AgentOutput::Event {
                    event,
                    agent_id: None,
                })
            }
            Key::Text { .. } | Key::Tool(_) => None,
        });
        open.collect()
    }

    pub(crate) fn reader(&self) -> LiveReader {
        self.readers.send_modify(|readers| *readers += 1);
        LiveReader {
            readers: self.readers.clone(),
            shared: Arc::clone(&self.shared),
            wake: self.wake.subscribe(),
            seen: BTreeMap::new(),
            generation: lock(&self.shared).generation,
        }
    }
}

impl Shared {
    fn text(&mut self, delta: TextDelta, thinking: bool) {
        let key = Key::Text {
            message: delta.message_id,
            block: delta.block,
            thinking,
        };
        let entry = self.entries.entry(key).or_insert_with(|| LiveText {
            base: delta.offset,
            ..LiveText::default()
        });
        entry.full |= entry.text.len() + delta.text.len() > MAX_BLOCK;
        if !entry.full {
            entry.text.push_str(&delta.text);
        }
    }
}

impl LiveReader {
    /// Waits until something may be new. Cancel-safe.
    pub(crate) async fn changed(&mut self) -> bool {
        self.wake.changed().await.is_ok()
    }

    /// Takes what this reader has not seen, as frames, if it has seen every
    /// event up to `at` and the live text follows just that.
    pub(crate) fn take_at(&mut self, at: Seq) -> Vec<LiveFrame> {
        self.wake.mark_unchanged();
        let shared = lock(&self.shared);
        if shared.after != at {
            return Vec::new();
        }
        if shared.generation != self.generation {
            self.generation = shared.generation;
            self.seen.clear();
        }
        let mut frames = Vec::new();
        for (key, entry) in &shared.entries {
            let seen = self.seen.get(key).copied().unwrap_or(Seen {
                bytes: 0,
                units: entry.base,
                progress: 0,
            });
            let Some((live, seen)) = news(key, entry, seen) else {
                continue;
            };
            match self.seen.get_mut(key) {
                Some(known) => *known = seen,
                None => drop(self.seen.insert(key.clone(), seen)),
            }
            frames.push(LiveFrame {
                session_id: shared.session,
                after: shared.after,
                ts: shared.ts,
                turn: shared.turn,
                live,
            });
        }
        let entries = &shared.entries;
        self.seen.retain(|key, _| entries.contains_key(key));
        frames
    }
}

fn news(key: &Key, entry: &LiveText, mut seen: Seen) -> Option<(Live, Seen)> {
    match key {
        Key::Text {
            message,
            block,
            thinking,
        } => {
            let text = entry
                .text
                .get(seen.bytes..)
                .filter(|text| !text.is_empty())?;
            let delta = TextDelta {
                message_id: message.clone(),
                block: *block,
                offset: seen.units,
                text: text.to_owned(),
            };
            seen.bytes = entry.text.len();
            seen.units += text.chars().map(|c| c.len_utf16() as u64).sum::<u64>();
            let live = if *thinking {
                Live::ThinkingDelta(delta)
            } else {
                Live::AssistantDelta(delta)
            };
            Some((live, seen))
        }
        Key::Tool(tool) => {
            if entry.progress == seen.progress {
                return None;
            }
            seen.progress = entry.progress;
            let progress = ToolProgress {
                tool_use_id: tool.clone(),
                elapsed_ms: entry.progress,
            };
            Some((Live::ToolProgress(progress), seen))
        }
    }
}

/// A poisoned lock still holds text; the worst a panic can leave is half a push.
fn lock(shared: &Mutex<Shared>) -> std::sync::MutexGuard<'_, Shared> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
#[path = "live_tests.rs"]
mod tests;
