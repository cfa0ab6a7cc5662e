//! What the parent answers to questions, plans and requests for tools.

use baton_protocol::{
    ApprovalId,
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
            let decision = AskDecision::Deny {
                message: "The user declined to answer.".into(),
                interrupt: false,
            };
            return self.answer(id, decision, None);
        }
        let mut input = asked.input.value();
        let known = |text: &str| {
            let questions = input.get("questions").and_then(Value::as_array);
            questions.is_none_or(|questions| {
                questions
                    .iter()
                    .any(|question| question["question"].as_str() == Some(text))
            })
        };
        if let Some(stranger) = response.answers.keys().find(|text| !known(text)) {
            let text = format!("there is no question `{stranger}` in this request");
            return say(error("bad_answer", text, Some(id.to_string())));
        }
        let answers = response.answers.into_iter();
        let answers: Value = answers
            .map(|(question, answer)| (question, Value::String(answer.0)))
            .collect();
        if let Some(fields) = input.as_object_mut() {
            fields.insert("answers".into(), answers);
        }
        let decision = AskDecision::Allow {
            modified_input: Some(input),
            mode: None,
        };
        self.answer(id, decision, None)
    }

    pub(super) fn plan(&self, response: PlanApprovalResponse, state: &Translator) -> Act {
        let id = response.request_id;
        if let Err(error) = of_kind(state, id, &[ApprovalKind::Plan]) {
            return say(*error);
        }
        let wrong = match (response.approved, response.mode) {
            (true, Some(PermissionMode::Plan)) => "an approved plan is not gone on with in `plan`",
            (false, Some(_)) => "`mode` is for a plan that is approved",
            (true, _) | (false, None) => "",
        };
        if !wrong.is_empty() {
            return say(error("bad_answer", wrong, Some(id.to_string())));
        }
        let decision = if response.approved {
            AskDecision::Allow {
                modified_input: None,
                mode: response.mode,
            }
        } else {
            let feedback = response.feedback.unwrap_or_default();
            AskDecision::Deny {
                message: if feedback.trim().is_empty() {
                    "The user did not approve the plan. Keep planning.".into()
                } else {
                    feedback
                },
                interrupt: false,
            }
        };
        self.answer(id, decision, None)
    }

    pub(super) fn tool(&self, response: ToolApprovalResponse, state: &Translator) -> Act {
        let id = response.request_id;
        let asked = match of_kind(state, id, &[ApprovalKind::Tool, ApprovalKind::Other]) {
            Ok(asked) => asked,
            Err(error) => return say(*error),
        };
        let remember = Remember::wanted(response.rule, response.scope);
        let modified = response.modified_input.map(|input| input.value());
        if modified.as_ref().is_some_and(|input| !input.is_object()) {
            let text = "`modifiedInput` is no JSON object";
            return say(error("bad_answer", text, Some(id.to_string())));
        }
        // The agent takes an empty one for none and would run what it asked for.
        let is_empty = |input: &Value| input.as_object().is_some_and(serde_json::Map::is_empty);
        let asked = (asked.kind == ApprovalKind::Tool).then(|| asked.input.value());
        if modified.as_ref().is_some_and(is_empty) && asked.is_some_and(|asked| !is_empty(&asked)) {
            let text = "`modifiedInput` is empty; it replaces the whole input, so it has all of it";
            return say(error("bad_answer", text, Some(id.to_string())));
        }
        let decision = match response.decision {
            Decision::Allow => AskDecision::Allow {
                modified_input: modified,
                mode: None,
            },
            Decision::Deny => AskDecision::Deny {
                message: response.deny_message.unwrap_or_default(),
                interrupt: response.interrupt,
            },
        };
        self.answer(id, decision, remember)
    }

    fn answer(&self, id: ApprovalId, decision: AskDecision, remember: Option<Remember>) -> Act {
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
