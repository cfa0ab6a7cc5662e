//! `baton rules`: what people decided in advance.

mod held;
mod import;
mod rooted;

use std::path::Path;

use baton_protocol::{
    Timestamp,
    api::{ListPart, Rule, RuleBody, RulePreview, RuleRemove, RuleTried, ask},
    event::ApprovalRequested,
    words::{ApprovalKind, Json, Scope},
};
use baton_session::{RealWorld, World};
use serde::Serialize;

use super::{folder::whole, projects::surrounding, sessions::age};
use crate::{
    cli::{RuleAddArgs, RulePreviewArgs, RuleRemoveArgs, RulesArgs, RulesCommand},
    client::{Client, find_session},
    failure::{Exit, Failure},
    setup::Setup,
    terminal::{Screen, Style, clean, decision_words, table},
};

const NONE: &str =
    "No rules yet. `baton rules add` makes one, and so does answering an approval with “always”.";

fn reach(rule: &Rule) -> String {
    let of = rule.project.as_ref().or(rule.scope_id.as_ref());
    let of = of.map_or_else(String::new, |of| format!(" {}", clean(of, 80)));
    format!("{}{of}", rule.scope)
}

pub(crate) async fn rules(setup: &Setup, args: RulesArgs) -> Result<Exit, Failure> {
    match args.command {
        None => list(setup, args.json).await,
        Some(RulesCommand::Add(args)) => add(setup, args).await,
        Some(RulesCommand::Remove(args)) => remove(setup, &args).await,
        Some(RulesCommand::Preview(args)) => preview(setup, args).await,
        Some(RulesCommand::Import(args)) => import::import(setup, &args).await,
    }
}

async fn list(setup: &Setup, json: bool) -> Result<Exit, Failure> {
    let mut client = Client::connect(setup, "baton rules").await?;
    let found = all(&mut client).await?;
    let mut screen = Screen::stdout(setup.colour);
    if json {
        return lines(&mut screen, &found);
    }
    let here = whole(None);
    let around = surrounding(&mut client, &here).await?;
    let here = around.map_or(here, |project| project.path);
    let held = held::held(Path::new(&here), &setup.agents);
    if found.is_empty() {
        screen.line(NONE)?;
        held.show(&mut screen)?;
        return Ok(Exit::Success);
    }
    if screen.is_terminal() {
        // A rule that is cut cannot be judged.
        for rule in &found {
            let line = format!(
                "{:5}  {}",
                rule.decision.to_string(),
                clean(&rule.rule, usize::MAX)
            );
            screen.line(&screen.styled(Style::Bold, &line))?;
            screen.line(&format!(
                "       {}: {}",
                reach(rule),
                clean(&rule.words, usize::MAX)
            ))?;
            screen.line(&screen.styled(Style::Dim, &format!("       {}", rule.id)))?;
        }
        held.show(&mut screen)?;
        return Ok(Exit::Success);
    }
    let mut rows = Vec::new();
    for rule in &found {
        rows.push([
            rule.id.to_string(),
            rule.decision.to_string(),
            clean(&rule.rule, 200),
            reach(rule),
            clean(&rule.words, 200),
        ]);
    }
    let head = ["ID", "DECISION", "RULE", "SCOPE", "IN WORDS"];
    table(&mut screen, head, &rows)?;
    held.show(&mut screen)?;
    Ok(Exit::Success)
}

async fn add(setup: &Setup, args: RuleAddArgs) -> Result<Exit, Failure> {
    let scope = scope(&args)?;
    let mut client = Client::connect(setup, "baton rules").await?;
    let session = match args.session.as_deref() {
        Some(name) => Some(find_session(&mut client, name).await?),
        None => None,
    };
    let project = match (scope, &args.project) {
        (Scope::Project, None) => {
            let here = whole(None);
            let around = surrounding(&mut client, &here).await?;
            Some(around.map_or(here, |project| project.path))
        }
        (Scope::Project, Some(named)) => Some(whole(Some(named))),
        (Scope::Session | Scope::User, _) => None,
    };
    let hint = rooted::hint(&args.rule, project.as_deref().map(Path::new));
    let folder = project.clone();
    let body = RuleBody {
        rule: args.rule,
        decision: args.decision,
        scope,
        scope_id: None,
        project,
    };
    let answer = client.ask::<ask::RuleAdd>(session, body).await?;
    if let Some(hint) = hint {
        Screen::stderr(setup.colour).line(&hint)?;
    }
    let mut screen = Screen::stdout(setup.colour);
    if args.json {
        screen.json(answer.text())?;
        return Ok(Exit::Success);
    }
    let mut rule = answer.answer;
    // A folder that is no project yet has a name all the same.
    rule.project = rule.project.or(folder);
    screen.line(&format!("{}  {}", rule.id, clean(&rule.words, 200)))?;
    screen.line(&format!("  for {}", reach(&rule)))?;
    screen.line(&format!(
        "  take it back: {} rules remove {}",
        setup.called, rule.id
    ))?;
    Ok(Exit::Success)
}

