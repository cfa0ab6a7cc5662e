//! Names that are not the daemon's, and pages that are not its own.

use baton_testkit::LIMIT;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
    time::timeout,
};
use tokio_tungstenite::tungstenite;

use super::client::Site;

/// Names that an attacker points at this machine, and spellings of its address
/// that nobody uses by accident.
fn rebinding(port: u16) -> Vec<String> {
    let names: Vec<&str> = "evil.example, localhost.evil.example, 127.0.0.1.nip.io, \
        evil.localhost, baton.local, 0.0.0.0, [::], 127.1, 2130706433, 0x7f000001, 0177.0.0.1, \
        127.0.0.2, localhost., user@localhost, localhost:80@evil.example"
        .split(", ")
        .collect();
    let mut hosts: Vec<String> = names.iter().map(|name| format!("{name}:{port}")).collect();
    // The right name and a wrong port, or none.
    hosts.extend(["127.0.0.1".to_owned(), "127.0.0.1:1".to_owned()]);
    hosts.push(format!("127.0.0.1:{port}0"));
    hosts
}

/// Pages that are not the daemon's, when it is asked as 127.0.0.1.
fn foreign(port: u16) -> Vec<String> {
    vec![
        "null".into(),
        "file://".into(),
        // Another port of the same host.
        "http://127.0.0.1".into(),
        "http://127.0.0.1:1".into(),
        format!("http://127.0.0.1:{}", port ^ 1),
        // The same port of another.
        format!("http://evil.example:{port}"),
        format!("http://localhost:{port}"),
        format!("http://[::1]:{port}"),
        format!("http://127.0.0.1.evil.example:{port}"),
        // Another scheme, more than an origin, and two of them.
        format!("https://127.0.0.1:{port}"),
        format!("http://127.0.0.1:{port}/"),
        format!("http://127.0.0.1:{port}@evil.example"),
        format!("http://127.0.0.1:{port} http://evil.example"),
        "chrome-extension://abcdefghijklmnopabcdefghijklmnop".into(),
    ]
}

/// Paths that stand for each kind: for anyone, signed, changing, the page.
const PATHS: [(&str, &str); 5] = [
    ("GET", "/"),
    ("GET", "/healthz"),
    ("GET", "/api/v1/status"),
    ("POST", "/api/v1/auth/login"),
    ("POST", "/api/v1/projects/scan"),
];

#[tokio::test]
async fn a_name_that_was_pointed_at_this_machine_is_not_its_own() {
    let site = Site::new().await;
    let port = site.address.port();
    for host in rebinding(port) {
        for (method, path) in PATHS {
            let answer = site.ask(method, path).header("host", &host).send().await;
            let refused = (403, "wrong_host".to_owned());
            assert_eq!(answer.problem(), refused, "{method} {path} {host}");
        }
        if host.contains('@') {
            continue;
        }
        for path in ["/api/v1/ws", "/p/x/ws"] {
            let refused = site.upgrade_at(path, &[("host", &host)]).await;
            let Err(tungstenite::Error::Http(response)) = refused else {
                panic!("{path} was opened as {host}");
            };
            assert_eq!(response.status(), 403, "{path} {host}");
        }
    }
    for host in ["localhost", "LocalHost", "[::1]", "127.0.0.1"] {
        let host = format!("{host}:{port}");
        let answer = site.ask("GET", "/healthz").header("host", &host).send();
        assert_eq!(answer.await.status, 200, "{host}");
    }
}

#[tokio::test]
async fn a_page_of_another_origin_may_ask_nothing() {
    let site = Site::new().await;
    for origin in foreign(site.address.port()) {
        for (method, path) in PATHS {
            let ask = site.ask(method, path).header("origin", &origin);
            let answer = ask.send().await;
            let refused = (403, "foreign_origin".to_owned());
            assert_eq!(answer.problem(), refused, "{method} {path} {origin}");
            assert_eq!(answer.header("access-control-allow-origin"), "");
        }
        for path in ["/api/v1/ws", "/p/x/ws"] {
            let refused = site.upgrade_at(path, &[("origin", &origin)]).await;
            let Err(tungstenite::Error::Http(response)) = refused else {
                panic!("{path} was opened by {origin}");
            };
            assert_eq!(response.status(), 403, "{path} {origin}");
        }
    }
    // A browser asks first whether it may ask.
    let asking = site
        .ask("OPTIONS", "/api/v1/status")
        .header("origin", "https://evil.example")
        .header("access-control-request-method", "GET");
    assert_eq!(asking.send().await.problem().0, 403);
}

/// The status line of a request as it is sent, byte by byte.
async fn raw(site: &Site, target: &str, headers: &[String]) -> String {
    let mut stream = TcpStream::connect(site.address).await.unwrap();
    let headers = headers.join("\r\n");
    let token = &site.token;
    let text = format!(
        "GET {target} HTTP/1.1\r\n{headers}\r\nAuthorization: Bearer {token}\r\nConnection: close\r\n\r\n"
    );
    stream.write_all(text.as_bytes()).await.unwrap();
    let mut answer = String::new();
    let reading = stream.read_to_string(&mut answer);
    timeout(LIMIT, reading).await.unwrap().unwrap();
    answer.lines().next().unwrap_or_default().to_owned()
}

#[tokio::test]
async fn a_request_that_names_two_addresses_or_pages_is_for_neither() {
    let site = Site::new().await;
    let own = site.address.to_string();
    let host = format!("Host: {own}");
    let evil = "Host: evil.example".to_owned();
    let page = format!("Origin: http://{own}");
    let foreign = "Origin: https://evil.example".to_owned();
    let path = "/api/v1/status";
    let here = format!("http://{own}{path}");
    for (target, headers) in [
        (path, vec![host.clone(), evil.clone()]),
        (path, vec![evil.clone(), host.clone()]),
        (path, vec![host.clone(), host.clone()]),
        (path, vec![host.clone(), page.clone(), foreign.clone()]),
        (path, vec![host.clone(), foreign, page.clone()]),
        // What a proxy would go by, and what the Host says.
        (here.as_str(), vec![evil]),
        ("http://evil.example/api/v1/status", vec![host.clone()]),
    ] {
        let status = raw(&site, target, &headers).await;
        assert!(status.contains(" 403 "), "{target} {headers:?}: {status}");
    }
    for target in [path, &here] {
        let status = raw(&site, target, &[host.clone(), page.clone()]).await;
        assert!(status.contains(" 200 "), "{target}: {status}");
    }
}

#[tokio::test]
async fn two_credentials_are_none() {
    let site = Site::new().await;
    let host = format!("Host: {}", site.address);
    let own = format!("Authorization: Bearer {}", site.token);
    for second in [own.as_str(), "Authorization: Bearer wrong"] {
        let headers = [host.clone(), second.to_owned()];
        let status = raw(&site, "/api/v1/status", &headers).await;
        assert!(status.contains(" 401 "), "{second}: {status}");
    }
}
