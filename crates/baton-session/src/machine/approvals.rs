//! The life of an approval: asked, decided once, told to the agent.
//!
//! What rules and mode decide is recorded like what a person decides, as a
//! question and its answer, so that the log tells why each call ran or did not.

use baton_protocol::{
    ApprovalId,
    event::{ApprovalRequested, ApprovalResolved},
    words::{ApprovalKind, ClientRef, DecidedBy, Decision, Json, PermissionMode, RuleDecision},
};
use baton_rules::{By, RuleRef, Verdict};

use super::{CloseRequest, Effect, Rejected, Reply, Step, Unheard};
use crate::agents::{AgentCommand, Answer, Ask, AskDecision, GateAnswer, Refusal};
use crate::{fold::Open, views::decided::UNSAID};

/// Said to the agent when nobody was there to decide, without a word of why.
const UNATTENDED: &str = "Nobody could be asked, so this was denied.";

/// Who or what decided.
pub(super) struct How {
    by: DecidedBy,
    mode: Option<PermissionMode>,
    unattended: bool,
    client: Option<ClientRef>,
    rule: Option<RuleRef>,
}

impl How {
    pub(super) const fn by(by: DecidedBy, client: Option<ClientRef>) -> Self {
        Self {
            by,
            mode: None,
            unattended: false,
            client,
            rule: None,
        }
    }

    /// What a client said: that a person decided, or that there was none.
    pub(super) fn said(by: DecidedBy, client: Option<ClientRef>) -> Self {
        Self {
            unattended: by == DecidedBy::Mode,
            ..Self::by(by, client)
        }
    }

    fn on(by: By) -> Self {
        match by {
            By::Tools => Self::by(DecidedBy::Mode, None),
            By::Mode(mode) => Self {
                mode: Some(mode),
                ..Self::by(DecidedBy::Mode, None)
            },
            By::Rule(rule) => Self {
                rule: Some(rule),
                ..Self::by(DecidedBy::Rule, None)
            },
        }
    }
}

