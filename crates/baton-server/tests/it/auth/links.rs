//! One-time links.

use baton_protocol::api::Secret;
use baton_server::auth::{LINK_LIFE, LinkError, LoginError, LoginSecret, Principal, Scope};
use tokio::task::JoinSet;

use super::world::House;

async fn link(house: &House, scope: Scope) -> Secret {
    let link = house.auth.make_link(&Principal::terminal(), scope).await;
    link.unwrap().secret
}

#[tokio::test]
async fn a_link_lets_one_device_in_with_its_scope() {
    let mut house = House::new().await;
    let link = link(&house, Scope::Observe).await;
    house.restart().await;
    let login = house.login(LoginSecret::Link(link.clone())).await.unwrap();
    assert_eq!(login.device.scope, Scope::Observe);
    assert_eq!(login.device.let_in_by.as_deref(), Some("terminal"));
    let guest = house.auth.check(login.token.expose()).await.unwrap();
    assert!(guest.needs(Scope::Observe).is_ok());
    assert!(guest.needs(Scope::Operate).is_err());
    let again = house.login(LoginSecret::Link(link)).await;
    assert!(matches!(again, Err(LoginError::Refused)));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_many_who_use_a_link_at_once_one_is_let_in() {
    let house = House::new().await;
    let link = link(&house, Scope::Operate).await;
    let mut tries = JoinSet::new();
    for _ in 0..32 {
        let (auth, link) = (std::sync::Arc::clone(&house.auth), link.clone());
        tries.spawn(async move {
            let secret = LoginSecret::Link(link);
            auth.login(super::world::HERE, secret, None).await.is_ok()
        });
    }
    let let_in = tries.join_all().await;
    assert_eq!(let_in.iter().filter(|ok| **ok).count(), 1);
    assert_eq!(house.auth.devices(&Principal::terminal()).len(), 1);
}

#[tokio::test]
async fn a_link_expires() {
    let house = House::new().await;
    let (early, late) = (
        link(&house, Scope::Operate).await,
        link(&house, Scope::Operate).await,
    );
    house.pass(LINK_LIFE - std::time::Duration::from_millis(1));
    house.login(LoginSecret::Link(early)).await.unwrap();
    house.pass(std::time::Duration::from_millis(1));
    let refused = house.login(LoginSecret::Link(late)).await;
    assert!(matches!(refused, Err(LoginError::Refused)));
}

#[tokio::test]
async fn nobody_hands_on_more_than_they_have_nor_after_they_left() {
    let house = House::new().await;
    let secret = LoginSecret::Link(link(&house, Scope::Operate).await);
    let login = house.login(secret).await.unwrap();
    let worker = house.auth.check(login.token.expose()).await.unwrap();
    let more = house.auth.make_link(&worker, Scope::Admin).await;
    assert!(matches!(more, Err(LinkError::TooMuch)));
    let made = house.auth.make_link(&worker, Scope::Observe).await.unwrap();
    house.auth.revoke(login.device.id).await.unwrap();
    let late = house.auth.make_link(&worker, Scope::Observe).await;
    assert!(matches!(late, Err(LinkError::TooMuch)));
    assert!(house.login(LoginSecret::Link(made.secret)).await.is_err());
}

#[tokio::test]
async fn links_that_wait_are_bounded_and_expired_ones_make_room() {
    let house = House::new().await;
    for _ in 0..64 {
        link(&house, Scope::Observe).await;
    }
    let terminal = Principal::terminal();
    let more = house.auth.make_link(&terminal, Scope::Observe).await;
    assert!(matches!(more, Err(LinkError::TooMany { most: 64 })));
    house.pass(LINK_LIFE);
    link(&house, Scope::Observe).await;
}

#[tokio::test]
async fn a_link_stands_after_the_hash_of_its_address() {
    let house = House::new().await;
    let terminal = Principal::terminal();
    let made = house.auth.make_link(&terminal, Scope::Admin).await.unwrap();
    let url = made.url("http://127.0.0.1:2633/");
    let expected = format!("http://127.0.0.1:2633/#link={}", made.secret.expose());
    assert_eq!(url.expose(), expected);
}
