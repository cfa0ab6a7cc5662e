//! What the folder brings, what is left out of it, and the answer to that.

use std::{path::Path, sync::Arc};

use baton_project::{accepted::Sources, trust::Decision};
use baton_protocol::words::ClientRef;
use baton_session::{Supervisor, Trust, agents::AgentHome};
use baton_stdio::{
    Folder, FolderAnswer, FolderAsk, Folders,
    messages::{FolderTrust, LeftOut},
};

use super::wanted::Wanted;
use crate::{failure::Failure, setup::Setup};

/// The folder of one conversation.
pub(super) struct ThisFolder {
    supervisor: Arc<Supervisor>,
    wanted: Wanted,
    home: AgentHome,
    client: ClientRef,
}

impl ThisFolder {
    pub(super) fn new(supervisor: &Arc<Supervisor>, wanted: &Wanted, setup: &Setup) -> Self {
        Self {
            supervisor: Arc::clone(supervisor),
            client: ClientRef {
                id: wanted.options.conversation.clone(),
                name: "stdio".into(),
            },
            wanted: wanted.clone(),
            home: setup.agents.clone(),
        }
    }

    /// How it stands when the conversation begins, and trusted if the parent
    /// vouches for it.
    pub(super) async fn begin(&self) -> Result<Folder, Failure> {
        let folder = Path::new(&self.wanted.folder);
        let mut seen = self.supervisor.trust(folder).await?;
        if self.wanted.trusts_folder && seen.decision != Decision::Trusted {
            seen = self.accept(&seen.digest.clone(), true).await?;
        }
        Ok(self.described(&seen))
    }

    async fn accept(
        &self,
        digest: &str,
        accepted: bool,
    ) -> Result<Trust, baton_session::SupervisorError> {
        let folder = Path::new(&self.wanted.folder);
        let client = Some(self.client.clone());
        let answered = self.supervisor.set_trust(folder, digest, accepted, client);
        answered.await
    }

    fn described(&self, seen: &Trust) -> Folder {
        let trusted = seen.decision == Decision::Trusted;
        let sources = self.wanted.options.session.setting_sources.as_ref();
        let wants =
            |source: &str| sources.is_none_or(|sources| sources.iter().any(|one| one == source));
        // What the flags leave out is no matter of trust.
        let asked = Sources {
            project: wants("project"),
            local: wants("local"),
        };
        let left_out = if trusted || !(asked.project || asked.local) {
            Vec::new()
        } else {
            self.left_out(seen, asked)
        };
        let reason = (!left_out.is_empty()).then(|| reason(seen));
        Folder {
            servers: self.wanted.merged_servers(trusted),
            trust: FolderTrust {
                trusted,
                left_out,
                reason,
                digest: seen.digest.clone(),
                request_id: None,
            },
        }
    }
}

impl ThisFolder {
    /// Instructions run nothing, so the survey does not list them.
    fn left_out(&self, seen: &Trust, asked: Sources) -> Vec<LeftOut> {
        let folder = Path::new(&self.wanted.folder);
        let instructions = self.home.instructions(folder, asked);
        let instructions = instructions.into_iter().map(|path| {
            let path = path.display().to_string();
            LeftOut {
                kind: "instructions".into(),
                name: path.clone(),
                file: path,
            }
        });
        let items = seen.survey.items.iter().map(|item| LeftOut {
            kind: serde_json::to_value(item.kind)
                .ok()
                .and_then(|kind| kind.as_str().map(str::to_owned))
                .unwrap_or_default(),
            name: item.name.clone(),
            file: item.file.clone(),
        });
        instructions.chain(items).collect()
    }
}

impl Folders for ThisFolder {
    fn ask(self: Arc<Self>, ask: FolderAsk) -> FolderAnswer {
        Box::pin(async move {
            let folder = Path::new(&self.wanted.folder);
            let seen = match (ask.accept, ask.digest) {
                (None, _) => self.supervisor.trust(folder).await,
                (Some(accepted), digest) => {
                    self.accept(&digest.unwrap_or_default(), accepted).await
                }
            };
            seen.map(|seen| self.described(&seen))
                .map_err(|error| error.to_string())
        })
    }
}

fn reason(seen: &Trust) -> String {
    let why = match seen.decision {
        _ if !seen.survey.complete => {
            return "the folder holds more than is looked at, so it cannot be trusted".into();
        }
        Decision::Untrusted { changed: true } => {
            "the folder has changed since it was last answered about"
        }
        Decision::Untrusted { changed: false } | Decision::Nothing | Decision::Trusted => {
            "nobody has accepted this folder yet"
        }
    };
    format!("{why}; `trust_folder`, --trust-folder or `baton trust` do")
}
