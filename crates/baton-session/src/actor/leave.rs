//! Whether a call may run: the thin part, which looks at files and rules. The
//! decision itself is `baton_rules::judge`.

use std::path::{Path, PathBuf};

use baton_protocol::{
    RuleId,
    event::{SessionCreated, Suggestion},
    words::{ApprovalKind, PermissionMode, RuleDecision, Scope},
};
use baton_rules::{By, Call, Pattern, RealPaths, Resolved, Rule, Stage, Surroundings, judge};
use baton_store::{RuleChange, RuleRecord, RuleScope};
use serde_json::Value;

use super::Actor;
use crate::{
    agents::{self, AgentKind, Ask, AskDecision, Doubt, Ground, RuleRef, Verdict},
    blob, caution, folder,
    handle::RememberAs,
    host::Host,
    machine::{Effect, Input, Rejected, Remember},
    preview,
};

impl Actor {
    /// Fills in what only the owner of the files and rules can know of a call.
    pub(super) fn weigh(&self, stage: Stage, ask: &mut Ask) {
        let input = ask.input.value();
        ask.verdict = self.verdict(stage, ask, &input);
        ask.held = stage == Stage::BeforeUse && ask.kind == ApprovalKind::Tool && self.holds(ask);
        let shown = match (&ask.verdict, stage) {
            (Verdict::Ask { .. }, _) if ask.held => true,
            // Left to the agent, which asks if it must.
            (Verdict::Open | Verdict::Allow(_) | Verdict::Ask { .. }, Stage::BeforeUse) => false,
            _ => true,
        };
        if shown {
            let cwd = self.cwd();
            let secrets = self.parts.secrets.look();
            ask.preview = preview::preview(&ask.tool_name, &input, &cwd, &secrets);
            ask.warnings = caution::warnings(&ask.tool_name, &input, &cwd);
        }
        if (stage == Stage::Asked || ask.held) && ask.kind == ApprovalKind::Tool {
            let place = self.place(ask.tool_use_id.as_deref());
            let suggestions =
                baton_rules::suggestions(&place.call(&ask.tool_name, &input), &RealPaths);
            ask.suggestions = suggestions
                .into_iter()
                .map(|(rule, scope)| Suggestion { rule, scope })
                .collect();
        }
    }

    /// Whether a question of the agent's would be answered by somebody else: by
    /// its own classifier, or by a hook that was written while it runs.
    fn holds(&self, ask: &Ask) -> bool {
        let Verdict::Ask { reason } = &ask.verdict else {
            return false;
        };
        let judged = self.parts.machine.mode() == PermissionMode::Auto;
        (judged && reason != baton_rules::UNCOVERED)
            || agents::hooks_may_answer(&self.parts.home.claude_config)
    }

    pub(super) fn verdict(&self, stage: Stage, ask: &Ask, input: &Value) -> Verdict {
        let (kind, tool) = (ask.kind, ask.tool_name.as_str());
        let mode = self.parts.machine.mode();
        let place = self.place(ask.tool_use_id.as_deref());
        let rules = self.rules_in_force();
        let call = Call {
            doubt: match &ask.doubt {
                Some(Doubt::Unchecked(why)) => Some(why),
                Some(Doubt::Settings) | None => None,
            },
            ..place.call(tool, input)
        };
        let resolved = Resolved::of(&call, &RealPaths);
        let host = self.parts.host.as_deref();
        let own = host.map(Host::server);
        let of_host = own.and_then(|server| baton_rules::tool_of_server(server, tool));
        let changes = host
            .zip(of_host)
            .is_some_and(|(host, tool)| host.changes(tool));
        // What changes a workspace is as free as the agent's own tools are.
        let free = own.filter(|_| !changes);
        let around = Surroundings {
            // A person sees a proposal in any case.
            own_server: own.filter(|_| !changes || of_host == Some(PROPOSE)),
            plans: Some(&place.plans),
            extra: &place.extra,
            readable: &place.readable,
            secrets: &place.secrets,
            obeyed: &self.folder.scripts,
            paths: &RealPaths,
        };
        // A request of an unknown kind is no tool: a person reads it.
        if kind != ApprovalKind::Other && !folder::permits(&self.folder.tools, tool, free) {
            return Verdict::Deny {
                ground: Ground::Mode,
                message: format!(
                    "{tool} is not among the tools of this session. Go on without it."
                ),
            };
        }
        let judged = judge(stage, kind, mode, &rules, &resolved, &around);
        let verdict = match of_own_tool(own, tool, judged) {
            baton_rules::Verdict::Allow { by } => Verdict::Allow(ground(by)),
            baton_rules::Verdict::Deny { by, message } => Verdict::Deny {
                ground: ground(by),
                message,
            },
            baton_rules::Verdict::Ask { reason, .. } => Verdict::Ask { reason },
            baton_rules::Verdict::Unmatched => Verdict::Open,
        };
        let verdict = match verdict {
            // What the user told the agent itself to ask about is asked.
            Verdict::Open | Verdict::Allow(_) if ask.doubt == Some(Doubt::Settings) => {
                let reason = "your settings of the agent ask about it".to_owned();
                unless_quiet(mode, reason)
            }
            Verdict::Open if stage == Stage::BeforeUse && baton_rules::starts_agent(tool) => {
                let config = &self.parts.home.claude_config;
                match agents::sub_agent_wants_more(config, input) {
                    Some(reason) => unless_quiet(mode, reason),
                    None => Verdict::Open,
                }
            }
            verdict @ (Verdict::Open
            | Verdict::Allow(_)
            | Verdict::Deny { .. }
            | Verdict::Ask { .. }) => verdict,
        };
        self.in_doubt(stage, kind, mode, verdict)
    }

