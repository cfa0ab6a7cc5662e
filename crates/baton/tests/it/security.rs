//! Texts that were made to harm a terminal, as the terminal shows them.

use baton_testkit::Finished;

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
    let run = bench.ok(&["run", "--agent", "demo", EVIL]);
    harmless(&run.stdout);
    harmless(&run.stderr);
    bench.ok(&["title", "last", EVIL]);
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
        let shown = bench.ok(&command);
        assert!(shown.stdout.contains("gotcha"));
        assert!(!shown.stdout.contains(['\u{1b}', '\u{7}', '\r', '\u{8}']));
    }
    bench.stop();
}

/// Ends in a line that would pass for one of Baton's own.
const FORGING: &str = "a\u{1b}[31m\u{1b}]0;gotcha\u{7}\rb\u{8}\u{9b}2J\u{85}\u{2028}\u{202e}\u{2066}\u{200b}c\nFORGED";

#[track_caller]
fn tame(command: &[&str], shown: &Finished) {
    // What `stdio` says on its standard output is for a program.
    let said = if command[0] == "stdio" {
        ""
    } else {
        &shown.stdout
    };
    for text in [said, &shown.stderr] {
        harmless(text);
        assert!(
            !text.contains(['\u{2028}', '\u{200b}']),
            "{command:?}: {text:?}"
        );
        let forged = text.lines().find(|line| line.starts_with("FORGED"));
        assert_eq!(forged, None, "{command:?}: {text:?}");
    }
}

/// Every place of the command line that takes words; `@` is where they go.
const PLACES: &[&str] = &[
    "@",
    "-@",
    "--@",
    "run @ --agent demo",
    "run --agent @ text",
    "run --agent demo --model @ text",
    "run --permission-mode @ text",
    "run --resume @ text",
    "run --agent demo --project @ text",
    "run --agent demo --attach @ text",
    "run --setting-sources @ text",
    "run --approvals @ text",
    "send @ text",
    "send last @",
    "send last text --attach @",
    "watch @",
    "watch last --after @",
    "approve @",
    "approve last --input @",
    "approve last --answer @",
    "approve last --mode @",
    "approve last --rule @",
    "approve last --remember @",
    "deny @",
    "deny last --message @",
    "interrupt @",
    "end @",
    "resume @",
    "fork @",
    "fork last --at @",
    "rewind @",
    "rewind last @",
    "title @ text",
    "title last @",
    "model @ opus",
    "model last @",
    "mode @ plan",
    "mode last @",
    "commands @",
    "trust @",
    "trust @ --accept",
    "rules add @ --decision allow",
    "rules add Bash(ls) --decision @",
    "rules add Bash(ls) --decision allow --session @",
    "rules add Bash(ls) --decision allow --project @",
    "rules remove @",
    "rules preview @ --decision allow",
    "rules",
    "history @",
    "import @",
    "import x --project @",
    "add @",
    "add . --title @",
    "remove @",
    "projects",
    "search @",
    "search text --project @",
    "usage --from @",
    "usage --project @",
    "backup @",
    "completions @",
    "__known @",
    "sessions --limit @",
    "sessions",
    "export @",
    "export last --format @",
    "serve --host @",
    "serve --port @",
    "serve --config @",
    "stop --grace @",
    "status",
    "devices revoke @",
    "link --scope @",
    "config show --config @",
    "stdio --tool-preset @",
    "stdio --cwd @",
    "stdio --@",
    "mcp --cwd @",
    "--data-dir @ doctor",
    "--data-dir @ sessions",
    "--data-dir @ export last",
    "doctor",
    "end last",
    "watch last",
];

#[test]
fn no_argument_of_any_command_moves_the_cursor_or_forges_a_line() {
    let bench = Bench::new();
    let folder = bench.sandbox.project().join(FORGING);
    std::fs::create_dir(&folder).unwrap();
    bench.ok(&["run", "--agent", "demo", "approval"]);
    for place in PLACES {
        let words: Vec<String> = place
            .split(' ')
            .map(|word| word.replace('@', FORGING))
            .collect();
        let command: Vec<&str> = words.iter().map(String::as_str).collect();
        tame(&command, &bench.baton(&command));
    }
    // A folder that has such a name is shown by it, and by nothing else.
    let listed = bench.ok(&["projects"]);
    listed.shows("<U+001B>");
    bench.stop();
}
