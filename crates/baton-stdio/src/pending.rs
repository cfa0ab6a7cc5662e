//! Changes that somebody asked for and will hear of from the log.
//!
//! The log tells of a change but not who asked for it, so the request is kept
//! here until the change comes by. One that was done and made no event (it was
//! so already) is told after a while.

use baton_protocol::{MessageId, words::PermissionMode};

use crate::output::{FilesRewound, ModelChanged, Output, PermissionModeChanged};

/// So many ticks after it was done a change is told without an event.
const LATE: u8 = 8;

#[derive(Debug, Default)]
pub(crate) struct Expected {
    entries: Vec<Entry>,
    next: u64,
}

#[derive(Debug)]
struct Entry {
    number: u64,
    what: What,
    request_id: Option<String>,
    /// Done, and so many ticks ago.
    done: Option<u8>,
}

/// What is expected to change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum What {
    Model(Option<String>),
    Mode(PermissionMode),
    Rewind(MessageId),
    Interrupt,
}

impl Expected {
    pub(crate) fn add(&mut self, what: What, request_id: Option<String>) -> u64 {
        self.next += 1;
        self.entries.push(Entry {
            number: self.next,
            what,
            request_id,
            done: None,
        });
        self.next
    }

    /// It will not come: the request that is to be told.
    pub(crate) fn failed(&mut self, number: u64) -> Option<String> {
        let at = self.entries.iter().position(|one| one.number == number)?;
        self.entries.remove(at).request_id
    }

    pub(crate) fn done(&mut self, number: u64) {
        if let Some(entry) = self.entries.iter_mut().find(|one| one.number == number) {
            entry.done = Some(0);
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    pub(crate) fn model(&mut self, model: Option<&str>) -> Option<String> {
        self.take(|what| matches!(what, What::Model(asked) if asked.as_deref() == model))
    }

    pub(crate) fn mode(&mut self, mode: PermissionMode) -> Option<String> {
        self.take(|what| *what == What::Mode(mode))
    }

    pub(crate) fn rewound(&mut self, checkpoint: MessageId) -> Option<String> {
        self.take(|what| *what == What::Rewind(checkpoint))
    }

    /// Everyone who asked for an interrupt.
    pub(crate) fn interrupts(&mut self) -> Vec<Option<String>> {
        let asked = self
            .entries
            .extract_if(.., |entry| entry.what == What::Interrupt);
        asked.map(|entry| entry.request_id).collect()
    }

    /// Tells of what was done long ago and made no event.
    pub(crate) fn tick(&mut self, out: &mut Vec<Output>) {
        for entry in &mut self.entries {
            entry.done = entry.done.map(|ticks| ticks.saturating_add(1));
        }
        // An interrupt is done when the turn is, which may take its time.
        let late = self.entries.extract_if(.., |entry| {
            entry.what != What::Interrupt && entry.done.is_some_and(|ticks| ticks > LATE)
        });
        for entry in late {
            let request_id = entry.request_id;
            match entry.what {
                What::Model(model) => out.push(
                    ModelChanged {
                        model,
                        reason: Some("user".into()),
                        request_id,
                    }
                    .into(),
                ),
                What::Mode(mode) => out.push(
                    PermissionModeChanged {
                        mode,
                        by: "user".into(),
                        request_id,
                    }
                    .into(),
                ),
                What::Rewind(checkpoint_id) => out.push(
                    FilesRewound {
                        checkpoint_id,
                        files: Vec::new(),
                        dry_run: false,
                        request_id,
                    }
                    .into(),
                ),
                What::Interrupt => {}
            }
        }
    }

    fn take(&mut self, is: impl Fn(&What) -> bool) -> Option<String> {
        let at = self.entries.iter().position(|entry| is(&entry.what))?;
        self.entries.remove(at).request_id
    }
}
