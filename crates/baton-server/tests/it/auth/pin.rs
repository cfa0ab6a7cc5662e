//! The PIN and its limits.

use std::{net::IpAddr, sync::Arc, time::Duration};

use baton_protocol::api::{Problem, Secret};
use baton_server::auth::{
    AuthError, AuthOptions, LoginError, LoginSecret, PinError, Principal, Scope,
};
use tokio::task::JoinSet;

use super::world::{HERE, House};

const PIN: &str = "839102";
const OTHER: &str = "571904";
const MINUTE: Duration = Duration::from_secs(60);

async fn set(house: &House, pin: &str) {
    house.auth.set_pin(Some(Secret::from(pin))).await.unwrap();
}

/// Tries a PIN and says what became of it.
async fn attempt(house: &House, from: &str, pin: &str) -> &'static str {
    let from: IpAddr = from.parse().unwrap();
    let login = house.auth.login(from, LoginSecret::Pin(pin.into()), None);
    match login.await {
        Ok(_) => "in",
        Err(LoginError::Refused) => "refused",
        Err(LoginError::Limited { .. }) => "limited",
        Err(other) => panic!("{other}"),
    }
}

#[tokio::test]
async fn the_right_pin_lets_in_to_work_and_not_to_administrate() {
    let mut house = House::new().await;
    set(&house, PIN).await;
    house.restart().await;
    let login = house.login(LoginSecret::Pin(PIN.into())).await.unwrap();
    assert_eq!(login.device.scope, Scope::Operate);
    assert_eq!(attempt(&house, "127.0.0.1", OTHER).await, "refused");
}

#[tokio::test]
async fn guessing_is_limited_per_address_over_restarts_and_crashes() {
    let mut house = House::new().await;
    set(&house, PIN).await;
    for guess in 0..5 {
        assert_eq!(attempt(&house, "192.0.2.1", "194837").await, "refused");
        if guess % 2 == 0 {
            house.restart().await;
        }
    }
    // The right one is not even looked at, and another address is.
    assert_eq!(attempt(&house, "192.0.2.1", PIN).await, "limited");
    house.restart().await;
    assert_eq!(attempt(&house, "192.0.2.1", PIN).await, "limited");
    assert_eq!(attempt(&house, "192.0.2.2", PIN).await, "in");
    house.pass(15 * MINUTE - Duration::from_secs(1));
    let login = house.auth.login(
        "192.0.2.1".parse().unwrap(),
        LoginSecret::Pin(PIN.into()),
        None,
    );
    let limited = login.await.unwrap_err();
    assert_eq!(limited.retry_after(), Some(1));
    assert_eq!(Problem::from(limited).status, 429);
    house.pass(Duration::from_secs(1));
    assert_eq!(attempt(&house, "192.0.2.1", PIN).await, "in");
}

