//! YAML as a tree that remembers its lines and keeps every word as it was written.
//!
//! Only what a configuration needs: one document of mappings, lists and
//! scalars. Anchors, aliases and tags are refused, so that what a person reads
//! in the file is what it says, and nothing in it can grow.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "the parser may have more events one day; none of them is a value"
)]

use granit_parser::{Event, Parser, ScalarStyle, ScanError, Span};

/// A value and the line it begins on.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Node {
    pub(super) line: usize,
    pub(super) tree: Tree,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Tree {
    Null,
    Scalar(String),
    List(Vec<Node>),
    Map(Vec<KeyValue>),
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct KeyValue {
    pub(super) line: usize,
    pub(super) key: String,
    pub(super) value: Node,
}

/// What is wrong with a text, and where.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Trouble {
    pub(super) line: usize,
    pub(super) what: String,
}

/// A project's variables are the deepest thing there is.
const MAX_DEPTH: usize = 8;

pub(super) fn parse(text: &str) -> Result<Node, Trouble> {
    let mut reader = Reader {
        events: Parser::new_from_str(text),
        line: 1,
    };
    let mut root = None;
    loop {
        let (event, span) = reader.next()?;
        match event {
            Event::StreamEnd => break,
            Event::StreamStart | Event::DocumentStart(..) | Event::DocumentEnd => {}
            first if root.is_none() => root = Some(reader.node(first, &span, 0)?),
            _ => return Err(reader.trouble("there is a second document")),
        }
    }
    let nothing = Node {
        line: 1,
        tree: Tree::Null,
    };
    Ok(root.unwrap_or(nothing))
}

struct Reader<I> {
    events: I,
    line: usize,
}

impl<'a, I: Iterator<Item = Result<(Event<'a>, Span), ScanError>>> Reader<I> {
    fn next(&mut self) -> Result<(Event<'a>, Span), Trouble> {
        match self.events.next() {
            Some(Ok((event, span))) => {
                self.line = span.start.line();
                Ok((event, span))
            }
            Some(Err(error)) => Err(Trouble {
                line: error.marker().line(),
                what: format!("this is no YAML: {}", error.info()),
            }),
            None => Err(self.trouble("the text ends in the middle")),
        }
    }

    fn node(&mut self, event: Event<'a>, span: &Span, depth: usize) -> Result<Node, Trouble> {
        let line = span.start.line();
        if depth > MAX_DEPTH {
            return Err(self.trouble("this is nested too deeply"));
        }
        let (anchor, tag) = match &event {
            Event::Scalar(_, _, anchor, tag)
            | Event::SequenceStart(_, anchor, tag)
            | Event::MappingStart(_, anchor, tag) => (*anchor, tag.is_some()),
            _ => return Err(self.trouble("aliases are not used in a configuration")),
        };
        if anchor != 0 || tag {
            return Err(self.trouble("anchors and tags are not used in a configuration"));
        }
        let tree = match event {
            Event::Scalar(text, ScalarStyle::Plain, ..) if is_null(&text) => Tree::Null,
            Event::Scalar(text, ..) => Tree::Scalar(text.into_owned()),
            Event::SequenceStart(..) => self.list(depth)?,
            _ => self.map(depth)?,
        };
        Ok(Node { line, tree })
    }

    fn list(&mut self, depth: usize) -> Result<Tree, Trouble> {
        let mut items = Vec::new();
        loop {
            let (event, span) = self.next()?;
            if matches!(event, Event::SequenceEnd) {
                return Ok(Tree::List(items));
            }
            items.push(self.node(event, &span, depth + 1)?);
        }
    }

    fn map(&mut self, depth: usize) -> Result<Tree, Trouble> {
        let mut entries: Vec<KeyValue> = Vec::new();
        loop {
            let (event, span) = self.next()?;
            if matches!(event, Event::MappingEnd) {
                return Ok(Tree::Map(entries));
            }
            let Node { line, tree } = self.node(event, &span, depth + 1)?;
            let Tree::Scalar(key) = tree else {
                return Err(self.trouble("a name is expected here"));
            };
            if entries.iter().any(|entry| entry.key == key) {
                let key = key.escape_debug();
                return Err(self.trouble(&format!("`{key}` stands here twice")));
            }
            let (event, span) = self.next()?;
            let value = self.node(event, &span, depth + 1)?;
            entries.push(KeyValue { line, key, value });
        }
    }

    fn trouble(&self, what: &str) -> Trouble {
        Trouble {
            line: self.line,
            what: what.to_owned(),
        }
    }
}

fn is_null(text: &str) -> bool {
    matches!(text, "" | "~" | "null" | "Null" | "NULL")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(node: &Node) -> String {
        let line = node.line;
        match &node.tree {
            Tree::Null => format!("null@{line}"),
            Tree::Scalar(text) => format!("{text:?}@{line}"),
            Tree::List(items) => {
                let items: Vec<_> = items.iter().map(drawn).collect();
                format!("[{}]", items.join(", "))
            }
            Tree::Map(entries) => {
                let entry = |entry: &KeyValue| format!("{}: {}", entry.key, drawn(&entry.value));
                let entries: Vec<_> = entries.iter().map(entry).collect();
                format!("{{{}}}", entries.join(", "))
            }
        }
    }

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let told = match parse(text) {
            Ok(node) => drawn(&node),
            Err(trouble) => format!("{}: {}", trouble.line, trouble.what),
        };
        assert!(told.starts_with(expected), "{told}");
    }

    #[test]
    fn words_are_kept_as_they_were_written_with_their_lines() {
        check("", "null@1");
        check("# nothing\n", "null@1");
        check(
            "a:\n  b: 1.10\n  # why\n  c: [x, 'true', ~]\n",
            r#"{a: {b: "1.10"@2, c: ["x"@4, "true"@4, null@4]}}"#,
        );
        check("a: |\n  one\n  two\n", r#"{a: "one\ntwo\n"@"#);
        check("a: \"null\"\n", r#"{a: "null"@1}"#);
    }

    #[test]
    fn what_a_reader_could_misread_is_refused_with_its_line() {
        check("a: 1\nb: 2\na: 3\n", "3: `a` stands here twice");
        check("a: &x 1\nb: *x\n", "1: anchors and tags");
        check("a: !!int 1\n", "1: anchors and tags");
        check("a: 1\n---\nb: 2\n", "3: there is a second document");
        check("a: 1\n b: 2\n", "2: this is no YAML");
        check("a: [1\n", "1: this is no YAML");
        check("[1]: 2\n", "1: a name is expected here");
        let deep = "[".repeat(200) + &"]".repeat(200);
        check(&deep, "1: this is nested too deeply");
    }
}
