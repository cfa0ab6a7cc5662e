//! Baton's tools as the host of an agent gives them.

use std::sync::Arc;

use baton_mcp::{NAME, Server};
use baton_protocol::words::Json;
use baton_session::{Answering, Host};

#[derive(Debug)]
pub(super) struct Tools {
    server: Arc<Server>,
}

impl Tools {
    pub(super) fn new(server: Server) -> Self {
        Self {
            server: Arc::new(server),
        }
    }
}

impl Host for Tools {
    fn server(&self) -> &str {
        NAME
    }

    fn answer(&self, message: Json) -> Answering {
        let server = Arc::clone(&self.server);
        Box::pin(async move {
            let answer = server.answer(&message.value()).await;
            // A notification has no answer, but its request wants one.
            let nothing = || serde_json::json!({"jsonrpc": "2.0", "result": {}});
            Json::of(&answer.unwrap_or_else(nothing))
        })
    }
}
