//! One route: who may ask, what it takes, what it answers, and the code behind
//! it, registered in one call so that code and documentation cannot differ.

use std::{
    collections::BTreeMap,
    net::IpAddr,
    sync::{Arc, Mutex, PoisonError},
};

use axum::{
    body::Body,
    http::{Method, request::Parts},
};
use baton_protocol::{
    SessionId,
    api::{Ask, Command, Problem, ProblemCode},
    words::{AccessScope, ClientRef, Json},
};
use futures_util::future::BoxFuture;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::DeserializeOwned;

use super::{
    Site,
    answer::{self, Answer, Answered, Nothing, Reply},
    budget::Taken,
    input::{self, Input},
};
use crate::{
    api::{Api, Limit, Rights},
    auth::Principal,
    sight::Sight,
};

/// A secret and a name. Whoever sends it is not signed in.
pub(crate) const TINY: usize = 4 << 10;
/// Most bodies are a few lines.
pub(crate) const SMALL: usize = 1 << 20;
/// A message with its files, as Base64.
pub(crate) const LARGE: usize = 96 << 20;

/// Who may ask.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    /// Also who is not signed in.
    Anyone,
    Signed(AccessScope),
}

/// Gives the schema of a type.
#[derive(Clone, Copy)]
pub(crate) struct SchemaOf(pub(crate) fn(&mut SchemaGenerator) -> Schema);

impl SchemaOf {
    pub(crate) fn of<T: JsonSchema>() -> Self {
        Self(SchemaGenerator::subschema_for::<T>)
    }
}

/// What a reply carries.
pub(crate) enum Content {
    None,
    Json(SchemaOf),
    /// Server-sent events: what `data` of each is.
    Events,
    /// Text of this media type.
    Text(&'static str),
    /// Bytes of any media type.
    Bytes,
}

/// One way a route may answer.
pub(crate) struct Replies {
    pub(crate) status: u16,
    pub(crate) content: Content,
}

/// Where fields of a payload come from.
pub(crate) enum Takes {
    Nothing,
    Query(SchemaOf),
    Json(SchemaOf),
    Bytes,
}

pub(crate) type Handler =
    Arc<dyn Fn(Call) -> BoxFuture<'static, Result<Reply, Problem>> + Send + Sync>;

pub(crate) struct Route {
    pub(crate) method: Method,
    pub(crate) path: &'static str,
    /// How generated clients call it.
    pub(crate) id: &'static str,
    pub(crate) summary: &'static str,
    pub(crate) access: Access,
    /// Also below `/p/{project}`, limited to that project.
    pub(crate) in_project: bool,
    /// Not without a project.
    pub(crate) only_in_project: bool,
    /// Also for a link that shows one session, limited to that.
    pub(crate) shared: bool,
    pub(crate) takes: Vec<Takes>,
    /// Fields of the payload that the path gives.
    pub(crate) from_path: &'static [(&'static str, &'static str)],
    pub(crate) replies: Vec<Replies>,
    /// What may go wrong beside what may go wrong everywhere.
    pub(crate) problems: Vec<ProblemCode>,
    /// Headers it looks at, with their meaning.
    pub(crate) headers: &'static [(&'static str, &'static str)],
    /// A body, for the document.
    pub(crate) example: Option<&'static str>,
    /// Whether no body at all makes no sense.
    pub(crate) needs_body: bool,
    /// The longest body, in bytes.
    pub(crate) limit: usize,
    pub(crate) handler: Handler,
}

/// Below `/p/{project}`, or not. Which projects there are is for nobody who is
/// not signed in.
#[derive(Debug, Clone, Default)]
pub(crate) struct ProjectInPath(pub(crate) Option<String>);

impl ProjectInPath {
    pub(crate) async fn limit(&self, api: &Api) -> Result<Option<Limit>, Problem> {
        match &self.0 {
            None => Ok(None),
            Some(slug) => api.limit_to(slug).await.map(Some),
        }
    }
}

/// One request to a route, let in.
pub(crate) struct Call {
    pub(crate) site: Arc<Site>,
    /// None only where anyone may ask.
    pub(crate) principal: Option<Principal>,
    pub(crate) peer: IpAddr,
    /// The project that `/p/{project}` limits it to, for who is signed in.
    pub(crate) project: Option<Limit>,
    /// Where it was asked.
    pub(crate) place: ProjectInPath,
    pub(crate) params: BTreeMap<String, String>,
    pub(crate) parts: Parts,
    /// In a lock only because it cannot be shared otherwise; nobody does.
    pub(crate) body: Mutex<Body>,
    pub(crate) limit: usize,
    /// The room that its body takes, until it is answered.
    pub(crate) taken: Taken,
}

impl Call {
    /// A part of the path. What cannot be such an id names nothing.
    pub(crate) fn param<T: std::str::FromStr>(&self, name: &str) -> Result<T, Problem>
    where
        T::Err: std::fmt::Display,
    {
        let text = self.params.get(name).map_or("", String::as_str);
        text.parse().map_err(|error: T::Err| {
            Problem::new(ProblemCode::NotFound, format!("`{name}`: {error}"))
        })
    }

    /// Reading a body may take long. Who was signed out meanwhile is out.
    pub(crate) fn still_signed(&self) -> Result<(), Problem> {
        match &self.principal {
            Some(principal) if principal.is_revoked() => Err(Problem::new(
                ProblemCode::Unauthorized,
                "this device was signed out",
            )),
            Some(_) | None => Ok(()),
        }
    }

    /// The body, which can be read once.
    pub(crate) fn take_body(&mut self) -> Body {
        let body = self.body.get_mut().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(body)
    }

