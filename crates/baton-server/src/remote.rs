//! Images that a message names by their addresses.
//!
//! Whoever may write a message chooses the address, and the daemon may stand
//! where that person cannot reach. So only images are fetched, from hosts on a
//! list, over TLS, from addresses that were looked at before anything was sent
//! to them, and nothing is followed from there. Everything else that has an
//! address is left to the agent as the address.
//!
//! What an image is, is not decided here but with all other files.

mod address;
mod download;
mod error;
mod link;
mod net;

pub(crate) use self::error::RemoteError;
pub(crate) use self::link::HttpsAddress;

use std::time::Duration;

use baton_session::attachments::{
    ImageKind, Incoming, IncomingContent, MAX_ALL, MAX_FILE, clean_name, sniff,
};
use tokio::time::{Instant, timeout_at};

use self::net::Net;

/// Where images come from unless a list is given.
const HOSTS: [&str; 2] = ["cdn.discordapp.com", "media.discordapp.net"];

/// How long all images of a message may take.
const LIMIT: Duration = Duration::from_secs(10);

/// What may be fetched, and how.
#[derive(Debug)]
pub(crate) struct Remote {
    hosts: Vec<String>,
    limit: Duration,
    net: Net,
}

/// What becomes of an attachment with an address.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Kept {
    /// An image to be fetched.
    Image(HttpsAddress),
    /// The line that the prompt gets.
    Address(String),
}

/// The time and the room that the images of one message have.
#[derive(Debug)]
pub(crate) struct Allowance {
    until: Instant,
    left: usize,
}

impl Allowance {
    /// Counts what came with the message itself.
    pub(crate) const fn take(&mut self, bytes: usize) {
        self.left = self.left.saturating_sub(bytes);
    }
}

impl Default for Remote {
    fn default() -> Self {
        Self::from_hosts(HOSTS.map(str::to_owned))
    }
}

impl Remote {
    pub(crate) fn from_hosts(hosts: impl IntoIterator<Item = String>) -> Self {
        Self {
            hosts: hosts
                .into_iter()
                .map(|host| host.to_ascii_lowercase())
                .collect(),
            limit: LIMIT,
            net: Net::of_system(),
        }
    }

    /// For one message, from now on.
    pub(crate) fn allowance(&self) -> Allowance {
        Allowance {
            until: Instant::now() + self.limit,
            left: MAX_ALL,
        }
    }

    /// Looks at an address, without asking anyone. Type and name may say that
    /// it is an image, else the end of its path does.
    pub(crate) fn look(
        &self,
        url: &str,
        name: &str,
        media_type: Option<&str>,
    ) -> Result<Kept, RemoteError> {
        let link = HttpsAddress::parse(url, name)?;
        if !is_image(&link, name, media_type) {
            let (name, url) = (link.name(), link.text());
            return Ok(Kept::Address(format!("Attached: {name} at {url}")));
        }
        link.is_plain()?;
        if !self.hosts.iter().any(|host| host == link.host()) {
            return Err(RemoteError::Host {
                host: link.host().to_owned(),
                known: match self.hosts.as_slice() {
                    [] => "the settings name no hosts".to_owned(),
                    hosts => format!("only from {}", hosts.join(", ")),
                },
            });
        }
        Ok(Kept::Image(link))
    }

    /// Fetches an image. Its type is as the host says and as its bytes are.
    pub(crate) async fn fetch(
        &self,
        link: &HttpsAddress,
        allowance: &mut Allowance,
    ) -> Result<Incoming, RemoteError> {
        let name = link.name();
        let most = MAX_FILE.min(allowance.left);
        let download = self.net.download(link, most);
        let got =
            timeout_at(allowance.until, download)
                .await
                .map_err(|_| RemoteError::TooSlow {
                    name: name.to_owned(),
                    limit: self.limit,
                })??;
        allowance.take(got.bytes.len());
        let said = got.media_type.as_deref().map(essence);
        let said = said.filter(|said| !said.is_empty() && said != "application/octet-stream");
        let is_said = |said: &String| ImageKind::from_media_type(said).is_some();
        if !said.as_ref().is_none_or(is_said) || sniff(&got.bytes).is_none() {
            return Err(RemoteError::NoImage {
                name: name.to_owned(),
            });
        }
        Ok(Incoming {
            name: name.to_owned(),
            media_type: said,
            content: IncomingContent::Bytes(got.bytes),
        })
    }
}

fn is_image(link: &HttpsAddress, name: &str, media_type: Option<&str>) -> bool {
    let said = media_type.map(essence).unwrap_or_default();
    match said.as_str() {
        "" | "application/octet-stream" => {
            ImageKind::from_name(&clean_name(name)).is_some()
                || ImageKind::from_name(link.path()).is_some()
        }
        said => ImageKind::from_media_type(said).is_some(),
    }
}

/// A type in small letters, without parameters.
fn essence(media_type: &str) -> String {
    let essence = media_type.split(';').next().unwrap_or_default();
    essence.trim().to_ascii_lowercase()
}

#[cfg(test)]
#[path = "remote_tests.rs"]
mod tests;

#[cfg(test)]
#[path = "remote/look_tests.rs"]
mod look_tests;
