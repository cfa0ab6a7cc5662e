//! Lists, pipelines, loops, functions and redirections.

use super::assignment::{assigns, decides, decides_nothing, expands_later};
use super::reader::{HereDoc, Read, Reader};
use super::{Redirect, Simple, Unparsed, Word};

/// Words that mean something where a command may begin.
const RESERVED: &[&str] = &[
    "!", "[[", "{", "}", "case", "coproc", "do", "done", "elif", "else", "esac", "fi", "for",
    "foreach", "function", "if", "in", "repeat", "select", "then", "time", "until", "while",
];

/// Tests in `[[ … ]]` that evaluate their operands.
const COMPUTES: &[&str] = &["-eq", "-ne", "-lt", "-le", "-gt", "-ge", "-v", "-R"];

/// Reads a whole text.
pub(super) fn read(text: &str, depth: usize) -> Result<Read, Unparsed> {
    let mut reader = Reader::new(text, depth);
    reader.deeper(|reader| reader.list(&[], None))?;
    if !reader.rest().is_empty() {
        return Err(unexpected(&reader));
    }
    if !reader.heredocs.is_empty() {
        return Err(Unparsed::broken("a here-document has no body"));
    }
    Ok(reader.read)
}

fn unexpected(reader: &Reader<'_>) -> Unparsed {
    let near: String = reader.rest().chars().take(12).collect();
    if near.is_empty() {
        Unparsed::broken("it ends in the middle")
    } else {
        Unparsed::broken(format!("`{}` was not expected", near.escape_debug()))
    }
}

