//! `baton sessions`

use std::path::Path;

use baton_protocol::{Timestamp, words::SessionState};
use baton_session::{RealWorld, World, project_id};
use baton_store::{SessionFilter, SessionRow, SessionStatus};

use super::folder::whole;
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
    let project = args
        .project
        .as_ref()
        .map(|_| whole(args.project.as_deref()));
    let filter = SessionFilter {
        // As sessions name their folders: the real path.
        project: project.map(|named| {
            let real = std::fs::canonicalize(&named).ok();
            let real = real.and_then(|path| path.to_str().map(str::to_owned));
            project_id(&real.unwrap_or(named))
        }),
        state: args.state,
        running: false,
    };
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
        let ids = short_ids(&page.items, screen.is_terminal());
        let cells = page
            .items
            .iter()
            .zip(ids)
            .map(|(row, id)| cells(row, id, now));
        let rows: Vec<_> = cells.collect();
        table(&mut screen, HEAD, &rows)?;
        if page.next.is_some() {
            screen.line(&format!(
                "… more: baton sessions --limit {}",
                args.limit * 2
            ))?;
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

fn cells(row: &SessionRow, id: String, now: Timestamp) -> [String; 8] {
    let beside = row.work.iter().filter(|one| one.background).count();
    let state = if row.open_approvals > 0 {
        format!("{} ({} open)", row.state, row.open_approvals)
    } else if beside > 0 {
        format!("{} ({beside} in background)", row.state)
    } else if row.state == SessionState::Ended && row.status == SessionStatus::Asleep {
        row.status.to_string()
    } else {
        row.state.to_string()
    };
    [
        id,
        state,
        project(row),
        row.agent.clone(),
        row.turn_count.to_string(),
        row.cost_usd
            .map_or_else(String::new, |cost| format!("${cost:.2}")),
        age(now, row.last_activity_at),
        clean(row.title.as_deref().unwrap_or_default(), 60),
    ]
}

/// The folder's own name.
fn project(row: &SessionRow) -> String {
    let cwd = Path::new(row.cwd.as_deref().unwrap_or_default());
    let name = cwd.file_name().unwrap_or(cwd.as_os_str());
    clean(&name.to_string_lossy(), 24)
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
