//! Logs as text, one line per event, with what differs in every run named
//! after where it first stood: `messageId1`, `apr_2`, `agentId1`.

use std::collections::BTreeMap;

use baton_protocol::{Envelope, Event};
use baton_testkit::{
    Filter, Sandbox, Version,
    model::{Request, RequestKind},
};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::{usual::in_short, world::MODEL};

/// Longer texts are cut; their length is told.
const TEXT: usize = 200;

pub(crate) fn all(
    sandbox: &Sandbox,
    logs: &[Vec<Envelope>],
    notes: &[String],
    requests: &[Request],
    whole: bool,
) -> String {
    // The CLI names folders of its own after the project.
    let project = sandbox.project().display().to_string();
    let folder = project.replace(|c: char| !c.is_ascii_alphanumeric(), "-");
    let mut shown = Shown {
        names: BTreeMap::new(),
        counts: BTreeMap::new(),
        filter: sandbox.filter().replace(folder, "[FOLDER]"),
        estimates: Vec::new(),
    };
    for envelope in logs.iter().flatten() {
        shown.learn("agentId", &json!(envelope.agent_id));
        shown.learn("", &envelope.event.payload().value());
        if let Event::ContextCompacted(compacted) = &envelope.event {
            shown.estimates.push(json!(compacted.tokens_after));
        }
    }
    let newer = logs.iter().flatten().any(|envelope| match &envelope.event {
        Event::SessionStarted(started) => {
            started.agent_version.as_deref() == Some(Version::V325.number())
        }
        _ => false,
    });
    let tell = |log: &Vec<Envelope>| {
        let events: Vec<String> = log.iter().map(|envelope| shown.event(envelope)).collect();
        let told = if whole {
            events
        } else {
            in_short(&events, newer)
        };
        told.join("\n")
    };
    let mut lines = vec![logs.iter().map(tell).collect::<Vec<_>>().join("\n--\n")];
    lines.extend(notes.iter().map(|note| shown.text(note)));
    let requests: Vec<String> = requests.iter().map(|one| shown.request(one)).collect();
    if !requests.is_empty() {
        lines.push(format!("The model heard {}", requests.join("; ")));
    }
    lines.join("\n") + "\n"
}

struct Shown {
    names: BTreeMap<String, String>,
    counts: BTreeMap<String, u32>,
    filter: Filter,
    /// Sizes of compacted contexts as the CLI guesses them: they grow with
    /// the length of paths.
    estimates: Vec<Value>,
}

impl Shown {
    fn event(&self, envelope: &Envelope) -> String {
        let payload = self.json(&envelope.event.payload().value());
        // Times and durations that are numbers.
        let mut payload = self.filter.json(&payload);
        if let Some(fields) = payload.as_object_mut() {
            for name in ["tools", "slashCommands"] {
                let list = fields.get(name).and_then(Value::as_array);
                if list.is_some_and(|list| list.len() > 3) {
                    fields.insert(name.to_owned(), json!("…"));
                }
            }
            for name in ["tokensAfter", "tokens"] {
                if fields
                    .get(name)
                    .is_some_and(|value| self.estimates.contains(value))
                {
                    fields.insert(name.to_owned(), json!("an estimate"));
                }
            }
        }
        let payload = brief(payload).unwrap_or_else(|| json!({}));
        let who = envelope.agent_id.as_deref();
        let who = who.map_or_else(String::new, |who| format!("[{}] ", self.text(who)));
        format!("{who}{} {payload}", envelope.event.name())
    }

    /// How many messages a request has, and the newest part: results, or what the
    /// person said. Most are of the main thread, to the usual model, without images.
    fn request(&self, request: &Request) -> String {
        let spoken = |message: &&Value| message["role"] != "system";
        let length = request.messages().iter().filter(spoken).count();
        let images = request.images().len();
        let results = request.tool_results();
        let news: Vec<Value> = if results.is_empty() {
            vec![json!(request.last_user_text().trim_end())]
        } else {
            let news = |result: &baton_testkit::model::ToolResult| {
                let kind = if result.is_error { "error" } else { "result" };
                let (text, _reminders) = result
                    .text
                    .split_once("<system-reminder>")
                    .unwrap_or((&result.text, ""));
                json!({ kind: text.trim_end() })
            };
            results.iter().map(news).collect()
        };
        let news = self.json(&Value::Array(news));
        let usual = (request.kind == RequestKind::Main && request.model() == MODEL && images == 0)
            .then(|| format!("{length}: {news}"));
        usual.unwrap_or_else(|| {
            let (kind, model) = (request.kind, request.model());
            format!("{length} as {kind:?} to {model} with {images} images: {news}")
        })
    }