    /// Nothing passes unasked where something that may forbid it cannot be
    /// read, or where the agent does not run as it should.
    fn in_doubt(
        &self,
        stage: Stage,
        kind: ApprovalKind,
        mode: PermissionMode,
        verdict: Verdict,
    ) -> Verdict {
        if kind != ApprovalKind::Tool
            || matches!(verdict, Verdict::Deny { .. } | Verdict::Ask { .. })
        {
            return verdict;
        }
        let (id, project) = (self.parts.id, self.project());
        if let Some(rule) = self.parts.rules.broken(id, project) {
            let reason = format!("the rule `{rule}` cannot be read and may forbid it");
            return unless_quiet(mode, reason);
        }
        if stage == Stage::BeforeUse && self.parts.machine.overreaches() {
            let reason = "the agent runs in a mode that it may not".to_owned();
            return Verdict::Ask { reason };
        }
        verdict
    }

    /// Checks what a person's answer brings along: a changed input passes the
    /// deny rules again, and what is to be remembered must be a rule.
    pub(super) fn vetted(
        &self,
        input: Input,
        remember: Option<RememberAs>,
    ) -> Result<Input, Rejected> {
        // One that was taken already has its answer, whatever rules came since.
        if let Input::Send(message) = &input
            && !self
                .parts
                .machine
                .facts()
                .messages
                .contains_key(&message.id)
        {
            self.mentions_allowed(&message.text)?;
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
        let open = self.parts.machine.facts().approvals.get(&approval);
        // A rule may have been made since it was asked.
        if let Some(open) = open
            && let AskDecision::Allow { modified_input, .. } = &decision
        {
            let asked = open.input.value();
            let input = modified_input.as_ref().unwrap_or(&asked);
            let again = Ask {
                kind: open.kind,
                tool_name: open.tool_name.clone(),
                tool_use_id: open.tool_use_id.clone(),
                ..Ask::default()
            };
            let verdict = self.verdict(Stage::Asked, &again, input);
            if let Verdict::Deny {
                ground: Ground::Rule(rule),
                ..
            } = verdict
            {
                return Err(Rejected::DeniedByRule { rule: rule.rule });
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
                let call = place.call(&open.tool_name, input);
                Some(self.remembered(&call, wanted, decided)?)
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

    fn remembered(
        &self,
        call: &Call<'_>,
        wanted: RememberAs,
        decision: RuleDecision,
    ) -> Result<Remember, Rejected> {
        let rule = match wanted.rule {
            Some(rule) => rule,
            None => baton_rules::exact_rule(call, &RealPaths).ok_or_else(|| {
                let text = "no rule covers exactly this call; name one with `rule`";
                Rejected::BadRule(text.to_owned())
            })?,
        };
        let rule = Pattern::parse(&rule).map_err(|error| Rejected::BadRule(error.to_string()))?;
        let here = self.rules_here();
        let same = here.iter().find(|known| {
            known.pattern == rule && known.decision == decision && known.scope == wanted.scope
        });
        Ok(Remember {
            known: same.map(|known| known.id),
            rule: rule.to_string(),
            scope: wanted.scope,
        })
    }

    /// A rule that a step asks for, as the store keeps it.
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
        let scope = match rule.scope {
            Scope::Session => RuleScope::Session(self.parts.id),
            Scope::Project => RuleScope::Project(self.project()),
            Scope::User => RuleScope::User,
        };
        Some(RuleChange::Added(RuleRecord {
            id: rule.id,
            scope,
            rule: rule.rule,
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
    fn place(&self, tool_use_id: Option<&str>) -> Place {
        let facts = self.parts.machine.facts();
        let created = facts.created.as_ref();
        let project = self.cwd();
        let here = self.whereabouts.of(tool_use_id);
        let others = |call: &str| facts.tools.contains_key(call);
        let home = self.parts.home.home();
        let config = &self.parts.home.claude_config;
        let agent = created.and_then(|created| AgentKind::from_name(&created.agent));
        let says_where_it_is = agent.is_some_and(|agent| agent.capabilities().has_modes);
        Place {
            // An agent that never says where it is does not move.
            moving: (here.is_none() && says_where_it_is)
                || self.whereabouts.is_moving(tool_use_id, others),
            cwd: here.map_or_else(|| project.clone(), Path::to_owned),
            project,
            plans: config.join("plans"),
            readable: OF_THE_AGENT
                .iter()
                .map(|name| config.join(name))
                .chain([agents::project_notes(config, &self.cwd())])
                .collect(),
            secrets: self.parts.secrets.paths().to_vec(),
            home,
            extra: self.folder.extra.clone(),
        }
    }
}

/// What the agent keeps for its sessions, below its own folder.
const OF_THE_AGENT: &[&str] = &[
    "agents", "commands", "plans", "plugins", "skills", "tasks", "todos",
];

/// Asks, or denies where nobody is asked.
fn unless_quiet(mode: PermissionMode, reason: String) -> Verdict {
    if mode != PermissionMode::DontAsk {
        return Verdict::Ask { reason };
    }
    let message = format!(
        "This was not run: nobody is asked in this session, and {reason}. Go on with what is \
         allowed, or say at the end what was left undone."
    );
    Verdict::Deny {
        ground: Ground::Mode,
        message,
    }
}

/// Baton's own tools need no person, whatever the agent's habits are, except
/// one: what a workspace runs is decided by a person, in every mode.
fn of_own_tool(
    own: Option<&str>,
    tool: &str,
    verdict: baton_rules::Verdict,
) -> baton_rules::Verdict {
    use baton_rules::Verdict::{Allow, Ask, Deny, Unmatched};
    let Some(own) = own.and_then(|server| baton_rules::tool_of_server(server, tool)) else {
        return verdict;
    };
    match verdict {
        Allow { .. } | Ask { .. } | Unmatched if own == PROPOSE => Ask {
            reason: "it changes what runs in this workspace".to_owned(),
            rule: None,
        },
        Deny { .. } if own == PROPOSE => verdict,
        Unmatched
        | Ask { rule: None, .. }
        | Deny {
            by: By::Mode(PermissionMode::DontAsk),
            ..
        } => Allow {
            by: By::Mode(PermissionMode::Default),
        },
        Allow { .. } | Ask { .. } | Deny { .. } => verdict,
    }
}

/// The tool whose calls a person always sees.
const PROPOSE: &str = "propose_scripts_config";

/// Where a session's calls happen.
struct Place {
    cwd: PathBuf,
    moving: bool,
    project: PathBuf,
    home: PathBuf,
    plans: PathBuf,
    extra: Vec<PathBuf>,
    readable: Vec<PathBuf>,
    secrets: Vec<PathBuf>,
}

impl Place {
    fn call<'a>(&'a self, tool: &'a str, input: &'a Value) -> Call<'a> {
        Call {
            tool,
            input,
            cwd: &self.cwd,
            moving: self.moving,
            doubt: None,
            project: &self.project,
            home: &self.home,
        }
    }
}

fn ground(by: By) -> Ground {
    match by {
        By::Mode(_) => Ground::Mode,
        By::Rule(rule) => Ground::Rule(RuleRef {
            id: rule.id,
            rule: rule.text,
            scope: rule.scope,
        }),
    }
}
