//! Values: from words to types, and back to words for a person.

use std::{collections::BTreeMap, net::IpAddr};

use baton_protocol::api::Secret;

use baton_project::discovery::Excludes;

use super::{
    keys::{Key, NONE, SettingKind, TIERS},
    nearest::nearest,
    yaml::{self, KeyValue, Node, Tree},
};

/// A setting's value.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Value {
    None,
    Text(String),
    Secret(Secret),
    Flag(bool),
    Number(u64),
    Money(f64),
    List(Vec<String>),
    Variables(Variables),
    FolderVariables(BTreeMap<String, Variables>),
}

pub(crate) type Variables = BTreeMap<String, String>;

/// A value that is not one, and why. The line is the file's, if there is one.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct BadValue {
    pub(super) line: Option<usize>,
    pub(super) why: String,
}

impl From<String> for BadValue {
    fn from(why: String) -> Self {
        Self { line: None, why }
    }
}

/// Ten years: beyond that somebody means "none".
const MAX_MILLIS: u64 = 315_360_000_000;
const MAX_SECRET: usize = 1000;
const MAX_MONEY: f64 = 1_000_000.0;

/// Reads a value from the environment or a flag.
pub(super) fn from_text(key: &Key, text: &str) -> Result<Value, BadValue> {
    if text == NONE && key.may_be_none() {
        return Ok(Value::None);
    }
    match key.kind {
        SettingKind::Variables | SettingKind::FolderVariables => {
            let node = yaml::parse(text).map_err(|trouble| BadValue::from(trouble.what))?;
            let value = from_node(key, &node);
            value.map_err(|bad| BadValue { line: None, ..bad })
        }
        SettingKind::Words(_)
        | SettingKind::Tools
        | SettingKind::Urls
        | SettingKind::Hosts
        | SettingKind::Paths
        | SettingKind::Patterns => {
            let words = text.split(',').map(|word| word.trim().to_owned());
            list(key, words.collect())
        }
        SettingKind::Text(_)
        | SettingKind::Path
        | SettingKind::Secret(_)
        | SettingKind::Host
        | SettingKind::Flag
        | SettingKind::Number(..)
        | SettingKind::Time
        | SettingKind::Money
        | SettingKind::Word(_) => scalar(key, text),
    }
}

/// Reads a value from a file.
pub(super) fn from_node(key: &Key, node: &Node) -> Result<Value, BadValue> {
    let at = |bad: BadValue| BadValue {
        line: bad.line.or(Some(node.line)),
        ..bad
    };
    let wrong = |what: &str| BadValue {
        line: Some(node.line),
        why: format!("it is {}, not {what}", expected(key.kind)),
    };
    match (&node.tree, key.kind) {
        (Tree::Null, _) => from_text(key, key.default).map_err(at),
        (Tree::Scalar(text), SettingKind::Variables | SettingKind::FolderVariables)
            if text != NONE =>
        {
            Err(wrong("one value"))
        }
        (Tree::Scalar(text), _) => from_text(key, text).map_err(at),
        (
            Tree::List(items),
            SettingKind::Words(_)
            | SettingKind::Tools
            | SettingKind::Urls
            | SettingKind::Hosts
            | SettingKind::Paths
            | SettingKind::Patterns,
        ) => {
            let words = items.iter().map(|item| match &item.tree {
                Tree::Scalar(word) => Ok(word.clone()),
                Tree::Null | Tree::List(_) | Tree::Map(_) => Err(wrong("a list of anything else")),
            });
            list(key, words.collect::<Result<_, _>>()?).map_err(at)
        }
        (Tree::List(_), _) => Err(wrong("a list")),
        (Tree::Map(entries), SettingKind::Variables) => Ok(Value::Variables(variables(entries)?)),
        (Tree::Map(entries), SettingKind::FolderVariables) => {
            let folders = entries.iter().map(|entry| {
                let Tree::Map(inner) = &entry.value.tree else {
                    return Err(BadValue {
                        line: Some(entry.line),
                        why: format!("`{}` needs variables below it", entry.key.escape_debug()),
                    });
                };
                Ok((folder(entry)?, variables(inner)?))
            });
            Ok(Value::FolderVariables(folders.collect::<Result<_, _>>()?))
        }
        (Tree::Map(_), _) => Err(wrong("more names")),
    }
}

