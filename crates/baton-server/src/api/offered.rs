//! Rules of the agent's own settings, offered and taken over.

use std::path::Path;

use baton_protocol::{
    api::{OfferedRules, Part, Problem, Rule, RulesOffered, RulesTake},
    words::{ClientRef, Scope},
};
use baton_session::project_id;
use baton_store::RuleScope;

use super::{Api, part::whole};
use crate::problem::Told as _;

impl Api {
    pub(super) async fn offered_rules(&self, body: RulesOffered) -> Result<OfferedRules, Problem> {
        let folder = self.maybe_folder(body.project.as_deref()).await?;
        let offered = self
            .supervisor
            .offered_rules(folder.as_deref().map(Path::new));
        offered.await.told()
    }

    pub(super) async fn take_rules(
        &self,
        client: &ClientRef,
        body: RulesTake,
    ) -> Result<Part<Rule>, Problem> {
        let folder = self.maybe_folder(body.project.as_deref()).await?;
        let scope = match (body.scope, &folder) {
            (Scope::User, _) => RuleScope::User,
            (Scope::Project, Some(folder)) => RuleScope::Project(project_id(folder)),
            (Scope::Project, None) => {
                return Err(Problem::invalid("project", "a rule for a project names it"));
            }
            (Scope::Session, _) => {
                let why = "rules are taken over for the user or for a project";
                return Err(Problem::invalid("scope", why));
            }
        };
        let folder = folder.as_deref().map(Path::new);
        let taken = self
            .supervisor
            .take_rules(&body.rules, scope, folder, Some(client));
        let taken = taken.await.told()?;
        Ok(whole(self.shown(taken).await?))
    }

    /// The real path of a project's folder.
    async fn maybe_folder(&self, project: Option<&str>) -> Result<Option<String>, Problem> {
        let Some(project) = project else {
            return Ok(None);
        };
        let folder = self.folder_of(project).await?;
        self.real_folder(&folder, "project").await.map(Some)
    }
}
