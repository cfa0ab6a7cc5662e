//! Files that a message names and that the agent would read by itself.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use baton_protocol::words::ApprovalKind;
use baton_rules::{PathForms, RealPaths, Stage};
use serde_json::json;

use super::Actor;
use crate::{
    agents::{self, AgentKind, Ask, Ground, Verdict},
    machine::Rejected,
};

impl Actor {
    /// Refuses a message that names a file which a rule denies, or which holds
    /// secrets: the agent reads it with no call that could be judged. What else
    /// a person names they want to be read.
    pub(super) fn mentions_allowed(&self, text: &str) -> Result<(), Rejected> {
        let created = self.parts.machine.facts().created.as_ref();
        let Some(kind) = created.and_then(|created| AgentKind::from_name(&created.agent)) else {
            return Ok(());
        };
        let denied = |path: &str, why: String| Rejected::MentionDenied {
            path: path.to_owned(),
            why,
        };
        let Some(named) = agents::mentioned(kind, text) else {
            let why = "so many more that they cannot all be looked at";
            return Err(denied("a file", why.to_owned()));
        };
        let secrets = self.parts.secrets.look();
        for name in named {
            for path in self.meant_by(name) {
                if secrets.hide_path(&path) {
                    let why = "it holds secrets, which are not given to agents";
                    return Err(denied(name, why.to_owned()));
                }
                if leads_apart(&path) {
                    let why = "where that leads is not the same for every process";
                    return Err(denied(name, why.to_owned()));
                }
                if let Some(why) = self.denied_by_rule(&path) {
                    return Err(denied(name, why));
                }
            }
        }
        Ok(())
    }

    /// Where a name leads, if there is something.
    fn meant_by(&self, name: &str) -> Vec<PathBuf> {
        let relative = match name.strip_prefix("~/") {
            Some(rest) => self.parts.home.home().join(rest),
            None => PathBuf::from(name),
        };
        let project = self.cwd();
        let from = std::iter::once(project.as_path()).chain(self.whereabouts.seen());
        let paths: BTreeSet<_> = from.map(|from| from.join(&relative)).collect();
        let mut paths: Vec<_> = paths.into_iter().collect();
        // Another process may find something where there is nothing for this one.
        paths.retain(|path| path.symlink_metadata().is_ok() || leads_apart(path));
        paths
    }

    fn denied_by_rule(&self, path: &Path) -> Option<String> {
        let read = Ask {
            kind: ApprovalKind::Tool,
            tool_name: "Read".to_owned(),
            ..Ask::default()
        };
        let input = json!({"file_path": path});
        match self.verdict(Stage::BeforeUse, &read, &input) {
            Verdict::Deny {
                ground: Ground::Rule(rule),
                ..
            } => Some(format!("the rule {} denies reading it", rule.rule)),
            Verdict::Deny { .. } | Verdict::Allow(_) | Verdict::Ask { .. } | Verdict::Open => None,
        }
    }
}

/// Whether a path leads elsewhere for each process, as those in `/proc` do.
fn leads_apart(path: &Path) -> bool {
    let forms = PathForms::of(path, Path::new("/"), &RealPaths);
    forms.canonical.is_none()
}