const fn expected(kind: SettingKind) -> &'static str {
    match kind {
        SettingKind::Text(_)
        | SettingKind::Path
        | SettingKind::Secret(_)
        | SettingKind::Host
        | SettingKind::Word(_) => "text",
        SettingKind::Urls => "a list of addresses",
        SettingKind::Hosts => "a list of hosts",
        SettingKind::Paths => "a list of paths",
        SettingKind::Patterns => "a list of patterns",
        SettingKind::Flag => "true or false",
        SettingKind::Number(..) | SettingKind::Time => "a whole number",
        SettingKind::Money => "a number",
        SettingKind::Words(_) => "a list of words",
        SettingKind::Tools => "a tier or a list of tools",
        SettingKind::Variables => "names with values",
        SettingKind::FolderVariables => "folders with variables",
    }
}

fn scalar(key: &Key, text: &str) -> Result<Value, BadValue> {
    let bad = |why: String| Err(BadValue::from(why));
    match key.kind {
        SettingKind::Flag => match text {
            "true" => Ok(Value::Flag(true)),
            "false" => Ok(Value::Flag(false)),
            _ => bad("it is true or false".into()),
        },
        SettingKind::Number(min, max) => number(key, text, min, max),
        SettingKind::Time => number(key, text, 1, MAX_MILLIS),
        SettingKind::Money => match text.parse::<f64>() {
            Ok(money) if money > 0.0 && money <= MAX_MONEY => Ok(Value::Money(money)),
            _ => bad("it is a number of dollars above 0".into()),
        },
        SettingKind::Word(words) => match words.iter().find(|word| **word == text) {
            Some(word) => Ok(Value::Text((*word).to_owned())),
            None => bad(one_of(text, words, "")),
        },
        SettingKind::Text(max) => match text.chars().count() {
            0 => bad("it is empty".into()),
            length if length > max => {
                bad(format!("it has {length} characters, and {max} is the most"))
            }
            _ if text.contains('\0') => bad("it contains a zero byte".into()),
            _ => Ok(Value::Text(text.to_owned())),
        },
        SettingKind::Path => match text {
            "" => bad("it is empty".into()),
            _ if text.contains('\0') => bad("it contains a zero byte".into()),
            _ if text.starts_with('/') || text.starts_with("~/") => {
                Ok(Value::Text(text.to_owned()))
            }
            _ => bad("it is a path from the root or from ~".into()),
        },
        SettingKind::Secret(least) => match text.chars().count() {
            // What is wrong with a secret is said without it.
            length if length < least => bad(format!("it needs at least {least} characters")),
            length if length > MAX_SECRET => {
                bad(format!("it may have {MAX_SECRET} characters at most"))
            }
            _ if text.chars().any(|c| c.is_control() || c.is_whitespace()) => {
                bad("it is one word".into())
            }
            _ => Ok(Value::Secret(Secret::from(text))),
        },
        SettingKind::Host if text == "localhost" => Ok(Value::Text("127.0.0.1".to_owned())),
        SettingKind::Host => match text.parse::<IpAddr>() {
            Ok(address) => Ok(Value::Text(address.to_string())),
            Err(_) => bad("it is an IP address, or localhost".into()),
        },
        SettingKind::Words(_)
        | SettingKind::Tools
        | SettingKind::Urls
        | SettingKind::Hosts
        | SettingKind::Paths
        | SettingKind::Patterns
        | SettingKind::Variables
        | SettingKind::FolderVariables => bad(format!("it is {}", expected(key.kind))),
    }
}

fn number(key: &Key, text: &str, min: u64, max: u64) -> Result<Value, BadValue> {
    match text.parse::<u64>() {
        Ok(number) if (min..=max).contains(&number) => Ok(Value::Number(number)),
        _ => {
            let none = if key.may_be_none() { ", or none" } else { "" };
            Err(format!("it is a whole number from {min} to {max}{none}").into())
        }
    }
}

