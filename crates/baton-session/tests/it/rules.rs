//! What is true of every log whose processes have ended, whatever happened.

use std::collections::{BTreeMap, BTreeSet};

use baton_protocol::{ApprovalId, Envelope, Event, Turn, words::SessionState};

/// Fails unless the log keeps all rules.
#[track_caller]
pub(crate) fn check(log: &[Envelope]) {
    let broken = broken(log);
    assert!(broken.is_empty(), "{broken:#?}\nin\n{}", text(log));
}

/// A log to look at, an event per line.
pub(crate) fn text(log: &[Envelope]) -> String {
    let line = |envelope: &Envelope| {
        let Envelope { seq, turn, .. } = envelope;
        let event = serde_json::to_value(envelope).unwrap_or_default();
        format!(
            "{seq} {turn} {} {}\n",
            envelope.event.name(),
            event["payload"]
        )
    };
    log.iter().map(line).collect()
}

fn broken(log: &[Envelope]) -> Vec<String> {
    let mut rules = Rules::default();
    for (index, envelope) in log.iter().enumerate() {
        let seq = envelope.seq.0;
        if seq != index as u64 + 1 {
            rules.broken.push(format!("event {index} has seq {seq}"));
        }
        rules.event(envelope);
    }
    rules.end();
    rules.broken
}

#[derive(Default)]
struct Rules {
    broken: Vec<String>,
    state: Option<SessionState>,
    turn: Turn,
    running: bool,
    approvals: BTreeSet<ApprovalId>,
    resolved: BTreeSet<ApprovalId>,
    tools: BTreeMap<String, u32>,
    agents: BTreeSet<String>,
    tasks: BTreeSet<String>,
    messages: BTreeMap<String, u32>,
    blocks: BTreeSet<(String, u32)>,
    ended: bool,
    /// Work in the background has ended, and a turn may come of it.
    work_over: bool,
}