/// How far a rule reaches; what else was said must fit it.
fn scope(args: &RuleAddArgs) -> Result<Scope, Failure> {
    let named = if args.session.is_some() {
        Some((Scope::Session, "--session"))
    } else {
        let project = args.project.as_ref();
        project.map(|_| (Scope::Project, "--project"))
    };
    match (args.scope, named) {
        (None, None) => Ok(Scope::Project),
        (None, Some((meant, _))) => Ok(meant),
        (Some(Scope::Session), None) => Err(Failure::usage(
            "a rule for a session names it",
            "Add --session ID, or --session last.",
        )),
        (Some(scope), Some((meant, flag))) if scope != meant => Err(Failure::usage(
            format!("{flag} does not go with --scope {scope}"),
            format!("Leave {flag} out, or write --scope {meant}."),
        )),
        (Some(scope), _) => Ok(scope),
    }
}

async fn remove(setup: &Setup, args: &RuleRemoveArgs) -> Result<Exit, Failure> {
    let mut client = Client::connect(setup, "baton rules").await?;
    let mut matching = Vec::new();
    for rule in all(&mut client).await? {
        let id = rule.id.to_string();
        let bare = id.split_once('_').map_or("", |(_, bare)| bare);
        let named = id == args.id || rule.rule == args.id.trim();
        if named || (args.id.len() >= 4 && bare.starts_with(bare_of(&args.id))) {
            matching.push(rule);
        }
    }
    let [rule] = &matching[..] else {
        let named = matching.iter().map(|rule| {
            let (id, decision) = (rule.id, rule.decision);
            format!("\n  {id}  {decision} for {}", reach(rule))
        });
        let named: String = named.collect();
        return Err(Failure::new(
            format!(
                "`{}` names {} rules{named}",
                clean(&args.id, 80),
                matching.len()
            ),
            "`baton rules` lists them; write the id, or enough of its beginning.",
        ));
    };
    let body = RuleRemove { rule_id: rule.id };
    let answer = client.ask::<ask::RuleRemove>(None, body).await?;
    let mut screen = Screen::stdout(setup.colour);
    if args.json {
        screen.json(answer.text())?;
    } else {
        let (decision, rule) = (rule.decision, clean(&rule.rule, 200));
        screen.line(&format!("forgotten: {decision} {rule}"))?;
    }
    Ok(Exit::Success)
}

fn bare_of(name: &str) -> &str {
    name.strip_prefix("rul_").unwrap_or(name)
}

async fn preview(setup: &Setup, args: RulePreviewArgs) -> Result<Exit, Failure> {
    let mut client = Client::connect(setup, "baton rules").await?;
    let project = args.project.as_deref();
    let body = RulePreview {
        rule: args.rule,
        decision: args.decision,
        project: project.map(|project| whole(Some(project))),
    };
    let told = client.ask::<ask::RulePreview>(None, body).await?;
    let tried = told.answer.items;
    let mut screen = Screen::stdout(setup.colour);
    if args.json {
        return lines(&mut screen, &tried);
    }
    let now = RealWorld.now();
    let mut rows = Vec::new();
    let mut decided = 0;
    for one in &tried {
        decided += usize::from(one.decision.is_some());
        rows.push(cells(one, now));
    }
    if !rows.is_empty() {
        let head = [
            "WHEN",
            "SESSION",
            "WITH THE RULE",
            "DECIDED THEN",
            "REQUEST",
        ];
        table(&mut screen, head, &rows)?;
    }
    let count = tried.len();
    screen.line(&format!(
        "It would have decided {decided} of {count} past requests."
    ))?;
    Ok(Exit::Success)
}

fn cells(tried: &RuleTried, now: Timestamp) -> [String; 5] {
    let then = tried.resolved.as_ref();
    // Rules are about tool calls.
    let words = |then| decision_words(then, ApprovalKind::Tool, None);
    let then = then.map_or_else(|| "open".to_owned(), words);
    let with = tried.decision;
    let with = with.map_or_else(|| "left to others".to_owned(), |with| with.to_string());
    [
        age(now, tried.requested_at),
        tried.session_id.to_string(),
        with,
        then,
        request(&tried.request),
    ]
}

/// What was asked for, on one short line.
fn request(request: &ApprovalRequested) -> String {
    let input = request.input.value();
    let known = ["command", "file_path", "notebook_path", "url", "path"];
    let known = known.iter().find_map(|field| input[*field].as_str());
    let input = known.map_or_else(|| input.to_string(), str::to_owned);
    clean(&format!("{} {input}", request.tool_name), 100)
}

async fn all(client: &mut Client) -> Result<Vec<Rule>, Failure> {
    let told = client.ask::<ask::Rules>(None, ListPart::default()).await?;
    Ok(told.answer.items)
}

fn lines<T: Serialize>(screen: &mut Screen, items: &[T]) -> Result<Exit, Failure> {
    for one in items {
        screen.json(Json::of(one).text())?;
    }
    Ok(Exit::Success)
}
