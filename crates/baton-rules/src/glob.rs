//! Wildcards in texts and in paths.

use std::fmt;

/// A text with `*` in it, each of which stands for anything.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Wild {
    /// The texts between the wildcards; one more than there are wildcards.
    pub(crate) pieces: Vec<String>,
}

impl Wild {
    pub(crate) fn matches(&self, text: &str) -> bool {
        let [first, middle @ .., last] = self.pieces.as_slice() else {
            return self.pieces.first().is_some_and(|piece| piece == text);
        };
        let Some(mut rest) = text.strip_prefix(first.as_str()) else {
            return false;
        };
        for piece in middle {
            let Some(at) = rest.find(piece.as_str()) else {
                return false;
            };
            rest = &rest[at + piece.len()..];
        }
        rest.ends_with(last.as_str())
    }

    /// Whether it stands for every text.
    pub(crate) fn is_all(&self) -> bool {
        self.pieces.len() > 1 && self.pieces.iter().all(String::is_empty)
    }
}

/// One folder or file name of a path pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Segment {
    /// `**`: any number of names.
    Any,
    Name(Vec<Token>),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Token {
    Char(char),
    /// `?`
    One,
    /// `*`
    Many,
    Class {
        negated: bool,
        ranges: Vec<(char, char)>,
    },
}

impl Token {
    /// The character that it is, or what stands for it.
    pub(crate) const fn plain(&self) -> char {
        match self {
            Self::Char(c) => *c,
            Self::One | Self::Many | Self::Class { .. } => '*',
        }
    }
}

/// A path pattern, below some folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PathGlob {
    pub(crate) segments: Vec<Segment>,
}

impl PathGlob {
    /// Whether the first name that it stands for has a dot written first: a shell
    /// puts no such name in for a wildcard.
    pub(crate) fn begins_with_dot(&self) -> bool {
        let first = self.segments.first();
        matches!(first, Some(Segment::Name(name)) if name.first() == Some(&Token::Char('.')))
    }

    /// Reads the part of a pattern after its root. `Err` says what is wrong.
    pub(crate) fn parse(text: &str) -> Result<Self, &'static str> {
        let mut segments = Vec::new();
        // One backslash escapes the next, and then the slash is none of its business.
        let is_escaped = |(at, _): (usize, &str)| {
            let before = text[..at].bytes().rev();
            before.take_while(|byte| *byte == b'\\').count() % 2 == 1
        };
        if text.match_indices('/').any(is_escaped) {
            return Err("a slash cannot be part of a name");
        }
        for name in text.split('/') {
            match name {
                "" => return Err("a name in the path is empty"),
                "." | ".." => return Err("a path in a rule has no `.` or `..` in it"),
                "**" => {
                    if segments.last() != Some(&Segment::Any) {
                        segments.push(Segment::Any);
                    }
                }
                name if name.contains("**") => return Err("`**` stands alone between slashes"),
                name => match tokens(name)?.as_slice() {
                    [Token::Char('.')] | [Token::Char('.'), Token::Char('.')] => {
                        return Err("a path in a rule has no `.` or `..` in it");
                    }
                    tokens => segments.push(Segment::Name(tokens.to_vec())),
                },
            }
        }
        Ok(Self { segments })
    }

    /// A pattern of these names; `None` if one of them leads up or nowhere.
    pub(crate) fn of_names<'a>(names: impl Iterator<Item = &'a [Token]>) -> Option<Self> {
        let segments: Option<Vec<Segment>> = names
            .map(|name| match name {
                [Token::Char('.')] | [Token::Char('.'), Token::Char('.')] => None,
                // Some shells let it cross folders, and `***` links too.
                [Token::Many, Token::Many, rest @ ..]
                    if rest.iter().all(|token| *token == Token::Many) =>
                {
                    Some(Segment::Any)
                }
                name => Some(Segment::Name(name.to_vec())),
            })
            .collect();
        segments.map(|segments| Self { segments })
    }

    /// How many folders deep what it stands for may lie, but for `most`.
    pub(crate) fn levels(&self, most: usize) -> usize {
        if self.segments.contains(&Segment::Any) {
            most
        } else {
            self.segments.len()
        }
    }

    /// Whether it begins with a folder that is known, and not anywhere.
    pub(crate) fn is_rooted(&self) -> bool {
        self.segments.first() != Some(&Segment::Any)
    }

    /// Whether the names of a path below the pattern's root match.
    pub(crate) fn matches(&self, names: &[&str]) -> bool {
        matches(&self.segments, names)
    }

    /// Whether a path matches, or a folder that it is in does.
    pub(crate) fn matches_above(&self, names: &[&str]) -> bool {
        (1..=names.len()).any(|length| self.matches(&names[..length])) || self.matches(names)
    }

    /// Whether everything below a folder matches.
    pub(crate) fn covers_below(&self, names: &[&str]) -> bool {
        let Some((Segment::Any, above)) = self.segments.split_last() else {
            return false;
        };
        (0..=names.len()).any(|length| matches(above, &names[..length]))
    }

    /// Whether something below a folder may match.
    pub(crate) fn touches_below(&self, names: &[&str]) -> bool {
        touches(&self.segments, names)
    }
}

