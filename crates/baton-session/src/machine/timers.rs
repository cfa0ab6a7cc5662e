//! Time that runs out.

use std::{collections::BTreeMap, time::Duration};

use baton_protocol::{
    Timestamp,
    event::{ApprovalRequested, ErrorRaised},
    words::{DecidedBy, EndStatus, ErrorCode},
};

use super::{
    Effect, Machine, Phase, Process, Queue, Step, Stopping, Why, approvals::How, takeover::grace,
};
use crate::agents::{AgentCommand, AskDecision};

/// How long a process that serves one turn is left to go on by itself after
/// work in its background has ended.
const SOON: Duration = Duration::from_secs(10);

const TOO_LATE: &str = "Nobody answered in time, so this was denied.";

impl Machine {
    /// When [`super::Input::Tick`] is due.
    pub fn deadline(&self) -> Option<Timestamp> {
        let approvals = self.facts.open.asked().filter_map(|open| self.expiry(open));
        let replies = self
            .life
            .awaiting
            .values()
            .map(|awaiting| awaiting.deadline);
        let overdue = self.is_lost().then_some(Timestamp::from_millis(0));
        approvals
            .chain(replies)
            .chain(self.life.stopping.and_then(|stopping| stopping.kill_at))
            .chain(self.process.start_deadline())
            .chain(self.process.close_deadline())
            .chain(self.life.beside_deadline)
            .chain(
                self.life
                    .aftermath
                    .as_ref()
                    .map(|aftermath| aftermath.until),
            )
            .chain(self.queue.next_try())
            .chain(self.turn_deadline())
            .chain(self.hang_deadline())
            .chain(self.session_deadline().map(|(at, _)| at))
            .chain(self.process_deadline())
            .chain(overdue)
            .min()
    }

    /// When an open approval runs out, if it does.
    fn expiry(&self, open: &ApprovalRequested) -> Option<Timestamp> {
        let at = self.own.expiry(open.approval_id)?;
        let limit = self.limits.of_asking(open.kind);
        let earliest = self.life.taken_over.map(|since| grace(since, limit));
        Some(at.max(earliest.unwrap_or(at)))
    }

    fn turn_deadline(&self) -> Option<Timestamp> {
        match &self.facts.phase {
            Phase::Running(_) if self.life.stopping.is_none() && self.has_process() => {
                let due = self.own.times.turn_due(self.limits.turn_timeout)?;
                Some(due.max(self.life.turn_floor.unwrap_or(due)))
            }
            Phase::Running(_) | Phase::Idle | Phase::Ended { .. } => None,
        }
    }

    /// When silence means that the agent hangs. Tools, people, compaction and
    /// announced delays are honest reasons to be silent.
    fn hang_deadline(&self) -> Option<Timestamp> {
        let at_work = matches!(self.facts.phase, Phase::Running(_))
            && self.process == Process::Ready
            && self.life.stopping.is_none()
            && self.facts.open.approvals.is_empty()
            && self.facts.open.tools.is_empty()
            && !self.life.compacting
            // One that answers in plain text says nothing before it is done.
            && !self.facts.text_output;
        let limit = self.limits.hang_timeout.filter(|_| at_work)?;
        Some(
            self.life
                .heard
                .max(self.life.quiet_until.unwrap_or(self.life.heard))
                .plus(limit),
        )
    }

    /// When the session ends by itself, and why.
    fn session_deadline(&self) -> Option<(Timestamp, &'static str)> {
        // What is somebody else's has no time of ours to run out.
        if self.ending.is_some()
            || self.facts.elsewhere.is_some()
            || matches!(self.facts.phase, Phase::Ended { .. })
        {
            return None;
        }
        let times = &self.own.times;
        let old = times.life_due(self.limits.lifetime);
        let at_rest = self.facts.phase == Phase::Idle
            && !self.works_beside()
            && self.life.aftermath.is_none()
            && (self.facts.open.next().is_none()
                || matches!(self.queue, Queue::Held | Queue::Draining));
        let idle = times.idle_due(self.limits.idle_timeout);
        let idle = idle.filter(|_| at_rest);
        let old = old.map(|at| (at, "its lifetime is over"));
        let idle = idle.map(|at| (at, "it had nothing to do for too long"));
        old.into_iter().chain(idle).min()
    }

    /// When a process without work is let go.
    fn process_deadline(&self) -> Option<Timestamp> {
        if !self.is_evictable() {
            return None;
        }
        let limit = self.limits.process_idle;
        let limit = if self.serves_one_turn() {
            Some(limit.map_or(SOON, |limit| limit.min(SOON)))
        } else {
            limit
        };
        Some(self.life.heard.plus(limit?))
    }
}

