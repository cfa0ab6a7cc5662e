//! What is known of some programs: which only read, which change what later
//! commands mean, which options run programs or write files.

use super::{Redirect, Script, Simple, Value, Word};

/// Builtins that change the folder or the meaning of later commands.
const CHANGES_SHELL: &[&str] = &[
    "alias",
    "autoload",
    "bind",
    "declare",
    "disown",
    "emulate",
    "enable",
    "export",
    "fc",
    "function",
    "getopts",
    "hash",
    "let",
    "local",
    "mapfile",
    "print",
    "read",
    "readarray",
    "readonly",
    "set",
    "setopt",
    "shopt",
    "trap",
    "typeset",
    "unalias",
    "unset",
    "unsetopt",
    "zmodload",
];
const CHANGES_FOLDER: &[&str] = &["cd", "chdir", "popd", "pushd"];

/// Options that run a program, write a file or load settings that can.
///
/// A long option is also recognised when it is cut short, as the GNU tools
/// allow, and a short one anywhere in a group.
const STRONG_OPTIONS: &[(&str, &[&str])] = &[
    ("ag", &["--pager"]),
    ("cargo", &["--config", "--manifest-path", "-C", "-Z"]),
    (
        "curl",
        &[
            "--config",
            "--output",
            "--output-dir",
            "--remote-name",
            "--remote-name-all",
            "--upload-file",
            "--engine",
            "-K",
            "-o",
            "-O",
            "-T",
        ],
    ),
    ("date", &["--set", "-s"]),
    ("diff", &["--output"]),
    ("fd", &["--exec", "--exec-batch", "-x", "-X"]),
    ("fdfind", &["--exec", "--exec-batch", "-x", "-X"]),
    ("file", &["--compile", "-C", "-m"]),
    (
        "find",
        &["-delete", "-fls", "-fprint", "-fprint0", "-fprintf"],
    ),
    ("gcc", &["-wrapper", "-fplugin", "-specs"]),
    (
        "git",
        &[
            "-c",
            "--config-env",
            "--exec-path",
            "--upload-pack",
            "--receive-pack",
            "--ext-diff",
            "--textconv",
            "--open-files-in-pager",
            "-O",
            "--output",
            "--exec",
            "-x",
            "--extcmd",
            "--template",
            "--hook-path",
            "--paginate",
            "--git-dir",
            "--work-tree",
        ],
    ),
    (
        "go",
        &[
            "-exec",
            "-toolexec",
            "-vettool",
            "-overlay",
            "-modfile",
            "-C",
        ],
    ),
    (
        "make",
        &["--eval", "--file", "--makefile", "-f", "-C", "--directory"],
    ),
    ("man", &["--pager", "--html", "-P", "-H"]),
    (
        "node",
        &[
            "--require",
            "--import",
            "--loader",
            "--eval",
            "--print",
            "-r",
            "-e",
            "-p",
        ],
    ),
    (
        "npm",
        &[
            "--script-shell",
            "--node-options",
            "--userconfig",
            "--globalconfig",
            "--prefix",
            "--editor",
            "--shell",
        ],
    ),
    ("pnpm", &["--script-shell", "--dir", "-C"]),
    ("rg", &["--pre", "--hostname-bin"]),
    ("rsync", &["--rsh", "--rsync-path", "-e"]),
    ("scp", &["-S", "-o", "-F"]),
    ("sed", &["--in-place", "--file", "-i", "-f"]),
    ("sort", &["--compress-program", "--output", "-o"]),
    ("ssh", &["-o", "-F"]),
    (
        "tar",
        &[
            "--checkpoint-action",
            "--to-command",
            "--use-compress-program",
            "--rsh-command",
            "--info-script",
            "--new-volume-script",
            "-I",
            "-F",
        ],
    ),
    ("tree", &["-o", "-R"]),
    (
        "wget",
        &[
            "--use-askpass",
            "--execute",
            "--config",
            "--output-document",
            "--output-file",
            "-e",
            "-o",
            "-O",
        ],
    ),
    ("xz", &["--files"]),
    ("zip", &["--unzip-command", "--test", "-T"]),
];

