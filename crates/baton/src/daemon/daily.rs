//! What the daemon does by itself now and then: it looks for projects when it
//! begins, and lets go of old sessions once a day, if the settings say so.

use std::{sync::Arc, time::Duration};

use baton_server::Api;
use tokio_util::sync::CancellationToken;

/// Between two looks at what may go.
const DAILY: Duration = Duration::from_secs(24 * 60 * 60);

/// Runs until `cancel`. What fails is told and tried again the next time.
pub(super) async fn run(api: Arc<Api>, cancel: CancellationToken) {
    let work = async {
        match api.scan_projects().await {
            Ok(scanned) if scanned.added.is_empty() => {}
            Ok(scanned) => {
                tracing::info!(
                    found = scanned.found,
                    added = scanned.added.len(),
                    "projects"
                );
            }
            Err(problem) => tracing::warn!(%problem, "projects cannot be looked for"),
        }
        loop {
            if let Err(problem) = api.retain().await {
                tracing::warn!(%problem, "old sessions cannot be removed");
            }
            tokio::time::sleep(DAILY).await;
        }
    };
    cancel.run_until_cancelled(work).await;
}
