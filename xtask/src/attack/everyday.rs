//! How often people are asked: a list of what agents run all day, judged.

use std::collections::BTreeMap;

use baton_protocol::words::PermissionMode;

use super::gate::{Outcome, Question, Setting, offered};
use super::lines::unescape;

const LIST: &str = include_str!("everyday.txt");

/// What a command of the list does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// It changes nothing.
    Reading,
    /// It runs what the project says.
    Building,
    /// It writes files or speaks to others.
    Changing,
}

/// The list, in order.
pub fn list() -> Vec<(Kind, String)> {
    LIST.lines()
        .filter_map(|line| line.split_once(' '))
        .filter_map(|(kind, line)| {
            let kind = match kind {
                "reading" => Kind::Reading,
                "building" => Kind::Building,
                "changing" => Kind::Changing,
                _ => return None,
            };
            Some((kind, unescape(line)))
        })
        .collect()
}

/// How many of the commands of a kind a person is asked about.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Asked {
    pub commands: usize,
    /// When there are no rules.
    pub no_rules: usize,
    /// The first time through the list, when the widest offer is taken each time.
    pub first_time: usize,
    /// The second time, with the rules of the first.
    pub second_time: usize,
}

/// Goes through the list in default mode.
pub fn asked() -> anyhow::Result<BTreeMap<Kind, Asked>> {
    let none = Setting::new(PermissionMode::Default, "")?;
    let mut learning = none.clone();
    let mut counts: BTreeMap<Kind, Asked> = BTreeMap::new();
    for (kind, line) in list() {
        let question = Question::new(&line);
        let count = counts.entry(kind).or_default();
        count.commands += 1;
        count.no_rules += usize::from(none.outcome(&question) != Outcome::Passes);
        if learning.outcome(&question) != Outcome::Passes {
            count.first_time += 1;
            learning.rules.extend(offered(&line)?.pop());
        }
    }
    for (kind, line) in list() {
        let again = learning.outcome(&Question::new(&line)) != Outcome::Passes;
        counts.entry(kind).or_default().second_time += usize::from(again);
    }
    Ok(counts)
}

/// The commands of a kind that are asked about when there are no rules.
pub fn asked_without_rules(kind: Kind) -> anyhow::Result<Vec<String>> {
    let none = Setting::new(PermissionMode::Default, "")?;
    Ok(list()
        .into_iter()
        .filter(|(found, line)| {
            *found == kind && none.outcome(&Question::new(line)) != Outcome::Passes
        })
        .map(|(_, line)| line)
        .collect())
}
