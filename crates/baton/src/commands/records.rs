//! `baton search`, `usage` and `backup`: the log as a whole.

use std::path::{Path, PathBuf};

use baton_protocol::{
    api::{Backup, BackupMade, Search, SearchHit, UsageQuery, ask},
    words::Json,
};
use baton_session::{RealWorld, World};
use baton_store::{Day, Store};

use super::{folder::whole, projects::named};
use crate::{
    cli::{BackupArgs, SearchArgs, UsageArgs},
    client::Client,
    failure::{Exit, Failure},
    owner::database,
    setup::Setup,
    terminal::{Screen, Style, clean, table},
};

pub(crate) async fn search(setup: &Setup, args: &SearchArgs) -> Result<Exit, Failure> {
    let mut client = Client::connect(setup, "baton search").await?;
    let body = Search {
        q: args.words.join(" "),
        project: args.project.as_deref().map(named),
        limit: Some(args.limit),
        cursor: None,
    };
    let found = client.ask::<ask::Search>(None, body).await?;
    let mut screen = Screen::stdout(setup.colour);
    for hit in &found.items {
        if args.json {
            screen.json(Json::of(hit).text())?;
            continue;
        }
        let title = clean(hit.title.as_deref().unwrap_or_default(), 60);
        let place = format!("{} event {}  {title}", hit.session_id, hit.seq);
        let place = screen.styled(Style::Dim, place.trim_end());
        screen.line(&place)?;
        let text = highlighted(&screen, hit);
        screen.line(&format!("  {text}"))?;
        if !hit.copies.is_empty() {
            let copies: Vec<_> = hit.copies.iter().map(ToString::to_string).collect();
            let copies = format!("  also the past of {}", copies.join(", "));
            screen.line(&screen.styled(Style::Dim, &copies))?;
        }
    }
    if !args.json && found.items.is_empty() {
        screen.line("Nothing was said in which all of that occurs.")?;
    }
    if !args.json && found.next.is_some() {
        screen.line(&format!("… more: --limit {}", (args.limit * 2).min(200)))?;
    }
    Ok(Exit::Success)
}

/// The words that were found stand out; nothing else can paint the screen.
fn highlighted(screen: &Screen, hit: &SearchHit) -> String {
    let units: Vec<u16> = hit.snippet.encode_utf16().collect();
    let part = |from: usize, to: usize| {
        let units = units.get(from..to).unwrap_or_default();
        clean(&String::from_utf16_lossy(units), usize::MAX)
    };
    let (mut text, mut at) = (String::new(), 0);
    for (start, end) in &hit.marks {
        let (start, end) = (*start as usize, *end as usize);
        text.push_str(&part(at, start));
        text.push_str(&screen.styled(Style::Bold, &part(start, end)));
        at = end;
    }
    text.push_str(&part(at, units.len()));
    text
}

pub(crate) async fn usage(setup: &Setup, args: &UsageArgs) -> Result<Exit, Failure> {
    let mut client = Client::connect(setup, "baton usage").await?;
    let body = UsageQuery {
        from: args.from.clone(),
        to: args.to.clone(),
        project: args.project.as_deref().map(named),
    };
    let report = client.ask::<ask::Usage>(None, body).await?;
    let mut screen = Screen::stdout(setup.colour);
    if args.json {
        screen.json(report.text())?;
        return Ok(Exit::Success);
    }
    if report.items.is_empty() {
        screen.line("No turns have ended in that time.")?;
        return Ok(Exit::Success);
    }
    let rows: Vec<_> = report
        .items
        .iter()
        .map(|item| {
            [
                item.day.clone(),
                item.project
                    .clone()
                    .unwrap_or_else(|| item.project_id.to_string()),
                clean(item.model.as_deref().unwrap_or("unknown"), 40),
                item.turns.to_string(),
                thousands(
                    item.usage.input_tokens
                        + item.usage.cache_read_input_tokens
                        + item.usage.cache_creation_input_tokens,
                ),
                thousands(item.usage.output_tokens),
                format!("${:.2}", item.cost_usd),
            ]
        })
        .collect();
    let head = ["DAY", "PROJECT", "MODEL", "TURNS", "IN", "OUT", "COST"];
    table(&mut screen, head, &rows)?;
    let total = format!(
        "{}, ${:.2} in all",
        counted(report.total_turns, "turn"),
        report.total_cost_usd
    );
    screen.line(&screen.styled(Style::Bold, &total))?;
    Ok(Exit::Success)
}

fn counted(count: u64, what: &str) -> String {
    let many = if count == 1 { "" } else { "s" };
    format!("{count} {what}{many}")
}

/// Tokens as a person counts them.
fn thousands(tokens: u64) -> String {
    match tokens {
        0..10_000 => tokens.to_string(),
        10_000..10_000_000 => format!("{} k", tokens / 1000),
        _ => format!("{} M", tokens / 1_000_000),
    }
}

/// Through the daemon if one runs: it has the newest. Without one the log is
/// copied as it lies.
pub(crate) async fn backup(setup: &Setup, args: &BackupArgs) -> Result<Exit, Failure> {
    let path = match &args.file {
        Some(file) => PathBuf::from(whole(Some(file))),
        None => {
            let name = format!("baton-{}.db", Day::of(RealWorld.now()));
            PathBuf::from(whole(Some(Path::new(&name))))
        }
    };
    let made = match Client::existing(setup, "baton backup").await? {
        Some(mut client) => {
            let path = path.display().to_string();
            client
                .ask::<ask::Backup>(None, Backup { path })
                .await?
                .answer
        }
        None => copy(setup, &path).await?,
    };
    let mut screen = Screen::stdout(setup.colour);
    if args.json {
        screen.json(Json::of(&made).text())?;
    } else {
        screen.line(&format!(
            "{} holds {} with {} ({} KiB), read back and whole",
            clean(&made.path, 200),
            counted(made.sessions, "session"),
            counted(made.events, "event"),
            made.bytes / 1024
        ))?;
    }
    Ok(Exit::Success)
}

async fn copy(setup: &Setup, path: &Path) -> Result<BackupMade, Failure> {
    let log = database(&setup.data);
    if !log.exists() {
        return Err(Failure::new(
            format!("there is no event log in {}", setup.data.display()),
            "Name the data folder with --data-dir.",
        ));
    }
    if path.symlink_metadata().is_ok() {
        return Err(Failure::new(
            format!("{} is there already", path.display()),
            "Name a file that is not there yet.",
        ));
    }
    let store = Store::open_read_only(&log)?;
    let copied = store.backup(path).await;
    store.close().await;
    let copied = copied?;
    Ok(BackupMade {
        path: path.display().to_string(),
        bytes: copied.bytes,
        sessions: copied.sessions,
        events: copied.events,
    })
}
