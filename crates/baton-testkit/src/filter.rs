//! Makes output comparable: replaces what differs in every run.
//!
//! | found | becomes |
//! |---|---|
//! | a UUID, also after a prefix such as `ses_` | `[UUID]` |
//! | `ses_` and twenty or more letters or digits | `ses_[ID]` |
//! | `2026-01-02T03:04:05.6Z` | `[TIME]` |
//! | `127.0.0.1:4711`, `localhost:4711` | `127.0.0.1:[PORT]` |
//! | `1.23s`, `45 ms`, `2m 3s` piece by piece | `[DURATION]` |
//! | `1.2.3` | `[VERSION]` |

use serde_json::Value;

/// A set of replacements; start with [`crate::Sandbox::filter`] to hide its paths.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    literal: Vec<(String, String)>,
}

impl Filter {
    /// The replacements of the table above.
    pub fn new() -> Self {
        Self::default()
    }

    /// Also replaces this exact text, before everything else; the earlier one wins.
    #[must_use]
    pub fn replace(mut self, text: impl Into<String>, by: impl Into<String>) -> Self {
        self.literal.push((text.into(), by.into()));
        self
    }

    /// Filters text.
    pub fn text(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for (from, to) in &self.literal {
            text = text.replace(from, to);
        }
        let mut out = String::with_capacity(text.len());
        let mut rest = text.as_str();
        let mut after_word = false;
        while let Some(first) = rest.chars().next() {
            let found = if after_word { None } else { find(rest) };
            let (shown, length) = found.unwrap_or_else(|| (first.to_string(), first.len_utf8()));
            // After an underscore an id may begin: `ses_` and a UUID.
            after_word = rest[..length].ends_with(|c: char| c.is_ascii_alphanumeric() || c == '.');
            out.push_str(&shown);
            rest = &rest[length..];
        }
        out
    }

    /// Filters every string of a value, and sets numbers to 0 whose name says
    /// that they are a time, a duration or a process: `*_ms`, `*Ms`, `*_at`,
    /// `*At`, `pid`.
    pub fn json(&self, value: &Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.text(text)),
            Value::Array(items) => items.iter().map(|item| self.json(item)).collect(),
            Value::Object(fields) => fields
                .iter()
                .map(|(name, value)| {
                    let shown = if value.is_number() && varies(name) {
                        Value::from(0)
                    } else {
                        self.json(value)
                    };
                    (name.clone(), shown)
                })
                .collect(),
            Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
        }
    }
}

fn varies(name: &str) -> bool {
    name == "pid"
        || ["_ms", "Ms", "_at", "At"]
            .iter()
            .any(|end| name.ends_with(end))
}

/// What begins here, if it is to be replaced: the replacement and the length replaced.
fn find(text: &str) -> Option<(String, usize)> {
    let named = |name: &str, length: usize| (name.to_owned(), length);
    if let Some(length) = uuid(text) {
        return Some(named("[UUID]", length));
    }
    if let Some(length) = timestamp(text) {
        return Some(named("[TIME]", length));
    }
    for host in ["127.0.0.1:", "localhost:"] {
        if let Some(port) = text.strip_prefix(host) {
            let digits = count(port, |c| c.is_ascii_digit());
            if digits > 0 {
                return Some((format!("{host}[PORT]"), host.len() + digits));
            }
        }
    }
    if let Some(length) = version(text) {
        return Some(named("[VERSION]", length));
    }
    if let Some(length) = duration(text) {
        return Some(named("[DURATION]", length));
    }
    prefixed_id(text)
}

fn uuid(text: &str) -> Option<usize> {
    let mut length = 0;
    for (index, part) in [8, 4, 4, 4, 12].into_iter().enumerate() {
        if index > 0 {
            text[length..].strip_prefix('-')?;
            length += 1;
        }
        if count(&text[length..], |c| c.is_ascii_hexdigit()) < part {
            return None;
        }
        length += part;
    }
    whole_word(text, length)
}

/// `YYYY-MM-DDTHH:MM:SS`, a fraction if any, and a zone.
fn timestamp(text: &str) -> Option<usize> {
    const SHAPE: &str = "0000-00-00T00:00:00";
    let start = text.get(..SHAPE.len())?;
    let fits = |(c, shape): (char, char)| {
        if shape == '0' {
            c.is_ascii_digit()
        } else {
            c == shape
        }
    };
    if !start.chars().zip(SHAPE.chars()).all(fits) {
        return None;
    }
    let mut length = SHAPE.len();
    if text[length..].starts_with('.') {
        length += 1 + count(&text[length + 1..], |c| c.is_ascii_digit());
    }
    let zone = &text[length..];
    if zone.starts_with('Z') {
        Some(length + 1)
    } else if zone.starts_with(['+', '-']) && zone.get(3..4) == Some(":") {
        Some(length + 6)
    } else {
        None
    }
}

/// Three numbers with dots between, neither more nor fewer.
fn version(text: &str) -> Option<usize> {
    let mut length = 0;
    for index in 0..3 {
        if index > 0 {
            text[length..].strip_prefix('.')?;
            length += 1;
        }
        let digits = count(&text[length..], |c| c.is_ascii_digit());
        if digits == 0 {
            return None;
        }
        length += digits;
    }
    let more = text[length..].starts_with('.')
        && text[length + 1..].starts_with(|c: char| c.is_ascii_digit());
    if more { None } else { whole_word(text, length) }
}

fn duration(text: &str) -> Option<usize> {
    let mut length = count(text, |c| c.is_ascii_digit());
    if length == 0 {
        return None;
    }
    if text[length..].starts_with('.') {
        length += 1 + count(&text[length + 1..], |c| c.is_ascii_digit());
    }
    if text[length..].starts_with(' ') {
        length += 1;
    }
    let unit = ["ms", "µs", "us", "ns", "s", "min", "m", "h"]
        .into_iter()
        .filter(|unit| text[length..].starts_with(unit))
        .find(|unit| whole_word(text, length + unit.len()).is_some())?;
    Some(length + unit.len())
}

fn prefixed_id(text: &str) -> Option<(String, usize)> {
    let prefix = count(text, |c| c.is_ascii_lowercase());
    let body = text.get(prefix..)?.strip_prefix('_')?;
    let length = count(body, |c| c.is_ascii_alphanumeric());
    let is_id = prefix > 0 && length >= 20;
    is_id.then(|| (format!("{}_[ID]", &text[..prefix]), prefix + 1 + length))
}

fn whole_word(text: &str, length: usize) -> Option<usize> {
    let goes_on = text[length..].starts_with(|c: char| c.is_ascii_alphanumeric());
    (!goes_on).then_some(length)
}

fn count(text: &str, wanted: impl Fn(char) -> bool) -> usize {
    text.chars()
        .take_while(|c| c.is_ascii() && wanted(*c))
        .count()
}

#[cfg(test)]
#[path = "filter_tests.rs"]
mod tests;
