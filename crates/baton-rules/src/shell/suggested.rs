//! Commands that Baton suggests prefix rules for, and all that such a rule
//! covers: what was seen, with options that are known to be harmless.

use super::{Value, Word};

/// A command that a prefix rule is suggested for, with what such a rule covers.
struct Suggested {
    program: &'static str,
    /// The sub-command, or nothing if the program has none.
    sub: &'static str,
    /// Options that are known to be harmless; those that take a value end in `=`.
    options: &'static [&'static str],
    operands: Allowed,
    /// What may follow `--`.
    rest: &'static [&'static str],
}

/// Which operands a suggested rule covers.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Allowed {
    None,
    /// Names, without a slash or a colon in them.
    Names,
    /// Paths that do not lead up or away, and names such as `module::test`.
    Below,
}

const CARGO: &[&str] = &[
    "--all",
    "--all-features",
    "--all-targets",
    "--bench=",
    "--benches",
    "--bin=",
    "--bins",
    "--color=",
    "--doc",
    "--example=",
    "--examples",
    "--exclude=",
    "--features=",
    "--frozen",
    "--jobs=",
    "--keep-going",
    "--lib",
    "--locked",
    "--message-format=",
    "--no-default-features",
    "--no-deps",
    "--no-fail-fast",
    "--no-run",
    "--offline",
    "--package=",
    "--profile=",
    "--quiet",
    "--release",
    "--test=",
    "--tests",
    "--verbose",
    "--workspace",
    "-F=",
    "-j=",
    "-p=",
    "-q",
    "-r",
    "-v",
];

const CARGO_TREE: &[&str] = &[
    "--depth=",
    "--duplicates",
    "--edges=",
    "--invert=",
    "--package=",
    "--workspace",
    "-d",
    "-e=",
    "-i=",
    "-p=",
    "--format-version=",
    "--no-deps",
    "--locked",
    "--offline",
];

const GO: &[&str] = &[
    "-v",
    "-race",
    "-run=",
    "-count=",
    "-short",
    "-timeout=",
    "-cover",
    "-bench=",
    "-benchmem",
    "-failfast",
    "-json",
    "-p=",
    "-tags=",
    "-list=",
    "-parallel=",
    "-m",
    "-f=",
];

const TEST_HARNESS: &[&str] = &[
    "--exact",
    "--ignored",
    "--include-ignored",
    "--list",
    "--nocapture",
    "--no-capture",
    "--quiet",
    "--show-output",
    "--skip=",
    "--test-threads=",
    "-q",
];

const CLIPPY_LINTS: &[&str] = &["-D=", "-W=", "-A=", "-F="];

const PYTEST: &[&str] = &[
    "--co",
    "--collect-only",
    "--durations=",
    "--exitfirst",
    "--failed-first",
    "--ff",
    "--last-failed",
    "--lf",
    "--maxfail=",
    "--no-header",
    "--quiet",
    "--tb=",
    "--verbose",
    "-k=",
    "-l",
    "-m=",
    "-q",
    "-r=",
    "-s",
    "-v",
    "-x",
];

const fn suggest(
    program: &'static str,
    sub: &'static str,
    options: &'static [&'static str],
    operands: Allowed,
) -> Suggested {
    Suggested {
        program,
        sub,
        options,
        operands,
        rest: &[],
    }
}

/// No option here runs a program, writes elsewhere or goes around a check.
const SUGGESTED: &[Suggested] = &[
    Suggested {
        rest: TEST_HARNESS,
        ..suggest("cargo", "bench", CARGO, Allowed::Names)
    },
    suggest("cargo", "build", CARGO, Allowed::None),
    suggest("cargo", "check", CARGO, Allowed::None),
    Suggested {
        rest: CLIPPY_LINTS,
        ..suggest("cargo", "clippy", CARGO, Allowed::None)
    },
    suggest("cargo", "doc", CARGO, Allowed::None),
    suggest(
        "cargo",
        "fmt",
        &["--all", "--check", "--package=", "-p=", "-q", "-v"],
        Allowed::None,
    ),
    suggest("cargo", "metadata", CARGO_TREE, Allowed::None),
    Suggested {
        rest: TEST_HARNESS,
        ..suggest("cargo", "test", CARGO, Allowed::Below)
    },
    suggest("cargo", "tree", CARGO_TREE, Allowed::None),
    suggest(
        "git",
        "add",
        &[
            "--all",
            "--dry-run",
            "--update",
            "--verbose",
            "-A",
            "-n",
            "-u",
            "-v",
        ],
        Allowed::Below,
    ),
    Suggested {
        rest: &[],
        ..suggest(
            "git",
            "commit",
            &[
                "--all",
                "--message=",
                "--quiet",
                "--verbose",
                "-a",
                "-m=",
                "-q",
                "-v",
            ],
            Allowed::Below,
        )
    },
    suggest(
        "git",
        "fetch",
        &[
            "--all",
            "--prune",
            "--quiet",
            "--tags",
            "--verbose",
            "-p",
            "-q",
            "-t",
            "-v",
        ],
        Allowed::Names,
    ),
    suggest("go", "build", GO, Allowed::Below),
    suggest("go", "fmt", &[], Allowed::Below),
    suggest("go", "list", GO, Allowed::Below),
    suggest("go", "test", GO, Allowed::Below),
    suggest("go", "vet", &["-v"], Allowed::Below),
    suggest(
        "mypy",
        "",
        &[
            "--strict",
            "--pretty",
            "--no-error-summary",
            "--show-error-codes",
        ],
        Allowed::Below,
    ),
    suggest(
        "npm",
        "ls",
        &["--all", "--depth=", "--json"],
        Allowed::Names,
    ),
    suggest("npm", "outdated", &["--json"], Allowed::Names),
    suggest("npm", "test", &["--silent", "-s"], Allowed::None),
    suggest("pnpm", "ls", &["--depth=", "--json"], Allowed::Names),
    suggest("pnpm", "outdated", &[], Allowed::Names),
    suggest("pnpm", "test", &["--silent"], Allowed::None),
    suggest("pytest", "", PYTEST, Allowed::Below),
    suggest(
        "ruff",
        "check",
        &[
            "--ignore=",
            "--output-format=",
            "--quiet",
            "--select=",
            "--statistics",
            "-q",
            "-v",
        ],
        Allowed::Below,
    ),
    suggest("yarn", "list", &["--depth="], Allowed::Names),
    suggest("yarn", "outdated", &[], Allowed::Names),
    suggest("yarn", "test", &["--silent", "-s"], Allowed::None),
];

