//! The rules that people made, as every session sees them at this moment.

use std::sync::{Arc, PoisonError, RwLock};

use baton_protocol::{ProjectId, SessionId};
use baton_rules::{Pattern, Rule};
use baton_store::{RuleChange, RuleRecord, RuleScope};

/// All rules of a data folder. A change is committed first and seen here next.
#[derive(Debug, Default)]
pub(crate) struct RuleBook {
    rules: RwLock<Arc<Vec<(RuleScope, Rule)>>>,
}

impl RuleBook {
    pub(crate) fn new(records: &[RuleRecord]) -> Self {
        let rules = records.iter().filter_map(read).collect();
        Self {
            rules: RwLock::new(Arc::new(rules)),
        }
    }

    pub(crate) fn changed(&self, changes: &[RuleChange]) {
        if changes.is_empty() {
            return;
        }
        let mut rules = self.rules.write().unwrap_or_else(PoisonError::into_inner);
        let mut next = rules.as_ref().clone();
        for change in changes {
            match change {
                RuleChange::Added(record) => next.extend(read(record)),
                RuleChange::Removed { id } => next.retain(|(_, rule)| rule.id != *id),
            }
        }
        *rules = Arc::new(next);
    }

    /// The rules that hold for one session.
    pub(crate) fn of(&self, session: SessionId, project: ProjectId) -> Vec<Rule> {
        let rules = Arc::clone(&self.rules.read().unwrap_or_else(PoisonError::into_inner));
        let holds = |scope: RuleScope| match scope {
            RuleScope::Session(id) => id == session,
            RuleScope::Project(id) => id == project,
            RuleScope::User => true,
        };
        let mine = rules.iter().filter(|(scope, _)| holds(*scope));
        mine.map(|(_, rule)| rule.clone()).collect()
    }
}

/// A rule that no longer reads as one is left out, and said: only a newer
/// version of Baton can have written it.
fn read(record: &RuleRecord) -> Option<(RuleScope, Rule)> {
    match Pattern::parse(&record.rule) {
        Ok(pattern) => {
            let rule = Rule {
                id: record.id,
                pattern,
                decision: record.decision,
                scope: record.scope.scope(),
            };
            Some((record.scope, rule))
        }
        Err(error) => {
            tracing::warn!(id = %record.id, %error, "a rule cannot be read and does not hold");
            None
        }
    }
}
