//! Characters and words: quotes, variables, substitutions.

use super::assignment::expands_later;
use super::growing::{Growing, Quoted};
use super::inside::may_run;
use super::{MAX_DEPTH, Unparsed, Word};
use crate::shell::grammar;

/// What a text holds, before wrappers are looked into.
#[derive(Debug, Default)]
pub(super) struct Read {
    pub(super) commands: Vec<super::Simple>,
    pub(super) special: Vec<String>,
    pub(super) unsure: Vec<String>,
    pub(super) texts: Vec<String>,
    pub(super) made: Vec<String>,
    pub(super) filled: Vec<String>,
    pub(super) substitutes: bool,
    pub(super) repeats: bool,
}

impl Read {
    /// Notes a word that the shell fills in.
    pub(super) fn fill(&mut self, word: &Word) {
        if word.text().is_none() {
            self.filled.push(word.source.clone());
        }
    }

    /// Adds what was found in a text inside this one.
    fn take(&mut self, inner: Self) {
        self.special.extend(inner.special);
        self.unsure.extend(inner.unsure);
        // What is only passed through becomes part of a word, which is not known
        // before it runs and looked at as such.
        if inner.commands.iter().any(may_run) {
            self.texts.extend(inner.texts);
            self.made.extend(inner.made);
        }
        self.filled.extend(inner.filled);
        self.commands.extend(inner.commands);
        self.substitutes |= inner.substitutes;
        self.repeats |= inner.repeats;
    }
}

/// A place in a text, and what was found before it.
pub(super) struct Reader<'a> {
    pub(super) text: &'a str,
    pub(super) at: usize,
    pub(super) depth: usize,
    pub(super) read: Read,
    pub(super) heredocs: Vec<HereDoc>,
}

/// A here-document whose body has not come yet.
pub(super) struct HereDoc {
    pub(super) end: String,
    pub(super) expands: bool,
    pub(super) strips_tabs: bool,
}

impl<'a> Reader<'a> {
    pub(super) fn new(text: &'a str, depth: usize) -> Self {
        Self {
            text,
            at: 0,
            depth,
            read: Read::default(),
            heredocs: Vec::new(),
        }
    }

    pub(super) fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    pub(super) fn starts(&self, what: &str) -> bool {
        self.rest().starts_with(what)
    }

    pub(super) fn eat(&mut self, what: &str) -> bool {
        let found = self.starts(what);
        if found {
            self.at += what.len();
        }
        found
    }

    pub(super) fn next(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += c.len_utf8();
        Some(c)
    }

    /// Runs `inner` one level deeper.
    pub(super) fn deeper<T>(
        &mut self,
        inner: impl FnOnce(&mut Self) -> Result<T, Unparsed>,
    ) -> Result<T, Unparsed> {
        if self.depth >= MAX_DEPTH {
            return Err(Unparsed::because("commands lie too deep in each other"));
        }
        self.depth += 1;
        let result = inner(self);
        self.depth -= 1;
        result
    }

    /// Skips blanks, and lines that go on after a backslash.
    pub(super) fn blanks(&mut self) -> Result<(), Unparsed> {
        loop {
            if self.starts("\\\n") {
                // Elsewhere the shell joins what stands before and after, also
                // inside operators and reserved words.
                let before = self.text.get(..self.at).unwrap_or_default();
                if !before.is_empty() && !before.ends_with([' ', '\t', '\n']) {
                    return Err(Unparsed::because("a line goes on inside a word"));
                }
                self.at += 2;
            } else if !(self.eat(" ") || self.eat("\t")) {
                return Ok(());
            }
        }
    }

