//! The web interface: files built into the program, with the page itself for
//! every path that is nobody else's, so that links into it work.

use axum::{
    body::Body,
    http::{HeaderMap, HeaderValue, Method, StatusCode, header},
};

use super::{
    answer::{self, Reply, with_type},
    headers::OfThePage,
};

/// One file and its compressed forms, made by `build.rs`.
struct File {
    path: &'static str,
    etag: &'static str,
    plain: &'static [u8],
    gzip: Option<&'static [u8]>,
    brotli: Option<&'static [u8]>,
}

include!(concat!(env!("OUT_DIR"), "/page_files.rs"));

const INDEX: &str = "/index.html";

/// Shown when the program was built without the interface.
const ABSENT: &str = include_str!("page_absent.html");

/// The file at a path, or the page.
pub(crate) fn find(method: &Method, path: &str, headers: &HeaderMap) -> Option<Reply> {
    if !matches!(*method, Method::GET | Method::HEAD) {
        return None;
    }
    let known = |path: &str| FILES.iter().find(|file| file.path == path);
    if let Some(file) = known(path) {
        return Some(send(file, headers));
    }
    // A file that is not there is not the page: a script must not become HTML.
    let last = path.rsplit('/').next().unwrap_or("");
    // Below a project the rest may name one of its files, which has a dot.
    if path.starts_with("/assets/") || (last.contains('.') && !path.starts_with("/p/")) {
        return None;
    }
    let reply = match known(INDEX) {
        Some(index) => send(index, headers),
        None => with_type(
            StatusCode::OK,
            "text/html; charset=utf-8",
            Body::from(ABSENT),
        ),
    };
    Some(of_the_page(reply))
}

pub(crate) fn of_the_page(mut reply: Reply) -> Reply {
    reply.extensions_mut().insert(OfThePage);
    reply
}

fn send(file: &File, headers: &HeaderMap) -> Reply {
    let (bytes, encoding) = match (file.brotli, file.gzip) {
        (Some(bytes), _) if accepts(headers, "br") => (bytes, Some("br")),
        (_, Some(bytes)) if accepts(headers, "gzip") => (bytes, Some("gzip")),
        _ => (file.plain, None),
    };
    let mut reply = if is_known(headers, file.etag) {
        answer::empty(StatusCode::NOT_MODIFIED)
    } else {
        let mut reply = with_type(StatusCode::OK, media_type(file.path), Body::from(bytes));
        if let Some(encoding) = encoding {
            let value = HeaderValue::from_static(encoding);
            reply.headers_mut().insert(header::CONTENT_ENCODING, value);
        }
        reply
    };
    let cache = if file.path.starts_with("/assets/") {
        // Their names change with their content.
        "public, max-age=31536000, immutable"
    } else {
        "no-cache"
    };
    let headers = reply.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(cache));
    headers.insert(header::ETAG, HeaderValue::from_static(file.etag));
    headers.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
    of_the_page(reply)
}

/// Whether a client has this already.
pub(crate) fn is_known(headers: &HeaderMap, etag: &str) -> bool {
    let given = headers.get_all(header::IF_NONE_MATCH).iter();
    let mut given = given.filter_map(|value| value.to_str().ok());
    given.any(|value| {
        let mut tags = value.split(',').map(str::trim);
        tags.any(|tag| tag == "*" || tag.strip_prefix("W/").unwrap_or(tag) == etag)
    })
}

fn accepts(headers: &HeaderMap, coding: &str) -> bool {
    let given = headers.get_all(header::ACCEPT_ENCODING).iter();
    let mut given = given.filter_map(|value| value.to_str().ok());
    given.any(|value| {
        value.split(',').any(|one| {
            let mut parts = one.split(';').map(str::trim);
            let named = parts
                .next()
                .is_some_and(|name| name.eq_ignore_ascii_case(coding));
            let refused = parts.any(|weight| matches!(weight, "q=0" | "q=0.0" | "q=0.00"));
            named && !refused
        })
    })
}

fn media_type(path: &str) -> &'static str {
    match path.rsplit('.').next().unwrap_or("") {
        "html" => "text/html; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "json" | "map" => "application/json",
        "webmanifest" => "application/manifest+json",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "ico" => "image/x-icon",
        "webp" => "image/webp",
        "woff2" => "font/woff2",
        "txt" => "text/plain; charset=utf-8",
        "wasm" => "application/wasm",
        _ => "application/octet-stream",
    }
}
