//! Rules as people manage them: listed, added, removed, tried on the past.

use std::path::Path;

use baton_protocol::{
    ProjectId, RuleId, ToolUse,
    event::ApprovalRequested,
    words::{ClientRef, RuleDecision},
};
use baton_rules::{PastCall, Pattern, PreviewRow, RealPaths, preview};
use baton_store::{PastRequest, RuleChange, RuleOutcome, RuleRecord, RuleScope};
use serde_json::Value;

use super::{Supervisor, SupervisorError};

/// Requests that a rule is tried on.
const PAST: usize = 500;

/// What a rule would have decided on one past request.
#[derive(Debug, Clone)]
pub struct Tried {
    pub request: PastRequest,
    pub row: PreviewRow,
}

impl Supervisor {
    pub async fn rules(&self) -> Result<Vec<RuleRecord>, SupervisorError> {
        Ok(self.store.rules().await?)
    }

    /// Adds a rule; one that is there already keeps its id.
    pub async fn add_rule(
        &self,
        rule: &str,
        decision: RuleDecision,
        scope: RuleScope,
        client: Option<ClientRef>,
    ) -> Result<RuleRecord, SupervisorError> {
        let pattern =
            Pattern::parse(rule).map_err(|error| SupervisorError::BadOption(error.to_string()))?;
        let mut record = RuleRecord {
            id: RuleId::from_uuid(self.world.id()),
            scope,
            rule: pattern.to_string(),
            decision,
            created_at: self.world.now(),
            client,
            approval: None,
        };
        let change = RuleChange::Added(record.clone());
        let outcome = self.store.change_rules(vec![change.clone()]).await?;
        if let Some(RuleOutcome::Kept(id)) = outcome.first() {
            record.id = *id;
        } else {
            self.rules.changed(&[change]);
        }
        Ok(record)
    }

    /// Whether there was such a rule.
    pub async fn remove_rule(&self, id: RuleId) -> Result<bool, SupervisorError> {
        let change = RuleChange::Removed { id };
        let outcome = self.store.change_rules(vec![change.clone()]).await?;
        self.rules.changed(&[change]);
        Ok(matches!(outcome.first(), Some(RuleOutcome::Removed(_))))
    }

    /// Takes over changes that were made elsewhere, with the ids they have there.
    pub async fn follow_rules(&self, changes: Vec<RuleChange>) -> Result<(), SupervisorError> {
        self.store.change_rules(changes.clone()).await?;
        self.rules.changed(&changes);
        Ok(())
    }

    /// What a rule would have decided on past requests, newest first.
    pub async fn try_rule(
        &self,
        rule: &str,
        decision: RuleDecision,
        project: Option<ProjectId>,
    ) -> Result<Vec<Tried>, SupervisorError> {
        let pattern =
            Pattern::parse(rule).map_err(|error| SupervisorError::BadOption(error.to_string()))?;
        let past = self.store.past_requests(project, PAST).await?;
        let home = self.home.home();
        let tried = move || {
            let inputs: Vec<_> = past.iter().map(|one| told(asked(one))).collect();
            let calls: Vec<_> = past
                .iter()
                .zip(&inputs)
                .map(|(request, (what, input))| {
                    let cwd = Path::new(request.cwd.as_deref().unwrap_or("/"));
                    PastCall {
                        kind: asked(request).kind,
                        tool: &asked(request).tool_name,
                        what,
                        input,
                        cwd,
                        project: cwd,
                        home: &home,
                    }
                })
                .collect();
            let rows = preview(&pattern, decision, &calls, &RealPaths);
            past.into_iter()
                .zip(rows)
                .map(|(request, row)| Tried { request, row })
                .collect()
        };
        let tried = tokio::task::spawn_blocking(tried).await;
        tried.map_err(|_| SupervisorError::Unreadable("past requests".into()))
    }
}

fn told(request: &ApprovalRequested) -> (ToolUse, Value) {
    let what = ToolUse::of(request.tool_kind, (*request.subject).clone());
    (what, request.input.value())
}

const fn asked(past: &PastRequest) -> &ApprovalRequested {
    &past.approval.requested
}
