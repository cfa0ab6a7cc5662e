//! `baton sessions`

use std::{collections::BTreeMap, path::Path};

use baton_protocol::{ProjectId, Timestamp, words::SessionState};
use baton_session::{RealWorld, World, project_id};
use baton_store::{ProjectKey, SessionFilter, SessionRow, SessionStatus};

use super::{around::project_around, folder::whole, projects::named};
use crate::{
    cli::SessionsArgs,
    failure::{Exit, Failure},
    owner::Log,
    setup::Setup,
    terminal::{Screen, clean, table},
};

const HEAD: [&str; 8] = [
    "ID", "STATE", "PROJECT", "AGENT", "TURNS", "COST", "LAST", "TITLE",
];
/// The most that `--limit` takes.
const MOST: u32 = 1000;
const NONE: &str = "No sessions yet. Start one with `baton run`.";

pub(crate) async fn sessions(setup: &Setup, args: &SessionsArgs) -> Result<Exit, Failure> {
    let log = match Log::open(setup).await {
        Ok(Some(log)) => log,
        Ok(None) => {
            if !args.json {
                Screen::stdout(setup.colour).line(NONE)?;
            }
            return Ok(Exit::Success);
        }
        Err(failure) => return Err(failure),
    };
    let limit = usize::try_from(args.limit).unwrap_or(usize::MAX);
    let project = match &args.project {
        Some(name) => Some(wanted(setup, &log, name).await?),
        None => None,
    };
    let filter = SessionFilter {
        project,
        ..SessionFilter::default()
    };
    let filter = filter.in_state(args.state);
    let is_narrowed = filter.project.is_some() || filter.state.is_some();
    let page = log.store().sessions(filter, None, limit).await?;
    let mut screen = Screen::stdout(setup.colour);
    if args.json {
        for row in &page.items {
            screen.json(&serde_json::to_string(row).unwrap_or_default())?;
        }
    } else if page.items.is_empty() {
        screen.line(if is_narrowed {
            "No such sessions."
        } else {
            NONE
        })?;
    } else {
        let now = RealWorld.now();
        let names = project_names(&log).await?;
        let ids = short_ids(&page.items, screen.is_terminal());
        let cells = page
            .items
            .iter()
            .zip(ids)
            .map(|(row, id)| cells(row, id, &names, now));
        let rows: Vec<_> = cells.collect();
        table(&mut screen, HEAD, &rows)?;
        if page.next.is_some() {
            screen.line(&format!("… more: {}", further(setup, args)))?;
        }
    }
    log.close().await;
    if page.unreadable > 0 {
        Screen::stderr(setup.colour).line(&format!(
            "{} sessions are not listed: the event log is damaged there; see `baton doctor`",
            page.unreadable
        ))?;
        return Ok(Exit::Failure);
    }
    Ok(Exit::Success)
}

/// On a terminal as much of each id as tells it from the others: every command
/// takes the beginning of one.
fn short_ids(rows: &[SessionRow], shorten: bool) -> Vec<String> {
    /// The prefix, the time of its making to the millisecond, and some chance.
    const SHORT: usize = "ses_0123456789ab7fff".len();
    let whole: Vec<String> = rows.iter().map(|row| row.id.to_string()).collect();
    if !shorten {
        return whole;
    }
    let beginnings: std::collections::BTreeSet<&str> =
        whole.iter().filter_map(|id| id.get(..SHORT)).collect();
    let length = if beginnings.len() == whole.len() {
        SHORT
    } else {
        usize::MAX
    };
    whole
        .iter()
        .map(|id| id.get(..length).unwrap_or(id).to_owned())
        .collect()
}

/// The command that shows more of the same.
fn further(setup: &Setup, args: &SessionsArgs) -> String {
    let mut command = format!("{} sessions", setup.called);
    if let Some(project) = &args.project {
        command.push_str(&format!(" --project {}", quoted(project)));
    }
    if let Some(state) = args.state {
        command.push_str(&format!(" --state {state}"));
    }
    format!("{command} --limit {}", (args.limit * 2).min(MOST))
}

