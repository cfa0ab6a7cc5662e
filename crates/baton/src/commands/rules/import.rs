//! `baton rules import`: what the agent's own settings say, taken over on request.

use baton_protocol::{
    api::{OfferedRule, OfferedRules, Rule, RuleChoice, RulesOffered, RulesTake, ask},
    words::Scope,
};

use super::{lines, reach};
use crate::{
    cli::RuleImportArgs,
    client::Client,
    commands::folder::whole,
    failure::{Exit, Failure},
    setup::Setup,
    terminal::{Screen, clean, table},
};

pub(super) async fn import(setup: &Setup, args: &RuleImportArgs) -> Result<Exit, Failure> {
    let mut client = Client::connect(setup, "baton rules").await?;
    let project = whole(args.project.as_deref());
    let body = RulesOffered {
        project: Some(project.clone()),
    };
    let offered = client.ask::<ask::RulesOffered>(None, body).await?;
    let mut screen = Screen::stdout(setup.colour);
    if args.rules.is_empty() && !args.all {
        return list(setup, &mut screen, &offered, args.json);
    }
    let chosen = chosen(args, &offered.items)?;
    let mut taken = Vec::new();
    for scope in [Scope::User, Scope::Project] {
        let of_scope = chosen
            .iter()
            .filter(|item| args.scope.unwrap_or(item.scope) == scope);
        let rules: Vec<RuleChoice> = of_scope
            .map(|item| RuleChoice {
                rule: item.rule.clone(),
                decision: item.decision,
            })
            .collect();
        if rules.is_empty() {
            continue;
        }
        let body = RulesTake {
            rules,
            scope,
            project: Some(project.clone()),
        };
        let told = client.ask::<ask::RulesTake>(None, body).await?;
        taken.extend(told.answer.items);
    }
    if args.json {
        return lines(&mut screen, &taken);
    }
    told(&mut screen, &taken)?;
    if args.all {
        left(&mut screen, &offered.items)?;
    }
    Ok(Exit::Success)
}

/// The offered rules that are meant. What was named and is not there, or cannot
/// be taken over, is an error before anything is taken.
fn chosen<'a>(
    args: &RuleImportArgs,
    offered: &'a [OfferedRule],
) -> Result<Vec<&'a OfferedRule>, Failure> {
    if args.all {
        let free = offered.iter().filter(|item| can_be_taken(item));
        return Ok(free.filter(|item| item.warning.is_none()).collect());
    }
    let mut chosen = Vec::new();
    for rule in &args.rules {
        let shown = clean(rule, 200);
        let named: Vec<_> = offered.iter().filter(|item| item.rule == *rule).collect();
        if named.is_empty() {
            return Err(Failure::new(
                format!("`{shown}` is not among Claude Code's own rules"),
                "`baton rules import` lists them; write one as it stands there.",
            ));
        }
        let unreadable = named.iter().find_map(|item| item.unreadable.as_deref());
        if let Some(why) = unreadable {
            return Err(Failure::new(
                format!("`{shown}` cannot be taken over: {}", clean(why, 300)),
                "`baton rules add` makes a rule that says what you mean.",
            ));
        }
        chosen.extend(named);
    }
    Ok(chosen)
}

const fn can_be_taken(item: &OfferedRule) -> bool {
    item.unreadable.is_none() && !item.known
}

fn list(
    setup: &Setup,
    screen: &mut Screen,
    offered: &OfferedRules,
    json: bool,
) -> Result<Exit, Failure> {
    if json {
        return lines(screen, &offered.items);
    }
    for note in &offered.notes {
        screen.line(&clean(note, 300))?;
    }
    if offered.items.is_empty() {
        screen.line("Claude Code's own settings have no rules.")?;
        return Ok(Exit::Success);
    }
    let rows = offered.items.iter().map(|item| {
        [
            clean(&item.rule, 200),
            item.decision.to_string(),
            item.scope.to_string(),
            standing(item),
        ]
    });
    let rows: Vec<_> = rows.collect();
    table(screen, ["RULE", "DECISION", "SCOPE", "HERE"], &rows)?;
    if offered.items.iter().any(can_be_taken) {
        let called = &setup.called;
        screen.line(&format!(
            "Take some over with {called} rules import 'RULE' …, or all with {called} rules import --all."
        ))?;
    }
    Ok(Exit::Success)
}

/// What a rule is or would be here.
fn standing(item: &OfferedRule) -> String {
    let words = item.words.as_deref().unwrap_or_default();
    let told = match (&item.unreadable, item.known, &item.warning) {
        (Some(why), _, _) => format!("cannot be taken over: {why}"),
        (None, true, _) => format!("there already: {words}"),
        (None, false, Some(warning)) => format!("! {warning} {words}"),
        (None, false, None) => words.to_owned(),
    };
    clean(&told, 400)
}

fn told(screen: &mut Screen, taken: &[Rule]) -> Result<(), Failure> {
    for rule in taken {
        let (id, words) = (rule.id, clean(&rule.words, 200));
        screen.line(&format!("{id}  {words}, for {}", reach(rule)))?;
    }
    match taken.len() {
        0 => screen.line("Nothing to take over: what was asked for is there already."),
        1 => screen.line("1 rule was taken over."),
        count => screen.line(&format!("{count} rules were taken over.")),
    }
}

/// Says what taking all over left where it is, and why.
fn left(screen: &mut Screen, offered: &[OfferedRule]) -> Result<(), Failure> {
    for item in offered.iter().filter(|item| !item.known) {
        let why = item.unreadable.as_ref().or(item.warning.as_ref());
        if let Some(why) = why {
            let (rule, why) = (clean(&item.rule, 200), clean(why, 300));
            screen.line(&format!("left: {} {rule} ({why})", item.decision))?;
        }
    }
    Ok(())
}
