//! Secrets that are known by how they look.

use super::found::Found;

/// How a key or token begins, and what comes after it.
struct Shape {
    begin: &'static str,
    /// So many characters at least.
    least: usize,
    /// A word may begin alike, so there must be a digit and a capital letter.
    mixed: bool,
}

const fn shape(begin: &'static str, least: usize) -> Shape {
    Shape {
        begin,
        least,
        mixed: false,
    }
}

const fn mixed(begin: &'static str, least: usize) -> Shape {
    Shape {
        begin,
        least,
        mixed: true,
    }
}

/// The longer of two that begin alike comes first.
const SHAPES: &[Shape] = &[
    shape("sk-ant-", 12),
    mixed("sk-", 20),
    shape("sk_live_", 12),
    shape("sk_test_", 12),
    shape("rk_live_", 12),
    shape("whsec_", 16),
    shape("ghp_", 20),
    shape("gho_", 20),
    shape("ghu_", 20),
    shape("ghs_", 20),
    shape("ghr_", 20),
    shape("github_pat_", 20),
    shape("glpat-", 16),
    shape("xoxa-", 10),
    shape("xoxb-", 10),
    shape("xoxe-", 10),
    shape("xoxp-", 10),
    shape("xoxr-", 10),
    shape("xoxs-", 10),
    shape("xapp-", 10),
    mixed("AIza", 30),
    shape("ya29.", 20),
    mixed("npm_", 30),
    shape("pypi-", 40),
    shape("hf_", 30),
    mixed("SG.", 40),
    shape("dop_v1_", 30),
    shape("shpat_", 20),
    shape("lin_api_", 20),
    shape("AGE-SECRET-KEY-1", 20),
    // Baton's own.
    shape("baton_api_", 20),
    shape("baton_dev_", 20),
];

const fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}

pub(super) fn find(text: &str, found: &mut Vec<Found>) {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let glued = at > 0 && is_word(bytes[at - 1]);
        let end = match bytes[at] {
            b'-' => private_key(text, at),
            b':' => address(bytes, at, found),
            byte if byte.is_ascii_alphabetic() => token(bytes, at, glued),
            _ => None,
        };
        match end {
            Some(end) => {
                match bytes[at] {
                    b':' => {}
                    b'-' => found.push(Found::key(at..end)),
                    _ => found.push(Found::token(at..end)),
                }
                at = end.max(at + 1);
            }
            None => at += 1,
        }
    }
    body_lines(text, found);
}

/// The end of a key or token that begins here. Nothing needs to stand between
/// it and what comes before: the end of a colour of a terminal, `\n` or `%20`
/// are letters and digits too. A token that is `glued` to such only has to look
/// a little more like one than the rest of a word does.
fn token(bytes: &[u8], at: usize, glued: bool) -> Option<usize> {
    let rest = &bytes[at..];
    let run = |from: usize, takes: fn(u8) -> bool| {
        let run = rest[from..].iter().take_while(|byte| takes(**byte));
        from + run.count()
    };
    for shape in SHAPES {
        if rest.starts_with(shape.begin.as_bytes()) {
            let end = run(shape.begin.len(), |byte| is_word(byte) || byte == b'.');
            let tail = &rest[shape.begin.len()..end];
            // A sentence may end behind it.
            let dots = tail.iter().rev().take_while(|byte| **byte == b'.').count();
            let tail = &tail[..tail.len() - dots];
            let looks = match (shape.mixed, glued) {
                (false, false) => true,
                (false, true) => is_made(tail),
                (true, false) => is_mixed(tail),
                (true, true) => has_long_run(tail),
            };
            if tail.len() >= shape.least && looks {
                return Some(at + end - dots);
            }
        }
    }
    if rest.starts_with(b"AKIA") || rest.starts_with(b"ASIA") {
        let end = run(4, |byte| byte.is_ascii_uppercase() || byte.is_ascii_digit());
        return (end >= 20).then_some(at + end);
    }
    if rest.starts_with(b"eyJ") {
        let end = web_token(rest)?;
        // A name in code may have these three letters in it.
        let looks = !glued || is_mixed(&rest[..end]);
        return looks.then_some(at + end);
    }
    let secret = webhook(rest).or_else(|| credentials(rest));
    secret.map(|end| at + end)
}

/// An address that anybody may post to who knows it: the end of it.
fn webhook(rest: &[u8]) -> Option<usize> {
    let begins = [
        &b"hooks.slack.com/"[..],
        b"webhook.office.com/",
        b"webhooks/",
    ];
    let begin = begins.iter().find(|begin| rest.starts_with(begin))?;
    let takes = |byte: &&u8| is_word(**byte) || b"/@.%".contains(byte);
    let tail = &rest[begin.len()..];
    let tail = &tail[..tail.iter().take_while(takes).count()];
    let dots = tail.iter().rev().take_while(|byte| **byte == b'.').count();
    let tail = &tail[..tail.len() - dots];
    // An id, and behind it what nobody guesses.
    let (first, last) = tail.split_at(tail.iter().rposition(|byte| *byte == b'/')?);
    let id = first.iter().filter(|byte| byte.is_ascii_digit()).count() >= 4;
    (id && last.len() > 16).then_some(begin.len() + tail.len())
}