/// Programs that change nothing, whatever their arguments, if those in
/// [`STRONG_OPTIONS`] are absent.
pub(crate) const READ_ONLY_PROGRAMS: &[&str] = &[
    "basename",
    "cat",
    "cmp",
    "comm",
    "cut",
    "date",
    "df",
    "diff",
    "dirname",
    "du",
    "echo",
    "egrep",
    "false",
    "fgrep",
    "file",
    "find",
    "grep",
    "head",
    "id",
    "ls",
    "md5sum",
    "nl",
    "ps",
    "pwd",
    "readlink",
    "realpath",
    "rev",
    "rg",
    "sha1sum",
    "sha256sum",
    "sha512sum",
    "sort",
    "stat",
    "tac",
    "tail",
    "test",
    "tr",
    "true",
    "tree",
    "uname",
    "wc",
    "which",
    "whoami",
];

/// Sub-commands of git that change nothing.
const READ_ONLY_GIT: &[&str] = &[
    "blame",
    "cat-file",
    "describe",
    "diff",
    "log",
    "ls-files",
    "ls-tree",
    "merge-base",
    "rev-list",
    "rev-parse",
    "shortlog",
    "show",
    "status",
];

/// Notes what is special about the command at `index`.
pub(super) fn look_at(script: &mut Script, index: usize, alone: bool) {
    let simple = script.commands[index].clone();
    if simple.words.is_empty() && !simple.assignments.is_empty() {
        script.special(format!(
            "it sets a variable: {}",
            simple.assignments.join(" ")
        ));
    }
    for redirect in &simple.redirects {
        let (Redirect::Read(word) | Redirect::Write(word)) = redirect;
        let network = |path: &str| path.starts_with("/dev/tcp/") || path.starts_with("/dev/udp/");
        if word.text().is_none_or(network) {
            script.special(format!("it redirects to or from {}", word.source));
        }
    }
    let Some(program) = simple.program() else {
        return;
    };
    if CHANGES_FOLDER.contains(&program) {
        script.moves = true;
        if !alone {
            script.special("it changes the folder, so later paths are not known");
        }
    }
    if CHANGES_SHELL.contains(&program) && !alone {
        script.special(format!("{program} may change what later commands mean"));
    }
    if program == "printf"
        && simple
            .words
            .iter()
            .any(|word| word.text().is_none_or(|text| text.starts_with("-v")))
        && !alone
    {
        script.special("printf may set a variable");
    }
    if let Some(option) = strong_option(&simple) {
        script.special(format!(
            "{program} {option} may run a program or write a file"
        ));
    }
    if matches!(program, "awk" | "gawk" | "mawk" | "nawk") && !plain_awk(&simple.words) {
        script.opaque(format!("{program} may run commands"));
    }
    if program.ends_with("awk") && simple.words.iter().any(|word| word.source.contains('>')) {
        script.special(format!("{program} may write files"));
    }
    if matches!(program, "sed" | "gsed") && !plain_sed(&simple.words) {
        script.special("sed may run commands or write files");
    }
}

/// The first option that a rule for a prefix does not cover.
pub(super) fn strong_option(simple: &Simple) -> Option<String> {
    let program = simple.program()?;
    let (_, options) = STRONG_OPTIONS.iter().find(|(name, _)| *name == program)?;
    let hit = |text: &str| {
        options
            .iter()
            .any(|option| match option.strip_prefix("--") {
                Some(long) => text.strip_prefix("--").is_some_and(|got| {
                    let got = got.split('=').next().unwrap_or(got);
                    got.len() >= 2 && long.starts_with(got)
                }),
                None if option.len() == 2 => {
                    text.starts_with('-') && !text.starts_with("--") && text.contains(&option[1..])
                }
                None => {
                    text.trim_start_matches('-').split('=').next() == Some(&option[1..])
                        && text.starts_with('-')
                }
            })
    };
    let before_end = simple.words[1..]
        .iter()
        // To these, what follows is not over.
        .take_while(|word| matches!(program, "find" | "gcc" | "go") || word.text() != Some("--"));
    before_end.into_iter().find_map(|word| {
        let strong = match &word.value {
            Value::Known(text) => hit(text),
            Value::Home(_) => false,
            // What is put in may begin with a dash.
            Value::Unknown => !word
                .source
                .starts_with(|c: char| c.is_alphanumeric() || "./_-".contains(c)),
        };
        strong.then(|| word.source.clone())
    })
}

