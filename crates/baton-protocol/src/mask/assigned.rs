//! Values that stand behind a name which says that they are secret.

use std::ops::Range;

use super::{below, found::Found};

/// How a value is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Written {
    Quoted,
    /// Directly behind `=`, as in a shell or an address.
    Tight,
    /// As in code, where it may be an expression.
    Loose,
    /// As in a sentence, where it may be a word like any other.
    Said,
}

/// What kind of secret a name announces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Announced {
    /// May be any text.
    Password,
    /// A few digits.
    Pin,
    /// Is made by a machine.
    Token,
}

impl Announced {
    pub(super) const fn found(self, range: Range<usize>) -> Found {
        match self {
            Self::Password | Self::Pin => Found::password(range),
            Self::Token => Found::token(range),
        }
    }
}

/// How the last word of a name ends.
const PASSWORDS: &[&str] = &["password", "passwd", "passphrase"];
/// Words that end like the short form, and announce nothing.
const NO_PASS: &[&str] = &[
    "bypass",
    "compass",
    "encompass",
    "overpass",
    "surpass",
    "trespass",
    "underpass",
];
const TOKENS: &[&str] = &[
    "token",
    "secret",
    "apikey",
    "accesskey",
    "secretkey",
    "privatekey",
    "credential",
    "credentials",
    "authorization",
    "cookie",
];
/// How the word before `key` ends.
const KEYS: &[&str] = &[
    "api",
    "access",
    "secret",
    "private",
    "auth",
    "signing",
    "encryption",
    "account",
    "master",
    "license",
];

/// A name longer than this is none.
const NAME: usize = 80;
/// A value longer than this is no password on a line.
const VALUE: usize = 4096;

pub(super) fn find(text: &str, found: &mut Vec<Found>) {
    let bytes = text.as_bytes();
    for (at, byte) in bytes.iter().enumerate() {
        if matches!(byte, b'=' | b':' | b' ' | b'>')
            && let Some((announced, range)) = value_at(text, at)
        {
            found.push(announced.found(range));
        }
    }
    let below = below::find(text).into_iter();
    found.extend(below.map(|(announced, range)| announced.found(range)));
}

/// The secret value behind the separator at `at`, if there is one.
fn value_at(text: &str, at: usize) -> Option<(Announced, Range<usize>)> {
    let bytes = text.as_bytes();
    let before = &bytes[..at];
    let trimmed = before.len() - count_back(before, |byte| byte == b' ');
    let (name, quoted) = name_before(&bytes[..trimmed])?;
    let announced = match announced(name) {
        Some(announced) => announced,
        // A one-time link of Baton's.
        None if name == "link" && before[..trimmed - name.len()].ends_with(b"#") => {
            Announced::Token
        }
        None => return None,
    };
    if bytes[at] == b' ' {
        let flag = before[..trimmed - name.len()].ends_with(b"--");
        if quoted || trimmed != at {
            return None;
        }
        // Only an option has any value behind a blank.
        if !flag {
            return said(text, name, at + 1).map(|range| (Announced::Password, range));
        }
    }
    if is_short(name) && (trimmed != at || (bytes[at] == b':' && !quoted && name == "PASS")) {
        return None;
    }
    // `<password>…</password>`
    let tag = bytes[at] == b'>';
    if tag && !before[..trimmed - name.len()].ends_with(b"<") {
        return None;
    }
    let mut start = at + 1;
    // `:=`, `=>`, `==`
    while bytes.get(start).is_some_and(|byte| b"=>".contains(byte)) {
        start += 1;
    }
    let blank = |byte: &&u8| matches!(**byte, b' ' | b'\t');
    let blanks = bytes[start..].iter().take_while(blank).count();
    start += blanks;
    // A quote inside a quoted text has a stroke before it.
    let stroke = usize::from(bytes.get(start) == Some(&b'\\'));
    let quote = bytes.get(start + stroke).copied();
    if let Some(quote) = quote.filter(|byte| b"\"'`".contains(byte)) {
        start += stroke + 1;
        let end = |byte: &u8| *byte == quote || *byte == b'\\' || *byte == b'\n';
        let length = bytes[start..].iter().take(VALUE).position(end);
        let end = length.map_or(bytes.len().min(start + VALUE), |length| start + length);
        if let Some(start) = behind_scheme(name, &bytes[..end], start) {
            let value = text.get(start..end)?;
            return is_authorization(value).then_some((announced, start..end));
        }
        let value = text.get(start..end)?;
        return is_secret(announced, value, Written::Quoted).then_some((announced, start..end));
    }
    let tight = bytes[at] == b'=' && trimmed == at && blanks == 0;
    let end = bare_end(bytes, start);
    if let Some(start) = behind_scheme(name, bytes, start) {
        let end = bare_end(bytes, start);
        let value = text.get(start..end)?;
        return is_authorization(value).then_some((announced, start..end));
    }
    let value = text.get(start..end)?;
    let written = if tight || tag || bytes[at] == b' ' {
        Written::Tight
    } else {
        Written::Loose
    };
    is_secret(announced, value, written).then_some((announced, start..end))
}

