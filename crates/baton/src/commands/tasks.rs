//! `baton tasks`: what works beside a session's conversation, and stopping it.

use baton_protocol::{
    Timestamp,
    api::{StopTask, ask},
    event::RunningWork,
    words::WorkKind,
};
use baton_session::{RealWorld, World};

use crate::{
    cli::TasksArgs,
    client::{Client, find_session},
    failure::{Exit, Failure},
    setup::Setup,
    terminal::{Screen, clean, table},
};

const HEAD: [&str; 4] = ["TASK", "KIND", "FOR", "WHAT"];

pub(crate) async fn tasks(setup: &Setup, args: &TasksArgs) -> Result<Exit, Failure> {
    let mut client = Client::connect(setup, "baton tasks").await?;
    let id = find_session(&mut client, &args.id).await?;
    let mut screen = Screen::stdout(setup.colour);
    if let Some(task_id) = args.stop.clone() {
        let text = format!("{} has been told to stop", clean(&task_id, 80));
        let body = StopTask { task_id };
        let answer = client.ask::<ask::StopTask>(Some(id), body).await?;
        if args.json {
            screen.json(answer.text())?;
        } else {
            screen.line(&text)?;
        }
        return Ok(Exit::Success);
    }
    let row = client.session(id).await?.session;
    if args.json {
        for one in &row.work {
            screen.json(&serde_json::to_string(one).unwrap_or_default())?;
        }
    } else if row.work.is_empty() {
        screen.line("Nothing works beside the conversation.")?;
    } else {
        let now = RealWorld.now();
        let rows: Vec<_> = row.work.iter().map(|one| cells(one, now)).collect();
        table(&mut screen, HEAD, &rows)?;
    }
    Ok(Exit::Success)
}

fn cells(work: &RunningWork, now: Timestamp) -> [String; 4] {
    let kind = match (work.kind, work.background) {
        (WorkKind::Subagent, true) => "sub-agent",
        (WorkKind::Subagent, false) => "sub-agent of the turn",
        (WorkKind::Task, _) => "command",
    };
    let what = work.description.as_deref().unwrap_or_default();
    [
        clean(&work.id, 80),
        kind.to_owned(),
        span(now.since(work.started_at).as_secs()),
        clean(what, 200),
    ]
}

fn span(seconds: u64) -> String {
    match seconds {
        0..120 => format!("{seconds} s"),
        120..7200 => format!("{} min", seconds / 60),
        _ => format!("{} h", seconds / 3600),
    }
}

#[cfg(test)]
mod tests {
    use baton_protocol::{Timestamp, event::RunningWork, words::WorkKind};

    use super::cells;

    #[test]
    fn each_says_what_it_is_and_for_how_long() {
        let mut work = RunningWork {
            id: "b1".into(),
            kind: WorkKind::Task,
            background: true,
            description: Some("npm run dev\u{1b}[2J".into()),
            agent_type: None,
            tool_use_id: None,
            started_at: Timestamp::from_millis(1_000),
        };
        let shown = cells(&work, Timestamp::from_millis(61_000));
        assert_eq!(shown[..3], ["b1", "command", "60 s"]);
        assert!(!shown[3].contains('\u{1b}'), "{shown:?}");
        work.kind = WorkKind::Subagent;
        let shown = cells(&work, Timestamp::from_millis(7_201_000));
        assert_eq!(shown[1..3], ["sub-agent", "2 h"]);
    }
}
