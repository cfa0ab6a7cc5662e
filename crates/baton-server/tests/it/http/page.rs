//! The page's files: kept by browsers, compressed, and never somebody else's.

use super::client::Site;

/// The paths of a page's own scripts and styles.
fn assets(page: &str) -> Vec<String> {
    let mut rest = page;
    let mut found = Vec::new();
    while let Some(at) = rest.find("/assets/") {
        rest = &rest[at..];
        let end = rest.find(['"', '\'', ' ', '>']).unwrap();
        found.push(rest[..end].to_owned());
        rest = &rest[end..];
    }
    assert!(!found.is_empty(), "{page}");
    found
}

#[tokio::test]
async fn files_of_the_page_are_kept_by_their_tag_and_come_compressed() {
    let site = Site::new().await;
    let page = site.ask("GET", "/").bearer("").send().await;
    assert_eq!(page.header("cache-control"), "no-cache");
    let text = String::from_utf8(page.body.to_vec()).unwrap();
    let mut paths = assets(&text);
    paths.push("/".to_owned());
    for path in paths {
        let ask = || site.ask("GET", &path).bearer("");
        let plain = ask().send().await;
        assert_eq!(plain.status, 200, "{path}");
        let etag = plain.header("etag").to_owned();
        assert!(etag.starts_with('"') && etag.ends_with('"'), "{path}");
        assert!(plain.header("vary").contains("accept-encoding"), "{path}");
        let forever = plain.header("cache-control").contains("immutable");
        assert_eq!(forever, path.starts_with("/assets/"), "{path}");

        for known in [etag.clone(), format!("W/{etag}"), format!("\"x\", {etag}")] {
            let again = ask().header("if-none-match", &known).send().await;
            assert_eq!(again.status, 304, "{path} {known}");
            assert!(again.body.is_empty(), "{path}");
            assert_eq!(again.header("etag"), etag, "{path}");
            assert!(!again.header("content-security-policy").is_empty());
        }
        let other = ask().header("if-none-match", "\"x\"").send().await;
        assert_eq!(other.status, 200, "{path}");

        let brotli = ask().header("accept-encoding", "gzip, br").send().await;
        let text = path.ends_with(".js") || path.ends_with(".css") || path == "/";
        if text && plain.body.len() > 2000 {
            assert_eq!(brotli.header("content-encoding"), "br", "{path}");
            assert!(brotli.body.len() < plain.body.len(), "{path}");
            let gzip = ask().header("accept-encoding", "br;q=0, gzip").send().await;
            assert_eq!(gzip.header("content-encoding"), "gzip", "{path}");
            assert_eq!(gzip.body[..2], [0x1f, 0x8b], "{path}");
        }
    }
}

#[tokio::test]
async fn what_is_no_file_of_the_page_is_not_made_one() {
    let site = Site::new().await;
    for path in [
        "/assets/nothing.js",
        "/assets/../index.html",
        "/assets/%2e%2e/index.html",
        "/..%2f..%2fetc%2fpasswd",
        "/index.html%00.js",
    ] {
        let answer = site.ask("GET", path).bearer("").send().await;
        assert!(
            matches!(answer.status, 400 | 404),
            "{path}: {}",
            answer.status
        );
    }
    // The page itself never runs what an address says.
    let page = site.ask("GET", "/p/%3Cscript%3E/").bearer("").send().await;
    assert!(!String::from_utf8_lossy(&page.body).contains("%3Cscript"));
}
