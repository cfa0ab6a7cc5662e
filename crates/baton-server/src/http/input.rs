//! What requests bring: queries, JSON bodies and plain bytes, read strictly.

use std::collections::BTreeMap;

use axum::{
    body::{Body, HttpBody as _},
    http::header,
};
use baton_protocol::api::{FieldError, Problem, ProblemCode};
use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt as _;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use tokio::time::Instant;

use super::{
    limits::Pace,
    route::{Call, SchemaOf, Takes},
};

/// Fields of a payload and the parts of the path that give them.
type FromPath = [(&'static str, &'static str)];

/// What a handler takes.
pub(crate) trait Input: Send + Sized + 'static {
    fn takes() -> Vec<Takes>;
    fn read(call: &mut Call) -> impl Future<Output = Result<Self, Problem>> + Send;
}

impl Input for () {
    fn takes() -> Vec<Takes> {
        vec![Takes::Nothing]
    }

    async fn read(_: &mut Call) -> Result<Self, Problem> {
        Ok(())
    }
}

pub(crate) struct Query<T>(pub(crate) T);

impl<T: DeserializeOwned + JsonSchema + Send + 'static> Input for Query<T> {
    fn takes() -> Vec<Takes> {
        vec![Takes::Query(SchemaOf::of::<T>())]
    }

    async fn read(call: &mut Call) -> Result<Self, Problem> {
        query(call, &[]).map(Self)
    }
}

pub(crate) struct JsonBody<T>(pub(crate) T);

impl<T: DeserializeOwned + JsonSchema + Send + 'static> Input for JsonBody<T> {
    fn takes() -> Vec<Takes> {
        vec![Takes::Json(SchemaOf::of::<T>())]
    }

    async fn read(call: &mut Call) -> Result<Self, Problem> {
        json(call, &[]).await.map(Self)
    }
}

/// Bytes of any type beside a query; the handler reads them as they come.
pub(crate) struct BytesBody<T>(pub(crate) T);

impl<T: DeserializeOwned + JsonSchema + Send + 'static> Input for BytesBody<T> {
    fn takes() -> Vec<Takes> {
        vec![Takes::Query(SchemaOf::of::<T>()), Takes::Bytes]
    }

    async fn read(call: &mut Call) -> Result<Self, Problem> {
        query(call, &[]).map(Self)
    }
}

/// Reads the query, with the fields that the path gives.
pub(crate) fn query<T: DeserializeOwned>(call: &Call, from_path: &FromPath) -> Result<T, Problem> {
    let text = call.parts.uri.query().unwrap_or("");
    let mut pairs: Vec<(String, String)> =
        serde_urlencoded::from_str(text).map_err(|error| invalid("", &error.to_string()))?;
    for (field, part) in from_path {
        if pairs.iter().any(|(name, _)| name == field) {
            return Err(invalid(field, "the path says it"));
        }
        let value = call.params.get(*part).cloned().unwrap_or_default();
        pairs.push(((*field).to_owned(), value));
    }
    let text = serde_urlencoded::to_string(&pairs).unwrap_or_default();
    let pairs = form_urlencoded::parse(text.as_bytes());
    let reader = serde_urlencoded::Deserializer::new(pairs);
    serde_path_to_error::deserialize(reader).map_err(|error| {
        let field = error.path().to_string();
        invalid(&field, &error.inner().to_string())
    })
}

/// Reads a JSON body, with the fields that the path gives. No body is the same
/// as an empty object.
pub(crate) async fn json<T: DeserializeOwned>(
    call: &mut Call,
    from_path: &FromPath,
) -> Result<T, Problem> {
    let bytes = whole(call).await?;
    if !bytes.is_empty() {
        is_json(call)?;
    }
    let text: &[u8] = if bytes.is_empty() { b"{}" } else { &bytes };
    // Serde would take a list for the fields in their order.
    if text.trim_ascii_start().starts_with(b"[") {
        return Err(invalid(".", "it is an object, not a list"));
    }
    let text = match from_path {
        [] => text.to_vec(),
        _ => filled(call, text, from_path)?,
    };
    let mut reader = serde_json::Deserializer::from_slice(&text);
    let read = serde_path_to_error::deserialize(&mut reader).map_err(|error| {
        let field = error.path().to_string();
        let inner = error.into_inner();
        if inner.is_data() {
            invalid(&field, &inner.to_string())
        } else {
            bad_json(&inner)
        }
    })?;
    reader.end().map_err(|error| bad_json(&error))?;
    Ok(read)
}

