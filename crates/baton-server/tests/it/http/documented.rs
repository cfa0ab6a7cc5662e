//! `docs/api.md` sends what it shows, and gets what it says.

use std::collections::BTreeMap;

use baton_testkit::LIMIT;
use serde_json::Value;
use tokio::time::timeout;

use super::client::Site;
use crate::documented::fits;

/// One request of the document and the answer it shows.
#[derive(Default)]
struct Example {
    method: String,
    path: String,
    body: Option<String>,
}

fn document() -> String {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/api.md");
    std::fs::read_to_string(path).unwrap()
}

fn filled(text: &str, names: &BTreeMap<String, String>) -> String {
    let mut text = text.to_owned();
    for (name, value) in names {
        text = text.replace(name, value);
    }
    text
}

#[tokio::test]
async fn every_example_of_the_page_is_sent_and_answered_as_shown() {
    let site = Site::with_pace(1).await;
    let project = site.world.sandbox.project().display().to_string();
    let mut names = BTreeMap::from([
        ("PROJECT".to_owned(), project),
        ("TOKEN".to_owned(), site.token.clone()),
    ]);
    let (mut example, mut sent) = (Example::default(), 0);
    for line in document().lines() {
        if let Some(request) = line.strip_prefix("> ") {
            let (method, path) = request.split_once(' ').unwrap();
            example = Example {
                method: method.into(),
                path: path.into(),
                body: None,
            };
        } else if let Some(body) = line.strip_prefix("| ").filter(|body| body.starts_with('{')) {
            example.body = Some(body.to_owned());
        } else if let Some(shown) = line.strip_prefix("< ") {
            let (status, shown) = shown.split_once(' ').unwrap();
            let shown: Value = serde_json::from_str(shown).unwrap();
            let answered = answered(&site, &example, status, &shown, &mut names);
            let answered = timeout(LIMIT, answered).await;
            assert!(answered.is_ok(), "{line} never came");
            sent += 1;
        }
    }
    assert!(sent > 20, "{sent}");
}

/// Asks until the answer is as shown; what is not a question is asked once.
async fn answered(
    site: &Site,
    example: &Example,
    status: &str,
    shown: &Value,
    names: &mut BTreeMap<String, String>,
) {
    let mut commits = site.world.supervisor.store().watch_all();
    loop {
        commits.mark_unchanged();
        let mut ask = site.ask(&example.method, &filled(&example.path, names));
        if let Some(body) = &example.body {
            let body: Value = serde_json::from_str(&filled(body, names)).unwrap();
            ask = ask.json(&body);
        }
        let answer = ask.send().await;
        let mut bound = names.clone();
        let told = answer.json();
        if answer.status.to_string() == status && fits(shown, &told, &mut bound) {
            *names = bound;
            return;
        }
        let path = &example.path;
        assert_eq!(example.method, "GET", "{path}: {} {told}", answer.status);
        commits.changed().await.unwrap();
    }
}