    /// Reads a word; `None` if there is none here.
    pub(super) fn word(&mut self) -> Result<Option<Word>, Unparsed> {
        let start = self.at;
        let mut word = Growing::default();
        while let Some(c) = self.peek() {
            match c {
                ' ' | '\t' | '\n' | ';' | '&' | '|' | '(' | ')' => break,
                '<' | '>' => {
                    if !(self.starts("<(") || self.starts(">(")) {
                        break;
                    }
                    self.at += 1;
                    self.substitution()?;
                    word.becomes(Quoted::No);
                }
                '\'' => self.single(&mut word)?,
                '"' => {
                    self.at += 1;
                    self.double(&mut word)?;
                }
                '\\' => self.escaped(&mut word)?,
                '$' => self.dollar(&mut word, Quoted::No)?,
                '`' => self.backticks(&mut word, Quoted::No)?,
                _ => self.plain(&mut word, c, start),
            }
        }
        if self.at == start {
            return Ok(None);
        }
        let source = self.text.get(start..self.at).unwrap_or_default().to_owned();
        Ok(Some(word.finish(source)))
    }

    fn plain(&mut self, word: &mut Growing, c: char, start: usize) {
        let first = self.at == start;
        self.at += c.len_utf8();
        match c {
            // `[` alone is the test command.
            '[' if first && self.ends_word() => word.text.push(c),
            '*' | '?' | '[' => word.wild.push((word.text.len(), c)),
            '~' if first && self.eat("/") => word.home = true,
            '~' if first => word.becomes(Quoted::Yes),
            // To zsh `=x` is where the program x is.
            '=' if first && !self.ends_word() && !self.starts("=") => word.becomes(Quoted::Yes),
            // As in `of=~/x`, which looks like an assignment.
            '~' if word.text.ends_with(['=', ':']) => word.becomes(Quoted::Yes),
            '{' => {
                word.open_brace = true;
                word.text.push(c);
            }
            '}' => {
                word.close_brace = true;
                word.text.push(c);
            }
            _ => word.text.push(c),
        }
    }

    fn ends_word(&self) -> bool {
        self.peek().is_none_or(|c| {
            matches!(
                c,
                ' ' | '\t' | '\n' | ';' | '&' | '|' | '(' | ')' | '<' | '>'
            )
        })
    }

    fn single(&mut self, word: &mut Growing) -> Result<(), Unparsed> {
        self.at += 1;
        let Some(length) = self.rest().find('\'') else {
            return Err(Unparsed::broken("a quote is not closed"));
        };
        word.text.push_str(&self.rest()[..length]);
        self.at += length + 1;
        Ok(())
    }

    fn escaped(&mut self, word: &mut Growing) -> Result<(), Unparsed> {
        self.at += 1;
        match self.next() {
            Some('\n') => Err(Unparsed::because("a line goes on inside a word")),
            Some(c) => {
                word.text.push(c);
                Ok(())
            }
            None => Err(Unparsed::because("it ends in a backslash")),
        }
    }

    /// After the opening double quote.
    fn double(&mut self, word: &mut Growing) -> Result<(), Unparsed> {
        loop {
            match self.peek() {
                None => return Err(Unparsed::broken("a quote is not closed")),
                Some('"') => {
                    self.at += 1;
                    return Ok(());
                }
                Some('\\') => {
                    self.at += 1;
                    match self.next() {
                        Some(c @ ('$' | '`' | '"' | '\\')) => word.text.push(c),
                        Some('\n') | None => {
                            return Err(Unparsed::because("a line goes on inside a quote"));
                        }
                        Some(c) => {
                            word.text.push('\\');
                            word.text.push(c);
                        }
                    }
                }
                Some('$') => self.dollar(word, Quoted::Yes)?,
                Some('`') => self.backticks(word, Quoted::Yes)?,
                Some(c) => {
                    self.at += c.len_utf8();
                    word.text.push(c);
                }
            }
        }
    }

