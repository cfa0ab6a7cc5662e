//! `baton history` and `baton import`: sessions that were begun without Baton.

use baton_protocol::{
    Timestamp,
    api::{History, Import, PastSession, ask},
    words::Json,
};
use baton_session::{RealWorld, World};

use super::{folder::whole, sessions::age};
use crate::{
    cli::{HistoryArgs, ImportArgs},
    client::Client,
    failure::{Exit, Failure},
    setup::Setup,
    terminal::{Screen, clean, table},
};

/// Beginnings shorter than this mean too much.
const SHORTEST: usize = 4;
/// A UUID in its usual form.
const WHOLE: usize = 36;

pub(crate) async fn history(setup: &Setup, args: &HistoryArgs) -> Result<Exit, Failure> {
    let mut client = Client::connect(setup, "baton history").await?;
    let project = whole(args.path.as_deref());
    let found = past(&mut client, &project).await?;
    let mut screen = Screen::stdout(setup.colour);
    if args.json {
        for one in &found {
            screen.json(Json::of(one).text())?;
        }
        return Ok(Exit::Success);
    }
    if found.is_empty() {
        screen.line(&format!(
            "Claude Code has no sessions for {} that are not sessions here already.",
            clean(&project, 200)
        ))?;
        return Ok(Exit::Success);
    }
    let now = RealWorld.now();
    let rows: Vec<_> = found.iter().map(|one| cells(one, now)).collect();
    table(&mut screen, ["ID", "LAST", "HERE", "TITLE"], &rows)?;
    screen.line(&format!("Take one in: {} import ID", setup.called))?;
    Ok(Exit::Success)
}

fn cells(one: &PastSession, now: Timestamp) -> [String; 4] {
    let imported = one.imported_as.map(|id| id.to_string());
    let live = one.live.as_ref().map(|owner| {
        let how = owner.entrypoint.as_deref().map(|how| clean(how, 20));
        let how = how.map_or_else(String::new, |how| format!(" ({how})"));
        format!("runs in process {}{how}", owner.pid)
    });
    let here: Vec<String> = imported.into_iter().chain(live).collect();
    [
        one.agent_session_id.clone(),
        age(now, one.last_activity_at),
        here.join(", "),
        clean(one.title.as_deref().unwrap_or_default(), 60),
    ]
}

pub(crate) async fn import(setup: &Setup, args: &ImportArgs) -> Result<Exit, Failure> {
    let mut client = Client::connect(setup, "baton import").await?;
    let project = whole(args.project.as_deref());
    let found = past(&mut client, &project).await?;
    let one = find(&found, &args.id)?;
    let body = Import {
        project,
        // One that is not listed is refused by the daemon, with the reason.
        agent_session_id: one.map_or_else(|| args.id.clone(), |one| one.agent_session_id.clone()),
    };
    let row = client.ask::<ask::Import>(None, body).await?;
    let mut screen = Screen::stdout(setup.colour);
    if args.json {
        screen.json(row.text())?;
        return Ok(Exit::Success);
    }
    let id = row.id;
    let called = &setup.called;
    screen.line(&id.to_string())?;
    match one.and_then(|one| one.live.as_ref()) {
        Some(owner) => screen.line(&format!(
            "  process {} runs it; follow it: {called} watch {id}\n  once that has ended, go on: {called} run --resume {id} \"…\"",
            owner.pid
        ))?,
        None => screen.line(&format!(
            "  read it: {called} watch {id}\n  go on: {called} run --resume {id} \"…\""
        ))?,
    }
    Ok(Exit::Success)
}

async fn past(client: &mut Client, project: &str) -> Result<Vec<PastSession>, Failure> {
    let body = History {
        project: project.to_owned(),
        limit: None,
        cursor: None,
    };
    let told = client.ask::<ask::History>(None, body).await?;
    Ok(told.answer.items)
}

/// The one a person names; none if it is a whole id that is not listed.
fn find<'a>(found: &'a [PastSession], name: &str) -> Result<Option<&'a PastSession>, Failure> {
    let begins = |one: &&PastSession| one.agent_session_id.starts_with(name);
    let matching: Vec<&PastSession> = found.iter().filter(begins).collect();
    match matching[..] {
        [one] if name.len() >= SHORTEST => Ok(Some(one)),
        [] if name.len() == WHOLE => Ok(None),
        _ => Err(Failure::new(
            format!(
                "`{}` names {} sessions of this folder",
                clean(name, 80),
                matching.len()
            ),
            "`baton history` lists them; write the id, or at least four characters of it.",
        )),
    }
}
