//! Settings of the agent's CLI, key by key.
//!
//! No key is passed over: what this version does not know is listed as it
//! stands, because the CLI may know it.

use std::path::{Path, PathBuf};

use baton_protocol::words::RuleDecision;
use serde_json::{Map, Value};

use super::{
    danger,
    item::{Found, Kind, Scan, Weight},
    scripts::{self, Runs, Scripts},
};
use crate::{accepted::LEFT_OUT_PERMISSIONS, cli_rules, marketplaces};

/// Settings whose value is a command, or holds one.
const HELPERS: &[&str] = &[
    "apiKeyHelper",
    "awsAuthRefresh",
    "awsCredentialExport",
    "fileSuggestion",
    "gcpAuthRefresh",
    "otelHeadersHelper",
    "policyHelper",
    "policyHelpers",
    "processWrapper",
    "proxyAuthHelper",
    "statusLine",
    "subagentStatusLine",
];

/// Settings that say which servers of `.mcp.json` start.
const MCP_LISTS: &[&str] = &[
    "disabledMcpjsonServers",
    "enableAllProjectMcpServers",
    "enabledMcpjsonServers",
];

const PLUGINS: &[&str] = &["enabledPlugins", "pluginConfigs"];

/// Said of a command where something that it runs is not known beforehand.
const UNTOLD: &str =
    "Which files it runs cannot be told: the agent's edits of all scripts are asked about.";

/// One file and the list that its items go to.
struct Sheet<'a> {
    scan: &'a mut Scan,
    base: &'a Path,
    file: &'a Path,
    /// Of what is added next.
    weight: Weight,
}

impl<'a> Sheet<'a> {
    fn new(scan: &'a mut Scan, base: &'a Path, file: &'a Path) -> Self {
        let weight = Weight::Counts;
        Self {
            scan,
            base,
            file,
            weight,
        }
    }

    fn add(&mut self, kind: Kind, name: &str, detail: &str) {
        self.add_with(kind, name, detail, danger::of(kind, name, detail));
    }

    fn add_with(&mut self, kind: Kind, name: &str, detail: &str, danger: Option<String>) {
        let found = match kind {
            Kind::Hook | Kind::McpServer => {
                scripts::of_command(self.scan, self.base, detail, Runs::Here)
            }
            Kind::Helper => scripts::of_command(self.scan, self.base, detail, Runs::Anywhere),
            // Programs read and run what variables name.
            Kind::Environment => scripts::of_variable(self.scan, self.base, name, detail),
            Kind::Permission
            | Kind::Plugin
            | Kind::Marketplace
            | Kind::Command
            | Kind::Agent
            | Kind::Skill
            | Kind::OutputStyle
            | Kind::ToolSurface
            | Kind::Git
            | Kind::GitHook
            | Kind::Other
            | Kind::Problem => Scripts::default(),
        };
        let danger = match danger {
            Some(danger) if found.untold => Some(format!("{danger} {UNTOLD}")),
            None if found.untold => Some(UNTOLD.to_owned()),
            danger => danger,
        };
        let content = found.content;
        let found = Found {
            kind,
            name,
            detail,
            content,
            danger,
        };
        self.scan.put(self.base, self.file, &found, self.weight);
    }

