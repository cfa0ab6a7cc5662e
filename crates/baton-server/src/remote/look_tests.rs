use super::*;

const PICTURE: &str = "https://cdn.discordapp.com/a/b/cat.png?ex=1&hm=2";

fn look(url: &str) -> Result<Kept, RemoteError> {
    Remote::default().look(url, "", None)
}

#[test]
fn addresses_other_than_plain_https_are_refused() {
    for url in [
        "http://cdn.discordapp.com/a.png",
        "ftp://cdn.discordapp.com/a.png",
        "file:///etc/passwd.png",
        "//cdn.discordapp.com/a.png",
        "cdn.discordapp.com/a.png",
        "/a.png",
        "",
        "https://",
        "https:///a.png",
        "https://me@cdn.discordapp.com/a.png",
        "https://me:secret@cdn.discordapp.com/a.png",
        "https://cdn.discordapp.com@evil.example/a.png",
        "https://cdn.discordapp.com:80/a.png",
        "https://cdn.discordapp.com:8443/a.png",
        "https://cdn.discordapp.com:/a.png",
        "https://cdn.discordapp.com\\@evil.example/a.png",
        "https://cdn.discordapp.com/a b.png",
        "https://cdn.discordapp.com/a\r\nHost:x.png",
        "https://cdn.discordapp.com/\u{202e}a.png",
        "https://127.0.0.1/a.png",
        "https://162.159.130.233/a.png",
        "https://2130706433/a.png",
        "https://0x7f000001/a.png",
        "https://0X7F.1/a.png",
        "https://0x7f.0x1/a.png",
        "https://0177.0.0.1/a.png",
        "https://017700000001/a.png",
        "https://127.1/a.png",
        "https://127.0.0.1./a.png",
        "https://[::1]/a.png",
        "https://[::ffff:127.0.0.1]/a.png",
    ] {
        let seen = look(url);
        assert!(
            matches!(seen, Err(RemoteError::Address { .. })),
            "{url}: {seen:?}"
        );
    }
    let long = format!("https://cdn.discordapp.com/{}.png", "a".repeat(5000));
    assert!(matches!(look(&long), Err(RemoteError::Address { .. })));
}

#[test]
fn numbers_are_refused_even_if_the_list_has_them() {
    let remote = Remote::from_hosts(["127.0.0.1".to_owned(), "[::1]".to_owned()]);
    for url in ["https://127.0.0.1/a.png", "https://[::1]/a.png"] {
        let seen = remote.look(url, "", None);
        assert!(
            matches!(seen, Err(RemoteError::Address { .. })),
            "{url}: {seen:?}"
        );
    }
}

#[test]
fn images_of_other_hosts_are_refused_with_what_to_do() {
    let hosts = "evil.example localhost cdn.discordapp.com.evil.example evil-cdn.discordapp.com
        x.cdn.discordapp.com cdn.discordapp.com. discordapp.com";
    for host in hosts.split_whitespace() {
        let refused = look(&format!("https://{host}/a.png")).unwrap_err();
        assert!(
            matches!(refused, RemoteError::Host { .. }),
            "{host}: {refused:?}"
        );
        assert!(refused.hint().contains("Download the image"));
    }
    for url in [
        "https://CDN.discordapp.com/a.PNG",
        "https://cdn.discordapp.com:443/a.jpeg",
        "HTTPS://media.discordapp.net/a.webp?width=3",
    ] {
        assert!(matches!(look(url), Ok(Kept::Image(_))), "{url}");
    }
    let own = Remote::from_hosts(["Images.example".to_owned()]);
    assert!(matches!(
        own.look("https://images.example/a.gif", "", None),
        Ok(Kept::Image(_))
    ));
    assert!(own.look(PICTURE, "", None).is_err());
}

#[test]
fn what_is_no_image_is_left_as_its_address() {
    for url in [
        "https://cdn.discordapp.com/a/notes.pdf?x=1",
        "https://evil.example/notes.txt",
        "https://example.org/",
    ] {
        let Ok(Kept::Address(line)) = look(url) else {
            panic!("{url}");
        };
        assert!(line.ends_with(&format!(" at {url}")), "{line}");
    }
    let url = "https://cdn.discordapp.com/a/1";
    let named = Remote::default().look(url, "no\ntes\u{7}.txt", None);
    let wanted = Kept::Address(format!("Attached: notes.txt at {url}"));
    assert_eq!(named.unwrap(), wanted);
    let cut = Remote::default().look(url, &"n".repeat(300), None);
    assert_eq!(
        cut.unwrap(),
        Kept::Address(format!("Attached: {} at {url}", "n".repeat(100)))
    );
}

#[test]
fn a_given_type_comes_before_names_and_both_before_the_path() {
    let remote = Remote::default();
    let bare = "https://cdn.discordapp.com/a/1";
    for (url, name, media_type, image) in [
        (bare, "", None, false),
        (bare, "cat.png", None, true),
        (bare, "", Some("image/webp; q=1"), true),
        (bare, "", Some("image/svg+xml"), false),
        (PICTURE, "", Some("application/pdf"), false),
        (PICTURE, "", Some("application/octet-stream"), true),
    ] {
        let kept = remote.look(url, name, media_type).unwrap();
        let is_image = matches!(kept, Kept::Image(_));
        assert_eq!(is_image, image, "{url} {name} {media_type:?}");
    }
}
