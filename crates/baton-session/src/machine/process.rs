//! The process at hand: started, told, ended.

use super::{Effect, Process, Spent, Step};
use crate::agents::AgentCommand;

impl Step<'_> {
    /// Tells the agent now, or once it is up.
    pub(super) fn tell(&mut self, command: AgentCommand) {
        match self.machine.process {
            Process::Ready | Process::Closing { .. } => self.effect(Effect::Tell(command)),
            Process::Starting => self.machine.unsent.push(command),
            Process::None => {
                self.machine.unsent.push(command);
                self.start();
            }
        }
    }

    pub(super) fn start(&mut self) {
        let now = self.moment.at;
        let machine = &mut *self.machine;
        machine.process = Process::Starting;
        machine.announced = false;
        machine.start_deadline = Some(now.plus(machine.limits.start_timeout));
        machine.heard = now;
        let whole_turn = machine.limits.turn_timeout;
        machine.turn_floor = whole_turn.map(|limit| now.plus(limit));
        machine.quiet_until = None;
        machine.compacting = false;
        machine.spent = Spent::default();
        machine.cost_before = None;
        machine.overreaches = false;
        machine.close_deadline = None;
        machine.had_background = false;
        machine.aftermath = None;
        machine.hush = false;
        machine.beside_deadline = None;
        machine.renew = false;
        machine.retry_at = None;
        self.effect(Effect::Start);
    }

    /// Ends the process; whatever comes next waits for its exit.
    pub(super) fn kill_process(&mut self) {
        let has_work = !self.machine.has_no_work();
        self.machine.process = Process::Closing {
            was_up: match self.machine.process {
                Process::None | Process::Starting => false,
                Process::Ready => true,
                Process::Closing { was_up } => was_up,
            },
        };
        self.machine.start_deadline = None;
        self.machine.close_deadline = None;
        self.effect(Effect::Kill { has_work });
    }

    pub(super) fn close_process(&mut self) {
        self.machine.process = Process::Closing { was_up: true };
        let deadline = self.moment.at.plus(self.machine.limits.start_timeout);
        self.machine.close_deadline = Some(deadline);
        self.effect(Effect::CloseStdin);
    }

    /// A process that serves one turn goes when nothing is left in it.
    pub(super) fn settle_process(&mut self) {
        if self.machine.works_beside() {
            self.machine.had_background = true;
        }
        let machine = &self.machine;
        if machine.serves_one_turn()
            && !machine.had_background
            && machine.has_no_work()
            && machine.awaiting.is_empty()
            && machine.ending.is_none()
        {
            self.close_process();
        }
    }
}
