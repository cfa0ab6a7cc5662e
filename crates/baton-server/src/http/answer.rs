//! What handlers answer with, each kind with its documentation, and problems
//! as `application/problem+json`.

use std::marker::PhantomData;

use axum::{
    body::Body,
    http::{HeaderMap, HeaderValue, Response, StatusCode, header},
};
use baton_protocol::{
    api::{Problem, ProblemCode},
    words::Json,
};
use schemars::JsonSchema;
use serde::Serialize;

use super::route::{Content, Replies, SchemaOf};

pub(crate) type Reply = Response<Body>;

/// Something a handler may answer with, and how the document tells of it.
pub(crate) trait Answer {
    fn replies() -> Vec<Replies>;
    fn reply(self) -> Reply;
}

/// JSON of a type, with a status.
pub(crate) struct Answered<T, const STATUS: u16 = 200> {
    json: Json,
    kind: PhantomData<T>,
}

impl<T: Serialize, const STATUS: u16> Answered<T, STATUS> {
    pub(crate) fn of(value: &T) -> Self {
        Self {
            json: Json::of(value),
            kind: PhantomData,
        }
    }
}

impl<T: JsonSchema, const STATUS: u16> Answer for Answered<T, STATUS> {
    fn replies() -> Vec<Replies> {
        vec![Replies {
            status: STATUS,
            content: Content::Json(SchemaOf::of::<T>()),
        }]
    }

    fn reply(self) -> Reply {
        json::<STATUS>(&self.json)
    }
}

/// What a command answered, as it is.
pub(crate) fn json<const STATUS: u16>(json: &Json) -> Reply {
    let status = StatusCode::from_u16(STATUS).unwrap_or(StatusCode::OK);
    json_text(status, json.text().to_owned())
}

/// Done, and nothing to say.
pub(crate) struct Nothing;

impl Answer for Nothing {
    fn replies() -> Vec<Replies> {
        vec![Replies {
            status: 204,
            content: Content::None,
        }]
    }

    fn reply(self) -> Reply {
        empty(StatusCode::NO_CONTENT)
    }
}

pub(crate) fn empty(status: StatusCode) -> Reply {
    let mut reply = Response::new(Body::empty());
    *reply.status_mut() = status;
    reply
}

pub(crate) fn json_text(status: StatusCode, text: String) -> Reply {
    with_type(status, "application/json", Body::from(text))
}

pub(crate) fn with_type(status: StatusCode, media_type: &'static str, body: Body) -> Reply {
    let mut reply = Response::new(body);
    *reply.status_mut() = status;
    let value = HeaderValue::from_static(media_type);
    reply.headers_mut().insert(header::CONTENT_TYPE, value);
    reply
}

/// A problem as RFC 9457 wants it: the contract's fields and a `type`.
#[derive(Serialize)]
struct Wire<'a> {
    r#type: String,
    #[serde(flatten)]
    problem: &'a Problem,
}

/// The stable name of a kind of problem.
pub(crate) fn problem_type(code: ProblemCode) -> String {
    format!("urn:baton:problem:{code}")
}

pub(crate) fn problem(problem: &Problem) -> Reply {
    let wire = Wire {
        r#type: problem_type(problem.code),
        problem,
    };
    let status = StatusCode::from_u16(problem.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let text = serde_json::to_string(&wire).unwrap_or_default();
    let mut reply = with_type(status, "application/problem+json", Body::from(text));
    add_headers(reply.headers_mut(), problem);
    reply
}

/// The answer to a request whose headers are too long, after which nothing more
/// is read from its connection.
pub(crate) fn head_too_long(limit: usize) -> Reply {
    let detail = format!("the headers are longer than {limit} bytes");
    let told = Problem {
        status: StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE.as_u16(),
        ..Problem::new(ProblemCode::TooLong, detail)
    };
    let mut reply = problem(&told);
    let close = HeaderValue::from_static("close");
    reply.headers_mut().insert(header::CONNECTION, close);
    reply
}

/// What clients look for in headers rather than in the body.
fn add_headers(headers: &mut HeaderMap, problem: &Problem) {
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    if problem.code == ProblemCode::TooMany {
        headers.insert(header::RETRY_AFTER, HeaderValue::from_static("5"));
    }
    if problem.code == ProblemCode::Unauthorized {
        let scheme = HeaderValue::from_static("Bearer realm=\"baton\"");
        headers.insert(header::WWW_AUTHENTICATE, scheme);
    }
}
