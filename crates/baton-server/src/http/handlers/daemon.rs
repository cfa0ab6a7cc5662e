//! The daemon itself: whether it lives, and what it is.

use baton_protocol::api::{Problem, ProblemCode, Status};
use schemars::JsonSchema;
use serde::Serialize;

use super::super::{
    answer::{Answer, Answered, Reply, json_text},
    openapi,
    route::{Call, Content, Replies, SchemaOf},
};

/// It is well.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Health {
    ok: bool,
}

pub(crate) async fn alive(_: Call, (): ()) -> Result<Answered<Health>, Problem> {
    Ok(Answered::of(&Health { ok: true }))
}

/// Whether the log can be read and written, and sessions be reached.
pub(crate) async fn ready(call: Call, (): ()) -> Result<Answered<Health>, Problem> {
    let api = &call.site.api;
    // Nobody is signed in here, so nothing is told but that something is wrong.
    let unready = |why: &str| {
        tracing::warn!(why, "not ready");
        let detail = "the daemon cannot work right now; its log says why";
        Problem::new(ProblemCode::ShuttingDown, detail)
    };
    api.takes_turns()
        .map_err(|problem| unready(&problem.detail))?;
    let status = api.status_now().await;
    status.map_err(|problem| unready(&problem.detail))?;
    Ok(Answered::of(&Health { ok: true }))
}

pub(crate) async fn status(call: Call, (): ()) -> Result<Answered<Status>, Problem> {
    Ok(Answered::of(&call.site.api.status().await?))
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
