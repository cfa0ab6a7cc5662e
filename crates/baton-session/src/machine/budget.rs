//! What a session and a day may cost.
//!
//! The CLI stops a process at an amount that it is given at its start. What other
//! sessions spend meanwhile it does not know, so where the day has a budget it
//! is asked after each tool what it has cost, and the sums are compared.

use baton_protocol::{
    Event,
    words::{ErrorCode, Json},
};

use super::{Asked, DAY_IS_SPENT, Machine, Phase, Process, Rejected, Reply, Step, Why, to_nanos};
use crate::agents::AgentCommand;

impl Machine {
    /// What the session may cost in all.
    fn session_budget(&self) -> Option<f64> {
        let created = self.facts.created.as_ref();
        let own = created.and_then(|created| created.options.max_budget_usd);
        own.or(self.limits.session_budget_usd)
    }

    /// What a process that starts now may cost.
    pub fn allowance(&self) -> Option<f64> {
        let left = |budget: f64, spent: f64| to_nanos((budget - spent).max(0.0));
        let session = self.session_budget();
        let session = session.map(|budget| left(budget, self.facts.cost_usd + self.carried()));
        let day = self.limits.day_budget_usd;
        let day = day.map(|budget| left(budget, self.spent_today_usd));
        session.into_iter().chain(day).reduce(f64::min)
    }

    /// Whether less is left of the day's budget than of the session's own.
    fn day_is_tighter(&self) -> bool {
        let left = |budget: Option<f64>, spent: f64| budget.map(|budget| budget - spent);
        let day = left(self.limits.day_budget_usd, self.spent_today_usd);
        let session = left(self.session_budget(), self.facts.cost_usd);
        day.is_some_and(|day| session.is_none_or(|session| day < session))
    }

    /// What earlier processes of the turn at hand have cost.
    fn carried(&self) -> f64 {
        match &self.facts.phase {
            Phase::Running(running) => running.carried.cost_usd.unwrap_or_default(),
            Phase::Idle | Phase::Ended { .. } => 0.0,
        }
    }

    /// What the turn at hand has cost so far, as far as that was told.
    pub fn turn_cost(&self) -> Option<f64> {
        let running = matches!(self.facts.phase, Phase::Running(_));
        let cost = self.carried() + self.life.spent.cost_usd.unwrap_or_default();
        running.then_some(cost)
    }
}

impl Step<'_> {
    /// An agent stops at what is left of two budgets, and does not know which
    /// of them it was.
    pub(super) fn name_budget(&self, event: Event) -> Event {
        let mut event = event;
        if let Event::Error(raised) = &mut event
            && raised.code == ErrorCode::Budget
            && self.machine.day_is_tighter()
        {
            raised.hint = Some(DAY_IS_SPENT.into());
        }
        event
    }

    /// Whether there is money for another turn.
    pub(super) fn within_budget(&self) -> Result<(), Rejected> {
        let machine = &self.machine;
        let session = machine.session_budget();
        within("this session", machine.facts.cost_usd, session)?;
        let day = machine.limits.day_budget_usd;
        within("this day", machine.spent_today_usd, day)
    }

    /// What waits for money goes on if there is some now.
    pub(super) fn set_budget(&mut self, usd: Option<f64>) -> Reply {
        let created = self.machine.facts.created.as_ref();
        let options = created.map(|created| created.options.clone());
        let mut options = Box::new(options.unwrap_or_default());
        options.max_budget_usd = usd;
        self.change_options(options, true);
        self.release_queue()
    }

    /// What waited for a person's word goes on if nothing else keeps it.
    pub(super) fn release_queue(&mut self) -> Reply {
        if self.within_budget().is_ok() {
            self.machine.queue.release();
        }
        Reply::Done
    }

    pub(super) fn over_budget(&mut self, spent: f64, budget: f64) -> Reply {
        let running = matches!(self.machine.facts.phase, Phase::Running(_));
        if running && self.machine.life.stopping.is_none() && !self.machine.runs_elsewhere() {
            let which = "this day";
            let over = Rejected::BudgetSpent {
                which,
                spent,
                budget,
            };
            self.record(over.told());
            self.ask_to_stop(Why::OverBudget);
        }
        Reply::Done
    }

    /// Asks the agent what it has cost, where that matters and it can tell.
    pub(super) fn ask_for_cost(&mut self) {
        let machine = &self.machine;
        let tells = self.capabilities().tells_cost && !machine.facts.text_output;
        let mut asked = machine
            .life
            .awaiting
            .values()
            .map(|awaiting| &awaiting.what);
        let is_asked = asked.any(|what| *what == Asked::Cost);
        if machine.limits.day_budget_usd.is_some()
            && machine.process == Process::Ready
            && tells
            && !is_asked
        {
            self.ask_agent(Asked::Cost, |id| AgentCommand::Cost { id });
        }
    }

    /// The first answer in a turn says from where it is counted.
    pub(super) fn has_cost(&mut self, answer: &Json) {
        let Some(total) = answer.value()["session"]["total_cost_usd"].as_f64() else {
            return;
        };
        let before = *self.machine.life.cost_before.get_or_insert(total);
        if matches!(self.machine.facts.phase, Phase::Running(_)) {
            let cost = to_nanos((total - before).max(0.0));
            self.machine.life.spent.cost_usd = Some(cost);
        }
    }
}

/// Whether a budget has anything left.
pub(crate) fn within(which: &'static str, spent: f64, budget: Option<f64>) -> Result<(), Rejected> {
    match budget.filter(|budget| spent >= *budget) {
        Some(budget) => Err(Rejected::BudgetSpent {
            which,
            spent,
            budget,
        }),
        None => Ok(()),
    }
}
