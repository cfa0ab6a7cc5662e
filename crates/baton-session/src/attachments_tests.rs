use base64::{Engine, prelude::BASE64_STANDARD};
use proptest::prelude::*;

use super::*;

/// Small images of every form, each up to where its size stands.
const PNG: &str = "iVBORw0KGgoAAAANSUhEUgAAAAMAAAACCAIAAAASFvFNAAAAFUlEQVR4nGM8IafBwMDAwMDAxAADABPYARJY7Kp/AAAAAElFTkSuQmCC";
const JPEG: &str = "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAP//////////////////////////////////////////////////////////////////////////////////////wAALCAACAAMBAREA";
const PROGRESSIVE: &str = "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAP//////////////////////////////////////////////////////////////////////////////////////wgALCAAHASwBAREA";
/// Its comment looks like a frame.
const COMMENTED: &str = "/9j/4AAQSkZJRgABAQAAAQABAAD//gAJ/8AgZmFrZf/bAEMA///////////////////////////////////////////////////////////////////////////////////////AAAsIAAIAAwEBEQD/";
const GIF: &str = "R0lGODdhAwACAIEAAMgeKAAAAAAAAAAAACwAAAAAAwACAAAIBgABCBwYEAA7";
const LOSSY: &str = "UklGRi4AAABXRUJQVlA4ICIAAABwAQCdASoFAAQADMDOJaACdAFAAAD+2iYLtH4u7EcZJAAA";
const LOSSLESS: &str = "UklGRiQAAABXRUJQVlA4TBcAAAAvu8IAAAdQjyIXpf8BICH8Xy9G9D/1AgA=";
const ALPHA: &str = "UklGRmQAAABXRUJQVlA4WAoAAAAQAAAABQAAKwEAQUxQSBAAAAABB1CyiAgACeH/ejGi/6EKVlA4IC4AAACwAwCdASoGACwBP83m8HI/uDMsIagD8DmJaQAADHThw4cOHDhugAD+6WMoAAAA";

fn bytes(text: &str) -> Vec<u8> {
    BASE64_STANDARD.decode(text).unwrap()
}

fn file(name: &str, media_type: Option<&str>, bytes: Vec<u8>) -> Incoming {
    Incoming {
        name: name.into(),
        media_type: media_type.map(str::to_owned),
        content: IncomingContent::Bytes(bytes),
    }
}

#[test]
fn the_size_of_an_image_stands_in_its_header() {
    let size = |text: &str| dimensions(&bytes(text));
    assert_eq!(size(PNG), Some((3, 2)));
    assert_eq!(size(JPEG), Some((3, 2)));
    assert_eq!(size(PROGRESSIVE), Some((300, 7)));
    assert_eq!(size(COMMENTED), Some((3, 2)));
    // A table before the frame, in the frames' range of numbers.
    let mut tabled = bytes(JPEG);
    tabled.splice(2..2, [0xff, 0xff, 0xc4, 0, 5, 9, 9, 9]);
    assert_eq!(dimensions(&tabled), Some((3, 2)));
    assert_eq!(size(GIF), Some((3, 2)));
    assert_eq!(size(LOSSY), Some((5, 4)));
    assert_eq!(size(LOSSLESS), Some((700, 4)));
    assert_eq!(size(ALPHA), Some((6, 300)));
}

#[test]
fn an_image_of_a_tool_is_kept_as_what_it_is_and_never_as_a_page() {
    assert_eq!(output_type("image/png", &bytes(GIF)), "image/gif");
    assert_eq!(output_type("text/html", &bytes(GIF)), "image/gif");
    assert_eq!(output_type("image/BMP", b"BM"), "image/bmp");
    for page in ["text/html", "image/svg+xml", "IMAGE/SVG", ""] {
        assert_eq!(output_type(page, b"<svg/>"), "application/octet-stream");
    }
}

