//! Texts that were made to harm a terminal, as the terminal shows them.

use crate::Bench;

/// What an attacker would have a terminal do: clear it, name its window, write
/// to the clipboard, go back over what was shown, turn the text around.
const EVIL: &str = "a\u{1b}[2J\u{1b}]0;gotcha\u{7}\u{1b}]52;c;eA==\u{7}\rb\u{8}\u{9b}31m\u{202e}c";

#[track_caller]
fn harmless(text: &str) {
    let moves = |c: &char| {
        let odd = c.is_control() && !matches!(c, '\n' | '\t');
        odd || matches!(c, '\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    assert_eq!(text.chars().find(moves), None, "{text:?}");
}

#[test]
fn no_title_prompt_or_output_moves_the_cursor() {
    let bench = Bench::new();
    let run = bench.baton(&["run", "--agent", "demo", EVIL]);
    run.expect_success();
    harmless(&run.stdout);
    harmless(&run.stderr);
    bench.baton(&["title", "last", EVIL]).expect_success();
    for command in [
        vec!["sessions"],
        vec!["status"],
        vec!["export", "last", "--format", "markdown"],
        vec!["search", "gotcha"],
        vec!["rules"],
        vec!["title", "last", EVIL],
        vec!["devices", "revoke", EVIL],
    ] {
        let shown = bench.baton(&command);
        harmless(&shown.stdout);
        harmless(&shown.stderr);
    }
    // What programs read is exact, and still nothing that a terminal obeys.
    for command in [vec!["sessions", "--json"], vec!["export", "last"]] {
        let shown = bench.baton(&command);
        shown.expect_success();
        assert!(shown.stdout.contains("gotcha"));
        assert!(!shown.stdout.contains(['\u{1b}', '\u{7}', '\r', '\u{8}']));
    }
    bench.stop();
}
