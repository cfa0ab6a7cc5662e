//! What waits for a person, and what people answered.

use baton_protocol::{
    ProjectId, SeqNo, SessionId,
    api::{
        ListPart, ListPastApprovals, OpenApproval, OpenApprovals, Part, PastApproval,
        PastApprovals, Problem,
    },
};
use baton_store::{ApprovalRecord, PastRequest};

use super::{Api, part::part_of};
use crate::problem::Told as _;

const DEFAULT_LIMIT: u32 = 100;
const MAX_LIMIT: u32 = 500;

fn open_approval(record: ApprovalRecord) -> OpenApproval {
    OpenApproval {
        session_id: record.session,
        requested_at: record.requested_at,
        seq: record.requested_seq,
        approval: record.requested,
    }
}

/// None of one that is open.
fn past_approval(past: PastRequest) -> Option<PastApproval> {
    let record = past.approval;
    Some(PastApproval {
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

fn open_part(items: Vec<OpenApproval>, part: &ListPart) -> Result<OpenApprovals, Problem> {
    let name = |one: &OpenApproval| one.approval.approval_id.to_string();
    let Part { items, next } = part_of(items, part, name)?;
    Ok(OpenApprovals {
        items,
        next,
        secrets: Vec::new(),
    })
}

impl Api {
    pub(super) async fn approvals(
        &self,
        session: Option<SessionId>,
        part: &ListPart,
    ) -> Result<OpenApprovals, Problem> {
        let open = self.store().open_approvals(session).await.told()?;
        open_part(open.into_iter().map(open_approval).collect(), part)
    }

    /// Of all sessions of one project.
    pub(super) async fn approvals_in(
        &self,
        project: ProjectId,
        part: &ListPart,
    ) -> Result<OpenApprovals, Problem> {
        open_part(self.open_approvals_in(project).await?, part)
    }

    pub(super) async fn open_approvals_in(
        &self,
        project: ProjectId,
    ) -> Result<Vec<OpenApproval>, Problem> {
        let open = self.store().open_approvals(None).await.told()?;
        let mut items: Vec<OpenApproval> = Vec::new();
        for record in open {
            if self.session_row(record.session).await?.project_id == project {
                items.push(open_approval(record));
            }
        }
        Ok(items)
    }

    pub(super) async fn past_approvals(
        &self,
        list: &ListPastApprovals,
    ) -> Result<PastApprovals, Problem> {
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
            .await
            .told()?;
        Ok(PastApprovals {
            items: page.items.into_iter().filter_map(past_approval).collect(),
            next: page.next.map(|next| next.0.to_string()),
            secrets: Vec::new(),
        })
    }
}
