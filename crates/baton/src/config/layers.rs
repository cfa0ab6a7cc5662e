//! Where each value comes from: default, then file, then environment, then flag.

use std::{
    collections::BTreeMap,
    ffi::{OsStr, OsString},
    fmt,
    path::{Path, PathBuf},
};

use super::{
    file::{self, Source},
    keys::{KEYS, Key, sections},
    nearest::nearest,
    settings::{
        AgentSettings, AuthSettings, ProjectSettings, RunnerSettings, StoreSettings, TlsChoice,
    },
    value::{self, BadValue, Value},
    yaml::{self, KeyValue, Node, Tree},
};
use crate::failure::Failure;

/// Everything settings may come from.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sources<'a> {
    pub(crate) env: &'a BTreeMap<OsString, OsString>,
    pub(crate) data: &'a Path,
    /// The folder whose `baton.yaml` counts, if one's does.
    pub(crate) folder: Option<&'a Path>,
    /// The file that was named.
    pub(crate) config: Option<&'a Path>,
    pub(crate) flags: &'a [FlagValue],
}

/// A flag that stands for a setting.
#[derive(Debug, Clone)]
pub(crate) struct FlagValue {
    /// As it was written: `--model`.
    pub(crate) flag: &'static str,
    /// The setting: `agent.model`.
    pub(crate) key: &'static str,
    pub(crate) value: String,
}

/// What Baton works with.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Config {
    pub(crate) runner: RunnerSettings,
    pub(crate) auth: AuthSettings,
    pub(crate) store: StoreSettings,
    pub(crate) agent: AgentSettings,
    pub(crate) projects: ProjectSettings,
    /// Every setting of the table, in its order.
    pub(crate) settings: Vec<Setting>,
    /// The files that were read.
    pub(crate) files: Vec<PathBuf>,
    /// What somebody may have meant as a setting, and is none.
    pub(crate) notices: Vec<String>,
}

/// One setting's value and origin.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Setting {
    pub(crate) key: &'static str,
    pub(crate) value: Value,
    pub(crate) origin: Origin,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Origin {
    Default,
    File { path: PathBuf, line: usize },
    Environment(String),
    Flag(&'static str),
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::File { path, line } => write!(f, "{}:{line}", path.display()),
            Self::Environment(variable) => f.write_str(variable),
            Self::Flag(flag) => f.write_str(flag),
        }
    }
}

impl Config {
    /// Reads and checks everything; nothing is guessed and nothing passed over.
    pub(crate) fn read(sources: &Sources<'_>) -> Result<Self, Failure> {
        let files = file::sources(sources.config, sources.folder, sources.data)?;
        let mut found = BTreeMap::new();
        for source in &files {
            from_file(source, &mut found)?;
        }
        from_environment(sources.env, &mut found)?;
        for given in sources.flags {
            let key = Key::find(given.key).ok_or_else(|| unknown(given.flag, given.key))?;
            let origin = Origin::Flag(given.flag);
            let value = value::from_text(key, &given.value);
            let value = value.map_err(|bad| refused(given.flag, key, &bad))?;
            found.insert(key.name, (value, origin));
        }
        let settings = KEYS.iter().map(|key| {
            let (value, origin) = match found.remove(key.name) {
                Some(found) => found,
                None => (default(key), Origin::Default),
            };
            Setting {
                key: key.name,
                value,
                origin,
            }
        });
        let settings: Vec<Setting> = settings.collect();
        let home = sources.env.get(OsStr::new("HOME")).map(PathBuf::from);
        let table = Table {
            settings: &settings,
            home: home.as_deref(),
        };
        let config = Self {
            runner: RunnerSettings::of(&table),
            auth: AuthSettings::of(&table),
            store: StoreSettings::of(&table),
            agent: AgentSettings::of(&table),
            projects: ProjectSettings::of(&table),
            files: files.into_iter().map(|source| source.path).collect(),
            notices: strangers(sources.env),
            settings,
        };
        config.check()?;
        Ok(config)
    }