#[tokio::test]
async fn guessing_from_many_addresses_is_limited_in_all() {
    let mut house = House::new().await;
    set(&house, PIN).await;
    for guess in 0..20 {
        let from = format!("2001:db8:{guess}::1");
        assert_eq!(attempt(&house, &from, "194837").await, "refused");
    }
    house.restart().await;
    assert_eq!(attempt(&house, "192.0.2.9", PIN).await, "limited");
    // Whoever has the token or a link is not kept out by it.
    house.with_token().await;
    let terminal = Principal::terminal();
    let link = house.auth.make_link(&terminal, Scope::Observe).await;
    let link = LoginSecret::Link(link.unwrap().secret);
    house.login(link).await.unwrap();
    // An hour lets twenty more through; a day never more than fifty.
    let mut looked_at = 20;
    for hour in 1..24 {
        house.pass(60 * MINUTE);
        for guess in 0..25 {
            let from = format!("2001:db8:{hour:x}{guess:02x}::1");
            looked_at += i32::from(attempt(&house, &from, "194837").await == "refused");
        }
    }
    assert_eq!(looked_at, 50);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_flood_at_once_gets_no_more_looks_than_one_after_another() {
    let house = House::new().await;
    set(&house, PIN).await;
    let mut tries = JoinSet::new();
    for guess in 100_000..100_040_u32 {
        let auth = Arc::clone(&house.auth);
        tries.spawn(async move {
            let pin = Secret::new((guess * 7).to_string());
            auth.login(HERE, LoginSecret::Pin(pin), None).await
        });
    }
    let answers = tries.join_all().await;
    let looked_at = answers
        .iter()
        .filter(|answer| matches!(answer, Err(LoginError::Refused)));
    assert_eq!(looked_at.count(), 5);
}

#[tokio::test]
async fn the_right_pin_forgives_its_address_but_not_the_count_in_all() {
    let house = House::new().await;
    set(&house, PIN).await;
    for _ in 0..5 {
        for _ in 0..4 {
            assert_eq!(attempt(&house, "192.0.2.1", "194837").await, "refused");
        }
        house.pass(Duration::from_secs(1));
        let expected = attempt(&house, "192.0.2.1", PIN).await;
        assert!(["in", "limited"].contains(&expected));
    }
    assert_eq!(attempt(&house, "192.0.2.1", PIN).await, "limited");
}

#[tokio::test]
async fn nothing_tells_whether_there_is_a_pin() {
    let (with, without) = (House::new().await, House::new().await);
    set(&with, PIN).await;
    for wrong in [OTHER, "", "1", "not a pin", &"9".repeat(5000)] {
        let mut told = Vec::new();
        for house in [&with, &without] {
            let from = format!("2001:db8:{:x}::1", wrong.len());
            let from: IpAddr = from.parse().unwrap();
            let login = house.auth.login(from, LoginSecret::Pin(wrong.into()), None);
            told.push(Problem::from(login.await.unwrap_err()));
        }
        assert_eq!(told[0], told[1]);
        assert_eq!(told[0].status, 401);
    }
    for house in [&with, &without] {
        for _ in 0..5 {
            attempt(house, "192.0.2.1", OTHER).await;
        }
        assert_eq!(attempt(house, "192.0.2.1", OTHER).await, "limited");
    }
}

#[tokio::test]
async fn a_changed_pin_signs_out_who_used_it_and_the_same_one_does_not() {
    let house = House::new().await;
    set(&house, PIN).await;
    let phone = house.login(LoginSecret::Pin(PIN.into())).await.unwrap();
    let desk = house.with_token().await;
    let open = house.auth.check(phone.token.expose()).await.unwrap();
    set(&house, PIN).await;
    assert!(!open.is_revoked());
    set(&house, OTHER).await;
    open.until_revoked().await;
    assert!(house.auth.check(phone.token.expose()).await.is_err());
    house.auth.check(desk.token.expose()).await.unwrap();
    let again = house.login(LoginSecret::Pin(OTHER.into())).await.unwrap();
    house.auth.set_pin(None).await.unwrap();
    assert!(house.auth.check(again.token.expose()).await.is_err());
    assert_eq!(attempt(&house, "127.0.0.1", OTHER).await, "refused");
}

#[tokio::test]
async fn beyond_this_machine_a_pin_is_needed_and_stays() {
    let mut house = House::new().await;
    let exposed = AuthOptions {
        exposed: true,
        ..AuthOptions::local(house.token_file())
    };
    let refused = house.restart_with(exposed.clone()).await;
    assert!(matches!(refused, Err(AuthError::PinNeeded)));
    house.restart().await;
    set(&house, PIN).await;
    house.restart_with(exposed).await.unwrap();
    let cleared = house.auth.set_pin(None).await;
    assert!(matches!(cleared, Err(PinError::Needed)));
    set(&house, OTHER).await;
    assert_eq!(attempt(&house, "192.0.2.1", OTHER).await, "in");
}

#[tokio::test]
async fn the_pin_of_the_configuration_counts_and_is_changed_there() {
    let mut house = House::new().await;
    let token = house.token_file();
    let configured = |pin: &str| AuthOptions {
        pin: Some(Secret::from(pin)),
        exposed: true,
        ..AuthOptions::local(token.clone())
    };
    let trivial = house.restart_with(configured("123456")).await;
    assert!(matches!(trivial, Err(AuthError::Pin(PinError::Trivial))));
    house.restart_with(configured(PIN)).await.unwrap();
    let phone = house.login(LoginSecret::Pin(PIN.into())).await.unwrap();
    let changed = house.auth.set_pin(Some(Secret::from(OTHER))).await;
    assert!(matches!(changed, Err(PinError::Configured)));
    house.restart_with(configured(PIN)).await.unwrap();
    house.auth.check(phone.token.expose()).await.unwrap();
    house.restart_with(configured(OTHER)).await.unwrap();
    assert!(house.auth.check(phone.token.expose()).await.is_err());
}

#[tokio::test]
async fn a_pin_that_the_configuration_lets_go_of_is_no_pin() {
    let mut house = House::new().await;
    let token = house.token_file();
    let with = |pin: Option<&str>, exposed: bool| AuthOptions {
        pin: pin.map(Secret::from),
        exposed,
        ..AuthOptions::local(token.clone())
    };
    // At a start, and while it runs.
    house.restart_with(with(Some(PIN), false)).await.unwrap();
    let phone = house.login(LoginSecret::Pin(PIN.into())).await.unwrap();
    house.restart_with(with(None, false)).await.unwrap();
    assert!(house.auth.check(phone.token.expose()).await.is_err());
    assert_eq!(attempt(&house, "192.0.2.1", PIN).await, "refused");
    let settings = with(Some(PIN), false);
    house.auth.reconfigure(settings).await.unwrap();
    assert_eq!(attempt(&house, "192.0.2.2", PIN).await, "in");
    let settings = with(None, false);
    house.auth.reconfigure(settings).await.unwrap();
    assert_eq!(attempt(&house, "192.0.2.3", PIN).await, "refused");
    assert!(house.auth.devices(&Principal::terminal()).is_empty());

    // One that a person set stays, whatever the configuration had before.
    set(&house, OTHER).await;
    house.restart_with(with(None, false)).await.unwrap();
    assert_eq!(attempt(&house, "192.0.2.4", OTHER).await, "in");

    // Where there must be one, it is told, and nothing changes.
    house.restart_with(with(Some(PIN), true)).await.unwrap();
    let refused = house.auth.reconfigure(with(None, true)).await;
    assert!(matches!(refused, Err(AuthError::PinNeeded)));
    assert_eq!(attempt(&house, "192.0.2.5", PIN).await, "in");
    let refused = house.restart_with(with(None, true)).await;
    assert!(matches!(refused, Err(AuthError::PinNeeded)));
}

#[tokio::test]
async fn a_pin_that_a_person_set_and_the_configuration_names_too_goes_with_it() {
    let mut house = House::new().await;
    set(&house, PIN).await;
    let phone = house.login(LoginSecret::Pin(PIN.into())).await.unwrap();
    let named = AuthOptions {
        pin: Some(Secret::from(PIN)),
        ..AuthOptions::local(house.token_file())
    };
    house.restart_with(named).await.unwrap();
    house.auth.check(phone.token.expose()).await.unwrap();
    house.restart().await;
    assert!(house.auth.check(phone.token.expose()).await.is_err());
    assert_eq!(attempt(&house, "192.0.2.1", PIN).await, "refused");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn whoever_signs_in_while_the_pin_changes_is_out_or_was_not_let_in() {
    let house = House::new().await;
    for (old, new) in [(PIN, OTHER), (OTHER, "683105"), ("683105", PIN)] {
        set(&house, old).await;
        let mut tries = JoinSet::new();
        for number in 0..4 {
            let auth = Arc::clone(&house.auth);
            tries.spawn(async move {
                let from = IpAddr::from([192, 0, 2, number]);
                auth.login(from, LoginSecret::Pin(old.into()), None)
                    .await
                    .ok()
            });
        }
        set(&house, new).await;
        for login in tries.join_all().await.into_iter().flatten() {
            assert!(house.auth.check(login.token.expose()).await.is_err());
        }
        assert!(house.auth.devices(&Principal::terminal()).is_empty());
        assert!(house.store.devices().await.unwrap().is_empty());
    }
}
