//! `baton export`

mod markdown;

use baton_protocol::Seq;

use self::markdown::markdown;
use super::find_session;
use crate::{
    cli::{ExportArgs, Format},
    failure::{Exit, Failure},
    owner::Log,
    setup::Setup,
    terminal::Screen,
};

/// Events read at once; a session of any length is exported in little memory.
const PAGE: usize = 500;

pub(crate) async fn export(setup: &Setup, args: &ExportArgs) -> Result<Exit, Failure> {
    let log = Log::open(setup).await?;
    let id = find_session(log.store(), &args.id).await?;
    let mut screen = Screen::stdout(false);
    let row = log.store().session_row(id).await?;
    let title = row
        .and_then(|row| row.title)
        .unwrap_or_else(|| "Session".into());
    let mut after = Seq::START;
    loop {
        let page = log.store().read_after(id, after, PAGE).await?;
        let Some(last) = page.last() else { break };
        after = last.seq;
        for stored in &page {
            match args.format {
                Format::Ndjson => screen.line(&stored.text)?,
                Format::Markdown => {
                    if let Some(text) = markdown(&title, &stored.envelope()?.event) {
                        screen.line(&format!("{}\n", text.trim_end()))?;
                    }
                }
            }
        }
    }
    log.close().await;
    Ok(Exit::Success)
}
