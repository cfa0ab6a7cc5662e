use std::os::unix::{ffi::OsStrExt, fs::symlink};

use super::*;

#[test]
fn a_slug_is_the_folder_s_name_made_fit_for_an_address() {
    for (path, expected) in [
        ("/people/me/my-app", "my-app"),
        ("/people/me/MyApp", "myapp"),
        ("/people/me/my app (2)", "my-app-2"),
        ("/people/me/.dotfiles", "dotfiles"),
        ("/people/me/v1.2_x", "v1.2_x"),
        ("/people/me/字", "project"),
        ("/people/me/--", "project"),
        ("/people/me/-rf", "rf"),
        ("/people/me/a/../..", "project"),
        ("/", "project"),
        ("/people/me/a\nb\"c", "a-b-c"),
    ] {
        assert_eq!(slug(Path::new(path)), expected, "{path}");
    }
    assert_eq!(
        slug(Path::new(&format!("/{}", "x".repeat(300)))).len(),
        SLUG
    );
    let odd = std::ffi::OsStr::from_bytes(b"/caf\xe9");
    assert_eq!(slug(Path::new(odd)), "caf");
}

#[test]
fn roots_give_their_direct_folders_once_without_the_excluded_ones() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().canonicalize().unwrap();
    for name in ["one", "two/inner", "node_modules", "old.bak", ".git"] {
        fs::create_dir_all(root.join(name)).unwrap();
    }
    fs::write(root.join("file"), "").unwrap();
    symlink(root.join("one"), root.join("link")).unwrap();
    let excludes = ["node_modules", ".git", "*.bak"].map(str::to_owned);
    let excludes = Excludes::new(&excludes).unwrap();
    let roots = [root.clone(), root.join("missing"), root.clone()];
    let found = in_roots(&roots, &excludes);
    assert_eq!(found, [root.join("one"), root.join("two")]);
}

#[test]
fn a_bad_pattern_is_refused_by_its_name() {
    let error = Excludes::new(&["[z-a]".to_owned()]).unwrap_err();
    assert_eq!(error.to_string(), "`[z-a]` is no pattern for names");
}

#[test]
fn folders_that_are_gone_are_left_out() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().canonicalize().unwrap();
    fs::create_dir(root.join("here")).unwrap();
    symlink(root.join("here"), root.join("again")).unwrap();
    let told = ["here", "again", "gone"].map(|name| root.join(name));
    let found = that_exist(told.into_iter().chain([PathBuf::from("relative")]));
    assert_eq!(found, [root.join("here")]);
}

#[test]
fn the_nearest_project_in_the_same_repository_is_meant() {
    let around = |projects: &[&'static str], folder: &str| {
        let projects = projects.iter().copied();
        nearest_project(projects, Path::new(folder), Path::new("/r"))
    };
    assert_eq!(around(&["/r", "/r/a"], "/r/a/b"), Some("/r/a"));
    assert_eq!(around(&["/r", "/r/a"], "/r/ab"), Some("/r"));
    assert_eq!(around(&["/r", "/r/a"], "/r/a"), None);
    assert_eq!(around(&["/", "/r/x"], "/r/a"), None);
}
