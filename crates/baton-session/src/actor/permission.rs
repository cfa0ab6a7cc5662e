//! Whether a call may run. What the session knows is taken together here, a
//! [`Gate`] judges by it where it may look at files, and the decision itself is
//! `baton_rules::judge`.

mod gate;
mod mentioned;
mod plans;

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use baton_process::holder;
use baton_protocol::{
    RuleId,
    event::SessionCreated,
    words::{RuleDecision, Scope},
};
use baton_rules::{By, Call, Pattern, RealPaths, Rule, RuleRef, Stage, Verdict};
use baton_store::{RuleChange, RuleRecord, RuleScope};

use super::Actor;
use crate::{
    agents::{self, AgentKind, Ask, AskDecision},
    blob,
    handle::Remember,
    machine::{Effect, Input, Rejected},
};

use self::{
    gate::{CallFolders, Gate},
    plans::OwnPlans,
};

pub(super) use self::plans::Planned;

impl Actor {
    /// Fills in what only the owner of the files and rules can know of a call.
    pub(super) async fn weigh(&self, stage: Stage, ask: &mut Ask) {
        let gate = self.gate(ask.tool_use_id.as_deref());
        let mut weighed = std::mem::take(ask);
        *ask = apart(move || {
            gate.weigh(stage, &mut weighed);
            weighed
        })
        .await;
    }

    /// What a call is judged by at this moment.
    fn gate(&self, tool_use_id: Option<&str>) -> Gate {
        let broken = self.parts.rules.broken(self.parts.id, self.project());
        Gate {
            mode: self.parts.machine.mode(),
            rules: self.rules_in_force(),
            broken: broken.map(|rule| rule.to_string()),
            overreaches: self.parts.machine.overreaches(),
            tools: self.folder.tools.clone(),
            scripts: self.folder.scripts.clone(),
            host: self.parts.host.clone(),
            secrets: Arc::clone(&self.parts.secrets),
            home: Arc::clone(&self.parts.home),
            brought: self.brought(),
            place: self.place(tool_use_id),
        }
    }

    /// Where the running process has what a trusted folder brought.
    fn brought(&self) -> Option<PathBuf> {
        let process = self.process.as_ref()?;
        let folder = self.parts.holders.join(process.holder.to_string());
        Some(holder::files_path(&folder))
    }

