//! The certificate: one that was given, or one that Baton makes and keeps.
//!
//! A self-made certificate protects against listening; who it belongs to is
//! told by its fingerprint, which the daemon prints. It is made anew before it
//! runs out, and when it has to carry other names.

mod own;

use std::{
    io,
    path::{Path, PathBuf},
    sync::Arc,
};

use baton_protocol::Timestamp;
use ring::digest;
use rustls::{
    ServerConfig,
    crypto::ring as provider,
    pki_types::{
        CertificateDer, PrivateKeyDer,
        pem::{self, PemObject},
    },
};

/// Where the certificate comes from.
#[derive(Debug, Clone)]
pub enum TlsSource {
    /// PEM files.
    Files { certificate: PathBuf, key: PathBuf },
    /// Made and kept in a folder, for these names and addresses.
    Own { folder: PathBuf, names: Vec<String> },
}

/// What a listener needs to speak TLS.
#[derive(Debug, Clone)]
pub struct Tls {
    pub config: Arc<ServerConfig>,
    /// Of the certificate, SHA-256, as browsers show it.
    pub fingerprint: String,
}

/// Why there is no certificate to use.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    #[error("{} cannot be read or written", path.display())]
    Io {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    #[error("{} holds no {what} as PEM", path.display())]
    Pem {
        path: PathBuf,
        what: &'static str,
        #[source]
        source: Option<pem::Error>,
    },
    #[error("the certificate in {} and its key cannot be used", path.display())]
    Unusable {
        path: PathBuf,
        #[source]
        source: rustls::Error,
    },
    #[error("a certificate cannot be made")]
    Make {
        #[source]
        source: rcgen::Error,
    },
}

impl Tls {
    /// Reads the certificate, or makes it where it is Baton's own.
    pub fn load(source: &TlsSource, now: Timestamp) -> Result<Self, TlsError> {
        match source {
            TlsSource::Files { certificate, key } => Self::read(certificate, key),
            TlsSource::Own { folder, names } => {
                let (certificate, key) = own::keep(folder, names, now)?;
                Self::read(&certificate, &key)
            }
        }
    }

    fn read(certificate: &Path, key: &Path) -> Result<Self, TlsError> {
        let chain = certificates(certificate)?;
        let fingerprint = chain.first().map(fingerprint).unwrap_or_default();
        let key = private_key(key)?;
        let unusable = |source| TlsError::Unusable {
            path: certificate.to_owned(),
            source,
        };
        let mut config =
            ServerConfig::builder_with_provider(Arc::new(provider::default_provider()))
                .with_safe_default_protocol_versions()
                .map_err(unusable)?
                .with_no_client_auth()
                .with_single_cert(chain, key)
                .map_err(unusable)?;
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(Self {
            config: Arc::new(config),
            fingerprint,
        })
    }
}

fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>, TlsError> {
    let text = read(path)?;
    let chain: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&text).collect();
    match chain {
        Ok(chain) if !chain.is_empty() => Ok(chain),
        other => Err(TlsError::Pem {
            path: path.to_owned(),
            what: "certificate",
            source: other.err(),
        }),
    }
}

fn private_key(path: &Path) -> Result<PrivateKeyDer<'static>, TlsError> {
    let text = read(path)?;
    PrivateKeyDer::from_pem_slice(&text).map_err(|source| TlsError::Pem {
        path: path.to_owned(),
        what: "private key",
        source: Some(source),
    })
}

fn read(path: &Path) -> Result<Vec<u8>, TlsError> {
    std::fs::read(path).map_err(|source| failed(path, source))
}

fn failed(path: &Path, source: io::Error) -> TlsError {
    TlsError::Io {
        path: path.to_owned(),
        source,
    }
}

fn fingerprint(certificate: &CertificateDer<'_>) -> String {
    let digest = digest::digest(&digest::SHA256, certificate);
    let bytes: Vec<String> = digest
        .as_ref()
        .iter()
        .map(|byte| format!("{byte:02X}"))
        .collect();
    bytes.join(":")
}

#[cfg(test)]
#[path = "tls_tests.rs"]
mod tests;
