//! From the settings to who may sign in, and over what.

use std::{
    net::{IpAddr, UdpSocket},
    path::Path,
    sync::Arc,
};

use baton_server::{
    auth::{Auth, AuthError, AuthOptions, TokenSource},
    tls::{Tls, TlsSource},
};
use baton_session::{RealWorld, World};
use baton_store::Store;

use crate::{
    config::{Config, TlsChoice},
    failure::{Failure, chain},
    setup::Setup,
};

/// Baton's own API token.
const TOKEN: &str = "token";

/// How sign-in is set up by the settings.
pub(crate) fn options(data: &Path, config: &Config) -> AuthOptions {
    let auth = &config.auth;
    let token = match (&auth.token, &auth.token_file) {
        (Some(token), _) => TokenSource::Given(token.clone()),
        (None, Some(file)) => TokenSource::File(file.clone()),
        (None, None) => TokenSource::Own(data.join(TOKEN)),
    };
    AuthOptions {
        token,
        pin: auth.pin.clone(),
        exposed: config.runner.is_exposed(),
    }
}

/// Opens sign-in, or says what keeps it from being safe.
pub(crate) async fn open(
    setup: &Setup,
    config: &Config,
    store: Store,
) -> Result<Arc<Auth>, Failure> {
    let options = options(&setup.data, config);
    let auth = Auth::open(store, Arc::new(RealWorld), options).await;
    let auth = auth.map_err(|error| failure(setup, config, &error))?;
    if is_open_to_listeners(config) {
        tracing::warn!("{OPEN}");
    }
    Ok(Arc::new(auth))
}

const OPEN: &str = "others on the network can listen in: what is said to other devices, the PIN \
     too, is not encrypted; set runner.tls, or put a proxy with a certificate in front";

/// Whether what goes to other devices goes unencrypted.
fn is_open_to_listeners(config: &Config) -> bool {
    config.runner.is_exposed() && config.runner.tls == TlsChoice::Off
}

/// What whoever starts a daemon should know of how it is reached.
pub(crate) fn notes(config: &Config, tls: Option<&Tls>) -> Vec<String> {
    let open = is_open_to_listeners(config).then(|| format!("warning: {OPEN}"));
    let print = tls.map(|tls| format!("certificate (SHA-256): {}", tls.fingerprint));
    open.into_iter().chain(print).collect()
}

fn failure(setup: &Setup, config: &Config, error: &AuthError) -> Failure {
    let called = &setup.called;
    let remedy = match error {
        AuthError::PinNeeded => {
            return Failure::new(
                format!(
                    "listening on {} lets other devices in, and there is no PIN to ask them for",
                    config.runner.host
                ),
                format!(
                    "Set one and start again, or listen on this machine only:\n    {called} pin set\n    {called} start --host 127.0.0.1"
                ),
            );
        }
        AuthError::Token(_) => {
            "Correct it: `auth.token` and `auth.tokenFile` are settings, else it is the file `token` in the data folder."
        }
        AuthError::Pin(_) => "Choose another `auth.pin`: at least 6 digits that are hard to guess.",
        AuthError::Store(_) => {
            "Check the data folder and the disk, or choose another with --data-dir."
        }
    };
    Failure::new(chain(error), remedy)
}

/// The certificate to serve with, if HTTPS is to be spoken.
pub(crate) fn tls(data: &Path, config: &Config) -> Result<Option<Tls>, Failure> {
    let runner = &config.runner;
    let source = match (runner.tls, &runner.tls_certificate, &runner.tls_key) {
        (TlsChoice::Off, ..) => return Ok(None),
        (TlsChoice::Files, Some(certificate), Some(key)) => TlsSource::Files {
            certificate: certificate.clone(),
            key: key.clone(),
        },
        (TlsChoice::Files | TlsChoice::Own, ..) => TlsSource::Own {
            folder: data.join("tls"),
            names: names(config),
        },
    };
    let tls = Tls::load(&source, RealWorld.now()).map_err(|error| {
        Failure::new(
            chain(&error),
            "Check the files and their permissions, or let Baton make a certificate with `tls: self`.",
        )
    })?;
    Ok(Some(tls))
}

/// What browsers will call this machine.
fn names(config: &Config) -> Vec<String> {
    let mut names: Vec<String> = ["localhost", "127.0.0.1", "::1"].map(str::to_owned).into();
    if let Some(address) = outside_address(config.runner.host) {
        names.push(address.to_string());
    }
    for url in &config.runner.public_urls {
        let host = url.split_once("://").map_or(url.as_str(), |(_, host)| host);
        let host = match host.rsplit_once(':') {
            Some((name, port)) if !port.ends_with(']') => name,
            _ => host,
        };
        names.push(host.trim_matches(['[', ']']).to_owned());
    }
    names.dedup();
    names
}

/// Where another device finds Baton, if one can: the first of the public
/// addresses, else the one that is listened on.
pub(crate) fn reachable(config: &Config, port: u16) -> Option<String> {
    let runner = &config.runner;
    if let Some(url) = runner.public_urls.first() {
        return Some(url.clone());
    }
    let scheme = match runner.tls {
        TlsChoice::Off => "http",
        TlsChoice::Own | TlsChoice::Files => "https",
    };
    let host = match outside_address(runner.host)? {
        IpAddr::V4(address) => address.to_string(),
        IpAddr::V6(address) => format!("[{address}]"),
    };
    Some(format!("{scheme}://{host}:{port}"))
}

/// The address of this machine that others see, if it listens there.
fn outside_address(host: IpAddr) -> Option<IpAddr> {
    let host = host.to_canonical();
    if host.is_loopback() {
        return None;
    }
    if !host.is_unspecified() {
        return Some(host);
    }
    // Asks the system which way it would go; a datagram socket that is only
    // connected sends nothing.
    let (own, far) = match host {
        IpAddr::V4(_) => ("0.0.0.0:0", "192.0.2.1:9"),
        IpAddr::V6(_) => ("[::]:0", "[2001:db8::1]:9"),
    };
    let socket = UdpSocket::bind(own).ok()?;
    socket.connect(far).ok()?;
    let address = socket.local_addr().ok()?.ip();
    (!address.is_loopback() && !address.is_unspecified()).then_some(address)
}
