//! One scenario, both pinned CLIs, one expectation.

use baton_testkit::Version;
use expect_test::Expect;
use similar::{ChangeTag, TextDiff};

use crate::world::{Setup, World};

/// Plays a scenario with both versions at once and compares everything that
/// came of it. A line that only one version gives is marked with it.
pub(crate) async fn check(
    prepare: impl Fn(Setup) -> Setup,
    scenario: impl AsyncFn(&mut World),
    expect: Expect,
) {
    let play = async |version: Version| {
        let mut world = prepare(Setup::real(version)).start();
        scenario(&mut world).await;
        world.finish().await
    };
    let (old, new) = tokio::join!(play(Version::V197), play(Version::V325));
    expect.assert_eq(&merged(&old, &new));
}

/// Plays a scenario with both versions and compares what it says of itself,
/// where whole logs would say too much.
pub(crate) async fn check_story(
    prepare: impl Fn(Setup) -> Setup,
    scenario: impl AsyncFn(&mut World) -> String,
    expect: Expect,
) {
    let play = async |version: Version| {
        let mut world = prepare(Setup::real(version)).start();
        let story = scenario(&mut world).await;
        world.finish().await;
        story
    };
    let (old, new) = tokio::join!(play(Version::V197), play(Version::V325));
    expect.assert_eq(&merged(&old, &new));
}

/// Plays a scenario that checks for itself with both versions.
pub(crate) async fn both(prepare: impl Fn(Setup) -> Setup, scenario: impl AsyncFn(&mut World)) {
    let play = async |version: Version| {
        let mut world = prepare(Setup::real(version)).start();
        scenario(&mut world).await;
        world.finish().await;
    };
    tokio::join!(play(Version::V197), play(Version::V325));
}

/// Plays a scenario with the fake CLI.
pub(crate) async fn check_fake(
    prepare: impl Fn(Setup) -> Setup,
    scenario: impl AsyncFn(&mut World),
    expect: Expect,
) {
    let mut world = prepare(Setup::fake()).start();
    scenario(&mut world).await;
    expect.assert_eq(&world.finish().await);
}

fn merged(old: &str, new: &str) -> String {
    let diff = TextDiff::from_lines(old, new);
    let lines = diff.iter_all_changes().map(|change| {
        let mark = match change.tag() {
            ChangeTag::Equal => "",
            ChangeTag::Delete => "197: ",
            ChangeTag::Insert => "325: ",
        };
        format!("{mark}{change}")
    });
    lines.collect()
}