proptest! {
    #[test]
    fn no_bytes_whatever_upset_the_reading_of_headers(
        which in 0..8_usize,
        cut in 0..200_usize,
        changes in proptest::collection::vec((0..200_usize, any::<u8>()), 0..8),
    ) {
        let all = [PNG, JPEG, PROGRESSIVE, COMMENTED, GIF, LOSSY, LOSSLESS, ALPHA];
        let mut image = bytes(all[which]);
        for (at, byte) in changes {
            if let Some(place) = image.get_mut(at) {
                *place = byte;
            }
        }
        image.truncate(cut);
        if let Some((width, height)) = dimensions(&image) {
            prop_assert!(width > 0 && height > 0 && sniff(&image).is_some());
        }
    }

    #[test]
    fn a_cleaned_name_is_short_plain_and_never_empty(name in "\\PC{0,40}|[\\x00-\\x7f]{0,150}") {
        let clean = clean_name(&name);
        prop_assert!((1..=100).contains(&clean.chars().count()));
        prop_assert!(!clean.chars().any(|c| c.is_control() || c == '/' || c == '\\'));
        prop_assert_eq!(clean_name(&clean), clean);
    }

    #[test]
    fn a_cleaned_path_is_short_and_stays_in_its_project(name in "\\PC{0,40}|[./\\\\a: \\x01]{0,30}|[a-c/]{90,130}") {
        let clean = clean_path(&name);
        prop_assert!((1..=100).contains(&clean.chars().count()));
        prop_assert!(!clean.chars().any(|c| c.is_control() || c == '\\'));
        prop_assert!(clean.split('/').all(|part| !matches!(part, "" | "." | "..")), "{}", clean);
        prop_assert_eq!(clean_path(&clean), clean);
    }
}

#[track_caller]
fn taken(name: &str, claimed: Option<&str>, content: Vec<u8>) -> String {
    match accept(vec![file(name, claimed, content)]) {
        Ok(files) => format!("{} as {}", files[0].name, files[0].media_type),
        Err(error) => error.to_string(),
    }
}

#[test]
fn an_image_is_taken_for_what_its_bytes_are_and_a_false_claim_is_refused() {
    let png = || bytes(PNG);
    assert_eq!(taken("a.png", None, png()), "a.png as image/png");
    let wanted = "a.PNG as image/png";
    assert_eq!(taken("a.PNG", Some("Image/PNG; q=1"), png()), wanted);
    let expected = "a.jpeg as image/jpeg";
    assert_eq!(taken("a.jpeg", Some("image/jpg"), bytes(JPEG)), expected);
    // The type counts before the name, and no claim is no lie.
    assert_eq!(taken("photo", None, png()), "photo as image/png");
    let expected = "a.gif as image/png";
    assert_eq!(taken("a.gif", Some("image/png"), png()), expected);
    let expected = "a.jpg cannot be attached: it is given as image/jpeg, but its bytes are PNG";
    assert_eq!(taken("a.jpg", None, png()), expected);
    assert_eq!(
        taken("a.jpg", Some("application/octet-stream"), png()),
        "a.jpg cannot be attached: it is given as image/jpeg, but its bytes are PNG"
    );
    let expected = "a.txt cannot be attached: it is given as text/plain, but its bytes are PNG";
    assert_eq!(taken("a.txt", Some("text/plain"), png()), expected);
    let expected = "a.png cannot be attached: it is given as image/png, but its bytes are text";
    assert_eq!(taken("a.png", None, b"<html>".to_vec()), expected);
    let expected = "a.png cannot be attached: it begins like PNG but has no size";
    assert_eq!(taken("a.png", None, png()[..20].to_vec()), expected);
}

#[test]
fn what_is_no_image_must_be_text() {
    let text = || b"fn main() {}\n".to_vec();
    assert_eq!(taken("main.rs", None, text()), "main.rs as text/plain");
    let wanted = "a.json as application/json";
    assert_eq!(taken("a.json", Some("application/json"), text()), wanted);
    assert_eq!(
        taken("a.svg", Some("image/svg+xml"), b"<svg/>".to_vec()),
        "a.svg as text/plain"
    );
    let wanted = "a.x as text/plain";
    assert_eq!(taken("a.x", Some("no type\u{7}"), text()), wanted);
    let refused = "a cannot be attached: it is neither text nor an image that agents can see";
    assert_eq!(taken("a", None, b"\x7fELF\xff".to_vec()), refused);
    assert_eq!(taken("a", Some("image/bmp"), b"BM\0\0".to_vec()), refused);
    let remote = Incoming {
        name: "a.png".into(),
        media_type: None,
        content: IncomingContent::Url("https://example.org/a.png".into()),
    };
    let error = accept(vec![remote]).unwrap_err();
    assert!(error.to_string().contains("nothing is fetched"), "{error}");
    assert!(error.hint().starts_with("Download"), "{}", error.hint());
}

