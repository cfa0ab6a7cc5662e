//! What a fork begins with: the transcript of its source, or, where that is gone,
//! what the log has of it.

use std::{io, path::Path, time::Duration};

use baton_protocol::{Event, Seq, words::MemoryLoss};
use uuid::Uuid;

use super::{Actor, Broken};
use crate::{
    agents::{AgentHome, AgentKind},
    machine::Facts,
    past::past,
    views::Markdown,
};

/// Events read at once.
const PAGE: usize = 1000;
/// How often, and how long apart, a source is looked at for what was said last.
const LOOKS: usize = 40;
const PAUSE: Duration = Duration::from_millis(50);

/// The conversation that a fork without a transcript of its own begins with.
#[derive(Debug, Clone, Copy)]
pub(super) struct Source {
    conversation: (AgentKind, Uuid),
    /// What the agent must have of it.
    row: Option<Uuid>,
}

impl Source {
    /// What the agent would not know, were it started now. Blocks.
    #[expect(
        clippy::disallowed_methods,
        reason = "it is asked on a thread for what blocks"
    )]
    pub(super) fn lacks(self, home: &AgentHome, cwd: &Path) -> io::Result<Option<MemoryLoss>> {
        let (kind, id) = self.conversation;
        // The source may run, and its agent writes a turn down a moment after it
        // has told of it. Its file is left as it is meanwhile.
        for _ in 0..LOOKS {
            if self.row.is_none_or(|row| home.has_row(kind, id, row)) {
                let here = home.notes_here(kind, id, cwd)?;
                return Ok(here.is_none().then_some(MemoryLoss::Gone));
            }
            if home.notes(kind, id, cwd)?.is_none() {
                return Ok(Some(MemoryLoss::Gone));
            }
            std::thread::sleep(PAUSE);
        }
        Ok(Some(MemoryLoss::Behind))
    }
}

impl Actor {
    pub(super) async fn source(&self, own: (AgentKind, Uuid)) -> Result<Option<Source>, Broken> {
        let Some(created) = self.parts.machine.facts().created.as_ref() else {
            return Ok(None);
        };
        let name = |name: &Option<String>| Uuid::try_parse(name.as_deref()?).ok();
        let (kind, own) = own;
        let source = name(&created.resumes).filter(|source| *source != own);
        let Some(source) = source else {
            return Ok(None);
        };
        let conversation = (kind, source);
        let row = match name(&created.forked_at) {
            Some(row) => Some(row),
            None => self.last_row_of_source().await?,
        };
        Ok(Some(Source { conversation, row }))
    }

    /// What the agent said last in the source's turns that the fork began with.
    async fn last_row_of_source(&self) -> Result<Option<Uuid>, Broken> {
        let store = &self.parts.store;
        let Some(part) = past(store, self.parts.id).await?.pop() else {
            return Ok(None);
        };
        let (mut facts, mut after) = (Facts::default(), Seq::START);
        loop {
            let page = part.read_after(store, after, PAGE).await?;
            let Some(last) = page.last() else {
                break;
            };
            after = last.seq;
            for stored in &page {
                let envelope = stored.envelope()?;
                facts.apply(envelope.ts, &envelope.event);
            }
        }
        let anchor = facts.memory.anchor;
        Ok(anchor.and_then(|anchor| Uuid::try_parse(&anchor).ok()))
    }

    /// What the logs of its sources have of a fork's past, to read.
    pub(super) async fn forked_past(&self) -> Result<String, Broken> {
        let store = &self.parts.store;
        let mut text = String::new();
        for part in past(store, self.parts.id).await? {
            let (mut markdown, mut after) = (Markdown::default(), Seq::START);
            loop {
                let page = part.read_after(store, after, PAGE).await?;
                let Some(last) = page.last() else {
                    break;
                };
                after = last.seq;
                for stored in &page {
                    let event = stored.envelope()?.event;
                    if matches!(event, Event::AssistantThinking(_)) {
                        continue;
                    }
                    if let Some(shown) = markdown.show_past(&event) {
                        text += &shown;
                        text += "\n\n";
                    }
                }
            }
        }
        Ok(text)
    }
}
