//! HTTP: where the daemon listens, and under which address it is found.

use std::{
    io,
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
    sync::Arc,
};

use baton_server::{
    Api,
    http::{self, Hosts, HttpLimits, HttpOptions},
    tls::Tls,
};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use super::port::Taken;
use crate::{config::RunnerSettings, failure::Failure};

/// The listening socket, and what it is called.
pub(super) struct Web {
    listener: TcpListener,
    hosts: Hosts,
    tls: Option<Tls>,
    pub(super) url: String,
    /// The one that was asked for, or a free one.
    pub(super) port: u16,
}

impl Web {
    pub(super) async fn bind(
        settings: &RunnerSettings,
        tls: Option<&Tls>,
    ) -> Result<Self, Failure> {
        let address = SocketAddr::new(settings.host, settings.port);
        let listener = TcpListener::bind(address).await;
        let listener = listener.map_err(|error| refused(address, &error))?;
        let local = listener
            .local_addr()
            .map_err(|error| refused(address, &error))?;
        let hosts = Hosts::new(local.port(), tls.is_some(), &settings.public_urls);
        let hosts = hosts.map_err(|error| {
            Failure::new(
                format!("runner.publicUrls: {error}"),
                "Write each as scheme, host and, if it is not the usual one, port.",
            )
        })?;
        Ok(Self {
            listener,
            hosts,
            url: url(local, tls.is_some()),
            tls: tls.cloned(),
            port: local.port(),
        })
    }

    /// Serves until `cancel`.
    pub(super) async fn serve(self, api: Arc<Api>, cancel: CancellationToken) {
        let options = HttpOptions {
            hosts: self.hosts,
            tls: self.tls.map(|tls| tls.config),
            limits: HttpLimits::default(),
        };
        http::serve(self.listener, api, options, cancel).await;
    }
}

/// Where a browser on this machine finds it.
fn url(local: SocketAddr, tls: bool) -> String {
    let scheme = if tls { "https" } else { "http" };
    let ip = match local.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => IpAddr::V4(Ipv4Addr::LOCALHOST),
        IpAddr::V6(ip) if ip.is_unspecified() => IpAddr::V6(Ipv6Addr::LOCALHOST),
        ip @ (IpAddr::V4(_) | IpAddr::V6(_)) => ip,
    };
    format!("{scheme}://{}", SocketAddr::new(ip, local.port()))
}

#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "the system has more errors than there is advice"
)]
fn refused(address: SocketAddr, error: &io::Error) -> Failure {
    let remedy = match error.kind() {
        io::ErrorKind::AddrInUse => {
            let taken = Taken::at(address);
            return Failure::new(taken.to_string(), taken.remedy());
        }
        io::ErrorKind::PermissionDenied => {
            "Choose a port above 1023 with `runner.port` or BATON_RUNNER_PORT.".to_owned()
        }
        io::ErrorKind::AddrNotAvailable => {
            "Set runner.host to an address of this machine, such as 127.0.0.1.".to_owned()
        }
        _ => "Check runner.host and runner.port.".to_owned(),
    };
    Failure::new(format!("cannot listen at {address}: {error}"), remedy)
}