#[test]
fn limits_are_exact_and_name_the_file_that_breaks_them() {
    let of = |size: usize| file("a.txt", None, vec![b'x'; size]);
    assert!(accept(vec![of(MAX_FILE)]).is_ok());
    let error = accept(vec![of(1), of(MAX_FILE + 1)]).unwrap_err();
    assert_eq!(
        error,
        AttachmentError::TooLarge {
            name: "a-2.txt".into()
        }
    );
    let last = MAX_ALL - 2 * MAX_FILE;
    assert!(accept(vec![of(MAX_FILE), of(MAX_FILE), of(last)]).is_ok());
    let error = accept(vec![of(MAX_FILE), of(MAX_FILE), of(last + 1)]).unwrap_err();
    assert_eq!(
        error,
        AttachmentError::TooLargeInAll {
            name: "a-3.txt".into()
        }
    );
    let many = || (0..).map(|_| of(1));
    assert!(accept(many().take(10).collect()).is_ok());
    let error = accept(many().take(11).collect()).unwrap_err();
    assert_eq!(error, AttachmentError::TooMany { count: 11 });
}

#[test]
fn text_that_grows_on_its_way_is_counted_as_it_will_be() {
    let control = file("a.txt", None, vec![1; 12 << 20]);
    assert!(matches!(
        accept(vec![control]),
        Err(AttachmentError::TooLargeInAll { .. })
    ));
    for text in ["plain", "a \"b\"\\\n\t\r\u{8}\u{c}\u{1}\u{7f}é🙂"] {
        let json = serde_json::to_string(text).unwrap();
        assert_eq!(escaped(text.as_bytes()), json.len() - 2, "{text:?}");
    }
}

#[test]
fn names_lose_folders_and_what_cannot_be_seen() {
    assert_eq!(clean_name("../../etc/passwd"), "passwd");
    assert_eq!(clean_name("C:\\Users\\me\\a.txt"), "a.txt");
    assert_eq!(clean_name("a\u{1b}[31m\n.txt"), "a[31m.txt");
    assert_eq!(clean_name("exe\u{202e}gnp.txt"), "exegnp.txt");
    for empty in ["", "/", "..", "\u{7}", " / "] {
        assert_eq!(clean_name(empty), "file");
    }
    let long = clean_name(&format!("{}.tar.gz", "ü".repeat(200)));
    assert_eq!(long.chars().count(), 100);
    assert_eq!(&long[long.len() - 5..], "ü.gz");
}

#[test]
fn a_path_in_the_project_is_kept_and_any_other_is_not() {
    assert_eq!(clean_path("src/main.rs"), "src/main.rs");
    assert_eq!(clean_path("./src//deep\\a.rs"), "src/deep/a.rs");
    assert_eq!(clean_path("src\u{202e}/a\n.rs"), "src/a.rs");
    for elsewhere in [
        "/etc/a.rs",
        "../a.rs",
        "src/../../a.rs",
        "C:\\x\\a.rs",
        "\\x\\a.rs",
    ] {
        assert_eq!(clean_path(elsewhere), "a.rs", "{elsewhere}");
    }
    assert_eq!(clean_path(&format!("{}/a.rs", "x".repeat(99))), "a.rs");
}

#[test]
fn names_are_unique_within_a_message() {
    let names = ["a.txt", "x/a.txt", "a-2.txt", "", ""];
    let files = names.map(|name| file(name, None, b"x".to_vec()));
    let taken = accept(files.to_vec()).unwrap();
    let names: Vec<_> = taken.iter().map(|file| file.name.as_str()).collect();
    assert_eq!(names, ["a.txt", "x/a.txt", "a-2.txt", "file", "file-2"]);
}

#[test]
fn a_number_goes_to_the_file_and_never_to_its_folder() {
    let names = ["v1.2/Makefile", "v1.2/Makefile", "src/.env", "src/.env"];
    let files = names.map(|name| file(name, None, b"x".to_vec()));
    let taken = accept(files.to_vec()).unwrap();
    let names: Vec<_> = taken.iter().map(|file| file.name.as_str()).collect();
    let wanted = ["v1.2/Makefile", "v1.2/Makefile-2", "src/.env", "src/.env-2"];
    assert_eq!(names, wanted);
}
