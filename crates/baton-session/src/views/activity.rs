//! What the agent is doing right now, in a few words such as `Reading …/main.rs`.

use baton_protocol::api::RunningTool;

use crate::fold::Open;

/// What to show; none when nothing goes on.
pub(super) fn label(open: &Open) -> Option<String> {
    if !open.approvals.is_empty() {
        return Some("Waiting for you".to_owned());
    }
    // A call that waits for calls of its own sub-agent is shown by those.
    let is_leaf = |tool: &&RunningTool| {
        let mut others = open.tools.iter();
        !others.any(|other| other.parent_tool_use_id.as_ref() == Some(&tool.tool_use_id))
    };
    let mut leaves = open.tools.iter().rev().filter(is_leaf);
    if let Some(newest) = leaves.next() {
        return Some(and_more(newest.label.clone(), leaves.count()));
    }
    if open.in_turn {
        return Some("Working".to_owned());
    }
    // What goes on though no turn does.
    let (newest, others) = open.work.split_last()?;
    let what = newest.description.as_deref();
    let what = what.unwrap_or(newest.kind.as_str());
    Some(and_more(format!("In the background: {what}"), others.len()))
}

fn and_more(what: String, more: usize) -> String {
    match more {
        0 => what,
        more => format!("{what} (+{more})"),
    }
}
