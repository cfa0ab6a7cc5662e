//! The envelope's text, composed around a payload that is serialised already.
//!
//! It must equal what `baton-protocol` writes for the same envelope; a test holds that.

use std::fmt::Write;

use baton_protocol::{Envelope, words::Json};

/// Replaces `text` with the envelope's wire form.
pub(crate) fn compose(text: &mut String, envelope: &Envelope, payload: &Json) {
    text.clear();
    // Writing to a String cannot fail.
    let _ = write!(
        text,
        r#"{{"sessionId":"{}","seq":{},"ts":"{}","runnerId":"{}","projectId":"{}","turn":{},"type":"#,
        envelope.session_id,
        envelope.seq,
        envelope.ts,
        envelope.runner_id,
        envelope.project_id,
        envelope.turn,
    );
    push_string(text, envelope.event.name());
    text.push_str(r#","agentId":"#);
    match &envelope.agent_id {
        Some(agent) => push_string(text, agent),
        None => text.push_str("null"),
    }
    text.push_str(r#","payload":"#);
    text.push_str(payload.text());
    text.push('}');
}

fn push_string(text: &mut String, value: &str) {
    let plain = value
        .bytes()
        .all(|byte| byte >= 0x20 && byte != b'"' && byte != b'\\');
    if plain {
        text.push('"');
        text.push_str(value);
        text.push('"');
    } else {
        text.push_str(Json::of(value).text());
    }
}

#[cfg(test)]
#[path = "wire_tests.rs"]
mod tests;
