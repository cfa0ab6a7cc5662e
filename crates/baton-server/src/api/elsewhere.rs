//! Sessions that were begun elsewhere, as clients ask for them.

use std::path::Path;

use baton_protocol::api::{
    History, Import, ListPart, PastSession, PastSessions, Problem, SessionRow,
};

use super::{Api, part::part_of};
use crate::problem::Told as _;

impl Api {
    pub(super) async fn history(&self, body: &History) -> Result<PastSessions, Problem> {
        let folder = self.folder_of(&body.project).await?;
        let found = self.supervisor.history(Path::new(&folder)).await;
        let items = found.told()?;
        let part = ListPart {
            limit: body.limit,
            cursor: body.cursor.clone(),
        };
        let name = |one: &PastSession| one.agent_session_id.clone();
        part_of(items, &part, name)
    }

    /// The session's row.
    pub(super) async fn import(&self, body: &Import) -> Result<SessionRow, Problem> {
        let folder = self.folder_of(&body.project).await?;
        let Ok(name) = body.agent_session_id.parse() else {
            let message = "it is no id of the agent's";
            return Err(Problem::invalid("agentSessionId", message));
        };
        let made = self.supervisor.import(name, Path::new(&folder)).await;
        self.row(made.told()?.id()).await
    }
}