    /// One item for each entry of an object or a list, else one.
    fn each(&mut self, kind: Kind, name: &str, value: &Value) {
        match value {
            Value::Object(entries) => {
                for (key, value) in entries {
                    self.add(kind, key, &format!("{name}: {}", words(value)));
                }
            }
            Value::Array(values) => {
                for value in values {
                    self.add(kind, name, &words(value));
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
                self.add(kind, name, &words(value));
            }
        }
    }
}

/// `.claude/settings.json` or `.claude/settings.local.json`.
pub(super) fn settings_file(scan: &mut Scan, base: &Path, file: &Path, bytes: &[u8]) {
    let Some(settings) = object(scan, base, file, bytes) else {
        return;
    };
    if let Some(Value::Object(env)) = settings.get("env") {
        let variables = env.iter().map(|(name, value)| (name.clone(), words(value)));
        scan.variables.extend(variables);
    }
    let mut sheet = Sheet::new(scan, base, file);
    for (key, value) in &settings {
        match key.as_str() {
            "$schema" => {}
            "hooks" => hooks(&mut sheet, value),
            "env" => environment(&mut sheet, value),
            "permissions" => {
                permissions(&mut sheet, value);
                if sheet.base == sheet.scan.folder {
                    let rules = cli_rules::listed(value);
                    let stricter = rules.filter(|rule| rule.decision != RuleDecision::Allow);
                    sheet.scan.denials.extend(stricter);
                }
            }
            "mcpServers" => servers(&mut sheet, value),
            "outputStyle" => sheet.add(Kind::OutputStyle, key, &words(value)),
            known if HELPERS.contains(&known) => sheet.add(Kind::Helper, key, &command(value)),
            known if MCP_LISTS.contains(&known) => sheet.each(Kind::McpServer, key, value),
            known if PLUGINS.contains(&known) => sheet.each(Kind::Plugin, key, value),
            known if marketplaces::KEYS.contains(&known) => {
                sheet.each(Kind::Marketplace, key, value);
                let folders = marketplaces::folders_of(value, sheet.base);
                let inside =
                    |folder: &PathBuf| folder.starts_with(sheet.base) && folder != sheet.base;
                sheet
                    .scan
                    .scripts
                    .extend(folders.into_iter().filter(inside));
            }
            _ if holds_command(value) => sheet.add(Kind::Helper, key, &command(value)),
            _ => sheet.add(Kind::Other, key, &words(value)),
        }
    }
}

/// `.mcp.json`.
pub(super) fn mcp_file(scan: &mut Scan, base: &Path, file: &Path, bytes: &[u8]) {
    let Some(content) = object(scan, base, file, bytes) else {
        return;
    };
    let mut sheet = Sheet::new(scan, base, file);
    for (key, value) in &content {
        if key == "mcpServers" {
            servers(&mut sheet, value);
        } else {
            sheet.add(Kind::Other, key, &words(value));
        }
    }
}

fn object(scan: &mut Scan, base: &Path, file: &Path, bytes: &[u8]) -> Option<Map<String, Value>> {
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    // An empty file is none, to the CLI as well.
    if text.trim_ascii().is_empty() {
        return None;
    }
    match serde_json::from_slice(text) {
        Ok(Value::Object(object)) => Some(object),
        Ok(_) => {
            scan.problem(base, file, "is not a JSON object", bytes);
            None
        }
        Err(error) => {
            scan.problem(base, file, &format!("is not JSON ({error})"), bytes);
            None
        }
    }
}

/// `{Event: [{matcher, hooks: [{type, command}]}]}`; whatever has another shape
/// is listed as it stands.
fn hooks(sheet: &mut Sheet<'_>, value: &Value) {
    let Value::Object(events) = value else {
        return sheet.add(Kind::Hook, "hooks", &words(value));
    };
    for (event, groups) in events {
        let Value::Array(groups) = groups else {
            sheet.add(Kind::Hook, event, &words(groups));
            continue;
        };
        for group in groups {
            let matcher = group.get("matcher").map(words).unwrap_or_default();
            let name = if matcher.is_empty() {
                event.clone()
            } else {
                format!("{event} ({matcher})")
            };
            match group.get("hooks") {
                Some(Value::Array(hooks)) => {
                    let rest = beside(group, &["hooks", "matcher"]);
                    for hook in hooks {
                        sheet.add(Kind::Hook, &name, &(command(hook) + &rest));
                    }
                }
                Some(_) | None => sheet.add(Kind::Hook, &name, &words(group)),
            }
        }
    }
}

/// What an object says beside `keys`, to stand at the end of a line.
fn beside(value: &Value, keys: &[&str]) -> String {
    let mut rest = value.as_object().cloned().unwrap_or_default();
    rest.retain(|key, _| !keys.contains(&key.as_str()));
    if rest.is_empty() {
        String::new()
    } else {
        format!(" {}", Value::Object(rest))
    }
}

fn environment(sheet: &mut Sheet<'_>, value: &Value) {
    match value {
        Value::Object(variables) => {
            for (name, value) in variables {
                sheet.add(Kind::Environment, name, &words(value));
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
            sheet.add(Kind::Environment, "env", &words(value));
        }
    }
}

fn permissions(sheet: &mut Sheet<'_>, value: &Value) {
    match value {
        Value::Object(entries) => {
            for (name, value) in entries {
                if LEFT_OUT_PERMISSIONS.contains(&name.as_str()) {
                    sheet.weight = Weight::Shown;
                }
                sheet.each(Kind::Permission, name, value);
                sheet.weight = Weight::Counts;
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
            sheet.add(Kind::Permission, "permissions", &words(value));
        }
    }
}

fn servers(sheet: &mut Sheet<'_>, value: &Value) {
    match value {
        Value::Object(servers) => {
            for (name, server) in servers {
                let danger = holds_command(server).then(danger::program);
                sheet.add_with(Kind::McpServer, name, &command(server), danger);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
            sheet.add(Kind::McpServer, "mcpServers", &words(value));
        }
    }
}

fn holds_command(value: &Value) -> bool {
    value
        .as_object()
        .is_some_and(|object| object.contains_key("command"))
}

/// A command line or an address first, then all else that was said with it.
fn command(value: &Value) -> String {
    let Value::Object(object) = value else {
        return words(value);
    };
    let mut rest = object.clone();
    let mut line = Vec::new();
    for key in ["command", "url", "prompt"] {
        if let Some(Value::String(text)) = rest.get(key) {
            line.push(text.clone());
            rest.remove(key);
        }
    }
    if let Some(Value::Array(arguments)) = rest.get("args") {
        line.extend(arguments.iter().map(quoted));
        rest.remove("args");
    }
    if rest.get("type").and_then(Value::as_str) == Some("command") {
        rest.remove("type");
    }
    if !rest.is_empty() {
        line.push(Value::Object(rest).to_string());
    }
    line.join(" ")
}

/// An argument as a shell would need it, so that two do not look like one.
fn quoted(value: &Value) -> String {
    let text = words(value);
    let plain =
        !text.is_empty() && !text.contains(|sign: char| sign.is_whitespace() || sign == '\'');
    if plain {
        text
    } else {
        format!("'{}'", text.replace('\'', "'\\''"))
    }
}

/// A text as it is, anything else as JSON.
fn words(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
            value.to_string()
        }
    }
}
