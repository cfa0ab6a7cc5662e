//! The facts a screen needs to open a session at its tail.
//!
//! True as of the last event folded in; [`Overview::seq`] says which.

use std::collections::BTreeMap;

use baton_protocol::{
    ApprovalId, Envelope, Event, Seq, Timestamp,
    api::{ChangedFiles, QueuedMessage},
    event::{
        ApprovalRequested, ContextUsage, RunningWork, TaskUpdated, TodoItem, TurnStarted,
        UserMessage,
    },
    words::TaskStatus,
    work,
};

use super::{Activity, Tree, changed::Changed};

/// What is open, waiting and running in one session.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Overview {
    seq: Seq,
    tree: Tree,
    activity: Activity,
    changed: Changed,
    approvals: BTreeMap<ApprovalId, AskedFor>,
    queue: Vec<QueuedMessage>,
    tasks: BTreeMap<String, TaskUpdated>,
    work: Vec<RunningWork>,
    todo: Vec<TodoItem>,
    context: Option<ContextUsage>,
}

/// An approval that waits for a person.
#[derive(Debug, Clone, PartialEq)]
pub struct AskedFor {
    pub seq: Seq,
    pub at: Timestamp,
    pub request: ApprovalRequested,
}

impl Overview {
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "what is said changes nothing that is open"
    )]
    pub fn event(&mut self, envelope: &Envelope) {
        self.seq = envelope.seq;
        self.tree.event(envelope);
        self.activity.event(envelope);
        self.changed.event(envelope);
        work::follow(&mut self.work, envelope.ts, &envelope.event);
        match &envelope.event {
            Event::ApprovalRequested(requested) => {
                let asked = AskedFor {
                    seq: envelope.seq,
                    at: envelope.ts,
                    request: requested.clone(),
                };
                self.approvals.insert(requested.approval_id, asked);
            }
            Event::ApprovalResolved(resolved) => {
                self.approvals.remove(&resolved.approval_id);
            }
            Event::UserMessage(message) => self.queue.push(queued(message, envelope.ts)),
            Event::MessageRemoved(removed) => {
                self.queue
                    .retain(|waiting| waiting.message_id != removed.message_id);
            }
            Event::TurnStarted(started) => self.turn_started(started),
            Event::TaskUpdated(task) if task.status == TaskStatus::Running => {
                self.tasks.insert(task.task_id.clone(), task.clone());
            }
            Event::TaskUpdated(task) => {
                self.tasks.remove(&task.task_id);
            }
            Event::TodoUpdated(todo) => self.todo.clone_from(&todo.items),
            Event::ContextUsage(usage) => self.context = Some(usage.clone()),
            // What is left is told by the next `context.usage`.
            Event::ContextCompacted(_) => self.context = None,
            Event::SessionEnded(_) => {
                self.approvals.clear();
                self.tasks.clear();
            }
            _ => {}
        }
    }

    /// The last event these facts know of.
    pub const fn seq(&self) -> Seq {
        self.seq
    }

    pub const fn tree(&self) -> &Tree {
        &self.tree
    }

    /// What goes on, in a few words; none when nothing does.
    pub fn activity(&self) -> Option<String> {
        self.activity.label()
    }

    /// The files that its tools changed, as far as the log can tell.
    pub const fn changed(&self) -> &ChangedFiles {
        self.changed.found()
    }

    /// The oldest first.
    pub fn open_approvals(&self) -> Vec<&AskedFor> {
        let mut open: Vec<&AskedFor> = self.approvals.values().collect();
        open.sort_by_key(|asked| asked.seq);
        open
    }

    /// Oldest first.
    pub fn queue(&self) -> &[QueuedMessage] {
        &self.queue
    }

    /// Work in the background that has not ended.
    pub fn tasks(&self) -> impl Iterator<Item = &TaskUpdated> {
        self.tasks.values()
    }

    /// Sub-agents and background commands at work, the oldest first.
    pub fn work(&self) -> &[RunningWork] {
        &self.work
    }

    pub fn todo(&self) -> &[TodoItem] {
        &self.todo
    }

    pub const fn context(&self) -> Option<&ContextUsage> {
        self.context.as_ref()
    }

    fn turn_started(&mut self, started: &TurnStarted) {
        let oldest = self.queue.first().map(|waiting| waiting.message_id);
        let taken = started.takes(oldest);
        self.queue
            .retain(|waiting| Some(waiting.message_id) != taken);
    }
}

fn queued(message: &UserMessage, queued_at: Timestamp) -> QueuedMessage {
    QueuedMessage {
        message_id: message.message_id,
        text: message.text.clone(),
        attachments: message.attachments.clone(),
        queued_at,
    }
}
