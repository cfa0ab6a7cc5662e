//! Variables that a session may bring for its own agents.

use std::collections::BTreeMap;

/// The most of them, and of their text together: a program's whole environment
/// has to fit beside its arguments.
const MOST: usize = 200;
const BYTES: usize = 256 * 1024;

/// Names that say who an agent is, where it keeps its files and what it may do
/// unasked. Baton tells agents that itself.
const RESERVED: &[&str] = &["HOME", "CLAUDECODE", "AI_AGENT"];
const RESERVED_BEGINNINGS: &[&str] = &["BATON_", "CLAUDE_"];

/// Why these cannot be set, naming no value.
pub(super) fn settable(variables: &BTreeMap<String, String>) -> Result<(), String> {
    let size: usize = variables
        .iter()
        .map(|(name, value)| name.len() + value.len())
        .sum();
    if variables.len() > MOST || size > BYTES {
        return Err(format!(
            "env has at most {MOST} variables and {} KiB",
            BYTES / 1024
        ));
    }
    for (name, value) in variables {
        let plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let begins_well = name.starts_with(|c: char| !c.is_ascii_digit());
        if !begins_well || !name.chars().all(plain) {
            return Err(
                "a name in env has letters, digits and `_`, and begins with no digit".into(),
            );
        }
        if value.contains('\0') {
            return Err(format!("the value of {name} in env has a byte 0"));
        }
        let reserved = RESERVED.contains(&name.as_str())
            || RESERVED_BEGINNINGS
                .iter()
                .any(|start| name.starts_with(start));
        if reserved {
            return Err(format!(
                "{name} cannot be set for one session; the settings (agent.env, projects.env) can"
            ));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(name: &str, value: &str) -> Option<String> {
        settable(&BTreeMap::from([(name.to_owned(), value.to_owned())])).err()
    }

    #[test]
    fn what_agents_are_told_by_baton_is_not_for_sessions_to_say() {
        for name in ["PATH", "VIRTUAL_ENV", "ANTHROPIC_API_KEY", "_x1"] {
            assert_eq!(refused(name, "a value"), None, "{name}");
        }
        for name in [
            "HOME",
            "CLAUDE_CONFIG_DIR",
            "CLAUDE_CODE_EVEN_MORE_DANGEROUSLY_SKIP_PERMISSIONS",
            "BATON_HOLDER",
            "",
            "A=B",
            "1A",
            "A B",
        ] {
            assert!(refused(name, "hush").is_some(), "{name}");
            assert!(!refused(name, "hush").unwrap().contains("hush"), "{name}");
        }
        assert!(refused("A", "a\0b").is_some());
        assert!(refused("A", &"x".repeat(BYTES)).is_some());
    }
}
