//! What a screen that opens a session is told, at every point of many logs.
//!
//! The page folds the same logs by itself and is held to the same results:
//! `web/src/fold/told.test.ts` compares. Logs are those of recordings, those that
//! the page's own tests have, and one of what neither has.

use std::path::Path;

use baton_protocol::{
    Envelope, Event, ProjectId, SessionId, Timestamp,
    api::{Capabilities, SessionFacts, SessionRow, SessionView},
    event::UserMessage,
};
use baton_store::projection;
use expect_test::expect_file;
use serde_json::{Map, Value, json};
use uuid::Uuid;

use super::{
    super::Overview,
    recorded::{recorded, session_in},
};

/// What the page has of a session's row.
const ROW: &[&str] = &[
    "state",
    "status",
    "title",
    "agent",
    "cwd",
    "model",
    "permissionMode",
    "runtime",
    "costUsd",
    "turnCount",
    "turnFailed",
    "error",
    "endedAt",
];

const ASKED: &[&str] = &["approvalId", "seq", "requestedAt", "toolName"];

#[test]
fn what_a_screen_is_told_of_each_log_is_what_the_page_is_held_to() {
    let mut told = String::new();
    for (name, session) in recorded() {
        tell(&name, session.events(), &mut told);
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../web/tests/fixtures");
    for name in ["cli-agents", "cli-tools", "demo-notices", "demo-tour"] {
        let text = std::fs::read_to_string(folder.join(format!("{name}.ndjson"))).unwrap();
        // Live frames have no number.
        let events = text.lines().filter(|line| line.contains("\"seq\":"));
        let events: Vec<_> = events.map(|line| Envelope::parse(line).unwrap()).collect();
        tell(name, &events, &mut told);
    }
    let edges = session_in(&folder.join("told/edges.txt"));
    tell("edges", edges.events(), &mut told);
    expect_file![folder.join("told/told.txt")].assert_eq(&told);
}

/// A line `NAME SEQ CHANGES` for each event after which something else is told.
fn tell<'a>(name: &str, events: impl IntoIterator<Item = &'a Envelope>, told: &mut String) {
    let mut view = Overview::default();
    let nobody = SessionId::from_uuid(Uuid::nil());
    let nowhere = ProjectId::from_digest(&[0; 32]);
    let mut row = SessionRow::new(nobody, nowhere, Timestamp::from_millis(0));
    let (mut row_before, mut facts_before) = (Map::new(), Map::new());
    for envelope in events {
        projection::apply(&mut row, envelope);
        view.event(envelope);
        // It is committed together with the turn that it begins.
        if matches!(
            &envelope.event,
            Event::UserMessage(UserMessage { queued: false, .. })
        ) {
            continue;
        }
        let (row, facts) = shown(&row, view.facts());
        let mut changes = changes(&mut row_before, row);
        let of_facts = self::changes(&mut facts_before, facts);
        if !of_facts.is_empty() {
            changes.insert("facts".into(), of_facts.into());
        }
        if !changes.is_empty() {
            let changes = Value::from(changes);
            told.push_str(&format!("{name} {} {changes}\n", envelope.seq));
        }
    }
}

fn shown(row: &SessionRow, facts: SessionFacts) -> (Map<String, Value>, Map<String, Value>) {
    let subagents = facts.subagents.iter();
    let subagents: Map<_, _> = subagents
        .map(|agent| (agent.agent_id.clone(), json!(agent.status)))
        .collect();
    let view = SessionView {
        session: row.clone(),
        capabilities: Capabilities::default(),
        facts,
        past: Vec::new(),
        secrets: Vec::new(),
    };
    let Ok(Value::Object(mut view)) = serde_json::to_value(&view) else {
        panic!("a view is an object");
    };
    view.remove("capabilities");
    let Some(Value::Object(mut facts)) = view.remove("facts") else {
        panic!("so are its facts");
    };
    // What is asked is as in its event.
    let asked = facts["approvals"].as_array_mut().into_iter().flatten();
    for asked in asked.filter_map(Value::as_object_mut) {
        asked.retain(|field, _| ASKED.contains(&field.as_str()));
    }
    facts.remove("seq");
    facts.remove("changed");
    facts.insert("subagents".into(), subagents.into());
    view.retain(|field, _| ROW.contains(&field.as_str()));
    (view, facts)
}

/// What is not as before; what is gone is null.
fn changes(before: &mut Map<String, Value>, now: Map<String, Value>) -> Map<String, Value> {
    let gone = before.keys().filter(|field| !now.contains_key(*field));
    let mut changes: Map<_, _> = gone.map(|field| (field.clone(), Value::Null)).collect();
    let other = now
        .iter()
        .filter(|(field, value)| before.get(*field) != Some(value));
    changes.extend(other.map(|(field, value)| (field.clone(), value.clone())));
    *before = now;
    changes
}
