//! The daemon itself: whether it lives, and what it is.

use baton_protocol::api::{Health, Problem, ProblemCode, Status};

use super::super::{
    answer::{Answer, Answered, Reply, json_text},
    openapi,
    route::{Call, Content, Replies, SchemaOf},
};

pub(crate) async fn alive(_: Call, (): ()) -> Result<Answered<Health>, Problem> {
    Ok(Answered::of(&Health { ok: true }))
}

/// Whether turns are taken, the log can be written and the agent be started.
pub(crate) async fn ready(call: Call, (): ()) -> Result<Answered<Health>, Problem> {
    // Nobody is signed in here, so nothing is told but that something is wrong.
    call.site.api.ready().await.map_err(|problem| {
        tracing::warn!(why = problem.detail, "not ready");
        if problem.code == ProblemCode::ShuttingDown {
            return problem;
        }
        let detail = "the daemon cannot work right now; its log says why";
        Problem::new(ProblemCode::NotReady, detail)
    })?;
    Ok(Answered::of(&Health { ok: true }))
}

pub(crate) async fn status(call: Call, (): ()) -> Result<Answered<Status>, Problem> {
    let limit = call.project.as_ref();
    Ok(Answered::of(&call.site.api.status_in(limit).await?))
}

/// The document, as text that was made once.
pub(crate) struct Document;

impl Answer for Document {
    fn replies() -> Vec<Replies> {
        vec![Replies {
            status: 200,
            content: Content::Json(SchemaOf::of::<serde_json::Value>()),
        }]
    }

    fn reply(self) -> Reply {
        json_text(axum::http::StatusCode::OK, openapi::text().to_owned())
    }
}

pub(crate) async fn document(_: Call, (): ()) -> Result<Document, Problem> {
    Ok(Document)
}
