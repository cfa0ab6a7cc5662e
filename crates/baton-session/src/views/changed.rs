//! Which files a session's tools have changed, as far as that can be told.

use std::collections::BTreeMap;

use baton_protocol::{
    ApprovalId, Envelope, Event,
    api::ChangedFiles,
    event::Moved,
    words::{Decision, Json},
};

/// More files than this are not listed one by one.
const MOST_FILES: usize = 2000;

/// Tools that change the one file they name.
const WRITERS: &[&str] = &["Write", "Edit", "MultiEdit", "NotebookEdit"];
/// Tools that change no file, or whose work is told as calls of its own.
const HARMLESS: &[&str] = &[
    "Read",
    "Glob",
    "Grep",
    "LS",
    "NotebookRead",
    "WebFetch",
    "WebSearch",
    "TodoWrite",
    "TaskCreate",
    "TaskUpdate",
    "TaskList",
    "TaskGet",
    "TaskOutput",
    "TaskStop",
    "BashOutput",
    "KillShell",
    "AskUserQuestion",
    "ExitPlanMode",
    "EnterPlanMode",
    "Agent",
    "Task",
    "Skill",
    "StructuredOutput",
];

/// Folds a session to the files that its tools changed.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Changed {
    found: ChangedFiles,
    /// Calls under way, with what they would do.
    calls: BTreeMap<String, Does>,
    /// The calls that open approvals are about: a person may change their input.
    asked: BTreeMap<ApprovalId, String>,
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
    pub(super) fn event(&mut self, envelope: &Envelope) {
        match &envelope.event {
            Event::ToolRequested(requested) => {
                if let Some(does) = does(&requested.name, &requested.input) {
                    self.calls.insert(requested.tool_use_id.clone(), does);
                }
            }
            Event::ApprovalRequested(requested) => {
                if let Some(call) = &requested.tool_use_id {
                    self.asked.insert(requested.approval_id, call.clone());
                }
            }
            Event::ApprovalResolved(resolved) => {
                let call = self.asked.remove(&resolved.approval_id);
                let input = resolved.modified_input.as_ref();
                if let (Some(call), Some(input), Decision::Allow) = (call, input, resolved.decision)
                    && let Some(Does::Writes(path)) = self.calls.get_mut(&call)
                    && let Some(other) = path_of(input)
                {
                    *path = other;
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
            Event::SessionEnded(_) => {
                self.calls.clear();
                self.asked.clear();
            }
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

fn does(tool: &str, input: &Json) -> Option<Does> {
    if WRITERS.contains(&tool) {
        return path_of(input).map(Does::Writes);
    }
    if HARMLESS.contains(&tool) {
        return None;
    }
    let value = input.value();
    let reads = tool == "Bash"
        && value["command"]
            .as_str()
            .is_some_and(baton_rules::read_only_command);
    (!reads).then_some(Does::Anything)
}

fn path_of(input: &Json) -> Option<String> {
    let value = input.value();
    let path = ["file_path", "notebook_path"].map(|name| value[name].as_str());
    path.into_iter().flatten().next().map(str::to_owned)
}
