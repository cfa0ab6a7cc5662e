//! Hunks out of a patch as git writes it.
//!
//! A hunk says how many lines it has, and those are taken whatever they look
//! like: a file that contains a patch does not confuse its own.

use std::collections::BTreeMap;

use baton_protocol::{api::DiffHunk, event::LineKind};

use super::{hunk, line, row, words};

/// The change of one file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Patch {
    pub(super) hunks: Vec<DiffHunk>,
    pub(super) truncated: bool,
}

/// Patches by the path that the file has now, or had if it is gone.
pub(super) fn parse(bytes: &[u8], cut: bool) -> BTreeMap<Vec<u8>, Patch> {
    let mut reader = Reader { rest: bytes };
    let mut patches: BTreeMap<Vec<u8>, Patch> = BTreeMap::new();
    let (mut old, mut path) = (None, None);
    while let Some(text) = reader.next() {
        if text.starts_with(b"diff --git ") {
            (old, path) = (None, None);
        } else if let Some(name) = text.strip_prefix(b"--- ") {
            old = file_name(name, b"a/");
        } else if let Some(name) = text.strip_prefix(b"+++ ") {
            path = file_name(name, b"b/").or(old.take());
        } else if let Some(ranges) = text.strip_prefix(b"@@ ")
            && let (Some(path), Some((old, new))) = (&path, ranges_of(ranges))
        {
            let patch = patches.entry(path.clone()).or_default();
            let mut hunk = hunk(old, new);
            patch.truncated |= reader.fill(&mut hunk);
            words::mark(&mut hunk.lines);
            patch.hunks.push(hunk);
        }
    }
    // Where the text ends, the file does not.
    if cut && let Some(patch) = path.and_then(|path| patches.get_mut(&path)) {
        patch.truncated = true;
    }
    patches
}

struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    fn next(&mut self) -> Option<&'a [u8]> {
        if self.rest.is_empty() {
            return None;
        }
        let end = memchr::memchr(b'\n', self.rest);
        let (text, rest) = match end {
            Some(end) => (&self.rest[..end], &self.rest[end + 1..]),
            None => (self.rest, &[][..]),
        };
        self.rest = rest;
        Some(text)
    }

    /// Takes as many lines as the hunk has; true if some were cut or missing.
    fn fill(&mut self, hunk: &mut DiffHunk) -> bool {
        let (mut old, mut new) = (hunk.old_start, hunk.new_start);
        let old_end = old.saturating_add(hunk.old_lines);
        let new_end = new.saturating_add(hunk.new_lines);
        let mut short = false;
        while old < old_end || new < new_end || self.rest.starts_with(b"\\") {
            let Some(text) = self.next() else {
                return true;
            };
            let (sign, text) = text.split_first().unwrap_or((&b' ', &[]));
            if *sign == b'\\' {
                if let Some(last) = hunk.lines.last_mut() {
                    last.no_newline = true;
                }
                continue;
            }
            let (text, cut) = line(&String::from_utf8_lossy(text));
            short |= cut;
            hunk.lines.push(match sign {
                b'+' => row(LineKind::Added, None, Some(new), text),
                b'-' => row(LineKind::Removed, Some(old), None, text),
                _ => row(LineKind::Same, Some(old), Some(new), text),
            });
            old += u64::from(*sign != b'+');
            new += u64::from(*sign != b'-');
        }
        short
    }
}

/// `-12,3 +12,4 @@ …`
fn ranges_of(text: &[u8]) -> Option<((u64, u64), (u64, u64))> {
    let text = String::from_utf8_lossy(text);
    let mut parts = text.split(' ');
    let range = |part: &str, sign: char| {
        let part = part.strip_prefix(sign)?;
        let (start, lines) = part.split_once(',').unwrap_or((part, "1"));
        Some((start.parse::<u64>().ok()?, lines.parse::<u64>().ok()?))
    };
    Some((range(parts.next()?, '-')?, range(parts.next()?, '+')?))
}

/// A name behind `---` or `+++`; none for `/dev/null`.
fn file_name(text: &[u8], prefix: &[u8]) -> Option<Vec<u8>> {
    // A tab ends a name that has blanks.
    let text = text.strip_suffix(b"\t").unwrap_or(text);
    let name = match text.strip_prefix(b"\"") {
        Some(quoted) => unquote(quoted)?,
        None => text.to_owned(),
    };
    name.strip_prefix(prefix).map(<[u8]>::to_owned)
}

/// As C writes strings; the opening quote is off.
fn unquote(text: &[u8]) -> Option<Vec<u8>> {
    let mut name = Vec::new();
    let mut bytes = text.iter().copied();
    loop {
        let byte = match bytes.next()? {
            b'"' => return Some(name),
            b'\\' => match bytes.next()? {
                b'a' => 7,
                b'b' => 8,
                b't' => b'\t',
                b'n' => b'\n',
                b'v' => 11,
                b'f' => 12,
                b'r' => b'\r',
                digit @ b'0'..=b'3' => {
                    let mut value = digit - b'0';
                    for _ in 0..2 {
                        let next = bytes.next().filter(|next| (b'0'..=b'7').contains(next))?;
                        value = value * 8 + (next - b'0');
                    }
                    value
                }
                other => other,
            },
            plain => plain,
        };
        name.push(byte);
    }
}

#[cfg(test)]
#[path = "patch_tests.rs"]
mod tests;
