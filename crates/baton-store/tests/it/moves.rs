//! Projects whose folders were moved.

use baton_protocol::{
    ProjectId, RuleId, Timestamp,
    event::{Moved, SessionCreated, SessionOptions, SessionUpdated},
    words::{Mode, RuleDecision, Runtime},
};
use baton_store::{
    NewProject, ProjectChange, ProjectKey, ProjectMove, RuleChange, RuleRecord, RuleScope,
    SessionFilter, Store, UsageFilter, projection,
};
use uuid::Uuid;

use crate::support::{
    NOW, Scratch, creating, draft, events, project, read_all, said, session, turn_done,
};

fn elsewhere() -> ProjectId {
    ProjectId::from_digest(&[0xcd; 32])
}

fn moved() -> ProjectMove {
    ProjectMove {
        from: project(),
        from_path: "/code/shop".to_owned(),
        to: elsewhere(),
        to_path: "/code/store".to_owned(),
    }
}

fn created(cwd: &str) -> SessionCreated {
    SessionCreated {
        agent: "demo".to_owned(),
        mode: Mode::Structured,
        runtime: Runtime::Streaming,
        cwd: cwd.to_owned(),
        project: Some("/code/shop".to_owned()),
        title: None,
        forked_from: None,
        forked_at: None,
        resumes: None,
        options: SessionOptions::default(),
    }
}

async fn list(store: &Store, id: ProjectId, path: &str, slug: &str) {
    let new = NewProject {
        id,
        path: path.to_owned(),
        slug: slug.to_owned(),
        at: Timestamp::from_millis(NOW),
    };
    let added = store.change_projects(vec![ProjectChange::Add(new)]).await;
    added.unwrap();
}

async fn rule(store: &Store, number: u128, scope: ProjectId, text: &str) {
    let rule = RuleRecord {
        id: RuleId::from_uuid(Uuid::from_u128(number)),
        scope: RuleScope::Project(scope),
        rule: text.to_owned(),
        decision: RuleDecision::Deny,
        created_at: Timestamp::from_millis(NOW),
        client: None,
        approval: None,
    };
    store
        .change_rules(vec![RuleChange::Added(rule)])
        .await
        .unwrap();
}

#[tokio::test]
async fn what_belongs_to_a_project_follows_it_and_is_counted_once() {
    let scratch = Scratch::new();
    let store = scratch.open();
    let first = vec![
        draft(created("/code/shop/src")),
        said(1, "hello"),
        turn_done(NOW, Some(0.5), 10),
    ];
    store.append(creating(session(1), first)).await.unwrap();
    list(&store, project(), "/code/shop", "shop").await;
    list(&store, elsewhere(), "/code/store", "store").await;
    rule(&store, 1, project(), "Bash(rm:*)").await;
    rule(&store, 2, project(), "Bash(dd:*)").await;
    rule(&store, 3, elsewhere(), "Bash(rm:*)").await;
    store.begin_moves(vec![moved()]).await.unwrap();
    assert_eq!(store.pending_moves().await.unwrap(), [moved()]);
    // The old folder does not come back to the list while its sessions follow.
    assert!(store.unlisted_folders().await.unwrap().is_empty());
    let follow = SessionUpdated {
        moved: Some(Box::new(Moved {
            from: "/code/shop".to_owned(),
            to: "/code/store".to_owned(),
            project_id: elsewhere(),
        })),
        ..SessionUpdated::default()
    };
    let more = vec![draft(follow), turn_done(NOW, Some(0.25), 1)];
    store.append(events(session(1), more)).await.unwrap();
    store.finish_moves().await.unwrap();
    assert!(store.pending_moves().await.unwrap().is_empty());

    let row = store.session_row(session(1)).await.unwrap().unwrap();
    assert_eq!(row.cwd.as_deref(), Some("/code/store/src"));
    assert_eq!(row.project_id, elsewhere());
    let log = read_all(&store, session(1)).await;
    let ids: Vec<_> = log
        .iter()
        .map(|event| event.envelope().unwrap().project_id)
        .collect();
    assert_eq!(ids[..4], [project(); 4], "what was recorded stays");
    assert_eq!(ids[4], elsewhere());
    let mut again = projection::SessionRow::new(session(1), project(), row.started_at);
    for event in &log {
        projection::apply(&mut again, &event.envelope().unwrap());
    }
    assert_eq!(row, again);
    for (id, count) in [(project(), 0), (elsewhere(), 1)] {
        let filter = SessionFilter {
            project: Some(id),
            ..SessionFilter::default()
        };
        let page = store.sessions(filter, None, 10).await.unwrap();
        assert_eq!(page.items.len(), count);
        let hits = store.search("hello", Some(id), 10, None).await.unwrap();
        assert_eq!(hits.items.len(), count);
    }

    let rules = store.rules().await.unwrap();
    let rules: Vec<_> = rules.iter().map(|rule| (&*rule.rule, rule.scope)).collect();
    let there = RuleScope::Project(elsewhere());
    assert_eq!(rules, [("Bash(dd:*)", there), ("Bash(rm:*)", there)]);
    let usage = store.usage(UsageFilter::default()).await.unwrap();
    let [usage] = usage.as_slice() else {
        panic!("{usage:?}");
    };
    assert_eq!((usage.project_id, usage.turns), (elsewhere(), 2));
    assert!((usage.cost_usd - 0.75).abs() < 1e-9);

    let listed = store.project_list().await.unwrap();
    let listed: Vec<_> = listed.iter().map(|one| (&*one.slug, &*one.path)).collect();
    assert_eq!(listed, [("shop", "/code/store")]);
    // Its own slug stays with the folder that is gone.
    let old = store.project(ProjectKey::Slug("store".to_owned())).await;
    let old = old.unwrap().unwrap();
    assert_eq!((&*old.path, old.listed), ("/code/shop", false));
    assert!(store.check().await.unwrap().is_ok());
}
