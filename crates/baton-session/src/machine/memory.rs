//! What the agent itself has of the past.
//!
//! A session's past is in the log, but the agent knows only its own transcript.
//! That can be deleted, restored from an older copy, or gone on with by another
//! process. Before a process is started the two are compared, so that no agent
//! answers as if it knew what it does not.

use baton_protocol::{
    Event, Seq,
    event::{
        AssistantBlock, AssistantMessage, AssistantThinking, MemoryLost, Notification,
        SessionUpdated,
    },
    words::{MemoryLoss, Remedy, StopReason},
};

use super::{Facts, Observed, Phase, Process, Reply, Sight, Step, Trouble};

/// What the agent must have of the past when it is started again.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Memory {
    /// The agent's own row that the last whole turn ended with. What it said in
    /// a turn that was cut short may never have reached its transcript.
    pub anchor: Option<String>,
    /// Its last row in the turn at hand.
    said: Option<String>,
    /// It is to be given what the log has after this event, with its next
    /// message.
    pub owed: Option<Seq>,
    /// It gets no message before somebody has chosen a remedy.
    refused: Option<MemoryLost>,
    /// What is done about a loss was settled; before the first turn there is no
    /// row by which it would show.
    pub settled: bool,
}

/// What was found when the agent's records were compared with the log.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Recalled {
    /// What happened elsewhere, and the agent knows of.
    pub elsewhere: Vec<Observed>,
    pub lost: Option<MemoryLost>,
}

impl Facts {
    /// Follows what the agent said in its own transcript.
    pub(super) fn remember(&mut self, event: &Event) {
        if let Event::AssistantMessage(AssistantMessage(block))
        | Event::AssistantThinking(AssistantThinking(block)) = event
        {
            if is_row_of_the_model(block) {
                self.memory.said.clone_from(&block.agent_uuid);
            }
        } else if let Event::TurnCompleted(completed) = event {
            let said = self.memory.said.take();
            if completed.stop_reason == StopReason::End && !completed.is_error {
                self.memory.anchor = said.or(self.memory.anchor.take());
                let took =
                    matches!(&self.phase, Phase::Running(turn) if !turn.delivered.is_empty());
                self.memory.owed = self.memory.owed.filter(|_| !took);
            }
        } else if let Event::SessionStarted(started) = event {
            self.is_conversation(started.agent_session_id.as_deref());
        } else if let Event::SessionUpdated(updated) = event {
            self.is_conversation(updated.agent_session_id.as_deref());
            if let Some(lost) = updated.memory_lost {
                self.forget(lost);
            }
        }
    }

    /// Another conversation has its own past.
    fn is_conversation(&mut self, named: Option<&str>) {
        if named.is_some() && named != self.agent_session_id.as_deref() {
            self.memory.anchor = None;
            self.memory.said = None;
        }
    }

    fn forget(&mut self, lost: MemoryLost) {
        self.memory.refused = Some(lost).filter(|lost| lost.remedy == Remedy::Refuse);
        if lost.remedy == Remedy::Refuse {
            return;
        }
        self.memory.anchor = None;
        self.memory.settled = true;
        if lost.remedy == Remedy::Log {
            let owed = self
                .memory
                .owed
                .map_or(lost.after, |owed| owed.min(lost.after));
            self.memory.owed = Some(owed);
        }
    }
}

/// What the CLI makes up itself, or cuts short, is not always written down.
fn is_row_of_the_model(block: &AssistantBlock) -> bool {
    block.agent_uuid.is_some()
        && block.model.is_some()
        && block.parent_tool_use_id.is_none()
        && !block.aborted
}

impl Step<'_> {
    /// Tells what was found before anything is started on it.
    pub(super) fn recalled(&mut self, recalled: Recalled) -> Reply {
        if self.machine.process != Process::None || self.machine.has_ended() {
            return Reply::Done;
        }
        // A turn that waits for its process is not mixed with others.
        let at_rest = self.machine.facts.phase == Phase::Idle;
        if at_rest && !recalled.elsewhere.is_empty() {
            self.tell_elsewhere(recalled.elsewhere);
        }
        let Some(lost) = recalled.lost else {
            return Reply::Done;
        };
        if self.machine.facts.memory.refused != Some(lost) {
            self.record(SessionUpdated {
                memory_lost: Some(lost),
                ..SessionUpdated::default()
            });
            self.record(Notification {
                title: Some("The agent lacks a part of the past".into()),
                message: format!(
                    "{} {}",
                    sentence(in_words(lost.reason)),
                    what_is_done(lost.remedy)
                ),
                kind: "memory".into(),
            });
        }
        if lost.remedy == Remedy::Refuse {
            // What waits goes on when a person has chosen.
            self.machine.queue.hold();
        }
        Reply::Done
    }

    fn tell_elsewhere(&mut self, seen: Vec<Observed>) {
        let said = |one: &&Observed| matches!(one.what, Sight::Said { .. });
        let messages = seen.iter().filter(said).count();
        let what = if messages == 1 {
            "A message was given to this session outside Baton. The agent knows of it, and it follows here."
        } else {
            "Messages were given to this session outside Baton. The agent knows of them, and they follow here."
        };
        self.record(Notification {
            title: Some("Continued outside Baton".into()),
            message: what.into(),
            kind: "elsewhere".into(),
        });
        self.machine.life.tells_elsewhere = true;
        self.see(seen);
        self.machine.life.tells_elsewhere = false;
    }

    /// The process at hand would go on from where it was, and tear the
    /// conversation apart. One that is asked to end writes where it was.
    pub(super) fn outdated(&mut self) -> Reply {
        if self.machine.has_no_work() {
            self.kill_process();
        }
        Reply::Done
    }

    pub(super) fn wait(&mut self, trouble: Option<Trouble>) -> Reply {
        if let Some(trouble) = trouble {
            self.record(trouble.told());
        }
        self.try_later();
        Reply::Done
    }
}

pub(super) const fn in_words(reason: MemoryLoss) -> &'static str {
    match reason {
        MemoryLoss::Gone => {
            "the agent's own record of this session is gone, so it knows nothing of it"
        }
        MemoryLoss::Behind => {
            "the agent's own record of this session ends before the last turns, so it does not know them"
        }
        MemoryLoss::Torn => {
            "this session was also run outside Baton, and the agent's own record leaves out what was said here"
        }
    }
}

const fn what_is_done(remedy: Remedy) -> &'static str {
    match remedy {
        Remedy::Log => {
            "It is given what Baton's log has of it, with the next message; long outputs are shortened."
        }
        Remedy::None => "It goes on without.",
        Remedy::Refuse => {
            "No message is given to it until somebody chooses: one with `memory` `log` gives it what \
             Baton's log has, one with `none` goes on without."
        }
    }
}

fn sentence(words: &str) -> String {
    let mut chars = words.chars();
    let first = chars.next().map(|first| first.to_uppercase().to_string());
    format!("{}{}.", first.unwrap_or_default(), chars.as_str())
}
