//! What a trusted folder brings for the agent's CLI, copied at one moment.
//!
//! The CLI reads a folder's settings again while it runs, so what was accepted
//! and what it obeys could differ. It is therefore given this copy and not the
//! files. Settings and servers are merged as the CLI would merge them; commands,
//! agents, skills and output styles become the files of plugins, which are the
//! one place beside a folder that the CLI takes them from.
//!
//! What is only read as text (`CLAUDE.md`) may stay as it lies. Instructions
//! that the CLI no longer finds by itself are told in [`Accepted::notes`].

mod notes;
mod plugin;

use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use crate::{file, git::Repository};

pub use self::{notes::instructions, plugin::PluginFile};

/// The most that is read of a settings file.
const SETTINGS_BYTES: u64 = 1 << 20;

/// How far up is looked.
const LEVELS: usize = 64;

/// Settings that are left out: what may pass unasked is decided by Baton's
/// rules and modes, and laid over all others these would count for more than
/// they do in a folder's own file.
const LEFT_OUT: &[&str] = &[
    "autoMode",
    "disableSkillShellExecution",
    "skipAutoPermissionPrompt",
    "skipDangerousModePermissionPrompt",
    "useAutoModeDuringPlan",
];
pub(crate) const LEFT_OUT_PERMISSIONS: &[&str] = &["allow", "defaultMode"];

/// Which of the folder's files count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sources {
    /// What is shared with others: `settings.json` and all that is no setting.
    pub project: bool,
    /// What is not: `settings.local.json`.
    pub local: bool,
}

/// What a folder brings.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Accepted {
    pub settings: Map<String, Value>,
    /// MCP servers by name.
    pub servers: Map<String, Value>,
    /// The files of plugins, each below the name of its plugin.
    pub plugins: Vec<PluginFile>,
    /// For the prompt.
    pub notes: Option<String>,
    /// The folder's own `CLAUDE.md` counts.
    pub instructions: bool,
}

impl Accepted {
    /// Whether the agent has the same commands with it as without.
    pub fn adds_nothing(&self) -> bool {
        self.plugins.is_empty() && self.servers.is_empty() && self.settings.is_empty()
    }
}

/// Copies what `folder` brings. Blocks. `claude_config` is the user's own
/// settings of the CLI, which it reads by itself wherever they lie.
pub fn accepted(folder: &Path, claude_config: &Path, sources: Sources) -> Accepted {
    let mut settings = Map::new();
    let own = folder.join(".claude");
    let files = [
        ("settings.json", sources.project),
        ("settings.local.json", sources.local),
    ];
    for (name, counts) in files {
        if counts && !same(&own, claude_config) {
            merge(&mut settings, object(&own.join(name)));
        }
    }
    let mut accepted = Accepted {
        instructions: sources.project,
        notes: notes::notes(folder, claude_config, sources),
        ..Accepted::default()
    };
    if sources.project {
        let bases = bases(folder);
        accepted.servers = servers(&bases, &settings);
        let folders: Vec<PathBuf> = bases.iter().map(|base| base.join(".claude")).collect();
        let folders = folders.iter().filter(|claude| !same(claude, claude_config));
        accepted.plugins = plugin::files(folders, &mut settings);
    }
    for key in LEFT_OUT {
        settings.remove(*key);
    }
    if let Some(Value::Object(permissions)) = settings.get_mut("permissions") {
        permissions.retain(|key, _| !LEFT_OUT_PERMISSIONS.contains(&key.as_str()));
    }
    keep_hooks_at(folder, &mut settings);
    accepted.settings = settings;
    accepted
}

