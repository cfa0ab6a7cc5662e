//! From a request to its handler: the address, the path, the credential, then
//! the code.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
};

use axum::{
    Router,
    body::Body,
    extract::{FromRequestParts as _, RawPathParams},
    http::{HeaderMap, Method, Request, StatusCode, header, request::Parts},
    routing::{MethodFilter, on},
};
use baton_protocol::{
    api::{Problem, ProblemCode},
    words::AccessScope,
};
use tokio::time::Instant;
use tower::ServiceExt as _;
use tower_http::{catch_panic::CatchPanicLayer, compression::CompressionLayer};
use tracing::Instrument as _;

use super::{
    Ends, Site,
    answer::{self, Reply},
    headers::{self, LoggedRequest, Transport},
    listen::HEADER_BYTES,
    page,
    route::{Access, Call, ProjectInPath, Route},
    routes,
};
use crate::{api::not_shared, auth::Principal};

/// The part of the path below which everything is limited to one project.
pub(crate) const PROJECT: &str = "/p/{project}";

/// Every route of the table, some of them twice.
pub(super) fn router(site: &Arc<Site>) -> Router {
    let mut router = Router::new();
    for route in routes::table() {
        let route = Arc::new(route);
        for path in paths(&route) {
            let (site, route) = (Arc::clone(site), Arc::clone(&route));
            let filter = filter(&route.method);
            let handler = on(filter, move |request: Request<Body>| async move {
                match run(site, &route, request).await {
                    Ok(reply) => reply,
                    Err(problem) => answer::problem(&problem),
                }
            });
            router = router.route(&path, handler);
        }
    }
    let (lost, not_so) = (Arc::clone(site), Arc::clone(site));
    router
        .fallback(move |request: Request<Body>| async move {
            nowhere(&lost, &request.into_parts().0).await
        })
        .method_not_allowed_fallback(move |request: Request<Body>| async move {
            wrong_method(&not_so, &request.into_parts().0).await
        })
        .layer(CompressionLayer::new())
        .layer(CatchPanicLayer::custom(panicked))
}

/// Where a route is found.
pub(crate) fn paths(route: &Route) -> Vec<String> {
    let mut paths = Vec::new();
    if !route.only_in_project {
        paths.push(route.path.to_owned());
    }
    if route.in_project {
        paths.push(format!("{PROJECT}{}", route.path));
    }
    paths
}

fn filter(method: &Method) -> MethodFilter {
    MethodFilter::try_from(method.clone()).unwrap_or(MethodFilter::GET)
}

/// One request, from its address to the line in the log.
pub(super) async fn answer(
    site: Arc<Site>,
    router: Router,
    ends: Ends,
    mut request: Request<Body>,
) -> Reply {
    let began = Instant::now();
    let fresh = || site.api.world.random_id().simple().to_string();
    let entry = LoggedRequest {
        method: request.method().clone(),
        path: LoggedRequest::path(request.uri().path()),
        peer: ends.peer.ip(),
        id: headers::request_id(request.headers(), fresh),
    };
    let transport = Transport::of(site.tls, request.headers().get(header::HOST));
    let checked = site
        .hosts
        .check(request.uri(), request.headers(), ends.local);
    let mut reply = match checked {
        _ if head_bytes(&request) > HEADER_BYTES => answer::head_too_long(HEADER_BYTES),
        Err(problem) => answer::problem(&problem),
        Ok(()) => {
            request.extensions_mut().insert(ends);
            let id = entry.id.to_str().unwrap_or_default();
            let span = tracing::info_span!("request", id);
            match router.oneshot(request).instrument(span).await {
                Ok(reply) => reply,
                Err(never) => match never {},
            }
        }
    };
    headers::finish(&mut reply, entry.id.clone(), transport);
    let took = began.elapsed();
    site.metrics.answered(reply.status().as_u16(), took);
    entry.write(reply.status().as_u16(), took);
    reply
}

async fn run(site: Arc<Site>, route: &Route, request: Request<Body>) -> Result<Reply, Problem> {
    let (mut parts, body) = request.into_parts();
    let principal = match route.access {
        Access::Anyone => None,
        Access::Signed(scope) => Some(signed(&site, &parts.headers, scope).await?),
    };
    let read = RawPathParams::from_request_parts(&mut parts, &()).await;
    let read = read.map_err(|_| nothing_here())?;
    let mut params: BTreeMap<String, String> = read
        .iter()
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect();
    let place = ProjectInPath(params.remove("project"));
    // Before a project is looked up: who sees one session learns of none.
    if principal.as_ref().is_some_and(|one| one.only.is_some())
        && (!route.shared || place.0.is_some())
    {
        return Err(not_shared());
    }
    let project = match principal {
        Some(_) => place.limit(&site.api).await?,
        None => None,
    };
    let peer = parts.extensions.get::<Ends>().map(|ends| ends.peer.ip());
    let taken = site.budget.begin();
    let call = Call {
        taken,
        peer: peer.unwrap_or(std::net::IpAddr::from([127, 0, 0, 1])),
        site,
        principal,
        project,
        place,
        params,
        parts,
        body: Mutex::new(body),
        limit: route.limit,
    };
    (route.handler)(call).await
}

