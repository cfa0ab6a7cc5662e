//! Rules and trust: what people decided in advance.

use std::path::Path;

use baton_project::trust::Decision;
use baton_protocol::{
    ProjectId, RuleId, SessionId,
    api::{
        Done, FolderTrust, ListPart, Part, Problem, ProblemCode, Rule, RuleBody, RulePreview,
        RuleTried, TrustBody,
    },
    words::{ClientRef, RuleDecision, Scope},
};
use baton_session::{Tried, Trust, project_id};
use baton_store::{ProjectRow, RuleRecord, RuleScope};

use super::{
    Api,
    part::{part_of, whole},
};
use crate::problem::Told as _;

fn shown_rule(record: RuleRecord, projects: &[ProjectRow]) -> Rule {
    let project = match record.scope {
        RuleScope::Project(id) => projects.iter().find(|project| project.id == id),
        RuleScope::User | RuleScope::Session(_) => None,
    };
    let (words, broken) = match baton_rules::Pattern::parse(&record.rule) {
        Ok(pattern) => (baton_rules::words(&pattern, record.decision), None),
        Err(error) => {
            let meant = match record.decision {
                RuleDecision::Allow => "cannot be read, so it allows nothing",
                RuleDecision::Deny | RuleDecision::Ask => {
                    "cannot be read, so every call is asked about"
                }
            };
            (format!("{meant}: {error}"), Some(error.to_string()))
        }
    };
    Rule {
        id: record.id,
        words,
        broken,
        rule: record.rule,
        decision: record.decision,
        scope: record.scope.scope(),
        scope_id: record.scope.id(),
        project: project.map(|project| project.path.clone()),
        created_at: record.created_at,
        client: record.client,
    }
}

fn rule_name(rule: &Rule) -> String {
    rule.id.to_string()
}

fn shown_try(tried: Tried) -> RuleTried {
    let approval = tried.request.approval;
    RuleTried {
        session_id: approval.session,
        requested_at: approval.requested_at,
        request: approval.requested,
        resolved: approval.resolved,
        decision: tried.row.decision,
        reason: tried.row.reason,
    }
}

fn shown_trust(trust: Trust) -> FolderTrust {
    FolderTrust {
        path: trust.path,
        trusted: trust.decision == Decision::Trusted,
        changed: trust.decision == Decision::Untrusted { changed: true },
        items: trust.survey.items.into_iter().map(Into::into).collect(),
        notes: trust.survey.notes,
        complete: trust.survey.complete,
        digest: trust.digest,
    }
}

impl Api {
    pub(super) async fn rules(&self, part: &ListPart) -> Result<Part<Rule>, Problem> {
        let rules = self.supervisor.rules().await.told()?;
        let items = self.shown(rules).await?;
        part_of(items, part, rule_name)
    }

    /// The rules that count in one project: its own, its sessions', and those
    /// for everything.
    pub(super) async fn rules_in(
        &self,
        project: ProjectId,
        part: &ListPart,
    ) -> Result<Part<Rule>, Problem> {
        let rules = self.supervisor.rules().await.told()?;
        let projects = self.known_projects().await?;
        let mut items = Vec::new();
        for rule in rules {
            let counts = match rule.scope {
                RuleScope::User => true,
                RuleScope::Project(id) => id == project,
                RuleScope::Session(id) => {
                    let row = self.session_row(id).await;
                    row.is_ok_and(|row| row.project_id == project)
                }
            };
            if counts {
                items.push(shown_rule(rule, &projects));
            }
        }
        part_of(items, part, rule_name)
    }

    pub(super) async fn add_rule(
        &self,
        client: &ClientRef,
        session: Option<SessionId>,
        body: RuleBody,
    ) -> Result<Rule, Problem> {
        let scope = self.rule_scope(session, &body).await?;
        let client = Some(client.clone());
        let added = self
            .supervisor
            .add_rule(&body.rule, body.decision, scope, client);
        let added = added.await.told()?;
        let projects = self.known_projects().await?;
        Ok(shown_rule(added, &projects))
    }

    /// What a rule is about, if that is there.
    async fn rule_scope(
        &self,
        session: Option<SessionId>,
        body: &RuleBody,
    ) -> Result<RuleScope, Problem> {
        let id = body.scope_id.as_deref();
        match body.scope {
            Scope::User if id.is_some() => Err(Problem::invalid(
                "scopeId",
                "a rule for everything names nothing",
            )),
            Scope::User => Ok(RuleScope::User),
            Scope::Session => {
                let named = id.map(str::parse::<SessionId>).transpose();
                let named =
                    named.map_err(|error| Problem::invalid("scopeId", error.to_string()))?;
                let session = named
                    .or(session)
                    .ok_or_else(|| Problem::invalid("scopeId", "a rule for a session names it"))?;
                Ok(RuleScope::Session(self.session_row(session).await?.id))
            }
            Scope::Project => match (id, &body.project) {
                (Some(id), _) => Ok(RuleScope::Project(self.project_named(id).await?.id)),
                (None, Some(project)) => Ok(RuleScope::Project(project_of(project)?)),
                (None, None) => Err(Problem::invalid("scopeId", "a rule for a project names it")),
            },
        }
    }

    /// Rules as clients see them.
    pub(super) async fn shown(&self, rules: Vec<RuleRecord>) -> Result<Vec<Rule>, Problem> {
        let projects = self.known_projects().await?;
        let rules = rules.into_iter().map(|rule| shown_rule(rule, &projects));
        Ok(rules.collect())
    }

    async fn known_projects(&self) -> Result<Vec<ProjectRow>, Problem> {
        self.store().projects().await.told()
    }

    pub(super) async fn remove_rule(&self, id: RuleId) -> Result<Done, Problem> {
        let removed = self.supervisor.remove_rule(id).await;
        if removed.told()? {
            return Ok(Done {});
        }
        let detail = format!("there is no rule {id}");
        Err(Problem::new(ProblemCode::NotFound, detail))
    }

    pub(super) async fn preview_rule(&self, body: RulePreview) -> Result<Part<RuleTried>, Problem> {
        let project = body.project.as_deref().map(project_of).transpose()?;
        let tried = self.supervisor.try_rule(&body.rule, body.decision, project);
        let tried = tried.await.told()?;
        Ok(whole(tried.into_iter().map(shown_try).collect()))
    }

    pub(super) async fn trust(
        &self,
        client: &ClientRef,
        body: TrustBody,
    ) -> Result<FolderTrust, Problem> {
        let folder = self.folder_of(&body.project).await?;
        let folder = Path::new(&folder);
        let trust = match (body.accept, &body.digest) {
            (None, _) => self.supervisor.trust(folder).await,
            (Some(true), None) => {
                return Err(Problem::invalid("digest", "accepting names what was shown"));
            }
            (Some(accepted), digest) => {
                let digest = digest.as_deref().unwrap_or_default();
                let client = Some(client.clone());
                self.supervisor
                    .set_trust(folder, digest, accepted, client)
                    .await
            }
        };
        let trust = trust.told()?;
        self.projects.project_facts.forget(Path::new(&trust.path));
        Ok(shown_trust(trust))
    }
}

fn project_of(folder: &str) -> Result<baton_protocol::ProjectId, Problem> {
    let whole = Path::new(folder).canonicalize();
    let whole = whole.ok().and_then(|path| path.to_str().map(str::to_owned));
    match whole {
        Some(path) => Ok(project_id(&path)),
        None => Err(Problem::invalid(
            "project",
            format!("{folder} is not there"),
        )),
    }
}
