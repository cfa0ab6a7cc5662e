//! Files that a message names and that the agent would read by itself.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    sync::Arc,
};

use baton_project::surface::ToolLimit;
use baton_protocol::{
    ToolKind, ToolUse,
    words::{ApprovalKind, PermissionMode},
};
use baton_rules::{By, PathForms, RealPaths, Stage, Verdict};
use serde_json::json;

use super::{super::Actor, apart, gate::Gate};
use crate::{
    agents::{self, AgentKind, Ask},
    host::Withheld,
    machine::Rejected,
};

impl Actor {
    /// Refuses a message that names a file which a rule denies, or which holds
    /// secrets: the agent reads it with no call that could be judged. What else
    /// a person names they want to be read.
    pub(super) async fn mentions_allowed(&self, text: &str) -> Result<(), Rejected> {
        let created = self.parts.machine.facts().created.as_ref();
        let Some(kind) = created.and_then(|created| AgentKind::from_name(&created.agent)) else {
            return Ok(());
        };
        let Some(named) = agents::mentioned(kind, text) else {
            return Err(Rejected::MentionDenied {
                path: "a file".to_owned(),
                why: "so many more that they cannot all be looked at".to_owned(),
            });
        };
        if named.is_empty() {
            return Ok(());
        }
        let named: Vec<String> = named.into_iter().map(str::to_owned).collect();
        let project = self.cwd();
        let from = std::iter::once(project.as_path()).chain(self.whereabouts.seen());
        let from = from.map(Path::to_owned).collect();
        let gate = self.gate(None);
        apart(move || {
            named
                .iter()
                .try_for_each(|name| gate.may_be_named(name, &from))
        })
        .await
    }

    /// What rules keep from the agent wherever a tool of Baton's own would show
    /// it. Whether the tool itself may be called is decided elsewhere.
    pub(in crate::actor) fn withheld(&self) -> Withheld {
        let gate = Gate {
            mode: PermissionMode::Default,
            broken: None,
            overreaches: false,
            tools: ToolLimit::All,
            ..self.gate(None)
        };
        Withheld(Arc::new(move |path| !gate.may_be_shown(path)))
    }
}

impl Gate {
    fn may_be_named(&self, name: &str, from: &BTreeSet<PathBuf>) -> Result<(), Rejected> {
        let denied = |why: String| Rejected::MentionDenied {
            path: name.to_owned(),
            why,
        };
        let secrets = self.secrets.look();
        for path in self.meant_by(name, from) {
            if secrets.hide_path(&path) {
                let why = "it holds secrets, which are not given to agents";
                return Err(denied(why.to_owned()));
            }
            if leads_apart(&path) {
                let why = "where that leads is not the same for every process";
                return Err(denied(why.to_owned()));
            }
            if let Some(why) = self.denied_by_rule(&path) {
                return Err(denied(why));
            }
        }
        Ok(())
    }

    /// Where a name leads, if there is something.
    fn meant_by(&self, name: &str, from: &BTreeSet<PathBuf>) -> Vec<PathBuf> {
        let relative = match name.strip_prefix("~/") {
            Some(rest) => self.place.home.join(rest.trim_start_matches('/')),
            None => PathBuf::from(name),
        };
        let mut paths: Vec<_> = from.iter().map(|from| from.join(&relative)).collect();
        paths.dedup();
        // Another process may find something where there is nothing for this one.
        paths.retain(|path| path.symlink_metadata().is_ok() || leads_apart(path));
        paths
    }

    /// Whether no rule denies reading a file or asks about it.
    fn may_be_shown(&self, path: &Path) -> bool {
        let verdict = self.of_reading(path);
        matches!(verdict, Verdict::Unmatched | Verdict::Allow { .. })
    }

    fn of_reading(&self, path: &Path) -> Verdict {
        let read = Ask {
            kind: ApprovalKind::Tool,
            tool_name: baton_rules::READ.to_owned(),
            what: ToolUse::file(ToolKind::Read, &path.to_string_lossy()),
            ..Ask::default()
        };
        let input = json!({"file_path": path});
        self.verdict(Stage::BeforeUse, &read, &input)
    }

    fn denied_by_rule(&self, path: &Path) -> Option<String> {
        match self.of_reading(path) {
            Verdict::Deny {
                by: By::Rule(rule), ..
            } => Some(format!("the rule {} denies reading it", rule.text)),
            Verdict::Deny { .. }
            | Verdict::Allow { .. }
            | Verdict::Ask { .. }
            | Verdict::Unmatched => None,
        }
    }
}

/// Whether a path leads elsewhere for each process, as those in `/proc` do.
fn leads_apart(path: &Path) -> bool {
    let forms = PathForms::of(path, Path::new("/"), &RealPaths);
    forms.canonical.is_none()
}
