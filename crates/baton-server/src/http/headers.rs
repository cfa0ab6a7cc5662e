//! Headers that every answer has, and the one line that the log gets of it.

use std::{net::IpAddr, time::Duration};

use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, header};

use super::answer::Reply;

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// What the page may load and talk to: only the daemon itself.
const PAGE_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; \
    img-src 'self' blob: data:; font-src 'self'; connect-src 'self'; manifest-src 'self'; \
    worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// What somebody else made may do nothing at all.
const CONTENT_POLICY: &str = "sandbox; default-src 'none'; frame-ancestors 'none'";

/// What an answer is, for the browser that shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Nature {
    /// The page and what belongs to it.
    Page,
    /// Data, or what an agent or a person made.
    Content,
}

/// How an answer goes to the client, as far as browsers remember it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Transport {
    Plain,
    /// To a name that means another machine elsewhere: `localhost`, or an
    /// address. A browser told to use TLS only for `localhost` would do so for
    /// every other server on it.
    TlsHere,
    TlsByName,
}

impl Transport {
    pub(crate) fn of(tls: bool, host: Option<&HeaderValue>) -> Self {
        if !tls {
            return Self::Plain;
        }
        let host = host.and_then(|host| host.to_str().ok()).unwrap_or("");
        let name = match host.rsplit_once(':') {
            Some((name, port)) if !port.ends_with(']') => name,
            _ => host,
        };
        let address = name.starts_with('[') || name.parse::<IpAddr>().is_ok();
        match name.eq_ignore_ascii_case("localhost") || address {
            true => Self::TlsHere,
            false => Self::TlsByName,
        }
    }
}

/// Marks an answer as the page's.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OfThePage;

/// The sender's id of a request, if it can go into a header and a log, or ours.
pub(crate) fn request_id(headers: &HeaderMap, fresh: impl FnOnce() -> String) -> HeaderValue {
    let sound = |value: &&HeaderValue| {
        let bytes = value.as_bytes();
        let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_.".contains(byte);
        (1..=64).contains(&bytes.len()) && bytes.iter().all(plain)
    };
    let given = headers.get(&REQUEST_ID).filter(sound).cloned();
    given.unwrap_or_else(|| {
        HeaderValue::from_str(&fresh()).unwrap_or(HeaderValue::from_static("none"))
    })
}

/// Adds what every answer has. What a handler set stays.
pub(crate) fn finish(reply: &mut Reply, id: HeaderValue, transport: Transport) {
    let nature = match reply.extensions_mut().remove::<OfThePage>() {
        Some(_) => Nature::Page,
        None => Nature::Content,
    };
    let policy = match nature {
        Nature::Page => PAGE_POLICY,
        Nature::Content => CONTENT_POLICY,
    };
    let headers = reply.headers_mut();
    let mut add = |name: HeaderName, value: &'static str| {
        let value = HeaderValue::from_static(value);
        headers.entry(name).or_insert(value);
    };
    add(header::CONTENT_SECURITY_POLICY, policy);
    add(header::X_CONTENT_TYPE_OPTIONS, "nosniff");
    add(header::X_FRAME_OPTIONS, "DENY");
    add(header::REFERRER_POLICY, "no-referrer");
    add(
        HeaderName::from_static("cross-origin-opener-policy"),
        "same-origin",
    );
    add(
        HeaderName::from_static("cross-origin-resource-policy"),
        "same-origin",
    );
    add(
        HeaderName::from_static("permissions-policy"),
        "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    );
    add(header::CACHE_CONTROL, "no-store");
    if transport == Transport::TlsByName {
        add(header::STRICT_TRANSPORT_SECURITY, "max-age=31536000");
    }
    headers.insert(REQUEST_ID, id);
}

/// The most of a path that the log is told.
const MOST_PATH: usize = 200;

/// What the log is told of a request: nothing that could be secret, so neither
/// the query nor any header but its id, and no more than a line.
pub(crate) struct LoggedRequest {
    pub(crate) method: Method,
    pub(crate) path: String,
    pub(crate) peer: IpAddr,
    pub(crate) id: HeaderValue,
}

impl LoggedRequest {
    /// A path as it goes into the log.
    pub(crate) fn path(path: &str) -> String {
        match path.char_indices().nth(MOST_PATH) {
            None => path.to_owned(),
            Some((at, _)) => format!("{}…", &path[..at]),
        }
    }

    pub(crate) fn write(&self, status: u16, took: Duration) {
        let (method, path, peer) = (&self.method, self.path.as_str(), self.peer);
        let id = self.id.to_str().unwrap_or("");
        let took_ms = u64::try_from(took.as_millis()).unwrap_or(u64::MAX);
        // What changes something or is refused, a person may look for.
        let read = matches!(*method, Method::GET | Method::HEAD);
        if read && status < 400 {
            tracing::debug!(%method, path, status, took_ms, %peer, id, "request");
        } else {
            tracing::info!(%method, path, status, took_ms, %peer, id, "request");
        }
    }
}

#[cfg(test)]
#[path = "headers_tests.rs"]
mod tests;
