//! Sessions where a path is not one command.

use baton_protocol::api::{Command, Problem, Title};
use schemars::JsonSchema;
use serde::Deserialize;

use super::super::{answer::Answered, input::JsonBody, route::Call};
use crate::api::SessionView;

/// What is to change about a session.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub(crate) struct SessionUpdate {
    title: Option<String>,
}

pub(crate) async fn update(
    call: Call,
    JsonBody(update): JsonBody<SessionUpdate>,
) -> Result<Answered<SessionView>, Problem> {
    let session = call.session().await?;
    let Some(title) = update.title else {
        return Err(Problem::invalid("title", "there is nothing to change"));
    };
    call.perform(Command::Title(Title { title })).await?;
    Ok(Answered::of(&call.site.api.view(session).await?))
}
