//! The permission rules in the settings of the agent's CLI, as they stand there.

use std::path::Path;

use baton_protocol::words::RuleDecision;
use serde_json::Value;

use crate::file;

/// The most that is read of a settings file, and the most rules of it.
const SETTINGS_BYTES: u64 = 1 << 20;
const MOST_RULES: usize = 1_000;

/// One rule of a settings file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CliRule {
    pub decision: RuleDecision,
    /// As it is written.
    pub rule: String,
}

/// The rules of a settings file; none if it is not there. What is no text among
/// them is passed over, as the CLI does.
pub fn read(path: &Path) -> Result<Vec<CliRule>, String> {
    let bytes = match file::read(path, SETTINGS_BYTES) {
        Ok(bytes) => bytes.unwrap_or_default(),
        Err(error) => return Err(error.to_string()),
    };
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes);
    if text.trim_ascii().is_empty() {
        return Ok(Vec::new());
    }
    let settings: Value =
        serde_json::from_slice(text).map_err(|error| format!("is not JSON ({error})"))?;
    let mut rules = Vec::new();
    for rule in listed(&settings["permissions"]) {
        if !rules.contains(&rule) {
            rules.push(rule);
        }
    }
    if rules.len() > MOST_RULES {
        return Err(format!("has more than {MOST_RULES} rules"));
    }
    Ok(rules)
}

/// What `permissions` of a settings file lists.
pub(crate) fn listed(permissions: &Value) -> impl Iterator<Item = CliRule> {
    let lists = [
        ("allow", RuleDecision::Allow),
        ("deny", RuleDecision::Deny),
        ("ask", RuleDecision::Ask),
    ];
    lists.into_iter().flat_map(move |(name, decision)| {
        let list = permissions[name].as_array().into_iter().flatten();
        let rules = list.filter_map(Value::as_str);
        rules.map(move |rule| CliRule {
            decision,
            rule: rule.to_owned(),
        })
    })
}