impl Rules {
    #[expect(
        clippy::too_many_lines,
        reason = "one table of what each event may follow"
    )]
    fn event(&mut self, envelope: &Envelope) {
        if let Event::SessionState(state) = &envelope.event
            && state.reason.as_deref() == Some("resumed")
        {
            self.must(self.ended, "only an ended session is resumed");
            self.ended = false;
            self.state = None;
        }
        if self.ended {
            self.breaks(format!("{} after the end", envelope.event.name()));
        }
        match &envelope.event {
            Event::SessionState(state) => self.state(state.state),
            // The fake CLI counts its messages in each process.
            Event::SessionStarted(_) => self.blocks.clear(),
            Event::TurnStarted(started) => {
                self.must(!self.running, "a turn began within a turn");
                self.must(started.turn == self.turn.next(), "turns count one by one");
                self.turn = started.turn;
                self.running = true;
            }
            Event::TurnCompleted(completed) => {
                self.must(self.running, "a turn ended that had not begun");
                self.must(completed.turn == self.turn, "another turn ended");
                self.running = false;
            }
            Event::ApprovalRequested(asked) => {
                let new = self.approvals.insert(asked.approval_id);
                self.must(new, "an approval was asked twice");
            }
            Event::ApprovalResolved(resolved) => {
                let asked = self.approvals.remove(&resolved.approval_id);
                self.must(asked, "an approval was resolved that is not open");
                self.resolved.insert(resolved.approval_id);
            }
            Event::ToolRequested(tool) => {
                let known = self.tools.insert(tool.tool_use_id.clone(), 0);
                self.must(known.is_none(), "a tool was requested twice");
            }
            Event::ToolCompleted(tool) => match self.tools.get_mut(&tool.tool_use_id) {
                Some(ends) => *ends += 1,
                None => self.breaks(format!("{} ended, never begun", tool.tool_use_id)),
            },
            Event::SubagentStarted(agent) => {
                let new = self.agents.insert(agent.agent_id.clone());
                self.must(new, "a sub-agent began twice");
            }
            Event::SubagentStopped(agent) => {
                self.work_over = true;
                let known = self.agents.remove(&agent.agent_id);
                self.must(known, "a sub-agent stopped that did not run");
            }
            Event::TaskUpdated(task) => {
                if task.status == baton_protocol::words::TaskStatus::Running {
                    self.tasks.insert(task.task_id.clone());
                } else {
                    self.work_over = true;
                    let known = self.tasks.remove(&task.task_id);
                    self.must(known, "a task ended that did not run");
                }
            }
            Event::UserMessage(message) => {
                let known = self.messages.insert(message.message_id.to_string(), 0);
                self.must(known.is_none(), "a message was stored twice");
            }
            Event::MessageDelivered(delivered) => {
                let id = delivered.message_id.to_string();
                match self.messages.get_mut(&id) {
                    Some(times) => *times += 1,
                    None => self.breaks(format!("{id} delivered, never sent")),
                }
            }
            Event::RuntimeFallback(fallback) => match fallback.continued_by {
                Some(id) => {
                    self.messages.insert(id.to_string(), 0);
                }
                // The agent did not have the turn's message: it gets it again.
                None => self.messages.values_mut().for_each(|times| *times = 0),
            },
            Event::AssistantMessage(message) => self.block(&message.0.message_id, message.0.block),
            Event::AssistantThinking(thinking) => {
                self.block(&thinking.0.message_id, thinking.0.block);
            }
            _ => {}
        }
        if envelope.turn != self.turn {
            let (name, turn) = (envelope.event.name(), envelope.turn);
            self.breaks(format!("{name} says turn {turn} in turn {}", self.turn));
        }
    }

    fn state(&mut self, state: SessionState) {
        use SessionState::{Ended, Idle, Processing, Starting, Waiting};
        let legal = match (self.state, state) {
            // A session that was begun elsewhere may be at work there.
            (None, next) => next == Idle || (next == Processing && self.running),
            (Some(Ended), _) => false,
            (Some(before), next) if before == next => false,
            (Some(Idle | Processing), _) | (Some(_), Idle | Processing | Ended) => true,
            // Its process was lost, and another takes up the turn.
            (Some(Waiting), Starting) => true,
            (Some(Starting | Waiting), Starting | Waiting) => false,
        };
        if !legal {
            self.breaks(format!("{:?} became {state:?}", self.state));
        }
        let waits = state == Waiting;
        if state != Ended {
            self.must(
                waits != self.approvals.is_empty(),
                "a session waits when and only when an approval is open",
            );
        }
        // A message may wait for one process to end and another to start.
        if state == Processing {
            let beside = self.works_beside() || self.work_over;
            self.must(
                self.running || beside,
                "a session works within a turn, or in the background",
            );
        }
        if state == Idle {
            let at_rest = !self.running && !self.works_beside();
            self.must(at_rest, "a session is idle only when nothing goes on");
            self.work_over = false;
        }
        self.state = Some(state);
        self.ended = state == Ended;
    }

    fn works_beside(&self) -> bool {
        !self.agents.is_empty() || !self.tasks.is_empty()
    }

    fn block(&mut self, message: &str, block: u32) {
        let new = self.blocks.insert((message.to_owned(), block));
        if !new {
            self.breaks(format!("{message} has its block {block} twice"));
        }
    }

    fn end(&mut self) {
        self.must(!self.running, "the last turn never ended");
        self.must(self.approvals.is_empty(), "an approval is still open");
        self.must(self.agents.is_empty(), "a sub-agent never stopped");
        self.must(self.tasks.is_empty(), "a task never ended");
        let last = matches!(self.state, Some(SessionState::Idle | SessionState::Ended));
        self.must(last, "the session is neither idle nor ended");
        let tools = self.tools.iter().filter(|(_, ends)| **ends != 1);
        let tools: Vec<String> = tools
            .map(|(id, ends)| format!("{id} ended {ends} times"))
            .collect();
        self.broken.extend(tools);
        let messages = self.messages.iter().filter(|(_, times)| **times > 1);
        let messages: Vec<String> = messages
            .map(|(id, times)| format!("{id} was delivered {times} times"))
            .collect();
        self.broken.extend(messages);
    }

    fn must(&mut self, holds: bool, rule: &str) {
        if !holds {
            self.breaks(rule.to_owned());
        }
    }

    fn breaks(&mut self, rule: String) {
        self.broken.push(rule);
    }
}
