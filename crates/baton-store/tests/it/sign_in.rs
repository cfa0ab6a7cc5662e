//! Sign-in as it is kept: attempts, links, who let whom in.

use std::time::Duration;

use baton_protocol::{
    DeviceId, Timestamp,
    words::{AccessScope, SignInMethod},
};
use baton_store::{
    Attempt, AttemptLimit, Counted, DeviceRecord, LinkRecord, SignInRecord, SignInRoot,
    SignInValue, Store,
};
use rusqlite::Connection;
use uuid::Uuid;

use crate::support::Scratch;

const BEGIN: Timestamp = Timestamp::from_millis(1_794_725_041_522);
const SECOND: Duration = Duration::from_secs(1);

fn device(number: u8, root: SignInRoot) -> DeviceRecord {
    DeviceRecord {
        id: id(number),
        hash: [number; 32],
        name: format!("device {number}"),
        scope: AccessScope::Admin,
        via: match root {
            SignInRoot::Pin => SignInMethod::Pin,
            SignInRoot::Token => SignInMethod::Token,
            SignInRoot::Terminal | SignInRoot::Unknown => SignInMethod::Link,
        },
        let_in_by: None,
        root,
        share: None,
        created_at: BEGIN,
        last_used_at: BEGIN,
    }
}

fn id(number: u8) -> DeviceId {
    DeviceId::from_uuid(Uuid::from_u128(u128::from(number)))
}

fn kept(value: &str) -> SignInRecord {
    SignInRecord {
        value: value.into(),
        configured: false,
    }
}

fn link(number: u8, made_by: &str) -> LinkRecord {
    LinkRecord {
        hash: [number; 32],
        scope: AccessScope::Observe,
        made_by: made_by.into(),
        created_at: BEGIN,
        expires_at: BEGIN.plus(SECOND),
    }
}

/// A store with a PIN and a token, and one device of each.
async fn populated(store: &Store) {
    for (number, secret, root) in [
        (1, SignInValue::Pin, SignInRoot::Pin),
        (4, SignInValue::Token, SignInRoot::Token),
    ] {
        store
            .set_sign_in_value(secret, Some(kept("first")))
            .await
            .unwrap();
        let added = store.add_device(device(number, root), secret, "first".into());
        assert!(added.await.unwrap());
    }
}

/// Lets a device in by a link that another made.
async fn let_in(store: &Store, number: u8, by: &str) {
    assert!(store.add_link(link(100, by), 9).await.unwrap());
    let redeemed = store.redeem_link([100; 32], device(number, SignInRoot::Unknown));
    assert!(redeemed.await.unwrap().is_some());
}

async fn numbers(store: &Store) -> Vec<u8> {
    let devices = store.devices().await.unwrap();
    devices.iter().map(|device| device.hash[0]).collect()
}

async fn count(store: &Store, at: Timestamp) -> Counted {
    let limit = AttemptLimit {
        most: 2,
        within: 10 * SECOND,
        per_address: true,
    };
    let attempt = Attempt {
        at,
        address: "here".into(),
    };
    store.count_attempt(attempt, vec![limit]).await.unwrap()
}

#[tokio::test]
async fn attempts_count_until_they_are_long_ago_whatever_the_clock_does() {
    let scratch = Scratch::new();
    let store = scratch.open();
    let late = BEGIN.plus(1000 * SECOND);
    assert!(matches!(count(&store, late).await, Counted::Allowed { .. }));
    let allowed = count(&store, late.plus(SECOND)).await;
    assert!(matches!(allowed, Counted::Allowed { .. }));
    let limited = Counted::Limited {
        until: late.plus(10 * SECOND),
    };
    assert_eq!(count(&store, late.plus(2 * SECOND)).await, limited);
    // The clock is set back: what was in the future counts from now on.
    let limited = Counted::Limited {
        until: BEGIN.plus(10 * SECOND),
    };
    assert_eq!(count(&store, BEGIN).await, limited);
    let again = count(&store, BEGIN.plus(10 * SECOND)).await;
    assert!(matches!(again, Counted::Allowed { .. }));
}

