//! Git's configuration format, read as git reads it.
//!
//! It follows includes nowhere and knows no meaning of any name. Git is not
//! asked, because running it in a strange folder is what must not happen.

/// One setting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct GitSetting {
    /// `section.name` or `section.subsection.name`; all but the subsection is lower case.
    pub(crate) name: String,
    /// The same as git compares it: a name need not be text.
    pub(crate) raw: Vec<u8>,
    /// `None` for a name alone, which means true.
    pub(crate) value: Option<String>,
}

impl GitSetting {
    pub(crate) fn section(&self) -> &str {
        self.name.split_once('.').map_or("", |(section, _)| section)
    }

    pub(crate) fn key(&self) -> &str {
        self.name
            .rsplit_once('.')
            .map_or(&self.name, |(_, key)| key)
    }

    pub(crate) fn text(&self) -> &str {
        self.value.as_deref().unwrap_or_default()
    }
}

/// What a file says, up to the line that git would refuse it at.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Config {
    pub(crate) entries: Vec<GitSetting>,
    pub(crate) bad_line: Option<usize>,
}

impl Config {
    /// The last value counts.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        let found = self.entries.iter().rev().find(|entry| entry.name == name);
        found.map(GitSetting::text)
    }
}

pub(crate) fn parse(bytes: &[u8]) -> Config {
    let mut entries = Vec::new();
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let mut source = Source {
        bytes,
        at: 0,
        line: 1,
        ended: false,
    };
    let whole = parse_all(&mut source, &mut entries);
    Config {
        entries,
        bad_line: whole.is_none().then_some(source.line),
    }
}

/// `None` where git stops and complains.
fn parse_all(source: &mut Source<'_>, entries: &mut Vec<GitSetting>) -> Option<()> {
    let mut section = Vec::new();
    loop {
        match source.next() {
            b'\n' if source.ended => return Some(()),
            b'#' | b';' => source.skip_line(),
            space if is_space(space) => {}
            b'[' => section = section_name(source)?,
            first if first.is_ascii_alphabetic() => {
                let mut name = section.clone();
                name.push(first.to_ascii_lowercase());
                let value = value_of(source, &mut name)?;
                entries.push(GitSetting {
                    name: String::from_utf8_lossy(&name).into_owned(),
                    value: value.map(|value| String::from_utf8_lossy(&value).into_owned()),
                    raw: name,
                });
            }
            _ => return None,
        }
    }
}

struct Source<'a> {
    bytes: &'a [u8],
    at: usize,
    line: usize,
    /// The newline that was read last is the end of the file.
    ended: bool,
}

impl Source<'_> {
    /// The end of the file reads as a newline, for ever; CR LF is one newline.
    fn next(&mut self) -> u8 {
        let Some(&byte) = self.bytes.get(self.at) else {
            self.ended = true;
            return b'\n';
        };
        self.at += 1;
        let byte = if byte == b'\r' && self.bytes.get(self.at) == Some(&b'\n') {
            self.at += 1;
            b'\n'
        } else {
            byte
        };
        if byte == b'\n' {
            self.line += 1;
        }
        byte
    }

    fn skip_line(&mut self) {
        while !matches!(self.bytes.get(self.at), None | Some(b'\n')) {
            self.at += 1;
        }
    }
}

/// What follows `[`, with a dot at its end.
fn section_name(source: &mut Source<'_>) -> Option<Vec<u8>> {
    let mut name = Vec::new();
    loop {
        match source.next() {
            _ if source.ended => return None,
            b']' if name.is_empty() => return None,
            b']' => break,
            space if is_space(space) => {
                subsection(source, space, &mut name)?;
                break;
            }
            byte if is_name(byte) || byte == b'.' => name.push(byte.to_ascii_lowercase()),
            _ => return None,
        }
    }
    name.push(b'.');
    Some(name)
}

/// What follows the space in `[section "subsection"]`.
fn subsection(source: &mut Source<'_>, mut byte: u8, name: &mut Vec<u8>) -> Option<()> {
    while is_space(byte) {
        if byte == b'\n' {
            return None;
        }
        byte = source.next();
    }
    if byte != b'"' {
        return None;
    }
    name.push(b'.');
    loop {
        match source.next() {
            b'\n' => return None,
            b'"' => break,
            b'\\' => match source.next() {
                b'\n' => return None,
                escaped => name.push(escaped),
            },
            plain => name.push(plain),
        }
    }
    (source.next() == b']').then_some(())
}

/// Takes the rest of the name and what is set to it; the inner `None` is a name alone.
#[expect(
    clippy::option_option,
    reason = "refused, no value and a value are three different things"
)]
fn value_of(source: &mut Source<'_>, name: &mut Vec<u8>) -> Option<Option<Vec<u8>>> {
    let mut byte = source.next();
    while is_name(byte) {
        name.push(byte.to_ascii_lowercase());
        byte = source.next();
    }
    while matches!(byte, b' ' | b'\t') {
        byte = source.next();
    }
    match byte {
        b'\n' => Some(None),
        b'=' => value(source).map(Some),
        _ => None,
    }
}

fn value(source: &mut Source<'_>) -> Option<Vec<u8>> {
    let mut value = Vec::new();
    // Where the whitespace at the end begins, if the value ends with some.
    let mut end = None;
    let mut quoted = false;
    loop {
        match source.next() {
            b'\n' if quoted => return None,
            b'\n' => break,
            space if is_space(space) && !quoted => {
                if !value.is_empty() {
                    end.get_or_insert(value.len());
                    value.push(space);
                }
                continue;
            }
            b';' | b'#' if !quoted => {
                source.skip_line();
                continue;
            }
            b'\\' => match source.next() {
                b'\n' => {}
                b't' => value.push(b'\t'),
                b'b' => value.push(0x08),
                b'n' => value.push(b'\n'),
                same @ (b'\\' | b'"') => value.push(same),
                _ => return None,
            },
            b'"' => quoted = !quoted,
            plain => value.push(plain),
        }
        end = None;
    }
    if let Some(end) = end {
        value.truncate(end);
    }
    Some(value)
}

const fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

const fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'-'
}

#[cfg(test)]
#[path = "config_tests.rs"]
mod tests;