fn tokens(name: &str) -> Result<Vec<Token>, &'static str> {
    let mut tokens = Vec::new();
    let mut chars = name.chars();
    while let Some(c) = chars.next() {
        tokens.push(match c {
            '\\' => Token::Char(chars.next().ok_or("the path ends in a backslash")?),
            '*' => Token::Many,
            '?' => Token::One,
            '[' => class(&mut chars)?,
            '{' | '}' => {
                return Err(
                    "braces are not wildcards here; write one rule for each name, or escape them",
                );
            }
            _ => Token::Char(c),
        });
    }
    Ok(tokens)
}

fn class(chars: &mut std::str::Chars<'_>) -> Result<Token, &'static str> {
    const OPEN: &str = "a `[` in the path is not closed";
    let mut negated = false;
    let mut ranges = Vec::new();
    let mut next = chars.next().ok_or(OPEN)?;
    if matches!(next, '!' | '^') {
        negated = true;
        next = chars.next().ok_or(OPEN)?;
    }
    loop {
        if next == ']' && !ranges.is_empty() {
            return Ok(Token::Class { negated, ranges });
        }
        if next == '\\' {
            next = chars.next().ok_or(OPEN)?;
        }
        let mut ahead = chars.clone();
        if ahead.next() == Some('-') && ahead.clone().next().is_some_and(|end| end != ']') {
            let end = ahead.next().ok_or(OPEN)?;
            ranges.push((next, end));
            *chars = ahead;
        } else {
            ranges.push((next, next));
        }
        next = chars.next().ok_or(OPEN)?;
    }
}

/// Iterative with one point to go back to, so that hostile patterns cost no
/// more than length times length.
fn matches(segments: &[Segment], names: &[&str]) -> bool {
    let (mut at, mut seen) = (0, 0);
    let mut retry: Option<(usize, usize)> = None;
    loop {
        match segments.get(at) {
            Some(Segment::Any) => {
                // At the end it stands for at least one name: what is below.
                if at + 1 == segments.len() {
                    return seen < names.len();
                }
                retry = Some((at + 1, seen));
                at += 1;
                continue;
            }
            Some(Segment::Name(tokens))
                if names
                    .get(seen)
                    .is_some_and(|name| name_matches(tokens, name)) =>
            {
                at += 1;
                seen += 1;
                continue;
            }
            Some(Segment::Name(_)) => {}
            None if seen == names.len() => return true,
            None => {}
        }
        match retry {
            Some((segment, from)) if from < names.len() => {
                at = segment;
                seen = from + 1;
                retry = Some((segment, seen));
            }
            _ => return false,
        }
    }
}

/// Whether some path that begins with `names` may match.
fn touches(segments: &[Segment], names: &[&str]) -> bool {
    for (at, name) in names.iter().enumerate() {
        match segments.get(at) {
            Some(Segment::Any) => return true,
            Some(Segment::Name(tokens)) if name_matches(tokens, name) => {}
            // The pattern names a folder above, so all below is meant.
            None => return true,
            Some(Segment::Name(_)) => return false,
        }
    }
    true
}

fn name_matches(tokens: &[Token], name: &str) -> bool {
    let chars: Vec<char> = name.chars().collect();
    let (mut at, mut seen) = (0, 0);
    let mut retry: Option<(usize, usize)> = None;
    loop {
        let step = match (tokens.get(at), chars.get(seen)) {
            (Some(Token::Many), _) => {
                retry = Some((at + 1, seen));
                at += 1;
                continue;
            }
            (Some(Token::Char(want)), Some(got)) => want == got,
            (Some(Token::One), Some(_)) => true,
            (Some(Token::Class { negated, ranges }), Some(got)) => {
                ranges.iter().any(|(from, to)| (from..=to).contains(&got)) != *negated
            }
            (None, None) => return true,
            _ => false,
        };
        if step {
            at += 1;
            seen += 1;
            continue;
        }
        match retry {
            Some((token, from)) if from < chars.len() => {
                at = token;
                seen = from + 1;
                retry = Some((token, seen));
            }
            _ => return false,
        }
    }
}

/// Writes a text with the characters in `special` escaped.
pub(crate) fn escape(f: &mut fmt::Formatter<'_>, text: &str, special: &str) -> fmt::Result {
    for c in text.chars() {
        if special.contains(c) {
            f.write_str("\\")?;
        }
        write!(f, "{c}")?;
    }
    Ok(())
}
