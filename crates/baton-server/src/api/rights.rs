//! What a signed-in client may do, held against every command it sends.

use baton_protocol::{
    ProjectId, SessionId,
    api::{Command, Problem, ProblemCode},
    words::{AccessScope, ClientRef, Json, Scope},
};
use baton_store::{RuleScope, SessionRow};

use super::{Api, commands::no_session};
use crate::problem;

/// Who asks, and how far that reaches.
#[derive(Debug, Clone)]
pub(crate) struct Rights {
    pub(crate) client: ClientRef,
    pub(crate) scope: AccessScope,
    /// Only what belongs to this project.
    pub(crate) project: Option<Limit>,
}

/// The one project that something is limited to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Limit {
    pub(crate) id: ProjectId,
    /// Of its folder.
    pub(crate) path: String,
}

impl Rights {
    pub(crate) fn limit(&self) -> Option<ProjectId> {
        self.project.as_ref().map(|project| project.id)
    }
}

impl Api {
    /// Carries a command out for a client that signed in, if it may.
    pub(crate) async fn perform_for(
        &self,
        rights: &Rights,
        session: Option<SessionId>,
        command: Command,
    ) -> Result<Json, Problem> {
        let needed = command.scope();
        if rights.scope < needed {
            let detail = format!(
                "`{}` needs the scope {needed}, and this device has {}",
                command.name(),
                rights.scope
            );
            return Err(Problem::new(ProblemCode::Forbidden, detail));
        }
        if let Some(session) = session {
            self.within(rights, session).await?;
        }
        let command = match &rights.project {
            Some(limit) => self.limited(limit, session, command).await?,
            None => command,
        };
        self.perform(&rights.client, session, command).await
    }

    /// A session that these rights reach. Others are not there.
    pub(crate) async fn within(
        &self,
        rights: &Rights,
        session: SessionId,
    ) -> Result<SessionRow, Problem> {
        let row = self.session_row(session).await?;
        match rights.limit() {
            Some(limit) if limit != row.project_id => Err(no_session(session)),
            _ => Ok(row),
        }
    }

    /// The project with this slug, to be limited to.
    pub(crate) async fn limit_to(&self, slug: &str) -> Result<Limit, Problem> {
        let projects = self.store().projects().await;
        let projects = projects.map_err(|error| problem::of_store(&error))?;
        let found = projects
            .into_iter()
            .find(|project| project.id.to_string() == slug);
        let limit = found.map(|project| Limit {
            id: project.id,
            path: project.path,
        });
        limit.ok_or_else(|| {
            let detail = "there is no project with this name";
            Problem::new(ProblemCode::NotFound, detail)
        })
    }

    /// A command as it may be carried out within one project: what names a
    /// project names this one, and what is about all of them is not there.
    async fn limited(
        &self,
        limit: &Limit,
        session: Option<SessionId>,
        mut command: Command,
    ) -> Result<Command, Problem> {
        let elsewhere = || {
            let detail = "this is not part of the project";
            Err(Problem::new(ProblemCode::Forbidden, detail))
        };
        match &mut command {
            Command::Create(body) => body.project.clone_from(&limit.path),
            Command::Trust(body) => body.project.clone_from(&limit.path),
            Command::History(body) => body.project.clone_from(&limit.path),
            Command::Import(body) => body.project.clone_from(&limit.path),
            Command::RulePreview(body) => body.project = Some(limit.path.clone()),
            Command::RuleAdd(body) => match body.scope {
                Scope::User => return elsewhere(),
                Scope::Project => body.project = Some(limit.path.clone()),
                Scope::Session => {}
            },
            Command::RuleRemove(body) => {
                let rules = self.store().rules().await;
                let rules = rules.map_err(|error| problem::of_store(&error))?;
                let rule = rules.iter().find(|rule| rule.id == body.rule_id);
                match rule.map(|rule| rule.scope) {
                    Some(RuleScope::Project(id)) if id != limit.id => return elsewhere(),
                    Some(RuleScope::User) => return elsewhere(),
                    Some(RuleScope::Session(of)) => {
                        let row = self.session_row(of).await?;
                        if row.project_id != limit.id {
                            return elsewhere();
                        }
                    }
                    Some(RuleScope::Project(_)) | None => {}
                }
            }
            // Lists are limited by who makes them.
            Command::Sessions(_) | Command::Approvals(_) | Command::Rules(_) => {}
            Command::Message(_)
            | Command::TakeBack(_)
            | Command::Interrupt(_)
            | Command::Stop(_)
            | Command::Resume(_)
            | Command::Fork(_)
            | Command::Model(_)
            | Command::PermissionMode(_)
            | Command::Rewind(_)
            | Command::Checkpoints(_)
            | Command::Title(_)
            | Command::Session(_)
            | Command::Commands(_)
            | Command::Approve(_) => {
                // Without a session, an approval of another project could be meant.
                if session.is_none() {
                    return Err(Problem::invalid("sessionId", "this command needs it"));
                }
            }
        }
        Ok(command)
    }

    pub(crate) async fn session_row(&self, session: SessionId) -> Result<SessionRow, Problem> {
        let row = self.store().session_row(session).await;
        let row = row.map_err(|error| problem::of_store(&error))?;
        row.ok_or_else(|| no_session(session))
    }
}
