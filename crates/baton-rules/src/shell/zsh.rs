//! What zsh reads in another way than other shells do. An agent runs commands in
//! the user's shell, so what the two would not do alike is not read at all.

use super::Unparsed;
use super::reader::Reader;

impl Reader<'_> {
    /// After a dollar sign that other shells take for itself: zsh knows `$=x`,
    /// `$~x`, `$^x` and `$+x`.
    pub(super) fn dollar_alike(&self) -> Result<(), Unparsed> {
        let behind = self.rest().trim_start_matches(['=', '~', '^', '+', '#']);
        let named = |c: char| c.is_ascii_alphanumeric() || "_{(@*?-$!".contains(c);
        if behind.len() < self.rest().len() && behind.starts_with(named) {
            return Err(Unparsed::because(
                "shells differ in what a sign behind a dollar sign is",
            ));
        }
        Ok(())
    }

    /// Behind a variable: to zsh `$x[…]` is one of its parts, and computed, which
    /// runs what is in quotes there.
    pub(super) fn subscripts_alike(&self) -> Result<(), Unparsed> {
        if self.starts("[") {
            return Err(Unparsed::because(
                "shells differ in what a bracket behind a variable is",
            ));
        }
        Ok(())
    }

    /// Behind the operator of a redirection: to zsh `>!` is `>|`, and `<1-9>` is
    /// a pattern.
    pub(super) fn redirects_alike(&self, operator: &str) -> Result<(), Unparsed> {
        let digits = |c: char| c.is_ascii_digit();
        let range = self.rest().trim_start_matches(digits).strip_prefix('-');
        let range = range.is_some_and(|end| end.trim_start_matches(digits).starts_with('>'));
        if (operator.contains('>') && self.starts("!")) || (operator == "<" && range) {
            return Err(Unparsed::because(
                "shells differ in how they redirect there",
            ));
        }
        Ok(())
    }
}
