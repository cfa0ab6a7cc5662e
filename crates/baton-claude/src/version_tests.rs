use super::*;

#[test]
fn versions_are_read_from_what_the_cli_prints() {
    let version = Version {
        major: 2,
        minor: 1,
        patch: 197,
    };
    assert_eq!("2.1.197 (Claude Code)\n".parse(), Ok(version));
    assert_eq!("2.1.197".parse(), Ok(version));
    assert_eq!("2.1.197-beta.3".parse(), Ok(version));
    assert_eq!(version.to_string(), "2.1.197");
    for text in ["", "claude", "2.1", "2.1.x", "2.1.197.4", "v2.1.197"] {
        assert!(text.parse::<Version>().is_err(), "{text}");
    }
}

#[test]
fn versions_compare_by_number() {
    let parse = |text: &str| text.parse::<Version>().unwrap();
    assert!(parse("2.1.325") > parse("2.1.197"));
    assert!(parse("2.10.0") > parse("2.9.999"));
}
