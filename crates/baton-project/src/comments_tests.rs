use std::os::unix::fs::PermissionsExt;

use super::*;

fn comment(number: u32, path: &str) -> ReviewComment {
    let draft = Draft {
        path: path.into(),
        body: format!("remark {number}"),
        line: None,
        end_line: None,
        severity: Severity::Note,
        author: None,
    };
    let at = Timestamp::from_millis(number.into());
    draft.checked(format!("id-{number}"), at).unwrap()
}

fn bodies(listed: &ReviewComments) -> Vec<&str> {
    let comments = listed.comments.iter();
    comments.map(|comment| comment.body.as_str()).collect()
}

#[test]
fn every_comment_is_reached_page_by_page() {
    let dir = tempfile::tempdir().unwrap();
    let comments = Comments::at(&dir.path().join("c.jsonl"));
    for number in 0..5 {
        comments.add(&comment(number, "a.txt")).unwrap();
        comments.add(&comment(100 + number, "b.txt")).unwrap();
    }
    let page = |cursor: Option<&str>| comments.list(Some("a.txt"), cursor, 2).unwrap().unwrap();
    let first = page(None);
    assert_eq!(bodies(&first), ["remark 0", "remark 1"]);
    assert_eq!((first.total, first.truncated), (5, true));
    let second = page(first.next.as_deref());
    assert_eq!(bodies(&second), ["remark 2", "remark 3"]);
    // One that is added meanwhile comes last.
    comments.add(&comment(5, "a.txt")).unwrap();
    let third = page(second.next.as_deref());
    assert_eq!(bodies(&third), ["remark 4", "remark 5"]);
    assert_eq!((third.next, third.total), (None, 6));
    let stranger = comments.list(None, Some("id-9"), 2).unwrap().unwrap_err();
    let wanted = "`cursor` is no `next` of an earlier list";
    assert_eq!(stranger.to_string(), wanted);
}

#[test]
fn comments_are_for_their_owner_alone() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("comments/c.jsonl");
    Comments::at(&file).add(&comment(0, "a.txt")).unwrap();
    let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&file), 0o600);
    assert_eq!(mode(file.parent().unwrap()), 0o700);
}

/// The kernel takes every line for this file and refuses to make it last.
#[cfg(target_os = "linux")]
#[test]
fn a_comment_that_a_power_cut_could_take_is_not_said_to_be_kept() {
    let comments = Comments::at(Path::new("/dev/null"));
    comments.add(&comment(0, "a.txt")).unwrap_err();
}

/// Behind its name in this folder is a file like any other, but the folder
/// itself cannot be made to last.
#[cfg(target_os = "linux")]
#[test]
fn the_first_comment_is_kept_once_its_file_has_a_lasting_name() {
    use std::os::fd::AsRawFd;
    let file = tempfile::tempfile().unwrap();
    let name = format!("/proc/self/fd/{}", file.as_raw_fd());
    let comments = Comments::at(Path::new(&name));
    comments.add(&comment(0, "a.txt")).unwrap_err();
    // The name of a file that had lines before was made to last then.
    comments.add(&comment(1, "a.txt")).unwrap();
    assert_eq!(comments.all().unwrap().len(), 2);
}

#[test]
fn what_becomes_of_a_comment_is_a_further_line_and_the_last_one_counts() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("c.jsonl");
    let comments = Comments::at(&file);
    for number in 0..3 {
        comments.add(&comment(number, "a.txt")).unwrap();
    }
    let before = fs::read(&file).unwrap();
    let change = |id: &str, change: What| Change {
        comment: id.into(),
        change,
        at: Timestamp::from_millis(7),
        by: Some("Ada".into()),
    };
    let made = |id: &str, what: What| comments.change(&change(id, what)).unwrap();
    let resolved = made("id-0", What::Resolved).unwrap().resolved.unwrap();
    assert_eq!(resolved.at, Timestamp::from_millis(7));
    assert_eq!(resolved.by.as_deref(), Some("Ada"));
    made("id-1", What::Resolved).unwrap();
    assert_eq!(made("id-1", What::Reopened).unwrap().resolved, None);
    made("id-2", What::Removed).unwrap();
    let listed = comments.list(None, None, 10).unwrap().unwrap();
    assert_eq!(bodies(&listed), ["remark 0", "remark 1"]);
    assert_eq!((listed.total, listed.files[0].comments), (2, 1));
    let open = |at: usize| listed.comments[at].resolved.is_none();
    assert_eq!((open(0), open(1)), (false, true));
    // What is gone stays gone, and nothing was written over.
    assert_eq!(made("id-2", What::Resolved), None);
    assert_eq!(made("id-9", What::Removed), None);
    assert!(fs::read(&file).unwrap().starts_with(&before));
}
