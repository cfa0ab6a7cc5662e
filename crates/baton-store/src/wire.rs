//! The envelope's text, composed around a payload that is serialised already.
//!
//! It must equal what `baton-protocol` writes for the same envelope; a test holds that.

use std::fmt::Write;

use baton_protocol::{Envelope, ProjectId, Seq, words::Json};

/// An envelope's text in pieces: all that is known before the log gives it a
/// number, so that the one writer thread only has to join them.
#[derive(Debug)]
pub(crate) struct Pieces {
    before_seq: String,
    before_project: String,
    rest: String,
}

impl Pieces {
    pub(crate) fn of(envelope: &Envelope, payload: &Json) -> Self {
        let before_seq = format!(r#"{{"sessionId":"{}","seq":"#, envelope.session_id);
        let before_project = format!(
            r#","ts":"{}","runnerId":"{}","projectId":""#,
            envelope.ts, envelope.runner_id,
        );
        let mut rest = String::with_capacity(payload.text().len() + 96);
        // Writing to a String cannot fail.
        let _ = write!(rest, r#"","turn":{},"type":"#, envelope.turn);
        push_string(&mut rest, envelope.event.name());
        rest.push_str(r#","agentId":"#);
        match &envelope.agent_id {
            Some(agent) => push_string(&mut rest, agent),
            None => rest.push_str("null"),
        }
        rest.push_str(r#","payload":"#);
        rest.push_str(payload.text());
        rest.push('}');
        Self {
            before_seq,
            before_project,
            rest,
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.rest.len()
    }

    /// Replaces `text` with the envelope's wire form.
    pub(crate) fn join(&self, text: &mut String, seq: Seq, project: ProjectId) {
        text.clear();
        text.push_str(&self.before_seq);
        let _ = write!(text, "{seq}");
        text.push_str(&self.before_project);
        let _ = write!(text, "{project}");
        text.push_str(&self.rest);
    }
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
