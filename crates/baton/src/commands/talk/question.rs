//! An approval on the screen, and its answer on the way to the daemon.

use std::pin::Pin;

use baton_protocol::{
    ApprovalId,
    api::Approve,
    event::ApprovalRequested,
    words::{Decision, Json},
};
use baton_session::agents::AskDecision;

use crate::{
    failure::Failure,
    terminal::{Decided, Screen, Stdin, ask},
};

/// An approval being asked on the terminal.
pub(super) struct Question {
    pub(super) approval: ApprovalId,
    answer: Pin<Box<dyn Future<Output = Result<Option<Decided>, Failure>> + Send>>,
}

impl Question {
    pub(super) fn ask(colour: bool, input: Stdin, request: ApprovalRequested) -> Self {
        Self {
            approval: request.approval_id,
            answer: Box::pin(ask(Screen::stderr(colour), input, request)),
        }
    }
}

/// The answer to the question on the screen, or for ever nothing.
pub(super) async fn answer(question: Option<&mut Question>) -> Result<Option<Decided>, Failure> {
    match question {
        Some(question) => question.answer.as_mut().await,
        None => std::future::pending().await,
    }
}

/// What a person decided, as the daemon is told it.
pub(super) fn decided(approval: ApprovalId, decided: Decided) -> Approve {
    let answer = match decided.decision {
        AskDecision::Allow {
            modified_input,
            mode,
        } => Approve {
            modified_input: modified_input.as_ref().map(Json::of),
            mode,
            ..Approve::with(approval, Decision::Allow)
        },
        AskDecision::Deny { message, interrupt } => Approve {
            deny_message: Some(message),
            interrupt,
            ..Approve::with(approval, Decision::Deny)
        },
    };
    let (rule, scope) = decided.remember.map(|one| (one.rule, one.scope)).unzip();
    Approve {
        rule,
        scope,
        ..answer
    }
}
