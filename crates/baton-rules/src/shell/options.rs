//! Options that run a program, write a file, load settings that can, or take
//! the names of files from a file.

use super::{Simple, Value};

/// Options that run a program, write a file or load settings that can.
///
/// A long option is also recognised when it is cut short, as the GNU tools
/// allow, and a short one anywhere in a group.
const STRONG_OPTIONS: &[(&str, &[&str])] = &[
    ("ag", &["--pager"]),
    (
        "cargo",
        &[
            "--config",
            "--manifest-path",
            "--target-dir",
            "--artifact-dir",
            "--out-dir",
            "-C",
            "-Z",
        ],
    ),
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
    ("fd", &["--exec", "--exec-batch", "-x", "-X"]),
    ("fdfind", &["--exec", "--exec-batch", "-x", "-X"]),
    (
        "find",
        &[
            "-delete",
            "-fls",
            "-fprint",
            "-fprint0",
            "-fprintf",
            "-rm",
            "-files0-from",
        ],
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
            "--filters",
            "--show-signature",
            "--help",
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
            "-ldflags",
            "-gcflags",
            "-asmflags",
            "-gccgoflags",
            "-o",
            "-pkgdir",
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
    ("rsync", &["--rsh", "--rsync-path", "-e"]),
    ("scp", &["-S", "-o", "-F"]),
    ("sed", &["--in-place", "--file", "-i", "-f"]),
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

/// The first option that a rule for a prefix does not cover.
pub(super) fn strong_option(simple: &Simple) -> Option<String> {
    let program = simple.program()?;
    let (_, options) = STRONG_OPTIONS.iter().find(|(name, _)| *name == program)?;
    let hit = |text: &str| options.iter().any(|option| is_option(text, option));
    let before_end = simple.words[1..]
        .iter()
        // To these, what follows is not over.
        .take_while(|word| matches!(program, "find" | "gcc" | "go") || word.text() != Some("--"));
    before_end.into_iter().find_map(|word| {
        let strong = match &word.value {
            Value::Known(text) => hit(text),
            Value::Home(_) | Value::Wild(_) | Value::Unknown { .. } => word.may_be_option(),
        };
        strong.then(|| word.source.clone())
    })
}

fn is_option(text: &str, option: &str) -> bool {
    match option.strip_prefix("--") {
        // The GNU tools take the beginning of a name for the name.
        Some(long) => text.strip_prefix("--").is_some_and(|got| {
            let got = got.split('=').next().unwrap_or(got);
            !got.is_empty() && long.starts_with(got)
        }),
        None if option.len() == 2 => {
            text.starts_with('-') && !text.starts_with("--") && text.contains(&option[1..])
        }
        None => {
            text.trim_start_matches('-').split('=').next() == Some(&option[1..])
                && text.starts_with('-')
        }
    }
}
