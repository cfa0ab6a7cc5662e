//! A session as one page that can be handed on: without credentials, with its
//! pictures, from the log alone.

use baton_protocol::{Envelope, Event, Seq, SessionId, mask};
use baton_store::{Store, StoreError, StoredEvent};

use crate::{past, views::Html};

/// Events read at once.
const PAGE: usize = 500;

/// A page on its way out, in parts that are read when they are asked for.
#[derive(Debug)]
pub struct ExportedPage {
    store: Store,
    session: SessionId,
    title: String,
    with_past: bool,
    page: Html,
    after: Seq,
    over: bool,
}

impl ExportedPage {
    /// With what a fork began with, or without.
    pub fn new(store: Store, session: SessionId, title: &str, with_past: bool) -> Self {
        Self {
            store,
            session,
            title: mask::text(title).into_owned(),
            with_past,
            page: Html::default(),
            after: Seq::START,
            over: false,
        }
    }

    /// The last event that is in what was given so far.
    pub const fn last(&self) -> Seq {
        self.after
    }

    /// The next part; none once all of it was given.
    pub async fn next(&mut self) -> Result<Option<String>, StoreError> {
        if self.over {
            return Ok(None);
        }
        let begins = self.after == Seq::START;
        let mut text = match begins {
            true => Html::begins(&self.title),
            false => String::new(),
        };
        let events = self
            .store
            .read_after(self.session, self.after, PAGE)
            .await?;
        for event in &events {
            self.after = event.seq;
            let shown = masked(event)?;
            text.extend(self.page.show(&self.title, &shown));
            text.push_str(&self.pictures(self.session, &shown).await?);
            if event.seq == Seq(1) && self.with_past {
                text.push_str(&self.past().await?);
            }
        }
        if events.is_empty() {
            self.over = true;
            text.push_str(&std::mem::take(&mut self.page).ends());
        }
        Ok(Some(text))
    }

    async fn past(&mut self) -> Result<String, StoreError> {
        let mut text = String::new();
        let parts = past(&self.store, self.session).await?;
        for part in &parts {
            text.push_str(&Html::from_source(part.session));
            let mut page = Html::default();
            let mut after = Seq::START;
            loop {
                let events = part.read_after(&self.store, after, PAGE).await?;
                let Some(last) = events.last() else { break };
                after = last.seq;
                for event in &events {
                    let shown = masked(event)?;
                    text.extend(page.show_past(&shown));
                    text.push_str(&self.pictures(part.session, &shown).await?);
                }
            }
        }
        if !parts.is_empty() {
            text.push_str(&Html::forked());
        }
        Ok(text)
    }

    async fn pictures(&mut self, of: SessionId, event: &Event) -> Result<String, StoreError> {
        let mut text = String::new();
        for picture in self.page.pictures(event) {
            if let Some(blob) = self.store.blob(of, picture.id).await? {
                text.push_str(&Html::picture(&picture, &blob.bytes));
            }
        }
        Ok(text)
    }
}

/// An event as whoever only watches sees it: a file is handed on, and nothing
/// in it can be uncovered.
fn masked(event: &StoredEvent) -> Result<Event, StoreError> {
    let text = mask::event_text(&event.text);
    let shown = StoredEvent {
        text: mask::json(&text).into(),
        ..event.clone()
    };
    let envelope: Envelope = shown.envelope()?;
    Ok(envelope.event)
}
