//! Lines that a person types.

use std::{
    collections::VecDeque,
    io::BufRead,
    sync::{Arc, Mutex, PoisonError},
};

use rustix::termios::QueueSelector;
use tokio::sync::Notify;

/// Standard input, read on a thread of its own that begins when the first
/// line is asked for.
#[derive(Debug, Clone, Default)]
pub(crate) struct Stdin {
    shared: Arc<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    state: Mutex<Typed>,
    news: Notify,
}

#[derive(Debug, Default)]
struct Typed {
    reading: bool,
    ended: bool,
    /// What a person typed ahead; nobody types enough to need a bound.
    lines: VecDeque<String>,
}

impl Stdin {
    /// The next line; none at the end of the input. Cancel-safe.
    pub(crate) async fn line(&self) -> Option<String> {
        self.begin();
        loop {
            let news = self.shared.news.notified();
            {
                let mut state = self.shared.lock();
                if let Some(line) = state.lines.pop_front() {
                    return Some(line);
                }
                if state.ended {
                    return None;
                }
            }
            news.await;
        }
    }

    /// Forgets what was typed so far, so that only what is typed after a
    /// question was seen can answer it.
    pub(crate) fn forget(&self) {
        // Not a terminal: then nothing waits in one.
        rustix::termios::tcflush(std::io::stdin(), QueueSelector::IFlush).ok();
        self.shared.lock().lines.clear();
    }

    fn begin(&self) {
        if std::mem::replace(&mut self.shared.lock().reading, true) {
            return;
        }
        let shared = Arc::clone(&self.shared);
        std::thread::spawn(move || {
            for line in std::io::stdin().lock().lines() {
                let Ok(line) = line else { break };
                shared.lock().lines.push_back(line);
                shared.news.notify_one();
            }
            shared.lock().ended = true;
            shared.news.notify_one();
        });
    }
}

impl Shared {
    fn lock(&self) -> std::sync::MutexGuard<'_, Typed> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn what_was_typed_before_a_question_does_not_answer_it() {
        let input = Stdin::default();
        {
            let mut state = input.shared.lock();
            state.reading = true;
            state.lines.push_back("y".into());
        }
        input.forget();
        input.shared.lock().lines.push_back("n".into());
        assert_eq!(input.line().await.as_deref(), Some("n"));
    }
}
