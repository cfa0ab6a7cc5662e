//! Which of the agent's plans are the session's own.
//!
//! All sessions of the CLI keep theirs in one folder, each below a name that
//! the CLI makes up when it begins to plan. It says the name beside what it
//! writes down of the session, a moment later; until then the session knows
//! which plans it let the agent begin.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use baton_rules::{PathForms, Plans, RealPaths};
use serde_json::Value;
use uuid::Uuid;

use crate::agents::{AgentHome, AgentKind};

/// Plans that were begun since the session was taken up.
pub(in crate::actor) type Planned = Arc<Mutex<BTreeSet<PathBuf>>>;

pub(super) struct OwnPlans {
    folder: PathBuf,
    home: Arc<AgentHome>,
    conversation: Option<(AgentKind, Uuid)>,
    begun: Planned,
}

impl OwnPlans {
    pub(super) fn new(
        home: &Arc<AgentHome>,
        conversation: Option<(AgentKind, Uuid)>,
        begun: &Planned,
    ) -> Self {
        Self {
            folder: home.plans(),
            home: Arc::clone(home),
            conversation,
            begun: Arc::clone(begun),
        }
    }

    /// Takes down that the agent may write a file.
    pub(super) fn will_be_written(&self, cwd: &Path, input: &Value) {
        let Some(path) = input.get("file_path").and_then(Value::as_str) else {
            return;
        };
        let plan = PathForms::of(Path::new(path), cwd, &RealPaths).canonical;
        let folder = PathForms::of(&self.folder, Path::new("/"), &RealPaths).canonical;
        let plan = plan.filter(|plan| plan.parent() == folder.as_deref());
        let mut begun = self.begun.lock().unwrap_or_else(PoisonError::into_inner);
        begun.extend(plan);
    }
}

impl Plans for OwnPlans {
    fn folder(&self) -> &Path {
        &self.folder
    }

    fn is_own(&self, plan: &Path) -> bool {
        let begun = self.begun.lock().unwrap_or_else(PoisonError::into_inner);
        if begun.contains(plan) {
            return true;
        }
        drop(begun);
        self.conversation
            .is_some_and(|conversation| self.home.is_plan_of(conversation, plan))
    }
}
