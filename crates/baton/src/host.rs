//! Baton's own tools as the host of agents gives them.

use std::{fmt, sync::Arc};

use baton_mcp::{NAME, Proposals, Server, changes_workspace};
use baton_protocol::words::Json;
use baton_session::{Answering, Caller, Host};

use crate::{
    commands::{Work, workspace_server},
    setup::Setup,
};

/// The tools of one conversation, whose flags say what it works on.
#[derive(Debug)]
pub(crate) struct ConversationTools {
    server: Arc<Server>,
}

impl ConversationTools {
    pub(crate) fn new(server: Server) -> Self {
        Self {
            server: Arc::new(server),
        }
    }
}

impl Host for ConversationTools {
    fn server(&self) -> &str {
        NAME
    }

    fn changes(&self, tool: &str) -> bool {
        changes_workspace(tool)
    }

    fn answer(&self, caller: &Caller, message: Json) -> Answering {
        answer(Server::clone(&self.server), caller, message)
    }
}

/// The tools of whichever session asks, for its own folder.
pub(crate) struct SessionTools {
    setup: Setup,
}

impl SessionTools {
    pub(crate) fn new(setup: &Setup) -> Self {
        Self {
            setup: setup.clone(),
        }
    }
}

impl fmt::Debug for SessionTools {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SessionTools").finish_non_exhaustive()
    }
}

impl Host for SessionTools {
    fn server(&self) -> &str {
        NAME
    }

    fn changes(&self, tool: &str) -> bool {
        changes_workspace(tool)
    }

    fn answer(&self, caller: &Caller, message: Json) -> Answering {
        let work = Work {
            project: Some(caller.project.clone()),
            conversation: Some(caller.session.to_string()),
            target_branch: None,
            issue: None,
            is_linear: false,
            // Every call comes by a person first.
            proposals: Proposals::Apply,
        };
        let folder = caller.cwd.to_string_lossy();
        let server = workspace_server(&self.setup, &folder, work);
        answer(server, caller, message)
    }
}

fn answer(server: Server, caller: &Caller, message: Json) -> Answering {
    let server = server.without(Arc::clone(&caller.withheld.0));
    Box::pin(async move {
        let answer = server.answer(&message.value()).await;
        // A notification has no answer, but its request wants one.
        let nothing = || serde_json::json!({"jsonrpc": "2.0", "result": {}});
        Json::of(&answer.unwrap_or_else(nothing))
    })
}
