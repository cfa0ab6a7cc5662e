//! Changes that somebody asked for and will hear of from the log.
//!
//! The log tells of a change but not who asked for it, so the request is kept
//! here until the change comes by. One that was done and made no event (it was
//! so already) is told when the log has no more to say: a command is answered
//! after its events are committed.

use baton_protocol::{MessageId, words::PermissionMode};

use crate::output::{FilesRewound, Interrupted, ModelChanged, Output, PermissionModeChanged};

#[derive(Debug, Default)]
pub(crate) struct Expected {
    entries: Vec<Awaited>,
    next: u64,
}

#[derive(Debug)]
struct Awaited {
    number: u64,
    what: What,
    request_id: Option<String>,
    done: bool,
}

impl Awaited {
    fn is_owed(&self, turn_runs: bool) -> bool {
        self.done && !(turn_runs && self.what == What::Interrupt)
    }
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
        self.entries.push(Awaited {
            number: self.next,
            what,
            request_id,
            done: false,
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
            entry.done = true;
        }
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

    /// Whether a change is done that no event has told of. An interrupt is done
    /// when the turn is, so while one runs it is not asked for.
    pub(crate) fn owes(&self, turn_runs: bool) -> bool {
        self.entries.iter().any(|entry| entry.is_owed(turn_runs))
    }

    /// Tells of what was done and made no event: it was so already.
    pub(crate) fn answer(&mut self, turn_runs: bool, out: &mut Vec<Output>) {
        let owed = self
            .entries
            .extract_if(.., |entry| entry.is_owed(turn_runs));
        for entry in owed {
            let request_id = entry.request_id;
            out.push(match entry.what {
                What::Model(model) => ModelChanged {
                    model,
                    reason: Some("user".into()),
                    request_id,
                }
                .into(),
                What::Mode(mode) => PermissionModeChanged {
                    mode,
                    by: "user".into(),
                    request_id,
                }
                .into(),
                What::Rewind(checkpoint_id) => FilesRewound {
                    checkpoint_id,
                    files: Vec::new(),
                    dry_run: false,
                    request_id,
                }
                .into(),
                What::Interrupt => Interrupted {
                    turn: None,
                    was_running: false,
                    request_id,
                }
                .into(),
            });
        }
    }

    fn take(&mut self, is: impl Fn(&What) -> bool) -> Option<String> {
        let at = self.entries.iter().position(|entry| is(&entry.what))?;
        self.entries.remove(at).request_id
    }
}
