//! What the tests share: ids by number, small events, stores in a temporary folder.

use std::path::PathBuf;

use baton_protocol::{
    ApprovalId, Event, EventDraft, HolderId, MessageId, ProjectId, RunnerId, Seq, SessionId,
    Timestamp, Turn,
    event::{
        ApprovalRequested, ApprovalResolved, AssistantMessage, Notification, TurnCompleted,
        UserMessage,
    },
    words::{Decision, Json},
};
use baton_store::{Append, Committed, HolderChange, NewSession, Store, StoreOptions, StoredEvent};
use serde::de::DeserializeOwned;
use serde_json::json;
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
    draft(payload::<Notification>(
        json!({"message": text, "kind": "test"}),
    ))
}

/// The text of a [`note`].
pub(crate) fn noted(event: &StoredEvent) -> String {
    let event = event.envelope().unwrap().event;
    let Event::Notification(notification) = event else {
        panic!("not a note: {event:?}");
    };
    notification.message
}

/// What an event says, with the defaults of what is not told.
pub(crate) fn payload<T: DeserializeOwned>(told: serde_json::Value) -> T {
    serde_json::from_value(told).unwrap()
}

pub(crate) fn said(id: u128, text: &str) -> EventDraft {
    let told = json!({"messageId": message_id(id), "text": text});
    draft(payload::<UserMessage>(told))
}

pub(crate) fn answered(text: &str) -> EventDraft {
    let told = json!({"messageId": "msg", "block": 0, "content": text});
    draft(payload::<AssistantMessage>(told))
}

pub(crate) fn asked(number: u128) -> ApprovalRequested {
    let id = ApprovalId::from_uuid(Uuid::from_u128(number));
    payload(json!({"approvalId": id, "kind": "tool", "toolName": "Bash",
        "input": {"command": "ls"}, "risk": "high"}))
}

pub(crate) fn decided(number: u128, decision: Decision) -> ApprovalResolved {
    let id = ApprovalId::from_uuid(Uuid::from_u128(number));
    payload(json!({"approvalId": id, "decision": decision, "by": "user"}))
}

/// A turn that ended at `millis`.
pub(crate) fn turn_done(millis: i64, cost_usd: Option<f64>, input_tokens: u64) -> EventDraft {
    let told = json!({"turn": 1, "stopReason": "end", "durationMs": 1, "costUsd": cost_usd, "stats": {},
        "usage": {"inputTokens": input_tokens}});
    draft_at(millis, payload::<TurnCompleted>(told))
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

/// That a holder of which nothing more is known has the session's agent.
pub(crate) fn held_by(number: u128) -> HolderChange {
    HolderChange::Added {
        holder: holder(number),
        facts: Json::null(),
    }
}

/// Appends what must be taken.
pub(crate) async fn put(store: &Store, append: Append) -> Committed {
    store.append(append).await.unwrap()
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
