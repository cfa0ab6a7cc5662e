//! `baton export`

use baton_protocol::{Seq, SessionId, mask};
use baton_session::{ExportedPage, past, views::Markdown};
use baton_store::{SessionFilter, Store};

use crate::{
    cli::{ExportArgs, Format},
    client::{begins_with, one_session},
    failure::{Exit, Failure},
    owner::Log,
    setup::Setup,
    terminal::Screen,
};

/// Events read at once; a session of any length is exported in little memory.
const PAGE: usize = 500;

pub(crate) async fn export(setup: &Setup, args: &ExportArgs) -> Result<Exit, Failure> {
    let log = Log::open(setup).await?;
    let log = log.ok_or_else(no_sessions)?;
    let id = find_session(log.store(), &args.id).await?;
    let mut screen = Screen::stdout(false);
    let row = log.store().session_row(id).await?;
    let title = row
        .and_then(|row| row.title)
        .unwrap_or_else(|| "Session".into());
    if args.format == Format::Html {
        let mut page = ExportedPage::new(log.store().clone(), id, &title, true);
        while let Some(text) = page.next().await? {
            screen.exact(&text)?;
        }
        drop(page);
        log.close().await;
        return Ok(Exit::Success);
    }
    if args.past && args.format == Format::Ndjson {
        for part in past(log.store(), id).await? {
            let mut after = Seq::START;
            loop {
                let page = part.read_after(log.store(), after, PAGE).await?;
                let Some(last) = page.last() else { break };
                after = last.seq;
                for stored in &page {
                    screen.json(&mask::event_text(&stored.text))?;
                }
            }
        }
    }
    let mut shown = Markdown::default();
    let mut after = Seq::START;
    loop {
        let page = log.store().read_after(id, after, PAGE).await?;
        let Some(last) = page.last() else { break };
        after = last.seq;
        for stored in &page {
            match args.format {
                Format::Html => {}
                Format::Ndjson => screen.json(&mask::event_text(&stored.text))?,
                Format::Markdown => {
                    if let Some(text) = shown.show(&title, &stored.envelope()?.event) {
                        screen.line(&format!("{}\n", text.trim_end()))?;
                    }
                    // Below the title, which the first event is.
                    if stored.seq == Seq(1) {
                        show_past(log.store(), id, &mut screen).await?;
                    }
                }
            }
        }
    }
    for text in shown.rest() {
        screen.line(&format!("{}\n", text.trim_end()))?;
    }
    log.close().await;
    Ok(Exit::Success)
}

/// What a fork began with, from the logs that have it.
async fn show_past(store: &Store, id: SessionId, screen: &mut Screen) -> Result<(), Failure> {
    let past = past(store, id).await?;
    for part in &past {
        screen.line(&format!("{}\n", Markdown::from_source(part.session)))?;
        let mut shown = Markdown::default();
        let mut after = Seq::START;
        loop {
            let page = part.read_after(store, after, PAGE).await?;
            let Some(last) = page.last() else { break };
            after = last.seq;
            for stored in &page {
                if let Some(text) = shown.show_past(&stored.envelope()?.event) {
                    screen.line(&format!("{}\n", text.trim_end()))?;
                }
            }
        }
    }
    match past.is_empty() {
        true => Ok(()),
        false => screen.line(&format!("{}\n", Markdown::FORKED)),
    }
}

/// The session a person names, in the log itself.
async fn find_session(store: &Store, name: &str) -> Result<SessionId, Failure> {
    if let Ok(id) = name.parse() {
        return match store.session_row(id).await? {
            Some(_) => Ok(id),
            None => Err(Failure::new(
                format!("there is no session {id}"),
                "`baton sessions` lists the sessions there are.",
            )),
        };
    }
    let mut found = Vec::new();
    let mut cursor = None;
    loop {
        let page = store
            .sessions(SessionFilter::default(), cursor, 1000)
            .await?;
        if name == "last" {
            let first = page.items.first().map(|row| row.id);
            return first.ok_or_else(no_sessions);
        }
        let ids = page.items.iter().map(|row| row.id);
        found.extend(ids.filter(|id| begins_with(*id, name)));
        cursor = page.next;
        if cursor.is_none() {
            return one_session(&found, name);
        }
    }
}

fn no_sessions() -> Failure {
    Failure::new("there are no sessions yet", "Start one with `baton run`.")
}
