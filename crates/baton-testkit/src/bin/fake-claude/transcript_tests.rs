use super::*;

#[test]
fn folders_are_named_as_the_cli_names_them() {
    for (path, name) in [
        ("/home/user/a.b_c-d", "-home-user-a-b-c-d"),
        ("/home/user/with space", "-home-user-with-space"),
        ("/home/user/Ünï_日本", "-home-user--n----"),
        ("/home/user/emoji😀x", "-home-user-emoji--x"),
    ] {
        assert_eq!(escape(path), name);
    }
    let long = escape(&"/x".repeat(150));
    assert!(
        long.len() > 201 && long[..200].chars().all(|c| c == '-' || c == 'x'),
        "{long}"
    );
}
