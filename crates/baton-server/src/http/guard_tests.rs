use super::*;

const LOCAL: &str = "127.0.0.1:2633";

#[track_caller]
fn check(hosts: &Hosts, host: &str, origin: Option<&str>, local: &str) -> Option<ProblemCode> {
    let mut headers = HeaderMap::new();
    headers.insert(header::HOST, host.parse().unwrap());
    if let Some(origin) = origin {
        headers.insert(header::ORIGIN, origin.parse().unwrap());
    }
    let local = local.parse().unwrap();
    let checked = hosts.check(&Uri::from_static("/api/v1/status"), &headers, local);
    checked.err().map(|problem| problem.code)
}

fn plain() -> Hosts {
    Hosts::new(2633, false, &[]).unwrap()
}

#[test]
fn loopback_names_with_the_right_port_are_the_daemons() {
    for host in [
        "localhost:2633",
        "127.0.0.1:2633",
        "[::1]:2633",
        "LOCALHOST:2633",
    ] {
        assert_eq!(check(&plain(), host, None, LOCAL), None, "{host}");
    }
}

#[test]
fn every_other_name_is_refused() {
    for host in [
        "localhost",
        "localhost:2634",
        "localhost.:2633",
        "evil.example:2633",
        "127.0.0.1.nip.io:2633",
        "127.0.0.2:2633",
        "127.1:2633",
        "2130706433:2633",
        "0.0.0.0:2633",
        "localhost:2633:2633",
        "localhost:+2633",
        "user@localhost:2633",
        "[::ffff:10.0.0.1]:2633",
        "",
    ] {
        let refused = check(&plain(), host, None, LOCAL);
        assert_eq!(refused, Some(ProblemCode::WrongHost), "{host}");
    }
}

#[test]
fn the_address_that_was_reached_is_the_daemons_own() {
    let local = "192.168.1.5:2633";
    assert_eq!(check(&plain(), "192.168.1.5:2633", None, local), None);
    let other = check(&plain(), "192.168.1.6:2633", None, local);
    assert_eq!(other, Some(ProblemCode::WrongHost));
    let mapped = "[::ffff:192.168.1.5]:2633";
    assert_eq!(check(&plain(), "192.168.1.5:2633", None, mapped), None);
}

#[test]
fn only_the_same_scheme_host_and_port_may_ask() {
    let host = "localhost:2633";
    assert_eq!(
        check(&plain(), host, Some("http://localhost:2633"), LOCAL),
        None
    );
    for origin in [
        "null",
        "",
        "http://localhost:3000",
        "http://localhost",
        "https://localhost:2633",
        "http://127.0.0.1:2633",
        "http://evil.example:2633",
        "http://localhost:2633.evil.example",
        "http://localhost:2633/",
        "http://localhost:2633@evil.example",
        "chrome-extension://abcdef",
        "file://",
    ] {
        let refused = check(&plain(), host, Some(origin), LOCAL);
        assert_eq!(refused, Some(ProblemCode::ForeignOrigin), "{origin}");
    }
}

#[test]
fn a_public_address_counts_with_its_own_scheme_and_default_port() {
    let urls = ["https://baton.example/".to_owned()];
    let hosts = Hosts::new(2633, false, &urls).unwrap();
    let host = "baton.example";
    assert_eq!(check(&hosts, host, None, LOCAL), None);
    assert_eq!(check(&hosts, "baton.example:443", None, LOCAL), None);
    assert_eq!(
        check(&hosts, host, Some("https://baton.example"), LOCAL),
        None
    );
    let plain = check(&hosts, host, Some("http://baton.example"), LOCAL);
    assert_eq!(plain, Some(ProblemCode::ForeignOrigin));
    let port = check(&hosts, "baton.example:2633", None, LOCAL);
    assert_eq!(port, Some(ProblemCode::WrongHost));
}

#[test]
fn two_hosts_or_none_are_refused() {
    let hosts = plain();
    let uri = Uri::from_static("/");
    let local = LOCAL.parse().unwrap();
    let mut headers = HeaderMap::new();
    assert!(hosts.check(&uri, &headers, local).is_err());
    headers.append(header::HOST, "localhost:2633".parse().unwrap());
    assert!(hosts.check(&uri, &headers, local).is_ok());
    headers.append(header::HOST, "localhost:2633".parse().unwrap());
    assert!(hosts.check(&uri, &headers, local).is_err());
}

#[test]
fn a_whole_address_in_the_request_line_must_be_the_hosts() {
    let hosts = plain();
    let local = LOCAL.parse().unwrap();
    let mut headers = HeaderMap::new();
    headers.append(header::HOST, "localhost:2633".parse().unwrap());
    let evil = Uri::from_static("http://evil.example/api/v1/status");
    assert!(hosts.check(&evil, &headers, local).is_err());
}

#[test]
fn what_is_no_address_is_no_public_address() {
    for url in [
        "baton.example",
        "ftp://baton.example",
        "https://",
        "https://a/b",
    ] {
        assert!(Hosts::new(1, false, &[url.to_owned()]).is_err(), "{url}");
    }
}
