//! Decisions, the change log, and links from one document to another.

use std::collections::BTreeSet;

use super::{Report, Rule, extension, is_verbatim};
use crate::repository::Tree;

const DECISIONS: &str = "docs/decisions/";
const DECISION_PARTS: &[&str] = &[
    "## Context",
    "## Decision",
    "## Rejected",
    "## Consequences",
];
const CHANGELOG: &str = "CHANGELOG.md";
const CHANGE_KINDS: &[&str] = &["### Breaking", "### Added", "### Changed", "### Fixed"];

pub(super) fn check(tree: &Tree, report: &mut Report) {
    decisions(tree, report);
    changelog(tree, report);
    for (path, text) in &tree.texts {
        if extension(path) == "md" && !is_verbatim(path) {
            links(tree, path, text, report);
        }
    }
}

fn decisions(tree: &Tree, report: &mut Report) {
    let records = tree
        .texts
        .iter()
        .filter_map(|(path, text)| Some((path, path.strip_prefix(DECISIONS)?, text)));
    for (expected, (path, name, text)) in (1..).zip(records) {
        let mut problem = |text: String| {
            report.problem(Rule::Documents, path, text);
        };
        if !name.starts_with(&format!("{expected:04}-")) || extension(name) != "md" {
            problem(format!(
                "expected the decision {expected:04}-some-title.md here"
            ));
        }
        if !text.starts_with("# ") {
            problem("open with a title".to_owned());
        }
        let parts: Vec<_> = text
            .lines()
            .filter(|line| line.starts_with("## "))
            .collect();
        if parts != DECISION_PARTS {
            problem(format!("the parts are {DECISION_PARTS:?}, in this order"));
        }
    }
}

fn changelog(tree: &Tree, report: &mut Report) {
    let mut problem = |text: String| {
        report.problem(Rule::Documents, CHANGELOG, text);
    };
    let Some(text) = tree.text(CHANGELOG) else {
        problem("is missing".to_owned());
        return;
    };
    if text.lines().find(|line| line.starts_with("## ")) != Some("## Unreleased") {
        problem("the first section is \"## Unreleased\"".to_owned());
    }
    for line in text.lines().filter(|line| line.starts_with("### ")) {
        if !CHANGE_KINDS.contains(&line) {
            problem(format!("{line:?} is none of {CHANGE_KINDS:?}"));
        }
    }
}

fn links(tree: &Tree, path: &str, text: &str, report: &mut Report) {
    for (line, target) in link_targets(text) {
        if target.contains("://") || target.starts_with("mailto:") {
            continue;
        }
        let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
        let resolved = if file.is_empty() {
            Some(path.to_owned())
        } else {
            resolve(path, file)
        };
        let Some(resolved) = resolved.filter(|resolved| tree.paths.contains(resolved)) else {
            report.problem_at(
                Rule::Links,
                path,
                line,
                format_args!("{target} is not there"),
            );
            continue;
        };
        let there = tree.text(&resolved).unwrap_or_default();
        if !anchor.is_empty() && !anchors(there).contains(anchor) {
            report.problem_at(
                Rule::Links,
                path,
                line,
                format_args!("{resolved} has no heading #{anchor}"),
            );
        }
    }
}

/// Line number and target of each inline link outside code blocks.
fn link_targets(text: &str) -> impl Iterator<Item = (usize, &str)> {
    prose(text).flat_map(|(index, line)| {
        line.match_indices("](").filter_map(move |(at, _)| {
            let rest = &line[at + 2..];
            let end = rest.find([')', ' '])?;
            Some((index + 1, &rest[..end]))
        })
    })
}

fn prose(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut in_code = false;
    text.lines().enumerate().filter(move |(_, line)| {
        let fence = line.trim_start().starts_with("```");
        in_code ^= fence;
        !fence && !in_code
    })
}

/// The path from the root that a link in `from` means; `None` outside the root.
fn resolve(from: &str, link: &str) -> Option<String> {
    let mut parts: Vec<&str> = from.split('/').collect();
    parts.pop();
    for part in link.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            name => parts.push(name),
        }
    }
    Some(parts.join("/"))
}

/// The anchors that readers of Markdown make from headings.
fn anchors(text: &str) -> BTreeSet<String> {
    prose(text)
        .filter(|(_, line)| line.starts_with('#'))
        .map(|(_, line)| {
            line.trim_start_matches('#')
                .trim()
                .to_lowercase()
                .chars()
                .filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'))
                .map(|c| if c == ' ' { '-' } else { c })
                .collect()
        })
        .collect()
}
