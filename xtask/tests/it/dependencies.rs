use serde_json::{Value, json};
use xtask::dependencies::{Duplicate, POLICY, Policy, problems};
use xtask::metadata::Metadata;

#[test]
fn what_is_pulled_in_is_accepted() {
    let found = problems(&Metadata::of_this_repository().unwrap(), &POLICY);
    assert!(found.is_empty(), "\n{}\n", found.join("\n"));
}

const STRICT: Policy = Policy {
    licences: &["MIT"],
    banned: &[("chrono", "jiff is the calendar")],
    duplicates: &[],
    ceiling: 2,
};
const REGISTRY: &str = "registry+https://github.com/rust-lang/crates.io-index";

fn package(name: &str, version: &str, licence: Option<&str>, source: Option<&str>) -> Value {
    json!({"id": format!("{name} {version}"), "name": name, "version": version,
        "license": licence, "source": source,
        "dependencies": [], "targets": []})
}

/// A member named `own` that pulls in the given packages.
fn check(packages: &[Value], policy: &Policy, expected: &[&str]) {
    let mut all = vec![package("own", "0.0.0", Some("MIT"), None)];
    all.extend_from_slice(packages);
    let json = json!({"packages": all, "workspace_members": ["own 0.0.0"]}).to_string();
    assert_eq!(problems(&Metadata::parse(&json).unwrap(), policy), expected);
}

#[test]
fn an_accepted_package_of_the_registry_passes() {
    check(
        &[package("good", "1.0.0", Some("MIT"), Some(REGISTRY))],
        &STRICT,
        &[],
    );
}

#[test]
fn a_licence_that_is_not_accepted_or_missing_is_reported() {
    check(
        &[
            package("copyleft", "1.0.0", Some("GPL-3.0"), Some(REGISTRY)),
            package("silent", "1.0.0", None, Some(REGISTRY)),
        ],
        &STRICT,
        &[
            "copyleft 1.0.0 has the licence \"GPL-3.0\", which is not accepted",
            "silent 1.0.0 names no licence",
        ],
    );
}

#[test]
fn a_package_from_git_or_from_a_folder_is_reported() {
    check(
        &[
            package(
                "forked",
                "1.0.0",
                Some("MIT"),
                Some("git+https://example.org/forked"),
            ),
            package("beside", "1.0.0", Some("MIT"), None),
        ],
        &STRICT,
        &[
            "forked 1.0.0 does not come from the public registry",
            "beside 1.0.0 does not come from the public registry",
        ],
    );
}

#[test]
fn a_banned_package_is_reported_with_the_reason() {
    check(
        &[package("chrono", "0.4.0", Some("MIT"), Some(REGISTRY))],
        &STRICT,
        &["chrono 0.4.0 is banned: jiff is the calendar"],
    );
}

#[test]
fn a_second_version_is_reported_unless_listed() {
    let twice = [
        package("syn", "2.0.0", Some("MIT"), Some(REGISTRY)),
        package("syn", "3.0.0", Some("MIT"), Some(REGISTRY)),
    ];
    let listed = Policy {
        duplicates: &[Duplicate {
            name: "syn",
            since: "2026-11-15",
            why: "derive crates are moving",
        }],
        ..STRICT
    };
    check(
        &twice,
        &STRICT,
        &[
            "syn is there in 2 versions (2.0.0, 3.0.0): unify them, or list it with the date and the reason in xtask/src/dependencies.rs",
        ],
    );
    check(&twice, &listed, &[]);
    check(
        &twice[..1],
        &listed,
        &["syn is listed as a duplicate since 2026-11-15 but is none: remove it from the list"],
    );
}

#[test]
fn more_packages_than_the_ceiling_are_reported() {
    let three = ["a", "b", "c"].map(|name| package(name, "1.0.0", Some("MIT"), Some(REGISTRY)));
    check(
        &three,
        &STRICT,
        &[
            "3 packages from outside, the ceiling is 2: drop some, or raise it in xtask/src/dependencies.rs and say why",
        ],
    );
}