fn filled(call: &Call, text: &[u8], from_path: &FromPath) -> Result<Vec<u8>, Problem> {
    let read: Result<BTreeMap<String, Box<RawValue>>, _> = serde_json::from_slice(text);
    let mut fields = read.map_err(|error| {
        if error.is_data() {
            invalid(".", &error.to_string())
        } else {
            bad_json(&error)
        }
    })?;
    for (field, part) in from_path {
        if fields.contains_key(*field) {
            return Err(invalid(field, "the path says it"));
        }
        let value = call.params.get(*part).map_or("", String::as_str);
        let value = serde_json::value::to_raw_value(value).map_err(|error| bad_json(&error))?;
        fields.insert((*field).to_owned(), value);
    }
    serde_json::to_vec(&fields).map_err(|error| bad_json(&error))
}

fn is_json(call: &Call) -> Result<(), Problem> {
    let given = call.parts.headers.get(header::CONTENT_TYPE);
    let given = given.and_then(|value| value.to_str().ok()).unwrap_or("");
    let essence = given.split(';').next().unwrap_or("").trim();
    if essence.eq_ignore_ascii_case("application/json") {
        return Ok(());
    }
    Err(Problem::new(
        ProblemCode::UnsupportedMediaType,
        "send the body as JSON, with `Content-Type: application/json`",
    ))
}

/// The whole body, if it is not longer than the route takes.
async fn whole(call: &mut Call) -> Result<Bytes, Problem> {
    let mut chunks = Chunks::of(call)?;
    let mut bytes = BytesMut::new();
    // Asked for before any of it is read, where the length is said.
    call.taken.reach(chunks.said())?;
    while let Some(chunk) = chunks.next().await? {
        call.taken.reach(bytes.len() + chunk.len())?;
        bytes.extend_from_slice(&chunk);
    }
    Ok(bytes.freeze())
}

/// A body as it comes, with a bound on its length and on its time.
pub(crate) struct Chunks {
    body: Body,
    left: usize,
    limit: usize,
    pace: Pace,
    began: Instant,
}

impl Chunks {
    pub(crate) fn of(call: &mut Call) -> Result<Self, Problem> {
        let (body, limit) = (call.take_body(), call.limit);
        // Said at once, so that nobody uploads what is refused at its end.
        if body.size_hint().lower() > limit as u64 {
            return Err(too_long(limit));
        }
        Ok(Self {
            body,
            left: limit,
            limit,
            pace: call.site.limits.body,
            began: Instant::now(),
        })
    }

    /// How long it is said to be; at least that, it will be.
    fn said(&self) -> usize {
        let said = self.body.size_hint().lower();
        usize::try_from(said).unwrap_or(usize::MAX)
    }

    pub(crate) async fn next(&mut self) -> Result<Option<Bytes>, Problem> {
        loop {
            let come = (self.limit - self.left) as u64;
            let until = self.began + self.pace.time_for(come);
            let frame = tokio::time::timeout_at(until, self.body.frame()).await;
            let frame = frame.map_err(|_| {
                let Pace { time, bytes } = self.pace;
                let time = time.as_secs();
                let detail =
                    format!("the body came too slowly: at least {bytes} bytes in {time} s");
                Problem::new(ProblemCode::RequestTimeout, detail)
            })?;
            let Some(frame) = frame else {
                return Ok(None);
            };
            let frame = frame.map_err(|error| {
                let detail = format!("the body broke off: {error}");
                Problem::new(ProblemCode::InvalidRequest, detail)
            })?;
            let Ok(data) = frame.into_data() else {
                continue;
            };
            let left = self.left.checked_sub(data.len());
            self.left = left.ok_or_else(|| too_long(self.limit))?;
            return Ok(Some(data));
        }
    }
}

fn too_long(limit: usize) -> Problem {
    let detail = format!("the body is longer than the {limit} bytes that this path takes");
    Problem::new(ProblemCode::TooLong, detail)
}

fn bad_json(error: &serde_json::Error) -> Problem {
    let detail = format!("the body is not JSON: {error}");
    Problem::new(ProblemCode::BadJson, detail)
}

fn invalid(field: &str, message: &str) -> Problem {
    if field.is_empty() || field == "." {
        let detail = format!("the request is wrong: {message}");
        return Problem {
            errors: vec![FieldError {
                field: String::new(),
                message: message.to_owned(),
            }],
            ..Problem::new(ProblemCode::InvalidRequest, detail)
        };
    }
    Problem::invalid(field, message)
}
