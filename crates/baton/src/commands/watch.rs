//! `baton watch`: a session as it was and as it goes on.

use std::time::Duration;

use baton_protocol::{Event, Seq, SessionId, event::ApprovalRequested, words::SessionState};

use baton_session::past;

use super::talk::{View, stopped};
use crate::{
    cli::WatchArgs,
    client::{Client, News, SessionLink, find_session},
    failure::{Exit, Failure},
    owner::Log,
    setup::Setup,
    signals::Signals,
    terminal::{RunView, Style},
};

const NAME: &str = "baton watch";
/// Events of the past read at once.
const PAGE: usize = 500;

pub(crate) async fn watch(setup: &Setup, args: &WatchArgs) -> Result<Exit, Failure> {
    let mut client = Client::connect(setup, NAME).await?;
    let session = find_session(&mut client, &args.id).await?;
    let after = Seq(args.after);
    let row = client.session(session).await?.session;
    // What is asked for may not say it.
    let mut ended = row.state == SessionState::Ended;
    let mut link = SessionLink::open(setup, NAME, client, session, after).await?;
    let mut view = View::new(setup, args.json);
    if let View::Person(view) = &mut view {
        view.show_messages();
    }
    if after == Seq::START && (args.past || !args.json) {
        show_past(setup, session, args.json).await?;
    }
    let mut signals = Signals::new()?;
    // What waits for a person in the part that is history.
    let mut open: Vec<ApprovalRequested> = Vec::new();
    let mut live = false;
    loop {
        let spinning = view.is_spinning();
        let news = tokio::select! {
            biased;
            () = signals.leave() => return Ok(Exit::Success),
            news = link.next() => news?,
            () = tokio::time::sleep(Duration::from_millis(100)), if spinning => {
                view.tick()?;
                continue;
            }
        };
        match news {
            News::Event { text, envelope } => {
                view.event(&text, &envelope)?;
                if let Event::ApprovalRequested(request) = &envelope.event {
                    if live {
                        tell(&mut view, setup, request)?;
                    } else {
                        open.push(request.clone());
                    }
                } else if let Event::ApprovalResolved(resolved) = &envelope.event {
                    open.retain(|open| open.approval_id != resolved.approval_id);
                }
                if let Event::SessionState(changed) = envelope.event {
                    ended = changed.state == SessionState::Ended;
                }
                if live && ended {
                    return Ok(Exit::Success);
                }
            }
            News::Live { text, frame } => view.live(&text, frame.as_deref())?,
            News::CaughtUp => {
                live = true;
                for request in open.drain(..) {
                    tell(&mut view, setup, &request)?;
                }
                if ended {
                    return Ok(Exit::Success);
                }
            }
            News::Over(problem) => return Err(stopped(problem)),
            News::Lost => {
                live = false;
                tokio::select! {
                    () = signals.leave() => return Ok(Exit::Success),
                    reconnected = link.reconnect() => reconnected?,
                }
                view.say(Style::Warn, "the daemon was gone: connected again")?;
            }
            News::Reply { .. } => {}
        }
    }
}

/// What a fork began with, from the logs that have it.
async fn show_past(setup: &Setup, session: SessionId, json: bool) -> Result<(), Failure> {
    let Some(log) = Log::open(setup).await? else {
        return Ok(());
    };
    let past = past(log.store(), session).await?;
    for part in &past {
        let mut view = View::new(setup, json);
        if let View::Person(view) = &mut view {
            view.show_messages();
            let from = format!("from {}, of which this session is a copy:", part.session);
            view.note(Style::Dim, &from)?;
        }
        let mut after = Seq::START;
        loop {
            let page = part.read_after(log.store(), after, PAGE).await?;
            let Some(last) = page.last() else { break };
            after = last.seq;
            for stored in &page {
                match &mut view {
                    View::Json(screen) => screen.json(&stored.text)?,
                    View::Person(view) => view.event(&stored.envelope()?)?,
                }
            }
        }
    }
    if !past.is_empty() && !json {
        RunView::new(setup).note(Style::Dim, "here the copy begins")?;
    }
    log.close().await;
    Ok(())
}

fn tell(view: &mut View, setup: &Setup, request: &ApprovalRequested) -> Result<(), Failure> {
    match view {
        View::Person(_) => view.waits(&setup.called, request),
        View::Json(_) => Ok(()),
    }
}