    /// Gives every id in here its name.
    fn learn(&mut self, key: &str, value: &Value) {
        match value {
            Value::String(text) => self.learn_text(key, text),
            Value::Array(items) => items.iter().for_each(|item| self.learn(key, item)),
            Value::Object(fields) => {
                for (name, value) in fields {
                    self.learn(name, value);
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    fn learn_text(&mut self, key: &str, text: &str) {
        for (prefix, id) in uuids(text) {
            let kind = if prefix.is_empty() { key } else { prefix };
            self.name(kind, id);
        }
        if let Some(plan) = between(text, "/plans/", ".md") {
            self.name("plan", plan);
        }
        let counted_by_pid = key == "toolUseId" && text.starts_with("toolu_fake_");
        if counted_by_pid || ["agentId", "taskId"].contains(&key) {
            self.name(key, text);
        }
    }

    fn name(&mut self, kind: &str, id: &str) {
        if !self.names.contains_key(id) {
            let count = self.counts.entry(kind.to_owned()).or_default();
            *count += 1;
            // The prefix of an id stays in front of it.
            let name = if kind.ends_with('_') {
                count.to_string()
            } else {
                format!("{kind}{count}")
            };
            self.names.insert(id.to_owned(), name);
        }
    }

    fn json(&self, value: &Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.text(text)),
            Value::Array(items) => items.iter().map(|item| self.json(item)).collect(),
            Value::Object(fields) => fields
                .iter()
                .map(|(name, value)| (self.text(name), self.json(value)))
                .collect(),
            Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
        }
    }

    fn text(&self, text: &str) -> String {
        let mut named = text.to_owned();
        for (id, name) in &self.names {
            named = named.replace(id, name);
        }
        if let Some(duration) = between(&named, "duration_ms: ", "<") {
            named = named.replace(duration, "…");
        }
        let named = self.filter.text(&named);
        match named.char_indices().nth(TEXT) {
            Some((cut, _)) => format!("{}… ({} more)", &named[..cut], named[cut..].chars().count()),
            None => named,
        }
    }
}

/// A value between two marks of a text.
fn between<'a>(text: &'a str, before: &str, after: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(before)?;
    rest.split_once(after).map(|(found, _)| found)
}

/// Every UUID in a text, with the prefix of Baton's ids if it has one.
fn uuids(text: &str) -> impl Iterator<Item = (&str, &str)> {
    /// With and without hyphens; Baton's own are without, behind a prefix.
    const LENGTHS: [usize; 2] = [36, 32];
    (0..text.len()).flat_map(move |start| {
        LENGTHS.into_iter().filter_map(move |length| {
            let id = text.get(start..start + length)?;
            Uuid::try_parse(id).ok()?;
            let prefix = start.checked_sub(4).and_then(|from| text.get(from..start));
            let prefix = prefix.filter(|prefix| prefix.ends_with('_'));
            (length == 36 || prefix.is_some()).then(|| (prefix.unwrap_or_default(), id))
        })
    })
}
/// Leaves out what a reader takes for granted when it is not there.
fn brief(value: Value) -> Option<Value> {
    match value {
        Value::Null | Value::Bool(false) => None,
        Value::Number(number) => (number.as_f64() != Some(0.0)).then_some(Value::Number(number)),
        Value::Bool(true) | Value::String(_) => Some(value),
        Value::Array(items) => {
            let items: Vec<Value> = items
                .into_iter()
                .map(|item| brief(item).unwrap_or_default())
                .collect();
            (!items.is_empty()).then_some(Value::Array(items))
        }
        Value::Object(fields) => {
            let fields: serde_json::Map<String, Value> = fields
                .into_iter()
                .filter_map(|(name, value)| Some((name, brief(value)?)))
                .collect();
            (!fields.is_empty()).then_some(Value::Object(fields))
        }
    }
}
