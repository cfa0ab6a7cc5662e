//! The rules that people made, as every session sees them at this moment.

use std::sync::{Arc, PoisonError, RwLock};

use baton_protocol::{ProjectId, RuleId, SessionId, words::RuleDecision};
use baton_rules::{Pattern, Rule};
use baton_store::{RuleChange, RuleRecord, RuleScope};

/// All rules of a data folder. A change is committed first and seen here next.
#[derive(Debug, Default)]
pub(crate) struct RuleBook {
    rules: RwLock<Arc<Vec<(RuleScope, Held)>>>,
}

/// A rule as it holds.
#[derive(Debug, Clone)]
enum Held {
    Rule(Rule),
    /// One that cannot be read: only a newer version of Baton can have written
    /// it. What it allows is not allowed; what it forbids is not known, so
    /// everything is asked about.
    Broken(RuleRecord),
}

impl Held {
    const fn id(&self) -> RuleId {
        match self {
            Self::Rule(rule) => rule.id,
            Self::Broken(record) => record.id,
        }
    }
}

impl RuleBook {
    pub(crate) fn new(records: &[RuleRecord]) -> Self {
        let rules = records.iter().map(read).collect();
        Self {
            rules: RwLock::new(Arc::new(rules)),
        }
    }

    /// All of them anew, as they are stored.
    pub(crate) fn replace(&self, records: &[RuleRecord]) {
        let next = records.iter().map(read).collect();
        *self.rules.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(next);
    }

    pub(crate) fn changed(&self, changes: &[RuleChange]) {
        if changes.is_empty() {
            return;
        }
        let mut rules = self.rules.write().unwrap_or_else(PoisonError::into_inner);
        let mut next = rules.as_ref().clone();
        for change in changes {
            match change {
                RuleChange::Added(record) => next.push(read(record)),
                RuleChange::Removed { id } => next.retain(|(_, rule)| rule.id() != *id),
            }
        }
        *rules = Arc::new(next);
    }

    /// The rules that hold for one session.
    pub(crate) fn of(&self, session: SessionId, project: ProjectId) -> Vec<Rule> {
        let rules = self.all();
        let mine = rules
            .iter()
            .filter(|(scope, _)| holds(*scope, session, project));
        let readable = mine.filter_map(|(_, rule)| match rule {
            Held::Rule(rule) => Some(rule.clone()),
            Held::Broken(_) => None,
        });
        readable.collect()
    }

    /// A rule for this session that would deny or ask, if it could be read.
    pub(crate) fn broken(&self, session: SessionId, project: ProjectId) -> Option<String> {
        let rules = self.all();
        let mut mine = rules
            .iter()
            .filter(|(scope, _)| holds(*scope, session, project));
        mine.find_map(|(_, rule)| match rule {
            Held::Broken(record) if record.decision != RuleDecision::Allow => {
                Some(record.rule.clone())
            }
            Held::Broken(_) | Held::Rule(_) => None,
        })
    }

    /// What the rules of one session deny or ask, for a session made from it:
    /// what was forbidden stays forbidden there, and nothing more is allowed.
    pub(crate) fn forbidden_in(&self, session: SessionId) -> Vec<(String, RuleDecision)> {
        let rules = self.all();
        let own = rules
            .iter()
            .filter(|(scope, _)| *scope == RuleScope::Session(session));
        let rules = own.map(|(_, rule)| match rule {
            Held::Rule(rule) => (rule.pattern.to_string(), rule.decision),
            Held::Broken(record) => (record.rule.clone(), record.decision),
        });
        rules
            .filter(|(_, decision)| *decision != RuleDecision::Allow)
            .collect()
    }

    fn all(&self) -> Arc<Vec<(RuleScope, Held)>> {
        Arc::clone(&self.rules.read().unwrap_or_else(PoisonError::into_inner))
    }
}

fn holds(scope: RuleScope, session: SessionId, project: ProjectId) -> bool {
    match scope {
        RuleScope::Session(id) => id == session,
        RuleScope::Project(id) => id == project,
        RuleScope::User => true,
    }
}

fn read(record: &RuleRecord) -> (RuleScope, Held) {
    let rule = match Pattern::parse(&record.rule) {
        Ok(pattern) => Held::Rule(Rule {
            id: record.id,
            pattern,
            decision: record.decision,
            scope: record.scope.scope(),
        }),
        Err(error) => {
            tracing::warn!(id = %record.id, %error, "a rule cannot be read");
            Held::Broken(record.clone())
        }
    };
    (record.scope, rule)
}
