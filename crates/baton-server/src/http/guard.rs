//! Which addresses are the daemon's own, and which pages may ask.
//!
//! A name that an attacker points at this machine (DNS rebinding) is none of
//! its addresses, and a page of another origin is foreign even on the same
//! host: an agent may well start a server on the next port. Both are looked at
//! before anything else of a request.

use std::net::{IpAddr, SocketAddr};

use axum::http::{HeaderMap, HeaderName, Uri, header, uri::Authority};
use baton_protocol::api::{Problem, ProblemCode};

/// Names that every system resolves to itself.
const LOOPBACK: [&str; 3] = ["localhost", "127.0.0.1", "[::1]"];

/// The addresses a request may be meant for.
#[derive(Debug, Clone)]
pub struct Hosts {
    scheme: &'static str,
    port: u16,
    public: Vec<Origin>,
}

/// Scheme, host and port: what a browser takes for one and the same site.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Origin {
    scheme: String,
    /// In lower case, IPv6 addresses in brackets.
    host: String,
    port: u16,
}

/// Why an address cannot be one of the daemon's.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no address such as `https://baton.example`")]
pub struct BadUrl(String);

impl Hosts {
    /// `public` are addresses under which the daemon is reached by way of
    /// something in front of it.
    pub fn new(port: u16, tls: bool, public: &[String]) -> Result<Self, BadUrl> {
        let public = public.iter().map(|url| {
            let origin = Origin::parse(url.strip_suffix('/').unwrap_or(url));
            origin.ok_or_else(|| BadUrl(url.clone()))
        });
        Ok(Self {
            scheme: if tls { "https" } else { "http" },
            port,
            public: public.collect::<Result<_, _>>()?,
        })
    }

    /// Lets a request pass that is meant for the daemon and comes from its own
    /// page, or from no page. `local` is the address the client reached.
    pub(crate) fn check(
        &self,
        uri: &Uri,
        headers: &HeaderMap,
        local: SocketAddr,
    ) -> Result<(), Problem> {
        let host = only(headers, &header::HOST).and_then(|host| {
            let asked = uri.authority().map(Authority::as_str);
            asked.is_none_or(|asked| asked == host).then_some(host)
        });
        let wrong = || {
            let detail = "the Host header names none of this daemon's addresses; \
                          if it is reached under that name on purpose, add it to runner.publicUrls";
            Problem::new(ProblemCode::WrongHost, detail)
        };
        let host = host.ok_or_else(wrong)?;
        let meant = self.meant(host, local);
        if meant.is_empty() {
            return Err(wrong());
        }
        if !headers.contains_key(header::ORIGIN) {
            return Ok(());
        }
        let origin = only(headers, &header::ORIGIN).and_then(Origin::parse);
        if origin.is_some_and(|origin| meant.contains(&origin)) {
            return Ok(());
        }
        let detail = "the Origin header names another site; only the daemon's own page may ask";
        Err(Problem::new(ProblemCode::ForeignOrigin, detail))
    }

    /// The daemon's own origins that this Host stands for.
    fn meant(&self, host: &str, local: SocketAddr) -> Vec<Origin> {
        let own = Origin::parse(&format!("{}://{host}", self.scheme));
        let own = own.filter(|own| own.port == self.port && is_own(&own.host, local));
        let public = self.public.iter().filter(|public| {
            let asked = Origin::parse(&format!("{}://{host}", public.scheme));
            asked.is_some_and(|asked| asked == **public)
        });
        own.into_iter().chain(public.cloned()).collect()
    }
}

/// A loopback name, or the very address of this machine that was reached.
fn is_own(host: &str, local: SocketAddr) -> bool {
    if LOOPBACK.contains(&host) {
        return true;
    }
    let bare = host
        .strip_prefix('[')
        .and_then(|host| host.strip_suffix(']'));
    let named: Option<IpAddr> = bare.unwrap_or(host).parse().ok();
    named.is_some_and(|named| named.to_canonical() == local.ip().to_canonical())
}

impl Origin {
    /// Reads `scheme://host[:port]` and nothing beyond.
    fn parse(text: &str) -> Option<Self> {
        let (scheme, authority) = text.split_once("://")?;
        let default = match scheme {
            "http" => 80,
            "https" => 443,
            _ => return None,
        };
        let (host, port) = match authority.rsplit_once(':') {
            Some((host, port)) if !port.ends_with(']') => {
                let digits = !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit());
                (host, digits.then(|| port.parse().ok()).flatten()?)
            }
            _ => (authority, default),
        };
        let v6 = host.starts_with('[') && host.ends_with(']');
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || b".-_".contains(&byte);
        let address = |byte: u8| byte.is_ascii_hexdigit() || b"[]:.".contains(&byte);
        let sound = !host.is_empty() && host.bytes().all(|byte| plain(byte) || v6 && address(byte));
        sound.then(|| Self {
            scheme: scheme.to_owned(),
            host: host.to_ascii_lowercase(),
            port,
        })
    }
}

/// A header that is there exactly once.
fn only<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    let mut values = headers.get_all(name).iter();
    let value = values.next()?;
    values
        .next()
        .is_none()
        .then(|| value.to_str().ok())
        .flatten()
}

#[cfg(test)]
#[path = "guard_tests.rs"]
mod tests;
