//! Links that show one session: how long, and who may end them.

use std::time::Duration;

use baton_protocol::SessionId;
use baton_server::auth::{LinkError, LoginError, LoginSecret, MOST_SHARES, Principal, Scope};
use tokio::time::timeout;
use uuid::Uuid;

use super::world::House;

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

fn session() -> SessionId {
    SessionId::from_uuid(Uuid::from_u128(7))
}

async fn shared(house: &House, by: &Principal) -> baton_server::auth::Share {
    let made = house.auth.share(by, session(), Some("Fix it"), DAY).await;
    made.unwrap()
}

#[tokio::test]
async fn a_shared_link_shows_its_session_until_its_end_and_over_a_restart() {
    let mut house = House::new().await;
    let link = shared(&house, &Principal::terminal()).await;
    house.restart().await;
    let guest = house.auth.check(link.token.expose()).await.unwrap();
    assert_eq!((guest.only, guest.scope), (Some(session()), Scope::Observe));
    let listed = house.auth.devices(&Principal::terminal());
    assert_eq!(listed[0].session_id, Some(session()));
    assert_eq!(listed[0].name, "Link to “Fix it”");
    house.pass(DAY - Duration::from_millis(1));
    assert!(!guest.is_revoked());
    house.auth.check(link.token.expose()).await.unwrap();
    house.pass(Duration::from_millis(1));
    assert!(
        guest.is_revoked(),
        "a request that is long under way ends too"
    );
    timeout(DAY, guest.until_revoked()).await.unwrap();
    assert!(house.auth.check(link.token.expose()).await.is_err());
    assert!(house.auth.devices(&Principal::terminal()).is_empty());
    house.restart().await;
    assert!(house.auth.check(link.token.expose()).await.is_err());
}

#[tokio::test]
async fn a_shared_link_is_ended_like_a_device_and_with_who_made_it() {
    let house = House::new().await;
    let admin = house.with_token().await;
    let maker = house.auth.check(admin.token.expose()).await.unwrap();
    let one = shared(&house, &maker).await;
    let guest = house.auth.check(one.token.expose()).await.unwrap();
    assert!(house.auth.revoke(one.device.id).await.unwrap());
    assert!(guest.is_revoked());
    assert!(house.auth.check(one.token.expose()).await.is_err());
    // It rests on what its maker rests on.
    let other = shared(&house, &maker).await;
    house.auth.rotate_token().await.unwrap();
    assert!(house.auth.check(other.token.expose()).await.is_err());
    let late = house.auth.share(&maker, session(), None, DAY).await;
    assert!(matches!(late, Err(LinkError::TooMuch)));
}

#[tokio::test]
async fn a_shared_link_lets_nobody_in_and_makes_no_other() {
    let house = House::new().await;
    let link = shared(&house, &Principal::terminal()).await;
    for secret in [
        LoginSecret::Token(link.token.clone()),
        LoginSecret::Link(link.token.clone()),
    ] {
        let refused = house.login(secret).await;
        assert!(matches!(refused, Err(LoginError::Refused)));
    }
    let guest = house.auth.check(link.token.expose()).await.unwrap();
    let more = house.auth.share(&guest, session(), None, DAY).await;
    assert!(matches!(more, Err(LinkError::TooMuch)));
    let device = house.auth.make_link(&guest, Scope::Observe).await;
    assert!(matches!(device, Err(LinkError::TooMuch)), "it sees more");
}

#[tokio::test]
async fn shared_links_are_bounded_and_those_that_ran_out_make_room() {
    let house = House::new().await;
    let terminal = Principal::terminal();
    for _ in 0..MOST_SHARES {
        shared(&house, &terminal).await;
    }
    let more = house.auth.share(&terminal, session(), None, DAY).await;
    assert!(matches!(
        more,
        Err(LinkError::TooMany { most: MOST_SHARES })
    ));
    house.pass(DAY);
    shared(&house, &terminal).await;
    assert_eq!(house.auth.devices(&terminal).len(), 1);
}

#[tokio::test]
async fn the_address_has_the_session_and_keeps_the_secret_after_the_hash() {
    let house = House::new().await;
    let link = shared(&house, &Principal::terminal()).await;
    let url = link.url("http://127.0.0.1:2633/");
    let token = link.token.expose();
    let expected = format!("http://127.0.0.1:2633/s/{}#share={token}", session());
    assert_eq!(url.expose(), expected);
}
