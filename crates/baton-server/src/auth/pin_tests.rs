use super::*;

#[track_caller]
fn check(pin: &str, expected: &str) {
    let told = match allowed(&Secret::from(pin)) {
        Ok(()) => "allowed",
        Err(PinError::Shape) => "shape",
        Err(PinError::Trivial) => "trivial",
        Err(other) => panic!("{other}"),
    };
    assert_eq!(told, expected, "{pin}");
}

#[test]
fn a_pin_has_six_digits_or_more_and_nothing_else() {
    check("83910", "shape");
    check("", "shape");
    check("83910a", "shape");
    check("8391 02", "shape");
    check("٨٣٩١٠٢", "shape");
    check(&"839102".repeat(11), "shape");
    check("839102", "allowed");
    check("83910274", "allowed");
}

#[test]
fn a_pin_that_anyone_would_try_first_is_refused() {
    for pin in [
        "000000", "111111", "123456", "654321", "234567", "890123", "246802", "121212", "123123",
        "112233", "998877", "12345678", "00000000",
    ] {
        check(pin, "trivial");
    }
    for pin in ["112234", "123457", "190583", "121213"] {
        check(pin, "allowed");
    }
}

#[test]
fn addresses_of_one_subscriber_count_together() {
    let same =
        |one: &str, other: &str| address(one.parse().unwrap()) == address(other.parse().unwrap());
    assert!(same("192.0.2.7", "::ffff:192.0.2.7"));
    assert!(same("2001:db8:1:2::1", "2001:db8:1:2:ffff::9"));
    assert!(!same("2001:db8:1:2::1", "2001:db8:1:3::1"));
    assert!(!same("192.0.2.7", "192.0.2.8"));
}
