//! Files of a project, and nothing else.

use std::{
    fs,
    os::unix::{ffi::OsStrExt, fs::symlink, net::UnixListener},
    path::{Path, PathBuf},
    sync::atomic::{AtomicBool, AtomicU64, Ordering},
};

use baton_project::files::{FileError, Lines, PageRequest, ProjectFolder, TextSearch};
use baton_project::secrets::SecretPlaces;
use baton_protocol::api::{ContentKind, FileKind, FileView};
use baton_testkit::Sandbox;

const ALL: Lines = Lines {
    from: 1,
    count: 1_000_000,
};

struct World {
    sandbox: Sandbox,
    folder: ProjectFolder,
}

impl World {
    fn new() -> Self {
        let sandbox = Sandbox::new();
        let folder = ProjectFolder::open(&sandbox.project(), &SecretPlaces::default()).unwrap();
        Self { sandbox, folder }
    }

    fn path(&self) -> PathBuf {
        self.sandbox.project()
    }

    fn write(&self, path: &str, bytes: impl AsRef<[u8]>) {
        let path = self.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    fn view(&self, path: &str) -> FileView {
        self.folder.view(path, ALL).unwrap()
    }

    fn names(&self, path: &str) -> Vec<(String, FileKind, bool)> {
        let page = PageRequest {
            cursor: None,
            limit: 100,
        };
        let listed = self.folder.list(path, &page).unwrap().list;
        let items = listed.items.into_iter();
        items
            .map(|item| (item.name, item.kind, item.ignored))
            .collect()
    }
}

#[test]
fn a_folder_is_listed_with_what_its_entries_are() {
    let world = World::new();
    world.write("b.txt", "12345");
    world.write("a/inner", "");
    world.write(".git/config", "");
    world.write("sub/.git", "gitdir: elsewhere");
    symlink("/etc", world.path().join("link")).unwrap();
    let _socket = UnixListener::bind(world.path().join("socket")).unwrap();
    world.sandbox.run("mkfifo", ["pipe"]).expect_success();
    let name = |name: &str, kind| (name.to_owned(), kind, false);
    assert_eq!(
        world.names(""),
        [
            name("a", FileKind::Folder),
            name("sub", FileKind::Folder),
            name("b.txt", FileKind::File),
            name("link", FileKind::Link),
            name("pipe", FileKind::Other),
            name("socket", FileKind::Other),
        ]
    );
    assert_eq!(world.names("sub"), []);
    assert_eq!(world.names("./a/"), [name("inner", FileKind::File)]);
    for path in ["pipe", "socket", "a", ""] {
        let refused = world.folder.view(path, ALL);
        assert!(
            matches!(refused, Err(FileError::NotAFile(_))),
            "{path}: {refused:?}"
        );
    }
    let page = PageRequest::default();
    let refused = world.folder.list("b.txt", &page);
    assert!(
        matches!(refused, Err(FileError::NotAFolder(_))),
        "{refused:?}"
    );
}

#[test]
fn a_list_goes_on_where_it_ended() {
    let world = World::new();
    for number in 0..25 {
        world.write(&format!("file{number:02}"), "");
    }
    world.write("folder/x", "");
    let (mut names, mut cursor) = (Vec::new(), None);
    loop {
        let page = PageRequest { cursor, limit: 10 };
        let list = world.folder.list("", &page).unwrap().list;
        names.extend(list.items.into_iter().map(|item| item.name));
        cursor = list.next;
        if cursor.is_none() {
            break;
        }
    }
    assert_eq!(names.len(), 26);
    assert_eq!(names[0], "folder");
    assert_eq!(names[25], "file24");
    let page = PageRequest {
        cursor: Some("nonsense".to_owned()),
        limit: 1,
    };
    assert!(world.folder.list("", &page).is_err());
}

#[test]
fn what_the_repository_leaves_out_is_marked() {
    let world = World {
        sandbox: Sandbox::new().with_git(),
        ..World::new()
    };
    let folder = ProjectFolder::open(&world.path(), &SecretPlaces::default()).unwrap();
    let world = World { folder, ..world };
    world.write(".gitignore", "*.log\nbuild/\n/only-here\n[z-a]\n");
    world.write(".git/info/exclude", "private\n");
    world.write("sub/.gitignore", "!kept.log\n");
    let paths = "a.log build/out only-here private sub/kept.log sub/b.log sub/only-here";
    for path in paths.split_whitespace() {
        world.write(path, "");
    }
    let ignored = |path: &str| {
        let names = world.names(path).into_iter();
        names
            .filter(|(_, _, ignored)| *ignored)
            .map(|(name, ..)| name)
            .collect::<Vec<_>>()
    };
    assert_eq!(ignored(""), ["build", "a.log", "only-here", "private"]);
    assert_eq!(ignored("sub"), ["b.log"]);
    assert_eq!(ignored("build"), ["out"]);
}

#[test]
fn names_that_are_not_unicode_are_shown_and_cannot_be_asked_for() {
    let world = World::new();
    let odd = std::ffi::OsStr::from_bytes(b"caf\xe9");
    if fs::write(world.path().join(odd), "x").is_err() {
        // Some file systems do not have such names.
        return;
    }
    let page = PageRequest {
        cursor: None,
        limit: 10,
    };
    let list = world.folder.list("", &page).unwrap().list;
    assert_eq!(list.items[0].name, "caf\u{FFFD}");
    assert_eq!(list.items[0].path, None);
}

#[test]
fn nothing_leads_out_of_the_project() {
    let world = World::new();
    let root = world.sandbox.root().to_owned();
    fs::create_dir(root.join("outside")).unwrap();
    fs::write(root.join("outside/secret"), "secret").unwrap();
    fs::create_dir(root.join("project-twin")).unwrap();
    fs::write(root.join("project-twin/secret"), "secret").unwrap();
    world.write("inside/file", "inside");
    world.write(".git/config", "secret");
    let links: [(&str, &Path); 6] = [
        ("up", Path::new("../outside")),
        ("whole", &root.join("outside")),
        ("twin", Path::new("../project-twin")),
        ("loop", Path::new("loop")),
        ("proc", Path::new("/proc/self/root")),
        ("git", Path::new(".git")),
    ];
    for (name, target) in links {
        symlink(target, world.path().join(name)).unwrap();
    }
    symlink(world.path().join("inside"), world.path().join("back")).unwrap();
    symlink("inside/../inside/file", world.path().join("round")).unwrap();
    assert_eq!(world.view("back/file").text.as_deref(), Some("inside"));
    assert_eq!(world.view("round").path, "inside/file");
    let paths = "up/secret whole/secret twin/secret loop loop/x proc/etc/passwd git/config
        .git/config .GIT/config inside/.git nothing inside/file/x";
    for path in paths.split_whitespace() {
        let refused = world.folder.view(path, ALL);
        assert!(
            matches!(refused, Err(FileError::Missing(_))),
            "{path}: {refused:?}"
        );
    }
    for path in [
        "../outside/secret",
        "inside/../../outside/secret",
        "/etc/passwd",
        "..",
        "a\0b",
    ] {
        let refused = world.folder.view(path, ALL);
        assert!(
            matches!(refused, Err(FileError::BadPath(_))),
            "{path}: {refused:?}"
        );
    }
    let long = "x/".repeat(5000);
    assert!(world.folder.view(&long, ALL).is_err());
    let page = PageRequest {
        cursor: None,
        limit: 10,
    };
    for path in ["up", "whole", "proc", "git", ".git", ".."] {
        assert!(world.folder.list(path, &page).is_err(), "{path}");
    }
}

/// Swaps what `name` is, again and again, while files below it are read.
fn swapped(world: &World, name: &str, outside: &Path, asked: &str) {
    let stop = AtomicBool::new(false);
    let place = world.path().join(name);
    let aside = world.path().join("aside");
    let swaps = AtomicU64::new(0);
    let mut read = 0;
    std::thread::scope(|threads| {
        threads.spawn(|| {
            while !stop.load(Ordering::Relaxed) {
                fs::rename(&place, &aside).unwrap();
                symlink(outside, &place).unwrap();
                fs::remove_file(&place).unwrap();
                fs::rename(&aside, &place).unwrap();
                swaps.fetch_add(1, Ordering::Relaxed);
            }
        });
        // However the two take turns, both must have had some.
        for round in 0..1_000_000 {
            let enough = read > 0 && swaps.load(Ordering::Relaxed) > 100;
            if round > 3_000 && enough {
                break;
            }
            if let Ok(view) = world.folder.view(asked, ALL) {
                assert_eq!(view.text.as_deref(), Some("inside"));
                read += 1;
            }
            let page = PageRequest {
                cursor: None,
                limit: 10,
            };
            if let Ok(list) = world.folder.list(name, &page) {
                let names: Vec<_> = list.list.items.into_iter().map(|item| item.name).collect();
                assert_eq!(names, ["file"]);
            }
            std::thread::yield_now();
        }
        stop.store(true, Ordering::Relaxed);
    });
    assert!(read > 0, "it was never there to be read");
}

#[test]
fn a_folder_swapped_for_a_link_while_it_is_read_shows_nothing_foreign() {
    let world = World::new();
    let outside = world.sandbox.root().join("outside");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("file"), "secret").unwrap();
    fs::write(outside.join("other"), "secret").unwrap();
    world.write("folder/file", "inside");
    swapped(&world, "folder", &outside, "folder/file");
}

