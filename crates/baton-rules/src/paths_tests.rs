use super::*;

fn check(links: &[(&str, &str)], path: &str, lexical: &str, canonical: Option<&str>) {
    let paths = FakePaths::with_links(links.iter().copied());
    let forms = PathForms::of(Path::new(path), Path::new("/home/user/proj"), &paths);
    assert_eq!(forms.lexical, Path::new(lexical), "{path}");
    assert_eq!(
        forms.canonical.as_deref(),
        canonical.map(Path::new),
        "{path}"
    );
}

#[test]
fn a_path_is_followed_to_where_it_leads() {
    check(
        &[],
        "src/./a//b",
        "/home/user/proj/src/a/b",
        Some("/home/user/proj/src/a/b"),
    );
    check(&[], "/../../etc", "/etc", Some("/etc"));
    let links = [
        ("/home/user/proj/out", "../../../other"),
        ("/other", "/srv"),
    ];
    check(&links, "out/x", "/home/user/proj/out/x", Some("/srv/x"));
    check(&links, "out", "/home/user/proj/out", Some("/srv"));
}

#[test]
fn going_up_starts_where_a_link_leads() {
    check(
        &[("/home/user/proj/out", "/srv/deep/er")],
        "out/../x",
        "/home/user/proj/x",
        Some("/srv/deep/x"),
    );
}

#[test]
fn a_circle_or_a_path_of_each_process_leads_nowhere() {
    check(&[("/a", "/b"), ("/b", "/a")], "/a/x", "/a/x", None);
    check(&[], "/proc/self/cwd/x", "/proc/self/cwd/x", None);
    check(
        &[("/dev/stdin", "/proc/self/fd/0")],
        "/dev/stdin",
        "/dev/stdin",
        None,
    );
    check(&[], "/dev/fd/3", "/dev/fd/3", None);
    check(&[], "x\0y", "/home/user/proj/x\0y", None);
}

#[test]
fn the_real_file_system_is_followed_too() {
    let folder = tempfile::tempdir().unwrap();
    let base = std::fs::canonicalize(folder.path()).unwrap();
    std::fs::create_dir(base.join("real")).unwrap();
    std::fs::write(base.join("real/file"), "").unwrap();
    std::os::unix::fs::symlink("real", base.join("link")).unwrap();
    std::os::unix::fs::symlink("/nowhere/new", base.join("dangling")).unwrap();
    let check = |path: &str, expected: Option<PathBuf>| {
        assert_eq!(
            PathForms::of(Path::new(path), &base, &RealPaths).canonical,
            expected,
            "{path}"
        );
    };
    check("link/file", Some(base.join("real/file")));
    check("link/new/file", Some(base.join("real/new/file")));
    check("dangling", Some("/nowhere/new".into()));
    check("link/../real", Some(base.join("real")));
    // A file is no folder: nothing can be said about what is below it.
    check("real/file/x", None);
}
