//! The examples in docs/rules.md are true.

use baton_rules::Pattern;
use serde_json::json;

use crate::support::{brief, world};

const PAGE: &str = include_str!("../../../../docs/rules.md");

/// The rows of the table under a heading, as cells.
fn table(heading: &str) -> Vec<Vec<String>> {
    let section = PAGE
        .split("\n## ")
        .find(|section| section.starts_with(heading))
        .unwrap();
    section
        .lines()
        .filter(|line| line.starts_with('|'))
        .skip(2)
        .map(|line| {
            let line = line.trim_matches('|').replace("\\|", "\u{1}");
            line.split('|')
                .map(|cell| cell.trim().replace('\u{1}', "|"))
                .collect()
        })
        .collect()
}

#[test]
fn every_rule_in_the_page_can_be_written() {
    let rows = table("Writing rules");
    assert!(rows.len() > 10);
    for row in rows {
        Pattern::parse(row[0].trim_matches('`')).unwrap();
    }
}

#[test]
fn every_example_in_the_page_is_true() {
    let rows = table("Examples");
    assert!(rows.len() > 10);
    for row in rows {
        let rules = row[0].replace("`, ", "\n").replace('`', "");
        let command = row[1].trim_matches('`');
        let verdict = brief(&world(&rules).judge("Bash", &json!({ "command": command })));
        let word = match verdict.split(':').next() {
            Some("allow") => "allowed",
            Some("deny") => "denied",
            _ => "a person",
        };
        assert_eq!(word, row[2], "{row:?}: {verdict}");
    }
}
