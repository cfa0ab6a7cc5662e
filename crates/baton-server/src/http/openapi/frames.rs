//! The frames of the WebSocket, as the contract has them.

use baton_protocol::api::Command;
use serde_json::{Map, Value, json};

/// What both sides say, by the names the document gives them.
pub(super) fn frames() -> Map<String, Value> {
    let mut schemas = Map::new();
    schemas.insert("ClientFrame".into(), client());
    schemas.insert("ServerFrame".into(), server());
    schemas
}

fn reference(name: &str) -> Value {
    json!({"$ref": format!("#/components/schemas/{name}")})
}

fn frame(kind: &str, meaning: &str, required: &[&str], mut fields: Value) -> Value {
    fields["type"] = json!({"const": kind});
    let required: Vec<&str> = [&["type"], required].concat();
    json!({
        "type": "object", "title": kind, "description": meaning,
        "required": required, "properties": fields,
    })
}

fn client() -> Value {
    let session = reference("SessionId");
    let id = json!({"type": "string", "description": "Comes back with the reply."});
    json!({"oneOf": [
        frame("hello", "The first message of who did not sign in by header.", &["token"],
            json!({"token": {"type": "string"}})),
        frame("subscribe", "A session's events after a number, then live; without a session, \
            changes of the list of sessions.", &[],
            json!({"id": id, "sessionId": session, "after": reference("Seq")})),
        frame("unsubscribe", "No more of it.", &[], json!({"id": id, "sessionId": session})),
        frame("command", "Payloads are the bodies of HTTP, with what its paths say.",
            &["id", "command"], json!({
                "id": id, "sessionId": session, "payload": true,
                "command": {"type": "string", "enum": Command::NAMES},
            })),
        frame("ping", "Is answered with `pong`.", &[], json!({})),
    ]})
}

fn server() -> Value {
    let session = reference("SessionId");
    let problem = reference("Problem");
    json!({"oneOf": [
        frame("welcome", "The answer to `hello`.", &["version", "pid"],
            json!({"version": {"type": "string"}, "pid": {"type": "integer"}})),
        frame("event", "A committed event, as it is stored.", &["event"],
            json!({"event": reference("Envelope")})),
        frame("live", "For the screen; made whole by a later event.", &["frame"],
            json!({"frame": reference("LiveFrame")})),
        frame("caught_up", "Everything up to `seq` has been sent; from here on it is live.",
            &["sessionId", "seq"], json!({"sessionId": session, "seq": reference("Seq")})),
        frame("unsubscribed", "The subscription is over: it was cancelled, or cannot go on.", &[],
            json!({"sessionId": {"anyOf": [session, {"type": "null"}]}, "problem": problem})),
        frame("reply", "The answer to what had an id.", &["id", "ok"], json!({
            "id": {"type": ["string", "null"]}, "ok": {"type": "boolean"}, "result": true,
            "problem": problem, "error": {"type": "string"},
        })),
        frame("sessions", "Rows of sessions that changed, and sessions that are no longer there.",
            &["items"], json!({
                "items": {"type": "array", "items": reference("SessionRow")},
                "removed": {"type": "array", "items": session},
            })),
        frame("pong", "The answer to `ping`.", &[], json!({})),
        frame("goodbye", "The daemon ends, on purpose; connect again.", &["agentsKept"],
            json!({"agentsKept": {"type": "boolean"}})),
    ]})
}