#[test]
fn a_file_swapped_for_a_link_while_it_is_read_shows_nothing_foreign() {
    let world = World::new();
    let outside = world.sandbox.root().join("secret");
    fs::write(&outside, "secret").unwrap();
    world.write("file", "inside");
    swapped(&world, "file", &outside, "file");
}

#[test]
fn text_is_read_as_it_is_written() {
    let world = World::new();
    let utf16 = |text: &str, swap: fn(u16) -> [u8; 2]| {
        let units = std::iter::once(0xFEFF).chain(text.encode_utf16());
        units.flat_map(swap).collect::<Vec<u8>>()
    };
    world.write("plain", "grün\r\n字\n");
    world.write("bom", "\u{FEFF}one\n");
    world.write("little", utf16("grün\n", u16::to_le_bytes));
    world.write("big", utf16("grün\n", u16::to_be_bytes));
    world.write("old", b"gr\xfcn\n");
    world.write("empty", "");
    for (path, text, encoding) in [
        ("plain", "grün\r\n字\n", "utf-8"),
        ("bom", "one\n", "utf-8"),
        ("little", "grün\n", "utf-16le"),
        ("big", "grün\n", "utf-16be"),
        ("old", "grün\n", "iso-8859-1"),
        ("empty", "", "utf-8"),
    ] {
        let view = world.view(path);
        assert_eq!(view.kind, ContentKind::Text, "{path}");
        assert_eq!(view.text.as_deref(), Some(text), "{path}");
        assert_eq!(view.encoding.as_deref(), Some(encoding), "{path}");
        assert!(!view.truncated, "{path}");
    }
    assert_eq!(world.view("empty").total_lines, Some(0));
}

