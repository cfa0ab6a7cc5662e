//! What waits for a person, and what people answered.

use baton_protocol::{
    ProjectId, Seq, SeqNo, SessionId, Timestamp,
    api::{ListPart, ListPastApprovals, Problem},
    event::{ApprovalRequested, ApprovalResolved},
    words::Json,
};
use baton_store::{ApprovalRecord, PastRequest};
use schemars::JsonSchema;
use serde::Serialize;

use super::{Api, part::Part};
use crate::problem;

const DEFAULT_LIMIT: u32 = 100;
const MAX_LIMIT: u32 = 500;

/// An open approval and where it is.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct OpenApproval {
    session_id: SessionId,
    requested_at: Timestamp,
    /// The number of its event.
    seq: Seq,
    approval: ApprovalRequested,
}

impl OpenApproval {
    fn name(&self) -> String {
        self.approval.approval_id.to_string()
    }
}

impl From<ApprovalRecord> for OpenApproval {
    fn from(record: ApprovalRecord) -> Self {
        Self {
            session_id: record.session,
            requested_at: record.requested_at,
            seq: record.requested_seq,
            approval: record.requested,
        }
    }
}

/// An approval with its answer.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PastApproval {
    session_id: SessionId,
    project_id: ProjectId,
    requested_at: Timestamp,
    /// The number of the event that asked.
    seq: Seq,
    approval: ApprovalRequested,
    resolved_at: Timestamp,
    /// The number of the event that answered.
    resolved_seq: Seq,
    resolved: ApprovalResolved,
}

impl PastApproval {
    /// None of one that is open.
    fn of(past: PastRequest) -> Option<Self> {
        let record = past.approval;
        Some(Self {
            session_id: record.session,
            project_id: past.project_id,
            requested_at: record.requested_at,
            seq: record.requested_seq,
            approval: record.requested,
            resolved_at: record.resolved_at?,
            resolved_seq: record.resolved_seq?,
            resolved: record.resolved?,
        })
    }
}

/// Part of the answered approvals, the newest request first.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PastApprovals {
    items: Vec<PastApproval>,
    /// Where the next part begins; none at the end.
    next: Option<String>,
}

impl Api {
    pub(super) async fn approvals(
        &self,
        session: Option<SessionId>,
        part: &ListPart,
    ) -> Result<Json, Problem> {
        let open = self.store().open_approvals(session).await;
        let open = open.map_err(|error| problem::of_store(&error))?;
        let items: Vec<OpenApproval> = open.into_iter().map(Into::into).collect();
        Ok(Json::of(&Part::of(items, part, OpenApproval::name)?))
    }

    /// Of all sessions of one project.
    pub(super) async fn approvals_in(
        &self,
        project: ProjectId,
        part: &ListPart,
    ) -> Result<Json, Problem> {
        let items = self.open_approvals_in(project).await?;
        Ok(Json::of(&Part::of(items, part, OpenApproval::name)?))
    }

    pub(super) async fn open_approvals_in(
        &self,
        project: ProjectId,
    ) -> Result<Vec<OpenApproval>, Problem> {
        let open = self.store().open_approvals(None).await;
        let open = open.map_err(|error| problem::of_store(&error))?;
        let mut items: Vec<OpenApproval> = Vec::new();
        for record in open {
            if self.session_row(record.session).await?.project_id == project {
                items.push(record.into());
            }
        }
        Ok(items)
    }

    pub(super) async fn past_approvals(&self, list: &ListPastApprovals) -> Result<Json, Problem> {
        let limit = list.limit.unwrap_or(DEFAULT_LIMIT);
        if !(1..=MAX_LIMIT).contains(&limit) {
            let message = format!("it is between 1 and {MAX_LIMIT}");
            return Err(Problem::invalid("limit", message));
        }
        let cursor = list.cursor.as_deref().map(str::parse::<u64>).transpose();
        let cursor = cursor.map_err(|_| Problem::invalid("cursor", "it is not from an answer"))?;
        let project = self.maybe_project(list.project.as_deref()).await?;
        let page = self
            .store()
            .past_approvals(project, limit as usize, cursor.map(SeqNo))
            .await;
        let page = page.map_err(|error| problem::of_store(&error))?;
        Ok(Json::of(&PastApprovals {
            items: page
                .items
                .into_iter()
                .filter_map(PastApproval::of)
                .collect(),
            next: page.next.map(|next| next.0.to_string()),
        }))
    }
}
