//! The words of a shell command, read leniently: nothing is refused.

/// How much of a command is looked at.
const MAX_LENGTH: usize = 256 * 1024;

/// One word, without its quotes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Word {
    pub(super) text: String,
    /// A part of it is what another command prints: `$(…)`, `` `…` ``, `<(…)`.
    pub(super) made: bool,
    /// It is a file that another command writes: `<(…)`.
    pub(super) process: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Token {
    Word(Word),
    Pipe,
    /// Whatever else is between two commands.
    End,
    /// The next word is a file.
    Redirect,
}

/// The tokens, and the commands inside `$(…)`, backticks and `<(…)`.
pub(super) fn read(text: &str) -> (Vec<Token>, Vec<String>) {
    let mut reader = Reader {
        rest: text.chars().take(MAX_LENGTH).collect(),
        at: 0,
        tokens: Vec::new(),
        inner: Vec::new(),
        word: None,
    };
    reader.read();
    (reader.tokens, reader.inner)
}

struct Reader {
    rest: Vec<char>,
    at: usize,
    tokens: Vec<Token>,
    inner: Vec<String>,
    word: Option<Word>,
}

impl Reader {
    fn peek(&self) -> Option<char> {
        self.rest.get(self.at).copied()
    }

    fn next(&mut self) -> Option<char> {
        let found = self.peek();
        self.at += 1;
        found
    }

    fn grow(&mut self, c: char) {
        self.word.get_or_insert_default().text.push(c);
    }

    fn end_word(&mut self) {
        if let Some(word) = self.word.take() {
            self.tokens.push(Token::Word(word));
        }
    }

    fn push(&mut self, token: Token) {
        self.end_word();
        self.tokens.push(token);
    }

    fn read(&mut self) {
        while let Some(c) = self.next() {
            match c {
                '\\' => match self.next() {
                    None | Some('\n') => {}
                    Some(escaped) => self.grow(escaped),
                },
                '\'' => self.quoted('\''),
                '"' => self.quoted('"'),
                '`' => self.ticks(),
                '$' if self.peek() == Some('(') => self.substitution(false),
                '<' | '>' if self.peek() == Some('(') => self.substitution(true),
                '#' if self.word.is_none() => {
                    while self.peek().is_some_and(|c| c != '\n') {
                        self.at += 1;
                    }
                }
                '|' => {
                    let or = self.peek() == Some('|');
                    if or || self.peek() == Some('&') {
                        self.at += 1;
                    }
                    self.push(if or { Token::End } else { Token::Pipe });
                }
                '>' | '<' => self.redirect(),
                ';' | '&' | '\n' | '(' | ')' => self.push(Token::End),
                c if c.is_whitespace() => self.end_word(),
                c => self.grow(c),
            }
        }
        self.end_word();
    }

    /// `2>`, `>>`, `&>` and the like; `>&2` names no file.
    fn redirect(&mut self) {
        if self.word.as_ref().is_some_and(|word| is_number(&word.text)) {
            self.word = None;
        }
        self.end_word();
        while self.peek().is_some_and(|c| matches!(c, '>' | '<' | '|')) {
            self.at += 1;
        }
        if self.peek() == Some('&') {
            self.at += 1;
            while self.peek().is_some_and(|c| c.is_ascii_digit() || c == '-') {
                self.at += 1;
            }
        } else {
            self.tokens.push(Token::Redirect);
        }
    }

    fn quoted(&mut self, quote: char) {
        self.word.get_or_insert_default();
        while let Some(c) = self.next() {
            match c {
                c if c == quote => return,
                '\\' if quote == '"' => {
                    if let Some(escaped) = self.next() {
                        self.grow(escaped);
                    }
                }
                '`' if quote == '"' => self.ticks(),
                '$' if quote == '"' && self.peek() == Some('(') => self.substitution(false),
                c => self.grow(c),
            }
        }
    }

    fn ticks(&mut self) {
        let mut command = String::new();
        while let Some(c) = self.next().filter(|c| *c != '`') {
            command.push(c);
        }
        self.made(command);
    }

    /// From the opening bracket to the one that closes it.
    fn substitution(&mut self, process: bool) {
        self.at += 1;
        let mut depth = 1_u32;
        let mut command = String::new();
        let mut quote = None;
        while let Some(c) = self.next() {
            match (quote, c) {
                (None, '\'' | '"') => quote = Some(c),
                (Some(open), c) if open == c => quote = None,
                (None, '(') => depth += 1,
                (None, ')') => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                break;
            }
            command.push(c);
        }
        self.made(command);
        self.word.get_or_insert_default().process |= process;
    }

    fn made(&mut self, command: String) {
        self.word.get_or_insert_default().made = true;
        self.inner.push(command);
    }
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_digit())
}