#[test]
fn what_is_no_text_is_recognised_by_its_bytes() {
    let world = World::new();
    world.write("fake.txt", b"\x89PNG\r\n\x1a\n....");
    world.write("photo.png", b"\xff\xd8\xff\xe0....");
    world.write("program", b"\x7fELF\x02\x01\x01\0\0\0");
    world.write(
        "noise",
        (0..=255_u8)
            .rev()
            .cycle()
            .take(4096)
            .filter(|byte| *byte != 0)
            .collect::<Vec<u8>>(),
    );
    world.write("evil.png", "<script>alert(1)</script>");
    let kinds = ["fake.txt", "photo.png", "program", "noise", "evil.png"]
        .map(|path| world.view(path))
        .map(|view| {
            (
                view.kind,
                view.media_type,
                view.data.is_some(),
                view.text.is_some(),
            )
        });
    let kind = |kind, media: &str, data, text| (kind, media.to_owned(), data, text);
    assert_eq!(
        kinds,
        [
            kind(ContentKind::Image, "image/png", true, false),
            kind(ContentKind::Image, "image/jpeg", true, false),
            kind(
                ContentKind::Binary,
                "application/octet-stream",
                false,
                false
            ),
            kind(
                ContentKind::Binary,
                "application/octet-stream",
                false,
                false
            ),
            kind(ContentKind::Text, "text/plain", false, true),
        ]
    );
}

#[test]
fn parts_of_a_large_file_can_be_read() {
    let world = World::new();
    let lines: String = (1..=300_000).map(|line| format!("line {line}\n")).collect();
    world.write("large", &lines);
    let view = world
        .folder
        .view(
            "large",
            Lines {
                from: 299_999,
                count: 10,
            },
        )
        .unwrap();
    assert_eq!(view.text.as_deref(), Some("line 299999\nline 300000\n"));
    assert_eq!(view.total_lines, Some(300_000));
    assert_eq!(view.from, Some(299_999));
    assert_eq!(view.lines, Some(2));
    assert!(view.truncated);
    let view = world
        .folder
        .view(
            "large",
            Lines {
                from: 400_000,
                count: 10,
            },
        )
        .unwrap();
    assert_eq!(view.text.as_deref(), Some(""));
    // More than an answer holds.
    let view = world.view("large");
    assert!(view.truncated);
    assert!(view.text.unwrap().len() <= 1 << 20);
    world.write("wide", "ä".repeat(2 << 20));
    let view = world.view("wide");
    assert!(view.truncated);
    assert_eq!(view.encoding.as_deref(), Some("utf-8"));
    assert_eq!(view.total_lines, Some(1));
    // Sparse, and far too large to be read whole.
    let huge = fs::File::create(world.path().join("huge")).unwrap();
    huge.set_len(10 << 30).unwrap();
    assert_eq!(world.view("huge").kind, ContentKind::Binary);
    assert_eq!(world.view("huge").size, 10 << 30);
}

#[test]
fn a_tag_changes_with_the_file() {
    let world = World::new();
    world.write("file", "one");
    let first = world.view("file").etag;
    assert_eq!(world.view("file").etag, first);
    world.write("file", "two, longer");
    assert_ne!(world.view("file").etag, first);
}

