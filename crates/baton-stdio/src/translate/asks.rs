//! What a person is asked, and no more than that.
//!
//! The log has a question and an answer for every call that rules or the mode
//! decided, too. A question is held back until the next event: if that answers
//! it, no person was asked.

use std::collections::BTreeMap;

use baton_protocol::{
    ApprovalId, Event,
    event::{ApprovalRequested, ApprovalResolved},
    words::{ApprovalKind, Json},
};
use serde_json::Value;

use super::{Output, told::notify};
use crate::output::{
    ApprovalResolved as Resolved, PlanApprovalRequest, ToolApprovalRequest, UserQuestionRequest,
};

#[derive(Debug, Default)]
pub(super) struct Asks {
    held: Option<ApprovalRequested>,
    open: BTreeMap<ApprovalId, ApprovalRequested>,
}

impl Asks {
    pub(super) const fn holds_back(&self) -> bool {
        self.held.is_some()
    }

    pub(super) fn open(&self) -> impl Iterator<Item = ApprovalId> {
        self.open.keys().copied()
    }

    pub(super) fn get(&self, id: ApprovalId) -> Option<&ApprovalRequested> {
        self.open.get(&id)
    }

    /// `call` is what the tool was given.
    pub(super) fn requested(&mut self, asked: &ApprovalRequested, call: Option<&Json>) {
        let mut asked = asked.clone();
        if let Some(input) = call.and_then(|call| with_plan(&asked, call)) {
            asked.input = input;
        }
        self.held = Some(asked);
    }

    /// Another event comes: it decides about what is held back.
    pub(super) fn next(&mut self, event: &Event, out: &mut Vec<Output>) {
        let answers = |held: &ApprovalRequested| {
            matches!(event, Event::ApprovalResolved(resolved)
                if resolved.approval_id == held.approval_id)
        };
        if self.held.as_ref().is_some_and(answers) {
            self.held = None;
        } else {
            self.release(out);
        }
    }

    pub(super) fn release(&mut self, out: &mut Vec<Output>) {
        let Some(asked) = self.held.take() else {
            return;
        };
        let (kind, title, message) = match asked.kind {
            ApprovalKind::Question => ("question", "Question", "The agent asks something.".into()),
            ApprovalKind::Plan => ("plan", "Plan", "The agent has a plan to approve.".into()),
            ApprovalKind::Tool | ApprovalKind::Other => (
                "permission_prompt",
                "Approval",
                format!("The agent wants to use {}.", asked.tool_name),
            ),
        };
        out.push(request(&asked));
        notify(kind, Some(title.to_owned()), &message, out);
        self.open.insert(asked.approval_id, asked);
    }

    pub(super) fn resolved(&mut self, resolved: &ApprovalResolved, out: &mut Vec<Output>) {
        if self.open.remove(&resolved.approval_id).is_some() {
            out.push(
                Resolved {
                    request_id: resolved.approval_id,
                    decision: resolved.decision,
                    by: resolved.by,
                    message: resolved.message.clone(),
                }
                .into(),
            );
        }
    }
}

/// The input of a request for a plan that has lost its plan: the agent may ask
/// with less than the tool was given.
fn with_plan(asked: &ApprovalRequested, call: &Json) -> Option<Json> {
    if asked.kind != ApprovalKind::Plan {
        return None;
    }
    let mut input = asked.input.value();
    let fields = input.as_object_mut()?;
    let plan = fields.get("plan").and_then(Value::as_str);
    if plan.is_some_and(|plan| !plan.is_empty()) {
        return None;
    }
    fields.insert("plan".into(), call.value().get("plan")?.clone());
    Some(Json::of(&input))
}

fn request(asked: &ApprovalRequested) -> Output {
    let input = asked.input.value();
    let text = |key: &str| input.get(key).and_then(Value::as_str).map(str::to_owned);
    match asked.kind {
        ApprovalKind::Question => UserQuestionRequest {
            request_id: asked.approval_id,
            tool_use_id: asked.tool_use_id.clone(),
            questions: Json::of(input.get("questions").unwrap_or(&Value::Null)),
            expires_at: asked.expires_at,
        }
        .into(),
        ApprovalKind::Plan => PlanApprovalRequest {
            request_id: asked.approval_id,
            tool_use_id: asked.tool_use_id.clone(),
            plan: text("plan").unwrap_or_default(),
            plan_file_path: text("planFilePath"),
            expires_at: asked.expires_at,
        }
        .into(),
        ApprovalKind::Tool | ApprovalKind::Other => ToolApprovalRequest {
            request_id: asked.approval_id,
            tool_use_id: asked.tool_use_id.clone(),
            tool_name: asked.tool_name.clone(),
            input: asked.input.clone(),
            risk: asked.risk,
            reason: asked.reason.clone(),
            warnings: asked.warnings.clone(),
            preview: asked.preview.clone(),
            suggestions: asked.suggestions.clone(),
            expires_at: asked.expires_at,
            agent_id: asked.agent_id.clone(),
        }
        .into(),
    }
}