    fn dollar(&mut self, word: &mut Growing, quoted: Quoted) -> Result<(), Unparsed> {
        self.at += 1;
        if self.starts("((") || self.starts("[") {
            return Err(Unparsed::because("it computes with $((…))"));
        }
        match self.peek() {
            Some('(') => {
                word.becomes(quoted);
                self.substitution()
            }
            Some('{') => {
                // In quotes an array still becomes several words.
                let simple = self.braces()?;
                word.becomes(if simple { quoted } else { Quoted::No });
                Ok(())
            }
            Some('\'') if quoted == Quoted::No => self.ansi(word),
            Some('"') if quoted == Quoted::No => {
                Err(Unparsed::because("it uses a translated text $\"…\""))
            }
            Some(c) if c == '_' || c.is_ascii_alphabetic() => {
                word.becomes(quoted);
                while self
                    .peek()
                    .is_some_and(|c| c == '_' || c.is_ascii_alphanumeric())
                {
                    self.at += 1;
                }
                self.subscripts_alike()
            }
            Some(c) if c.is_ascii_digit() || "@*#?-$!".contains(c) => {
                word.becomes(if c == '@' { Quoted::No } else { quoted });
                self.at += 1;
                self.subscripts_alike()
            }
            Some('\\') => Err(Unparsed::because("a dollar sign stands before a backslash")),
            _ => {
                self.dollar_alike()?;
                word.text.push('$');
                Ok(())
            }
        }
    }

    /// `$(…)`, `<(…)` and `>(…)`, at the parenthesis.
    fn substitution(&mut self) -> Result<(), Unparsed> {
        self.at += 1;
        self.read.substitutes = true;
        let waiting = std::mem::take(&mut self.heredocs);
        let outer = std::mem::take(&mut self.read);
        self.deeper(|reader| reader.list(&[], Some(')')))?;
        let inner = std::mem::replace(&mut self.read, outer);
        self.read.take(inner);
        if !self.heredocs.is_empty() || !self.eat(")") {
            return Err(Unparsed::broken("a substitution is not closed"));
        }
        self.heredocs = waiting;
        Ok(())
    }

    fn backticks(&mut self, word: &mut Growing, quoted: Quoted) -> Result<(), Unparsed> {
        self.at += 1;
        word.becomes(quoted);
        self.read.substitutes = true;
        let mut inner = String::new();
        loop {
            match self.next() {
                None => return Err(Unparsed::broken("a substitution is not closed")),
                Some('`') => break,
                Some('\\') => match self.next() {
                    Some(c @ ('`' | '\\' | '$')) => inner.push(c),
                    Some('"') if quoted == Quoted::Yes => inner.push('"'),
                    Some('\n') | None => {
                        return Err(Unparsed::because("a line goes on inside a substitution"));
                    }
                    Some(c) => {
                        inner.push('\\');
                        inner.push(c);
                    }
                },
                Some(c) => inner.push(c),
            }
        }
        let read = self.deeper(|reader| grammar::read(&inner, reader.depth))?;
        self.read.take(read);
        Ok(())
    }

    /// `${…}`, at the brace; whether it is no more than a name.
    fn braces(&mut self) -> Result<bool, Unparsed> {
        self.at += 1;
        let rest = self.rest();
        let Some(length) = rest.find('}') else {
            return Err(Unparsed::broken("an expansion is not closed"));
        };
        let inside = &rest[..length];
        let named = |text: &str| {
            text.starts_with(|c: char| c == '_' || c.is_ascii_alphabetic())
                && text.chars().all(|c| c == '_' || c.is_ascii_alphanumeric())
        };
        let simple = named(inside);
        if !simple {
            if inside.is_empty() || inside.contains(['\'', '"', '\\', '$', '`', '{', '(', '\n']) {
                return Err(Unparsed::because(
                    "it uses an expansion ${…} that is not simple",
                ));
            }
            // Such an expansion may set a variable or run what a variable holds.
            let what = format!("it uses the expansion ${{{inside}}}");
            if evaluates(inside) {
                self.read.unsure.push(what.clone());
            }
            self.read.special.push(what);
        }
        self.at += length + 1;
        Ok(simple)
    }

