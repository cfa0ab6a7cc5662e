//! The generator of ways around denials: templates, each with every target.

use std::collections::BTreeMap;

use anyhow::{Context as _, bail, ensure};
use baton_protocol::words::PermissionMode;

use super::gate::{Outcome, Question, Setting};
use super::lines::{quote, unescape};

const TABLE: &str = include_str!("evasions.txt");

/// The kinds of templates, with what each kind is aimed at and the rule that denies it.
const TARGETS: &[(&str, &[(&str, &str)])] = &[
    (
        "command",
        &[
            ("rm README.md", "Bash(rm:*)"),
            ("git push", "Bash(git push:*)"),
            ("npm publish", "Bash(npm publish:*)"),
        ],
    ),
    (
        "read",
        &[(".env", "Read(.env)"), ("sub/secret", "Read(sub/**)")],
    ),
    ("below", &[("sub", "Read(sub/**)")]),
    (
        "write",
        &[(".env", "Edit(.env)"), ("sub/new", "Edit(sub/**)")],
    ),
    ("inside", &[("sub", "Edit(sub/**)")]),
];

/// Why a way around may pass: see docs/rules.md.
pub const CLASSES: &[&str] = &["text", "build", "image"];

/// One way around a rule.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Evasion {
    pub rule: &'static str,
    /// The documented class that lets it pass, if it is in one.
    pub class: Option<&'static str>,
    pub line: String,
}

/// Every template with every target.
pub fn evasions() -> anyhow::Result<Vec<Evasion>> {
    let mut made = Vec::new();
    for row in TABLE.lines() {
        if row.is_empty() || row.starts_with("##") {
            continue;
        }
        let mut columns = row.splitn(3, ' ');
        let (Some(kind), Some(class), Some(template)) =
            (columns.next(), columns.next(), columns.next())
        else {
            bail!("{row:?} has not three columns");
        };
        let (_, targets) = TARGETS
            .iter()
            .find(|(name, _)| *name == kind)
            .with_context(|| format!("{kind:?} is no kind of evasion"))?;
        let class = CLASSES.iter().copied().find(|known| *known == class);
        ensure!(
            class.is_some() || row.split(' ').nth(1) == Some("-"),
            "{row:?} has no known class"
        );
        for (target, rule) in *targets {
            // The first word alone is not what a rule with two is about.
            let names_first_only = template.contains("{P0}") && !template.contains("{P1}");
            if names_first_only && rule.contains(' ') {
                continue;
            }
            let line = unescape(&filled(template, target));
            let evasion = Evasion { rule, class, line };
            // Without a place for the target, one of each kind is enough, but
            // under every rule.
            if !made.contains(&evasion) {
                made.push(evasion);
            }
        }
    }
    Ok(made)
}

fn filled(template: &str, target: &str) -> String {
    let (first, rest) = target.split_once(' ').unwrap_or((target, ""));
    template
        .replace("{C}", target)
        .replace("{Q}", &quote(target))
        .replace("{P}", target)
        .replace("{P0}", first)
        .replace("{P1}", rest)
        .replace("{F}", target)
        .replace("{G}", target)
}

/// What became of all of them in bypass mode.
#[derive(Debug, Default)]
pub struct Tally {
    pub denied: usize,
    pub asked: usize,
    /// How many passed in each documented class.
    pub documented: BTreeMap<&'static str, usize>,
    /// Passed, and in no class.
    pub findings: Vec<Evasion>,
}

impl Tally {
    pub fn all(&self) -> usize {
        self.denied + self.asked + self.documented.values().sum::<usize>() + self.findings.len()
    }
}

/// Judges every evasion under the rule that it is about.
pub fn tally() -> anyhow::Result<Tally> {
    let mut tally = Tally::default();
    for evasion in evasions()? {
        let rules = format!("deny {}", evasion.rule);
        let setting = Setting::new(PermissionMode::BypassPermissions, &rules)?;
        match (
            setting.outcome(&Question::new(&evasion.line)),
            evasion.class,
        ) {
            (Outcome::Denied, _) => tally.denied += 1,
            (Outcome::Asked, _) => tally.asked += 1,
            (Outcome::Passes, Some(class)) => *tally.documented.entry(class).or_default() += 1,
            (Outcome::Passes, None) => tally.findings.push(evasion),
        }
    }
    Ok(tally)
}