/// Lets the commands of hooks run in the folder, wherever the agent is by then:
/// `sh check.sh` was accepted as the script that lies there, and an agent may
/// write another one of this name elsewhere. The CLI has no setting for it.
fn keep_hooks_at(folder: &Path, settings: &mut Map<String, Value>) {
    let groups = settings.get_mut("hooks").and_then(Value::as_object_mut);
    let groups = groups.into_iter().flat_map(Map::values_mut);
    let groups = groups.filter_map(Value::as_array_mut).flatten();
    let hooks = groups.filter_map(|group| group.get_mut("hooks")?.as_array_mut());
    for hook in hooks.flatten().filter_map(Value::as_object_mut) {
        keep_hook_at(&folder.to_string_lossy(), hook);
    }
}

fn keep_hook_at(folder: &str, hook: &mut Map<String, Value>) {
    let powershell = hook.get("shell").and_then(Value::as_str) == Some("powershell");
    let Some(Value::String(command)) = hook.get("command").cloned() else {
        return;
    };
    // A hook that does not run stands for no, as the CLI reads this number.
    let first = format!("cd '{}' || exit 2\n", folder.replace('\'', "'\\''"));
    let kept = match hook.get_mut("args") {
        // No shell: the program and its arguments as they are.
        Some(Value::Array(arguments)) => {
            let first = format!("{first}exec \"$0\" \"$@\"").into();
            arguments.splice(0..0, ["-c".into(), first, command.into()]);
            "/bin/sh".to_owned()
        }
        _ if powershell => {
            let place = folder.replace('\'', "''");
            format!(
                "try {{ Set-Location -LiteralPath '{place}' -ErrorAction Stop }} catch {{ exit 2 }}\n{command}"
            )
        }
        _ => first + &command,
    };
    hook.insert("command".to_owned(), kept.into());
}

/// Where the CLI looks, nearest first.
fn bases(folder: &Path) -> Vec<PathBuf> {
    let mut bases: Vec<PathBuf> = folder
        .ancestors()
        .take(LEVELS)
        .map(Path::to_owned)
        .collect();
    let main = Repository::find(folder).and_then(|found| found.main_tree());
    bases.extend(main.filter(|main| !folder.starts_with(main)));
    bases
}

/// Servers of `.mcp.json`, the nearest of a name; those that the settings
/// disable do not count.
fn servers(bases: &[PathBuf], settings: &Map<String, Value>) -> Map<String, Value> {
    let disabled = settings.get("disabledMcpjsonServers");
    let disabled = disabled.and_then(Value::as_array);
    let is_disabled = |name: &str| {
        let mut names = disabled.into_iter().flatten();
        names.any(|one| one.as_str() == Some(name))
    };
    let mut servers = Map::new();
    for base in bases {
        let mut file = object(&base.join(".mcp.json"));
        let Some(Value::Object(found)) = file.remove("mcpServers") else {
            continue;
        };
        for (name, server) in found {
            if !is_disabled(&name) && !servers.contains_key(&name) {
                servers.insert(name, server);
            }
        }
    }
    servers
}

/// A file that is no JSON object brings nothing.
fn object(path: &Path) -> Map<String, Value> {
    let bytes = file::read(path, SETTINGS_BYTES).ok().flatten();
    let bytes = bytes.unwrap_or_default();
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes);
    match serde_json::from_slice(text) {
        Ok(Value::Object(object)) => object,
        Ok(_) | Err(_) => Map::new(),
    }
}

/// As the CLI lays settings over each other: objects by key, lists together,
/// anything else the later one.
fn merge(below: &mut Map<String, Value>, above: Map<String, Value>) {
    for (key, value) in above {
        match (below.get_mut(&key), value) {
            (Some(Value::Object(below)), Value::Object(above)) => merge(below, above),
            (Some(Value::Array(below)), Value::Array(above)) => {
                for one in above {
                    if !below.contains(&one) {
                        below.push(one);
                    }
                }
            }
            (_, value) => {
                below.insert(key, value);
            }
        }
    }
}

fn same(one: &Path, other: &Path) -> bool {
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    real(one) == real(other)
}

#[cfg(test)]
#[path = "accepted_tests.rs"]
mod tests;
