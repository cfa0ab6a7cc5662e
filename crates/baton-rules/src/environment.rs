//! Commands that show what variables hold. The environment is the user's, and
//! may hold secrets: what shows it is not known to be harmless.

use crate::shell::{Script, Simple, Value, Word};

/// Variables that hold no secret; each shell has them, or nearly.
const PLAIN: &[&str] = &[
    "BASH_VERSION",
    "CI",
    "CLAUDE_PROJECT_DIR",
    "COLUMNS",
    "EDITOR",
    "EUID",
    "GOPATH",
    "GOROOT",
    "HOME",
    "HOSTNAME",
    "IFS",
    "JAVA_HOME",
    "LANG",
    "LINENO",
    "LINES",
    "LOGNAME",
    "NODE_ENV",
    "OLDPWD",
    "OSTYPE",
    "PAGER",
    "PATH",
    "PIPESTATUS",
    "PPID",
    "PWD",
    "RANDOM",
    "SECONDS",
    "SHELL",
    "SHLVL",
    "TERM",
    "TMPDIR",
    "UID",
    "USER",
    "VIRTUAL_ENV",
];

/// Columns of `ps` that tell nothing of a process's environment.
#[rustfmt::skip]
const COLUMNS: &[&str] = &[
    "%cpu", "%mem", "args", "c", "cmd", "comm", "command", "cp", "cputime", "egroup", "etime",
    "etimes", "euser", "group", "lstart", "ni", "nice", "nlwp", "pcpu", "pgid", "pid", "pmem", "ppid",
    "pri", "psr", "rgroup", "rss", "ruser", "sess", "sid", "size", "start", "start_time", "stat",
    "state", "stime", "sz", "thcount", "tid", "time", "tt", "tty", "ucmd", "uid", "user", "vsize",
    "vsz", "wchan",
];

/// Why a command line that changes nothing may show the environment, if it may.
pub(crate) fn shown(script: &Script) -> Option<String> {
    let filled = script.filled.iter().find_map(|text| variable(text));
    let what = filled.or_else(|| script.commands.iter().find_map(shown_by))?;
    Some(format!(
        "{what} may show variables of the environment, which may be secret"
    ))
}

fn shown_by(simple: &Simple) -> Option<String> {
    let mut words = simple.words.iter().skip(1);
    let holds = |word: &Word| word.text().unwrap_or(&word.source).contains("ENVIRON");
    match simple.program()? {
        "awk" if words.any(holds) => Some("awk".to_owned()),
        "ps" if !ps_is_plain(&simple.words) => Some("ps".to_owned()),
        _ => words.find_map(|word| match word.value {
            Value::Unknown { .. } => variable(&word.source),
            Value::Known(_) | Value::Home(_) | Value::Wild(_) => None,
        }),
    }
}

/// Whether `ps` shows no environment. An `e` without a dash asks for it, and so
/// does one with a dash if `ps` cannot make sense of the rest: it reads all
/// words again, without their dashes.
fn ps_is_plain(words: &[Word]) -> bool {
    let mut words = words.iter().skip(1).map(Word::text);
    let (mut every, mut may_fail) = (false, false);
    while let Some(word) = words.next() {
        let Some(word) = word else { return false };
        let columns = |list: &str| {
            list.split(',').all(|column| {
                let name = column.trim_start_matches(['+', '-']).split('=').next();
                name.is_some_and(|name| COLUMNS.contains(&name))
            })
        };
        let sorted = word
            .strip_prefix("--sort=")
            .or(word.strip_prefix("--format="));
        let group = word.strip_prefix('-').unwrap_or_default();
        let plain = match word {
            "-e" | "-ef" | "-eF" | "-el" | "-eLf" | "-ely" | "-efww" => {
                every = true;
                true
            }
            "--no-headers" | "--no-heading" | "--forest" => true,
            "--sort" => words.next().flatten().is_some_and(columns),
            _ if sorted.is_some() => sorted.is_some_and(columns),
            _ if group.ends_with('o') && group.chars().all(|c| "eaAxo".contains(c)) => {
                every |= group.contains('e');
                words.next().flatten().is_some_and(columns)
            }
            _ => {
                may_fail = true;
                !word.contains(['e', 'E', 'o', 'O'])
            }
        };
        if !plain {
            return false;
        }
    }
    !(every && may_fail)
}

/// The first variable that a text names and that is not known to be plain.
fn variable(source: &str) -> Option<String> {
    // To some shells `~NAME` is what a variable holds, too.
    let names = source.split(['$', '~']).skip(1).map(|after| {
        let after = after.trim_start_matches(['{', '!', '#']);
        let end = after.find(|c: char| !(c == '_' || c.is_ascii_alphanumeric()));
        &after[..end.unwrap_or(after.len())]
    });
    let mut named =
        names.filter(|name| name.starts_with(|c: char| c == '_' || c.is_ascii_alphabetic()));
    let secret = |name: &&str| {
        let locale = name.starts_with("LC_") || name.starts_with("XDG_");
        !(PLAIN.contains(name) || locale)
    };
    named.find(secret).map(|name| format!("${name}"))
}
