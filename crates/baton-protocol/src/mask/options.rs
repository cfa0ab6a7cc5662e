//! Secrets that a session was made with: what the log has of them.

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::{MASK, assigned::announced, text};
use crate::event::SessionOptions;

/// What the log must not have of a session's options: whole fields, by name.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Hidden(pub Map<String, Value>);

/// Options as the log has them, and what was taken out. Names stay, values of
/// secrets are masked.
pub fn hide(options: &SessionOptions) -> (SessionOptions, Hidden) {
    let Ok(Value::Object(whole)) = serde_json::to_value(options) else {
        return (options.clone(), Hidden::default());
    };
    let mut hidden = Map::new();
    let mut shown = whole.clone();
    for (name, value) in &whole {
        let masked = field(name, value);
        if masked != *value {
            hidden.insert(name.clone(), value.clone());
            shown.insert(name.clone(), masked);
        }
    }
    if hidden.is_empty() {
        return (options.clone(), Hidden::default());
    }
    let shown = serde_json::from_value(Value::Object(shown));
    (shown.unwrap_or_default(), Hidden(hidden))
}

impl Hidden {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The options as they were before [`hide`].
    pub fn put_back(&self, shown: &SessionOptions) -> SessionOptions {
        let Ok(Value::Object(mut whole)) = serde_json::to_value(shown) else {
            return shown.clone();
        };
        for (name, value) in &self.0 {
            // What was changed since is not undone.
            if whole
                .get(name)
                .is_some_and(|now| *now == field(name, value))
            {
                whole.insert(name.clone(), value.clone());
            }
        }
        serde_json::from_value(Value::Object(whole)).unwrap_or_else(|_| shown.clone())
    }
}

/// An event as it may be shown to anybody. Logs of earlier versions have
/// options with their secrets.
pub fn event_text(source: &str) -> Cow<'_, str> {
    let may_have = ["\"session.created\"", "\"session.updated\""]
        .iter()
        .any(|kind| source.contains(kind));
    if !may_have || !source.contains("\"options\"") {
        return Cow::Borrowed(source);
    }
    let Ok(mut event) = serde_json::from_str::<Value>(source) else {
        return Cow::Borrowed(source);
    };
    let Some(Value::Object(options)) = event.pointer_mut("/payload/options") else {
        return Cow::Borrowed(source);
    };
    let mut changed = false;
    for (name, value) in options.iter_mut() {
        let masked = field(name, value);
        changed |= masked != *value;
        *value = masked;
    }
    if !changed {
        return Cow::Borrowed(source);
    }
    Cow::Owned(event.to_string())
}

fn field(name: &str, value: &Value) -> Value {
    match name {
        "mcpServers" => servers(value),
        // Any of them may be a secret, whatever it is called.
        "env" => blank(value),
        _ => texts(value),
    }
}

/// Every text in it, looked at by itself.
fn texts(value: &Value) -> Value {
    match value {
        Value::String(told) => Value::String(text(told).into_owned()),
        Value::Array(items) => items.iter().map(texts).collect(),
        Value::Object(fields) => fields
            .iter()
            .map(|(name, value)| (name.clone(), texts(value)))
            .collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
    }
}

/// MCP servers: what they are stays, and everything that a secret may be in goes.
fn servers(value: &Value) -> Value {
    match value {
        // A file, unless it is what such a file holds.
        Value::String(told) if told.trim_start().starts_with('{') => MASK.into(),
        Value::Object(all) => all
            .iter()
            .map(|(name, server)| (name.clone(), server_of(server)))
            .collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
            texts(value)
        }
    }
}

fn server_of(server: &Value) -> Value {
    let Value::Object(fields) = server else {
        return texts(server);
    };
    let shown = fields.iter().map(|(name, value)| {
        let value = match (name.as_str(), value) {
            ("type" | "command" | "cwd" | "name", _) => texts(value),
            ("url", Value::String(url)) => Value::String(address(url)),
            ("args", Value::Array(args)) => Value::Array(arguments(args)),
            _ => blank(value),
        };
        (name.clone(), value)
    });
    shown.collect()
}

/// The names that are in it, and a mask for each text.
fn blank(value: &Value) -> Value {
    match value {
        Value::String(_) => MASK.into(),
        Value::Array(items) => items.iter().map(blank).collect(),
        Value::Object(fields) => fields
            .iter()
            .map(|(name, value)| (name.clone(), blank(value)))
            .collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
    }
}

/// An address without the values of its query, and without a password.
fn address(url: &str) -> String {
    let (rest, fragment) = match url.split_once('#') {
        Some((rest, _)) => (rest, true),
        None => (url, false),
    };
    let (base, query) = match rest.split_once('?') {
        Some((base, query)) => (base, Some(query)),
        None => (rest, None),
    };
    let mut shown = text(base).into_owned();
    if let Some((scheme, rest)) = shown.clone().split_once("://")
        && let Some((user, host)) = rest.split_once('@')
        && !user.contains('/')
    {
        shown = format!("{scheme}://{MASK}@{host}");
    }
    if let Some(query) = query {
        let pairs = query.split('&').map(|pair| match pair.split_once('=') {
            Some((name, _)) => format!("{name}={MASK}"),
            None => MASK.to_owned(),
        });
        shown = format!("{shown}?{}", pairs.collect::<Vec<_>>().join("&"));
    }
    if fragment {
        shown = format!("{shown}#{MASK}");
    }
    shown
}

/// Arguments of a server's program: the value of an option whose name says so.
fn arguments(args: &[Value]) -> Vec<Value> {
    let mut secret_next = false;
    let shown = args.iter().map(|arg| {
        let Value::String(told) = arg else {
            return blank(arg);
        };
        if std::mem::take(&mut secret_next) {
            return MASK.into();
        }
        let (name, value) = match told.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (told.as_str(), None),
        };
        let flag = name.strip_prefix('-').map(|name| name.trim_matches('-'));
        let secret = |name: &str| {
            announced(name).is_some()
                || ["header", "env", "e", "H", "key", "auth", "bearer"].contains(&name)
        };
        match (flag, value) {
            (Some(flag), None) if secret(flag) => {
                secret_next = true;
                arg.clone()
            }
            (Some(flag), Some(_)) if secret(flag) => format!("{name}={MASK}").into(),
            (None, Some(_)) if announced(name).is_some() => format!("{name}={MASK}").into(),
            _ => {
                let shown = text(told);
                let shown = if shown.contains("://") {
                    address(&shown)
                } else {
                    shown.into_owned()
                };
                shown.into()
            }
        }
    });
    shown.collect()
}