impl World {
    fn found(&self, letters: &str) -> Vec<String> {
        let catalogue = self.folder.catalogue().unwrap();
        let found = catalogue.find(letters, 100).into_iter();
        found.map(|file| file.path).collect()
    }
}

#[test]
fn files_are_found_in_the_whole_project_but_not_what_git_leaves_out() {
    let world = World::new();
    world.write(".gitignore", "target/\n*.log\n");
    world.write("src/handlers/post.rs", "");
    world.write("src/generated/.gitignore", "*\n!keep_post.rs\n");
    world.write("src/generated/post.rs", "");
    world.write("src/generated/keep_post.rs", "");
    world.write("target/debug/post.rs", "");
    world.write("post.log", "");
    world.write(".git/post", "");
    assert_eq!(
        world.found("post"),
        ["src/handlers/post.rs", "src/generated/keep_post.rs"]
    );
}

#[test]
fn what_lies_beyond_a_link_is_not_found() {
    let world = World::new();
    let outside = world.sandbox.project().parent().unwrap().join("outside");
    fs::create_dir_all(&outside).unwrap();
    fs::write(outside.join("post.rs"), "").unwrap();
    symlink(&outside, world.path().join("beyond")).unwrap();
    world.write("src/post.rs", "");
    assert_eq!(world.found("post"), ["src/post.rs"]);
}

#[test]
fn secrets_are_not_found() {
    let world = World::new();
    world.write("data/baton-key", "");
    world.write("src/baton-key.rs", "");
    let data = world.path().join("data");
    let secrets = SecretPlaces::of(Path::new("/nowhere"), Path::new("/nowhere"), &data);
    let folder = ProjectFolder::open(&world.path(), &secrets).unwrap();
    let found = folder.catalogue().unwrap().find("baton", 10);
    let found: Vec<_> = found.into_iter().map(|file| file.path).collect();
    assert_eq!(found, ["src/baton-key.rs"]);
}

#[test]
fn without_letters_the_files_that_changed_last_come_first() {
    let world = World::new();
    for name in ["b.rs", "a.rs", "deep/down/c.rs"] {
        world.write(name, "");
    }
    let file = fs::File::options()
        .write(true)
        .open(world.path().join("b.rs"))
        .unwrap();
    let later = file.metadata().unwrap().modified().unwrap() + std::time::Duration::from_secs(60);
    file.set_modified(later).unwrap();
    assert_eq!(world.found("")[0], "b.rs");
    assert_eq!(world.found("").len(), 5, "folders are there too");
}

#[test]
fn words_are_looked_for_where_files_are_found_and_within_bounds() {
    let world = World::new();
    world.write(".gitignore", "target/\n");
    world.write("target/a.txt", "needle");
    world.write(".git/a.txt", "needle");
    world.write("bytes", "needle\0");
    world.write("src/a.txt", "needle\n".repeat(60));
    world.write("src/deep/b.txt", "hay\nneedle\n");
    let data = world.path().join("data");
    world.write("data/baton-key", "needle");
    let secrets = SecretPlaces::of(Path::new("/nowhere"), Path::new("/nowhere"), &data);
    let outside = world.sandbox.project().parent().unwrap().join("outside");
    fs::create_dir_all(&outside).unwrap();
    fs::write(outside.join("c.txt"), "needle").unwrap();
    symlink(&outside, world.path().join("beyond")).unwrap();
    let folder = ProjectFolder::open(&world.path(), &secrets).unwrap();
    let catalogue = folder.catalogue().unwrap();
    let wanted = TextSearch::new("needle", false, true).unwrap();
    let paths = |below: &str, most: usize| {
        let found = folder.search(&catalogue, below, &wanted, most, &|| false);
        let paths = found
            .items
            .iter()
            .map(|one| (one.path.clone(), one.lines.len(), one.more));
        (paths.collect::<Vec<_>>(), found.truncated)
    };
    let (first, second) = (
        ("src/a.txt".to_owned(), 50, true),
        ("src/deep/b.txt".to_owned(), 1, false),
    );
    assert_eq!(paths("", 1000), (vec![first, second.clone()], false));
    assert_eq!(paths("src/deep", 1000), (vec![second], false));
    assert_eq!(paths("src/de", 1000), (vec![], false));
    assert_eq!(
        paths("", 10),
        (vec![("src/a.txt".to_owned(), 10, true)], true)
    );
    let left = folder.search(&catalogue, "", &wanted, 1000, &|| true);
    assert_eq!((left.files, left.truncated), (0, true), "nobody waits");
    // What was swapped for a link meanwhile is not followed.
    fs::remove_file(world.path().join("src/deep/b.txt")).unwrap();
    symlink(outside.join("c.txt"), world.path().join("src/deep/b.txt")).unwrap();
    assert_eq!(paths("src/deep", 1000), (vec![], false));
}
