//! Remarks on files that were renamed.

use baton_project::comments::{Comments, Draft, anchored, found_again};
use baton_project::secrets::SecretPlaces;
use baton_protocol::{
    Timestamp,
    api::{ReviewComment, Severity},
};

use crate::repository::Repository;

const TEXT: &str = "one\ntwo\nthree\nfour\nfive\nsix\n";

struct Review {
    repository: Repository,
    comments: Comments,
    secrets: SecretPlaces,
}

impl Review {
    /// With a remark on the third line of each of these files.
    fn of(files: &[&str]) -> Self {
        let with: Vec<_> = files.iter().map(|path| (*path, TEXT)).collect();
        let repository = Repository::with(&with);
        let comments = Comments::at(&repository.sandbox.data().join("comments.jsonl"));
        let secrets = SecretPlaces::default();
        for path in files {
            let draft = Draft {
                path: (*path).to_owned(),
                body: "why?".into(),
                line: Some(3),
                end_line: None,
                severity: Severity::Note,
                author: None,
            };
            let at = Timestamp::from_millis(1_700_000_000_000);
            let comment = draft.checked((*path).to_owned(), at).unwrap();
            let comment = anchored(&repository.path(), &secrets, comment).unwrap();
            comments.add(&comment).unwrap();
        }
        Self {
            repository,
            comments,
            secrets,
        }
    }

    fn moves(&self, from: &str, to: &str) {
        self.repository.git(["mv", from, to]);
    }

    async fn listed(&self, path: Option<&str>) -> Vec<ReviewComment> {
        let folder = self.repository.path();
        let comments = self.comments.clone();
        let comments = comments
            .following(&self.repository.program(), &folder)
            .await;
        let mut listed = comments.list(path, None, 100).unwrap().unwrap();
        found_again(&folder, &self.secrets, &mut listed.comments);
        listed.comments
    }
}

fn told(comments: &[ReviewComment]) -> Vec<(&str, Option<u32>, bool)> {
    let told = |one: &ReviewComment| one.outdated == Some(true);
    let all = comments.iter();
    all.map(|one| (one.path.as_str(), one.line, told(one)))
        .collect()
}

#[tokio::test]
async fn a_remark_follows_its_file_through_every_rename() {
    let review = Review::of(&["a.rs", "stays.rs"]);
    let stays = ("stays.rs", Some(3), false);
    assert_eq!(
        told(&review.listed(None).await),
        [("a.rs", Some(3), false), stays]
    );
    review.moves("a.rs", "b.rs");
    let now = ("b.rs", Some(3), false);
    assert_eq!(told(&review.listed(None).await), [now, stays]);
    assert_eq!(told(&review.listed(Some("b.rs")).await), [now]);
    // Committed, renamed again and changed above the line.
    review.repository.commit();
    std::fs::create_dir(review.repository.path().join("src")).unwrap();
    review.moves("b.rs", "src/c.rs");
    review.repository.commit();
    review.repository.write("src/c.rs", format!("zero\n{TEXT}"));
    let now = ("src/c.rs", Some(4), false);
    assert_eq!(told(&review.listed(None).await), [now, stays]);
}

#[tokio::test]
async fn what_git_does_not_call_a_rename_is_none() {
    let review = Review::of(&["a.rs"]);
    let path = review.repository.path();
    std::fs::remove_file(path.join("a.rs")).unwrap();
    review.repository.write("b.rs", "nothing of it\n");
    review.repository.commit();
    assert_eq!(told(&review.listed(None).await), [("a.rs", Some(3), true)]);
}
