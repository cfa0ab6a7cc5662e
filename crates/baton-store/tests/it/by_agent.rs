//! Sessions found by the name that their agent gave them.

use baton_protocol::event::SessionUpdated;
use baton_store::Store;

use crate::support::{creating, draft, events, note, options, session};

#[tokio::test]
async fn sessions_are_found_by_the_agents_own_id() {
    let store = Store::in_memory(&options()).unwrap();
    let named = |id: &str| {
        draft(SessionUpdated {
            title: None,
            agent_session_id: Some(id.to_owned()),
            options: None,
            ..SessionUpdated::default()
        })
    };
    for (number, id) in [(1, "a"), (2, "b"), (3, "a")] {
        let append = creating(session(number), vec![named(id)]);
        store.append(append).await.unwrap();
    }
    let append = creating(session(4), vec![note("nameless")]);
    store.append(append).await.unwrap();
    let found = async |ids: &[&str]| {
        let ids = ids.iter().map(|id| (*id).to_owned()).collect();
        let rows = store.sessions_by_agent_session(ids).await.unwrap();
        rows.iter().map(|row| row.id).collect::<Vec<_>>()
    };
    assert_eq!(found(&["a"]).await, [session(1), session(3)]);
    assert_eq!(found(&["c", "b"]).await, [session(2)]);
    assert_eq!(found(&[]).await, []);
    let append = events(session(2), vec![named("later")]);
    store.append(append).await.unwrap();
    assert_eq!(found(&["b"]).await, []);
    assert_eq!(found(&["later"]).await, [session(2)]);
}
