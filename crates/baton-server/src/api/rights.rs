//! What a signed-in client may do, held against every command it sends.

use baton_protocol::{
    ProjectId, RuleId, SessionId,
    api::{Command, Problem, ProblemCode, Tells, Within},
    words::{AccessScope, ClientRef, Json, Scope},
};
use baton_store::{RuleScope, SessionRow};

use super::{
    Api,
    commands::{needed, no_session},
};
use crate::{auth::Principal, problem::Told as _, sight::Sight};

/// Who asks, and how far that reaches.
#[derive(Debug, Clone)]
pub(crate) struct Rights {
    pub(crate) client: ClientRef,
    pub(crate) scope: AccessScope,
    /// Only what belongs to this project.
    pub(crate) project: Option<Limit>,
    /// Only this session: what a shared link shows.
    pub(crate) only: Option<SessionId>,
}

/// The one project that something is limited to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Limit {
    pub(crate) id: ProjectId,
    /// Of its folder.
    pub(crate) path: String,
}

impl Rights {
    pub(crate) fn of(principal: &Principal, project: Option<Limit>) -> Self {
        Self {
            client: principal.client.clone(),
            scope: principal.scope,
            project,
            only: principal.only,
        }
    }

    /// Refuses what is about more than one session, to who is shown one.
    pub(crate) fn whole(&self) -> Result<(), Problem> {
        self.only.map_or(Ok(()), |_| Err(not_shared()))
    }

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
        let sight = Sight::of(rights.scope);
        let tells = command.tells();
        let answer = self.perform_within(rights, session, command).await?;
        Ok(match tells {
            Tells::Facts => sight.answer(answer),
            Tells::Requests => sight.requests(answer),
        })
    }

    async fn perform_within(
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
        // Whoever is shown one session asks for nothing but that. What a new
        // command is about is not known here, so it is not for them.
        if rights.only.is_some() && !matches!((&command, session), (Command::Session(_), Some(_))) {
            return Err(not_shared());
        }
        if let Some(session) = session {
            self.within(rights, session).await?;
        }
        let Some(limit) = &rights.project else {
            return self.carry_out(rights, session, command).await;
        };
        let command = self.limited(limit, session, command).await?;
        if let (Command::Approvals(part), None) = (&command, session) {
            return Ok(Json::of(&self.approvals_in(limit.id, part).await?));
        }
        if let Command::Rules(part) = &command {
            return Ok(Json::of(&self.rules_in(limit.id, part).await?));
        }
        self.carry_out(rights, session, command).await
    }

    async fn carry_out(
        &self,
        rights: &Rights,
        session: Option<SessionId>,
        command: Command,
    ) -> Result<Json, Problem> {
        // What is masked must not be found either: it could be guessed letter
        // by letter.
        if let Command::Search(body) = &command {
            let found = self.search(body, Sight::of(rights.scope)).await?;
            return Ok(Json::of(&found));
        }
        self.perform(&rights.client, session, command).await
    }

    /// A session that these rights reach. Others are not there.
    pub(crate) async fn within(
        &self,
        rights: &Rights,
        session: SessionId,
    ) -> Result<SessionRow, Problem> {
        if rights.only.is_some_and(|only| only != session) {
            return Err(no_session(session));
        }
        let row = self.session_row(session).await?;
        match rights.limit() {
            Some(limit) if limit != row.project_id => Err(no_session(session)),
            _ => Ok(row),
        }
    }

    /// The project with this slug, to be limited to.
    pub(crate) async fn limit_to(&self, slug: &str) -> Result<Limit, Problem> {
        // Only a slug or an id: a path would name folders by trial.
        if slug.starts_with('/') {
            let detail = "there is no project with this name";
            return Err(Problem::new(ProblemCode::NotFound, detail));
        }
        let entry = self.project_named(slug).await?;
        Ok(Limit {
            id: entry.id,
            path: entry.path,
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
        match command.within() {
            Within::Session => drop(needed(session)?),
            Within::Project(named) => self.only(limit, named).await?,
            Within::SomeProject(named) => self.maybe_only(limit, named).await?,
            Within::Answer => {}
            Within::Payload => self.limit_payload(limit, session, &mut command).await?,
            Within::Nothing => return Err(elsewhere()),
        }
        Ok(command)
    }

    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "what nobody has looked at closely is not part of the project"
    )]
    async fn limit_payload(
        &self,
        limit: &Limit,
        session: Option<SessionId>,
        command: &mut Command,
    ) -> Result<(), Problem> {
        match command {
            Command::RulesTake(body) if body.scope == Scope::Project => {
                self.maybe_only(limit, &mut body.project).await
            }
            Command::RuleAdd(body) if body.scope == Scope::Project => {
                body.project = None;
                self.maybe_only(limit, &mut body.scope_id).await
            }
            Command::RuleAdd(body) if body.scope == Scope::Session => {
                match body.scope_id.as_deref().map(str::parse) {
                    Some(Ok(named)) if self.session_row(named).await?.project_id != limit.id => {
                        Err(elsewhere())
                    }
                    _ => Ok(()),
                }
            }
            Command::RuleRemove(body) => match self.may_remove(limit, body.rule_id).await? {
                true => Ok(()),
                false => Err(elsewhere()),
            },
            // Without a session, an approval of another project could be meant.
            Command::Approve(body) if body.scope != Some(Scope::User) => needed(session).map(drop),
            _ => Err(elsewhere()),
        }
    }

    /// Whether a rule is this project's to remove, or not there at all.
    async fn may_remove(&self, limit: &Limit, id: RuleId) -> Result<bool, Problem> {
        let rules = self.store().rules().await.told()?;
        let rule = rules.iter().find(|rule| rule.id == id);
        Ok(match rule.map(|rule| rule.scope) {
            Some(RuleScope::User) => false,
            Some(RuleScope::Project(of)) => of == limit.id,
            Some(RuleScope::Session(of)) => self.session_row(of).await?.project_id == limit.id,
            None => true,
        })
    }

    /// Puts the project in where none is named; another one is not there.
    async fn only(&self, limit: &Limit, named: &mut String) -> Result<(), Problem> {
        let same = named.is_empty()
            || *named == limit.path
            || self
                .limit_to(named)
                .await
                .is_ok_and(|named| named == *limit);
        if !same {
            let detail = "this project is not part of the one that the path names";
            return Err(Problem::new(ProblemCode::NotFound, detail));
        }
        named.clone_from(&limit.path);
        Ok(())
    }

    async fn maybe_only(&self, limit: &Limit, named: &mut Option<String>) -> Result<(), Problem> {
        let mut project = named.take().unwrap_or_default();
        self.only(limit, &mut project).await?;
        *named = Some(project);
        Ok(())
    }

    pub(crate) async fn session_row(&self, session: SessionId) -> Result<SessionRow, Problem> {
        let row = self.store().session_row(session).await.told()?;
        match row {
            Some(row) => Ok(row),
            None => Err(self.missing(session).await),
        }
    }
}

/// What a shared link is told of everything but its session.
pub(crate) fn not_shared() -> Problem {
    let detail = "this link shows one session, and nothing else";
    Problem::new(ProblemCode::Forbidden, detail)
}

fn elsewhere() -> Problem {
    Problem::new(ProblemCode::Forbidden, "this is not part of the project")
}