/// Whether an awk program is given as text that runs nothing.
fn plain_awk(words: &[Word]) -> bool {
    words[1..].iter().all(|word| match &word.value {
        Value::Known(text) if text.starts_with('-') => {
            text.starts_with("-F") || text.starts_with("-v")
        }
        Value::Known(text) => {
            !text.contains("system") && !text.contains("getline") && !text.contains(['|', '@'])
        }
        Value::Home(_) => true,
        Value::Unknown => false,
    })
}

/// Whether every script given to sed only prints, deletes or substitutes.
fn plain_sed(words: &[Word]) -> bool {
    let mut script_seen = false;
    let mut next_is_script = false;
    for word in &words[1..] {
        let Some(text) = word.text() else {
            if script_seen && !next_is_script {
                continue;
            }
            return false;
        };
        if next_is_script || (!script_seen && !text.starts_with('-')) {
            if !plain_sed_script(text) {
                return false;
            }
            script_seen = true;
            next_is_script = false;
        } else if text.starts_with('-') {
            match text {
                "-n" | "-E" | "-r" | "-s" | "-u" | "-z" | "-nE" | "-En" | "-nr" | "--quiet"
                | "--silent" => {}
                "-e" | "-ne" => next_is_script = true,
                _ => return false,
            }
        }
    }
    script_seen
}

/// `5p`, `1,20p`, `/x/d`, `$p`, `s/a/b/g`: one command of a known kind.
fn plain_sed_script(script: &str) -> bool {
    if let Some(rest) = script.strip_prefix("s/") {
        let parts: Vec<_> = rest.split('/').collect();
        return matches!(parts.as_slice(), [_, _, flags] if flags.chars().all(|c| matches!(c, 'g' | 'p' | 'i' | 'I' | '0'..='9')))
            && !rest.contains(['\\', '\n']);
    }
    let Some(address) = script.strip_suffix(['p', 'd', '=']) else {
        return false;
    };
    let numbers = address
        .chars()
        .all(|c| c.is_ascii_digit() || matches!(c, ',' | '$' | '+'));
    let pattern = address.len() >= 2
        && address.starts_with('/')
        && address.ends_with('/')
        && !address[1..address.len() - 1].contains(['/', '\\', '\n']);
    numbers || pattern
}

/// Whether everything in `script` is known to change nothing.
pub(crate) fn is_read_only(script: &Script) -> bool {
    script.special.is_empty()
        && script.opaque.is_empty()
        && !script.substitutes
        && !script.commands.is_empty()
        && script.commands.iter().all(reads_only)
}

/// Whether one command is known to change nothing.
pub(crate) fn reads_only(simple: &Simple) -> bool {
    let harmless = |redirect: &Redirect| match redirect {
        Redirect::Read(_) => true,
        Redirect::Write(word) => word.text() == Some("/dev/null"),
    };
    // A variable among the arguments may hold an option.
    let literal = |word: &Word| word.text().is_some() || !word.source.contains('$');
    if !simple.assignments.is_empty()
        || !simple.redirects.iter().all(harmless)
        || !simple.words.iter().all(literal)
        || strong_option(simple).is_some()
    {
        return false;
    }
    let argument = |index: usize| simple.words.get(index).and_then(Word::text);
    match simple.name() {
        Some("git") => match argument(1) {
            Some("branch" | "remote" | "tag") => {
                simple.words.len() == 2
                    || (simple.words.len() == 3
                        && matches!(
                            argument(2),
                            Some(
                                "-v" | "-vv"
                                    | "-a"
                                    | "-r"
                                    | "-l"
                                    | "--list"
                                    | "--show-current"
                                    | "--all"
                            )
                        ))
            }
            Some("stash" | "worktree") => argument(2) == Some("list"),
            Some(sub) => READ_ONLY_GIT.contains(&sub),
            None => false,
        },
        Some("printf") => argument(1).is_some_and(|text| !text.starts_with('-')),
        Some("uniq") => simple.words[1..]
            .iter()
            .all(|word| word.text().is_some_and(|text| text.starts_with('-'))),
        Some("sed") => plain_sed(&simple.words),
        Some("find") => !simple.words.iter().any(|word| {
            word.text()
                .is_some_and(|text| text.starts_with("-exec") || text.starts_with("-ok"))
        }),
        Some("date") => simple.words[1..]
            .iter()
            .all(|word| word.text().is_some_and(|text| text.starts_with(['+', '-']))),
        Some(name) => READ_ONLY_PROGRAMS.contains(&name),
        None => false,
    }
}
