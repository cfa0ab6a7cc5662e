//! One scenario, both pinned CLIs, one expectation.
#![expect(
    clippy::needless_pass_by_value,
    reason = "what is checked is written where it is passed, and nowhere else"
)]

use baton_testkit::Version;
use expect_test::Expect;
use similar::{ChangeTag, TextDiff};

use crate::world::{Setup, World};

/// Plays a scenario with both versions at once and compares everything that
/// came of it. A line that only one version gives is marked with it.
pub(crate) fn check(
    prepare: impl Fn(Setup) -> Setup,
    scenario: impl AsyncFn(&mut World),
    expect: Expect,
) {
    let (_, logs) = play(prepare, scenario);
    expect.assert_eq(&logs);
}

/// Plays a scenario with both versions and compares what it says of itself,
/// where whole logs would say too much.
pub(crate) fn check_story(
    prepare: impl Fn(Setup) -> Setup,
    scenario: impl AsyncFn(&mut World) -> String,
    expect: Expect,
) {
    let ([old, new], _) = play(prepare, scenario);
    expect.assert_eq(&merged(&old, &new));
}

/// Plays a scenario that checks for itself with both versions.
pub(crate) fn both(prepare: impl Fn(Setup) -> Setup, scenario: impl AsyncFn(&mut World)) {
    play(prepare, scenario);
}

/// Plays a scenario with the fake CLI.
pub(crate) fn check_fake(
    prepare: impl Fn(Setup) -> Setup,
    scenario: impl AsyncFn(&mut World),
    expect: Expect,
) {
    let shown = wait(async {
        let mut world = prepare(Setup::fake()).start();
        scenario(&mut world).await;
        world.finish().await
    });
    expect.assert_eq(&shown);
}

/// What a scenario says with either version, and their logs as one text.
fn play<T>(
    prepare: impl Fn(Setup) -> Setup,
    scenario: impl AsyncFn(&mut World) -> T,
) -> ([T; 2], String) {
    let play = async |version: Version| {
        let mut world = prepare(Setup::real(version)).start();
        let said = scenario(&mut world).await;
        (said, world.finish().await)
    };
    let both = async { tokio::join!(play(Version::V197), play(Version::V325)) };
    let ((old, old_log), (new, new_log)) = wait(both);
    ([old, new], merged(&old_log, &new_log))
}

/// Runs a scenario to its end, with threads to spare.
fn wait<T>(scenario: impl Future<Output = T>) -> T {
    let mut threads = tokio::runtime::Builder::new_multi_thread();
    let runtime = threads.worker_threads(2).enable_all().build().unwrap();
    runtime.block_on(scenario)
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
