//! A whole session, as lines for programs or as text for people.

use axum::{
    body::Body,
    http::{HeaderValue, StatusCode, header},
};
use baton_protocol::{
    Seq, SessionId,
    api::{ExportFormat, ExportQuery, Problem},
};
use baton_session::{ExportedPage, past, views::Markdown};
use baton_store::{Store, StoreError, StoredEvent};
use bytes::Bytes;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::super::{
    answer::{Answer, Reply, with_type},
    input::Query,
    route::{Call, Content, Replies},
    stream_body::StreamBody,
};
use crate::sight::Sight;

/// Events read at once.
const PAGE: usize = 500;

const fn media_type(format: ExportFormat) -> &'static str {
    match format {
        ExportFormat::Ndjson => "application/x-ndjson",
        ExportFormat::Markdown => "text/markdown; charset=utf-8",
        ExportFormat::Html => "text/html; charset=utf-8",
    }
}

const fn ending(format: ExportFormat) -> &'static str {
    match format {
        ExportFormat::Ndjson => "ndjson",
        ExportFormat::Markdown => "md",
        ExportFormat::Html => "html",
    }
}

/// A session on its way.
pub(crate) struct Export {
    body: StreamBody,
    session: SessionId,
    format: ExportFormat,
}

impl Answer for Export {
    fn replies() -> Vec<Replies> {
        let text = |content| Replies {
            status: 200,
            content: Content::Text(content),
        };
        vec![
            text("application/x-ndjson"),
            text("text/markdown"),
            text("text/html"),
        ]
    }

    fn reply(self) -> Reply {
        let mut reply = with_type(
            StatusCode::OK,
            media_type(self.format),
            Body::new(self.body),
        );
        let ending = ending(self.format);
        let name = format!("attachment; filename=\"{}.{ending}\"", self.session);
        if let Ok(name) = HeaderValue::from_str(&name) {
            reply
                .headers_mut()
                .insert(header::CONTENT_DISPOSITION, name);
        }
        reply
    }
}

/// A log of any length, in little memory.
pub(crate) async fn export(
    call: Call,
    Query(query): Query<ExportQuery>,
) -> Result<Export, Problem> {
    let session = call.session().await?;
    let principal = call.signed()?.clone();
    let place = call
        .site
        .api
        .guest_place(&principal, call.rights().limit())?;
    let store = call.site.api.store().clone();
    let row = call.site.api.session_row(session).await?;
    let (title, head) = (row.title, Seq(row.event_count));
    let mut writer = Writer {
        format: query.format,
        // What a fork began with is another session's log.
        past: call.rights().whole().is_ok() && (query.past || query.format != ExportFormat::Ndjson),
        title: title.unwrap_or_else(|| "Session".to_owned()),
        page: Markdown::default(),
        sight: call.sight().unmarked(),
    };
    // When full, the next page is read once the client has read.
    let (out, queue) = mpsc::channel(2);
    let (cut, cancel) = (CancellationToken::new(), call.site.cancel.clone());
    let revoked = cut.clone();
    call.site.streams.spawn(async move {
        tokio::select! {
            written = writer.write(&store, session, &out) => match written {
                Ok(last) if last >= head => {}
                // The session was removed meanwhile.
                Ok(_) => revoked.cancel(),
                Err(error) => {
                    tracing::warn!(%session, %error, "an export was cut short");
                    revoked.cancel();
                }
            },
            () = cancel.cancelled() => revoked.cancel(),
            () = principal.until_revoked() => revoked.cancel(),
        }
        drop(place);
    });
    Ok(Export {
        body: StreamBody::of_whole(queue, cut),
        session,
        format: query.format,
    })
}

struct Writer {
    format: ExportFormat,
    past: bool,
    title: String,
    page: Markdown,
    sight: Sight,
}