fn one_of(text: &str, words: &[&str], or: &str) -> String {
    let meant = nearest(text, words.iter().copied());
    let meant = meant.map_or_else(String::new, |word| format!("; did you mean {word}?"));
    format!("it is one of {}{or}{meant}", words.join(", "))
}

fn list(key: &Key, words: Vec<String>) -> Result<Value, BadValue> {
    let is_tool = |word: &str| {
        let mut chars = word.chars();
        !word.is_empty()
            && word.len() <= 200
            && chars.all(|c| c.is_ascii_alphanumeric() || "_-*".contains(c))
    };
    if matches!(key.kind, SettingKind::Urls) {
        let urls = words.iter().map(|word| origin(word));
        return urls.collect::<Result<_, _>>().map(Value::List);
    }
    if matches!(key.kind, SettingKind::Hosts) {
        let hosts = words.iter().map(|word| host_name(word));
        return hosts.collect::<Result<_, _>>().map(Value::List);
    }
    for word in &words {
        if matches!(key.kind, SettingKind::Paths) && !is_whole_path(word) {
            let word = word.escape_debug();
            return Err(format!("`{word}` is not a path from the root or from ~").into());
        }
        if matches!(key.kind, SettingKind::Patterns)
            && let Err(error) = Excludes::new(std::slice::from_ref(word))
        {
            return Err(error.to_string().into());
        }
        if let SettingKind::Words(known) = key.kind
            && !known.contains(&word.as_str())
        {
            return Err(one_of(word, known, "").into());
        }
        if matches!(key.kind, SettingKind::Tools) && !is_tool(word) {
            let word = word.escape_debug();
            return Err(format!("`{word}` is no name of a tool").into());
        }
    }
    if let (SettingKind::Tools, [word]) = (key.kind, words.as_slice()) {
        if TIERS.contains(&word.as_str()) {
            return Ok(Value::Text(word.clone()));
        }
        // Tools have a capital letter or an underscore, so this was meant as a tier.
        if word.chars().all(|c| c.is_ascii_lowercase()) {
            return Err(one_of(word, TIERS, ", or a list of tools").into());
        }
    }
    Ok(Value::List(words))
}

/// A host by its name, in small letters. Numbers are not asked for anything.
fn host_name(host: &str) -> Result<String, BadValue> {
    let lower = host.to_ascii_lowercase();
    let label = |label: &str| {
        let mut chars = label.chars();
        !label.is_empty()
            && label.len() <= 63
            && !label.starts_with('-')
            && !label.ends_with('-')
            && chars.all(|c| c.is_ascii_alphanumeric() || c == '-')
    };
    let last = lower.rsplit('.').next().unwrap_or_default();
    let is_number = last.chars().all(|c| c.is_ascii_digit());
    if lower.len() <= 253 && lower.contains('.') && lower.split('.').all(label) && !is_number {
        return Ok(lower);
    }
    let host = host.escape_debug();
    Err(format!("`{host}` is not the name of a host, such as images.example.org").into())
}

fn is_whole_path(path: &str) -> bool {
    !path.contains('\0') && (path.starts_with('/') || path == "~" || path.starts_with("~/"))
}

/// Scheme, host and port as a browser writes them.
fn origin(url: &str) -> Result<String, BadValue> {
    let bad = || {
        let url = url.escape_debug();
        BadValue::from(format!(
            "`{url}` is not like https://baton.example.org or http://192.0.2.1:2633"
        ))
    };
    let lower = url.trim_end_matches('/').to_lowercase();
    let (scheme, rest) = lower.split_once("://").ok_or_else(bad)?;
    let usual = match scheme {
        "http" => ":80",
        "https" => ":443",
        _ => return Err(bad()),
    };
    let host = rest.strip_suffix(usual).unwrap_or(rest);
    let (name, port) = match host.rsplit_once(':') {
        Some((name, port)) if !port.ends_with(']') => (name, Some(port)),
        _ => (host, None),
    };
    let is_name = match name
        .strip_prefix('[')
        .and_then(|name| name.strip_suffix(']'))
    {
        Some(address) => address.parse::<std::net::Ipv6Addr>().is_ok(),
        None => {
            !name.is_empty()
                && name.len() <= 253
                && name
                    .chars()
                    .all(|c| c.is_ascii_alphanumeric() || "-.".contains(c))
        }
    };
    if !is_name || port.is_some_and(|port| port.parse::<u16>().is_err()) {
        return Err(bad());
    }
    Ok(format!("{scheme}://{host}"))
}

