//! "Always": the rules that an answer could be remembered as, and how far they
//! reach.

use baton_protocol::{
    event::Suggestion,
    words::{RuleDecision, Scope},
};
use baton_rules::{Pattern, words};

use super::{Screen, Stdin, Style, offer, prompt, whole};
use crate::failure::Failure;

/// What a person chose among the rules.
pub(super) enum Chosen {
    Rule(Suggestion),
    /// Back to the other choices.
    Back,
    /// The input has ended.
    Ended,
}

/// Lets a person choose a rule; one that holds everywhere is said in words and
/// confirmed first.
pub(super) async fn choose_rule(
    screen: &mut Screen,
    input: &Stdin,
    rules: &[Suggestion],
) -> Result<Chosen, Failure> {
    list(screen, rules)?;
    let Some(line) = input.line().await else {
        return Ok(Chosen::Ended);
    };
    let Some(rule) = parse_rule(&line, rules) else {
        return Ok(Chosen::Back);
    };
    if rule.scope != Scope::User {
        return Ok(Chosen::Rule(rule));
    }
    for line in everywhere(&rule.rule) {
        screen.prose(Some(Style::Warn), &format!("  {}", whole(&line)))?;
    }
    prompt(
        screen,
        "yes stores it and allows this; anything else goes back",
    )?;
    match input.line().await {
        None => Ok(Chosen::Ended),
        Some(line) if line.trim().eq_ignore_ascii_case("yes") => Ok(Chosen::Rule(rule)),
        Some(_) => Ok(Chosen::Back),
    }
}

/// What goes unasked once a rule holds everywhere.
fn everywhere(rule: &str) -> Vec<String> {
    let says = Pattern::parse(rule)
        .ok()
        .map(|pattern| words(&pattern, RuleDecision::Allow));
    let mut lines = vec![format!(
        "This stores the rule {rule} for every project on this machine."
    )];
    lines.extend(says.map(|says| format!("It {}.", lower(says.trim_end_matches('.')))));
    lines.push(
        "From then on no agent asks about that, in any folder, until the rule is removed.".into(),
    );
    lines
}

/// As the middle of a sentence.
fn lower(text: &str) -> String {
    let mut chars = text.chars();
    let first = chars.next().map(|first| first.to_ascii_lowercase());
    first.into_iter().chain(chars).collect()
}

/// What an answer could be remembered as, the narrowest first.
fn list(screen: &mut Screen, rules: &[Suggestion]) -> Result<(), Failure> {
    screen.line("  Allow this, and from now on:")?;
    for (index, one) in rules.iter().enumerate() {
        let reach = match one.scope {
            Scope::Session => "in this session",
            Scope::Project => "in this project",
            Scope::User => "everywhere",
        };
        let reach = screen.styled(Style::Dim, reach);
        screen.line(&format!("    {}. {}  {reach}", index + 1, whole(&one.rule)))?;
    }
    let how = [
        "a number as it stands (1)",
        "for this project (1p)",
        "everywhere (1u)",
        "anything else goes back",
    ];
    offer(screen, &how)
}

/// A number means the rule as it was offered; a letter after it lets it reach
/// further.
fn parse_rule(line: &str, rules: &[Suggestion]) -> Option<Suggestion> {
    let line = line.trim().to_lowercase();
    let digits = line.trim_end_matches(|c: char| c.is_alphabetic());
    let number: usize = digits.parse().ok()?;
    let rule = rules.get(number.checked_sub(1)?)?.clone();
    let scope = match &line[digits.len()..] {
        "" => rule.scope,
        "p" => Scope::Project,
        "u" => Scope::User,
        _ => return None,
    };
    Some(Suggestion { scope, ..rule })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_listed_number_is_remembered() {
        let rules = [("Bash(ls)", Scope::Session), ("Bash(ls:*)", Scope::Project)];
        let rules = rules.map(|(rule, scope)| Suggestion {
            rule: rule.into(),
            scope,
        });
        assert_eq!(parse_rule(" 2 ", &rules), Some(rules[1].clone()));
        for line in ["", "0", "3", "y", "1 2", "-1"] {
            assert_eq!(parse_rule(line, &rules), None, "{line:?}");
        }
    }

    #[test]
    fn a_rule_is_remembered_as_far_as_was_said() {
        let rules = [Suggestion {
            rule: "Bash(npm test:*)".into(),
            scope: Scope::Session,
        }];
        let scope = |line: &str| parse_rule(line, &rules).map(|rule| rule.scope);
        assert_eq!(scope("1"), Some(Scope::Session));
        assert_eq!(scope(" 1P "), Some(Scope::Project));
        assert_eq!(scope("1u"), Some(Scope::User));
        for line in ["", "2", "p", "1x", "1 p", "0"] {
            assert_eq!(scope(line), None, "{line}");
        }
    }

    #[test]
    fn what_will_go_unasked_everywhere_is_said_in_words() {
        let told = everywhere("Bash(git push:*)");
        assert_eq!(
            told,
            [
                "This stores the rule Bash(git push:*) for every project on this machine.",
                "It allows `git push` with any arguments.",
                "From then on no agent asks about that, in any folder, until the rule is removed.",
            ]
        );
    }
}
