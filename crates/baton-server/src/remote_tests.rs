use std::{
    error::Error as _,
    net::{IpAddr, Ipv4Addr},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use baton_session::attachments::{AttachmentError, accept};
use rcgen::{CertificateParams, KeyPair};
use rustls::{RootCertStore, ServerConfig, crypto::ring as provider, pki_types::PrivateKeyDer};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpListener,
    sync::OnceCell,
    task::JoinSet,
};
use tokio_rustls::TlsAcceptor;

use super::*;

const HOST: &str = "cdn.discordapp.com";
const PICTURE: &str = "https://cdn.discordapp.com/a/b/cat.png?ex=1&hm=2";
/// Long enough for a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// A host on loopback that gives everyone the same answer.
struct Server {
    port: u16,
    roots: RootCertStore,
    /// How many came.
    met: Arc<AtomicUsize>,
    _tasks: JoinSet<()>,
}

/// What the server does after its answer.
#[derive(Clone, Copy, PartialEq)]
enum Then {
    Close,
    Wait,
}

impl Server {
    async fn answering(answer: Vec<u8>) -> Self {
        Self::new(HOST, answer, Then::Close).await
    }

    async fn new(name: &str, answer: Vec<u8>, then: Then) -> Self {
        let key = KeyPair::generate().unwrap();
        let params = CertificateParams::new(vec![name.to_owned()]).unwrap();
        let certificate = params.self_signed(&key).unwrap().der().clone();
        let mut roots = RootCertStore::empty();
        roots.add(certificate.clone()).unwrap();
        let key = PrivateKeyDer::try_from(key.serialize_der()).unwrap();
        let config = ServerConfig::builder_with_provider(Arc::new(provider::default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![certificate], key)
            .unwrap();
        let acceptor = TlsAcceptor::from(Arc::new(config));
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let met = Arc::new(AtomicUsize::new(0));
        let mut tasks = JoinSet::new();
        let count = Arc::clone(&met);
        tasks.spawn(async move {
            loop {
                let (tcp, _) = listener.accept().await.unwrap();
                count.fetch_add(1, Ordering::SeqCst);
                let Ok(mut tls) = acceptor.accept(tcp).await else {
                    continue;
                };
                let mut head = Vec::new();
                while !head.ends_with(b"\r\n\r\n") {
                    match tls.read_u8().await {
                        Ok(byte) => head.push(byte),
                        Err(_) => break,
                    }
                }
                // Who was told enough may be gone.
                tls.write_all(&answer).await.ok();
                tls.flush().await.ok();
                if then == Then::Wait {
                    std::future::pending::<()>().await;
                }
                tls.shutdown().await.ok();
            }
        });
        Self {
            port,
            roots,
            met,
            _tasks: tasks,
        }
    }

    /// Whatever the name, it is here; only loopback may be connected to.
    fn remote(&self) -> Remote {
        Remote {
            limit: PATIENCE,
            net: Net {
                lookup: found(&["127.0.0.1"]),
                may_connect: |address| address.is_loopback(),
                port: self.port,
                roots: OnceCell::new_with(Some(net::client(self.roots.clone()).unwrap())),
            },
            ..Remote::default()
        }
    }

    fn met(&self) -> usize {
        self.met.load(Ordering::SeqCst)
    }
}

fn found(addresses: &[&str]) -> Box<dyn Fn(&str) -> net::Addresses + Send + Sync> {
    let addresses: Vec<IpAddr> = addresses.iter().map(|one| one.parse().unwrap()).collect();
    Box::new(move |_| Box::pin(std::future::ready(Ok(addresses.clone()))))
}

fn answer(head: &str, body: &[u8]) -> Vec<u8> {
    let mut answer = format!("HTTP/1.1 {head}\r\n\r\n").into_bytes();
    answer.extend_from_slice(body);
    answer
}

fn ok(media_type: &str, body: &[u8]) -> Vec<u8> {
    let length = body.len();
    answer(
        &format!("200 OK\r\nContent-Type: {media_type}\r\nContent-Length: {length}"),
        body,
    )
}

fn png() -> Vec<u8> {
    let mut bytes = b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR".to_vec();
    bytes.extend_from_slice(&[0, 0, 0, 3, 0, 0, 0, 2, 8, 2, 0, 0, 0]);
    bytes
}

async fn fetch(remote: &Remote, url: &str) -> Result<Incoming, RemoteError> {
    fetch_within(remote, url, &mut remote.allowance()).await
}

async fn fetch_within(
    remote: &Remote,
    url: &str,
    allowance: &mut Allowance,
) -> Result<Incoming, RemoteError> {
    match remote.look(url, "", None)? {
        Kept::Image(link) => remote.fetch(&link, allowance).await,
        Kept::Address(line) => panic!("not to be fetched: {line}"),
    }
}

#[tokio::test]
async fn an_image_of_an_allowed_host_is_fetched_with_its_name_and_type() {
    let server = Server::answering(ok("image/png", &png())).await;
    let file = fetch(&server.remote(), PICTURE).await.unwrap();
    assert_eq!(file.name, "cat.png");
    assert_eq!(file.media_type.as_deref(), Some("image/png"));
    let taken = accept(vec![file]).unwrap();
    assert_eq!(taken[0].bytes, png());
    assert_eq!(taken[0].media_type, "image/png");
}

#[tokio::test]
async fn an_image_without_length_or_type_is_known_by_its_name_and_bytes() {
    let server = Server::answering(answer("200 OK\r\nConnection: close", &png())).await;
    let file = fetch(&server.remote(), PICTURE).await.unwrap();
    assert_eq!(file.media_type, None);
    assert_eq!(accept(vec![file]).unwrap()[0].media_type, "image/png");
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    let server = Server::answering(answer(
        "302 Found\r\nLocation: https://cdn.discordapp.com/other.png\r\nContent-Length: 0",
        b"",
    ))
    .await;
    let refused = fetch(&server.remote(), PICTURE).await.unwrap_err();
    assert!(
        matches!(refused, RemoteError::Redirect { .. }),
        "{refused:?}"
    );
    assert_eq!(server.met(), 1);
}

#[tokio::test]
async fn an_answer_that_is_not_ok_is_told_with_its_status() {
    let server = Server::answering(answer("404 Not Found\r\nContent-Length: 0", b"")).await;
    let refused = fetch(&server.remote(), PICTURE).await.unwrap_err();
    assert!(
        matches!(refused, RemoteError::Status { status: 404, .. }),
        "{refused:?}"
    );
}

#[tokio::test]
async fn an_image_that_is_too_large_by_its_header_is_not_read() {
    let head = format!("200 OK\r\nContent-Length: {}", MAX_FILE + 1);
    // The body never comes, so that only the header can have been looked at.
    let server = Server::new(HOST, answer(&head, b""), Then::Wait).await;
    let refused = fetch(&server.remote(), PICTURE).await.unwrap_err();
    assert!(
        matches!(refused, RemoteError::TooLarge { most: MAX_FILE, .. }),
        "{refused:?}"
    );
}

#[tokio::test]
async fn an_image_that_is_too_large_by_its_bytes_is_dropped() {
    let body = [png(), vec![0; 100]].concat();
    let server = Server::answering(answer("200 OK\r\nConnection: close", &body)).await;
    let remote = server.remote();
    let mut allowance = remote.allowance();
    allowance.take(MAX_ALL - 100);
    let refused = fetch_within(&remote, PICTURE, &mut allowance).await;
    let refused = refused.unwrap_err();
    assert!(
        matches!(refused, RemoteError::TooLarge { most: 100, .. }),
        "{refused:?}"
    );
}

#[tokio::test]
async fn the_images_of_a_message_share_their_room() {
    let server = Server::answering(ok("image/png", &png())).await;
    let remote = server.remote();
    let mut allowance = remote.allowance();
    allowance.take(MAX_ALL - png().len());
    let first = fetch_within(&remote, PICTURE, &mut allowance).await;
    first.unwrap();
    let second = fetch_within(&remote, PICTURE, &mut allowance).await;
    let second = second.unwrap_err();
    assert!(
        matches!(second, RemoteError::TooLarge { most: 0, .. }),
        "{second:?}"
    );
}

#[tokio::test]
async fn what_is_no_image_by_its_bytes_or_its_type_is_refused() {
    for reply in [
        ok("image/png", b"<html>secret</html>"),
        ok("text/html", b"<html>secret</html>"),
        ok("text/plain", &png()),
        ok("application/octet-stream", b"plain text"),
    ] {
        let server = Server::answering(reply).await;
        let refused = fetch(&server.remote(), PICTURE).await.unwrap_err();
        assert!(
            matches!(refused, RemoteError::NoImage { .. }),
            "{refused:?}"
        );
    }
    let server = Server::answering(ok("image/gif", &png())).await;
    let file = fetch(&server.remote(), PICTURE).await.unwrap();
    let refused = accept(vec![file]).unwrap_err();
    assert!(matches!(refused, AttachmentError::Mismatch { .. }));
}

#[tokio::test]
async fn a_packed_answer_is_refused() {
    let server = Server::answering(answer(
        "200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 2",
        b"\x1f\x8b",
    ))
    .await;
    let refused = fetch(&server.remote(), PICTURE).await.unwrap_err();
    assert!(matches!(refused, RemoteError::Packed { .. }), "{refused:?}");
}

#[tokio::test]
async fn an_answer_that_breaks_off_is_refused() {
    let head = "200 OK\r\nContent-Type: image/png\r\nContent-Length: 1000";
    let server = Server::answering(answer(head, &png())).await;
    let refused = fetch(&server.remote(), PICTURE).await.unwrap_err();
    assert!(matches!(refused, RemoteError::Broken { .. }), "{refused:?}");
}

#[tokio::test]
async fn a_host_that_does_not_finish_is_given_up() {
    let head = "200 OK\r\nContent-Type: image/png\r\nContent-Length: 1000";
    let server = Server::new(HOST, answer(head, &png()), Then::Wait).await;
    let remote = Remote {
        limit: Duration::from_millis(300),
        ..server.remote()
    };
    let refused = fetch(&remote, PICTURE).await.unwrap_err();
    assert!(
        matches!(refused, RemoteError::TooSlow { .. }),
        "{refused:?}"
    );
}

#[tokio::test]
async fn a_certificate_for_another_name_or_of_nobody_is_refused() {
    let other = Server::new("other.example", ok("image/png", &png()), Then::Close).await;
    let refused = fetch(&other.remote(), PICTURE).await.unwrap_err();
    assert!(matches!(refused, RemoteError::Tls { .. }), "{refused:?}");

    let server = Server::answering(ok("image/png", &png())).await;
    let mut remote = server.remote();
    remote.net.roots = OnceCell::new_with(Some(net::client(RootCertStore::empty()).unwrap()));
    let refused = fetch(&remote, PICTURE).await.unwrap_err();
    assert!(refused.source().is_some());
    assert!(matches!(refused, RemoteError::Tls { .. }), "{refused:?}");
}

#[tokio::test]
async fn a_name_that_leads_inside_is_never_connected_to() {
    let server = Server::answering(ok("image/png", &png())).await;
    let mut remote = server.remote();
    remote.net.may_connect = address::is_public;
    let refused = fetch(&remote, PICTURE).await.unwrap_err();
    assert!(
        matches!(refused, RemoteError::NotPublic { .. }),
        "{refused:?}"
    );
    assert_eq!(server.met(), 0);
}

#[tokio::test]
async fn one_bad_address_among_good_ones_refuses_them_all() {
    let server = Server::answering(ok("image/png", &png())).await;
    for addresses in [["127.0.0.1", "10.0.0.1"], ["10.0.0.1", "127.0.0.1"]] {
        let mut remote = server.remote();
        remote.net.lookup = found(&addresses);
        let refused = fetch(&remote, PICTURE).await.unwrap_err();
        let RemoteError::NotPublic { address, .. } = refused else {
            panic!("{refused:?}");
        };
        assert_eq!(address.to_string(), "10.0.0.1");
    }
    assert_eq!(server.met(), 0);
}

#[tokio::test]
async fn a_name_without_addresses_is_not_found() {
    let server = Server::answering(Vec::new()).await;
    let mut remote = server.remote();
    remote.net.lookup = found(&[]);
    let refused = fetch(&remote, PICTURE).await.unwrap_err();
    assert!(matches!(refused, RemoteError::Lookup { .. }), "{refused:?}");
}
