//! Whoever runs the agents gives them tools of its own: an MCP server that is
//! reached over their standard input and output.
//!
//! A message is recorded before it is worked on, and its answer before it is
//! said. After a crash an answer that was recorded is said again; a call that
//! was cut short is not repeated, because it may have had its effect.

use std::{fmt::Debug, path::PathBuf, pin::Pin};

use baton_protocol::{SessionId, words::Json};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// Tools calls that the host works on at once for a session. More are refused.
pub(crate) const MAX_CALLS: usize = 32;

/// A longer message is refused: it is kept in the log until it is answered.
pub(crate) const MAX_MESSAGE: usize = 1 << 20;

/// The host of this supervisor's agents.
pub trait Host: Send + Sync + Debug {
    /// The name of its MCP server.
    fn server(&self) -> &str;

    /// Answers one JSON-RPC message. For a notification anything will do.
    fn answer(&self, caller: &Caller, message: Json) -> Answering;
}

/// Whose agent says something to its host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caller {
    pub session: SessionId,
    pub cwd: PathBuf,
}

/// An answer on its way.
pub type Answering = Pin<Box<dyn Future<Output = Json> + Send>>;

/// An answer of the host, kept to be said again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct HostReply {
    pub(crate) host: Json,
}

/// What a call is told that was under way when its host ended; none where it
/// does no harm to do it again.
pub(crate) fn cut_short(message: &Json) -> Option<Json> {
    const WHY: &str = "Baton was restarted while this tool ran, so it may or may not have taken \
         effect. Look before you call it again.";
    let message = message.value();
    if message.get("method").and_then(Value::as_str) != Some("tools/call") {
        return None;
    }
    Some(Json::of(&json!({
        "jsonrpc": "2.0",
        "id": message.get("id"),
        "result": {"content": [{"type": "text", "text": WHY}], "isError": true},
    })))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_call_that_may_have_had_its_effect_is_not_done_again() {
        let message = |method: &str| Json::of(&json!({"id": 7, "method": method}));
        assert_eq!(cut_short(&message("tools/list")), None);
        let told = cut_short(&message("tools/call")).unwrap().value();
        assert_eq!(told["id"], 7);
        assert_eq!(told["result"]["isError"], true);
    }

    #[test]
    fn a_kept_answer_is_told_from_what_people_and_rules_answered() {
        let reply = Json::of(&HostReply {
            host: Json::of(&json!({"id": 7, "result": {}})),
        });
        assert!(reply.parse::<HostReply>().is_some());
        assert!(reply.parse::<crate::agents::Refusal>().is_none());
        let refusal = crate::agents::Refusal {
            refused: "no".into(),
        };
        assert!(Json::of(&refusal).parse::<HostReply>().is_none());
    }
}
