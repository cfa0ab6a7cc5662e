//! The rules of the agent's own settings, offered to be taken over. Nothing of
//! them counts here before a person took it.

use std::path::Path;

use baton_project::{
    cli_rules::{self, CliRule},
    trust::{Decision, is_wide},
};
use baton_protocol::{
    ProjectId, RuleId,
    api::{OfferedRule, OfferedRules, RuleChoice},
    words::{ClientRef, RuleDecision, Scope},
};
use baton_rules::Pattern;
use baton_store::{RuleChange, RuleOutcome, RuleRecord, RuleScope};

use super::{Supervisor, SupervisorError};
use crate::blob;

impl Supervisor {
    /// What the user's own settings of the agent allow, deny and ask, and those
    /// of `project` unless it holds something that nobody has accepted.
    pub async fn offered_rules(
        &self,
        project: Option<&Path>,
    ) -> Result<OfferedRules, SupervisorError> {
        let mut files = self.home.rule_files(None);
        let mut notes = Vec::new();
        let mut id = None;
        if let Some(project) = project {
            let trust = self.trust(project).await?;
            id = Some(blob::project_id(&trust.path));
            if matches!(trust.decision, Decision::Trusted | Decision::Nothing) {
                files = self.home.rule_files(Some(Path::new(&trust.path)));
            } else {
                notes.push("The rules of the folder itself are offered once it is trusted.".into());
            }
        }
        let known = self.rules().await?;
        let look = move || {
            let mut items = Vec::new();
            for (file, scope) in &files {
                match cli_rules::read(file) {
                    Ok(rules) => {
                        items.extend(rules.iter().map(|rule| offer(rule, file, *scope)));
                    }
                    Err(why) => notes.push(format!("{} {why}", file.display())),
                }
            }
            OfferedRules { items, notes }
        };
        let offered = tokio::task::spawn_blocking(look).await;
        let mut offered = offered.map_err(|_| SupervisorError::Unreadable("settings".into()))?;
        for item in &mut offered.items {
            item.known = known.iter().any(|record| is_same(record, item, id));
        }
        Ok(offered)
    }

    /// Takes over what was chosen, all of it or none; returns what is new. Only
    /// what is offered can be taken.
    pub async fn take_rules(
        &self,
        choices: &[RuleChoice],
        scope: RuleScope,
        project: Option<&Path>,
        client: Option<&ClientRef>,
    ) -> Result<Vec<RuleRecord>, SupervisorError> {
        let offered = self.offered_rules(project).await?;
        let mut records = Vec::new();
        for choice in choices {
            let same =
                |item: &&OfferedRule| item.rule == choice.rule && item.decision == choice.decision;
            let refused = |why: &str| {
                let rule = choice.rule.chars().take(200).collect::<String>();
                SupervisorError::BadOption(format!("`{rule}` {why}"))
            };
            let mut alike = offered.items.iter().filter(same).peekable();
            if alike.peek().is_none() {
                return Err(refused("is not among the agent's own rules"));
            }
            let readable = alike.find(|item| item.unreadable.is_none());
            let Some(item) = readable else {
                return Err(refused("cannot be taken over"));
            };
            let pattern = understood(&item.rule, item.scope);
            let pattern = pattern.map_err(|why| refused(&why))?;
            records.push(RuleRecord {
                id: RuleId::from_uuid(self.world.id()),
                scope,
                rule: pattern.to_string(),
                decision: item.decision,
                created_at: self.world.now(),
                client: client.cloned(),
                approval: None,
            });
        }
        let changes: Vec<_> = records.iter().cloned().map(RuleChange::Added).collect();
        let outcomes = self.store.change_rules(changes.clone()).await?;
        let is_new = |outcome: &RuleOutcome| matches!(outcome, RuleOutcome::Added(_));
        let added = changes.into_iter().zip(&outcomes);
        let added: Vec<_> = added
            .filter_map(|(change, outcome)| is_new(outcome).then_some(change))
            .collect();
        self.rules.changed(&added);
        let new = records.into_iter().zip(&outcomes);
        Ok(new
            .filter_map(|(record, outcome)| is_new(outcome).then_some(record))
            .collect())
    }
}

fn offer(rule: &CliRule, file: &Path, scope: Scope) -> OfferedRule {
    let understood = understood(&rule.rule, scope);
    let wide = rule.decision == RuleDecision::Allow && is_wide(&rule.rule);
    OfferedRule {
        rule: rule.rule.clone(),
        decision: rule.decision,
        source: file.display().to_string(),
        scope,
        words: understood
            .as_ref()
            .ok()
            .map(|pattern| baton_rules::words(pattern, rule.decision)),
        unreadable: understood.err(),
        known: false,
        warning: wide.then(|| "It allows about anything without asking.".to_owned()),
    }
}

/// The same rule here, if there is one that means the same.
fn understood(rule: &str, scope: Scope) -> Result<Pattern, String> {
    let path = ["Edit(", "Read("]
        .iter()
        .find_map(|head| rule.strip_prefix(head));
    let rooted = path.is_some_and(|path| path.starts_with('/') && !path.starts_with("//"));
    if scope == Scope::User && rooted {
        return Err(
            "there, a path with one slash begins at the folder of the settings, and here at the \
             project; write it with two slashes or `~/`"
                .to_owned(),
        );
    }
    Pattern::parse(rule).map_err(|error| error.to_string())
}

fn is_same(record: &RuleRecord, item: &OfferedRule, project: Option<ProjectId>) -> bool {
    let reaches = match record.scope {
        RuleScope::User => true,
        RuleScope::Project(id) => Some(id) == project,
        RuleScope::Session(_) => false,
    };
    let text = understood(&item.rule, item.scope).map(|pattern| pattern.to_string());
    reaches && record.decision == item.decision && text.is_ok_and(|text| text == record.rule)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn offered(rule: &str, scope: Scope) -> OfferedRule {
        let rule = CliRule {
            decision: RuleDecision::Allow,
            rule: rule.to_owned(),
        };
        offer(&rule, Path::new("settings.json"), scope)
    }

    #[test]
    fn what_means_something_else_here_is_offered_with_the_reason_and_not_changed() {
        for (rule, scope) in [
            // The folder of the settings there, the project here.
            ("Edit(/src/**)", Scope::User),
            ("Write(src/**)", Scope::Project),
            ("Skill(review)", Scope::User),
            ("Bash(", Scope::User),
        ] {
            let item = offered(rule, scope);
            assert!(item.unreadable.is_some() && item.words.is_none(), "{rule}");
            assert_eq!(item.rule, rule);
        }
        for (rule, scope) in [
            ("Edit(/src/**)", Scope::Project),
            ("Edit(//etc/**)", Scope::User),
            ("Read(~/notes/**)", Scope::User),
            ("Bash(git status:*)", Scope::User),
            ("WebFetch(domain:example.org)", Scope::User),
        ] {
            let item = offered(rule, scope);
            assert_eq!(item.unreadable, None, "{rule}");
            assert!(item.words.is_some(), "{rule}");
        }
        assert!(offered("Bash", Scope::User).warning.is_some());
        assert!(offered("Bash(git status)", Scope::User).warning.is_none());
    }
}
