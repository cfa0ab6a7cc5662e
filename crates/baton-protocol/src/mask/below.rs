//! Values that stand on the lines below the name that announces them: a YAML
//! block, a prompt and its answer, JSON that is broken into many lines.

use std::ops::Range;

use super::assigned::{Announced, Written, announced, is_secret, name_before};

/// So many empty lines may stand between a name and its value.
const EMPTY: usize = 1;

/// How a line ends that leaves its value to those below.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Opened {
    /// `password:`, with the value alone on a line.
    Line,
    /// `password =`, as in code: only a text in quotes is a value.
    Code,
    /// `password: |`, with all lines that stand further in.
    Block,
}

/// Where the values are that the lines of a text announce for those below.
pub(super) fn find(text: &str) -> Vec<(Announced, Range<usize>)> {
    let mut found = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        at += line.len();
        if let Some((announced, opened)) = opens(line)
            && line.ends_with('\n')
        {
            let ranges = values(&text[at..], line, announced, opened);
            let moved = |range: Range<usize>| (announced, range.start + at..range.end + at);
            found.extend(ranges.into_iter().map(moved));
        }
    }
    found
}

/// Whether the value that a line announces is on those below it.
pub(super) fn is_open(line: &str) -> bool {
    opens(line).is_some()
}

/// Whether nothing below these lines, the first of which is open, belongs to it.
pub(super) fn is_closed(lines: &str) -> bool {
    let mut lines = lines.split_inclusive('\n');
    let first = lines.next().unwrap_or_default();
    match opens(first) {
        None => true,
        Some((_, Opened::Block)) => lines.any(|line| !belongs(first, line)),
        Some((_, Opened::Line | Opened::Code)) => {
            lines.clone().count() > EMPTY || lines.any(|line| !content(line).trim().is_empty())
        }
    }
}

fn opens(line: &str) -> Option<(Announced, Opened)> {
    let line = line.trim_end();
    let mark = line.trim_end_matches(|c: char| c.is_ascii_digit() || c == '-' || c == '+');
    let block = mark
        .strip_suffix(['|', '>'])
        .map(str::trim_end)
        .filter(|rest| rest.ends_with(':'));
    let (line, opened) = match block {
        Some(rest) => (rest, Opened::Block),
        None if line.ends_with('=') => (line, Opened::Code),
        None if line.ends_with([':', '>']) => (line, Opened::Line),
        None => return None,
    };
    let tag = line.ends_with('>');
    let before = line[..line.len() - 1].trim_end();
    // Of `PASSWORD=` the value is empty.
    if opened == Opened::Code && before.len() + 1 == line.len() {
        return None;
    }
    let (name, _) = name_before(before.as_bytes())?;
    let begins = &before[..before.len() - name.len()];
    if tag && !begins.ends_with('<') {
        return None;
    }
    Some((announced(name)?, opened))
}

fn values(below: &str, first: &str, announced: Announced, opened: Opened) -> Vec<Range<usize>> {
    let mut at = 0;
    let lines = below.split_inclusive('\n').map(|line| {
        at += line.len();
        let text = content(line);
        // Where the text of the line is, without blanks around it.
        let start = at - text.trim_start().len();
        (line, start..start + text.trim().len())
    });
    if opened == Opened::Block {
        let lines = lines.take_while(|(line, _)| belongs(first, line));
        let lines = lines.map(|(_, range)| range);
        let lines: Vec<_> = lines.filter(|range| !range.is_empty()).collect();
        let secret =
            |range: &Range<usize>| is_secret(announced, &below[range.clone()], Written::Quoted);
        return if lines.iter().any(secret) {
            lines
        } else {
            Vec::new()
        };
    }
    let mut lines = lines.map(|(_, range)| range).take(EMPTY + 1);
    let Some(range) = lines.find(|range| !range.is_empty()) else {
        return Vec::new();
    };
    let value = &below[range.clone()];
    let bare = value.trim_end_matches([',', ';']);
    let quoted = ['"', '\'', '`'].into_iter().find_map(|quote| {
        let inner = bare.strip_prefix(quote)?.strip_suffix(quote)?;
        (!inner.contains(quote)).then_some(inner)
    });
    let (value, secret) = match quoted {
        Some(inner) => (inner, is_secret(announced, inner, Written::Quoted)),
        None => (bare, opened == Opened::Line && is_alone(announced, bare)),
    };
    if !secret {
        return Vec::new();
    }
    let start = range.start + usize::from(quoted.is_some());
    let value = start..start + value.len();
    std::iter::once(value).collect()
}

/// Whether a word that is all of its line is a value and not the next field,
/// the item of a list or a piece of code.
fn is_alone(announced: Announced, value: &str) -> bool {
    let field = value.trim_end_matches('=').contains('=') || value.ends_with(':');
    let other = value.starts_with(['-', '#', '/', '.', '|', '+']) || value.contains("://");
    let letter = value.bytes().any(|byte| byte.is_ascii_alphabetic());
    !field
        && !other
        && (letter || announced == Announced::Password)
        && value.bytes().any(|byte| byte.is_ascii_digit())
        && is_secret(announced, value, Written::Tight)
}

/// Whether a line is one of the block that the first one opens.
fn belongs(first: &str, line: &str) -> bool {
    let (first, line) = (content(first), content(line));
    line.trim().is_empty() || indent(line) > indent(first)
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start_matches([' ', '\t']).len()
}

/// A line without the number that a listing, or the mark that a comparison,
/// puts before it.
fn content(line: &str) -> &str {
    let rest = line.trim_start_matches(' ');
    let rest = rest.trim_start_matches(|c: char| c.is_ascii_digit());
    let numbered = rest.len() < line.trim_start_matches(' ').len();
    if numbered && let Some(rest) = rest.strip_prefix(['→', '\t']) {
        return rest;
    }
    line.strip_prefix(['+', '-'])
        .filter(|rest| rest.starts_with([' ', '\t']) || rest.len() > 1)
        .unwrap_or(line)
}
