//! Bytes: images, whole outputs, uploads. None of them is ever run by a
//! browser: they come with a policy that forbids everything.

use axum::{
    body::Body,
    http::{HeaderValue, Response, StatusCode, header},
};
use baton_protocol::{BlobId, api::Problem};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::super::{
    answer::{Answer, Answered, Reply},
    input::{BytesBody, Chunks},
    route::{Call, Content, Replies},
};
use baton_protocol::api::ProblemCode;

/// Bytes with a type. What they refer to never changes, so they may be kept.
pub(crate) struct Blob {
    media_type: String,
    bytes: Vec<u8>,
}

impl Answer for Blob {
    fn replies() -> Vec<Replies> {
        vec![Replies {
            status: 200,
            content: Content::Bytes,
        }]
    }

    fn reply(self) -> Reply {
        let mut reply = Response::new(Body::from(self.bytes));
        *reply.status_mut() = StatusCode::OK;
        let kind = HeaderValue::from_str(&self.media_type);
        let kind = kind.unwrap_or(HeaderValue::from_static("application/octet-stream"));
        let headers = reply.headers_mut();
        headers.insert(header::CONTENT_TYPE, kind);
        let keep = HeaderValue::from_static("private, max-age=31536000, immutable");
        headers.insert(header::CACHE_CONTROL, keep);
        reply
    }
}

pub(crate) async fn image(call: Call, (): ()) -> Result<Blob, Problem> {
    let session = call.session().await?;
    let id: BlobId = call.param("imageId")?;
    let blob = call.site.api.blob(session, id).await?;
    Ok(Blob {
        media_type: shown_as(&blob.media_type),
        bytes: blob.bytes,
    })
}

/// Images as what they are; everything else as plain bytes or text.
fn shown_as(media_type: &str) -> String {
    match media_type {
        "image/png" | "image/jpeg" | "image/gif" | "image/webp" => media_type.to_owned(),
        text if text.starts_with("text/") => "text/plain; charset=utf-8".into(),
        _ => "application/octet-stream".into(),
    }
}

pub(crate) async fn tool_output(call: Call, (): ()) -> Result<Blob, Problem> {
    let session = call.session().await?;
    let tool: String = call.param("toolUseId")?;
    let bytes = call.site.api.tool_output(session, &tool).await?;
    Ok(Blob {
        media_type: "text/plain; charset=utf-8".into(),
        bytes,
    })
}

/// What is uploaded.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct UploadQuery {
    /// What the file is called.
    #[schemars(length(min = 1))]
    name: String,
    /// What it is said to be; absent leaves it to the name and the bytes.
    #[serde(default)]
    media_type: Option<String>,
}

/// A file that waits for its message.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Uploaded {
    /// For `attachments` of a message.
    upload_id: String,
    bytes: u64,
}

pub(crate) async fn upload(
    mut call: Call,
    BytesBody(query): BytesBody<UploadQuery>,
) -> Result<Answered<Uploaded, 201>, Problem> {
    if query.name.is_empty() {
        return Err(Problem::invalid("name", "the file needs one"));
    }
    let mut chunks = Chunks::new(call.take_body(), call.limit)?;
    let api = &call.site.api;
    let uploads = api.uploads().ok_or_else(|| {
        let detail = "nothing can be uploaded to this daemon";
        Problem::new(ProblemCode::Unsupported, detail)
    })?;
    let now = api.world.now();
    let id = api.world.random_id();
    let receiving = uploads.receive(id, query.name, query.media_type, now);
    let mut receiving = receiving.await?;
    while let Some(chunk) = chunks.next().await? {
        receiving.write(&chunk).await?;
    }
    let (upload_id, bytes) = receiving.finish().await?;
    Ok(Answered::of(&Uploaded { upload_id, bytes }))
}