/// Where the value begins behind the scheme of an `Authorization`, as in
/// `Bearer …`.
fn behind_scheme(name: &str, bytes: &[u8], start: usize) -> Option<usize> {
    let letters = bytes[start..]
        .iter()
        .take_while(|byte| byte.is_ascii_alphabetic());
    let end = start + letters.count();
    let is = name.to_ascii_lowercase().ends_with("authorization")
        && end > start
        && bytes.get(end) == Some(&b' ');
    is.then_some(end + 1)
}

/// Whether what stands behind the scheme is more than a word for it.
fn is_authorization(value: &str) -> bool {
    let bytes = value.as_bytes();
    let inner = bytes
        .windows(2)
        .any(|two| two[0].is_ascii_lowercase() && two[1].is_ascii_uppercase());
    let words = [
        "credential",
        "placeholder",
        "pass",
        "token",
        "secret",
        "key",
        "auth",
    ];
    let small = value.to_ascii_lowercase();
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"-._~+/=".contains(byte);
    let letters = bytes.len() >= 8
        && bytes.iter().all(plain)
        && bytes.iter().any(|byte| *byte != bytes[0])
        && (inner || !words.iter().any(|word| small.contains(word)));
    letters || is_secret(Announced::Token, value, Written::Loose)
}

/// A password in a sentence: `Password is …`, `passwd …`. It begins at or
/// behind `start`.
fn said(text: &str, name: &str, start: usize) -> Option<Range<usize>> {
    let last = words(name).pop()?;
    let full = PASSWORDS.iter().chain(&["passcode"]);
    if !full.into_iter().any(|end| last.ends_with(end)) {
        return None;
    }
    let rest = text.get(start..)?;
    let lead = ["is: ", "is ", "was "].iter().find(|lead| {
        rest.get(..lead.len())
            .is_some_and(|begin| begin.eq_ignore_ascii_case(lead))
    });
    let start = start + lead.map_or(0, |lead| lead.len());
    let bytes = text.as_bytes();
    let start = start + usize::from(bytes.get(start).is_some_and(|byte| b"\"'`".contains(byte)));
    let value = text.get(start..bare_end(bytes, start))?;
    // A sentence may end behind it.
    let value = value.trim_end_matches(['.', '!', '?', ':']);
    let capital = value.bytes().any(|byte| byte.is_ascii_uppercase());
    let small = value.bytes().any(|byte| byte.is_ascii_lowercase());
    // Without a verb it may be any word that comes after.
    let looks = lead.is_some() || (capital && small);
    (looks && is_secret(Announced::Password, value, Written::Said))
        .then_some(start..start + value.len())
}

/// Whether a name is a word of every day too, which needs its value attached.
pub(super) fn is_short(name: &str) -> bool {
    let name = name.trim_matches('-');
    name.eq_ignore_ascii_case("pass") || name.eq_ignore_ascii_case("pin")
}

/// Where a value without quotes ends.
fn bare_end(bytes: &[u8], start: usize) -> usize {
    let apart = |byte: &u8| byte.is_ascii_whitespace() || byte.is_ascii_control();
    let ends = |byte: &u8| apart(byte) || b"\"'`,;)}>&<|\\".contains(byte);
    let length = bytes[start..].iter().take(VALUE).position(ends);
    length.map_or(bytes.len().min(start + VALUE), |length| start + length)
}

fn count_back(bytes: &[u8], takes: fn(u8) -> bool) -> usize {
    bytes.iter().rev().take_while(|byte| takes(**byte)).count()
}