impl Writer {
    /// The last event that was written.
    async fn write(
        &mut self,
        store: &Store,
        session: SessionId,
        out: &mpsc::Sender<Bytes>,
    ) -> Result<Seq, StoreError> {
        if self.format == ExportFormat::Html {
            return self.write_page(store, session, out).await;
        }
        let mut after = Seq::START;
        if self.past && self.format == ExportFormat::Ndjson {
            self.write_past(store, session, out).await?;
        }
        loop {
            let events = store.read_after(session, after, PAGE).await?;
            let text = match events.last() {
                None => self.rest(),
                Some(last) => {
                    let begins = after == Seq::START;
                    after = last.seq;
                    // Below the title, which the first event is.
                    let (title, rest) = events.split_at(usize::from(begins));
                    let title = self.text(title)?;
                    if out.send(Bytes::from(title)).await.is_err() {
                        return Ok(after);
                    }
                    if begins && self.past && self.format == ExportFormat::Markdown {
                        self.write_past(store, session, out).await?;
                    }
                    self.text(rest)?
                }
            };
            let end = events.is_empty();
            if out.send(Bytes::from(text)).await.is_err() || end {
                return Ok(after);
            }
        }
    }

    async fn write_page(
        &self,
        store: &Store,
        session: SessionId,
        out: &mpsc::Sender<Bytes>,
    ) -> Result<Seq, StoreError> {
        let mut page = ExportedPage::new(store.clone(), session, &self.title, self.past);
        while let Some(text) = page.next().await? {
            if out.send(Bytes::from(text)).await.is_err() {
                break;
            }
        }
        Ok(page.last())
    }

    /// What a fork began with, from the logs that have it.
    async fn write_past(
        &self,
        store: &Store,
        session: SessionId,
        out: &mpsc::Sender<Bytes>,
    ) -> Result<(), StoreError> {
        let past = past(store, session).await?;
        for part in &past {
            let mut page = Markdown::default();
            let mut text = match self.format {
                ExportFormat::Ndjson | ExportFormat::Html => String::new(),
                ExportFormat::Markdown => format!("{}\n\n", Markdown::from_source(part.session)),
            };
            let mut after = Seq::START;
            loop {
                let events = part.read_after(store, after, PAGE).await?;
                let Some(last) = events.last() else { break };
                after = last.seq;
                for event in &events {
                    if self.format == ExportFormat::Ndjson {
                        text.push_str(&self.sight.event(event));
                        text.push('\n');
                        continue;
                    }
                    let shown = StoredEvent {
                        text: self.sight.event(event).into(),
                        ..event.clone()
                    };
                    self.paragraphs(&mut text, page.show_past(&shown.envelope()?.event));
                }
                if out
                    .send(Bytes::from(std::mem::take(&mut text)))
                    .await
                    .is_err()
                {
                    return Ok(());
                }
            }
        }
        if !past.is_empty() && self.format == ExportFormat::Markdown {
            let ends = format!("{}\n\n", Markdown::FORKED);
            out.send(Bytes::from(ends)).await.ok();
        }
        Ok(())
    }

    fn text(&mut self, events: &[StoredEvent]) -> Result<String, StoreError> {
        let mut text = String::new();
        for event in events {
            match self.format {
                ExportFormat::Ndjson => {
                    text.push_str(&self.sight.event(event));
                    text.push('\n');
                }
                // It is written whole, elsewhere.
                ExportFormat::Html => {}
                ExportFormat::Markdown => {
                    let shown = StoredEvent {
                        text: self.sight.event(event).into(),
                        ..event.clone()
                    };
                    let shown = self.page.show(&self.title, &shown.envelope()?.event);
                    self.paragraphs(&mut text, shown);
                }
            }
        }
        Ok(text)
    }

    /// What is left when the log ends.
    fn rest(&mut self) -> String {
        let mut text = String::new();
        let rest = std::mem::take(&mut self.page).rest();
        self.paragraphs(&mut text, rest);
        text
    }

    fn paragraphs(&self, text: &mut String, shown: impl IntoIterator<Item = String>) {
        for paragraph in shown {
            text.push_str(self.sight.text(&paragraph).trim_end());
            text.push_str("\n\n");
        }
    }
}
