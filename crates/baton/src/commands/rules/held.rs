//! Rules that hold beside Baton's own: what the settings of the agent's CLI
//! deny and ask. What they allow does not count, and `rules import` offers it.

use std::path::Path;

use baton_project::cli_rules;
use baton_protocol::words::RuleDecision;
use baton_session::agents::AgentHome;

use crate::{
    failure::Failure,
    terminal::{Screen, Style, clean, table},
};

/// What was found, and what could not be read.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Held {
    /// Decision, rule and the file it is from.
    rules: Vec<[String; 3]>,
    notes: Vec<String>,
}

/// Looks into the settings of a folder and of the user.
pub(super) fn held(project: &Path, home: &AgentHome) -> Held {
    let mut held = Held::default();
    // The nearest first.
    let mut files = home.rule_files(Some(project));
    files.rotate_left(1);
    for (file, _) in files {
        let name = file.display().to_string();
        match cli_rules::read(&file) {
            Ok(rules) => {
                let counts = rules
                    .into_iter()
                    .filter(|rule| rule.decision != RuleDecision::Allow);
                let cells = counts.map(|rule| {
                    let decision = rule.decision.to_string();
                    [decision, clean(&rule.rule, 200), clean(&name, 200)]
                });
                held.rules.extend(cells);
            }
            Err(why) => held.notes.push(format!("{name}: {}", clean(&why, 200))),
        }
    }
    held
}

impl Held {
    pub(super) fn show(&self, screen: &mut Screen) -> Result<(), Failure> {
        if !self.rules.is_empty() {
            let head = "Settings of Claude Code deny or ask as well, and that holds here:";
            screen.line(&screen.styled(Style::Dim, head))?;
            table(screen, ["DECISION", "RULE", "FROM"], &self.rules)?;
        }
        for note in &self.notes {
            let text = format!("not read, so what it denies is not listed: {note}");
            screen.line(&screen.styled(Style::Warn, &text))?;
        }
        Ok(())
    }
}
