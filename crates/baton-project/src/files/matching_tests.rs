use super::matching::Wanted;

/// The paths that fit, the best first.
fn order<'a>(typed: &str, paths: &[&'a str]) -> Vec<&'a str> {
    let wanted = Wanted::new(typed);
    let mut found: Vec<_> = paths
        .iter()
        .filter_map(|path| Some((wanted.fit(path, false, None)?, *path)))
        .collect();
    found.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(b.1)));
    found.into_iter().map(|(_, path)| path).collect()
}

#[test]
fn letters_are_found_anywhere_in_their_order() {
    let paths = [
        "src/api/post.rs",
        "docs/api.md",
        "web/src/views/Post.svelte",
    ];
    assert_eq!(order("sapo", &paths), ["src/api/post.rs"]);
    assert_eq!(order("POST", &paths).len(), 2, "capital or not");
    assert!(order("tsop", &paths).is_empty());
}

#[test]
fn the_name_counts_more_than_the_folders_before_it() {
    let paths = [
        "post/lib/deep/index.ts",
        "src/handlers/post.rs",
        "src/poster.rs",
    ];
    assert_eq!(
        order("post", &paths),
        [
            "src/handlers/post.rs",
            "src/poster.rs",
            "post/lib/deep/index.ts"
        ]
    );
}

#[test]
fn letters_side_by_side_and_beginnings_of_words_count_more() {
    assert_eq!(
        order(
            "comp",
            &["src/c_o_m_p.rs", "src/Composer.svelte", "src/decompose.rs"]
        )[0],
        "src/Composer.svelte"
    );
    assert_eq!(
        order("usv", &["src/user_session_view.rs", "src/causevalue.rs"])[0],
        "src/user_session_view.rs"
    );
    assert_eq!(
        order("qc", &["web/QuestionCard.svelte", "web/tasqueceil.ts"])[0],
        "web/QuestionCard.svelte"
    );
}

#[test]
fn a_path_with_folders_is_matched_over_its_folders() {
    let paths = ["src/api/files.rs", "tests/it/files.rs", "src/files/api.rs"];
    assert_eq!(order("api/fil", &paths), ["src/api/files.rs"]);
    assert_eq!(order("./tests/files", &paths), ["tests/it/files.rs"]);
}

#[test]
fn what_changed_lately_comes_first_where_two_fit_as_well() {
    let wanted = Wanted::new("mod");
    let old = wanted.fit("src/a/mod.rs", false, None);
    let new = wanted.fit("src/b/mod.rs", false, Some(3));
    assert!(new > old);
    let nothing = Wanted::new("");
    assert!(nothing.fit("a", false, Some(1)) > nothing.fit("b", false, Some(2)));
    assert!(nothing.fit("deep/down/b", false, Some(9)) > nothing.fit("a", true, None));
    assert!(nothing.fit("a", true, None) > nothing.fit("a/b/c", true, None));
}

#[test]
fn letters_of_other_scripts_are_letters_too() {
    assert_eq!(order("über", &["docs/Übersicht.md"]), ["docs/Übersicht.md"]);
    assert_eq!(order("文書", &["資料/文書.md"]), ["資料/文書.md"]);
}