impl Step<'_> {
    /// The agent is about to use a tool. It is stopped, made to ask, or left to
    /// its own habits; a question that it asks then is answered by `asked`.
    pub(super) fn gate(&mut self, request: String, ask: &Ask) {
        if self.is_known(&request) {
            return;
        }
        self.machine.passes_gate(ask.tool_use_id.clone());
        if ask.held {
            self.asked(request, ask.clone());
            return;
        }
        let answer = match &ask.verdict {
            Verdict::Deny { by, message } => {
                let approval = self.requested(ask.clone());
                let decision = AskDecision::Deny {
                    message: message.clone(),
                    interrupt: false,
                };
                self.resolved(approval, &decision, How::on(by.clone()));
                GateAnswer::Deny {
                    message: message.clone(),
                }
            }
            // Questions and plans reach a person in any case.
            Verdict::Ask { reason, .. } if ask.kind == ApprovalKind::Tool => GateAnswer::Ask {
                reason: reason.clone(),
            },
            Verdict::Ask { .. } | Verdict::Allow { .. } | Verdict::Unmatched => GateAnswer::Pass,
        };
        self.effect(Effect::OpenRequest {
            request: request.clone(),
            approval: None,
        });
        self.answered(&request, acts(ask.tool_use_id.clone()), &answer);
        self.effect(Effect::Tell(AgentCommand::Gate { request, answer }));
    }

    pub(super) fn asked(&mut self, request: String, ask: Ask) {
        if self.is_known(&request) {
            return;
        }
        let verdict = ask.verdict.clone();
        let approval = self.requested(ask);
        self.machine.life.requests.insert(approval, request.clone());
        self.effect(Effect::OpenRequest {
            request,
            approval: Some(approval),
        });
        match verdict {
            Verdict::Allow { by } => {
                let decision = AskDecision::Allow {
                    modified_input: None,
                    mode: None,
                };
                self.resolve(approval, decision, How::on(by));
            }
            Verdict::Deny { by, message } => {
                let decision = AskDecision::Deny {
                    message,
                    interrupt: false,
                };
                self.resolve(approval, decision, How::on(by));
            }
            Verdict::Ask { .. } | Verdict::Unmatched => {}
        }
    }

    fn is_known(&self, request: &str) -> bool {
        let machine = &self.machine;
        machine.life.requests.values().any(|open| open == request)
            || machine.life.unconfirmed.contains_key(request)
    }

    fn requested(&mut self, ask: Ask) -> ApprovalId {
        let approval = ApprovalId::from_uuid(self.moment.fresh);
        let timeout = self.machine.limits.of_asking(ask.kind);
        let for_a_person = matches!(ask.verdict, Verdict::Unmatched | Verdict::Ask { .. });
        let timeout = timeout.filter(|_| for_a_person);
        let reason = match ask.verdict {
            Verdict::Ask { reason, .. } => Some(reason),
            Verdict::Unmatched | Verdict::Allow { .. } | Verdict::Deny { .. } => ask.reason,
        };
        self.record_from(
            ApprovalRequested {
                approval_id: approval,
                tool_use_id: ask.tool_use_id,
                kind: ask.kind,
                tool_name: ask.tool_name,
                tool_kind: ask.what.kind,
                subject: ask.what.subject.into(),
                input: ask.input,
                risk: ask.risk,
                reason,
                warnings: ask.warnings,
                preview: ask.preview,
                suggestions: ask.suggestions,
                expires_at: timeout.map(|timeout| self.moment.now.plus(timeout)),
                agent_id: ask.agent_id.clone(),
            },
            ask.agent_id,
        );
        approval
    }

    pub(super) fn answer(
        &mut self,
        approval: ApprovalId,
        decision: AskDecision,
        how: How,
        remember: Option<RuleRef>,
    ) -> Result<Reply, Rejected> {
        let Some(open) = self.machine.facts.open.approval(approval) else {
            // If it was answered, the log knows by whom.
            return Err(Rejected::UnknownApproval { approval });
        };
        let kind = open.kind;
        let unanswered = matches!(
            &decision,
            AskDecision::Allow {
                modified_input: None,
                ..
            }
        );
        if kind == ApprovalKind::Question && unanswered {
            return Err(Rejected::AnswersMissing);
        }
        if remember.is_some() && kind != ApprovalKind::Tool {
            return Err(Rejected::CannotRemember);
        }
        if let AskDecision::Allow {
            mode: Some(mode), ..
        } = &decision
        {
            self.may_enter(*mode)?;
        }
        let mut how = how;
        if let Some(rule) = remember {
            how.rule = Some(rule.clone());
            self.effect(Effect::AddRule {
                rule,
                decision: match &decision {
                    AskDecision::Allow { .. } => RuleDecision::Allow,
                    AskDecision::Deny { .. } => RuleDecision::Deny,
                },
                client: how.client.clone(),
                approval,
            });
        }
        if matches!(
            &decision,
            AskDecision::Deny {
                interrupt: true,
                ..
            }
        ) {
            self.stop_holds(how.client.clone());
        }
        self.resolve(approval, decision, how);
        Ok(Reply::Done)
    }

    /// Records an approval's end and tells the agent, in this order.
    pub(super) fn resolve(&mut self, approval: ApprovalId, decision: AskDecision, how: How) {
        let Some(open) = self.machine.facts.open.approval(approval).cloned() else {
            return;
        };
        let mut decision = decision;
        if let AskDecision::Deny { message, .. } = &mut decision
            && message.trim().is_empty()
        {
            let default = if how.unattended { UNATTENDED } else { UNSAID };
            default.clone_into(message);
        }
        self.resolved(approval, &decision, how);
        self.machine.life.heard = self.moment.at;
        if let Some(request) = self.machine.life.requests.remove(&approval) {
            let answer = Answer {
                kind: open.kind,
                tool_name: open.tool_name,
                input: open.input,
                decision,
            };
            self.answered(&request, acts(open.tool_use_id), &answer);
            let command = AgentCommand::Answer { request, answer };
            self.effect(Effect::Tell(command));
        }
    }

    fn resolved(&mut self, approval: ApprovalId, decision: &AskDecision, how: How) {
        let mut resolved = ApprovalResolved {
            approval_id: approval,
            decision: Decision::Allow,
            by: how.by,
            mode: how.mode,
            unattended: how.unattended,
            client: how.client,
            rule_id: how.rule.as_ref().map(|rule| rule.id),
            scope: how.rule.as_ref().map(|rule| rule.scope),
            rule: how.rule.map(|rule| rule.text),
            message: None,
            modified_input: None,
            modified_subject: Box::default(),
            interrupt: false,
        };
        match decision {
            AskDecision::Allow { modified_input, .. } => {
                if let Some(input) = modified_input {
                    let asked = self.machine.facts.open.approval(approval);
                    let tool = asked.map_or("", |asked| asked.tool_name.as_str());
                    resolved.modified_subject = self.machine.tool_use(tool, input).subject.into();
                    resolved.modified_input = Some(Json::of(input));
                }
            }
            AskDecision::Deny { message, interrupt } => {
                resolved.decision = Decision::Deny;
                resolved.message = Some(message.clone());
                resolved.interrupt = *interrupt;
            }
        }
        self.record(resolved);
    }

    /// Keeps an answer until the agent is known to have heard it: it is said
    /// again by a later owner.
    fn answered(&mut self, request: &str, unheard: Unheard, answer: &impl serde::Serialize) {
        let request = request.to_owned();
        self.machine
            .life
            .unconfirmed
            .insert(request.clone(), unheard);
        self.effect(Effect::CloseRequest {
            request,
            close: CloseRequest::Answered(Json::of(answer)),
        });
    }

    /// Recorded like an answer, or an agent that asked just before a restart
    /// would wait for ever.
    pub(super) fn refuse(&mut self, request: String, what: &str) {
        let message = format!("{what} is not supported by this host");
        let refusal = Refusal {
            refused: message.clone(),
        };
        self.effect(Effect::OpenRequest {
            request: request.clone(),
            approval: None,
        });
        let unheard = Unheard {
            call: None,
            acts: false,
        };
        self.answered(&request, unheard, &refusal);
        self.effect(Effect::Tell(AgentCommand::Refuse { request, message }));
    }

    pub(super) fn withdrawn(&mut self, request: &str) {
        let open = self
            .machine
            .life
            .requests
            .iter()
            .find(|(_, open)| *open == request);
        if let Some(approval) = open.map(|(approval, _)| *approval) {
            let why = match self.machine.life.stopping {
                Some(_) => "the turn was stopped before anybody answered",
                None => "the agent no longer waits for an answer",
            };
            self.cancel(approval, why);
        }
    }

    /// A call that has ended waits for no answer.
    pub(super) fn cancel_questions_about(&mut self, tool_use_id: &str) {
        self.cancel_where("the agent went on without an answer", |_, asked| {
            asked.tool_use_id.as_deref() == Some(tool_use_id)
        });
    }

    /// Ends the approvals that nobody can answer any more.
    pub(super) fn cancel_where(
        &mut self,
        why: &str,
        is_moot: impl Fn(&Open, &ApprovalRequested) -> bool,
    ) {
        let open = &self.machine.facts.open;
        let moot = open.asked().filter(|asked| is_moot(open, asked));
        let moot: Vec<_> = moot.map(|asked| asked.approval_id).collect();
        for approval in moot {
            self.cancel(approval, why);
        }
    }

    /// Ends an approval that nobody can answer any more.
    pub(super) fn cancel(&mut self, approval: ApprovalId, why: &str) {
        let decision = AskDecision::Deny {
            message: why.to_owned(),
            interrupt: false,
        };
        self.resolved(approval, &decision, How::by(DecidedBy::Cancelled, None));
        if let Some(request) = self.machine.life.requests.remove(&approval) {
            self.effect(Effect::CloseRequest {
                request,
                close: CloseRequest::Dropped,
            });
        }
    }

    /// The agent went on, or is gone: no answer need be repeated.
    pub(super) fn confirm_answers(&mut self) {
        let all = std::mem::take(&mut self.machine.life.unconfirmed);
        self.confirm(all.into_keys().collect());
    }

    /// The turn has ended: what was said about its calls was heard. Calls in
    /// the background may still wait.
    pub(super) fn confirm_answers_of_the_turn(&mut self) {
        let open = &self.machine.facts.open;
        let waits = |unheard: &Unheard| {
            let call = unheard.call.as_deref();
            call.is_some_and(|call| open.tool(call).is_some())
        };
        let heard = self
            .machine
            .life
            .unconfirmed
            .extract_if(.., |_, unheard| !waits(unheard));
        let heard = heard.map(|(request, _)| request).collect();
        self.confirm(heard);
    }

    /// The call has ended, so the agent heard what was said about it.
    pub(super) fn confirm_answers_about(&mut self, tool_use_id: &str) {
        let unconfirmed = &mut self.machine.life.unconfirmed;
        let about = |unheard: &Unheard| unheard.call.as_deref() == Some(tool_use_id);
        let heard = unconfirmed.extract_if(.., |_, unheard| about(unheard));
        let heard = heard.map(|(request, _)| request).collect();
        self.confirm(heard);
    }

    fn confirm(&mut self, requests: Vec<String>) {
        for request in requests {
            self.effect(Effect::CloseRequest {
                request,
                close: CloseRequest::Confirmed,
            });
        }
    }
}

/// An answer that lets something happen.
const fn acts(call: Option<String>) -> Unheard {
    Unheard { call, acts: true }
}
