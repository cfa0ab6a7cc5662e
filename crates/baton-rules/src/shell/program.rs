//! What is known of some programs: which change what later commands mean,
//! which run what their arguments say.

use super::assignment::assigns;
use super::known::has_unknown_option;
use super::options::strong_option;
use super::reading::writes_operands;
use super::suggested::is_within_what_is_suggested;
use super::{Redirect, Script, Value, Word};

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
/// Builtins that change the folder.
pub(crate) const CHANGES_FOLDER: &[&str] = &["cd", "chdir", "popd", "pushd"];

/// Builtins that take names of variables, in which `a[$(…)]` runs a command.
const TAKES_NAMES: &[&str] = &[
    "[",
    "declare",
    "export",
    "getopts",
    "let",
    "local",
    "mapfile",
    "printf",
    "read",
    "readarray",
    "readonly",
    "test",
    "typeset",
    "unset",
    "wait",
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
    if simple.unsure_assignment {
        let what = "a variable that it sets may say what runs";
        script.unsure.push(what.to_owned());
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
    if runs_text(program, &simple.words) {
        script.opaque(format!("{program} may run what its arguments say"));
    }
    if CHANGES_SHELL.contains(&program) && !alone {
        script.special(format!("{program} may change what later commands mean"));
    }
    if renames(program, &simple.words) && !alone {
        let what = format!("{program} may change which program a name stands for");
        script.unsure.push(what);
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
    } else if has_unknown_option(&simple)
        || is_within_what_is_suggested(&simple.words) == Some(false)
    {
        script.special(format!(
            "{program} has options or arguments that are not known to be harmless"
        ));
    }
    if writes_operands(program, &simple) {
        script.special(format!("{program} may write to a file that it is given"));
    }
    if evaluates(program, &simple.words) {
        script.opaque(format!("{program} may run what its arguments hold"));
    }
    if matches!(program, "awk" | "gawk" | "mawk" | "nawk") && !plain_awk(&simple.words) {
        script.opaque(format!("{program} may run commands"));
    }
    if program.ends_with("awk") && simple.words.iter().any(|word| word.source.contains('>')) {
        script.special(format!("{program} may write files"));
    }
    if matches!(program, "sed" | "gsed") && !plain_sed(&simple.words) {
        script.special("sed may run commands or write files");
        if !plain_sed_scripts(&simple.words) {
            let what = "sed may run commands or write files".to_owned();
            script.unsure.push(what);
        }
    }
}

/// Whether a builtin runs a text that it is given.
fn runs_text(program: &str, words: &[Word]) -> bool {
    let option = |word: &Word| {
        word.text()
            .is_none_or(|text| text.starts_with('-') && text.contains('C'))
    };
    match program {
        "bind" | "compgen" | "complete" | "enable" | "fc" => words.len() > 1,
        "mapfile" | "readarray" => words[1..].iter().any(option),
        _ => false,
    }
}

/// Whether a builtin gives a name to another program.
fn renames(program: &str, words: &[Word]) -> bool {
    let arguments = words.iter().skip(1);
    let mut texts = arguments.map(|word| word.text().unwrap_or(&word.source));
    match program {
        "alias" => texts.any(|text| text.contains(['=', '$', '`', '{'])),
        "hash" => texts.any(|text| text.starts_with(['-', '$', '`', '{'])),
        _ => false,
    }
}

/// Whether an argument of a builtin may be run when the builtin looks at it.
fn evaluates(program: &str, words: &[Word]) -> bool {
    if !TAKES_NAMES.contains(&program) {
        return false;
    }
    let mut arguments = &words[1..];
    // A format is only printed.
    if program == "printf" && arguments.first().is_some_and(|word| !word.may_be_option()) {
        arguments = &arguments[1..];
    }
    let subscript = |word: &Word| word.source.contains('[') && word.source != "[";
    // Some shells compute with what they compare.
    let looks = |word: &Word| {
        let text = word.text().unwrap_or_default();
        text.starts_with("-v")
            || matches!(
                text,
                "-R" | "-eq" | "-ne" | "-lt" | "-le" | "-gt" | "-ge" | "-p"
            )
    };
    let integer = |word: &Word| {
        let text = word.text().unwrap_or_default();
        text.starts_with('-') && text.contains('i')
    };
    let integers = arguments.iter().any(integer);
    let unknown = |word: &Word| {
        matches!(word.value, Value::Unknown { .. }) && (integers || !assigns(&word.source))
    };
    let names = !matches!(program, "[" | "test" | "printf") || arguments.iter().any(looks);
    arguments.iter().any(subscript) || (names && arguments.iter().any(unknown))
}

/// Whether an awk program is given as text that runs nothing.
pub(super) fn plain_awk(words: &[Word]) -> bool {
    words[1..].iter().all(|word| match &word.value {
        Value::Known(text) if text.starts_with('-') => {
            text.starts_with("-F") || text.starts_with("-v")
        }
        Value::Known(text) => {
            // The variables that reach further than its input, and what runs.
            let reach = ["ARGV", "FUNCTAB", "PROCINFO", "SYMTAB", "getline", "system"];
            !reach.iter().any(|word| text.contains(word)) && !text.contains(['|', '@'])
        }
        Value::Home(_) => true,
        Value::Wild(_) | Value::Unknown { .. } => false,
    })
}

/// Whether sed runs and writes nothing, but for the files that it is given.
fn plain_sed_scripts(words: &[Word]) -> bool {
    let rest = words[1..].iter().filter(|word| {
        let text = word.text().unwrap_or_default();
        !(text.starts_with("-i") || text.starts_with("--in-place"))
    });
    let rest: Vec<Word> = words.first().into_iter().chain(rest).cloned().collect();
    plain_sed(&rest)
}

/// Whether every script given to sed only prints, deletes or substitutes.
pub(super) fn plain_sed(words: &[Word]) -> bool {
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
