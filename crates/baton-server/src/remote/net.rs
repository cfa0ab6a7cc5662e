//! From a host's name to a secured connection with an address that was looked at.

use std::{
    fmt, io,
    net::{IpAddr, SocketAddr},
    pin::Pin,
    sync::Arc,
    time::Duration,
};

use rustls::{ClientConfig, RootCertStore, crypto::ring as provider, pki_types::ServerName};
use tokio::{net::TcpStream, sync::OnceCell, time::timeout};
use tokio_rustls::{TlsConnector, client::TlsStream};

use super::{RemoteError, address};

/// How long one of a host's addresses may take to answer, so that the next has
/// a chance.
const CONNECT: Duration = Duration::from_secs(3);

pub(super) type Addresses = Pin<Box<dyn Future<Output = io::Result<Vec<IpAddr>>> + Send>>;

/// Finds a host's addresses.
type Lookup = dyn Fn(&str) -> Addresses + Send + Sync;

/// What stands between Baton and the internet. Tests put in their own.
pub(super) struct Net {
    pub(super) lookup: Box<Lookup>,
    pub(super) may_connect: fn(IpAddr) -> bool,
    pub(super) port: u16,
    /// Read when they are needed first.
    pub(super) roots: OnceCell<Arc<ClientConfig>>,
}

impl fmt::Debug for Net {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Net")
            .field("port", &self.port)
            .finish_non_exhaustive()
    }
}

impl Net {
    pub(super) fn of_system() -> Self {
        Self {
            lookup: Box::new(|host| Box::pin(look_up(host.to_owned()))),
            may_connect: address::is_public,
            port: 443,
            roots: OnceCell::new(),
        }
    }

    /// Connects to one of the addresses that were looked at; the name is not
    /// looked up again.
    pub(super) async fn connect(&self, host: &str) -> Result<TlsStream<TcpStream>, RemoteError> {
        let addresses = self.addresses(host).await?;
        let config = self.roots.get_or_try_init(system_roots).await?;
        let tcp = self.reach(host, &addresses).await?;
        let failed = |source| RemoteError::Tls {
            host: host.to_owned(),
            source,
        };
        let name = ServerName::try_from(host.to_owned())
            .map_err(|error| failed(io::Error::other(error)))?;
        let connector = TlsConnector::from(Arc::clone(config));
        connector.connect(name, tcp).await.map_err(failed)
    }

    /// A host with a single address inside is not trusted with the others.
    async fn addresses(&self, host: &str) -> Result<Vec<IpAddr>, RemoteError> {
        let failed = |source| RemoteError::Lookup {
            host: host.to_owned(),
            source,
        };
        let addresses = (self.lookup)(host).await.map_err(failed)?;
        if addresses.is_empty() {
            return Err(failed(io::ErrorKind::NotFound.into()));
        }
        match addresses.iter().find(|one| !(self.may_connect)(**one)) {
            Some(address) => Err(RemoteError::NotPublic {
                host: host.to_owned(),
                address: *address,
            }),
            None => Ok(addresses),
        }
    }

    async fn reach(&self, host: &str, addresses: &[IpAddr]) -> Result<TcpStream, RemoteError> {
        let mut last = io::Error::from(io::ErrorKind::NotFound);
        for address in addresses {
            let address = SocketAddr::new(*address, self.port);
            match timeout(CONNECT, TcpStream::connect(address)).await {
                Ok(Ok(stream)) => return Ok(stream),
                Ok(Err(error)) => last = error,
                Err(_) => last = io::ErrorKind::TimedOut.into(),
            }
        }
        Err(RemoteError::Connect {
            host: host.to_owned(),
            source: last,
        })
    }
}

async fn look_up(host: String) -> io::Result<Vec<IpAddr>> {
    let found = tokio::net::lookup_host((host, 443)).await?;
    Ok(found.map(|address| address.ip()).collect())
}

async fn system_roots() -> Result<Arc<ClientConfig>, RemoteError> {
    let loaded = tokio::task::spawn_blocking(rustls_native_certs::load_native_certs).await;
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(loaded.map_err(|_| RemoteError::NoRoots)?.certs);
    if roots.is_empty() {
        return Err(RemoteError::NoRoots);
    }
    client(roots)
}

pub(super) fn client(roots: RootCertStore) -> Result<Arc<ClientConfig>, RemoteError> {
    let builder = ClientConfig::builder_with_provider(Arc::new(provider::default_provider()));
    let builder = builder
        .with_safe_default_protocol_versions()
        .map_err(|_| RemoteError::NoRoots)?;
    let mut config = builder.with_root_certificates(roots).with_no_client_auth();
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(Arc::new(config))
}
