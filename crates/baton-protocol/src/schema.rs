//! JSON Schema of everything on the wire, generated from the types above.
//!
//! The documents are committed under `schema/`; a test fails when they drift.

use schemars::{JsonSchema, Schema, generate::SchemaSettings};
use serde_json::{Value, json};

use crate::{
    event::Event,
    id::{ProjectId, RunnerId, SessionId},
    live::Live,
    mask::Secret,
    seq::{Seq, Turn},
    time::Timestamp,
};

/// File name and content of every generated document.
pub fn documents() -> Vec<(&'static str, Value)> {
    vec![("events.schema.json", events())]
}

/// Events that tell what a tool is called with.
const TELLS_INPUT: [&str; 3] = ["tool.requested", "approval.requested", "approval.resolved"];

fn events() -> Value {
    let mut generator = SchemaSettings::draft2020_12().into_generator();
    let shared = json!({
        "sessionId": schema::<SessionId>(&mut generator),
        "ts": schema::<Timestamp>(&mut generator),
        "turn": schema::<Turn>(&mut generator),
    });
    let seq = schema::<Seq>(&mut generator);
    let runner = schema::<RunnerId>(&mut generator);
    let project = schema::<ProjectId>(&mut generator);
    let secrets = json!({
        "type": "array",
        "description": "Texts in the payload that look like credentials, for screens to cover. \
                        Found when it is read, and never in the log.",
        "items": schema::<Secret>(&mut generator),
    });
    let events: Vec<Value> = Event::schemas(&mut generator)
        .into_iter()
        .map(|(name, payload)| {
            let own = json!({
                "seq": seq, "runnerId": runner, "projectId": project,
                "agentId": {"type": ["string", "null"]},
            });
            let mut event = object(name, &payload, &[&shared, &own]);
            if TELLS_INPUT.contains(&name) {
                event["properties"]["secrets"] = secrets.clone();
            }
            event
        })
        .collect();
    let frames: Vec<Value> = Live::schemas(&mut generator)
        .into_iter()
        .map(|(name, payload)| object(name, &payload, &[&shared, &json!({"after": seq})]))
        .collect();
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Baton events and live frames",
        "description": "One JSON object per line. Readers ignore unknown types and fields.",
        "oneOf": [{"$ref": "#/$defs/Envelope"}, {"$ref": "#/$defs/LiveFrame"}],
        "$defs": merge(&[
            &json!({"Envelope": {"oneOf": events}, "LiveFrame": {"oneOf": frames}}),
            &json!(generator.take_definitions(true)),
        ]),
    })
}

fn schema<T: JsonSchema>(generator: &mut schemars::SchemaGenerator) -> Value {
    generator.subschema_for::<T>().to_value()
}

fn object(name: &str, payload: &Schema, shared: &[&Value]) -> Value {
    let own = json!({"type": {"const": name}, "payload": payload.as_value()});
    let mut parts = shared.to_vec();
    parts.push(&own);
    let properties = merge(&parts);
    let required: Vec<&String> = properties
        .as_object()
        .into_iter()
        .flat_map(|map| map.keys())
        .collect();
    json!({"type": "object", "title": name, "required": required, "properties": properties})
}

fn merge(parts: &[&Value]) -> Value {
    let entries = parts
        .iter()
        .filter_map(|part| part.as_object())
        .flat_map(|map| map.iter().map(|(key, value)| (key.clone(), value.clone())));
    Value::Object(entries.collect())
}
