//! What the parent answers to questions, plans and requests for tools.

use baton_protocol::{
    ApprovalId,
    api::Approve,
    event::ApprovalRequested,
    words::{ApprovalKind, Decision, PermissionMode},
};
use baton_session::{Remember, agents::AskDecision};
use serde_json::Value;

use super::{Act, Actions, Done, doing, error, of_command, said, say};
use crate::{
    input::{PlanApprovalResponse, ToolApprovalResponse, UserQuestionResponse},
    output::Error,
    translate::Translator,
};

impl Actions {
    pub(super) fn question(&self, response: UserQuestionResponse, state: &Translator) -> Act {
        let id = response.request_id;
        let asked = match of_kind(state, id, &[ApprovalKind::Question]) {
            Ok(asked) => asked,
            Err(error) => return say(*error),
        };
        if response.answers.is_empty() {
            let denial = Approve {
                deny_message: Some("The user declined to answer.".into()),
                ..Approve::with(id, Decision::Deny)
            };
            return self.answer(denial, asked);
        }
        let input = asked.input.value();
        let questions = input.get("questions").and_then(Value::as_array);
        let known = |text: &str| {
            questions.is_none_or(|questions| {
                let mut texts = questions.iter().map(|one| one["question"].as_str());
                texts.any(|one| one == Some(text))
            })
        };
        if let Some(stranger) = response.answers.keys().find(|text| !known(text)) {
            let text = format!("there is no question `{stranger}` in this request");
            return say(error("bad_answer", text, Some(id.to_string())));
        }
        let answers = response.answers.into_iter();
        let answers = answers.map(|(question, answer)| (question, answer.0));
        let answer = Approve {
            answers: Some(answers.collect()),
            ..Approve::with(id, Decision::Allow)
        };
        self.answer(answer, asked)
    }

    pub(super) fn plan(&self, response: PlanApprovalResponse, state: &Translator) -> Act {
        let id = response.request_id;
        let asked = match of_kind(state, id, &[ApprovalKind::Plan]) {
            Ok(asked) => asked,
            Err(error) => return say(*error),
        };
        let wrong = match (response.approved, response.mode) {
            (true, Some(PermissionMode::Plan)) => "an approved plan is not gone on with in `plan`",
            (false, Some(_)) => "`mode` is for a plan that is approved",
            (true, _) | (false, None) => "",
        };
        if !wrong.is_empty() {
            return say(error("bad_answer", wrong, Some(id.to_string())));
        }
        let answer = if response.approved {
            Approve {
                mode: response.mode,
                ..Approve::with(id, Decision::Allow)
            }
        } else {
            let feedback = response.feedback.filter(|text| !text.trim().is_empty());
            let keep_planning = || "The user did not approve the plan. Keep planning.".into();
            Approve {
                deny_message: Some(feedback.unwrap_or_else(keep_planning)),
                ..Approve::with(id, Decision::Deny)
            }
        };
        self.answer(answer, asked)
    }

    pub(super) fn tool(&self, response: ToolApprovalResponse, state: &Translator) -> Act {
        let id = response.request_id;
        let asked = match of_kind(state, id, &[ApprovalKind::Tool, ApprovalKind::Other]) {
            Ok(asked) => asked,
            Err(error) => return say(*error),
        };
        let answer = Approve {
            modified_input: response.modified_input,
            deny_message: response.deny_message,
            interrupt: response.interrupt,
            rule: response.rule,
            scope: response.scope,
            ..Approve::with(id, response.decision)
        };
        self.answer(answer, asked)
    }

    fn answer(&self, mut answer: Approve, asked: &ApprovalRequested) -> Act {
        let id = answer.approval_id;
        let remember = Remember::wanted(answer.rule.take(), answer.scope);
        let decision = match AskDecision::of(answer, asked) {
            Ok(decision) => decision,
            Err(wrong) => return say(error("bad_answer", wrong.to_string(), Some(id.to_string()))),
        };
        let (session, client) = (self.session.clone(), self.client.clone());
        doing(async move {
            let answered = session.answer_for_good(id, decision, remember, Some(client));
            match answered.await {
                Ok(()) => Done::Nothing,
                Err(error) => said(of_command(&error, Some(id.to_string()))),
            }
        })
    }
}

/// The open request that a response answers.
fn of_kind<'a>(
    state: &'a Translator,
    id: ApprovalId,
    kinds: &[ApprovalKind],
) -> Result<&'a ApprovalRequested, Box<Error>> {
    let wrong = |text: String| Box::new(error("no_such_request", text, Some(id.to_string())));
    let asked = state.asked(id).ok_or_else(|| {
        wrong(
            "this request does not wait for an answer; it may have been answered or withdrawn"
                .into(),
        )
    })?;
    if !kinds.contains(&asked.kind) {
        return Err(wrong(format!(
            "this request is of the kind `{}`, which another response answers",
            asked.kind
        )));
    }
    Ok(asked)
}
