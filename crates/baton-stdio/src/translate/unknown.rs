//! What the agent says and this version does not know, in words where it has
//! any.

use baton_protocol::words::Json;
use serde_json::Value;

use super::AgentNotification;

/// How much of its words is told.
const MAX_WORDS: usize = 2_000;

/// Where the agent's messages keep words for people, in the order of their worth.
const WORDS: &[&str] = &[
    "/message",
    "/content",
    "/text",
    "/reason",
    "/description",
    "/message/content",
    "/error/message",
];

pub(super) fn told(raw: &Json) -> AgentNotification {
    let value = raw.value();
    let name = |key: &str| value.get(key).and_then(Value::as_str);
    let what = name("subtype").or_else(|| name("type"));
    let mut words = WORDS
        .iter()
        .filter_map(|at| value.pointer(at).and_then(Value::as_str));
    let message = match (words.find(|words| !words.trim().is_empty()), what) {
        (Some(words), _) => words.trim().chars().take(MAX_WORDS).collect(),
        (None, Some(what)) => {
            format!("The agent told of `{what}`, which this version does not know.")
        }
        (None, None) => "The agent said something that this version does not know.".to_owned(),
    };
    AgentNotification {
        title: what.map(str::to_owned),
        message,
        notification_type: "unknown".into(),
        raw: Some(raw.clone()),
    }
}