impl Step<'_> {
    pub(super) fn tick(&mut self) {
        self.deny_expired();
        self.stop_stopping();
        self.give_up_start();
        if self.is_due(self.machine.process.close_deadline())
            || self.is_due(self.machine.life.beside_deadline)
        {
            self.machine.life.beside_deadline = None;
            self.kill_process();
        }
        let aftermath = self.machine.life.aftermath.as_ref();
        if self.is_due(aftermath.map(|aftermath| aftermath.until)) {
            self.at_rest();
        }
        self.give_up_requests();
        self.stop_overlong_turn();
        self.stop_hung_agent();
        self.end_what_is_lost();
        if self.is_due(self.machine.queue.next_try()) {
            self.machine.queue.try_now();
        }
        self.end_if_over();
        if self.is_due(self.machine.process_deadline()) {
            self.evict();
        }
    }

    fn is_due(&self, at: Option<Timestamp>) -> bool {
        at.is_some_and(|at| at <= self.moment.at)
    }

    fn deny_expired(&mut self) {
        let open = &self.machine.facts.open;
        let expired: Vec<_> = open
            .asked()
            .filter(|open| self.is_due(self.machine.expiry(open)))
            .map(|open| open.approval_id)
            .collect();
        for approval in expired {
            let denial = AskDecision::Deny {
                message: TOO_LATE.to_owned(),
                interrupt: false,
            };
            self.resolve(approval, denial, How::by(DecidedBy::Timeout, None));
        }
    }

    /// The agent was asked to stop and did not.
    fn stop_stopping(&mut self) {
        let stopping = self.machine.life.stopping;
        if let Some(stopping) = stopping
            && self.is_due(stopping.kill_at)
        {
            self.kill_because(stopping.why);
        }
    }

    fn give_up_start(&mut self) {
        if !self.is_due(self.machine.process.start_deadline()) {
            return;
        }
        // Another process may; else it is told here.
        let tries_again = match &self.machine.facts.phase {
            Phase::Running(running) => self.may_go_on(running) && self.machine.ending.is_none(),
            Phase::Idle | Phase::Ended { .. } => false,
        };
        if !tries_again {
            self.record(ErrorRaised {
                code: ErrorCode::AgentSilent,
                message: "the agent did not come up in time".into(),
                hint: Some(
                    "Send the message again: the agent never had it. `baton doctor` checks what \
                     is needed."
                        .into(),
                ),
                retryable: true,
                retry_at: None,
                detail: None,
            });
        }
        self.kill_because(Why::NeverUp);
    }

    fn give_up_requests(&mut self) {
        let now = self.moment.at;
        let awaiting = std::mem::take(&mut self.machine.life.awaiting);
        let (silent, patient): (BTreeMap<_, _>, BTreeMap<_, _>) = awaiting
            .into_iter()
            .partition(|(_, awaiting)| awaiting.deadline <= now);
        self.machine.life.awaiting = patient;
        for (request, awaiting) in silent {
            let outcome = Err("the agent did not answer in time".to_owned());
            self.settle(request, awaiting.what, outcome);
        }
    }

    fn stop_overlong_turn(&mut self) {
        if !self.is_due(self.machine.turn_deadline()) {
            return;
        }
        let limit = self.machine.limits.turn_timeout.unwrap_or_default();
        self.record(ErrorRaised {
            code: ErrorCode::Timeout,
            message: format!("the turn took longer than {}", in_words(limit)),
            hint: Some(
                "Send a message to go on, or raise agent.turnTimeoutMs for long work.".into(),
            ),
            retryable: true,
            retry_at: None,
            detail: None,
        });
        self.ask_to_stop(Why::TimedOut);
    }

    fn stop_hung_agent(&mut self) {
        if self.is_due(self.machine.hang_deadline()) {
            self.ask_to_stop(Why::Hung);
        }
    }

    /// Asks the agent to stop its turn; it is killed if it does not obey. One
    /// that has nothing yet is ended at once.
    pub(super) fn ask_to_stop(&mut self, why: Why) {
        match self.machine.process {
            Process::Ready if self.machine.facts.text_output => self.kill_because(why),
            Process::Ready | Process::Closing { .. } => {
                let kill_at = self.moment.at.plus(self.machine.limits.interrupt_grace);
                let kill_at = Some(kill_at);
                self.machine.life.stopping = Some(Stopping { why, kill_at });
                let id = self.moment.fresh.to_string();
                self.effect(Effect::Tell(AgentCommand::Interrupt { id }));
            }
            Process::Starting { .. } => self.kill_because(why),
            Process::None => self.give_up_turn(why),
        }
    }

    /// The agent begins with a message though it was asked to stop.
    pub(super) fn ask_again_to_stop(&mut self) {
        let stopping = self.machine.life.stopping;
        if stopping.is_some_and(|stopping| stopping.kill_at.is_some()) {
            let id = self.moment.fresh.to_string();
            self.effect(Effect::Tell(AgentCommand::Interrupt { id }));
        }
    }

    /// Ends a turn that waits for its process, and the wait with it.
    pub(super) fn give_up_turn(&mut self, why: Why) {
        if matches!(self.machine.facts.phase, Phase::Running(_)) {
            self.machine.life.stopping = Some(Stopping { why, kill_at: None });
            self.wind_down(None);
        }
    }

    /// Ends what an earlier owner left without a process.
    fn end_what_is_lost(&mut self) {
        if self.machine.is_lost() {
            self.wind_down(None);
        }
    }

    fn end_if_over(&mut self) {
        if let Some((at, why)) = self.machine.session_deadline()
            && at <= self.moment.at
        {
            self.end(EndStatus::Asleep, why.to_owned());
        }
    }
}

pub(super) fn in_words(span: std::time::Duration) -> String {
    match span.as_secs() {
        0 => format!("{} ms", span.as_millis()),
        seconds @ 1..120 => format!("{seconds} seconds"),
        seconds @ 120..7200 => format!("{} minutes", seconds / 60),
        seconds => format!("{} hours", seconds / 3600),
    }
}
