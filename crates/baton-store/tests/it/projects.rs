//! The list of projects.

use baton_protocol::{ProjectId, Timestamp};
use baton_store::{NewProject, ProjectChange, ProjectEntry, ProjectKey, Store};

use crate::support::{NOW, Scratch, creating, options, project, put, said, session};

fn new(number: u8, slug: &str) -> NewProject {
    NewProject {
        id: ProjectId::from_digest(&[number; 32]),
        path: format!("/people/me/{number}/{slug}"),
        slug: slug.to_owned(),
        at: Timestamp::from_millis(NOW + i64::from(number)),
    }
}

async fn change(store: &Store, change: ProjectChange) -> ProjectEntry {
    let mut changed = store.change_projects(vec![change]).await.unwrap();
    changed.pop().unwrap().unwrap()
}

async fn slugs(store: &Store) -> Vec<String> {
    let listed = store.project_list().await.unwrap();
    listed.into_iter().map(|entry| entry.slug).collect()
}

#[tokio::test]
async fn a_slug_is_given_once_and_survives_removal_and_restart() {
    let scratch = Scratch::new();
    let store = Store::open(&scratch.path(), &options()).unwrap();
    for (number, expected) in [(1, "shop"), (2, "shop-2"), (3, "shop-3")] {
        let entry = change(&store, ProjectChange::Add(new(number, "shop"))).await;
        assert_eq!(entry.slug, expected);
    }
    let gone = change(&store, ProjectChange::Remove(new(2, "shop").id)).await;
    assert!(!gone.listed);
    store.close().await;
    let store = Store::open(&scratch.path(), &options()).unwrap();
    assert_eq!(slugs(&store).await, ["shop-3", "shop"]);
    let entry = change(&store, ProjectChange::Add(new(4, "shop"))).await;
    assert_eq!(entry.slug, "shop-4");
    // Found again is not chosen again.
    let found = change(&store, ProjectChange::Find(new(2, "shop"))).await;
    assert_eq!((found.slug.as_str(), found.listed), ("shop-2", false));
    let back = change(&store, ProjectChange::Add(new(2, "shop"))).await;
    assert_eq!((back.slug.as_str(), back.listed), ("shop-2", true));
    let titled = ProjectChange::Title(back.id, Some("Mine".to_owned()));
    assert_eq!(change(&store, titled).await.title.as_deref(), Some("Mine"));
    let by_slug = store.project(ProjectKey::Slug("shop-2".to_owned())).await;
    assert_eq!(by_slug.unwrap().unwrap().title.as_deref(), Some("Mine"));
    let unknown = ProjectChange::Remove(new(9, "x").id);
    let unknown = store.change_projects(vec![unknown]).await.unwrap();
    assert_eq!(unknown, [None]);
}

#[tokio::test]
async fn folders_of_sessions_that_are_not_listed_are_told() {
    let scratch = Scratch::new();
    let store = Store::open(&scratch.path(), &options()).unwrap();
    put(&store, creating(session(1), vec![said(1, "hello")])).await;
    let unlisted = store.unlisted_folders().await.unwrap();
    assert_eq!(unlisted.len(), 1);
    assert_eq!(unlisted[0].id, project());
    let found = NewProject {
        id: project(),
        ..new(1, "folder")
    };
    let entry = change(&store, ProjectChange::Find(found)).await;
    assert!(entry.last_used_at.is_some());
    assert!(store.unlisted_folders().await.unwrap().is_empty());
    let hits = store.search("hello", Some(project()), 10, None).await;
    assert_eq!(hits.unwrap().items.len(), 1);
    let other = ProjectId::from_digest(&[7; 32]);
    let hits = store.search("hello", Some(other), 10, None).await;
    assert!(hits.unwrap().items.is_empty());
}
