//! Changes of the list of sessions, for one client.

use std::{collections::BTreeMap, time::Duration};

use baton_protocol::{ProjectId, SessionId, api::ServerFrame, words::Json};
use baton_store::{SessionFilter, Store, StoreError};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::{Line, send};
use crate::sight::Sight;

/// A list changes no more often than this, however busy sessions are.
const PAUSE: Duration = Duration::from_millis(100);

/// Rows read at once.
const PAGE: usize = 100;

/// Which rows somebody is told, and how.
#[derive(Debug, Clone, Copy)]
pub(super) struct Of {
    pub(super) project: Option<ProjectId>,
    pub(super) sight: Sight,
}

/// Sends rows that change and names those that go from now on, of one project
/// or of all, until it is cancelled or the log is closed.
pub(super) async fn send_changes(
    store: Store,
    of: Of,
    out: mpsc::Sender<Line>,
    cancel: CancellationToken,
) {
    let changing = async {
        let mut commits = store.watch_all();
        let mut known = BTreeMap::new();
        let Ok(mut last) = store.last_removed().await else {
            return;
        };
        if changed(&store, of, &mut known).await.is_err() {
            return;
        }
        while commits.changed().await.is_ok() {
            let Ok(items) = changed(&store, of, &mut known).await else {
                return;
            };
            let Ok(removed) = gone(&store, &mut known, &mut last).await else {
                return;
            };
            if !items.is_empty() || !removed.is_empty() {
                send(&out, &ServerFrame::Sessions { items, removed }).await;
            }
            tokio::time::sleep(PAUSE).await;
        }
    };
    tokio::select! {
        () = cancel.cancelled() => {}
        () = out.closed() => {}
        () = changing => {}
    }
}

/// Sessions that were removed, of those that are known. One of another project
/// is not known.
async fn gone(
    store: &Store,
    known: &mut BTreeMap<SessionId, u64>,
    last: &mut u64,
) -> Result<Vec<SessionId>, StoreError> {
    let mut removed = Vec::new();
    loop {
        let page = store.removed_after(*last, PAGE).await?;
        let Some(end) = page.last() else {
            return Ok(removed);
        };
        *last = end.number;
        let ids = page.iter().map(|gone| gone.session);
        removed.extend(ids.filter(|id| known.remove(id).is_some()));
    }
}

/// The rows that differ from what is known, which they then are. Rows come by
/// their latest activity, so a whole page without news is the last of interest.
async fn changed(
    store: &Store,
    of: Of,
    known: &mut BTreeMap<SessionId, u64>,
) -> Result<Vec<Json>, StoreError> {
    let mut rows = Vec::new();
    let mut cursor = None;
    let first = known.is_empty();
    loop {
        let filter = SessionFilter {
            project: of.project,
            ..SessionFilter::default()
        };
        let page = store.sessions(filter, cursor, PAGE).await?;
        let before = rows.len();
        for row in &page.items {
            if known.insert(row.id, row.event_count) != Some(row.event_count) {
                rows.push(of.sight.answer(Json::of(row)));
            }
        }
        cursor = page.next;
        let news = rows.len() > before || first;
        if !news || cursor.is_none() {
            return Ok(rows);
        }
    }
}
