//! What must be true of a life that is over, whatever died in it.

use baton_protocol::{Envelope, Seq, words::SessionState};
use baton_session::machine::Facts;
use baton_store::Store;

use super::{accounts, house::House, life::Said, rules};

/// Everything there is to check after the daemon was stopped.
pub(super) fn check(house: &House, seen: &[Envelope], script: &[Said]) {
    rules::check(seen);
    // A holder whose agent was given up ends by itself.
    house.until("no process is left", |house| house.running().is_empty());
    stored(house, seen);
    accounts::messages(
        seen,
        script.iter().map(|said| (said.id, said.text.as_str())),
    );
    accounts::effects(seen, &house.effects());
}

/// The log is what the reader saw, and what the log is summed up to.
fn stored(house: &House, seen: &[Envelope]) {
    let path = house.sandbox.data().join("baton.db");
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    let look = async {
        let store = Store::open_read_only(&path).unwrap();
        let session = seen[0].session_id;
        let log = store.read_after(session, Seq::START, 5000).await.unwrap();
        let log: Vec<_> = log.iter().map(|event| event.envelope().unwrap()).collect();
        let row = store.session_row(session).await.unwrap().unwrap();
        let open = store.open_approvals(None).await.unwrap().len();
        let holders = store.holders().await.unwrap().len();
        store.close().await;
        (log, row, open, holders)
    };
    let (log, row, open, holders) = runtime.block_on(look);
    assert_eq!(log, seen, "the reader has the log");
    let facts = Facts::replay(&log);
    assert_eq!(Some(row.state), facts.state);
    assert!(
        matches!(row.state, SessionState::Idle | SessionState::Ended),
        "nothing runs: {}",
        row.state
    );
    assert_eq!(row.event_count, log.len() as u64);
    assert_eq!((open, holders), (0, 0));
}
