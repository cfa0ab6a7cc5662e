//! In which folder each call of a tool would run.
//!
//! The agent says where it is before it uses a tool, and not when it asks, so
//! what it said is kept for a while. A shell command that changes the folder
//! takes later calls along, also those that were asked about before it ended.

use std::{
    collections::VecDeque,
    path::{Path, PathBuf},
};

use baton_protocol::ToolKind;

use crate::agents::Ask;

/// How many calls are remembered. Of older ones it is not known where they are.
const MOST: usize = 128;

#[derive(Debug, Default)]
pub(super) struct Whereabouts {
    calls: VecDeque<Seen>,
    /// Calls that name a file from where the agent is.
    relative: VecDeque<String>,
}

#[derive(Debug)]
struct Seen {
    tool_use_id: String,
    cwd: PathBuf,
    agent_id: Option<String>,
    /// It is a shell command.
    shell: bool,
    /// It may leave the agent in another folder.
    moves: bool,
}

impl Whereabouts {
    /// The agent is about to use a tool.
    pub(super) fn note(&mut self, ask: &Ask) {
        let (Some(id), Some(cwd)) = (&ask.tool_use_id, &ask.cwd) else {
            return;
        };
        let input = ask.input.value();
        let command = input["command"].as_str().unwrap_or_default();
        self.calls.retain(|seen| seen.tool_use_id != *id);
        if self.calls.len() == MOST {
            self.calls.pop_front();
        }
        self.calls.push_back(Seen {
            tool_use_id: id.clone(),
            cwd: cwd.clone(),
            agent_id: ask.agent_id.clone(),
            shell: !command.is_empty(),
            moves: may_move(command),
        });
    }

    /// The agent said which tool it will use. Before it does, some versions put
    /// in the whole path of a file, and look it up again from where they are
    /// when the call runs.
    pub(super) fn requested(&mut self, tool_use_id: &str, kind: ToolKind, path: Option<&str>) {
        let is_whole = |path: &str| path.trim_start().starts_with(['/', '~']);
        if !is_of_files(kind) || path.is_some_and(is_whole) {
            return;
        }
        if self.relative.len() == MOST {
            self.relative.pop_front();
        }
        self.relative.push_back(tool_use_id.to_owned());
    }

    /// Whether a call names a file from where the agent is.
    pub(super) fn is_relative(&self, tool_use_id: Option<&str>) -> bool {
        self.relative
            .iter()
            .any(|id| Some(id.as_str()) == tool_use_id)
    }

    /// Where a call would run, if that was said.
    pub(super) fn of(&self, tool_use_id: Option<&str>) -> Option<&Path> {
        let id = tool_use_id?;
        let seen = self.calls.iter().rev().find(|seen| seen.tool_use_id == id);
        seen.map(|seen| seen.cwd.as_path())
    }

    /// Every folder that the agent was seen in.
    pub(super) fn seen(&self) -> impl Iterator<Item = &Path> {
        self.calls.iter().map(|seen| seen.cwd.as_path())
    }

    /// Whether another call that `is_open` may take the agent elsewhere first,
    /// or would be taken along by this one after it was judged.
    pub(super) fn is_moving(
        &self,
        tool_use_id: Option<&str>,
        is_open: impl Fn(&str) -> bool,
    ) -> bool {
        let own = self
            .calls
            .iter()
            .find(|seen| seen.moves && Some(seen.tool_use_id.as_str()) == tool_use_id);
        let depends = |seen: &Seen| seen.shell || self.is_relative(Some(&seen.tool_use_id));
        self.calls.iter().any(|seen| {
            let taken_along = own.is_some_and(|own| own.agent_id == seen.agent_id) && depends(seen);
            (seen.moves || taken_along)
                && Some(seen.tool_use_id.as_str()) != tool_use_id
                && is_open(&seen.tool_use_id)
        })
    }
}

/// Whether a call is of a tool that is given a file or a folder.
pub(super) const fn is_of_files(kind: ToolKind) -> bool {
    matches!(
        kind,
        ToolKind::Read | ToolKind::Search | ToolKind::Edit | ToolKind::Write
    )
}

/// Whether a command may change the folder, by its words alone: what hides a
/// `cd` in other words is asked about anyway.
fn may_move(command: &str) -> bool {
    let mut words = command.split(|c: char| !c.is_alphanumeric());
    words.any(|word| matches!(word, "cd" | "chdir" | "pushd" | "popd" | "source" | "eval"))
}

#[cfg(test)]
mod tests {
    use baton_protocol::words::Json;

    use super::*;

    fn call(id: &str, cwd: &str, command: &str) -> Ask {
        Ask {
            tool_use_id: Some(id.into()),
            cwd: Some(cwd.into()),
            input: Json::of(&serde_json::json!({ "command": command })),
            ..Ask::default()
        }
    }

    #[test]
    fn a_call_is_where_the_agent_was_and_moves_with_others_that_are_open() {
        let mut known = Whereabouts::default();
        known.note(&call("a", "/p", "cd sub"));
        known.note(&call("b", "/p", "cat x"));
        assert_eq!(known.of(Some("b")), Some(Path::new("/p")));
        assert_eq!(known.of(Some("c")), None);
        assert!(known.is_moving(Some("b"), |_| true));
        assert!(!known.is_moving(Some("b"), |_| false));
        assert!(
            !known.is_moving(Some("a"), |id| id == "a"),
            "its own words are judged"
        );
        assert!(
            known.is_moving(Some("a"), |id| id == "b"),
            "it would take along what was judged where the agent is now"
        );
    }

    #[test]
    fn a_file_that_is_named_from_where_the_agent_is_is_taken_along() {
        let mut known = Whereabouts::default();
        for (id, path) in [("near", "../x"), ("whole", "/p/x")] {
            known.requested(id, ToolKind::Read, Some(path));
            known.note(&call(id, "/p/sub", ""));
        }
        known.note(&call("a", "/p/sub", "cd .."));
        assert!(known.is_relative(Some("near")));
        assert!(!known.is_relative(Some("whole")));
        assert!(known.is_moving(Some("a"), |id| id == "near"));
        assert!(!known.is_moving(Some("a"), |id| id == "whole"));
    }

    #[test]
    fn only_the_last_calls_are_remembered() {
        let mut known = Whereabouts::default();
        for number in 0..=MOST {
            known.note(&call(&number.to_string(), "/p", "ls"));
        }
        assert_eq!(known.of(Some("0")), None);
        assert_eq!(known.of(Some("1")), Some(Path::new("/p")));
    }
}
