//! Who came in, and what they may do.

use baton_protocol::{
    DeviceId,
    api::{Problem, ProblemCode},
    words::ClientRef,
};
use baton_store::DeviceRecord;
use tokio_util::sync::CancellationToken;

use super::Scope;

/// Somebody who was let in. Good for one request, or for as long as something
/// stays open and [`until_revoked`](Self::until_revoked) does not return.
#[derive(Debug, Clone)]
pub struct Principal {
    pub scope: Scope,
    /// How the log names them.
    pub client: ClientRef,
    /// None for the API token itself and for the terminal.
    pub device: Option<DeviceId>,
    revoked: CancellationToken,
}

impl Principal {
    /// Whoever may open the control socket's file.
    pub fn terminal() -> Self {
        Self {
            scope: Scope::Admin,
            client: client("terminal", "terminal"),
            device: None,
            revoked: CancellationToken::new(),
        }
    }

    pub(super) fn token(revoked: &CancellationToken) -> Self {
        Self {
            scope: Scope::Admin,
            client: client("token", "API token"),
            device: None,
            revoked: revoked.clone(),
        }
    }

    pub(super) fn device(record: &DeviceRecord, revoked: &CancellationToken) -> Self {
        Self {
            scope: record.scope,
            client: client(&record.id.to_string(), &record.name),
            device: Some(record.id),
            revoked: revoked.clone(),
        }
    }

    /// Returns when they may not be here any more. Cancel-safe.
    pub async fn until_revoked(&self) {
        self.revoked.cancelled().await;
    }

    pub fn is_revoked(&self) -> bool {
        self.revoked.is_cancelled()
    }

    /// Refuses what needs more than they have.
    pub fn needs(&self, scope: Scope) -> Result<(), Problem> {
        if self.scope >= scope {
            return Ok(());
        }
        let detail = format!(
            "this needs the scope `{scope}`, and you signed in with `{}`",
            self.scope
        );
        Err(Problem::new(ProblemCode::Forbidden, detail))
    }

    /// How links name who made them.
    pub(super) fn origin(&self) -> &str {
        &self.client.id
    }
}

fn client(id: &str, name: &str) -> ClientRef {
    ClientRef {
        id: id.to_owned(),
        name: name.to_owned(),
    }
}