    /// What an input would say to the agent that was not looked at before. A
    /// message that was taken already has its answer, whatever rules came since.
    fn text_to_come<'a>(&self, input: &'a Input) -> Option<&'a str> {
        if let Input::Edit { text, .. } = input {
            return Some(text);
        }
        let Input::Send { message, .. } = input else {
            return None;
        };
        let known = &self.parts.machine.facts().messages;
        (!known.contains_key(&message.message_id)).then_some(&message.text)
    }

    /// Checks what a person's answer brings along: a changed input passes the
    /// deny rules again, and what is to be remembered must be a rule.
    pub(super) async fn vetted(
        &self,
        input: Input,
        remember: Option<Remember>,
    ) -> Result<Input, Rejected> {
        if let Some(text) = self.text_to_come(&input) {
            self.mentions_allowed(text).await?;
        }
        let Input::Answer {
            approval,
            decision,
            by,
            client,
            ..
        } = input
        else {
            return Ok(input);
        };
        let open = self.parts.machine.facts().open.approval(approval);
        // A rule may have been made since it was asked.
        if let Some(open) = open
            && let AskDecision::Allow { modified_input, .. } = &decision
        {
            let asked = open.input.value();
            let input = modified_input.as_ref().unwrap_or(&asked);
            let again = Ask {
                kind: open.kind,
                tool_name: open.tool_name.clone(),
                what: self.parts.machine.tool_use(&open.tool_name, input),
                tool_use_id: open.tool_use_id.clone(),
                ..Ask::default()
            };
            let (gate, input) = (self.gate(open.tool_use_id.as_deref()), input.clone());
            let verdict = apart(move || gate.verdict(Stage::Asked, &again, &input)).await;
            if let Verdict::Deny {
                by: By::Rule(rule), ..
            } = verdict
            {
                return Err(Rejected::DeniedByRule { rule: rule.text });
            }
        }
        let remember = match (open, remember) {
            (Some(open), Some(wanted)) => {
                let asked = open.input.value();
                let changed = match &decision {
                    AskDecision::Allow { modified_input, .. } => modified_input.as_ref(),
                    AskDecision::Deny { .. } => None,
                };
                let input = changed.unwrap_or(&asked);
                let decided = match &decision {
                    AskDecision::Allow { .. } => RuleDecision::Allow,
                    AskDecision::Deny { .. } => RuleDecision::Deny,
                };
                let place = self.place(open.tool_use_id.as_deref());
                let (tool, input) = (open.tool_name.clone(), input.clone());
                let what = self.parts.machine.tool_use(&tool, &input);
                let rule = apart(move || {
                    let call = place.call(&tool, &what, &input);
                    match wanted.rule {
                        Some(rule) => fitting(&rule, &call),
                        None => exact(&call),
                    }
                })
                .await?;
                Some(self.remembered(&rule, wanted.scope, decided))
            }
            (None, _) | (_, None) => None,
        };
        Ok(Input::Answer {
            approval,
            decision,
            by,
            client,
            remember,
        })
    }

    /// The rule to remember, which may be there already.
    fn remembered(&self, rule: &Pattern, scope: Scope, decision: RuleDecision) -> RuleRef {
        let here = self.rules_here();
        let same = here.iter().find(|known| {
            known.pattern == *rule && known.decision == decision && known.scope == scope
        });
        let fresh = || RuleId::from_uuid(self.parts.world.id());
        RuleRef {
            id: same.map_or_else(fresh, |known| known.id),
            text: rule.to_string(),
            scope,
        }
    }

    /// A rule that a step asks for, as the store keeps it. None for one that is
    /// there already.
    pub(super) fn rule(&self, effect: Effect) -> Option<RuleChange> {
        let Effect::AddRule {
            rule,
            decision,
            client,
            approval,
        } = effect
        else {
            return None;
        };
        if self.rules_here().iter().any(|known| known.id == rule.id) {
            return None;
        }
        let scope = match rule.scope {
            Scope::Session => RuleScope::Session(self.parts.id),
            Scope::Project => RuleScope::Project(self.project()),
            Scope::User => RuleScope::User,
        };
        Some(RuleChange::Added(RuleRecord {
            id: rule.id,
            scope,
            rule: rule.text,
            decision,
            created_at: self.parts.world.now(),
            client,
            approval: Some(approval),
        }))
    }

    /// What a session is given of the rules of the one it was forked from.
    pub(super) fn inherited_rules(&self) -> Vec<RuleChange> {
        let created = self.parts.machine.facts().created.as_ref();
        let Some(source) = created.and_then(|created| created.forked_from) else {
            return Vec::new();
        };
        let forbidden = self.parts.rules.forbidden_in(source).into_iter();
        let records = forbidden.map(|(rule, decision)| RuleRecord {
            id: RuleId::from_uuid(self.parts.world.id()),
            scope: RuleScope::Session(self.parts.id),
            rule,
            decision,
            created_at: self.parts.world.now(),
            client: None,
            approval: None,
        });
        records.map(RuleChange::Added).collect()
    }

    /// The rules that deny or ask, as they are written, and whether one of them
    /// cannot be read.
    pub(super) fn what_rules_forbid(&self) -> (Vec<String>, bool) {
        let rules = self.rules_in_force().into_iter();
        let forbidden = rules.filter(|rule| rule.decision != RuleDecision::Allow);
        let forbidden = forbidden.map(|rule| rule.pattern.to_string());
        let broken = self.parts.rules.broken(self.parts.id, self.project());
        (forbidden.collect(), broken.is_some())
    }

    /// The rules that deny reading, as the agent writes them.
    pub(super) fn denied_reads(&self) -> Vec<String> {
        let rules = self.rules_in_force().into_iter();
        let denied = rules.filter(|rule| rule.decision == RuleDecision::Deny);
        let denied = denied.filter_map(|rule| agents::denied_read(&rule.pattern.to_string()));
        denied.collect()
    }

    /// The rules that people made, and what the folder itself denies and asks.
    /// What is allowed everywhere is not allowed in a folder that nobody
    /// accepted: `npm test` runs what the folder says.
    fn rules_in_force(&self) -> Vec<Rule> {
        let mut rules = self.rules_here();
        rules.retain(|rule| {
            let everywhere = rule.scope == Scope::User && rule.decision == RuleDecision::Allow;
            !(everywhere && self.folder.foreign)
        });
        rules.extend(self.folder.rules.iter().cloned());
        rules
    }

    fn rules_here(&self) -> Vec<Rule> {
        self.parts.rules.of(self.parts.id, self.project())
    }

    pub(super) fn project(&self) -> baton_protocol::ProjectId {
        let created = self.parts.machine.facts().created.as_ref();
        let folder = created.map(SessionCreated::project_folder);
        blob::project_id(folder.unwrap_or_default())
    }

    /// Where a call would happen.
    fn place(&self, tool_use_id: Option<&str>) -> CallFolders {
        let facts = self.parts.machine.facts();
        let created = facts.created.as_ref();
        let project = self.cwd();
        let here = self.whereabouts.of(tool_use_id);
        let others = |call: &str| facts.open.tool(call).is_some();
        let home = self.parts.home.home();
        let agent = created.and_then(|created| AgentKind::from_name(&created.agent));
        let says_where_it_is = agent.is_some_and(|agent| agent.capabilities().tells_folder);
        let taken_along = self.whereabouts.is_moving(tool_use_id, others);
        CallFolders {
            // An agent that never says where it is does not move.
            moving: (here.is_none() && says_where_it_is) || taken_along,
            cwd: here.map_or_else(|| project.clone(), Path::to_owned),
            file_may_change: taken_along && self.whereabouts.is_relative(tool_use_id),
            project,
            plans: OwnPlans::new(&self.parts.home, facts.conversation(), &self.planned),
            readable: self.parts.home.own_files(&self.cwd()),
            secrets: self.parts.secrets.paths().to_vec(),
            settings: self.parts.home.settings().map(Path::to_owned).to_vec(),
            home,
            extra: self.folder.extra.clone(),
        }
    }
}