impl Reader<'_> {
    /// Commands up to one of the words in `stop`, or to `close`, or to the end.
    pub(super) fn list(&mut self, stop: &[&str], close: Option<char>) -> Result<(), Unparsed> {
        loop {
            self.lines()?;
            if self.peek().is_none() || (close.is_some() && self.peek() == close) {
                return Ok(());
            }
            if self.reserved().is_some_and(|word| stop.contains(&word)) {
                return Ok(());
            }
            if stop.contains(&";;") && self.starts(";;") {
                return Ok(());
            }
            self.and_or()?;
            self.blanks()?;
            if self.starts(";;") {
                return if stop.contains(&";;") {
                    Ok(())
                } else {
                    Err(unexpected(self))
                };
            }
            let more = self.eat(";") || (!self.starts("&&") && self.eat("&")) || self.starts("\n");
            if !more && self.peek().is_some() && self.peek() != close {
                return Err(unexpected(self));
            }
        }
    }

    /// Skips blanks, comments and line ends.
    fn lines(&mut self) -> Result<(), Unparsed> {
        loop {
            self.blanks()?;
            if self.starts("#") {
                self.comment();
            } else if self.eat("\n") {
                self.bodies()?;
            } else {
                return Ok(());
            }
        }
    }

    fn comment(&mut self) {
        self.at += self.rest().find('\n').unwrap_or(self.rest().len());
    }

    fn and_or(&mut self) -> Result<(), Unparsed> {
        loop {
            self.pipeline()?;
            self.blanks()?;
            if !(self.eat("&&") || self.eat("||")) {
                return Ok(());
            }
            self.lines()?;
        }
    }

    fn pipeline(&mut self) -> Result<(), Unparsed> {
        loop {
            self.blanks()?;
            if let Some(word @ ("!" | "time")) = self.reserved() {
                self.at += word.len();
                self.blanks()?;
                if word == "time" && self.starts("-") {
                    return Err(Unparsed::because("it uses options of `time`"));
                }
                continue;
            }
            let start = self.read.commands.len();
            self.command()?;
            self.blanks()?;
            if self.starts("||") || !(self.eat("|&") || self.eat("|")) {
                return Ok(());
            }
            for simple in self.read.commands.iter_mut().skip(start) {
                simple.feeds = true;
            }
            self.lines()?;
        }
    }

    /// The reserved word that stands here, if one does.
    fn reserved(&self) -> Option<&'static str> {
        let rest = self.rest();
        let end = rest
            .find([' ', '\t', '\n', ';', '&', '|', '<', '>', '(', ')'])
            .unwrap_or(rest.len());
        RESERVED.iter().copied().find(|word| *word == &rest[..end])
    }

    fn expect(&mut self, word: &str) -> Result<(), Unparsed> {
        self.lines()?;
        if self.reserved() == Some(word) {
            self.at += word.len();
            Ok(())
        } else {
            Err(unexpected(self))
        }
    }

    fn command(&mut self) -> Result<(), Unparsed> {
        if self.starts("((") {
            return Err(Unparsed::because("it computes with ((…))"));
        }
        if self.eat("(") {
            self.deeper(|reader| reader.list(&[], Some(')')))?;
            if !self.eat(")") {
                return Err(unexpected(self));
            }
            return self.redirects();
        }
        let Some(word) = self.reserved() else {
            return self.simple();
        };
        self.at += word.len();
        self.deeper(|reader| reader.compound(word))?;
        self.redirects()
    }

    fn compound(&mut self, word: &str) -> Result<(), Unparsed> {
        match word {
            "{" => {
                self.list(&["}"], None)?;
                self.expect("}")
            }
            "if" => self.conditional(),
            "while" | "until" => {
                self.read.repeats = true;
                self.list(&["do"], None)?;
                self.body()
            }
            "for" => self.for_loop(),
            "case" => self.case(),
            "[[" => self.test(),
            "function" => {
                self.blanks()?;
                let name = self.word()?.ok_or_else(|| unexpected(self))?;
                self.blanks()?;
                if self.eat("(") {
                    self.blanks()?;
                    if !self.eat(")") {
                        return Err(unexpected(self));
                    }
                }
                self.function(&name)
            }
            _ => Err(Unparsed::because(format!("it uses `{word}`"))),
        }
    }

    fn conditional(&mut self) -> Result<(), Unparsed> {
        loop {
            self.list(&["then"], None)?;
            self.expect("then")?;
            self.list(&["elif", "else", "fi"], None)?;
            match self.reserved() {
                Some("elif") => self.at += 4,
                Some("else") => {
                    self.at += 4;
                    self.list(&["fi"], None)?;
                    return self.expect("fi");
                }
                _ => return self.expect("fi"),
            }
        }
    }

    fn body(&mut self) -> Result<(), Unparsed> {
        self.expect("do")?;
        self.list(&["done"], None)?;
        self.expect("done")
    }

    fn for_loop(&mut self) -> Result<(), Unparsed> {
        self.blanks()?;
        self.read.repeats = true;
        let name = self.word()?.ok_or_else(|| unexpected(self))?;
        // A variable such as PATH changes what every later command means.
        self.read
            .special
            .push(format!("it sets the variable {}", name.source));
        self.lines()?;
        if self.reserved() == Some("in") {
            self.at += 2;
            self.blanks()?;
            while let Some(word) = self.word()? {
                self.read.texts.push(word.source);
                self.blanks()?;
            }
        }
        self.blanks()?;
        self.eat(";");
        self.body()
    }

    fn case(&mut self) -> Result<(), Unparsed> {
        self.blanks()?;
        let word = self.word()?.ok_or_else(|| unexpected(self))?;
        // Which of its arms is taken tells what a variable holds.
        self.read.fill(&word);
        self.read.texts.push(word.source);
        self.expect("in")?;
        loop {
            self.lines()?;
            if self.reserved() == Some("esac") {
                self.at += 4;
                return Ok(());
            }
            self.eat("(");
            loop {
                self.blanks()?;
                let pattern = self.word()?.ok_or_else(|| unexpected(self))?;
                self.read.fill(&pattern);
                self.blanks()?;
                if !self.eat("|") {
                    break;
                }
            }
            if !self.eat(")") {
                return Err(unexpected(self));
            }
            self.list(&[";;", "esac"], None)?;
            if self.starts(";;&") || (!self.eat(";;") && self.reserved() != Some("esac")) {
                return Err(unexpected(self));
            }
        }
    }

    /// After `[[`. Its arithmetic comparisons can run what a variable holds.
    fn test(&mut self) -> Result<(), Unparsed> {
        self.read.special.push("it tests with [[ … ]]".to_owned());
        loop {
            self.lines()?;
            if self.reserved().is_none() && self.rest().starts_with("]]") {
                self.at += 2;
                return if self.ends_command() {
                    Ok(())
                } else {
                    Err(unexpected(self))
                };
            }
            if self.eat("&&") || self.eat("||") || self.eat("(") || self.eat(")") {
                continue;
            }
            if !self.starts("<(") && (self.eat("<") || self.eat(">")) {
                continue;
            }
            match self.word()? {
                Some(word) if word.source == "=~" => {
                    return Err(Unparsed::because("it matches with =~"));
                }
                // What is compared as a number is computed first.
                Some(word) if COMPUTES.contains(&word.source.as_str()) => {
                    return Err(Unparsed::because("it computes with [[ … ]]"));
                }
                Some(word) => self.read.texts.push(word.source),
                None => return Err(unexpected(self)),
            }
        }
    }

    fn ends_command(&self) -> bool {
        self.peek()
            .is_none_or(|c| matches!(c, ' ' | '\t' | '\n' | ';' | '&' | '|' | ')' | '<' | '>'))
    }

    fn function(&mut self, name: &Word) -> Result<(), Unparsed> {
        self.read.repeats = true;
        self.read
            .special
            .push(format!("it defines the function {}", name.source));
        self.lines()?;
        if !(self.starts("(") || self.reserved() == Some("{")) {
            return Err(unexpected(self));
        }
        self.deeper(Self::command)
    }

    fn simple(&mut self) -> Result<(), Unparsed> {
        let mut simple = Simple::default();
        loop {
            self.blanks()?;
            if self.redirect(&mut simple.redirects)? {
                continue;
            }
            match self.peek() {
                None | Some('\n' | ';' | '|' | ')' | '&') => break,
                Some('#') => {
                    self.comment();
                    break;
                }
                Some('(') => {
                    return match simple.words.as_slice() {
                        [name] if simple.assignments.is_empty() && simple.redirects.is_empty() => {
                            let name = name.clone();
                            self.at += 1;
                            self.blanks()?;
                            if !self.eat(")") {
                                return Err(unexpected(self));
                            }
                            self.function(&name)
                        }
                        _ => Err(unexpected(self)),
                    };
                }
                Some(_) => self.argument(&mut simple)?,
            }
        }
        let empty =
            simple.words.is_empty() && simple.assignments.is_empty() && simple.redirects.is_empty();
        if empty {
            return Err(unexpected(self));
        }
        if simple.words.is_empty() && simple.assignments.is_empty() {
            // Some shells run a pager for it.
            let what = "it redirects without a command";
            self.read.special.push(what.to_owned());
        }
        self.read.commands.push(simple);
        Ok(())
    }

    /// A word, or an assignment before the first word.
    fn argument(&mut self, simple: &mut Simple) -> Result<(), Unparsed> {
        let Some(word) = self.word()? else {
            return Err(unexpected(self));
        };
        if !(simple.words.is_empty() && assigns(&word.source)) {
            if self.starts("(") && word.source.ends_with(['=', '?', '*', '+', '@', '!']) {
                return Err(unexpected(self));
            }
            simple.words.push(word);
            return Ok(());
        }
        match word.text() {
            Some(text) => {
                simple.unsure_assignment |= expands_later(text) || decides(text);
                self.read.texts.push(text.to_owned());
            }
            None => {
                let quoted = word.source.contains(['\'', '\\']) && expands_later(&word.source);
                simple.unsure_assignment |= quoted || !decides_nothing(&word.source);
            }
        }
        let mut source = word.source;
        if source.ends_with('=') && self.starts("(") {
            let start = self.at;
            self.at += 1;
            loop {
                self.lines()?;
                if self.eat(")") {
                    break;
                }
                let word = self.word()?.ok_or_else(|| unexpected(self))?;
                // What is quoted may be run when a later command computes.
                let text = word.text().unwrap_or(&word.source);
                simple.unsure_assignment |= text != word.source && expands_later(text);
            }
            source.push_str(self.text.get(start..self.at).unwrap_or_default());
        }
        simple.assignments.push(source);
        Ok(())
    }

    /// Redirections after a compound command.
    fn redirects(&mut self) -> Result<(), Unparsed> {
        let mut found = Vec::new();
        loop {
            self.blanks()?;
            if !self.redirect(&mut found)? {
                break;
            }
        }
        if !found.is_empty() {
            self.read.commands.push(Simple {
                redirects: found,
                ..Simple::default()
            });
        }
        Ok(())
    }

    /// Reads one redirection, if one stands here.
    fn redirect(&mut self, into: &mut Vec<Redirect>) -> Result<bool, Unparsed> {
        let digits = self.rest().len()
            - self
                .rest()
                .trim_start_matches(|c: char| c.is_ascii_digit())
                .len();
        let after = &self.rest()[digits..];
        let both = digits == 0 && after.starts_with("&>");
        if !(after.starts_with(['<', '>']) || both) {
            return Ok(false);
        }
        // `<(…)` begins a word, also after digits, where it is part of one.
        if after.starts_with("<(") || after.starts_with(">(") {
            return if digits == 0 {
                Ok(false)
            } else {
                Err(unexpected(self))
            };
        }
        self.at += digits;
        let operators = [
            "&>>", "&>", "<<<", "<<-", "<<", "<>", "<&", "<", ">>", ">|", ">&", ">",
        ];
        let Some(operator) = operators.into_iter().find(|text| self.starts(text)) else {
            return Err(unexpected(self));
        };
        self.at += operator.len();
        self.redirects_alike(operator)?;
        self.blanks()?;
        let target = self.word()?.ok_or_else(|| unexpected(self))?;
        let number = target.source == "-"
            || target
                .source
                .trim_end_matches('-')
                .chars()
                .all(|c| c.is_ascii_digit());
        match operator {
            "<<" | "<<-" => {
                let quoted = target.source.contains(['\'', '"', '\\']);
                let Some(end) = target.text().filter(|_| !target.source.contains('$')) else {
                    return Err(Unparsed::because(
                        "a here-document's end is not a plain word",
                    ));
                };
                self.heredocs.push(HereDoc {
                    end: end.to_owned(),
                    expands: !quoted,
                    strips_tabs: operator == "<<-",
                });
            }
            "<<<" => match target.text() {
                Some(text) => self.read.texts.push(text.to_owned()),
                None => {
                    self.read.fill(&target);
                    self.read.made.push(target.source.clone());
                    self.read.texts.push(target.source);
                }
            },
            "<&" | ">&" if number => {}
            // The shell ends the word at a dash or a digit, and reads it twice.
            "<&" | ">&"
                if target.text() != Some(&target.source)
                    || target
                        .source
                        .starts_with(|c: char| c == '-' || c.is_ascii_digit()) =>
            {
                return Err(Unparsed::because("it redirects in an unusual way"));
            }
            "<" | "<&" => into.push(Redirect::Read(target)),
            "<>" => {
                into.push(Redirect::Read(target.clone()));
                into.push(Redirect::Write(target));
            }
            _ => into.push(Redirect::Write(target)),
        }
        Ok(true)
    }
}
