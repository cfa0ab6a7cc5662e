//! Words that look like a secret: told by their beginning, their name or their place.

/// How the secrets of well-known services begin, and how long they are at least.
const BEGINNINGS: &[(&str, usize)] = &[
    ("sk-", 12),
    ("sk_live_", 12),
    ("sk_test_", 12),
    ("rk_live_", 12),
    ("ghp_", 20),
    ("gho_", 20),
    ("ghs_", 20),
    ("ghu_", 20),
    ("github_pat_", 20),
    ("glpat-", 16),
    ("xoxb-", 16),
    ("xoxp-", 16),
    ("xoxa-", 16),
    ("AKIA", 20),
    ("ASIA", 20),
    ("AIza", 30),
    ("hf_", 20),
    ("npm_", 30),
    ("pypi-", 30),
];
/// Words of a name that say what its value is.
const NAMES: &[&str] = &[
    "TOKEN",
    "SECRET",
    "PASSWORD",
    "PASSWD",
    "PASSPHRASE",
    "APIKEY",
    "CREDENTIAL",
    "CREDENTIALS",
];
/// Words that say so together with `KEY`.
const KEYS: &[&str] = &["API", "ACCESS", "PRIVATE", "SECRET", "AUTH", "SIGNING"];
const SHORTEST_VALUE: usize = 6;
/// How much of a secret is repeated, so that a person finds it.
const SHOWN: usize = 4;

/// A few letters to find the secret in a word by; `before` is the word before it.
pub(super) fn hint(word: &str, before: Option<&str>) -> Option<String> {
    let named = word
        .split_once('=')
        .filter(|(name, value)| is_secret_name(name.trim_start_matches('-')) && is_value(value));
    if let Some((name, value)) = named {
        return Some(format!("{name}={}", short(value)));
    }
    if let Some(option) = before.and_then(|before| before.strip_prefix("--"))
        && is_secret_name(option)
        && is_value(word)
        && !word.starts_with('-')
    {
        return Some(format!("--{option} {}", short(word)));
    }
    known(word)
        .or_else(|| after(word, "Bearer "))
        .or_else(|| after(word, "Basic "))
        .or_else(|| in_address(word))
}

/// A secret by its own looks, wherever it stands.
pub(super) fn known(text: &str) -> Option<String> {
    if text.contains("PRIVATE KEY-----") {
        return Some("a private key".into());
    }
    let runs = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_' && c != '-');
    let mut found = runs.filter(|run| {
        BEGINNINGS
            .iter()
            .any(|(begin, least)| run.starts_with(begin) && run.len() >= *least)
    });
    if let Some(run) = found.next() {
        return Some(short(run));
    }
    // A signed token: two parts of JSON, each of which begins with a brace.
    let signed = text
        .split(|c: char| c.is_whitespace() || "\"'=:".contains(c))
        .find(|part| part.starts_with("eyJ") && part.contains(".eyJ") && part.len() > 40);
    signed.map(short)
}

fn short(secret: &str) -> String {
    let begin: String = secret.chars().take(SHOWN).collect();
    format!("{begin}…")
}

fn is_secret_name(name: &str) -> bool {
    let upper = name.to_ascii_uppercase();
    let words: Vec<&str> = upper.split(['_', '-']).collect();
    let key = words.contains(&"KEY") && words.iter().any(|word| KEYS.contains(word));
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    name.chars().all(plain) && (key || words.iter().any(|word| NAMES.contains(word)))
}

/// A variable, a path or a number is no secret itself.
fn is_value(value: &str) -> bool {
    value.len() >= SHORTEST_VALUE
        && !value.starts_with(['$', '/', '~', '.', '@'])
        && !value.chars().all(|c| c.is_ascii_digit())
}

fn after(word: &str, introduction: &str) -> Option<String> {
    let (_, rest) = word.split_once(introduction)?;
    let value = rest.split_whitespace().next()?;
    is_value(value).then(|| short(value))
}

/// `https://name:secret@host`
fn in_address(word: &str) -> Option<String> {
    let (_, rest) = word.split_once("://")?;
    let (user, _) = rest.split(['/', '?']).next()?.rsplit_once('@')?;
    let (_, secret) = user.split_once(':')?;
    (!secret.is_empty() && !secret.starts_with('$')).then(|| short(secret))
}