/// The rule that a person wants to remember with an answer. One that is about
/// something else would decide what nobody looked at.
fn fitting(rule: &str, call: &Call<'_>) -> Result<Pattern, Rejected> {
    let pattern = Pattern::parse(rule).map_err(|error| Rejected::BadRule(error.to_string()))?;
    if baton_rules::concerns(&pattern, call, &RealPaths) {
        return Ok(pattern);
    }
    let tool = call.tool;
    Err(Rejected::BadRule(format!(
        "the rule {pattern} is not about this call of {tool}; nothing was answered, and the request stays open"
    )))
}

/// The rule for exactly this call.
fn exact(call: &Call<'_>) -> Result<Pattern, Rejected> {
    let rule = baton_rules::exact_rule(call, &RealPaths).ok_or_else(|| {
        let text = "no rule covers exactly this call; name one with `rule`";
        Rejected::BadRule(text.to_owned())
    })?;
    Pattern::parse(&rule).map_err(|error| Rejected::BadRule(error.to_string()))
}

/// Does what looks at the disk where it keeps nobody else waiting.
async fn apart<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done,
        Err(error) => match error.try_into_panic() {
            Ok(panic) => std::panic::resume_unwind(panic),
            // The runtime ends, and this task with it.
            Err(_) => std::future::pending().await,
        },
    }
}