/// How long a request is without its body. What reads it takes a little more
/// than it is told to, so this is counted again.
fn head_bytes(request: &Request<Body>) -> usize {
    let line = request.method().as_str().len() + request.uri().to_string().len() + 12;
    let headers = request.headers().iter();
    let headers = headers.map(|(name, value)| name.as_str().len() + value.len() + 4);
    line + headers.sum::<usize>()
}

/// Who asks, if that may ask this.
async fn signed(
    site: &Site,
    headers: &HeaderMap,
    scope: AccessScope,
) -> Result<Principal, Problem> {
    let principal = site.principal(headers).await?;
    if principal.scope >= scope {
        return Ok(principal);
    }
    let detail = format!(
        "this needs the scope {scope}, and this device has {}; sign in with a link of that scope",
        principal.scope
    );
    Err(Problem::new(ProblemCode::Forbidden, detail))
}

impl Site {
    /// Who sent these headers.
    pub(crate) async fn principal(&self, headers: &HeaderMap) -> Result<Principal, Problem> {
        let bearer = bearer(headers).ok_or_else(|| {
            let detail = "send `Authorization: Bearer` with a token; \
                          `baton token show` prints the daemon's own";
            Problem::new(ProblemCode::Unauthorized, detail)
        })?;
        self.check(bearer).await
    }

    pub(crate) async fn check(&self, token: &str) -> Result<Principal, Problem> {
        self.api.auth().check(token).await.map_err(|_| {
            let detail = "the token is wrong, or was revoked; sign in again";
            Problem::new(ProblemCode::Unauthorized, detail)
        })
    }
}

/// The token of an `Authorization` header that is there once.
fn bearer(headers: &HeaderMap) -> Option<&str> {
    let mut given = headers.get_all(header::AUTHORIZATION).iter();
    let value = given.next()?.to_str().ok()?;
    if given.next().is_some() {
        return None;
    }
    let (scheme, token) = value.split_once(' ')?;
    let token = token.trim();
    (scheme.eq_ignore_ascii_case("bearer") && !token.is_empty()).then_some(token)
}

pub(crate) fn nothing_here() -> Problem {
    let detail = "there is nothing at this path; /api/docs lists every path there is";
    Problem::new(ProblemCode::NotFound, detail)
}

/// The page, for paths that it knows; else a problem, for who is signed in.
async fn nowhere(site: &Site, request: &Parts) -> Reply {
    let path = request.uri.path();
    if !is_api(path) {
        return match page::find(&request.method, path, &request.headers) {
            Some(reply) => reply,
            None => answer::problem(&nothing_here()),
        };
    }
    match site.principal(&request.headers).await {
        Ok(_) => answer::problem(&nothing_here()),
        Err(problem) => answer::problem(&problem),
    }
}

async fn wrong_method(site: &Site, request: &Parts) -> Reply {
    if is_api(request.uri.path())
        && let Err(problem) = site.principal(&request.headers).await
    {
        return answer::problem(&problem);
    }
    let detail = format!("{} is not taken here; see the Allow header", request.method);
    answer::problem(&Problem::new(ProblemCode::MethodNotAllowed, detail))
}

/// Paths that programs ask for, the page's never.
fn is_api(path: &str) -> bool {
    let rest = match path.strip_prefix("/p/") {
        Some(rest) => rest.split_once('/').map_or("", |(_, rest)| rest),
        None => path.trim_start_matches('/'),
    };
    rest == "api" || rest == "ws" || rest.starts_with("api/")
}

#[expect(
    clippy::needless_pass_by_value,
    reason = "this is what the layer hands over"
)]
fn panicked(payload: Box<dyn std::any::Any + Send>) -> Reply {
    let said = payload.downcast_ref::<&str>().copied();
    let said = said.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
    tracing::error!(said, "a handler panicked");
    let detail = "the daemon made a mistake while answering; its log says more";
    let mut reply = answer::problem(&Problem::new(ProblemCode::Internal, detail));
    *reply.status_mut() = StatusCode::INTERNAL_SERVER_ERROR;
    reply
}
