//! Devices: listed, used, signed out.

use std::time::Duration;

use baton_protocol::{
    DeviceId,
    api::{Problem, ProblemCode, Secret},
    words::SignInMethod,
};
use baton_server::auth::{LoginError, LoginSecret, Principal, STREAMS_OF_A_DEVICE, Scope};
use baton_session::{RealWorld, World};

use super::world::House;

#[tokio::test]
async fn a_revoked_device_is_out_at_once_and_for_good() {
    let mut house = House::new().await;
    let (one, two) = (house.with_token().await, house.with_token().await);
    let open = house.auth.check(one.token.expose()).await.unwrap();
    let other = house.auth.check(two.token.expose()).await.unwrap();
    assert!(house.auth.revoke(one.device.id).await.unwrap());
    open.until_revoked().await;
    assert!(!other.is_revoked());
    assert!(house.auth.check(one.token.expose()).await.is_err());
    assert!(!house.auth.revoke(one.device.id).await.unwrap());
    house.restart().await;
    assert!(house.auth.check(one.token.expose()).await.is_err());
    house.auth.check(two.token.expose()).await.unwrap();
}

#[tokio::test]
async fn signing_out_ends_the_device_and_leaves_the_token() {
    let house = House::new().await;
    let login = house.with_token().await;
    let device = house.auth.check(login.token.expose()).await.unwrap();
    assert!(house.auth.logout(&device).await.unwrap());
    assert!(house.auth.check(login.token.expose()).await.is_err());
    let token = house.auth.check(&house.token()).await.unwrap();
    assert!(!house.auth.logout(&token).await.unwrap());
    house.auth.check(&house.token()).await.unwrap();
    let unknown = DeviceId::from_uuid(RealWorld.id());
    assert!(!house.auth.revoke(unknown).await.unwrap());
}

#[tokio::test]
async fn the_list_tells_who_signed_in_how_and_when_it_was_last_used() {
    let mut house = House::new().await;
    let login = house.with_token().await;
    let begun = login.device.created_at;
    let device = house.auth.check(login.token.expose()).await.unwrap();
    house.pass(Duration::from_secs(59));
    house.auth.check(login.token.expose()).await.unwrap();
    let seen = &house.auth.devices(&device)[0];
    assert!(seen.current);
    assert_eq!(seen.via, SignInMethod::Token);
    assert_eq!(seen.last_used_at, begun.plus(Duration::from_secs(59)));
    // Not written before a minute has passed, and written then.
    assert_eq!(house.store.devices().await.unwrap()[0].last_used_at, begun);
    house.pass(Duration::from_secs(1));
    house.auth.check(login.token.expose()).await.unwrap();
    house.restart().await;
    let seen = &house.auth.devices(&Principal::terminal())[0];
    assert!(!seen.current);
    assert_eq!(seen.last_used_at, begun.plus(Duration::from_secs(60)));
}

#[tokio::test]
async fn one_device_too_many_signs_out_the_one_used_least_recently() {
    let house = House::new().await;
    let first = house.with_token().await;
    house.pass(Duration::from_secs(1));
    let second = house.with_token().await;
    for _ in 0..254 {
        house.pass(Duration::from_secs(1));
        house.with_token().await;
    }
    house.auth.check(first.token.expose()).await.unwrap();
    house.with_token().await;
    house.auth.check(first.token.expose()).await.unwrap();
    assert!(house.auth.check(second.token.expose()).await.is_err());
    assert_eq!(house.store.devices().await.unwrap().len(), 256);
}

#[tokio::test]
async fn a_weak_device_never_signs_out_a_stronger_one() {
    let house = House::new().await;
    house.auth.set_pin(Some("839102".into())).await.unwrap();
    let pin = || LoginSecret::Pin("839102".into());
    for _ in 0..254 {
        house.with_token().await;
    }
    house.pass(Duration::from_secs(1));
    let observer = link(&house, Scope::Observe).await;
    let observer = house.login(LoginSecret::Link(observer)).await.unwrap();
    let first = house.login(pin()).await.unwrap();
    house.pass(Duration::from_secs(1));
    // The weakest is the newest here, and goes all the same; then one's equal.
    let second = house.login(pin()).await.unwrap();
    assert!(house.auth.check(observer.token.expose()).await.is_err());
    let third = house.login(pin()).await.unwrap();
    assert!(house.auth.check(first.token.expose()).await.is_err());
    for weak in [second, third] {
        assert!(house.auth.revoke(weak.device.id).await.unwrap());
        house.with_token().await;
    }

    let full = house.login(pin()).await.unwrap_err();
    assert!(matches!(full, LoginError::Full { most: 256 }));
    assert_eq!(Problem::from(full).status, 429);
    let devices = house.store.devices().await.unwrap();
    assert_eq!(devices.len(), 256);
    assert!(devices.iter().all(|device| device.scope == Scope::Admin));
}

async fn link(house: &House, scope: Scope) -> Secret {
    let link = house.auth.make_link(&Principal::terminal(), scope).await;
    link.unwrap().secret
}

#[tokio::test]
async fn one_device_has_only_so_many_streams_open_and_leaves_the_others_theirs() {
    let house = House::new().await;
    let (one, two) = (house.with_token().await, house.with_token().await);
    let one = house.auth.check(one.token.expose()).await.unwrap();
    let two = house.auth.check(two.token.expose()).await.unwrap();
    let mut open: Vec<_> = (0..STREAMS_OF_A_DEVICE)
        .map(|_| one.open_stream().unwrap())
        .collect();
    let refused = one.open_stream().unwrap_err();
    assert_eq!((refused.code, refused.status), (ProblemCode::TooMany, 429));
    assert!(two.open_stream().is_ok());
    open.pop();
    assert!(one.open_stream().is_ok());
}
