use super::*;

#[test]
fn browsers_are_told_to_use_tls_only_for_a_name_of_ours() {
    #[track_caller]
    fn check(tls: bool, host: &'static str, expected: Transport) {
        let value = HeaderValue::from_static(host);
        assert_eq!(Transport::of(tls, Some(&value)), expected, "{host}");
    }
    check(false, "baton.example", Transport::Plain);
    check(false, "localhost:2633", Transport::Plain);
    check(true, "baton.example", Transport::TlsByName);
    check(true, "baton.example:2633", Transport::TlsByName);
    check(true, "localhost:2633", Transport::TlsHere);
    check(true, "LOCALHOST", Transport::TlsHere);
    check(true, "127.0.0.1:2633", Transport::TlsHere);
    check(true, "192.0.2.7", Transport::TlsHere);
    check(true, "[2001:db8::1]:2633", Transport::TlsHere);
    check(true, "[2001:db8::1]", Transport::TlsHere);
}

#[test]
fn a_long_path_is_cut_in_the_log() {
    assert_eq!(LoggedRequest::path("/api/v1/status"), "/api/v1/status");
    let long = format!("/{}", "é".repeat(1000));
    let shown = LoggedRequest::path(&long);
    assert_eq!(shown.chars().count(), MOST_PATH + 1);
    assert!(shown.ends_with('…') && long.starts_with(shown.trim_end_matches('…')));
}
