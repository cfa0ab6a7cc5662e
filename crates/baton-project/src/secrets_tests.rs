use std::{fs, os::unix::fs::symlink};

use tempfile::TempDir;

use super::*;

/// A home with a data folder and a project in it.
fn scene() -> (TempDir, PathBuf, SecretPlaces) {
    let dir = TempDir::new().unwrap();
    let home = dir.path().canonicalize().unwrap();
    for folder in ["data/holders/one", "project", ".claude", ".ssh"] {
        fs::create_dir_all(home.join(folder)).unwrap();
    }
    for file in ["data/token", "data/holders/one/journal", "project/plain"] {
        fs::write(home.join(file), "x").unwrap();
    }
    let places = SecretPlaces::of(&home, &home.join(".claude"), &home.join("data"));
    (dir, home, places)
}

#[test]
fn every_way_to_a_place_is_the_same_place() {
    let (_dir, home, places) = scene();
    symlink(home.join("data"), home.join("project/link")).unwrap();
    fs::hard_link(home.join("data/token"), home.join("project/twin")).unwrap();
    fs::hard_link(
        home.join("data/holders/one/journal"),
        home.join("project/deep"),
    )
    .unwrap();
    fs::hard_link(home.join("project/plain"), home.join("project/other")).unwrap();
    let secrets = places.look();
    let paths = "data data/token data/holders/one/journal project/../data/token project/link
        project/link/holders/one project/twin project/deep .ssh";
    for path in paths.split_whitespace() {
        assert!(secrets.hide_path(&home.join(path)), "{path}");
    }
    for path in ["", "project", "project/plain", "project/other", ".claude"] {
        assert!(!secrets.hide_path(&home.join(path)), "{path}");
    }
    assert!(secrets.hide_path(Path::new("/proc/self/environ")));
    assert!(!secrets.hide_path(Path::new("/")));
}

#[test]
fn what_is_not_there_yet_is_secret_by_its_name() {
    let (_dir, home, places) = scene();
    let secrets = places.look();
    let paths = "data/nothing/at/all .netrc .NETRC .claude/.credentials.json .claude.json
        .claude.json.backup .claude/.claude.json";
    for path in paths.split_whitespace() {
        assert!(secrets.hide_path(&home.join(path)), "{path}");
    }
    for path in [
        ".netrc2",
        "project/.netrc",
        ".claude/settings.json",
        ".claud",
    ] {
        assert!(!secrets.hide_path(&home.join(path)), "{path}");
    }
}

#[test]
fn a_file_that_is_replaced_is_found_again() {
    let (_dir, home, places) = scene();
    let file = home.join(".claude/.credentials.json");
    for text in ["one", "two"] {
        fs::write(home.join("new"), text).unwrap();
        fs::rename(home.join("new"), &file).unwrap();
        fs::remove_file(home.join("project/twin")).ok();
        fs::hard_link(&file, home.join("project/twin")).unwrap();
        assert!(
            places.look().hide_path(&home.join("project/twin")),
            "{text}"
        );
    }
}

#[test]
fn a_part_of_a_place_that_is_mounted_elsewhere_is_looked_for_inside() {
    let (_dir, home, places) = scene();
    let secrets = places.look();
    let part = Id::at(&home.join("data/holders/one")).unwrap();
    assert!(secrets.hide_id(part, None, Elsewhere::Maybe));
    let plain = Id::at(&home.join("project")).unwrap();
    assert!(!secrets.hide_id(plain, None, Elsewhere::Maybe));
    // What holds a place is not in it, so nothing is looked through for it.
    let wanted = Elsewhere::No;
    assert_eq!(secrets.folder_elsewhere(&home, Mounted::Maybe), wanted);
    let project = home.join("project");
    let wanted = Elsewhere::Maybe;
    assert_eq!(secrets.folder_elsewhere(&project, Mounted::Maybe), wanted);
}
