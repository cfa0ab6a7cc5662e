use std::fs;

use baton_protocol::{Timestamp, api::Severity};
use tempfile::TempDir;

use super::*;
use crate::comments::Draft;

struct Folder(TempDir);

impl Folder {
    fn new() -> Self {
        let folder = Self(TempDir::new().unwrap());
        folder.write("a.txt", "one\ntwo\nthree\nfour\n");
        folder
    }

    fn write(&self, path: &str, text: &str) {
        fs::write(self.0.path().join(path), text).unwrap();
    }

    fn add(
        &self,
        path: &str,
        line: Option<u32>,
        end: Option<u32>,
    ) -> Result<ReviewComment, BadComment> {
        let draft = Draft {
            path: path.into(),
            body: "why?".into(),
            line,
            end_line: end,
            severity: Severity::Note,
            author: None,
        };
        let comment = draft.checked("id".into(), Timestamp::from_millis(0))?;
        anchored(self.0.path(), &SecretPlaces::default(), comment)
    }

    /// Where the remark is now; none if it is outdated.
    fn now(&self, comment: &ReviewComment) -> Option<(Option<u32>, Option<u32>)> {
        let mut comments = [comment.clone()];
        found_again(self.0.path(), &SecretPlaces::default(), &mut comments);
        let [comment] = comments;
        let place = (comment.line, comment.end_line);
        comment.outdated.is_none().then_some(place)
    }
}

#[test]
fn a_remark_goes_with_its_lines_and_says_when_they_are_gone() {
    let folder = Folder::new();
    let remark = folder.add("a.txt", Some(2), Some(3)).unwrap();
    assert_eq!(remark.quote.as_deref(), Some("two\nthree"));
    assert_eq!(folder.now(&remark), Some((Some(2), Some(3))));
    folder.write("a.txt", "new\nnew\none\ntwo\nthree\nfour\n");
    assert_eq!(folder.now(&remark), Some((Some(4), Some(5))));
    // Of two places the nearer one.
    folder.write("a.txt", "two\nthree\n-\n-\n-\n-\n-\ntwo\nthree\n");
    assert_eq!(folder.now(&remark), Some((Some(1), Some(2))));
    folder.write("a.txt", "one\ntwo\nTHREE\nfour\n");
    assert_eq!(folder.now(&remark), None);
    fs::remove_file(folder.0.path().join("a.txt")).unwrap();
    assert_eq!(folder.now(&remark), None);
}

#[test]
fn a_remark_on_a_whole_file_is_outdated_with_the_file_only() {
    let folder = Folder::new();
    let remark = folder.add("a.txt", None, None).unwrap();
    folder.write("a.txt", "all new\n");
    assert_eq!(folder.now(&remark), Some((None, None)));
    fs::remove_file(folder.0.path().join("a.txt")).unwrap();
    assert_eq!(folder.now(&remark), None);
}

#[test]
fn nothing_is_kept_about_what_is_not_there() {
    let folder = Folder::new();
    fs::create_dir(folder.0.path().join(".git")).unwrap();
    folder.write(".git/config", "x\n");
    for (path, line, end) in [
        ("missing.txt", None, None),
        ("a.txt", Some(99_999), None),
        ("a.txt", Some(4), Some(5)),
        (".git/config", Some(1), None),
    ] {
        folder.add(path, line, end).unwrap_err();
    }
    folder.write("empty", "");
    folder.add("empty", Some(1), None).unwrap();
}

#[test]
fn one_from_before_lines_were_kept_stays_where_it_is() {
    let folder = Folder::new();
    let mut remark = folder.add("a.txt", Some(2), None).unwrap();
    remark.quote = None;
    folder.write("a.txt", "new\n");
    assert_eq!(folder.now(&remark), Some((Some(2), None)));
}
