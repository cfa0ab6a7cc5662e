use super::*;

#[test]
fn paths_are_escaped_as_the_cli_does() {
    for (path, name) in [
        ("/home/user/a.b_c-d", "-home-user-a-b-c-d"),
        ("/home/user/with space", "-home-user-with-space"),
        ("/home/user/Ünï_日本", "-home-user--n----"),
        ("/home/user/emoji😀x", "-home-user-emoji--x"),
        ("/home/user/n\u{303}x", "-home-user-n-x"),
        ("/Case/Kept//twice", "-Case-Kept--twice"),
        ("/", "-"),
    ] {
        assert_eq!(escape_path(path), name, "{path}");
    }
}

#[test]
fn long_names_are_cut_and_hashed() {
    let at_limit = format!("/{}", "a".repeat(199));
    assert_eq!(escape_path(&at_limit), format!("-{}", "a".repeat(199)));
    // Hashes computed by the definition, outside of this crate.
    let over = format!("/{}", "a".repeat(200));
    assert_eq!(escape_path(&over), format!("-{}-b6ymvl", "a".repeat(199)));
    let wide = format!("/home/ü{}", "x/".repeat(120));
    let wanted = format!("-home--{}x-4cazcz", "x-".repeat(96));
    assert_eq!(escape_path(&wide), wanted);
}

#[test]
fn hashes_are_written_in_base_36() {
    for (number, text) in [(0, "0"), (35, "z"), (36, "10"), (2_147_483_648, "zik0zk")] {
        assert_eq!(base36(number), text);
    }
}

#[test]
fn the_configured_folder_wins_over_home() {
    let home = Path::new("/home/user");
    assert_eq!(config_dir(None, home), Path::new("/home/user/.claude"));
    assert_eq!(config_dir(Some(Path::new("/c")), home), Path::new("/c"));
}

#[test]
fn a_session_is_found_through_links_and_in_any_project() {
    let root = tempfile::tempdir().unwrap();
    let (config, real) = (root.path().join("c"), root.path().join("real"));
    std::fs::create_dir(&real).unwrap();
    let link = root.path().join("link");
    std::os::unix::fs::symlink(&real, &link).unwrap();
    let session = Uuid::from_u128(5);
    assert_eq!(locate(&config, session).unwrap(), Vec::<PathBuf>::new());
    let file = session_file(&config, &link, session).unwrap();
    assert_eq!(file, session_file(&config, &real, session).unwrap());
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(&file, "").unwrap();
    assert_eq!(locate(&config, session).unwrap(), [file]);
    assert_eq!(locate(&config, Uuid::nil()).unwrap(), Vec::<PathBuf>::new());
    assert!(project_dir(&config, Path::new("/no/such/place")).is_err());
}
