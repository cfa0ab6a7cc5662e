//! What a signed-in client may do, held against every command it sends.

use baton_protocol::{
    ProjectId, RuleId, SessionId,
    api::{Command, Problem, ProblemCode},
    words::{AccessScope, ClientRef, Json, Scope},
};
use baton_store::{RuleScope, SessionRow};

use super::{Api, commands::no_session};
use crate::{problem, sight::Sight};

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
        let sight = Sight::of(rights.scope);
        let requests = matches!(
            command,
            Command::Approvals(_) | Command::PastApprovals(_) | Command::Session(_)
        );
        let answer = self.perform_within(rights, session, command).await?;
        Ok(if requests {
            sight.requests(answer)
        } else {
            sight.answer(answer)
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
        if let Some(session) = session {
            self.within(rights, session).await?;
        }
        let Some(limit) = &rights.project else {
            return self.carry_out(rights, session, command).await;
        };
        let command = self.limited(limit, session, command).await?;
        if let (Command::Approvals(part), None) = (&command, session) {
            return self.approvals_in(limit.id, part).await;
        }
        if let Command::Rules(part) = &command {
            return self.rules_in(limit.id, part).await;
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
            return self.search(body, Sight::of(rights.scope)).await;
        }
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
    #[expect(clippy::too_many_lines, reason = "one arm for each command")]
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
            Command::Create(body) => self.only(limit, &mut body.project).await?,
            Command::Trust(body) => self.only(limit, &mut body.project).await?,
            Command::History(body) => self.only(limit, &mut body.project).await?,
            Command::Import(body) => self.only(limit, &mut body.project).await?,
            Command::Project(body) => self.only(limit, &mut body.project).await?,
            Command::ProjectUpdate(body) => self.only(limit, &mut body.project).await?,
            Command::Files(body) => self.only(limit, &mut body.project).await?,
            Command::File(body) => self.only(limit, &mut body.project).await?,
            Command::Diff(body) => self.only(limit, &mut body.project).await?,
            Command::Comments(body) => self.only(limit, &mut body.project).await?,
            Command::CommentAdd(body) => self.only(limit, &mut body.project).await?,
            Command::CommentResolve(body) => self.only(limit, &mut body.project).await?,
            Command::CommentRemove(body) => self.only(limit, &mut body.project).await?,
            Command::RulePreview(body) => self.maybe_only(limit, &mut body.project).await?,
            Command::RulesOffered(body) => self.maybe_only(limit, &mut body.project).await?,
            Command::RulesTake(body) => {
                if body.scope != Scope::Project {
                    return elsewhere();
                }
                self.maybe_only(limit, &mut body.project).await?;
            }
            Command::Sessions(body) => self.maybe_only(limit, &mut body.project).await?,
            Command::PastApprovals(body) => self.maybe_only(limit, &mut body.project).await?,
            Command::Search(body) => self.maybe_only(limit, &mut body.project).await?,
            Command::Usage(body) => self.maybe_only(limit, &mut body.project).await?,
            Command::RuleAdd(body) => match body.scope {
                Scope::User => return elsewhere(),
                Scope::Project => {
                    self.maybe_only(limit, &mut body.scope_id).await?;
                    body.project = None;
                }
                Scope::Session => {
                    if let Some(Ok(named)) = body.scope_id.as_deref().map(str::parse)
                        && self.session_row(named).await?.project_id != limit.id
                    {
                        return elsewhere();
                    }
                }
            },
            Command::RuleRemove(body) => {
                if !self.may_remove(limit, body.rule_id).await? {
                    return elsewhere();
                }
            }
            // Lists are limited where they are made.
            Command::Approvals(_) | Command::Rules(_) => {}
            Command::Projects(_)
            | Command::ProjectAdd(_)
            | Command::ProjectRemove(_)
            | Command::ProjectScan(_)
            | Command::ProjectMove(_)
            | Command::Backup(_)
            | Command::Doctor(_)
            | Command::Retain(_) => return elsewhere(),
            Command::Approve(answer) if answer.scope == Some(Scope::User) => return elsewhere(),
            Command::Message(_)
            | Command::TakeBack(_)
            | Command::Interrupt(_)
            | Command::StopTask(_)
            | Command::Stop(_)
            | Command::Resume(_)
            | Command::Fork(_)
            | Command::Model(_)
            | Command::PermissionMode(_)
            | Command::Rewind(_)
            | Command::Checkpoints(_)
            | Command::Title(_)
            | Command::Budget(_)
            | Command::Memory(_)
            | Command::Session(_)
            | Command::Delete(_)
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

    /// Whether a rule is this project's to remove, or not there at all.
    async fn may_remove(&self, limit: &Limit, id: RuleId) -> Result<bool, Problem> {
        let rules = self.store().rules().await;
        let rules = rules.map_err(|error| problem::of_store(&error))?;
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
        let row = self.store().session_row(session).await;
        let row = row.map_err(|error| problem::of_store(&error))?;
        match row {
            Some(row) => Ok(row),
            None => Err(self.missing(session).await),
        }
    }
}
