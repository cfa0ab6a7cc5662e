//! Whether a folder's own settings may run: asked once, and again when they change.

use std::path::Path;

use baton_project::trust::{Answer, Decision, Survey};
use baton_protocol::words::ClientRef;
use baton_store::TrustRecord;

use super::{Supervisor, SupervisorError};
use crate::blob;

/// What a folder would run by itself, and what was said to that.
#[derive(Debug, Clone)]
pub struct Trust {
    pub path: String,
    pub survey: Survey,
    pub decision: Decision,
    /// Names what is shown here. Accepting needs it, so that nothing is
    /// accepted that nobody saw.
    pub digest: String,
}

impl Supervisor {
    pub async fn trust(&self, folder: &Path) -> Result<Trust, SupervisorError> {
        let path = self.folder(folder)?;
        let answered = self.store.trust(blob::project_id(&path)).await?;
        let home = std::sync::Arc::clone(&self.home);
        let whole = path.clone();
        let look = move || home.survey(Path::new(&whole));
        let survey = tokio::task::spawn_blocking(look).await;
        let survey = survey.map_err(|_| SupervisorError::Unreadable(path.clone()))?;
        let answer = answered.as_ref().map(|record| Answer {
            digest: &record.digest,
            accepted: record.accepted,
        });
        Ok(Trust {
            decision: Decision::of(answer, &survey),
            digest: survey.digest(),
            path,
            survey,
        })
    }

    /// Records the answer to what `digest` names; refused if the folder says
    /// something else by now.
    pub async fn set_trust(
        &self,
        folder: &Path,
        digest: &str,
        accepted: bool,
        client: Option<ClientRef>,
    ) -> Result<Trust, SupervisorError> {
        let seen = self.trust(folder).await?;
        if accepted && seen.digest != digest {
            return Err(SupervisorError::TrustChanged(seen.path));
        }
        if accepted && !seen.survey.complete {
            return Err(SupervisorError::TrustTooMuch(seen.path));
        }
        self.store
            .set_trust(TrustRecord {
                project_id: blob::project_id(&seen.path),
                path: seen.path,
                digest: digest.to_owned(),
                accepted,
                at: self.world.now(),
                client,
            })
            .await?;
        let trust = self.trust(folder).await?;
        self.warming.folder_changed(&trust.path);
        Ok(trust)
    }
}
