//! One module per command.

mod config;
mod doctor;
mod export;
mod run;
mod sessions;

pub(crate) use config::config_show;
pub(crate) use doctor::doctor;
pub(crate) use export::export;
pub(crate) use run::run;
pub(crate) use sessions::sessions;

use baton_protocol::SessionId;
use baton_store::{SessionFilter, Store};

use crate::failure::Failure;

/// The session a person names: an id, or `last`.
async fn find_session(store: &Store, name: &str) -> Result<SessionId, Failure> {
    if name != "last" {
        let id: SessionId = name.parse().map_err(|error: baton_protocol::IdError| {
            Failure::new(
                error.to_string(),
                "`baton sessions` lists the sessions there are, and `last` is the newest.",
            )
        })?;
        return match store.session_row(id).await? {
            Some(_) => Ok(id),
            None => Err(Failure::new(
                format!("there is no session {id}"),
                "`baton sessions` lists the sessions there are.",
            )),
        };
    }
    let page = store.sessions(SessionFilter::default(), None, 1).await?;
    page.items
        .first()
        .map(|row| row.id)
        .ok_or_else(|| Failure::new("there are no sessions yet", "Start one with `baton run`."))
}