/// The name that ends here, and whether it stands in quotes.
pub(super) fn name_before(bytes: &[u8]) -> Option<(&str, bool)> {
    let quote = bytes.last().is_some_and(|byte| b"\"'`]".contains(byte));
    let mut end = bytes.len() - usize::from(quote);
    if quote {
        end -= count_back(&bytes[..end], |byte| b"\"'`\\".contains(&byte));
    }
    let length = count_back(&bytes[end.saturating_sub(NAME)..end], |byte| {
        byte.is_ascii_alphanumeric() || b"_-.".contains(&byte)
    });
    let name = std::str::from_utf8(&bytes[end - length..end]).ok()?;
    let name = name.trim_start_matches('-');
    (!name.is_empty()).then_some((name, quote))
}

/// What a name announces, by its last words: `AWS_SECRET_ACCESS_KEY`, `dbPassword`.
pub(super) fn announced(name: &str) -> Option<Announced> {
    if name.len() > NAME {
        return None;
    }
    let words = words(name);
    let last = words.last()?.as_str();
    let before = words.len().checked_sub(2).map(|at| words[at].as_str());
    // `PGPASSWORD`, and what is left of a colour or of `\n` before a name.
    let ends = |word: &str, ends: &[&str]| ends.iter().any(|end| word.ends_with(end));
    match last {
        "pwd" | "passcode" => Some(Announced::Password),
        "pin" => Some(Announced::Pin),
        _ if last.ends_with("pass") && !NO_PASS.contains(&last) => Some(Announced::Password),
        "pat" => Some(Announced::Token),
        _ if ends(last, PASSWORDS) => Some(Announced::Password),
        _ if ends(last, TOKENS) => Some(Announced::Token),
        "key" => ends(before?, KEYS).then_some(Announced::Token),
        _ => None,
    }
}

/// The words of a name in small letters, however they are put together.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut small = false;
    for c in name.chars() {
        if matches!(c, '_' | '-' | '.') {
            words.push(String::new());
            small = false;
            continue;
        }
        if c.is_ascii_uppercase() && small {
            words.push(String::new());
        }
        small = c.is_ascii_lowercase() || c.is_ascii_digit();
        if let Some(word) = words.last_mut() {
            word.push(c.to_ascii_lowercase());
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Whether a value behind such a name is a secret, and not code or a sample.
pub(super) fn is_secret(announced: Announced, value: &str, written: Written) -> bool {
    let bytes = value.as_bytes();
    let digit = bytes.iter().any(u8::is_ascii_digit);
    let Some(first) = bytes.first() else {
        return false;
    };
    let sample = b"$<{%*([&@!".contains(first)
        || value.contains('•')
        || bytes.iter().all(|byte| byte == first)
        || bytes.iter().any(u8::is_ascii_whitespace);
    let least = match (announced, written) {
        (Announced::Pin, _) => 4,
        (Announced::Password, Written::Quoted | Written::Tight) => 6,
        _ => 8,
    };
    if sample || value.len() < least {
        return false;
    }
    let code = value.contains(['(', '[']) || value.contains("::");
    let names_itself = || {
        let small = value.to_ascii_lowercase();
        ["pass", "token", "secret", "key", "auth", "env."]
            .iter()
            .any(|word| small.contains(word))
    };
    let all_digits = bytes.iter().all(u8::is_ascii_digit);
    match (announced, written) {
        (Announced::Pin, _) => all_digits && value.len() <= 12,
        (_, Written::Said) => {
            let letter = bytes.iter().any(u8::is_ascii_alphabetic);
            digit && letter && !code && !value.contains(['/', '_', '=']) && !is_method(value)
        }
        // A count of tokens is none.
        (Announced::Token, _) if all_digits => false,
        (_, Written::Quoted) if digit => true,
        (Announced::Password, Written::Quoted) => !names_itself(),
        (Announced::Token, Written::Quoted) => {
            let capital = bytes.iter().any(u8::is_ascii_uppercase);
            value.len() >= 16 && capital && !names_itself()
        }
        (_, Written::Tight) if digit => !code,
        (Announced::Password, Written::Tight) => !code && !value.contains('.') && !names_itself(),
        (Announced::Token, Written::Tight) => {
            value.len() >= 16 && !code && !value.contains(['.', '/']) && !names_itself()
        }
        (_, Written::Loose) => digit && !code && !value.contains("env."),
    }
}

/// Whether a word is how passwords are kept, of which sentences speak.
fn is_method(value: &str) -> bool {
    let small = value.to_ascii_lowercase();
    let methods = ["argon2", "base64", "hmac", "md5", "pbkdf2", "sha", "utf"];
    methods.iter().any(|method| small.starts_with(method))
}