fn variables(entries: &[KeyValue]) -> Result<Variables, BadValue> {
    let variable = |entry: &KeyValue| {
        let bad = |why: String| BadValue {
            line: Some(entry.line),
            why,
        };
        let name = &entry.key;
        if !is_variable_name(name) {
            let name = name.escape_debug();
            return Err(bad(format!("`{name}` is no name of a variable")));
        }
        if name.starts_with("BATON_") {
            return Err(bad(format!(
                "`{name}` is Baton's own and never reaches agents"
            )));
        }
        match &entry.value.tree {
            Tree::Null => Ok((name.clone(), String::new())),
            Tree::Scalar(value) if value.contains('\0') => {
                Err(bad(format!("`{name}` contains a zero byte")))
            }
            Tree::Scalar(value) => Ok((name.clone(), value.clone())),
            Tree::List(_) | Tree::Map(_) => Err(bad(format!("`{name}` is one value"))),
        }
    };
    entries.iter().map(variable).collect()
}

fn is_variable_name(name: &str) -> bool {
    let mut chars = name.chars();
    chars
        .next()
        .is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
        && chars.all(|c| c.is_ascii_alphanumeric() || c == '_')
}

fn folder(entry: &KeyValue) -> Result<String, BadValue> {
    let path = &entry.key;
    if path.starts_with('/') || path == "~" || path.starts_with("~/") {
        return Ok(path.clone());
    }
    let path = path.escape_debug();
    Err(BadValue {
        line: Some(entry.line),
        why: format!("`{path}` is not a path from the root or from ~"),
    })
}

/// Whether a variable's value should not be on a screen.
fn is_secret(name: &str) -> bool {
    const SIGNS: &[&str] = &[
        "TOKEN",
        "KEY",
        "SECRET",
        "PASSWORD",
        "PASSWD",
        "PASSPHRASE",
        "CREDENTIAL",
        "AUTHORIZATION",
        "COOKIE",
    ];
    let name = name.to_uppercase();
    SIGNS.iter().any(|sign| name.contains(sign))
}

/// A variable's value for a screen: secrets and passwords in addresses hidden.
pub(crate) fn shown_value<'a>(name: &str, value: &'a str) -> &'a str {
    const HIDDEN: &str = "***";
    let signs_in = value
        .split_once("://")
        .and_then(|(_, rest)| rest.split(['/', '?', '#']).next())
        .is_some_and(|host| host.contains('@'));
    if is_secret(name) || signs_in {
        HIDDEN
    } else {
        value
    }
}

impl Value {
    /// For a person or a program to read, secrets hidden.
    pub(crate) fn shown(&self) -> serde_json::Value {
        let variables = |variables: &Variables| -> serde_json::Value {
            let shown =
                |(name, value): (&String, &String)| (name.clone(), shown_value(name, value).into());
            serde_json::Value::Object(variables.iter().map(shown).collect())
        };
        match self {
            Self::None => serde_json::Value::Null,
            Self::Text(text) => text.as_str().into(),
            Self::Secret(_) => "***".into(),
            Self::Flag(flag) => (*flag).into(),
            Self::Number(number) => (*number).into(),
            Self::Money(money) => (*money).into(),
            Self::List(words) => words.clone().into(),
            Self::Variables(all) => variables(all),
            Self::FolderVariables(folders) => {
                let shown = |(path, all): (&String, &Variables)| (path.clone(), variables(all));
                serde_json::Value::Object(folders.iter().map(shown).collect())
            }
        }
    }
}
