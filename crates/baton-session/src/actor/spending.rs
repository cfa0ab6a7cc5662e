//! What is spent by all sessions together, in turns that are over and in those
//! under way.

use baton_store::Day;

use super::{Actor, Broken};
use crate::machine::Input;

impl Actor {
    fn today(&self) -> Day {
        Day::of(self.parts.world.now())
    }

    pub(super) async fn look_at_spending(&mut self) -> Result<(), Broken> {
        if self.parts.machine.limits().day_budget_usd.is_some() {
            let spent = self.parts.store.spent_on(self.today()).await?;
            let spent = spent + self.parts.purse.total();
            self.parts.machine.set_spent_today(spent);
        }
        Ok(())
    }

    /// A process was given what was left of the day it was started on.
    pub(super) fn heed_day(&mut self) {
        let dated = self.parts.machine.limits().day_budget_usd.is_some();
        if dated && self.process.is_some() && self.launched_on != Some(self.today()) {
            self.parts.machine.renew();
        }
    }

    pub(super) fn launched_today(&mut self) {
        self.launched_on = Some(self.today());
    }

    /// In a turn: stops it when all sessions together have spent what the day
    /// may cost.
    pub(super) async fn watch_spending(&mut self) -> Result<(), Broken> {
        let Some(budget) = self.parts.machine.limits().day_budget_usd else {
            return Ok(());
        };
        let cost = self.parts.machine.turn_cost();
        self.parts.purse.set(self.parts.id, cost);
        if cost.is_none_or(|cost| cost <= 0.0) {
            return Ok(());
        }
        let spent = self.parts.store.spent_on(self.today()).await? + self.parts.purse.total();
        if spent >= budget {
            self.step_alone(Input::OverBudget { spent, budget }).await?;
        }
        Ok(())
    }
}
