//! Why an address is not taken, or nothing came from it.

use std::{net::IpAddr, time::Duration};

/// [`RemoteError::hint`] says what to do.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RemoteError {
    #[error("an attachment's address cannot be used: {why}")]
    Address { why: &'static str },
    /// `known` says from where it could.
    #[error("an image cannot be fetched from {host}: {known}")]
    Host { host: String, known: String },
    #[error("{host} cannot be found")]
    Lookup {
        host: String,
        #[source]
        source: std::io::Error,
    },
    #[error("nothing is fetched from {host}: its address {address} is not public")]
    NotPublic { host: String, address: IpAddr },
    #[error("{host} cannot be reached")]
    Connect {
        host: String,
        #[source]
        source: std::io::Error,
    },
    #[error("this machine has no list of certificate authorities")]
    NoRoots,
    #[error("the connection to {host} cannot be secured")]
    Tls {
        host: String,
        #[source]
        source: std::io::Error,
    },
    #[error("{name} cannot be fetched: {host} leads to another address")]
    Redirect { name: String, host: String },
    #[error("{name} cannot be fetched: {host} answered with status {status}")]
    Status {
        name: String,
        host: String,
        status: u16,
    },
    #[error("{name} cannot be fetched: it was packed on the way")]
    Packed { name: String },
    #[error("{name} cannot be fetched: the connection broke")]
    Broken {
        name: String,
        #[source]
        source: hyper::Error,
    },
    #[error("{name} cannot be fetched: it is larger than the {most} bytes that are left to it")]
    TooLarge { name: String, most: usize },
    #[error("{name} cannot be fetched: the images took longer than {} s", limit.as_secs())]
    TooSlow { name: String, limit: Duration },
    #[error("{name} cannot be attached: what came from its address is no image")]
    NoImage { name: String },
}

impl RemoteError {
    /// What to do about it.
    pub(crate) const fn hint(&self) -> &'static str {
        match self {
            Self::Address { .. } => {
                "Give an address that begins with https:// and has no user, or attach the file itself."
            }
            Self::Host { .. } | Self::NotPublic { .. } | Self::Redirect { .. } => {
                "Download the image and attach it, or write the address as text."
            }
            Self::TooLarge { .. } => "Attach images of at most 20 MB each and 50 MB in all.",
            Self::NoRoots => {
                "Install the system's certificates (often the package ca-certificates)."
            }
            Self::NoImage { .. } => "Attach PNG, JPEG, GIF or WebP, or write the address as text.",
            Self::Lookup { .. }
            | Self::Connect { .. }
            | Self::Tls { .. }
            | Self::Status { .. }
            | Self::Packed { .. }
            | Self::Broken { .. }
            | Self::TooSlow { .. } => "Send it again, or download the image and attach it.",
        }
    }
}
