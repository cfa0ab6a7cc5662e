use super::*;

#[test]
fn a_status_is_read_with_odd_names_as_they_are() {
    let text = [
        "# branch.oid 0123456789012345678901234567890123456789",
        "# branch.head main",
        "# branch.upstream origin/main",
        "# branch.ab +2 -1",
        "1 .M N... 100644 100644 100644 aaaa aaaa a b\nc",
        "1 A. N... 000000 100644 100644 0000 aaaa -new",
        "1 D. N... 100644 000000 000000 aaaa 0000 gone",
        "1 .T N... 100644 100644 120000 aaaa aaaa link",
        "2 R. N... 100644 100644 100644 aaaa aaaa R100 now here",
        "? was here",
        "u UU N... 100644 100644 100644 100644 aaaa bbbb cccc both",
        "? \"quoted\"",
    ];
    let tree = parse(text.join("\0").as_bytes(), false);
    assert_eq!(tree.ahead_behind, Some((2, 1)));
    assert!(tree.commit.is_some());
    let changes: Vec<(&str, ChangeKind)> = tree
        .changes
        .iter()
        .map(|(path, kind)| (std::str::from_utf8(path).unwrap(), *kind))
        .collect();
    assert_eq!(
        changes,
        [
            ("\"quoted\"", ChangeKind::Untracked),
            ("-new", ChangeKind::Added),
            ("a b\nc", ChangeKind::Modified),
            ("both", ChangeKind::Conflicted),
            ("gone", ChangeKind::Deleted),
            ("link", ChangeKind::TypeChanged),
            ("now here", ChangeKind::Renamed),
        ]
    );
}

#[test]
fn a_repository_without_a_commit_has_none() {
    let tree = parse(b"# branch.oid (initial)\0# branch.head main\0", false);
    assert_eq!(tree, WorkTree::default());
    assert!(!tree.is_dirty());
    assert!(parse(b"", true).is_dirty());
}
