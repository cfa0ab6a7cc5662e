//! Tests that documents name: each promise of a table with a column "Test" is
//! worth as much as the test beside it, so that has to be there.

use std::collections::BTreeSet;

use super::{Report, Rule, extension, is_verbatim};
use crate::repository::Tree;

pub(super) fn check(tree: &Tree, report: &mut Report) {
    let known = Known::of(tree);
    for (path, text) in &tree.texts {
        if extension(path) != "md" || is_verbatim(path) {
            continue;
        }
        // Of the table at hand, whether its last column names tests.
        let mut table = None;
        for (index, line) in text.lines().enumerate() {
            let Some(last) = last_cell(line) else {
                table = None;
                continue;
            };
            if !*table.get_or_insert(last.starts_with("Test")) {
                continue;
            }
            for named in between(last, '`').chain(between(last, '"')) {
                if !known.has(named) {
                    let text = format_args!("there is no test or file {named}");
                    report.problem_at(Rule::Documents, path, index + 1, text);
                }
            }
        }
    }
}

fn last_cell(line: &str) -> Option<&str> {
    let row = line.strip_prefix('|')?.trim_end().strip_suffix('|')?;
    row.rsplit('|').next().map(str::trim)
}

/// What stands between two of these signs.
fn between(text: &str, sign: char) -> impl Iterator<Item = &str> {
    text.split(sign).skip(1).step_by(2)
}

struct Known<'a> {
    tree: &'a Tree,
    functions: BTreeSet<&'a str>,
    /// Tests of the page, which are named by sentences.
    specs: Vec<&'a str>,
}

impl<'a> Known<'a> {
    fn of(tree: &'a Tree) -> Self {
        let of = |wanted: &'static str| {
            let texts = tree.texts.iter();
            texts.filter_map(move |(path, text)| (extension(path) == wanted).then_some(&**text))
        };
        let name = |rest: &'a str| {
            let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
            &rest[..end.unwrap_or(rest.len())]
        };
        Self {
            tree,
            functions: of("rs")
                .flat_map(|text| text.split("fn ").skip(1).map(name))
                .collect(),
            specs: of("ts").collect(),
        }
    }

    /// A file by the end of its path, a test by its name or its sentence. Other
    /// words are not looked at.
    fn has(&self, named: &str) -> bool {
        let file = matches!(extension(named), "rs" | "ts" | "md" | "txt");
        if named.contains(' ') {
            self.specs.iter().any(|text| text.contains(named))
        } else if file {
            let end = format!("/{named}");
            let mut paths = self.tree.paths.iter();
            paths.any(|path| path == named || path.ends_with(&end))
        } else {
            let words = named.split('_').filter(|word| !word.is_empty()).count();
            words < 3 || self.functions.contains(named)
        }
    }
}
