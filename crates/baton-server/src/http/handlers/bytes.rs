//! Bytes: images, whole outputs, uploads. None of them is ever run by a
//! browser: they come with a policy that forbids everything.

use axum::{
    body::Body,
    http::{HeaderValue, Response, StatusCode, header},
};
use baton_protocol::{
    BlobId,
    api::{Problem, ProblemCode, UploadQuery, Uploaded},
};

use super::super::{
    answer::{self, Answer, Answered, Reply},
    input::{BytesBody, Chunks},
    page,
    route::{Call, Content, Replies},
};
use crate::sight::Sight;

/// Bytes with a type. What they refer to never changes, so a client may keep
/// them for itself, but asks each time whether it may still see them.
pub(crate) struct StoredBytes {
    media_type: String,
    bytes: Vec<u8>,
    etag: String,
    /// The client has them.
    known: bool,
}

impl StoredBytes {
    fn new(call: &Call, name: &str, media_type: String, bytes: Vec<u8>) -> Self {
        // Who sees less has other bytes.
        let etag = match call.sight() {
            Sight::Whole | Sight::Marked => format!("\"{name}\""),
            Sight::Masked => format!("\"{name}-masked\""),
        };
        Self {
            known: page::is_known(&call.parts.headers, &etag),
            etag,
            media_type,
            bytes,
        }
    }
}

impl Answer for StoredBytes {
    fn replies() -> Vec<Replies> {
        vec![
            Replies {
                status: 200,
                content: Content::Bytes,
            },
            Replies {
                status: 304,
                content: Content::None,
            },
        ]
    }

    fn reply(self) -> Reply {
        let mut reply = if self.known {
            answer::empty(StatusCode::NOT_MODIFIED)
        } else {
            let mut reply = Response::new(Body::from(self.bytes));
            let kind = HeaderValue::from_str(&self.media_type);
            let kind = kind.unwrap_or(HeaderValue::from_static("application/octet-stream"));
            reply.headers_mut().insert(header::CONTENT_TYPE, kind);
            reply
        };
        let headers = reply.headers_mut();
        let keep = HeaderValue::from_static("private, no-cache");
        headers.insert(header::CACHE_CONTROL, keep);
        if let Ok(etag) = HeaderValue::from_str(&self.etag) {
            headers.insert(header::ETAG, etag);
        }
        reply
    }
}

pub(crate) async fn image(call: Call, (): ()) -> Result<StoredBytes, Problem> {
    let session = call.session().await?;
    let id: BlobId = call.param("imageId")?;
    let blob = call.site.api.blob(session, id).await?;
    let media_type = shown_as(&blob.media_type);
    let bytes = if media_type.starts_with("image/") {
        blob.bytes
    } else {
        call.sight().bytes(blob.bytes)
    };
    Ok(StoredBytes::new(&call, &id.to_string(), media_type, bytes))
}

/// Images as what they are; everything else as plain bytes or text.
fn shown_as(media_type: &str) -> String {
    match media_type {
        "image/png" | "image/jpeg" | "image/gif" | "image/webp" => media_type.to_owned(),
        text if text.starts_with("text/") => "text/plain; charset=utf-8".into(),
        _ => "application/octet-stream".into(),
    }
}

pub(crate) async fn tool_output(call: Call, (): ()) -> Result<StoredBytes, Problem> {
    let session = call.session().await?;
    let tool: String = call.param("toolUseId")?;
    let bytes = call.site.api.tool_output(session, &tool).await?;
    // An agent chooses the id, and may choose it again elsewhere.
    let name: String = session
        .to_string()
        .chars()
        .chain(['-'])
        .chain(tool.chars().filter(char::is_ascii_alphanumeric))
        .collect();
    let media_type = "text/plain; charset=utf-8".to_owned();
    let bytes = call.sight().bytes(bytes);
    Ok(StoredBytes::new(&call, &name, media_type, bytes))
}

pub(crate) async fn upload(
    mut call: Call,
    BytesBody(query): BytesBody<UploadQuery>,
) -> Result<Answered<Uploaded, 201>, Problem> {
    if query.name.is_empty() {
        return Err(Problem::invalid("name", "the file needs one"));
    }
    let mut chunks = Chunks::of(&mut call)?;
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
    call.still_signed()?;
    let (upload_id, bytes) = receiving.finish().await?;
    Ok(Answered::of(&Uploaded { upload_id, bytes }))
}

#[cfg(test)]
mod tests {
    use super::shown_as;

    #[test]
    fn only_plain_images_are_shown_as_what_they_say() {
        assert_eq!(shown_as("image/png"), "image/png");
        for text in ["text/html", "text/html; charset=utf-8", "text/javascript"] {
            assert_eq!(shown_as(text), "text/plain; charset=utf-8");
        }
        for odd in ["image/svg+xml", "application/xhtml+xml", "image/PNG", ""] {
            assert_eq!(shown_as(odd), "application/octet-stream");
        }
    }
}
