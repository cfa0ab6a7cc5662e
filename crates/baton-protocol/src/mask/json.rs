//! Secrets inside the strings of a JSON text, which stays JSON.

use std::{borrow::Cow, ops::Range};

use super::{
    assigned::{Written, announced, is_secret},
    find,
    found::{self, Found, Secret},
    replaced,
    shapes::{closes_key, is_key_body, leaves_key_open},
};

/// The same JSON with every secret in its strings replaced. The names of fields
/// stay; they also say what their values are.
pub fn json(source: &str) -> Cow<'_, str> {
    let mut shown: Option<String> = None;
    let mut copied = 0;
    each(source, |place, value, found| {
        let shown = shown.get_or_insert_with(|| String::with_capacity(source.len()));
        shown.push_str(&source[copied..place.start]);
        let masked = serde_json::to_string(&replaced(value, found));
        shown.push_str(&masked.unwrap_or_else(|_| "\"\"".into()));
        copied = place.end;
    });
    match shown {
        None => Cow::Borrowed(source),
        Some(mut shown) => {
            shown.push_str(&source[copied..]);
            Cow::Owned(shown)
        }
    }
}

/// The secrets in the strings of a JSON text.
pub fn secrets(source: &str) -> Vec<Secret> {
    let mut list = Vec::new();
    each(source, |_, value, found| {
        found::add(&mut list, value, found);
    });
    list
}

/// Goes through the strings that have secrets in them: where they stand, what
/// they say, and where in that the secrets are.
fn each(source: &str, mut tell: impl FnMut(Range<usize>, &str, &[Found])) {
    let bytes = source.as_bytes();
    let mut at = 0;
    let mut name: Option<Cow<'_, str>> = None;
    // A private key may go on in the strings after the one it begins in.
    let mut in_key = false;
    while let Some(start) = memchr(b'"', bytes, at) {
        let end = string_end(bytes, start);
        at = end;
        let Some(raw) = source.get(start..end) else {
            break;
        };
        let value = unescaped(raw);
        if is_name(bytes, end) {
            name = Some(value);
            continue;
        }
        let of = name.take();
        let found = hidden(of.as_deref(), &value, in_key);
        if leaves_key_open(&value) {
            in_key = true;
        } else if closes_key(&value) {
            in_key = false;
        }
        if !found.is_empty() {
            tell(start..end, &value, &found);
        }
    }
}

/// What of a string is secret, by its name, by what came before, or by itself.
fn hidden(name: Option<&str>, value: &str, in_key: bool) -> Vec<Found> {
    let behind = name.and_then(announced);
    if let Some(behind) = behind
        && is_secret(behind, value, Written::Quoted)
    {
        return vec![behind.found(0..value.len())];
    }
    if in_key && is_tail(value) {
        return vec![Found::key(0..value.len())];
    }
    find(value)
}

/// A line of a key, the short last one included.
fn is_tail(value: &str) -> bool {
    let line = value.trim();
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"+/=".contains(byte);
    is_key_body(line) || (line.len() >= 4 && line.as_bytes().iter().all(plain))
}

fn memchr(wanted: u8, bytes: &[u8], from: usize) -> Option<usize> {
    let found = bytes.get(from..)?.iter().position(|byte| *byte == wanted);
    found.map(|at| from + at)
}

/// Behind the quote that closes the string which opens at `start`.
fn string_end(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 2,
            b'"' => return at + 1,
            _ => at += 1,
        }
    }
    bytes.len()
}

/// Whether a string is the name of a field: a colon follows.
fn is_name(bytes: &[u8], end: usize) -> bool {
    let mut rest = bytes[end..]
        .iter()
        .skip_while(|byte| byte.is_ascii_whitespace());
    rest.next() == Some(&b':')
}

fn unescaped(raw: &str) -> Cow<'_, str> {
    let inner = raw.get(1..raw.len().saturating_sub(1)).unwrap_or_default();
    if !inner.contains('\\') {
        return Cow::Borrowed(inner);
    }
    serde_json::from_str::<String>(raw).map_or(Cow::Borrowed(inner), Cow::Owned)
}
