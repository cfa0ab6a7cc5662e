//! What the tests share: ids by number, small events, stores in a temporary folder.

use std::path::PathBuf;

use baton_protocol::{
    ApprovalId, Event, EventDraft, HolderId, MessageId, ProjectId, RunnerId, Seq, SessionId,
    Timestamp, Turn,
    event::{
        ApprovalRequested, ApprovalResolved, AssistantBlock, AssistantMessage, Notification,
        TurnCompleted, TurnStats, UserMessage,
    },
    words::{ApprovalKind, DecidedBy, Decision, Json, Risk, StopReason, Usage},
};
use baton_store::{Append, NewSession, Store, StoreOptions, StoredEvent};
use tempfile::TempDir;
use uuid::Uuid;

pub(crate) const NOW: i64 = 1_794_725_041_000;

pub(crate) fn session(number: u128) -> SessionId {
    SessionId::from_uuid(Uuid::from_u128(number))
}

pub(crate) fn holder(number: u128) -> HolderId {
    HolderId::from_uuid(Uuid::from_u128(number))
}

pub(crate) fn message_id(number: u128) -> MessageId {
    MessageId::from_uuid(Uuid::from_u128(number))
}

pub(crate) fn runner() -> RunnerId {
    RunnerId::from_uuid(Uuid::from_u128(0xbaba))
}

pub(crate) fn project() -> ProjectId {
    ProjectId::from_digest(&[0xab; 32])
}

pub(crate) fn options() -> StoreOptions {
    StoreOptions::new(runner())
}

/// A log in a folder that goes with it.
pub(crate) struct Scratch {
    pub(crate) folder: TempDir,
}

impl Scratch {
    pub(crate) fn new() -> Self {
        Self {
            folder: TempDir::new().unwrap(),
        }
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.folder.path().join("log.db")
    }

    pub(crate) fn open(&self) -> Store {
        Store::open(&self.path(), &options()).unwrap()
    }
}

pub(crate) fn draft(event: impl Into<Event>) -> EventDraft {
    draft_at(NOW, event)
}

pub(crate) fn draft_at(millis: i64, event: impl Into<Event>) -> EventDraft {
    EventDraft {
        ts: Timestamp::from_millis(millis),
        turn: Turn::NONE,
        agent_id: None,
        event: event.into(),
    }
}

/// An event that no projection but the counters looks at.
pub(crate) fn note(text: &str) -> EventDraft {
    draft(Notification {
        title: None,
        message: text.to_owned(),
        kind: "test".to_owned(),
    })
}

/// The text of a [`note`].
pub(crate) fn noted(event: &StoredEvent) -> String {
    let event = event.envelope().unwrap().event;
    let Event::Notification(notification) = event else {
        panic!("not a note: {event:?}");
    };
    notification.message
}

pub(crate) fn said(id: u128, text: &str) -> EventDraft {
    draft(UserMessage {
        message_id: message_id(id),
        text: text.to_owned(),
        attachments: Vec::new(),
        queued: false,
        client: None,
    })
}

pub(crate) fn answered(text: &str) -> EventDraft {
    draft(AssistantMessage(AssistantBlock {
        message_id: "msg".to_owned(),
        agent_uuid: None,
        block: 0,
        content: text.to_owned(),
        model: None,
        usage: None,
        parent_tool_use_id: None,
        aborted: false,
    }))
}

pub(crate) fn asked(number: u128) -> ApprovalRequested {
    ApprovalRequested {
        approval_id: ApprovalId::from_uuid(Uuid::from_u128(number)),
        tool_use_id: None,
        kind: ApprovalKind::Tool,
        tool_name: "Bash".to_owned(),
        input: Json::of(&serde_json::json!({"command": "ls"})),
        risk: Risk::High,
        reason: None,
        warnings: Vec::new(),
        preview: None,
        suggestions: Vec::new(),
        expires_at: None,
        agent_id: None,
    }
}

pub(crate) fn decided(number: u128, decision: Decision) -> ApprovalResolved {
    ApprovalResolved {
        approval_id: ApprovalId::from_uuid(Uuid::from_u128(number)),
        decision,
        by: DecidedBy::User,
        mode: None,
        unattended: false,
        client: None,
        rule_id: None,
        rule: None,
        scope: None,
        message: None,
        modified_input: None,
        interrupt: false,
    }
}

/// A turn that ended at `millis`.
pub(crate) fn turn_done(millis: i64, cost_usd: Option<f64>, input_tokens: u64) -> EventDraft {
    draft_at(
        millis,
        TurnCompleted {
            turn: Turn(1),
            message_ids: Vec::new(),
            stop_reason: StopReason::End,
            exit_code: None,
            is_error: false,
            result: None,
            structured_output: None,
            duration_ms: 1,
            cost_usd,
            usage: Some(Usage {
                input_tokens,
                ..Usage::default()
            }),
            stats: TurnStats::default(),
            still_running: Vec::new(),
        },
    )
}

pub(crate) fn new_session() -> NewSession {
    NewSession {
        project_id: project(),
        project_path: "/p".to_owned(),
        created_at: Timestamp::from_millis(NOW),
    }
}

pub(crate) fn events(session: SessionId, events: Vec<EventDraft>) -> Append {
    Append {
        events,
        ..Append::to(session)
    }
}

pub(crate) fn creating(session: SessionId, drafts: Vec<EventDraft>) -> Append {
    Append {
        create: Some(new_session()),
        ..events(session, drafts)
    }
}

/// Everything of a session.
pub(crate) async fn read_all(store: &Store, session: SessionId) -> Vec<StoredEvent> {
    let mut all: Vec<StoredEvent> = Vec::new();
    loop {
        let after = all.last().map_or(Seq::START, |event| event.seq);
        let batch = store.read_after(session, after, 1000).await.unwrap();
        if batch.is_empty() {
            return all;
        }
        all.extend(batch);
    }
}

/// Panics unless the numbers are 1, 2, 3 …
pub(crate) fn assert_dense(events: &[StoredEvent]) {
    for (number, event) in (1..).zip(events) {
        assert_eq!(event.seq, Seq(number));
    }
}
