//! A short attack on the permission rules in every run of the suite; the long
//! one is `cargo xtask attack`.

use std::num::NonZeroUsize;

use xtask::attack::evasions::{self, CLASSES};
use xtask::attack::everyday::{self, Asked, Kind};
use xtask::attack::{Plan, Shell, fuzz, minimised};

/// Random lines, judged in every situation, and run where they pass: nothing
/// that a rule or a mode forbids happens.
#[cfg(target_os = "linux")]
#[test]
fn nothing_forbidden_happens_when_what_passes_is_run() {
    hunts(Shell::Bash, 12);
}

/// The same in the shell that agents take where it is the user's; a machine
/// without it cannot tell.
#[cfg(target_os = "linux")]
#[test]
fn nothing_forbidden_happens_in_zsh() {
    if Shell::Zsh.is_here() {
        hunts(Shell::Zsh, 13);
    }
}

#[cfg(target_os = "linux")]
fn hunts(shell: Shell, seed: u64) {
    let plan = Plan {
        seed,
        lines: 4_000,
        workers: NonZeroUsize::MIN.saturating_add(1),
        shell,
    };
    let found = fuzz(plan, |_| Ok(())).unwrap();
    assert!(found.run > 1_000, "only {} lines were run", found.run);
    for situation in [
        "plan, no rules",
        "default, the rules offered for one command",
    ] {
        let passed = found.by_trial.get(situation).copied().unwrap_or_default();
        assert!(passed > 50, "only {passed} lines passed: {situation}");
    }
    assert!(found.holes.is_empty(), "{:#?}", found.holes);
}

#[test]
fn every_evasion_is_denied_asked_about_or_documented() {
    let tally = evasions::tally().unwrap();
    assert!(tally.all() > 3_000, "only {}", tally.all());
    assert!(tally.findings.is_empty(), "{:#?}", tally.findings);
    for class in CLASSES {
        // A class that nothing passes in is one that the documents need not name.
        assert!(tally.documented.contains_key(class), "{class}");
    }
}

#[test]
fn people_are_not_asked_more_than_before() {
    let asked = everyday::asked().unwrap();
    let count = |commands, no_rules, first_time, second_time| Asked {
        commands,
        no_rules,
        first_time,
        second_time,
    };
    assert_eq!(asked[&Kind::Reading], count(304, 86, 81, 2));
    assert_eq!(asked[&Kind::Building], count(126, 126, 101, 0));
    assert_eq!(asked[&Kind::Changing], count(145, 145, 136, 3));
}

#[test]
fn a_hole_is_shown_as_short_as_it_can_be() {
    let small = minimised("ls && cat 'README.md' | tee a; rm -rf b", |line| {
        Ok(line.contains("rm") && line.contains('|'))
    });
    assert_eq!(small.unwrap(), "|rm");
}