    /// What no single setting can tell.
    fn check(&self) -> Result<(), Failure> {
        use baton_protocol::words::PermissionMode::BypassPermissions;
        if self.agent.permission_mode == Some(BypassPermissions) && !self.agent.allow_bypass {
            return Err(Failure::usage(
                "agent.permissionMode is bypassPermissions, which agent.allowBypass forbids",
                "Change one of the two; `baton config show` says where each comes from.",
            ));
        }
        let runner = &self.runner;
        let files = runner.tls_certificate.is_some() && runner.tls_key.is_some();
        if runner.tls == TlsChoice::Files && !files {
            return Err(Failure::usage(
                "runner.tls is files, and runner.tlsCertificate or runner.tlsKey is missing",
                "Name both files, or let Baton make a certificate with `tls: self`.",
            ));
        }
        if self.auth.token.is_some() && self.auth.token_file.is_some() {
            return Err(Failure::usage(
                "auth.token and auth.tokenFile are both set",
                "Unset one of the two; `baton config show` says where each comes from.",
            ));
        }
        Ok(())
    }
}

/// The settings, by name.
#[derive(Debug, Clone, Copy)]
pub(super) struct Table<'a> {
    settings: &'a [Setting],
    home: Option<&'a Path>,
}

impl<'a> Table<'a> {
    /// A name that is not in the table has no value.
    pub(super) fn value(&self, name: &str) -> &'a Value {
        let setting = self.settings.iter().find(|setting| setting.key == name);
        setting.map_or(&Value::None, |setting| &setting.value)
    }

    /// A path with its `~` made whole.
    pub(super) fn path(&self, text: &str) -> PathBuf {
        match (text.strip_prefix('~'), self.home) {
            (Some(rest), Some(home)) => home.join(rest.trim_start_matches('/')),
            _ => PathBuf::from(text),
        }
    }
}

type Found = BTreeMap<&'static str, (Value, Origin)>;

fn default(key: &Key) -> Value {
    // A test reads every default, so this never falls back.
    value::from_text(key, key.default).unwrap_or(Value::None)
}

fn from_file(source: &Source, found: &mut Found) -> Result<(), Failure> {
    let place = |line: usize| format!("{}:{line}", source.path.display());
    let root = yaml::parse(&source.text).map_err(|trouble| {
        Failure::usage(
            format!("{}: {}", place(trouble.line), trouble.what),
            CORRECT,
        )
    })?;
    for section in entries(&root).map_err(|line| not_settings(&place(line), "the file"))? {
        if !sections().contains(&section.key.as_str()) {
            return Err(unknown(&place(section.line), &section.key));
        }
        let below = entries(&section.value);
        for entry in below.map_err(|line| not_settings(&place(line), &section.key))? {
            let name = format!("{}.{}", section.key, entry.key);
            let key = Key::find(&name).ok_or_else(|| unknown(&place(entry.line), &name))?;
            if source.takes.refuses(key.reach) {
                return Err(not_here(&place(entry.line), key));
            }
            let value = value::from_node(key, &entry.value).map_err(|bad| {
                let line = bad.line.unwrap_or(entry.line);
                refused(&place(line), key, &bad)
            })?;
            if source.takes.passes_over(key.reach) || entry.value.tree == Tree::Null {
                continue;
            }
            let origin = Origin::File {
                path: source.path.clone(),
                line: entry.line,
            };
            found.insert(key.name, (value, origin));
        }
    }
    Ok(())
}

/// The names below a node; the line of a node that has none.
fn entries(node: &Node) -> Result<&[KeyValue], usize> {
    match &node.tree {
        Tree::Map(entries) => Ok(entries),
        Tree::Null => Ok(&[]),
        Tree::Scalar(_) | Tree::List(_) => Err(node.line),
    }
}

