use serde_json::json;
use xtask::architecture::{MEMBERS, RESERVED, Reserved, Row, problems};
use xtask::metadata::Metadata;

#[test]
fn the_workspace_keeps_to_the_crate_map() {
    let found = problems(&Metadata::of_this_repository().unwrap(), MEMBERS, RESERVED);
    assert!(found.is_empty(), "\n{}\n", found.join("\n"));
}

const ROWS: &[Row] = &[
    Row {
        name: "low",
        may_use: &[],
    },
    Row {
        name: "high",
        may_use: &["low"],
    },
    Row {
        name: "baton-testkit",
        may_use: &["low"],
    },
];
const OUTSIDE: &[Reserved] = &[Reserved {
    name: "rusqlite",
    only: &["low"],
    why: "SQL stays below",
}];

/// Three members with the given edges (from, to, kind), against the tables above.
fn check(edges: &[(&str, &str, Option<&str>)], expected: &[&str]) {
    let names = ["low", "high", "baton-testkit"];
    check_members(&names, edges, expected);
}

fn check_members(names: &[&str], edges: &[(&str, &str, Option<&str>)], expected: &[&str]) {
    let packages: Vec<_> = names
        .iter()
        .map(|name| {
            let dependencies: Vec<_> = edges
                .iter()
                .filter(|(from, ..)| from == name)
                .map(|(_, to, kind)| json!({"name": to, "kind": kind}))
                .collect();
            json!({"id": name, "name": name, "version": "0.0.0", "license": null, "source": null,
                "dependencies": dependencies, "targets": []})
        })
        .collect();
    let json = json!({"packages": packages, "workspace_members": names}).to_string();
    let found = problems(&Metadata::parse(&json).unwrap(), ROWS, OUTSIDE);
    assert_eq!(found.len(), expected.len(), "{found:#?}");
    for (found, expected) in found.iter().zip(expected) {
        assert!(found.contains(expected), "{found:?} lacks {expected:?}");
    }
}

#[test]
fn an_edge_in_the_table_passes() {
    check(
        &[
            ("high", "low", None),
            ("high", "low", Some("dev")),
            ("low", "rusqlite", None),
            ("high", "serde", None),
        ],
        &[],
    );
}

#[test]
fn an_edge_that_goes_up_is_refused_in_every_kind() {
    let refused = "low may not use high";
    check(&[("low", "high", None)], &[refused]);
    check(&[("low", "high", Some("dev"))], &[refused]);
    check(&[("low", "high", Some("build"))], &[refused]);
}

#[test]
fn the_testkit_is_nobodys_normal_dependency() {
    check(&[("low", "baton-testkit", Some("dev"))], &[]);
    check(
        &[("high", "baton-testkit", None)],
        &["high uses baton-testkit outside its tests"],
    );
}

#[test]
fn a_reserved_crate_is_refused_elsewhere_with_the_reason() {
    check(
        &[
            ("high", "rusqlite", None),
            ("high", "rusqlite", Some("dev")),
        ],
        &[
            "high may not pull in rusqlite (SQL stays below)",
            "high may not pull in rusqlite",
        ],
    );
}

#[test]
fn a_member_without_a_row_is_told_where_to_add_one() {
    check_members(
        &["low", "high", "baton-testkit", "new"],
        &[],
        &["new has no row in MEMBERS: add it to xtask/src/architecture.rs"],
    );
}

#[test]
fn a_row_without_a_member_is_stale() {
    check_members(&["low", "baton-testkit"], &[], &["high has a row"]);
}
