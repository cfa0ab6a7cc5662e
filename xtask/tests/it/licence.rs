use xtask::licence::satisfied;

const ACCEPTED: &[&str] = &["MIT", "ISC", "Apache-2.0 WITH LLVM-exception"];

fn check(expression: &str, expected: bool) {
    assert_eq!(satisfied(expression, ACCEPTED), expected, "{expression}");
}

#[test]
fn one_of_several_licences_is_enough() {
    check("MIT", true);
    check("GPL-3.0 OR MIT", true);
    check("GPL-3.0/MIT", true);
    check("GPL-3.0", false);
}

#[test]
fn all_joined_licences_are_needed() {
    check("MIT AND ISC", true);
    check("MIT AND GPL-3.0", false);
    check("(MIT OR GPL-3.0) AND ISC", true);
    check("MIT OR GPL-3.0 AND ISC", true);
    check("(MIT OR ISC) AND GPL-3.0", false);
}

#[test]
fn an_exception_belongs_to_its_licence() {
    check("Apache-2.0 WITH LLVM-exception", true);
    check("Apache-2.0", false);
    check("MIT WITH LLVM-exception", false);
}

#[test]
fn what_cannot_be_read_is_not_satisfied() {
    for broken in [
        "", "MIT OR", "(MIT", "MIT)", "MIT ISC", "AND MIT", "MIT WITH",
    ] {
        check(broken, false);
    }
}