fn from_environment(env: &BTreeMap<OsString, OsString>, found: &mut Found) -> Result<(), Failure> {
    let prefixes: Vec<String> = sections()
        .iter()
        .map(|section| format!("BATON_{}_", section.to_uppercase()))
        .collect();
    for (name, text) in env {
        let name = name.to_string_lossy();
        let ours = prefixes.iter().any(|prefix| name.starts_with(prefix));
        if !ours || text.is_empty() {
            continue;
        }
        let Some(key) = KEYS.iter().find(|key| key.variable() == name) else {
            return Err(unknown_variable(&name));
        };
        let text = text.to_str().ok_or_else(|| {
            let bad = BadValue::from("it is not UTF-8".to_owned());
            refused(&name, key, &bad)
        })?;
        let value = value::from_text(key, text).map_err(|bad| refused(&name, key, &bad))?;
        found.insert(key.name, (value, Origin::Environment(name.into_owned())));
    }
    Ok(())
}

/// Baton's own variables that stand for no setting.
const OWN: &[&str] = &[
    "BATON_DAEMON_IDLE_EXIT_S",
    "BATON_DATA_DIR",
    "BATON_HOLDER",
    "BATON_LOG",
];

/// Variables of no section that Baton knows. They may be somebody else's, as a
/// cluster's are that has a service of this name, so they are told and nothing
/// more.
fn strangers(env: &BTreeMap<OsString, OsString>) -> Vec<String> {
    let known: Vec<String> = KEYS.iter().map(Key::variable).collect();
    let known = || known.iter().map(String::as_str).chain(OWN.iter().copied());
    let names = env.keys().map(|name| name.to_string_lossy());
    names
        .filter(|name| name.starts_with("BATON_") && !name.starts_with("BATON_TEST_"))
        .filter(|name| known().all(|known| known != name.as_ref()))
        .map(|name| {
            let meant = match nearest(&name, known()) {
                Some(meant) => format!("; the nearest is {meant}"),
                None => String::new(),
            };
            let name: String = name.chars().filter(|c| !c.is_control()).take(100).collect();
            format!(
                "the environment variable {name} stands for no setting and is passed over{meant}"
            )
        })
        .collect()
}

const CORRECT: &str = "Correct it; `baton config show` and docs/config.md list every setting.";

fn unknown(place: &str, name: &str) -> Failure {
    let name: String = name.chars().filter(|c| !c.is_control()).take(100).collect();
    if let Some(key) = Key::find(&name) {
        let (section, own) = key.name.split_once('.').unwrap_or_default();
        return Failure::usage(
            format!("{place}: `{name}` cannot be written in one word"),
            format!("Write `{own}` below `{section}:`."),
        );
    }
    let known = KEYS.iter().map(|key| key.name).chain(sections());
    let meant = match nearest(&name, known) {
        Some(meant) => format!("; the nearest is `{meant}`"),
        None => String::new(),
    };
    Failure::usage(format!("{place}: `{name}` is no setting{meant}"), CORRECT)
}

fn unknown_variable(name: &str) -> Failure {
    let variables: Vec<String> = KEYS.iter().map(Key::variable).collect();
    let meant = match nearest(name, variables.iter().map(String::as_str)) {
        Some(meant) => format!("; the nearest is {meant}"),
        None => String::new(),
    };
    Failure::usage(
        format!("the environment variable {name} stands for no setting{meant}"),
        "Correct or unset it; `baton config show` and docs/config.md list every setting.",
    )
}

fn refused(place: &str, key: &Key, bad: &BadValue) -> Failure {
    Failure::usage(format!("{place}: `{}`: {}", key.name, bad.why), CORRECT)
}

fn not_settings(place: &str, what: &str) -> Failure {
    Failure::usage(
        format!("{place}: {what} holds no names with values"),
        CORRECT,
    )
}

fn not_here(place: &str, key: &Key) -> Failure {
    Failure::usage(
        format!(
            "{place}: `{}` cannot be set by a file that lies in the current folder",
            key.name
        ),
        "If the file is yours, name it with --config, or move the setting to config.yaml in the data folder.",
    )
}
