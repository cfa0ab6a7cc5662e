//! The facts a screen needs to open a session at its tail.

use baton_protocol::{Envelope, Seq, api::SessionFacts};

use super::{activity, changed::Changed, tree::Tree};
use crate::fold::Open;

/// What is open, waiting and running in one session, and what its sub-agents
/// and its files came to.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Overview {
    open: Open,
    tree: Tree,
    changed: Changed,
}

impl Overview {
    pub fn event(&mut self, envelope: &Envelope) {
        self.tree.event(envelope);
        self.changed.event(&self.open, &envelope.event);
        self.open.apply(envelope.ts, &envelope.event);
    }

    /// The last event these facts know of.
    pub const fn seq(&self) -> Seq {
        self.open.seq
    }

    pub fn facts(&self) -> SessionFacts {
        let open = self.open.clone();
        let mut tools = open.tools;
        for tool in &mut tools {
            tool.agent_id = self.tree.caller(&tool.tool_use_id).map(str::to_owned);
        }
        SessionFacts {
            seq: open.seq,
            activity: activity::label(&self.open),
            approvals: open.approvals,
            queue: open.queue,
            todo: open.todo,
            context: open.context,
            tools,
            tasks: open.tasks.into_values().collect(),
            subagents: self.tree.agents().to_vec(),
            changed: self.changed.found().clone(),
            work: open.work,
        }
    }
}
