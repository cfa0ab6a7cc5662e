//! Files that the input of a tool may name, where nobody knows what the tool does.
//!
//! A tool of an MCP server, or one that a later version of the agent brings, may
//! read or change any file that it is told of. Which of its fields are paths is
//! not known, so every text in its input counts, as a whole and word by word.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::Value;

use crate::call::{Call, located};
use crate::paths::{PathForms, Paths};

/// More text than this is not looked through.
const MAX_TEXT: usize = 16 * 1024;
/// A longer word is no name of a file.
const MAX_PATH: usize = 4096;

/// What may be a file among the texts of an input.
#[derive(Debug, Clone, Default)]
pub(crate) struct InputNames {
    /// Texts that are one path as a whole; what is below one counts too.
    pub(crate) whole: Vec<PathForms>,
    /// Words of longer texts.
    pub(crate) words: Vec<PathForms>,
    /// There is more text than is looked through.
    pub(crate) cut: bool,
}

impl InputNames {
    pub(crate) fn of(call: &Call<'_>, paths: &dyn Paths) -> Self {
        let mut found = Self::default();
        if !call.what.kind.may_do_anything() {
            return found;
        }
        let mut texts = Vec::new();
        collect(call.input, &mut texts);
        let mut left = MAX_TEXT;
        let (mut whole, mut words) = (BTreeSet::new(), BTreeSet::new());
        for text in texts {
            if text.len() > left {
                found.cut = true;
                continue;
            }
            left -= text.len();
            let one = text.strip_prefix("file://").unwrap_or(text);
            if one.len() <= MAX_PATH {
                whole.insert(one);
            }
            let apart = |c: char| c.is_whitespace() || "'\"`=,:;()[]{}<>|&@".contains(c);
            words.extend(
                text.split(apart)
                    .filter(|word| (1..=MAX_PATH).contains(&word.len())),
            );
        }
        let words = words.difference(&whole).copied().collect::<Vec<_>>();
        found.whole = each(whole, call, paths);
        found.words = each(words, call, paths);
        found
    }
}

/// Every text of an input, the names of its fields among them.
fn collect<'a>(value: &'a Value, texts: &mut Vec<&'a str>) {
    match value {
        Value::String(text) => texts.push(text),
        Value::Array(items) => items.iter().for_each(|item| collect(item, texts)),
        Value::Object(fields) => {
            for (name, value) in fields {
                texts.push(name);
                collect(value, texts);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Where each leads: from where the agent is, and from the project, where the
/// servers are.
fn each<'a>(
    texts: impl IntoIterator<Item = &'a str>,
    call: &Call<'_>,
    paths: &dyn Paths,
) -> Vec<PathForms> {
    let mut forms = Vec::new();
    for text in texts {
        forms.push(located(text, call, paths));
        if call.cwd != call.project && !text.starts_with(['/', '~']) {
            forms.push(PathForms::of(Path::new(text), call.project, paths));
        }
    }
    forms
}
