//! One line of the output: the event, its number and its time, and never
//! longer than a reader was told.

use baton_protocol::Timestamp;
use serde_json::{Map, Value, json};

use crate::output::Output;

/// The most that a line has, with its end. `docs/stdio.md` promises it.
pub const MAX_LINE: usize = 1 << 20;

/// Room for what comes after the event itself.
const RESERVED: usize = 32 << 10;

/// Texts that are shortened one by one before whole fields go: so many, each
/// longer than names and ids are.
const MOST_TEXTS: usize = 64;
const LONG_TEXT: usize = 1 << 10;

/// A line as it is written.
pub fn line(said: &Output, seq: u64, at: Timestamp) -> Option<Vec<u8>> {
    let text = match serde_json::to_vec(said) {
        Ok(text) => on_one_line(text),
        Err(error) => {
            tracing::error!(%error, name = said.name(), "a line cannot be written as JSON");
            return None;
        }
    };
    let mut line = if text.len() > MAX_LINE - RESERVED {
        shortened(&text)?
    } else {
        text
    };
    // Behind everything else, so that the event reads as it is documented.
    line.pop();
    let stamp = format!(",\"seq\":{seq},\"ts\":{}}}\n", json!(at));
    line.extend_from_slice(stamp.as_bytes());
    Some(line)
}

/// The same with its longest texts cut, and a list of what was cut.
fn shortened(line: &[u8]) -> Option<Vec<u8>> {
    let mut event: Map<String, Value> = serde_json::from_slice(line).ok()?;
    let limit = MAX_LINE - RESERVED;
    let mut cut = Vec::new();
    let mut size = written(&event).len();
    for _ in 0..MOST_TEXTS {
        if size <= limit {
            break;
        }
        let mut longest = None;
        for (key, value) in &mut event {
            find_longest(value, &format!("/{}", escaped(key)), &mut longest);
        }
        let Some(Longest { field, text, bytes }) = longest.filter(|one| one.bytes > LONG_TEXT)
        else {
            break;
        };
        cut.push(json!({"field": field, "bytes": text.len()}));
        let left = bytes.saturating_sub(size - limit);
        *text = beginning(text, left);
        size = written(&event).len();
    }
    // Many small things are as long as a few large ones.
    while size > limit {
        let by_size = |(_, value): &(&String, &mut Value)| written(&**value).len();
        let (key, value) = event
            .iter_mut()
            .filter(|(key, value)| *key != "type" && !value.is_null())
            .max_by_key(by_size)?;
        cut.push(json!({"field": format!("/{}", escaped(key)), "bytes": written(&*value).len()}));
        *value = Value::Null;
        size = written(&event).len();
    }
    event.insert("cut".into(), Value::Array(cut));
    Some(written(&event))
}

fn written(value: &impl serde::Serialize) -> Vec<u8> {
    on_one_line(serde_json::to_vec(value).unwrap_or_default())
}

struct Longest<'a> {
    field: String,
    text: &'a mut String,
    /// As it is written.
    bytes: usize,
}

/// The longest text in a value, with the way to it as in a JSON pointer.
fn find_longest<'a>(value: &'a mut Value, at: &str, longest: &mut Option<Longest<'a>>) {
    match value {
        Value::String(text) => {
            let bytes = written(text).len();
            if longest.as_ref().is_none_or(|longest| longest.bytes < bytes) {
                *longest = Some(Longest {
                    field: at.chars().take(200).collect(),
                    text,
                    bytes,
                });
            }
        }
        Value::Array(values) => {
            for (index, value) in values.iter_mut().enumerate() {
                find_longest(value, &format!("{at}/{index}"), longest);
            }
        }
        Value::Object(fields) => {
            for (key, value) in fields {
                find_longest(value, &format!("{at}/{}", escaped(key)), longest);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn escaped(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

/// As much of a text as is written in so many bytes.
fn beginning(text: &str, bytes: usize) -> String {
    let mut left = bytes.saturating_sub(2);
    let fits = |character: &char| {
        let bytes = written(character).len().saturating_sub(2);
        let rest = left.checked_sub(bytes);
        left = rest.unwrap_or_default();
        rest.is_some()
    };
    text.chars().take_while(fits).collect()
}

/// Some readers end a line at characters that JSON allows in it, Node's
/// `readline` among them. As escapes they are the same to JSON and one line to
/// everybody.
fn on_one_line(line: Vec<u8>) -> Vec<u8> {
    let ends = |at: usize| match line.get(at..)? {
        [0xc2, 0x85, ..] => Some((2, "\\u0085")),
        [0xe2, 0x80, 0xa8, ..] => Some((3, "\\u2028")),
        [0xe2, 0x80, 0xa9, ..] => Some((3, "\\u2029")),
        _ => None,
    };
    let found = (0..line.len()).filter_map(|at| ends(at).map(|found| (at, found)));
    let mut found = found.peekable();
    if found.peek().is_none() {
        drop(found);
        return line;
    }
    let mut whole = Vec::with_capacity(line.len() + 64);
    let mut from = 0;
    for (at, (length, escape)) in found {
        whole.extend_from_slice(&line[from..at]);
        whole.extend_from_slice(escape.as_bytes());
        from = at + length;
    }
    whole.extend_from_slice(&line[from..]);
    whole
}

#[cfg(test)]
#[path = "line_tests.rs"]
mod tests;
