//! What the user has said once for all, and what holds in every conversation
//! therefore: rules, and whether a folder is trusted.
//!
//! It is in the user's own data folder. A conversation whose log is elsewhere
//! takes it over when it begins, and follows it while it runs: a denial that is
//! made meanwhile is meant for it too. What cannot be read is not taken for
//! nothing: the conversation does not begin then.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, SystemTime},
};

use baton_protocol::RuleId;
use baton_session::{Supervisor, project_id};
use baton_store::{RuleChange, RuleRecord, RuleScope, Store, TrustRecord};
use tokio::time::{MissedTickBehavior, interval};

use super::place::At;
use crate::{
    failure::Failure,
    owner::{Log, database},
    setup::Setup,
};

/// How often it is looked whether the user has said something else.
const LOOK: Duration = Duration::from_secs(1);

/// The user's word on one folder.
pub(super) struct UsersWord {
    setup: Setup,
    folder: String,
    /// The folder whose rules hold: the project's, where that is around it.
    project: String,
    /// The rules that were taken over, by their ids.
    rules: BTreeMap<RuleId, RuleRecord>,
    trust: Option<TrustRecord>,
    seen: Vec<Option<Version>>,
}

/// Tells one state of a file from another.
type Version = (Option<SystemTime>, u64);

impl UsersWord {
    /// Takes over what the user has said into a log that is empty.
    pub(super) async fn take_over(
        setup: &Setup,
        at: &At<'_>,
        store: &Store,
    ) -> Result<Self, Failure> {
        let mut word = Self {
            setup: setup.clone(),
            folder: at.folder.to_owned(),
            project: at.project.unwrap_or(at.folder).to_owned(),
            rules: BTreeMap::new(),
            trust: None,
            seen: versions(&setup.data),
        };
        let (changes, trust) = word.news().await?;
        store.change_rules(changes).await?;
        if let Some(trust) = trust {
            store.set_trust(trust).await?;
        }
        Ok(word)
    }

    /// Follows it until the conversation is over.
    pub(super) async fn follow(mut self, supervisor: Arc<Supervisor>) {
        let mut ticks = interval(LOOK);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            ticks.tick().await;
            let now = versions(&self.setup.data);
            if now == self.seen {
                continue;
            }
            let followed = self.catch_up(&supervisor).await;
            match followed {
                Ok(()) => self.seen = now,
                // What was taken over stays, and it is tried again.
                Err(failure) => tracing::warn!(
                    "the rules in {} cannot be read: {}",
                    self.setup.data.display(),
                    failure.what
                ),
            }
        }
    }

    async fn catch_up(&mut self, supervisor: &Supervisor) -> Result<(), Failure> {
        let (changes, trust) = self.news().await?;
        if !changes.is_empty() {
            supervisor.follow_rules(changes).await?;
        }
        if let Some(trust) = trust {
            supervisor.store().set_trust(trust).await?;
        }
        Ok(())
    }

    /// How the rules differ from those that were taken over, and the answer on
    /// the folder if there is another one.
    async fn news(&mut self) -> Result<(Vec<RuleChange>, Option<TrustRecord>), Failure> {
        let Some(log) = Log::look(&self.setup).await? else {
            let none = std::mem::take(&mut self.rules);
            return Ok((none.into_keys().map(removed).collect(), None));
        };
        let project = project_id(&self.project);
        let rules = log.store().rules().await;
        // Trust is of the folder that the agent begins in.
        let trust = log.store().trust(project_id(&self.folder)).await;
        log.close().await;
        let applies = |rule: &RuleRecord| match rule.scope {
            RuleScope::User => true,
            RuleScope::Project(id) => id == project,
            RuleScope::Session(_) => false,
        };
        let rules = rules?.into_iter().filter(applies);
        let rules: BTreeMap<RuleId, RuleRecord> = rules.map(|rule| (rule.id, rule)).collect();
        let gone = self.rules.keys().filter(|id| !rules.contains_key(id));
        let new = rules
            .values()
            .filter(|rule| !self.rules.contains_key(&rule.id));
        let changes = gone.copied().map(removed);
        let changes = changes.chain(new.cloned().map(RuleChange::Added)).collect();
        let trust = trust?.filter(|trust| self.trust.as_ref() != Some(trust));
        self.rules = rules;
        if trust.is_some() {
            self.trust.clone_from(&trust);
        }
        Ok((changes, trust))
    }
}

const fn removed(id: RuleId) -> RuleChange {
    RuleChange::Removed { id }
}

/// The log and what was written to it last.
fn versions(data: &Path) -> Vec<Option<Version>> {
    let log = database(data);
    let mut beside = log.clone().into_os_string();
    beside.push("-wal");
    let version = |path: PathBuf| {
        let meta = path.metadata().ok()?;
        Some((meta.modified().ok(), meta.len()))
    };
    [log, PathBuf::from(beside)].map(version).to_vec()
}
