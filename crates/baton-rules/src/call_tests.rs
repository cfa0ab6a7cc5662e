use super::*;

#[test]
fn a_host_is_told_only_where_everyone_reads_it_alike() {
    let check =
        |url: &str, expected: Option<&str>| assert_eq!(host(url).as_deref(), expected, "{url}");
    check("https://example.org", Some("example.org"));
    check("HTTP://Example.ORG./x?y#z", Some("example.org"));
    check("https://example.org:8443/x", Some("example.org"));
    check("https://[::1]:80/", Some("[::1]"));
    for odd in [
        "https://example.org@evil.com/",
        "https://user:pw@example.org",
        "https://evil.com\\@example.org",
        "ftp://example.org",
        "https:/example.org",
        "https:///x",
        "//example.org",
        "https://exa mple.org",
        "https://example.org:x/",
        "https://ex%61mple.org",
        "https://éxample.org",
        "https://example.org\n.evil.com",
        "javascript:alert(1)",
        "https://example.org/a\\b",
        "https://example.org/\u{1}",
        "",
    ] {
        check(odd, None);
    }
}
