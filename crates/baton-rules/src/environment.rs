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

/// Why a command line that changes nothing may show the environment, if it may.
/// `text` is the whole line.
pub(crate) fn shown(script: &Script, text: &str) -> Option<String> {
    script.commands.iter().find_map(|simple| {
        let program = simple.program()?;
        let what = match program {
            "awk" if any(simple, &["ENVIRON"]) => Some("awk".to_owned()),
            "jq" if any(simple, &["env", "ENV"]) => Some("jq".to_owned()),
            "ps" if ps_shows(&simple.words) => Some("ps".to_owned()),
            _ => simple.words.iter().find_map(|word| variable(word, text)),
        };
        what.map(|what| {
            format!("{what} may show variables of the environment, which may be secret")
        })
    })
}

fn any(simple: &Simple, parts: &[&str]) -> bool {
    let mut words = simple.words.iter().skip(1);
    words.any(|word| parts.iter().any(|part| word.source.contains(part)))
}

/// `ps e`, also with others and their values around it (`ps ewwU0`), and `ps -E`;
/// `ps -e` is about processes, and what follows `-o` are names of columns.
fn ps_shows(words: &[Word]) -> bool {
    const VALUES: &[&str] = &["-o", "-p", "-C", "-u", "-U", "-g", "-G", "-t", "--sort"];
    let text = |word: &Word| word.text().unwrap_or(&word.source).to_owned();
    words.windows(2).any(|pair| {
        let [before, word] = [text(&pair[0]), text(&pair[1])];
        let is_value =
            VALUES.contains(&before.as_str()) || (before.starts_with('-') && before.ends_with('o'));
        match word.starts_with('-') {
            true => word.contains('E'),
            false => word.contains('e') && !is_value,
        }
    })
}

/// The first variable in a word that the line itself does not set and that is
/// not known to be plain.
fn variable(word: &Word, text: &str) -> Option<String> {
    if !matches!(word.value, Value::Unknown { .. }) {
        return None;
    }
    let names = word.source.split('$').skip(1).map(|after| {
        let after = after.trim_start_matches(['{', '!', '#']);
        let end = after.find(|c: char| !(c == '_' || c.is_ascii_alphanumeric()));
        &after[..end.unwrap_or(after.len())]
    });
    let mut named =
        names.filter(|name| name.starts_with(|c: char| c == '_' || c.is_ascii_alphabetic()));
    let secret = |name: &&str| {
        let locale = name.starts_with("LC_") || name.starts_with("XDG_");
        !(PLAIN.contains(name) || locale || is_loops(name, text))
    };
    named.find(secret).map(|name| format!("${name}"))
}

/// Whether a loop of the line sets the variable before it uses it.
fn is_loops(name: &str, text: &str) -> bool {
    let mut words = text.split(|c: char| c.is_whitespace() || c == ';');
    let looped = |word: &str| word == "for" || word == "select";
    let mut before = words.next().unwrap_or_default();
    for word in words {
        if word == name && looped(before) {
            return true;
        }
        before = word;
    }
    false
}