/// As a shell takes it.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./~".contains(c);
    if word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", clean(word, 200).replace('\'', r"'\''"))
}

/// The project that a slug, an id or a folder names. A folder that is no
/// project itself is a part of the one around it.
async fn wanted(setup: &Setup, log: &Log, name: &str) -> Result<ProjectId, Failure> {
    if let Ok(id) = name.parse::<ProjectId>() {
        return Ok(id);
    }
    let named = named(name);
    if named == name && !name.starts_with('/') {
        let key = ProjectKey::Slug(name.to_owned());
        if let Some(project) = log.store().project(key).await? {
            return Ok(project.id);
        }
    }
    let folder = whole(Some(Path::new(&named)));
    let real = std::fs::canonicalize(&folder).ok();
    let real = real.and_then(|path| path.to_str().map(str::to_owned));
    let known = log.store().projects().await?;
    let is_known = |path: &str| known.iter().any(|project| project.path == path);
    match real {
        Some(path) if is_known(&path) => Ok(project_id(&path)),
        Some(path) => {
            let around = project_around(setup, &path).await?;
            let around = around.and_then(|around| around.to_str().map(str::to_owned));
            Ok(project_id(&around.unwrap_or(path)))
        }
        // A folder that is gone still has its sessions.
        None if is_known(&folder) => Ok(project_id(&folder)),
        None => Err(Failure::new(
            format!("there is no project {}", clean(name, 200)),
            "`baton projects` lists the projects there are; a folder may be named too.",
        )),
    }
}

/// What each project is called: as somebody titled it, else as its folder is.
async fn project_names(log: &Log) -> Result<BTreeMap<ProjectId, String>, Failure> {
    let used = log.store().projects().await?.into_iter();
    let mut names: BTreeMap<_, _> = used
        .map(|project| (project.id, file_name(&project.path)))
        .collect();
    for project in log.store().project_list().await? {
        let name = project.title.unwrap_or_else(|| file_name(&project.path));
        names.insert(project.id, clean(&name, 24));
    }
    Ok(names)
}

fn file_name(path: &str) -> String {
    let path = Path::new(path);
    let name = path.file_name().unwrap_or(path.as_os_str());
    clean(&name.to_string_lossy(), 24)
}

fn cells(
    row: &SessionRow,
    id: String,
    names: &BTreeMap<ProjectId, String>,
    now: Timestamp,
) -> [String; 8] {
    let beside = row.work.iter().filter(|one| one.background).count();
    let state = if row.open_approvals > 0 {
        format!("{} ({} open)", row.state, row.open_approvals)
    } else if beside > 0 {
        format!("{} ({beside} in background)", row.state)
    } else if row.retry.is_some() {
        format!("{} (trying again)", row.state)
    } else if row.turn_failed && row.state == SessionState::Idle {
        format!("{} (failed)", row.state)
    } else if row.state == SessionState::Ended && row.status == SessionStatus::Asleep {
        row.status.to_string()
    } else {
        row.state.to_string()
    };
    [
        id,
        state,
        match names.get(&row.project_id) {
            Some(name) => name.clone(),
            None => file_name(row.cwd.as_deref().unwrap_or_default()),
        },
        row.agent.clone(),
        row.turn_count.to_string(),
        row.cost_usd
            .map_or_else(String::new, |cost| format!("${cost:.2}")),
        age(now, row.last_activity_at),
        clean(row.title.as_deref().unwrap_or_default(), 60),
    ]
}

pub(super) fn age(now: Timestamp, then: Timestamp) -> String {
    let seconds = now.since(then).as_secs();
    match seconds {
        0..60 => "now".into(),
        60..3600 => format!("{} min", seconds / 60),
        3600..86_400 => format!("{} h", seconds / 3600),
        _ => format!("{} d", seconds / 86_400),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_are_told_in_the_unit_a_person_would_use() {
        let at = |seconds: i64| {
            age(
                Timestamp::from_millis(seconds * 1000),
                Timestamp::from_millis(0),
            )
        };
        assert_eq!(
            [at(5), at(90), at(7200), at(200_000)],
            ["now", "1 min", "2 h", "2 d"]
        );
    }
}
