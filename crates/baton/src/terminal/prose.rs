//! Sentences on a terminal, broken between words.

use super::{Screen, Style};
use crate::failure::Failure;

impl Screen {
    /// Writes sentences for a person. On a terminal no word is torn; whoever
    /// pipes them gets each as one line.
    pub(crate) fn prose(&mut self, style: Option<Style>, text: &str) -> Result<(), Failure> {
        let columns = self.columns();
        for line in text.lines() {
            for line in wrapped(line, columns) {
                let line = style.map_or(line.clone(), |style| self.styled(style, &line));
                self.line(&line)?;
            }
        }
        Ok(())
    }
}

/// A line as the ones it needs, each indented as the whole is. The last column
/// stays free: some terminals break the line there.
fn wrapped(line: &str, columns: Option<usize>) -> Vec<String> {
    /// With less, torn words are the smaller evil.
    const NARROWEST: usize = 20;
    let room = columns.map_or(usize::MAX, |columns| columns.saturating_sub(1));
    let length = |text: &str| text.chars().count();
    if length(line) <= room || room < NARROWEST {
        return vec![line.to_owned()];
    }
    let text = line.trim_start();
    let indent = &line[..line.len() - text.len()];
    let mut lines = Vec::new();
    let mut current = indent.to_owned();
    for word in text.split(' ') {
        let begun = current.len() > indent.len();
        if begun && length(&current) + 1 + length(word) > room {
            lines.push(current.trim_end().to_owned());
            indent.clone_into(&mut current);
        } else if begun {
            current.push(' ');
        }
        current.push_str(word);
    }
    lines.push(current);
    lines
}

#[cfg(test)]
mod tests {
    use super::wrapped;

    #[test]
    fn lines_break_between_words_and_keep_their_indent() {
        let text = "  the agent does not have the past of this session";
        assert_eq!(
            wrapped(text, Some(25)),
            [
                "  the agent does not",
                "  have the past of this",
                "  session"
            ]
        );
        assert_eq!(wrapped(text, None), [text]);
        assert_eq!(wrapped(text, Some(10)), [text], "too narrow for words");
        let exact = "x".repeat(24);
        assert_eq!(wrapped(&exact, Some(25)), [exact.as_str()]);
        let path = format!("see /{}", "a".repeat(40));
        assert_eq!(wrapped(&path, Some(25)), ["see", &path[4..]]);
    }
}
