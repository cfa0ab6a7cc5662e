//! What the parser says of a command line that makes no sense.

use clap::{
    Error,
    builder::StyledStr,
    error::{ContextKind, ContextValue, ErrorKind},
};

use crate::terminal::clean;

/// The parser's words in several lines. Each argument that it repeats is on one
/// of them, so that none can pass for a line of Baton's own.
pub(super) fn words(mut error: Error) -> String {
    let told: Vec<(ContextKind, ContextValue)> = error
        .context()
        .filter_map(|(kind, value)| Some((kind, on_one_line(kind, value)?)))
        .collect();
    for (kind, value) in told {
        error.insert(kind, value);
    }
    let text = error.render().to_string();
    if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        // The help alone would read as if what it says were wrong.
        return format!("a command is missing\n\n{}", text.trim_end());
    }
    text.trim_end().trim_start_matches("error: ").to_owned()
}

fn on_one_line(kind: ContextKind, value: &ContextValue) -> Option<ContextValue> {
    let one = |text: &str| clean(text, usize::MAX);
    match value {
        ContextValue::String(text) => Some(ContextValue::String(one(text))),
        ContextValue::Strings(texts) => Some(ContextValue::Strings(
            texts.iter().map(|text| one(text)).collect(),
        )),
        ContextValue::StyledStrs(texts) => {
            let texts = texts.iter().map(|text| one(&text.to_string()));
            let texts = texts.map(StyledStr::from).collect();
            Some(ContextValue::StyledStrs(texts))
        }
        // The usage has lines of its own, and no argument in it.
        ContextValue::StyledStr(_) if kind == ContextKind::Usage => None,
        ContextValue::StyledStr(text) => {
            Some(ContextValue::StyledStr(one(&text.to_string()).into()))
        }
        ContextValue::None | ContextValue::Bool(_) | ContextValue::Number(_) | _ => None,
    }
}
