//! One word, one meaning: a noun of the glossary names at most one type.

use std::collections::BTreeMap;

use super::{Report, Rule, seam::is_product};
use crate::repository::Tree;

const GLOSSARY: &str = "docs/glossary.md";

/// Words that named many things before they were sorted out, and have no entry
/// in the glossary.
const WORN: &[&str] = &["Entry", "Link", "Place"];

/// Nouns that still name several types. The list only gets shorter.
const SHARED: &[&str] = &["Answer", "Input", "Message", "Rule"];

pub(super) fn check(tree: &Tree, report: &mut Report) {
    let glossary = tree.texts.iter().find(|(path, _)| *path == GLOSSARY);
    let Some((_, glossary)) = glossary else {
        return;
    };
    let mut declared: BTreeMap<String, Vec<(&str, usize)>> = nouns(glossary)
        .chain(WORN.iter().map(|word| (*word).to_owned()))
        .map(|noun| (noun, Vec::new()))
        .collect();
    for (path, text) in &tree.texts {
        if !is_product(path) || path.starts_with("crates/baton-testkit/") {
            continue;
        }
        for (index, line) in text.lines().enumerate() {
            let places = declaration(line).and_then(|name| declared.get_mut(name));
            if let Some(places) = places {
                places.push((path.as_str(), index + 1));
            }
        }
    }
    for (noun, places) in declared {
        let is_shared = SHARED.contains(&noun.as_str());
        if is_shared && places.len() < 2 {
            let text = format!("{noun} names one type by now: take it off SHARED");
            report.problem(Rule::Words, "xtask/src/tidy/words.rs", text);
        }
        if is_shared {
            continue;
        }
        for (path, line) in places.iter().skip(1) {
            let (first, _) = places[0];
            let text = format!("{noun} is a type in {first} already: give this another name");
            report.problem_at(Rule::Words, path, *line, text);
        }
    }
}

/// The nouns of the glossary as names of types.
fn nouns(glossary: &str) -> impl Iterator<Item = String> {
    let rows = glossary.lines().filter_map(|line| {
        let rest = line.strip_prefix("| **")?;
        rest.split_once("**").map(|(noun, _)| noun)
    });
    rows.map(|noun| {
        let parts = noun.split([' ', '-']);
        parts
            .map(|part| {
                let (first, rest) = part.split_at(part.len().min(1));
                first.to_uppercase() + rest
            })
            .collect()
    })
}

/// The name of the type that a line declares.
fn declaration(line: &str) -> Option<&str> {
    let rest = line.trim_start();
    let rest = match rest.strip_prefix("pub") {
        Some(public) => public.split_once(' ')?.1,
        None => rest,
    };
    let mut words = rest.splitn(2, ' ');
    let keyword = words.next()?;
    let is_type = matches!(keyword, "struct" | "enum" | "trait" | "type");
    let name = words.next().filter(|_| is_type)?;
    let end = name.find(|letter: char| !letter.is_alphanumeric());
    Some(&name[..end.unwrap_or(name.len())])
}
