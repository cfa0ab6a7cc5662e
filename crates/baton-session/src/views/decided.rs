//! How an approval ended, in words: the one place that says who or what decided.

use baton_protocol::{
    event::ApprovalResolved,
    words::{ApprovalKind, DecidedBy, Decision, Scope},
};

use super::plain::clean;

/// Said to the agent when a person wrote nothing; nobody said it, so nobody is
/// quoted.
pub(crate) const UNSAID: &str = "The user denied this request.";

/// Who or what decided about a request of this kind, and what is remembered of
/// it. `reader` is the client that the words are for: its own answers are "you".
pub fn decision_words(
    resolved: &ApprovalResolved,
    kind: ApprovalKind,
    reader: Option<&str>,
) -> String {
    let done = match (resolved.decision, kind) {
        (Decision::Deny, _) => "denied",
        (Decision::Allow, ApprovalKind::Question) => "answered",
        (Decision::Allow, ApprovalKind::Plan) => "approved",
        (Decision::Allow, ApprovalKind::Tool | ApprovalKind::Other) => "allowed",
    };
    let rule = resolved.rule.as_deref().map(|rule| clean(rule, 120));
    let words = match resolved.by {
        DecidedBy::Cancelled => match resolved.message.as_deref() {
            Some(why) => format!("withdrawn: {}", clean(why, 200)),
            None => "withdrawn".to_owned(),
        },
        DecidedBy::Timeout => format!("{done}, because nobody answered in time"),
        DecidedBy::User => format!("{done} by {}", person(resolved, reader)),
        DecidedBy::Rule => {
            let scope = resolved.scope.map(|scope| format!(" ({scope} scope)"));
            let rule = rule.as_deref().map(|rule| format!("the rule {rule}"));
            let rule = rule.unwrap_or_else(|| "a rule".to_owned());
            format!("{done} by {rule}{}", scope.unwrap_or_default())
        }
        DecidedBy::Mode if is_unattended(resolved) => {
            let client = resolved.client.as_ref();
            let client = client.map(|client| format!(" ({})", clean(&client.name, 80)));
            let client = client.unwrap_or_default();
            format!("{done}, because nobody could be asked{client}")
        }
        DecidedBy::Mode => match resolved.mode {
            Some(mode) => format!("{done} by the permission mode {mode}"),
            None => format!("{done} by the limits of the session"),
        },
    };
    match (resolved.by, rule, resolved.scope) {
        (DecidedBy::User, Some(rule), scope) => {
            format!("{words}; remembered {}: {rule}", reach(scope))
        }
        _ => words,
    }
}

/// What somebody wrote to a decision, or why it fell, beyond what
/// [`decision_words`] says.
pub fn decision_note(resolved: &ApprovalResolved) -> Option<String> {
    let said = resolved.message.as_deref()?;
    let told = said == UNSAID || resolved.by == DecidedBy::Cancelled;
    (!told).then(|| clean(said, 400))
}

/// Whether a client denied because it had nobody to ask. Logs that are older
/// than the field name that client and no mode.
pub fn is_unattended(resolved: &ApprovalResolved) -> bool {
    resolved.unattended || (resolved.by == DecidedBy::Mode && resolved.client.is_some())
}

/// Which person, as far as it is known.
fn person(resolved: &ApprovalResolved, reader: Option<&str>) -> String {
    match &resolved.client {
        Some(client) if Some(client.id.as_str()) == reader => "you".to_owned(),
        Some(client) => format!("a person ({})", clean(&client.name, 80)),
        None => "a person".to_owned(),
    }
}

/// How far a rule reaches.
pub const fn reach(scope: Option<Scope>) -> &'static str {
    match scope {
        Some(Scope::Session) | None => "for this session",
        Some(Scope::Project) => "for this project",
        Some(Scope::User) => "for every project",
    }
}

#[cfg(test)]
#[path = "decided_tests.rs"]
mod tests;