    /// `$'…'`, at the quote.
    fn ansi(&mut self, word: &mut Growing) -> Result<(), Unparsed> {
        self.at += 1;
        loop {
            match self.next() {
                None => return Err(Unparsed::broken("a quote is not closed")),
                Some('\'') => return Ok(()),
                Some('\\') => {
                    let c = self.ansi_escape()?;
                    word.text.push(c);
                }
                Some(c) => word.text.push(c),
            }
        }
    }

    fn ansi_escape(&mut self) -> Result<char, Unparsed> {
        let odd = || Unparsed::because("it uses an escape in $'…' that is not simple");
        let code = match self.next().ok_or_else(odd)? {
            c @ ('\\' | '\'' | '"' | '?') => return Ok(c),
            'a' => 7,
            'b' => 8,
            'e' | 'E' => 27,
            'f' => 12,
            'n' => 10,
            'r' => 13,
            't' => 9,
            'v' => 11,
            'x' => self.digits(16, 2),
            'u' => self.digits(16, 4),
            'U' => self.digits(16, 8),
            '0'..='7' => {
                self.at -= 1;
                self.digits(8, 3)
            }
            _ => return Err(odd()),
        };
        // Zero ends the word early, and bytes above ASCII depend on the locale.
        match char::from_u32(code) {
            Some(c) if c.is_ascii() && c != '\0' => Ok(c),
            _ => Err(odd()),
        }
    }

    /// A number of at most `most` digits; zero if there is none.
    fn digits(&mut self, radix: u32, most: usize) -> u32 {
        let mut value: u32 = 0;
        for _ in 0..most {
            let Some(digit) = self.peek().and_then(|c| c.to_digit(radix)) else {
                break;
            };
            value = value.saturating_mul(radix).saturating_add(digit);
            self.at += 1;
        }
        value
    }

    /// Reads the bodies of the here-documents that were announced on the line
    /// that has just ended.
    pub(super) fn bodies(&mut self) -> Result<(), Unparsed> {
        for document in std::mem::take(&mut self.heredocs) {
            let mut body = String::new();
            loop {
                if self.rest().is_empty() {
                    return Err(Unparsed::broken("a here-document is not closed"));
                }
                let rest = self.rest();
                let (line, length) = rest
                    .find('\n')
                    .map_or((rest, rest.len()), |end| (&rest[..end], end + 1));
                self.at += length;
                let bare = if document.strips_tabs {
                    line.trim_start_matches('\t')
                } else {
                    line
                };
                if bare == document.end {
                    break;
                }
                if document.expands && line.ends_with('\\') {
                    return Err(Unparsed::because("a line goes on inside a here-document"));
                }
                body.push_str(line);
                body.push('\n');
            }
            if document.expands {
                self.expand(&body)?;
                if expands_later(&body) {
                    self.read.made.push(body.clone());
                }
                self.read.filled.push(body.clone());
            }
            self.read.texts.push(body);
        }
        Ok(())
    }

    /// Finds the substitutions in a here-document.
    fn expand(&mut self, body: &str) -> Result<(), Unparsed> {
        let mut inner = Reader::new(body, self.depth);
        let mut word = Growing::default();
        while let Some(c) = inner.peek() {
            match c {
                '\\' => {
                    inner.at += 1;
                    inner.next();
                }
                '$' => inner.dollar(&mut word, Quoted::Yes)?,
                '`' => inner.backticks(&mut word, Quoted::Yes)?,
                _ => inner.at += c.len_utf8(),
            }
        }
        self.read.take(inner.read);
        Ok(())
    }
}

/// Whether an expansion may run what a variable holds: `${x@P}`, `${!x}`,
/// `${a[x]}`, `${x:y}`.
fn evaluates(inside: &str) -> bool {
    let offset = |(_, rest): (&str, &str)| !rest.starts_with(['-', '=', '+', '?']);
    inside.starts_with('!')
        || inside.contains(['@', '['])
        || inside.split_once(':').is_some_and(offset)
}
