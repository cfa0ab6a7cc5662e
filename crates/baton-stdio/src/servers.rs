//! MCP servers of three sources under one roof.
//!
//! A name is used once. Baton's own server comes first, then the ones that the
//! embedder names with `--mcp-servers-file`, then the project's `.mcp.json`; who
//! comes later does not get a name that is taken. The project's are only there
//! when its folder is trusted. What the agent knows from its own settings is
//! beyond this list; those servers give way to all of it.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::output::{McpConflict, McpSource};

const MAX_SERVERS: usize = 100;

/// What became of all the names.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Merged {
    used: BTreeMap<String, McpSource>,
    /// The embedder's servers that are used, as the agent takes them.
    pub user: Map<String, Value>,
    /// The project's servers that are left out with their folder.
    pub untrusted: Vec<String>,
    pub conflicts: Vec<McpConflict>,
}

impl Merged {
    /// Who brings the server of this name.
    pub fn source(&self, name: &str) -> Option<McpSource> {
        self.used.get(name).copied()
    }
}

/// Why a list of servers is not taken.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ServersError {
    #[error("it is no JSON: {0}")]
    NoJson(String),
    #[error("it has no object `mcpServers`")]
    NoServers,
    #[error("it has more than {MAX_SERVERS} servers")]
    TooMany,
    #[error("the server `{name}` {why}")]
    Bad { name: String, why: &'static str },
}

/// The servers of a file: `{"mcpServers": {NAME: {…}}}`.
pub fn servers_of(text: &[u8]) -> Result<Map<String, Value>, ServersError> {
    let value: Value =
        serde_json::from_slice(text).map_err(|error| ServersError::NoJson(error.to_string()))?;
    let Some(Value::Object(servers)) = value.get("mcpServers") else {
        return Err(ServersError::NoServers);
    };
    if servers.len() > MAX_SERVERS {
        return Err(ServersError::TooMany);
    }
    for (name, server) in servers {
        let bad = |why| ServersError::Bad {
            name: name.chars().take(80).collect(),
            why,
        };
        let allowed = |c: char| c.is_ascii_alphanumeric() || "-_".contains(c);
        if name.is_empty() || name.len() > 64 || !name.chars().all(allowed) {
            return Err(bad("needs a name of letters, digits, - and _, 64 at most"));
        }
        let field = |key: &str| server.get(key).and_then(Value::as_str);
        match (field("type"), field("command"), field("url")) {
            (None | Some("stdio"), Some(_), _) | (Some("sse" | "http"), _, Some(_)) => {}
            (None | Some("stdio"), None, _) => return Err(bad("has no `command`")),
            (Some("sse" | "http"), _, None) => return Err(bad("has no `url`")),
            _ => return Err(bad("has a `type` other than stdio, sse and http")),
        }
    }
    Ok(servers.clone())
}

/// The names in a project's file. What is wrong with one of its servers is the
/// agent's to say, and hides no other.
pub fn names_of(text: &[u8]) -> Vec<String> {
    let value: Value = serde_json::from_slice(text).unwrap_or_default();
    let servers = value.get("mcpServers").and_then(Value::as_object);
    servers.into_iter().flat_map(Map::keys).cloned().collect()
}

/// Puts the sources together; of the project its servers' names.
pub fn merge(builtin: &str, user: Map<String, Value>, project: &[String], trusted: bool) -> Merged {
    let mut merged = Merged::default();
    merged.used.insert(builtin.to_owned(), McpSource::Builtin);
    for (name, server) in user {
        if merged.takes(&name, McpSource::User) {
            merged.user.insert(name, server);
        }
    }
    for name in project {
        if !trusted {
            merged.untrusted.push(name.clone());
        } else {
            merged.takes(name, McpSource::Project);
        }
    }
    merged
}

impl Merged {
    fn takes(&mut self, name: &str, source: McpSource) -> bool {
        if let Some(used) = self.used.get(name) {
            self.conflicts.push(McpConflict {
                name: name.to_owned(),
                used: *used,
                ignored: source,
            });
            return false;
        }
        self.used.insert(name.to_owned(), source);
        true
    }
}

#[cfg(test)]
#[path = "servers_tests.rs"]
mod tests;
