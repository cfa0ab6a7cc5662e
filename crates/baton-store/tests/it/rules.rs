//! Answers of people that hold beyond a session: rules and trust.

use std::time::Duration;

use baton_protocol::{
    ApprovalId, ProjectId, RuleId, Timestamp,
    event::SessionEnded,
    words::{ClientRef, Decision, EndStatus, RuleDecision},
};
use baton_store::{
    Append, RetentionPolicy, RuleChange, RuleOutcome, RuleRecord, RuleScope, Store, StoreError,
    TrustRecord,
};
use uuid::Uuid;

use crate::support::{
    NOW, Scratch, asked, creating, decided, draft, events, options, project, put, session,
};

fn id(number: u128) -> RuleId {
    RuleId::from_uuid(Uuid::from_u128(number))
}

fn rule(number: u128, scope: RuleScope, text: &str) -> RuleRecord {
    RuleRecord {
        id: id(number),
        scope,
        rule: text.to_owned(),
        decision: RuleDecision::Allow,
        created_at: Timestamp::from_millis(NOW),
        client: None,
        approval: None,
    }
}

fn client() -> ClientRef {
    ClientRef {
        id: "c1".to_owned(),
        name: "\"phone\"".to_owned(),
    }
}

async fn ids(store: &Store) -> Vec<u128> {
    let rules = store.rules().await.unwrap();
    rules.iter().map(|rule| rule.id.uuid().as_u128()).collect()
}

#[tokio::test]
async fn a_rule_is_committed_with_the_answer_that_made_it_or_not_at_all() {
    let scratch = Scratch::new();
    let store = scratch.open();
    let a = session(1);
    put(&store, creating(a, vec![draft(asked(1))])).await;
    let remembered = RuleRecord {
        client: Some(client()),
        approval: Some(ApprovalId::from_uuid(Uuid::from_u128(1))),
        ..rule(1, RuleScope::Session(a), "Bash(ls:*)")
    };
    let answer = |rules| Append {
        rules,
        ..events(a, vec![draft(decided(1, Decision::Allow))])
    };
    // The second rule takes the id of the first: neither they nor the answer stay.
    let clash = vec![
        RuleChange::Added(remembered.clone()),
        RuleChange::Added(rule(1, RuleScope::User, "Read")),
    ];
    let refused = store.append(answer(clash)).await;
    assert!(matches!(refused, Err(StoreError::Database { .. })));
    assert!(store.rules().await.unwrap().is_empty());
    assert_eq!(store.open_approvals(None).await.unwrap().len(), 1);

    let added = vec![RuleChange::Added(remembered.clone())];
    let committed = store.append(answer(added)).await.unwrap();
    assert_eq!(committed.rules, [RuleOutcome::Added(id(1))]);
    assert!(store.open_approvals(None).await.unwrap().is_empty());
    store.close().await;
    let store = scratch.open();
    assert_eq!(store.rules().await.unwrap(), [remembered]);
}

#[tokio::test]
async fn the_same_rule_again_keeps_the_first_and_says_so() {
    let store = Store::in_memory(&options()).unwrap();
    let (here, there) = (
        RuleScope::Project(project()),
        RuleScope::Project(ProjectId::from_digest(&[1; 32])),
    );
    let denied = RuleRecord {
        decision: RuleDecision::Deny,
        ..rule(5, RuleScope::User, "Bash")
    };
    let changes = [
        rule(1, RuleScope::User, "Bash"),
        rule(2, RuleScope::User, "Bash"),
        rule(3, here, "Bash"),
        rule(4, there, "Bash"),
        denied,
        rule(6, here, "Bash"),
        rule(7, here, "Bash(ls)"),
    ];
    let changes = changes.into_iter().map(RuleChange::Added).collect();
    let outcomes = store.change_rules(changes).await.unwrap();
    let expected = [
        RuleOutcome::Added(id(1)),
        RuleOutcome::Kept(id(1)),
        RuleOutcome::Added(id(3)),
        RuleOutcome::Added(id(4)),
        RuleOutcome::Added(id(5)),
        RuleOutcome::Kept(id(3)),
        RuleOutcome::Added(id(7)),
    ];
    assert_eq!(outcomes, expected);
    assert_eq!(ids(&store).await, [1, 3, 4, 5, 7]);

    let removals = [3, 2].map(|number| RuleChange::Removed { id: id(number) });
    let outcomes = store.change_rules(removals.to_vec()).await.unwrap();
    let wanted = [RuleOutcome::Removed(id(3)), RuleOutcome::Absent(id(2))];
    assert_eq!(outcomes, wanted);
    assert_eq!(ids(&store).await, [1, 4, 5, 7]);
}

#[tokio::test]
async fn a_session_takes_its_rules_along_and_no_other() {
    let scratch = Scratch::new();
    let store = scratch.open();
    let ended = draft(SessionEnded {
        status: EndStatus::Completed,
        reason: None,
        exit_code: None,
        error: None,
    });
    for number in [1, 2] {
        put(&store, creating(session(number), Vec::new())).await;
    }
    let changes = vec![
        RuleChange::Added(rule(1, RuleScope::Session(session(1)), "Bash")),
        RuleChange::Added(rule(2, RuleScope::Session(session(2)), "Bash")),
        RuleChange::Added(rule(3, RuleScope::Project(project()), "Bash")),
        RuleChange::Added(rule(4, RuleScope::User, "Bash")),
    ];
    store.change_rules(changes).await.unwrap();
    store.append(events(session(1), vec![ended])).await.unwrap();
    let policy = RetentionPolicy {
        max_age: Some(Duration::ZERO),
        ..RetentionPolicy::default()
    };
    let later = Timestamp::from_millis(NOW + 1000);
    assert_eq!(store.retain(policy, later).await.unwrap().len(), 1);
    assert_eq!(ids(&store).await, [2, 3, 4]);

    // A rule for what is gone would stay for ever.
    let orphan = rule(5, RuleScope::Session(session(1)), "Bash");
    let both = vec![RuleChange::Removed { id: id(2) }, RuleChange::Added(orphan)];
    let refused = store.change_rules(both).await;
    assert!(matches!(refused, Err(StoreError::UnknownSession(_))));
    assert_eq!(ids(&store).await, [2, 3, 4]);
}

#[tokio::test]
async fn the_last_answer_about_a_folder_counts() {
    let scratch = Scratch::new();
    let store = scratch.open();
    assert_eq!(store.trust(project()).await.unwrap(), None);
    let accepted = TrustRecord {
        project_id: project(),
        path: "/p".to_owned(),
        digest: "d1".to_owned(),
        accepted: true,
        at: Timestamp::from_millis(NOW),
        client: Some(client()),
    };
    store.set_trust(accepted.clone()).await.unwrap();
    assert_eq!(store.trust(project()).await.unwrap(), Some(accepted));
    let refused = TrustRecord {
        project_id: project(),
        path: "/p".to_owned(),
        digest: "d2".to_owned(),
        accepted: false,
        at: Timestamp::from_millis(NOW + 1),
        client: None,
    };
    store.set_trust(refused.clone()).await.unwrap();
    store.close().await;
    let store = scratch.open();
    assert_eq!(store.trust(project()).await.unwrap(), Some(refused));
    let other = ProjectId::from_digest(&[1; 32]);
    assert_eq!(store.trust(other).await.unwrap(), None);
    let reader = Store::open_read_only(&scratch.path()).unwrap();
    let none = reader.change_rules(Vec::new()).await;
    assert!(matches!(none, Err(StoreError::ReadOnly)));
}