#[tokio::test]
async fn a_new_secret_signs_out_all_who_rest_on_the_old_one() {
    let scratch = Scratch::new();
    let store = scratch.open();
    populated(&store).await;
    let_in(&store, 2, &id(1).to_string()).await;
    let_in(&store, 3, &id(2).to_string()).await;
    let_in(&store, 5, &id(4).to_string()).await;
    let_in(&store, 6, "terminal").await;
    let_in(&store, 7, "token").await;
    store
        .add_link(link(9, &id(3).to_string()), 1)
        .await
        .unwrap();
    // Who has left takes nobody along, and shields nobody either.
    assert!(store.remove_device(id(2)).await.unwrap());
    assert!(store.remove_device(id(4)).await.unwrap());
    assert_eq!(numbers(&store).await, [1, 3, 5, 6, 7]);

    let again = store.set_sign_in_value(SignInValue::Pin, Some(kept("first")));
    assert!(again.await.unwrap().is_empty());
    let changed = store.set_sign_in_value(SignInValue::Pin, Some(kept("second")));
    assert_eq!(changed.await.unwrap(), [id(1), id(3)]);
    assert_eq!(store.link([9; 32], BEGIN).await.unwrap(), None);
    let changed = store.set_sign_in_value(SignInValue::Token, Some(kept("second")));
    assert_eq!(changed.await.unwrap(), [id(5), id(7)]);
    assert_eq!(numbers(&store).await, [6]);
}

#[tokio::test]
async fn a_device_that_was_judged_by_an_old_secret_is_not_let_in() {
    let scratch = Scratch::new();
    let store = scratch.open();
    populated(&store).await;
    let change = store.set_sign_in_value(SignInValue::Pin, Some(kept("second")));
    change.await.unwrap();
    let late = |judged_by: &str| {
        let new = device(8, SignInRoot::Pin);
        store.add_device(new, SignInValue::Pin, judged_by.to_owned())
    };
    assert!(!late("first").await.unwrap());
    assert!(late("second").await.unwrap());
    let cleared = store.set_sign_in_value(SignInValue::Pin, None);
    assert_eq!(cleared.await.unwrap(), [id(8)]);
    assert!(!late("second").await.unwrap());
}

#[tokio::test]
async fn an_older_log_learns_what_its_devices_rest_on() {
    let scratch = Scratch::new();
    let store = scratch.open();
    populated(&store).await;
    let_in(&store, 2, &id(1).to_string()).await;
    let_in(&store, 3, &id(2).to_string()).await;
    let_in(&store, 5, &id(4).to_string()).await;
    let_in(&store, 6, "terminal").await;
    let_in(&store, 7, "token").await;
    store.remove_device(id(4)).await.unwrap();
    let mut known = store.devices().await.unwrap();
    store.close().await;
    let conn = Connection::open(scratch.path()).unwrap();
    conn.execute_batch(
        "ALTER TABLE devices DROP COLUMN session; ALTER TABLE devices DROP COLUMN expires_at;
         DROP INDEX messages_by_id; ALTER TABLE devices DROP COLUMN root;
         ALTER TABLE sign_in DROP COLUMN configured;
         PRAGMA user_version = 5;",
    )
    .unwrap();
    drop(conn);

    let store = scratch.open();
    // Nothing tells any more whom the one that left came in by.
    let orphan = known.iter_mut().find(|device| device.id == id(5));
    orphan.unwrap().root = SignInRoot::Unknown;
    assert_eq!(store.devices().await.unwrap(), known);
    let wanted = Some(kept("first"));
    assert_eq!(store.sign_in_value(SignInValue::Pin).await.unwrap(), wanted);
    let changed = store.set_sign_in_value(SignInValue::Pin, Some(kept("second")));
    assert_eq!(changed.await.unwrap(), [id(1), id(2), id(3), id(5)]);
}

#[tokio::test]
async fn a_link_is_used_up_together_with_its_device_or_not_at_all() {
    let scratch = Scratch::new();
    let store = scratch.open();
    populated(&store).await;
    let waiting = link(9, "terminal");
    assert!(store.add_link(waiting.clone(), 1).await.unwrap());
    // A device that cannot be stored, here for its repeated id, costs no link.
    let taken = device(1, SignInRoot::Unknown);
    assert!(store.redeem_link([9; 32], taken).await.is_err());
    assert_eq!(store.link([9; 32], BEGIN).await.unwrap(), Some(waiting));
    let let_in = store.redeem_link([9; 32], device(2, SignInRoot::Unknown));
    let let_in = let_in.await.unwrap().unwrap();
    assert_eq!(let_in.scope, AccessScope::Observe);
    assert_eq!(let_in.let_in_by.as_deref(), Some("terminal"));
    assert_eq!(let_in.root, SignInRoot::Terminal);
}

#[tokio::test]
async fn a_link_of_a_device_that_has_left_lets_nobody_in() {
    let scratch = Scratch::new();
    let store = scratch.open();
    populated(&store).await;
    assert!(store.remove_device(id(4)).await.unwrap());
    let late = link(9, &id(4).to_string());
    assert!(store.add_link(late, 1).await.unwrap());
    let redeemed = store.redeem_link([9; 32], device(2, SignInRoot::Unknown));
    assert_eq!(redeemed.await.unwrap(), None);
    assert_eq!(numbers(&store).await, [1]);
}
