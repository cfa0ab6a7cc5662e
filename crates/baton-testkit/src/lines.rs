//! A stream of lines that tests wait on.

use std::io::{BufRead as _, BufReader};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::Value;

use crate::process::Source;

/// Lines read from a pipe by a thread of its own, all of them kept for the
/// length of the test, so that a program under test is never held up.
pub struct Lines {
    name: String,
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    lines: Vec<String>,
    /// Lines before this one have been looked at by `next_match`.
    cursor: usize,
    ended: bool,
}

impl Lines {
    /// Starts to read.
    pub(crate) fn read(name: String, source: impl Source) -> Self {
        let shared = Arc::new(Shared::default());
        let writer = Arc::clone(&shared);
        // Ends with the stream; a descendant that keeps it open is killed with the sandbox.
        std::thread::spawn(move || {
            let mut reader = BufReader::with_capacity(256 * 1024, source);
            let mut line = Vec::new();
            while matches!(reader.read_until(b'\n', &mut line), Ok(count) if count > 0) {
                let text =
                    String::from_utf8_lossy(line.strip_suffix(b"\n").unwrap_or(&line)).into_owned();
                line.clear();
                writer.update(|state| state.lines.push(text));
            }
            writer.update(|state| state.ended = true);
        });
        Self { name, shared }
    }

    /// All lines so far.
    pub fn all(&self) -> Vec<String> {
        self.shared.lock().lines.clone()
    }

    /// All lines so far as one text.
    pub fn text(&self) -> String {
        let mut text = self.shared.lock().lines.join("\n");
        if !text.is_empty() {
            text.push('\n');
        }
        text
    }

    /// The lines so far that are JSON.
    pub fn json(&self) -> Vec<Value> {
        let state = self.shared.lock();
        state
            .lines
            .iter()
            .filter_map(|line| serde_json::from_str(line).ok())
            .collect()
    }

    /// How many lines have been read.
    pub fn count(&self) -> usize {
        self.shared.lock().lines.len()
    }

    /// Waits for the next line, after the one found before, that is JSON and
    /// for which `wanted` holds.
    ///
    /// # Panics
    /// When `limit` passes or the stream ends first.
    #[track_caller]
    pub fn wait_for(&self, wanted: impl Fn(&Value) -> bool, limit: Duration) -> Value {
        match self.next_match(&wanted, limit) {
            Ok(value) => value,
            Err(seen) => panic!("{seen}"),
        }
    }

    /// Waits for a line that contains `part`, from the beginning.
    ///
    /// # Panics
    /// When `limit` passes or the stream ends first.
    #[track_caller]
    pub fn wait_for_text(&self, part: &str, limit: Duration) -> String {
        let find = |state: &State| state.lines.iter().find(|line| line.contains(part)).cloned();
        let state = self.wait_while(limit, |state| find(state).is_none() && !state.ended);
        match find(&state) {
            Some(line) => line,
            None => panic!("{}", self.missing(&state, part)),
        }
    }

    /// Waits until there are at least `count` lines.
    ///
    /// # Panics
    /// When `limit` passes or the stream ends first.
    #[track_caller]
    pub fn wait_for_count(&self, count: usize, limit: Duration) {
        let state = self.wait_while(limit, |state| state.lines.len() < count && !state.ended);
        assert!(
            state.lines.len() >= count,
            "{}",
            self.missing(&state, &format!("{count} lines"))
        );
    }

    /// Waits for the end of the stream.
    ///
    /// # Panics
    /// When `limit` passes first.
    #[track_caller]
    pub fn wait_end(&self, limit: Duration) {
        let state = self.wait_while(limit, |state| !state.ended);
        assert!(state.ended, "{} is still open after {limit:?}", self.name);
    }

    pub(crate) fn next_match(
        &self,
        wanted: &dyn Fn(&Value) -> bool,
        limit: Duration,
    ) -> Result<Value, String> {
        let mut found = None;
        let state = self.wait_while(limit, |state| {
            while let Some(line) = state.lines.get(state.cursor) {
                state.cursor += 1;
                let value = serde_json::from_str(line).ok();
                if let Some(value) = value.filter(|value| wanted(value)) {
                    found = Some(value);
                    return false;
                }
            }
            !state.ended
        });
        found.ok_or_else(|| self.missing(&state, "the awaited line"))
    }

    fn wait_while(
        &self,
        limit: Duration,
        holds: impl FnMut(&mut State) -> bool,
    ) -> MutexGuard<'_, State> {
        let state = self.shared.lock();
        let waited = self.shared.changed.wait_timeout_while(state, limit, holds);
        waited.unwrap_or_else(PoisonError::into_inner).0
    }

    fn missing(&self, state: &State, what: &str) -> String {
        const SHOWN: usize = 40;
        let skipped = state.lines.len().saturating_sub(SHOWN);
        let why = if state.ended { "ended" } else { "was too slow" };
        let lines: Vec<String> = state.lines[skipped..]
            .iter()
            .map(|line| shorten(line))
            .collect();
        format!(
            "{} {why} before {what}; its last lines ({skipped} more before):\n{}",
            self.name,
            lines.join("\n")
        )
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn update(&self, change: impl FnOnce(&mut State)) {
        change(&mut self.lock());
        self.changed.notify_all();
    }
}

fn shorten(line: &str) -> String {
    const WIDTH: usize = 400;
    line.chars().take(WIDTH).collect()
}
