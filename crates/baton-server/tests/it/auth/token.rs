//! The API token.

use std::{os::unix::fs::PermissionsExt, sync::Arc};

use baton_protocol::api::Secret;
use baton_server::auth::{AuthOptions, LoginError, LoginSecret, Principal, Scope, TokenSource};
use tokio::task::JoinSet;

use super::world::House;

#[tokio::test]
async fn the_token_is_made_once_for_its_owner_alone_and_lets_in() {
    let mut house = House::new().await;
    let token = house.token();
    assert!(token.len() >= 43, "256 bits need 43 characters");
    let mode = std::fs::metadata(house.token_file()).unwrap().permissions();
    assert_eq!(mode.mode() & 0o777, 0o600);
    let principal = house.auth.check(&token).await.unwrap();
    assert_eq!(principal.scope, Scope::Admin);
    assert_eq!(principal.device, None);
    // Whatever became of its mode meanwhile.
    let everyone = std::fs::Permissions::from_mode(0o644);
    std::fs::set_permissions(house.token_file(), everyone).unwrap();
    house.restart().await;
    let mode = std::fs::metadata(house.token_file()).unwrap().permissions();
    assert_eq!(mode.mode() & 0o777, 0o600);
    assert_eq!(house.token(), token);
    house.auth.check(&token).await.unwrap();
}

#[tokio::test]
async fn anything_but_the_token_is_refused() {
    let house = House::new().await;
    let token = house.token();
    let mut changed = token.clone().into_bytes();
    let last = changed.last_mut().unwrap();
    *last = if *last == b'A' { b'B' } else { b'A' };
    let changed = String::from_utf8(changed).unwrap();
    let hash = "token".repeat(20);
    for wrong in [
        "",
        " ",
        "token",
        &token[1..],
        &changed,
        &format!("{token} "),
        &hash,
    ] {
        assert!(house.auth.check(wrong).await.is_err(), "{wrong:?}");
        let login = house.login(LoginSecret::Token(wrong.into())).await;
        assert!(matches!(login, Err(LoginError::Refused)), "{wrong:?}");
    }
}

#[tokio::test]
async fn a_device_gets_a_token_of_its_own_and_keeps_it_over_a_restart() {
    let mut house = House::new().await;
    let login = house.with_token().await;
    assert_ne!(login.token.expose(), house.token());
    assert_eq!(login.device.name, "phone");
    house.restart().await;
    let principal = house.auth.check(login.token.expose()).await.unwrap();
    assert_eq!(principal.device, Some(login.device.id));
    assert_eq!(principal.client.name, "phone");
}

#[tokio::test]
async fn a_rotated_token_signs_out_whoever_used_the_old_one() {
    let house = House::new().await;
    let old = house.token();
    let direct = house.auth.check(&old).await.unwrap();
    let device = house.with_token().await;
    let signed_in = house.auth.check(device.token.expose()).await.unwrap();
    // One that a device let in by the token let in.
    let link = house.auth.make_link(&signed_in, Scope::Operate).await;
    let friend = house.login(LoginSecret::Link(link.unwrap().secret)).await;
    let friend = friend.unwrap();
    let waiting = house.auth.make_link(&direct, Scope::Observe).await.unwrap();

    let new = house.auth.rotate_token().await.unwrap();

    direct.until_revoked().await;
    signed_in.until_revoked().await;
    for gone in [&old, device.token.expose(), friend.token.expose()] {
        assert!(house.auth.check(gone).await.is_err());
    }
    assert!(
        house
            .login(LoginSecret::Link(waiting.secret))
            .await
            .is_err()
    );
    house.auth.check(new.expose()).await.unwrap();
    assert_eq!(house.token(), new.expose());
}

#[tokio::test]
async fn a_rotated_token_signs_out_whom_a_device_let_in_that_has_left_since() {
    let mut house = House::new().await;
    let mut chain = vec![house.with_token().await];
    for _ in 0..2 {
        let last = chain.last().unwrap().token.expose();
        let maker = house.auth.check(last).await.unwrap();
        let link = house.auth.make_link(&maker, Scope::Admin).await.unwrap();
        let next = house.login(LoginSecret::Link(link.secret)).await.unwrap();
        assert!(house.auth.logout(&maker).await.unwrap());
        chain.push(next);
    }
    house.restart().await;
    let last = chain.last().unwrap().token.expose();
    let open = house.auth.check(last).await.unwrap();
    house.auth.rotate_token().await.unwrap();
    open.until_revoked().await;
    assert!(house.auth.check(last).await.is_err());
    assert!(house.store.devices().await.unwrap().is_empty());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn whoever_signs_in_while_the_token_is_rotated_is_out_or_was_not_let_in() {
    let house = House::new().await;
    for _ in 0..20 {
        let old = house.token();
        let mut tries = JoinSet::new();
        for _ in 0..8 {
            let (auth, old) = (Arc::clone(&house.auth), old.clone());
            tries.spawn(async move {
                let secret = LoginSecret::Token(old.as_str().into());
                auth.login(super::world::HERE, secret, None).await.ok()
            });
        }
        let rotated = house.auth.rotate_token().await.unwrap();
        for login in tries.join_all().await.into_iter().flatten() {
            assert!(house.auth.check(login.token.expose()).await.is_err());
        }
        assert!(house.auth.devices(&Principal::terminal()).is_empty());
        assert!(house.store.devices().await.unwrap().is_empty());
        let secret = LoginSecret::Token(rotated);
        let fresh = house.login(secret).await.unwrap();
        assert!(house.auth.revoke(fresh.device.id).await.unwrap());
    }
}

#[tokio::test]
async fn a_token_of_the_configuration_is_used_and_changing_it_signs_out() {
    let mut house = House::new().await;
    let given = |text: &str| AuthOptions {
        token: TokenSource::Given(Secret::from(text)),
        ..AuthOptions::local("unused".into())
    };
    let short = house.restart_with(given(&"x".repeat(31))).await;
    assert!(short.is_err());
    let (one, two) = ("1".repeat(32), "2".repeat(32));
    house.restart_with(given(&one)).await.unwrap();
    let login = house.login(LoginSecret::Token(one.as_str().into())).await;
    let device = login.unwrap();
    house.restart_with(given(&one)).await.unwrap();
    house.auth.check(device.token.expose()).await.unwrap();
    assert!(house.auth.rotate_token().await.is_err());
    house.restart_with(given(&two)).await.unwrap();
    assert!(house.auth.check(device.token.expose()).await.is_err());
    assert!(house.auth.check(&one).await.is_err());
    house.auth.check(&two).await.unwrap();
}
