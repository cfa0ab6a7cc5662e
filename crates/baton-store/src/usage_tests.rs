use super::*;

#[test]
fn a_price_becomes_whole_nano_dollars() {
    for (price, expected) in [
        (0.1, 100_000_000),
        (0.000_000_001_4, 1),
        (-3.0, 0),
        (f64::NAN, 0),
        (f64::INFINITY, 1_000_000_000_000_000),
    ] {
        assert_eq!(nanos(price), expected, "{price}");
    }
    assert!((dollars(100_000_000) - 0.1).abs() < f64::EPSILON);
}

#[test]
fn a_day_begins_at_midnight_utc_and_has_one_spelling() {
    let midnight: Timestamp = "2026-11-15T00:00:00.000Z".parse().unwrap();
    let before = Timestamp::from_millis(midnight.as_millis() - 1);
    let day = Day::of(midnight);
    assert_eq!(day.to_string(), "2026-11-15");
    assert_eq!(Day::of(before), day.plus(-1));
    assert_eq!(day.start(), midnight);
    assert_eq!("2026-11-15".parse(), Ok(day));
    for bad in [
        "",
        "2026-11-32",
        "20261115",
        "2026-11-15T01:00:00Z",
        "today",
    ] {
        assert_eq!(bad.parse::<Day>(), Err(BadDay), "{bad}");
    }
}
