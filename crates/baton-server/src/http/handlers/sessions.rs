//! Sessions where a path is not one command.

use baton_protocol::api::{Command, Problem, SessionUpdate, SessionView, Title};

use super::super::{answer::Answered, input::JsonBody, route::Call};

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
