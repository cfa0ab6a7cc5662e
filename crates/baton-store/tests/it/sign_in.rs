//! Sign-in as it is kept: attempts, links, who let whom in.

use std::time::Duration;

use baton_protocol::{
    DeviceId, Timestamp,
    words::{AccessScope, SignInMethod},
};
use baton_store::{Attempt, AttemptLimit, Counted, DeviceRecord, LinkRecord, SignInValue, Store};
use uuid::Uuid;

use crate::support::Scratch;

const BEGIN: Timestamp = Timestamp::from_millis(1_794_725_041_522);
const SECOND: Duration = Duration::from_secs(1);

fn device(number: u8, via: SignInMethod, let_in_by: Option<String>) -> DeviceRecord {
    DeviceRecord {
        id: DeviceId::from_uuid(Uuid::from_u128(u128::from(number))),
        hash: [number; 32],
        name: format!("device {number}"),
        scope: AccessScope::Admin,
        via,
        let_in_by,
        created_at: BEGIN,
        last_used_at: BEGIN,
    }
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
async fn a_new_secret_signs_out_who_used_the_old_one_and_whom_they_let_in() {
    let scratch = Scratch::new();
    let store = scratch.open();
    let by = |number: u8| Some(device(number, SignInMethod::Pin, None).id.to_string());
    for device in [
        device(1, SignInMethod::Pin, None),
        device(2, SignInMethod::Link, by(1)),
        device(3, SignInMethod::Link, by(2)),
        device(4, SignInMethod::Token, None),
        device(5, SignInMethod::Link, by(4)),
        device(6, SignInMethod::Link, Some("terminal".into())),
    ] {
        store.add_device(device).await.unwrap();
    }
    let link = LinkRecord {
        hash: [9; 32],
        scope: AccessScope::Observe,
        made_by: by(3).unwrap(),
        created_at: BEGIN,
        expires_at: BEGIN.plus(SECOND),
    };
    assert!(store.add_link(link, 1).await.unwrap());
    let set = store.set_sign_in_value(SignInValue::Pin, Some("hash".into()));
    let gone = set.await.unwrap();
    assert_eq!(gone.len(), 3);
    let left = store.devices().await.unwrap();
    let left: Vec<_> = left.iter().map(|device| device.hash[0]).collect();
    assert_eq!(left, [4, 5, 6]);
    assert_eq!(store.link([9; 32], BEGIN).await.unwrap(), None);
}

#[tokio::test]
async fn a_link_is_used_up_together_with_its_device_or_not_at_all() {
    let scratch = Scratch::new();
    let store = scratch.open();
    let taken = device(1, SignInMethod::Pin, None);
    store.add_device(taken.clone()).await.unwrap();
    let link = LinkRecord {
        hash: [9; 32],
        scope: AccessScope::Observe,
        made_by: "terminal".into(),
        created_at: BEGIN,
        expires_at: BEGIN.plus(SECOND),
    };
    assert!(store.add_link(link.clone(), 1).await.unwrap());
    // A device that cannot be stored, here for its repeated id, costs no link.
    assert!(store.redeem_link([9; 32], taken).await.is_err());
    assert_eq!(store.link([9; 32], BEGIN).await.unwrap(), Some(link));
    let let_in = store.redeem_link([9; 32], device(2, SignInMethod::Link, None));
    let let_in = let_in.await.unwrap().unwrap();
    assert_eq!(let_in.scope, AccessScope::Observe);
    assert_eq!(let_in.let_in_by.as_deref(), Some("terminal"));
}
