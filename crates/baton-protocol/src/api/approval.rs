//! What waits for a person, and what was answered.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, de::Error as _};

use crate::{
    event::{ApprovalRequested, ApprovalResolved},
    id::{ApprovalId, ProjectId, SessionId},
    mask::Secret,
    seq::Seq,
    time::Timestamp,
    words::{Decision, Json, PermissionMode, Scope},
};

/// An answer to an approval; the first wins.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Approve {
    pub approval_id: ApprovalId,
    pub decision: Decision,
    /// A rule to remember with the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// How far the answer is remembered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<Scope>,
    /// The whole input to use instead.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub modified_input: Option<Json>,
    /// Said to the agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deny_message: Option<String>,
    /// Denies and stops the turn.
    #[serde(default)]
    pub interrupt: bool,
    /// Of a question: answer by the question's text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answers: Option<BTreeMap<String, String>>,
    /// Of a plan: the mode to go on in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<PermissionMode>,
    /// Nobody was asked: the client denies because it has nobody to ask.
    #[serde(default)]
    pub unattended: bool,
}

impl Approve {
    /// An answer with nothing but its decision.
    pub const fn with(approval_id: ApprovalId, decision: Decision) -> Self {
        Self {
            approval_id,
            decision,
            rule: None,
            scope: None,
            modified_input: None,
            deny_message: None,
            interrupt: false,
            answers: None,
            mode: None,
            unattended: false,
        }
    }
}

/// An open approval and where it is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct OpenApproval {
    pub session_id: SessionId,
    pub requested_at: Timestamp,
    /// The number of its event.
    pub seq: Seq,
    pub approval: ApprovalRequested,
}

/// Part of the open approvals.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct OpenApprovals {
    pub items: Vec<OpenApproval>,
    /// Where the next part begins; none at the end.
    pub next: Option<String>,
    /// Texts in it that look like credentials, for screens to cover. Absent
    /// where there are none, and for who does not see them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub secrets: Vec<Secret>,
}

/// Which answered approvals, the newest first.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct ListPastApprovals {
    /// At most 500; 100 when absent. Fewer come when they are large.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// `next` of an earlier answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
    /// Only those of this project: its slug, id or path.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
}

/// An approval with its answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PastApproval {
    pub session_id: SessionId,
    pub project_id: ProjectId,
    pub requested_at: Timestamp,
    /// The number of the event that asked.
    pub seq: Seq,
    pub approval: ApprovalRequested,
    pub resolved_at: Timestamp,
    /// The number of the event that answered.
    pub resolved_seq: Seq,
    pub resolved: ApprovalResolved,
}

/// Part of the answered approvals, the newest request first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PastApprovals {
    pub items: Vec<PastApproval>,
    /// Where the next part begins; none at the end.
    pub next: Option<String>,
    /// As in the list of open ones.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub secrets: Vec<Secret>,
}

/// An open approval of one session, and when it was asked for.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WaitingApproval {
    /// The number of its event.
    pub seq: Seq,
    pub requested_at: Timestamp,
    #[serde(flatten)]
    pub approval: ApprovalRequested,
}

impl<'de> Deserialize<'de> for WaitingApproval {
    /// What keeps its text as it came cannot be read beside other fields, so the
    /// text is read twice.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Moment {
            seq: Seq,
            requested_at: Timestamp,
        }
        let whole = Json::deserialize(deserializer)?;
        let place: Moment = serde_json::from_str(whole.text()).map_err(D::Error::custom)?;
        Ok(Self {
            seq: place.seq,
            requested_at: place.requested_at,
            approval: serde_json::from_str(whole.text()).map_err(D::Error::custom)?,
        })
    }
}