/// A JSON Web Token: three parts, of which the last may be missing.
fn web_token(rest: &[u8]) -> Option<usize> {
    let mut at = 0;
    for (part, least) in [(0, 10), (1, 6), (2, 0)] {
        if part > 0 {
            if rest.get(at) != Some(&b'.') {
                return (part == 2).then_some(at);
            }
            at += 1;
        }
        let length = rest[at..].iter().take_while(|byte| is_word(**byte)).count();
        if length < least {
            return None;
        }
        at += length;
    }
    Some(at)
}

/// `Bearer …` or `Basic …`, wherever it stands: the end of it.
fn credentials(rest: &[u8]) -> Option<usize> {
    for scheme in [&b"bearer "[..], b"basic "] {
        let begins = rest
            .get(..scheme.len())
            .is_some_and(|begin| begin.eq_ignore_ascii_case(scheme));
        if begins {
            let tail = &rest[scheme.len()..];
            let takes = |byte: &&u8| is_word(**byte) || b".~+/=".contains(byte);
            let length = tail.iter().take_while(takes).count();
            let tail = &tail[..length];
            let digit = tail.iter().any(u8::is_ascii_digit);
            if length >= 12 && (digit || tail.ends_with(b"=")) {
                return Some(scheme.len() + length);
            }
        }
    }
    None
}

/// Whether a text has more than one kind of sign in it, as what machines make
/// has and words in small letters do not.
fn is_made(tail: &[u8]) -> bool {
    let small = tail.iter().any(u8::is_ascii_lowercase);
    let capital = tail.iter().any(u8::is_ascii_uppercase);
    tail.iter().any(u8::is_ascii_digit) || (small && capital)
}

/// Whether it is mixed in one piece: `task-12-Fix-it` is not.
fn has_long_run(tail: &[u8]) -> bool {
    let mut runs = tail.split(|byte| !byte.is_ascii_alphanumeric());
    runs.any(|run| run.len() >= 12 && is_mixed(run))
}

fn is_mixed(tail: &[u8]) -> bool {
    tail.iter().any(u8::is_ascii_digit) && tail.iter().any(u8::is_ascii_uppercase)
}

const BEGIN: &str = "-----BEGIN ";
const END: &str = "-----END ";
const PRIVATE: &str = "PRIVATE KEY";

/// A private key from its first line to its last, or to the end of the text.
fn private_key(text: &str, at: usize) -> Option<usize> {
    let rest = &text[at..];
    let title = rest.strip_prefix(BEGIN)?;
    let line = title.split('\n').next().unwrap_or_default();
    if !line.get(..line.find("-----")?)?.contains(PRIVATE) {
        return None;
    }
    let Some(last) = rest.find(END) else {
        return Some(text.len());
    };
    let tail = &rest[last + END.len()..];
    let close = tail.find("-----").map_or(tail.len(), |end| end + 5);
    Some(at + last + END.len() + close)
}

/// Whether a text goes into a private key and not out of it again.
pub(super) fn leaves_key_open(text: &str) -> bool {
    let Some(begin) = text.rfind(BEGIN) else {
        return false;
    };
    private_key(text, begin).is_some() && !text[begin..].contains(END)
}

pub(super) fn closes_key(text: &str) -> bool {
    text.contains(END)
}

/// `://name:password@`: the password, and a long name without one.
fn address(bytes: &[u8], at: usize, found: &mut Vec<Found>) -> Option<usize> {
    if !bytes[at..].starts_with(b"://") || at == 0 || !bytes[at - 1].is_ascii_alphanumeric() {
        return None;
    }
    let start = at + 3;
    let ends = |byte: &u8| byte.is_ascii_whitespace() || b"/?#\"'`<>\\|,;()".contains(byte);
    let length = bytes[start..].iter().position(ends);
    let end = length.map_or(bytes.len(), |length| start + length);
    let name = &bytes[start..end];
    let host = name.iter().rposition(|byte| *byte == b'@')?;
    let user = &name[..host];
    match user.iter().position(|byte| *byte == b':') {
        Some(colon) => {
            let password = &user[colon + 1..];
            // A variable is no password.
            if !password.is_empty() && !b"$<{%*".contains(&password[0]) {
                found.push(Found::password(start + colon + 1..start + host));
            }
        }
        None if user.len() >= 20 && user.iter().any(u8::is_ascii_digit) => {
            found.push(Found::token(start..start + host));
        }
        None => {}
    }
    Some(start + host + 1)
}

/// Lines that are the inside of a key and nothing else, where the beginning of
/// the key is not in sight.
fn body_lines(text: &str, found: &mut Vec<Found>) {
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let body = line.trim_matches([' ', '\t', '\r', '\n', '+', '"', ',']);
        if is_key_body(body) {
            let at = start + line.find(body).unwrap_or_default();
            found.push(Found::key(at..at + body.len()));
        }
        start += line.len();
    }
}

/// Base64 with all kinds of characters: no hash has capital letters too.
pub(super) fn is_key_body(line: &str) -> bool {
    let bytes = line.as_bytes();
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"+/=".contains(byte);
    let long = bytes.len() >= 40 || (bytes.len() >= 16 && bytes.ends_with(b"="));
    long && bytes.len() <= 128
        && bytes.iter().all(plain)
        && is_mixed(bytes)
        && bytes.iter().any(u8::is_ascii_lowercase)
}
