//! Which files a session's tools have changed, as far as that can be told.

use std::collections::BTreeMap;

use baton_protocol::{
    Event, ToolKind,
    api::ChangedFiles,
    event::{Moved, ToolRequested},
};

use crate::fold::Open;

/// More files than this are not listed one by one.
const MOST_FILES: usize = 2000;

/// Folds a session to the files that its tools changed.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Changed {
    found: ChangedFiles,
    /// Calls under way, with what they would do.
    calls: BTreeMap<String, Does>,
}

#[derive(Debug, Clone, PartialEq)]
enum Does {
    Writes(String),
    /// It may change anything.
    Anything,
}

impl Changed {
    pub(super) const fn found(&self) -> &ChangedFiles {
        &self.found
    }

    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "only tools change files, approvals their input, and moves their names"
    )]
    /// `open` is what is open before the event.
    pub(super) fn event(&mut self, open: &Open, event: &Event) {
        match event {
            Event::ToolRequested(requested) => {
                if let Some(does) = does(requested) {
                    self.calls.insert(requested.tool_use_id.clone(), does);
                }
            }
            // A person may have changed the input.
            Event::ApprovalResolved(resolved) => {
                let asked = open.approval(resolved.approval_id);
                let call = asked.and_then(|asked| asked.tool_use_id.as_ref());
                let other = resolved.modified_subject.path.as_ref();
                if let (Some(call), Some(other)) = (call, other)
                    && let Some(Does::Writes(path)) = self.calls.get_mut(call)
                {
                    path.clone_from(other);
                }
            }
            Event::ToolCompleted(completed) => {
                let does = self.calls.remove(&completed.tool_use_id);
                match does {
                    // What failed may have changed something before it did.
                    Some(Does::Anything) => self.found.untold = self.found.untold.saturating_add(1),
                    Some(Does::Writes(path)) if !completed.is_error => self.wrote(path),
                    Some(Does::Writes(_)) | None => {}
                }
            }
            Event::SessionUpdated(updated) => {
                if let Some(moved) = &updated.moved {
                    self.follow(moved);
                }
            }
            Event::SessionEnded(_) => self.calls.clear(),
            _ => {}
        }
    }

    /// What lies in a folder that was moved has its new path, which is the one
    /// that git knows.
    fn follow(&mut self, moved: &Moved) {
        let files = std::mem::take(&mut self.found.files);
        let files = files.into_iter().map(|path| moved.place(&path));
        self.found.files = files.collect();
        for does in self.calls.values_mut() {
            if let Does::Writes(path) = does {
                *path = moved.place(path);
            }
        }
    }

    fn wrote(&mut self, path: String) {
        if self.found.files.len() < MOST_FILES {
            self.found.files.insert(path);
        } else if !self.found.files.contains(&path) {
            self.found.untold = self.found.untold.saturating_add(1);
        }
    }
}

fn does(call: &ToolRequested) -> Option<Does> {
    let subject = &call.subject;
    let kind = call.tool_kind;
    if kind.changes_file() {
        return subject.path.clone().map(Does::Writes);
    }
    // What a skill does is told as calls of its own.
    let harmless = kind.reads_files()
        || kind.is_harmless()
        || matches!(kind, ToolKind::Fetch | ToolKind::Skill);
    let command = subject
        .command
        .as_deref()
        .filter(|_| subject.language.is_none());
    let reads = kind == ToolKind::Shell && command.is_some_and(baton_rules::read_only_command);
    (!harmless && !reads).then_some(Does::Anything)
}
