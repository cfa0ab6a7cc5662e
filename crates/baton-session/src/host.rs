//! Whoever runs the agents gives them tools of its own: an MCP server that is
//! reached over their standard input and output.
//!
//! A message is recorded before it is worked on, and its answer before it is
//! said. After a crash an answer that was recorded is said again; a call that
//! was cut short is not repeated, because it may have had its effect.

use std::{
    fmt::{self, Debug},
    future::poll_fn,
    panic::{AssertUnwindSafe, catch_unwind},
    path::{Path, PathBuf},
    pin::Pin,
    sync::Arc,
    task::Poll,
};

use baton_protocol::{SessionId, words::Json};
use serde::{Deserialize, Serialize};
use serde_json::json;

/// Tools calls that the host works on at once for a session. More are refused.
pub(crate) const MAX_CALLS: usize = 32;

/// A longer message is refused: it is kept in the log until it is answered.
pub(crate) const MAX_MESSAGE: usize = 1 << 20;

/// The host of this supervisor's agents.
pub trait Host: Send + Sync + Debug {
    /// The name of its MCP server.
    fn server(&self) -> &str;

    /// Whether one of its tools changes the workspace, so that a limit on the
    /// agent's tools or its planning stands in the way of it.
    fn changes(&self, tool: &str) -> bool;

    /// Answers one JSON-RPC message. For a notification anything will do.
    fn answer(&self, caller: &Caller, message: Json) -> Answering;
}

/// Whose agent says something to its host.
#[derive(Debug, Clone)]
pub struct Caller {
    pub session: SessionId,
    pub cwd: PathBuf,
    /// The folder of its project, which is `cwd` or around it.
    pub project: PathBuf,
    /// What rules keep from it: a tool that shows files leaves these out.
    pub withheld: Withheld,
}

/// Tells of a file whether a rule keeps it from an agent. Asks the disk.
#[derive(Clone)]
pub struct Withheld(pub Arc<dyn Fn(&Path) -> bool + Send + Sync>);

impl Debug for Withheld {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Withheld").finish_non_exhaustive()
    }
}

/// An answer on its way.
pub type Answering = Pin<Box<dyn Future<Output = Json> + Send>>;

/// An answer of the host, kept to be said again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct HostReply {
    pub(crate) host: Json,
}

/// Whether something may come of answering this: a call, and not a word about
/// what there is.
pub(crate) fn acts(message: &Json) -> bool {
    message.value()["method"] == "tools/call"
}

/// What a call is told that was under way when its host ended; none where it
/// does no harm to do it again.
pub(crate) fn cut_short(message: &Json) -> Option<Json> {
    const WHY: &str = "Baton was restarted while this tool ran, so it may or may not have taken \
         effect. Look before you call it again.";
    if !acts(message) {
        return None;
    }
    let message = message.value();
    Some(Json::of(&json!({
        "jsonrpc": "2.0",
        "id": message.get("id"),
        "result": {"content": [{"type": "text", "text": WHY}], "isError": true},
    })))
}

/// The host's answer, or that it has none because of a bug in it. An agent
/// whose call nobody answers would wait for ever.
pub(crate) async fn answered(mut answer: Answering, message: &Json) -> Json {
    const WHY: &str = "Baton failed in the middle of this because of a bug. It may or may not \
         have taken effect.";
    let told = poll_fn(|context| {
        let polled = catch_unwind(AssertUnwindSafe(|| answer.as_mut().poll(context)));
        polled.map_or(Poll::Ready(None), |polled| polled.map(Some))
    });
    told.await.unwrap_or_else(|| {
        let error = json!({"code": -32603, "message": WHY});
        let id = message.value().get("id").cloned();
        Json::of(&json!({"jsonrpc": "2.0", "id": id, "error": error}))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_call_whose_host_panics_is_answered_all_the_same() {
        let message = Json::of(&json!({"id": 7, "method": "tools/call"}));
        let fine: Answering = Box::pin(async { Json::of(&json!({"id": 7})) });
        assert_eq!(answered(fine, &message).await.value(), json!({"id": 7}));
        let broken: Answering = Box::pin(async { panic!("a bug in the host") });
        let told = answered(broken, &message).await.value();
        assert_eq!(
            (&told["id"], &told["error"]["code"]),
            (&json!(7), &json!(-32603))
        );
    }

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
