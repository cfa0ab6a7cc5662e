//! What a reader is shown of texts: whoever only watches sees no credentials,
//! nobody sees those that a session was made with, and whoever sees the others
//! on a screen is told where they are, so that they can be covered.

mod live;

pub(crate) use live::LiveSight;

use std::borrow::Cow;

use baton_protocol::{
    Envelope, EventKind, mask,
    words::{AccessScope, Json},
};
use baton_store::StoredEvent;

/// How much a reader sees.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sight {
    /// All that is in the log.
    Whole,
    /// The same, and texts that look like credentials are pointed out.
    Marked,
    /// Texts that look like credentials are masked.
    Masked,
}

impl Sight {
    pub(crate) const fn of(scope: AccessScope) -> Self {
        match scope {
            AccessScope::Observe => Self::Masked,
            AccessScope::Operate | AccessScope::Admin => Self::Marked,
        }
    }

    /// As it is in the log, for what is kept and not looked at.
    pub(crate) const fn unmarked(self) -> Self {
        match self {
            Self::Whole | Self::Marked => Self::Whole,
            Self::Masked => Self::Masked,
        }
    }

    /// An event of the log. What earlier versions logged of a session's options
    /// is masked for everybody.
    pub(crate) fn event(self, stored: &StoredEvent) -> Cow<'_, str> {
        let text = mask::event_text(&stored.text);
        match self {
            Self::Whole => text,
            Self::Marked if has_input(&text) => marked(&text).map_or(text, Cow::Owned),
            Self::Marked => text,
            Self::Masked => match mask::json(&text) {
                Cow::Borrowed(_) => text,
                Cow::Owned(masked) => Cow::Owned(masked),
            },
        }
    }

    /// What a command answers.
    pub(crate) fn answer(self, answer: Json) -> Json {
        match self {
            Self::Whole | Self::Marked => answer,
            Self::Masked => match mask::json(answer.text()) {
                Cow::Borrowed(_) => answer,
                Cow::Owned(masked) => raw(masked),
            },
        }
    }

    /// An answer with requests in it.
    pub(crate) fn requests(self, answer: Json) -> Json {
        match self {
            Self::Whole | Self::Masked => self.answer(answer),
            Self::Marked => marked(answer.text()).map_or(answer, raw),
        }
    }

    /// Text of its own.
    pub(crate) fn text(self, text: &str) -> Cow<'_, str> {
        match self {
            Self::Whole | Self::Marked => Cow::Borrowed(text),
            Self::Masked => mask::text(text),
        }
    }

    /// Bytes that are said to be text.
    pub(crate) fn bytes(self, bytes: Vec<u8>) -> Vec<u8> {
        match self {
            Self::Whole | Self::Marked => bytes,
            Self::Masked => match mask::text(&String::from_utf8_lossy(&bytes)) {
                Cow::Borrowed(_) => bytes,
                Cow::Owned(masked) => masked.into_bytes(),
            },
        }
    }
}

/// Whether an event tells what a tool is called with.
fn has_input(event: &str) -> bool {
    matches!(
        Envelope::kind(event),
        Some(EventKind::ToolRequested | EventKind::ApprovalRequested | EventKind::ApprovalResolved)
    )
}

/// The same JSON object with the secrets in it told beside them, if it has any.
fn marked(object: &str) -> Option<String> {
    let secrets = mask::secrets(object);
    let open = object.strip_suffix('}').filter(|_| !secrets.is_empty())?;
    let told = serde_json::to_string(&secrets).ok()?;
    Some(format!("{open},\"secrets\":{told}}}"))
}

/// It was JSON, so it is; if not, nothing is told.
fn raw(text: String) -> Json {
    serde_json::value::RawValue::from_string(text).map_or_else(|_| Json::null(), Json::from_raw)
}

#[cfg(test)]
mod tests {
    use baton_protocol::{Seq, SeqNo, SessionId};
    use serde_json::{Value, json};

    use super::*;

    fn stored(kind: &str, command: &str) -> StoredEvent {
        let text = format!(
            r#"{{"sessionId":"ses_x","seq":1,"type":"{kind}","payload":{{"input":{{"command":{}}}}}}}"#,
            Value::from(command)
        );
        StoredEvent {
            session: SessionId::from_uuid(uuid::Uuid::nil()),
            seq: Seq(1),
            seq_no: SeqNo(1),
            text: text.into(),
        }
    }

    #[test]
    fn secrets_are_pointed_out_to_who_sees_them_on_a_screen_and_to_nobody_else() {
        let event = stored("tool.requested", "curl -u joe:ab https://x.example");
        let shown: Value = serde_json::from_str(&Sight::Marked.event(&event)).unwrap();
        assert_eq!(
            shown["secrets"],
            json!([{"text": "ab", "kind": "password", "before": "curl -u joe:"}])
        );
        assert_eq!(
            shown["payload"]["input"]["command"],
            "curl -u joe:ab https://x.example"
        );
        assert_eq!(Sight::Marked.unmarked().event(&event), *event.text);
        let masked: Value = serde_json::from_str(&Sight::Masked.event(&event)).unwrap();
        assert_eq!(masked.get("secrets"), None);
        assert_eq!(
            masked["payload"]["input"]["command"],
            "curl -u joe:••• https://x.example"
        );
    }

    #[test]
    fn what_has_no_secret_or_no_input_is_told_as_it_is_stored() {
        let plain = stored("approval.requested", "cargo test");
        assert_eq!(Sight::Marked.event(&plain), *plain.text);
        let output = stored("tool.completed", "curl -u joe:ab https://x.example");
        assert_eq!(Sight::Marked.event(&output), *output.text);
    }
}
