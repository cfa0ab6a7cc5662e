//! TLS from end to end, with a client that trusts one certificate and no other.

use std::{path::Path, sync::Arc};

use baton_server::{
    http::HttpLimits,
    tls::{Tls, TlsSource},
};
use baton_session::{RealWorld, World as _};
use baton_testkit::LIMIT;
use futures_util::{SinkExt as _, StreamExt as _};
use rustls::{
    ClientConfig, RootCertStore,
    pki_types::{CertificateDer, ServerName, pem::PemObject as _},
};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
    time::timeout,
};
use tokio_rustls::{TlsConnector, client::TlsStream};
use tokio_tungstenite::{client_async, tungstenite::Message};

use super::client::Site;
use crate::world::World;

fn own(folder: &Path) -> Tls {
    let source = TlsSource::Own {
        folder: folder.to_owned(),
        names: vec!["localhost".into(), "127.0.0.1".into()],
    };
    Tls::load(&source, RealWorld.now()).unwrap()
}

async fn site() -> Site {
    let world = World::new().await;
    let tls = own(&world.sandbox.data().join("tls"));
    Site::over(world, HttpLimits::default(), Some(tls)).await
}

/// Connects as somebody who was given this certificate.
async fn connect(site: &Site, pinned: &Path, name: &str) -> std::io::Result<TlsStream<TcpStream>> {
    let pem = std::fs::read(pinned).unwrap();
    let mut roots = RootCertStore::empty();
    roots
        .add(CertificateDer::from_pem_slice(&pem).unwrap())
        .unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    let tcp = TcpStream::connect(site.address).await?;
    let name = ServerName::try_from(name.to_owned()).unwrap();
    let connecting = TlsConnector::from(Arc::new(config)).connect(name, tcp);
    timeout(LIMIT, connecting).await.expect("it answers")
}

async fn ask(site: &Site, head: &str, host: &str) -> String {
    let pinned = site.world.sandbox.data().join("tls/certificate.pem");
    let mut stream = connect(site, &pinned, "localhost").await.unwrap();
    let request = format!(
        "GET {head} HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {}\r\n\
         Connection: close\r\n\r\n",
        site.token
    );
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    let reading = stream.read_to_end(&mut answer);
    timeout(LIMIT, reading).await.expect("it ends").ok();
    String::from_utf8_lossy(&answer).to_lowercase()
}

#[tokio::test]
async fn a_client_that_pins_the_certificate_is_served_over_tls() {
    let site = site().await;
    let port = site.address.port();
    let answer = ask(&site, "/api/v1/status", &format!("localhost:{port}")).await;
    assert!(answer.starts_with("http/1.1 200"), "{answer}");
    assert!(answer.contains("\"version\":\"1.2.3\""), "{answer}");
    // Every other server on this machine has the same name.
    assert!(!answer.contains("strict-transport-security"), "{answer}");

    let pinned = site.world.sandbox.data().join("tls/certificate.pem");
    let stream = connect(&site, &pinned, "127.0.0.1").await.unwrap();
    let url = format!("wss://127.0.0.1:{port}/api/v1/ws");
    let (mut socket, _) = client_async(url, stream).await.unwrap();
    let hello = json!({"type": "hello", "token": site.token}).to_string();
    socket.send(Message::text(hello)).await.unwrap();
    let welcome = timeout(LIMIT, socket.next()).await.unwrap();
    let welcome = welcome.unwrap().unwrap().into_text().unwrap();
    let welcome: Value = serde_json::from_str(&welcome).unwrap();
    assert_eq!(welcome["type"], "welcome");
}

#[tokio::test]
async fn another_certificate_or_name_is_not_taken_for_the_daemon() {
    let site = site().await;
    let elsewhere = tempfile::tempdir().unwrap();
    own(&elsewhere.path().join("tls"));
    let other = elsewhere.path().join("tls/certificate.pem");
    assert!(connect(&site, &other, "localhost").await.is_err());
    let pinned = site.world.sandbox.data().join("tls/certificate.pem");
    assert!(connect(&site, &pinned, "evil.example").await.is_err());
    assert!(connect(&site, &pinned, "localhost").await.is_ok());
}

#[tokio::test]
async fn a_wrong_host_or_a_page_without_tls_is_refused_over_tls_too() {
    let site = site().await;
    let port = site.address.port();
    for host in ["evil.example", &format!("evil.example:{port}"), "localhost"] {
        let answer = ask(&site, "/api/v1/status", host).await;
        assert!(answer.starts_with("http/1.1 403"), "{host}: {answer}");
        assert!(answer.contains("wrong_host"), "{host}: {answer}");
    }
    let own = format!("localhost:{port}");
    for (origin, status) in [
        (format!("http://localhost:{port}"), "403"),
        (format!("https://localhost:{port}"), "200"),
        ("null".to_owned(), "403"),
    ] {
        let host = format!("{own}\r\nOrigin: {origin}");
        let answer = ask(&site, "/api/v1/status", &host).await;
        let expected = format!("http/1.1 {status}");
        assert!(answer.starts_with(&expected), "{origin}: {answer}");
    }
}

#[tokio::test]
async fn who_speaks_no_tls_is_not_answered() {
    let site = site().await;
    let mut plain = TcpStream::connect(site.address).await.unwrap();
    let request = format!("GET /healthz HTTP/1.1\r\nHost: {}\r\n\r\n", site.address);
    plain.write_all(request.as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    let reading = plain.read_to_end(&mut answer);
    timeout(LIMIT, reading).await.expect("it ends").ok();
    assert!(!answer.starts_with(b"HTTP"), "{answer:?}");
}
