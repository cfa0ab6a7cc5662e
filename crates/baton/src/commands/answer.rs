//! `baton approve` and `baton deny`.

use std::collections::BTreeMap;

use baton_protocol::{
    api::{Approve, ask},
    event::ApprovalRequested,
    words::{ApprovalKind, Decision, Json},
};
use serde_json::Value;

use crate::{
    cli::{ApproveArgs, DenyArgs},
    client::{Client, find_approval},
    failure::{Exit, Failure},
    setup::Setup,
    terminal::{Screen, clean},
};

pub(crate) async fn approve(setup: &Setup, args: ApproveArgs) -> Result<Exit, Failure> {
    let input = args.input.as_deref().map(object).transpose()?;
    let answers = answers(&args.answer)?;
    let mut client = Client::connect(setup, "baton approve").await?;
    let named = find_approval(&mut client, &args.id).await?;
    if let (Some(open), Some(answers)) = (&named.open, &answers) {
        known_questions(&open.approval, answers)?;
    }
    let answer = Approve {
        rule: args.rule,
        scope: args.remember,
        modified_input: input,
        answers,
        mode: args.mode,
        ..Approve::with(named.id, Decision::Allow)
    };
    send(setup, client, answer, "allowed", args.json).await
}

pub(crate) async fn deny(setup: &Setup, args: DenyArgs) -> Result<Exit, Failure> {
    let mut client = Client::connect(setup, "baton deny").await?;
    let named = find_approval(&mut client, &args.id).await?;
    let answer = Approve {
        rule: args.rule,
        scope: args.remember,
        deny_message: args.message,
        interrupt: args.interrupt,
        ..Approve::with(named.id, Decision::Deny)
    };
    send(setup, client, answer, "denied", args.json).await
}

async fn send(
    setup: &Setup,
    mut client: Client,
    answer: Approve,
    word: &str,
    json: bool,
) -> Result<Exit, Failure> {
    let id = answer.approval_id;
    client.ask::<ask::Approve>(None, answer).await?;
    let mut screen = Screen::stdout(setup.colour);
    if json {
        let said = serde_json::json!({"approvalId": id, "answer": word});
        screen.json(&said.to_string())?;
    } else {
        screen.line(&format!("{word} {id}"))?;
    }
    Ok(Exit::Success)
}

fn object(text: &str) -> Result<Json, Failure> {
    let wrong = |why: String| Failure::usage(why, "Write the whole input as one JSON object.");
    let value: Value = serde_json::from_str(text)
        .map_err(|error| wrong(format!("--input is not JSON: {error}")))?;
    if !value.is_object() {
        return Err(wrong("--input is no JSON object".into()));
    }
    Ok(Json::of(&value))
}

/// `question=answer`, cut at the last `=` that leaves an answer, because
/// questions are longer and odder than answers.
fn answers(given: &[String]) -> Result<Option<BTreeMap<String, String>>, Failure> {
    if given.is_empty() {
        return Ok(None);
    }
    let pair = |text: &String| {
        let cut = text
            .rsplit_once('=')
            .filter(|(q, a)| !q.is_empty() && !a.is_empty());
        cut.map(|(question, answer)| (question.to_owned(), answer.to_owned()))
            .ok_or_else(|| {
                Failure::usage(
                    format!("--answer `{}` has no answer", clean(text, 80)),
                    "Write it as --answer 'QUESTION=ANSWER'.",
                )
            })
    };
    given.iter().map(pair).collect::<Result<_, _>>().map(Some)
}

/// An answer to a question that was not asked would be lost without a word.
fn known_questions(
    request: &ApprovalRequested,
    answers: &BTreeMap<String, String>,
) -> Result<(), Failure> {
    let input = request.input.value();
    let asked: Vec<&str> = input["questions"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|question| question["question"].as_str())
        .collect();
    if request.kind != ApprovalKind::Question {
        return Err(Failure::usage(
            "this approval is not a question",
            "Leave --answer out.",
        ));
    }
    let list = || {
        let quoted = asked.iter().map(|text| format!("`{}`", clean(text, 200)));
        quoted.collect::<Vec<_>>().join(", ")
    };
    if let Some(odd) = answers.keys().find(|text| !asked.contains(&text.as_str())) {
        return Err(Failure::usage(
            format!("`{}` was not asked", clean(odd, 80)),
            format!("Asked was: {}", list()),
        ));
    }
    if asked.iter().any(|text| !answers.contains_key(*text)) {
        return Err(Failure::usage(
            "not every question has an answer",
            format!("Asked was: {}", list()),
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_stands_behind_the_last_equals_sign() {
        let given = ["Is a=b?=yes".to_owned()];
        let read = answers(&given).unwrap().unwrap();
        assert_eq!(read["Is a=b?"], "yes");
        assert!(answers(&["no answer=".to_owned()]).is_err());
        assert!(answers(&["nothing".to_owned()]).is_err());
        assert!(answers(&[]).unwrap().is_none());
    }

    #[test]
    fn changed_input_is_an_object() {
        assert!(object(r#"{"a":1}"#).is_ok());
        assert!(object("[1]").is_err() && object("{").is_err());
    }
}