    /// The session in the path, if it has one. It belongs to the project that
    /// the request is limited to.
    pub(crate) async fn session(&self) -> Result<SessionId, Problem> {
        let id = self.param("id")?;
        self.site.api.within(&self.rights(), id).await?;
        Ok(id)
    }

    pub(crate) fn rights(&self) -> Rights {
        let project = self.project.clone();
        match &self.principal {
            Some(principal) => Rights::of(principal, project),
            None => Rights {
                client: nobody(),
                scope: AccessScope::Observe,
                project,
                only: None,
            },
        }
    }

    /// How much who asks sees.
    pub(crate) fn sight(&self) -> Sight {
        Sight::of(self.rights().scope)
    }

    /// Who is signed in; routes for anyone do not ask.
    pub(crate) fn signed(&self) -> Result<&Principal, Problem> {
        self.principal
            .as_ref()
            .ok_or_else(|| Problem::new(ProblemCode::Unauthorized, "this needs a credential"))
    }

    pub(crate) async fn perform(&self, command: Command) -> Result<Json, Problem> {
        let session = match self.params.contains_key("id") {
            true => Some(self.param("id")?),
            false => None,
        };
        let api = &self.site.api;
        api.perform_for(&self.rights(), session, command).await
    }
}

fn nobody() -> ClientRef {
    ClientRef {
        id: "nobody".into(),
        name: "nobody".into(),
    }
}

impl Route {
    /// A route with a handler of its own.
    pub(crate) fn new<I, O, F, Done>(
        method: Method,
        path: &'static str,
        id: &'static str,
        summary: &'static str,
        handler: F,
    ) -> Self
    where
        I: Input,
        O: Answer,
        F: Fn(Call, I) -> Done + Send + Sync + Clone + 'static,
        Done: Future<Output = Result<O, Problem>> + Send + 'static,
    {
        let access = if method == Method::GET {
            AccessScope::Observe
        } else {
            AccessScope::Operate
        };
        Self {
            method,
            path,
            id,
            summary,
            access: Access::Signed(access),
            in_project: false,
            only_in_project: false,
            shared: false,
            takes: I::takes(),
            from_path: &[],
            replies: O::replies(),
            problems: Vec::new(),
            headers: &[],
            example: None,
            needs_body: false,
            limit: SMALL,
            handler: Arc::new(move |mut call| {
                let handler = handler.clone();
                Box::pin(async move {
                    let input = I::read(&mut call).await?;
                    call.still_signed()?;
                    handler(call, input).await.map(O::reply)
                })
            }),
        }
    }

    /// A route that is a command: its payload is made of the path, and of the
    /// query (GET, DELETE) or the body. Who may ask, what it takes and answers,
    /// and whether it is there within a project, the table of commands says.
    pub(crate) fn command<C: Ask, const STATUS: u16>(
        method: Method,
        path: &'static str,
        id: &'static str,
        summary: &'static str,
        from_path: &'static [(&'static str, &'static str)],
    ) -> Self {
        Self::part::<C, C::Body, STATUS>(method, path, id, summary, from_path, |body| body)
    }

    /// The same where less can be said than the command takes.
    pub(crate) fn part<C: Ask, T, const STATUS: u16>(
        method: Method,
        path: &'static str,
        id: &'static str,
        summary: &'static str,
        from_path: &'static [(&'static str, &'static str)],
        whole: fn(T) -> C::Body,
    ) -> Self
    where
        T: DeserializeOwned + JsonSchema + Send + 'static,
    {
        let in_query = method == Method::GET || method == Method::DELETE;
        let schema = SchemaOf::of::<T>();
        let takes = if in_query {
            Takes::Query(schema)
        } else {
            Takes::Json(schema)
        };
        let handler: Handler = Arc::new(move |mut call| {
            Box::pin(async move {
                let payload: T = if in_query {
                    input::query(&call, from_path)?
                } else {
                    input::json(&mut call, from_path).await?
                };
                call.still_signed()?;
                let done = call.perform(C::command(whole(payload))).await?;
                Ok(answer::json::<STATUS>(&done))
            })
        });
        let route = Self::new(method, path, id, summary, |_: Call, (): ()| async {
            Ok(Nothing)
        });
        Self {
            access: Access::Signed(C::SCOPE),
            in_project: C::IN_PROJECT,
            takes: vec![takes],
            from_path,
            replies: Answered::<C::Answer, STATUS>::replies(),
            handler,
            ..route
        }
    }

    pub(crate) fn scope(mut self, scope: AccessScope) -> Self {
        self.access = Access::Signed(scope);
        self
    }

    pub(crate) fn for_anyone(mut self) -> Self {
        self.access = Access::Anyone;
        self
    }

    pub(crate) fn in_project(mut self) -> Self {
        self.in_project = true;
        self
    }

    pub(crate) fn only_in_project(mut self) -> Self {
        self.only_in_project = true;
        self.in_project()
    }

    /// For a shared link too. It is about the session that its path names: the
    /// handler asks [`Call::session`] or is a command.
    pub(crate) fn shared(mut self) -> Self {
        self.shared = true;
        self
    }

    pub(crate) fn headers(mut self, headers: &'static [(&'static str, &'static str)]) -> Self {
        self.headers = headers;
        self
    }

    /// A body as it may look; there must be one.
    pub(crate) fn example(mut self, body: &'static str) -> Self {
        self.example = Some(body);
        self.needs_body = true;
        self
    }

    pub(crate) fn limit(mut self, bytes: usize) -> Self {
        self.limit = bytes;
        self
    }

    pub(crate) fn problems(mut self, codes: &[ProblemCode]) -> Self {
        self.problems.extend_from_slice(codes);
        self
    }
}