/// The prefix of a command that a rule may be suggested for, in words.
pub(crate) fn suggested(words: &[Word]) -> Option<usize> {
    let entry = entry(words)?;
    Some(if entry.sub.is_empty() { 1 } else { 2 })
}

fn entry(words: &[Word]) -> Option<&'static Suggested> {
    let name = words.first()?.text()?;
    let second = words.get(1).and_then(Word::text).unwrap_or_default();
    SUGGESTED
        .iter()
        .find(|entry| entry.program == name && (entry.sub.is_empty() || entry.sub == second))
}

/// Whether a command that rules are suggested for has only what is known to be
/// harmless; `None` for other commands.
pub(crate) fn is_within_what_is_suggested(words: &[Word]) -> Option<bool> {
    // `npm run NAME` is suggested by its script, which may take any argument.
    if let [name, run, _, rest @ ..] = words
        && matches!(name.text(), Some("npm" | "pnpm" | "yarn" | "bun"))
        && run.text() == Some("run")
    {
        let quiet = |word: &Word| matches!(word.text(), Some("--silent" | "-s"));
        return Some(rest.iter().all(quiet));
    }
    let entry = entry(words)?;
    let skip = if entry.sub.is_empty() { 1 } else { 2 };
    let mut words = words[skip..].iter();
    let mut options = entry.options;
    let mut after = false;
    while let Some(word) = words.next() {
        let Some(text) = word.text() else {
            // A name of a file, or a value in quotes, after a plain beginning.
            let plain = matches!(word.value, Value::Wild(_)) && !word.may_be_option();
            if plain && entry.operands == Allowed::Below && !word.source.contains("..") {
                continue;
            }
            return Some(false);
        };
        if text == "--" && !after {
            after = true;
            options = entry.rest;
            continue;
        }
        if text.len() > 1 && text.starts_with('-') {
            match harmless(text, options) {
                Some(Takes::Nothing) => {}
                Some(Takes::Next) => {
                    // Some programs take a value that looks like an option for one.
                    let value = words.next().and_then(Word::text);
                    if value.is_none_or(|value| value.starts_with('-')) {
                        return Some(false);
                    }
                }
                None => return Some(false),
            }
            continue;
        }
        if !operand(text, entry.operands) {
            return Some(false);
        }
    }
    Some(true)
}

enum Takes {
    Nothing,
    Next,
}

/// What an option takes, if it is known to be harmless.
fn harmless(text: &str, options: &[&str]) -> Option<Takes> {
    let (name, value) = match text.split_once('=') {
        Some((name, _)) => (name, true),
        None => (text, false),
    };
    let plain = options.contains(&name);
    let valued = options
        .iter()
        .any(|option| option.strip_suffix('=') == Some(name));
    match (plain, valued, value) {
        (_, true, true) | (true, _, false) => return Some(Takes::Nothing),
        (_, true, false) => return Some(Takes::Next),
        (_, false, _) => {}
    }
    // `-qv` and `-j4`.
    let letters = text
        .strip_prefix('-')
        .filter(|rest| !rest.starts_with('-'))?;
    for (at, letter) in letters.char_indices() {
        let short = format!("-{letter}");
        if options.contains(&short.as_str()) {
            continue;
        }
        let valued = options
            .iter()
            .any(|option| option.strip_suffix('=') == Some(&short));
        let last = at + letter.len_utf8() == letters.len();
        return match (valued, last) {
            (true, true) => Some(Takes::Next),
            (true, false) => Some(Takes::Nothing),
            (false, _) => None,
        };
    }
    Some(Takes::Nothing)
}

fn operand(text: &str, allowed: Allowed) -> bool {
    // To some programs it names a file with more options.
    if text.starts_with('@') {
        return false;
    }
    let up = |text: &str| text.split('/').any(|name| name == "..");
    match allowed {
        Allowed::None => false,
        Allowed::Names => !text.contains(['/', ':']) && !text.starts_with('.'),
        Allowed::Below => {
            let names = text.replace("::", "");
            !text.starts_with(['/', '~']) && !up(text) && !names.contains(':')
        }
    }
}
