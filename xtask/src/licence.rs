//! Reads the licence expressions that packages carry.
//!
//! Enough of SPDX for what the registry holds: `OR`, `AND`, `WITH`,
//! parentheses, and the old slash that means `OR`.

/// Whether the expression can be satisfied with accepted licences alone.
///
/// A licence with an exception counts as the pair, for example
/// `Apache-2.0 WITH LLVM-exception`. What cannot be read is not satisfied.
pub fn satisfied(expression: &str, accepted: &[&str]) -> bool {
    let spaced = expression
        .replace('(', " ( ")
        .replace(')', " ) ")
        .replace('/', " OR ");
    let mut parser = Parser {
        tokens: spaced.split_whitespace().collect(),
        at: 0,
        accepted,
    };
    let verdict = parser.any();
    parser.at == parser.tokens.len() && verdict == Some(true)
}

struct Parser<'a> {
    tokens: Vec<&'a str>,
    at: usize,
    accepted: &'a [&'a str],
}

impl Parser<'_> {
    fn any(&mut self) -> Option<bool> {
        let mut verdict = self.all()?;
        while self.take("OR") {
            verdict |= self.all()?;
        }
        Some(verdict)
    }

    fn all(&mut self) -> Option<bool> {
        let mut verdict = self.one()?;
        while self.take("AND") {
            verdict &= self.one()?;
        }
        Some(verdict)
    }

    fn one(&mut self) -> Option<bool> {
        if self.take("(") {
            let verdict = self.any()?;
            return self.take(")").then_some(verdict);
        }
        let mut licence = self.word()?.to_owned();
        if self.take("WITH") {
            licence = format!("{licence} WITH {}", self.word()?);
        }
        Some(self.accepted.contains(&licence.as_str()))
    }

    fn word(&mut self) -> Option<&str> {
        let word = *self.tokens.get(self.at)?;
        self.at += 1;
        Some(word)
    }

    fn take(&mut self, token: &str) -> bool {
        let found = self.tokens.get(self.at) == Some(&token);
        self.at += usize::from(found);
        found
    }
}
