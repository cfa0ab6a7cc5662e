//! What is open, waiting and running in a session, folded from its events.
//!
//! One reducer for everybody in here: the state machine decides by it, and
//! screens are told of it. What else each of them needs it keeps beside it.

use std::collections::BTreeMap;

use baton_protocol::{
    ApprovalId, Event, MessageId, Seq, Timestamp, Turn,
    api::{QueuedMessage, RunningTool, WaitingApproval},
    event::{
        ApprovalRequested, ContextUsage, RunningWork, TaskUpdated, TodoItem, ToolRequested,
        UserMessage,
    },
    words::{TaskStatus, WorkKind},
    work,
};

/// A session as it stands after its last event.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Open {
    /// The last event. It is counted, since the state machine takes events in
    /// before they are committed; a log has no gaps.
    pub seq: Seq,
    /// The last turn that began.
    pub turn: Turn,
    pub in_turn: bool,
    /// The oldest first, as in the other lists.
    pub approvals: Vec<WaitingApproval>,
    /// Messages that wait for a turn.
    pub queue: Vec<QueuedMessage>,
    /// Calls without an end. Whose they are only the tree of sub-agents knows.
    pub tools: Vec<RunningTool>,
    pub tasks: BTreeMap<String, TaskUpdated>,
    /// Sub-agents and tasks as they are shown, with since when they run.
    pub work: Vec<RunningWork>,
    pub todo: Vec<TodoItem>,
    pub context: Option<ContextUsage>,
}

impl Open {
    /// Takes one event in. Gives the message that left the queue for the turn
    /// at hand, if one did.
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "what is said changes nothing that is open"
    )]
    pub fn apply(&mut self, ts: Timestamp, event: &Event) -> Option<QueuedMessage> {
        self.seq = self.seq.next();
        work::follow(&mut self.work, ts, event);
        match event {
            Event::TurnStarted(started) => {
                self.turn = started.turn;
                self.in_turn = true;
                return self.take(started.takes(self.first())?);
            }
            // A waiting message may be taken into the turn that runs.
            Event::MessageDelivered(delivered) if self.in_turn => {
                return self.take(delivered.message_id);
            }
            Event::TurnCompleted(_) => self.in_turn = false,
            Event::UserMessage(message) => self.queue.push(queued(ts, message)),
            Event::MessageRemoved(removed) => drop(self.take(removed.message_id)),
            Event::MessageEdited(edited) => {
                let mut queue = self.queue.iter_mut();
                if let Some(one) = queue.find(|one| one.message_id == edited.message_id) {
                    one.text.clone_from(&edited.text);
                }
            }
            Event::MessageMoved(moved) => self.put_before(moved.message_id, moved.before),
            Event::QueueHeld(_) => self.queue.iter_mut().for_each(|one| one.held = true),
            Event::QueueReleased(released) => self.release(released.message_id),
            Event::ToolRequested(requested) => self.tools.push(running(ts, self.turn, requested)),
            Event::ToolCompleted(completed) => {
                let id = &completed.tool_use_id;
                self.tools.retain(|tool| tool.tool_use_id != *id);
            }
            Event::ApprovalRequested(requested) => {
                // What is asked again is asked as it was put last.
                self.close(requested.approval_id);
                self.approvals.push(WaitingApproval {
                    seq: self.seq,
                    requested_at: ts,
                    approval: requested.clone(),
                });
            }
            Event::ApprovalResolved(resolved) => self.close(resolved.approval_id),
            Event::TaskUpdated(task) if task.status == TaskStatus::Running => {
                self.tasks.insert(task.task_id.clone(), task.clone());
            }
            Event::TaskUpdated(task) => drop(self.tasks.remove(&task.task_id)),
            Event::TodoUpdated(todo) => self.todo.clone_from(&todo.items),
            Event::ContextUsage(usage) => self.context = Some(usage.clone()),
            // What is left is told by the next `context.usage`.
            Event::ContextCompacted(_) => self.context = None,
            // Nothing goes on in a session that is over, whatever was told of it.
            Event::SessionEnded(_) => {
                self.in_turn = false;
                self.approvals.clear();
                self.tools.clear();
                self.tasks.clear();
            }
            _ => {}
        }
        None
    }

    /// What waits for a person.
    pub fn asked(&self) -> impl Iterator<Item = &ApprovalRequested> {
        self.approvals.iter().map(|open| &open.approval)
    }

    pub fn approval(&self, id: ApprovalId) -> Option<&ApprovalRequested> {
        self.asked().find(|asked| asked.approval_id == id)
    }

    /// The first of the messages that wait.
    pub fn first(&self) -> Option<MessageId> {
        self.queue.first().map(|waiting| waiting.message_id)
    }

    /// The message that the next turn begins with: the first that is not held.
    pub fn next(&self) -> Option<MessageId> {
        let mut queue = self.queue.iter();
        queue.find(|one| !one.held).map(|one| one.message_id)
    }

    pub fn tool(&self, id: &str) -> Option<&RunningTool> {
        self.tools.iter().find(|tool| tool.tool_use_id == id)
    }

    /// The sub-agents at work.
    pub fn subagents(&self) -> impl Iterator<Item = &RunningWork> {
        let work = self.work.iter();
        work.filter(|one| one.kind == WorkKind::Subagent)
    }

    pub fn has_subagent(&self, id: &str) -> bool {
        self.subagents().any(|agent| agent.id == id)
    }

    fn close(&mut self, id: ApprovalId) {
        self.approvals
            .retain(|open| open.approval.approval_id != id);
    }

    fn release(&mut self, only: Option<MessageId>) {
        let Some(id) = only else {
            self.queue.iter_mut().for_each(|one| one.held = false);
            return;
        };
        if let Some(one) = self.take(id) {
            self.queue.insert(0, QueuedMessage { held: false, ..one });
        }
    }

    fn put_before(&mut self, id: MessageId, other: Option<MessageId>) {
        if let Some(one) = self.take(id) {
            let mut queue = self.queue.iter();
            let at = queue.position(|one| Some(one.message_id) == other);
            self.queue.insert(at.unwrap_or(self.queue.len()), one);
        }
    }

    fn take(&mut self, id: MessageId) -> Option<QueuedMessage> {
        let mut queue = self.queue.iter();
        let at = queue.position(|waiting| waiting.message_id == id)?;
        Some(self.queue.remove(at))
    }
}

fn queued(queued_at: Timestamp, message: &UserMessage) -> QueuedMessage {
    QueuedMessage {
        message_id: message.message_id,
        text: message.text.clone(),
        attachments: message.attachments.clone(),
        queued_at,
        held: false,
    }
}

fn running(started_at: Timestamp, turn: Turn, requested: &ToolRequested) -> RunningTool {
    RunningTool {
        tool_use_id: requested.tool_use_id.clone(),
        name: requested.name.clone(),
        label: requested.label.clone(),
        agent_id: None,
        parent_tool_use_id: requested.parent_tool_use_id.clone(),
        turn,
        started_at,
    }
}
