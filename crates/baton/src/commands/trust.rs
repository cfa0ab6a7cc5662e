//! `baton trust`: what a folder would run by itself, and the answer to that.

use std::io::IsTerminal;

use baton_protocol::api::{FolderItem, FolderItemKind as Kind, FolderTrust, TrustBody, ask};

use super::folder::whole;
use crate::{
    cli::TrustArgs,
    client::{Client, Told},
    failure::{Exit, Failure},
    setup::Setup,
    terminal::{Screen, Stdin, Style, clean},
};

pub(crate) async fn trust(setup: &Setup, args: &TrustArgs) -> Result<Exit, Failure> {
    let mut client = Client::connect(setup, "baton trust").await?;
    let project = whole(args.path.as_deref());
    let folder = answered(&mut client, &project, None, None).await?;
    let mut screen = Screen::stdout(setup.colour);
    if args.json {
        screen.json(folder.text())?;
    } else {
        show(&mut screen, &folder)?;
    }
    let accept = match (args.accept, args.refuse) {
        (true, _) => Some(true),
        (_, true) => Some(false),
        _ if args.json => None,
        _ => decide(setup, &mut screen, &folder).await?,
    };
    let Some(accept) = accept else {
        return Ok(Exit::Success);
    };
    let answered = answered(
        &mut client,
        &project,
        Some(accept),
        Some(folder.digest.clone()),
    )
    .await?;
    let path = clean(&folder.path, 200);
    match (args.json, accept) {
        (true, _) => screen.json(answered.text())?,
        (false, true) => {
            screen.line(&format!(
                "{path} is trusted, until something of this changes"
            ))?;
        }
        (false, false) => {
            screen.line(&format!(
                "{path} is not trusted: nothing in it runs by itself"
            ))?;
        }
    }
    Ok(Exit::Success)
}

async fn answered(
    client: &mut Client,
    project: &str,
    accept: Option<bool>,
    digest: Option<String>,
) -> Result<Told<FolderTrust>, Failure> {
    let body = TrustBody {
        project: project.to_owned(),
        accept,
        digest,
    };
    client.ask::<ask::Trust>(None, body).await
}

fn show(screen: &mut Screen, folder: &FolderTrust) -> Result<(), Failure> {
    let path = clean(&folder.path, 200);
    let title = if folder.items.is_empty() {
        format!("Nothing in {path} would run by itself.")
    } else {
        format!("By itself, {path} would run or change:")
    };
    let title = screen.styled(Style::Bold, &title);
    screen.line(&title)?;
    let (danger, rest): (Vec<&FolderItem>, Vec<&FolderItem>) =
        folder.items.iter().partition(|item| item.danger.is_some());
    if !danger.is_empty() {
        let count = danger.len();
        let told = format!("\n{count} of these run by themselves or let the agent act unasked:");
        screen.line(&screen.styled(Style::Warn, &told))?;
        groups(screen, &danger)?;
    }
    if !danger.is_empty() && !rest.is_empty() {
        screen.line(&screen.styled(Style::Bold, "\nThe others:"))?;
    }
    groups(screen, &rest)?;
    screen.line("")?;
    for note in &folder.notes {
        let note = screen.styled(Style::Dim, &whole_line(note));
        screen.line(&note)?;
    }
    let standing = match (folder.trusted, folder.changed) {
        (true, _) => "It is trusted. Take that back with --refuse.",
        (false, true) => "It has changed since you answered, and does not run until you accept it.",
        (false, false) => return Ok(()),
    };
    screen.line(standing)
}

/// The items by kind, each that stands out with the reason below it.
fn groups(screen: &mut Screen, items: &[&FolderItem]) -> Result<(), Failure> {
    for group in items.chunk_by(|one, other| one.kind == other.kind) {
        let Some(kind) = group.first().map(|item| item.kind) else {
            continue;
        };
        screen.line(&format!("\n{}", screen.styled(Style::Bold, heading(kind))))?;
        let width = group
            .iter()
            .map(|item| whole_line(&item.name).chars().count());
        let width = width.max().unwrap_or_default();
        for item in group {
            let link = item.link.as_deref().map(whole_line);
            let link = link.map_or_else(String::new, |link| format!(" -> {link}"));
            let file = screen.styled(Style::Dim, &format!("{}{link}", whole_line(&item.file)));
            let name = whole_line(&item.name);
            let line = format!("  {name:width$}  {}", whole_line(&item.detail));
            let line = format!("{}{}", line.trim_end(), passed_over(item));
            screen.line(&format!("{line}  {file}"))?;
            if let Some(why) = &item.danger {
                let why = screen.styled(Style::Warn, &format!("! {}", whole_line(why)));
                screen.line(&format!("    {why}"))?;
            }
        }
    }
    Ok(())
}

/// Said of what does not count though the folder is accepted.
fn passed_over(item: &FolderItem) -> &'static str {
    match (item.kind, item.name.as_str()) {
        (Kind::Permission, "allow") => "  (does not count; `baton rules import` offers it)",
        (Kind::Permission, "defaultMode") => "  (does not count; sessions say their mode)",
        _ => "",
    }
}

/// On one line, with nothing left out: an answer covers all of it.
fn whole_line(text: &str) -> String {
    clean(text, usize::MAX)
}

const fn heading(kind: Kind) -> &'static str {
    match kind {
        Kind::Hook => "Hooks: run at moments of a session",
        Kind::McpServer => "MCP servers: started with every session",
        Kind::Environment => "Environment: set for the agent and all it starts",
        Kind::Helper => "Helpers: commands that settings name",
        Kind::Permission => "Permissions: what is denied or asked holds, what is allowed does not",
        Kind::Plugin => "Plugins",
        Kind::Marketplace => "Marketplaces of plugins",
        Kind::Command => "Commands",
        Kind::Agent => "Agents",
        Kind::Skill => "Skills",
        Kind::OutputStyle => "Output styles",
        Kind::ToolSurface => "Tools that the project wants",
        Kind::Git => "Git settings that run something",
        Kind::GitHook => "Git hooks",
        Kind::Other => "Other settings",
        Kind::Problem => "Could not be read",
    }
}

/// Asks a person; without one it says how to answer. Nothing is accepted by an
/// empty line or a slip.
async fn decide(
    setup: &Setup,
    screen: &mut Screen,
    folder: &FolderTrust,
) -> Result<Option<bool>, Failure> {
    if folder.trusted || (folder.items.is_empty() && !folder.changed) {
        return Ok(None);
    }
    if !folder.complete {
        screen.line("It holds more than can be looked at, so it cannot be trusted.")?;
        return Ok(None);
    }
    // What is piped away has not been seen.
    if !std::io::stdin().is_terminal() || !screen.is_terminal() {
        screen.line(&format!(
            "Answer with {called} trust --accept or --refuse.",
            called = setup.called
        ))?;
        return Ok(None);
    }
    let input = Stdin::default();
    input.forget();
    screen.text("Trust this folder? [y/N] ")?;
    let line = input.line().await.unwrap_or_default();
    Ok(match line.trim().to_lowercase().as_str() {
        "y" | "yes" => Some(true),
        "n" | "no" => Some(false),
        _ => {
            screen.line("Not answered: nothing in it runs by itself.")?;
            None
        }
    })
}
