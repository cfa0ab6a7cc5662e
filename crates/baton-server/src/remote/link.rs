//! An address that came with a message, taken apart.

use std::net::Ipv6Addr;

use baton_session::attachments::clean_name;
use hyper::Uri;

use super::RemoteError;

/// The longest address, in bytes.
const MAX: usize = 4096;

/// An address over HTTPS, without a user in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct HttpsAddress {
    text: String,
    uri: Uri,
    /// In small letters.
    host: String,
    name: String,
}

impl HttpsAddress {
    /// Takes the end of the path as the name where none is given.
    pub(super) fn parse(text: &str, name: &str) -> Result<Self, RemoteError> {
        let refuse = |why| RemoteError::Address { why };
        if text.len() > MAX {
            return Err(refuse("it is longer than 4096 characters"));
        }
        // It goes into a prompt too, where these could end it.
        let odd = |byte: u8| !byte.is_ascii_graphic() || br#"<>"\`"#.contains(&byte);
        if text.bytes().any(odd) {
            return Err(refuse("it has characters that no address has"));
        }
        let uri: Uri = text.parse().map_err(|_| refuse("it is no address"))?;
        if uri.scheme_str() != Some("https") {
            return Err(refuse("it does not begin with https://"));
        }
        let authority = uri.authority().ok_or_else(|| refuse("it has no host"))?;
        if authority.as_str().contains('@') {
            return Err(refuse("it has a user in it"));
        }
        let host = authority.host().to_ascii_lowercase();
        if host.is_empty() {
            return Err(refuse("it has no host"));
        }
        let name = match name {
            "" => clean_name(uri.path()),
            name => clean_name(name),
        };
        Ok(Self {
            text: text.to_owned(),
            host,
            name,
            uri,
        })
    }

    /// Whether it names a host by its name, and no port of its own.
    pub(super) fn is_plain(&self) -> Result<(), RemoteError> {
        let refuse = |why| Err(RemoteError::Address { why });
        let authority = self.uri.authority().map_or("", |all| all.as_str());
        let port = authority.get(self.host.len()..).unwrap_or_default();
        if is_number(&self.host) {
            return refuse("its host is a number, not a name");
        }
        if !matches!(port, "" | ":443") {
            return refuse("it has a port");
        }
        Ok(())
    }

    pub(super) fn host(&self) -> &str {
        &self.host
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    pub(super) fn path(&self) -> &str {
        self.uri.path()
    }

    /// What the host is asked for.
    pub(super) fn request(&self) -> &str {
        self.uri
            .path_and_query()
            .map_or("/", |whole| whole.as_str())
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }
}

/// Whether a resolver could read the host as an IP address: a name's last part
/// is never a number, in any of the ways to write one.
fn is_number(host: &str) -> bool {
    if host.starts_with('[') || host.parse::<Ipv6Addr>().is_ok() {
        return true;
    }
    let host = host.strip_suffix('.').unwrap_or(host);
    let last = host.rsplit('.').next().unwrap_or_default();
    let hex = last.strip_prefix("0x");
    last.bytes().all(|byte| byte.is_ascii_digit())
        || hex.is_some_and(|hex| hex.bytes().all(|byte| byte.is_ascii_hexdigit()))
}
