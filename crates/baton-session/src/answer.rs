//! An answer as a client writes it, and what it means for the agent.

use baton_protocol::{
    api::Approve,
    event::ApprovalRequested,
    words::{ApprovalKind, Decision},
};
use serde_json::{Map, Value};

use crate::agents::AskDecision;

/// Why an answer cannot be given, in words that follow the name of the field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("`{field}` {why}")]
pub struct WrongAnswer {
    pub field: &'static str,
    pub why: &'static str,
}

impl AskDecision {
    /// What an answer decides on what was asked.
    pub fn of(answer: Approve, asked: &ApprovalRequested) -> Result<Self, WrongAnswer> {
        if answer.decision == Decision::Deny {
            return Ok(Self::Deny {
                message: answer.deny_message.unwrap_or_default(),
                interrupt: answer.interrupt,
            });
        }
        let wrong = |field, why| WrongAnswer { field, why };
        let mut input = answer.modified_input.map(|input| input.value());
        if input.as_ref().is_some_and(|input| !input.is_object()) {
            return Err(wrong("modifiedInput", "is no JSON object"));
        }
        // The agent takes an empty one for none and would run what it asked for.
        let is_empty = |input: &Value| input.as_object().is_some_and(Map::is_empty);
        if asked.kind == ApprovalKind::Tool
            && input.as_ref().is_some_and(is_empty)
            && !is_empty(&asked.input.value())
        {
            let why = "is empty; it replaces the whole input, so it has all of it";
            return Err(wrong("modifiedInput", why));
        }
        if let Some(answers) = answer.answers {
            let mut answered = input.unwrap_or_else(|| asked.input.value());
            let fields = answered.as_object_mut();
            let fields = fields.ok_or_else(|| wrong("answers", "has no question to answer"))?;
            fields.insert("answers".into(), Value::from_iter(answers));
            input = Some(answered);
        }
        Ok(Self::Allow {
            modified_input: input,
            mode: answer.mode,
        })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use baton_protocol::{ApprovalId, words::Json};
    use serde_json::json;

    use super::*;

    #[test]
    fn what_would_be_taken_for_something_else_is_no_answer() {
        let asked = |kind: &str, input: Value| -> ApprovalRequested {
            let said = json!({
                "approvalId": "apr_00000000000000000000000000000000",
                "kind": kind, "toolName": "Tool", "input": input, "risk": "low",
            });
            serde_json::from_value(said).unwrap()
        };
        let answer = |input: Option<Value>, answers: &[(&str, &str)]| {
            let id: ApprovalId = "apr_00000000000000000000000000000000".parse().unwrap();
            let answers = answers
                .iter()
                .map(|(one, two)| ((*one).to_owned(), (*two).to_owned()));
            Approve {
                modified_input: input.as_ref().map(Json::of),
                answers: Some(answers.collect()).filter(|all: &BTreeMap<_, _>| !all.is_empty()),
                ..Approve::with(id, Decision::Allow)
            }
        };
        let call = asked("tool", json!({"command": "ls"}));
        let told = |given, asked: &ApprovalRequested| match AskDecision::of(given, asked) {
            Ok(AskDecision::Allow { modified_input, .. }) => json!(modified_input).to_string(),
            Ok(AskDecision::Deny { message, .. }) => message,
            Err(wrong) => wrong.to_string(),
        };
        let lines = [
            told(answer(None, &[]), &call),
            told(answer(Some(json!({"command": "pwd"})), &[]), &call),
            told(answer(Some(json!([])), &[]), &call),
            told(answer(Some(json!({})), &[]), &call),
            told(answer(Some(json!({})), &[]), &asked("tool", json!({}))),
            told(
                answer(None, &[("Why?", "So")]),
                &asked("question", json!({"a": 1})),
            ),
            told(
                answer(None, &[("Why?", "So")]),
                &asked("other", json!("text")),
            ),
        ];
        expect_test::expect![[r#"
            null
            {"command":"pwd"}
            `modifiedInput` is no JSON object
            `modifiedInput` is empty; it replaces the whole input, so it has all of it
            {}
            {"a":1,"answers":{"Why?":"So"}}
            `answers` has no question to answer"#]]
        .assert_eq(&lines.join("\n"));
    }
}
