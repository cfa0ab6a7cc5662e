//! In which folder each call of a tool would run.
//!
//! The agent says where it is before it uses a tool, and not when it asks, so
//! what it said is kept for a while. A shell command that changes the folder
//! takes later calls along, also those that were asked about before it ended.

use std::{
    collections::VecDeque,
    path::{Path, PathBuf},
};

use crate::agents::Ask;

/// How many calls are remembered. Of older ones it is not known where they are.
const MOST: usize = 128;

#[derive(Debug, Default)]
pub(super) struct Whereabouts {
    calls: VecDeque<Seen>,
}

#[derive(Debug)]
struct Seen {
    tool_use_id: String,
    cwd: PathBuf,
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
            moves: may_move(command),
        });
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

    /// Whether another call that `is_open` may take the agent elsewhere first.
    pub(super) fn is_moving(
        &self,
        tool_use_id: Option<&str>,
        is_open: impl Fn(&str) -> bool,
    ) -> bool {
        self.calls.iter().any(|seen| {
            seen.moves
                && Some(seen.tool_use_id.as_str()) != tool_use_id
                && is_open(&seen.tool_use_id)
        })
    }
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
            !known.is_moving(Some("a"), |_| true),
            "its own words are judged"
        );
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
