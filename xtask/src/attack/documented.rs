//! What a rule is said not to see: a text that another program than the shell
//! reads, if the text does not name what the rule is about (docs/rules.md).

use super::oracle::Forbids;
use super::programs;
use super::sandbox::Deeds;

/// Programs that run their text themselves and leave no note.
const QUIET: &[&str] = &["awk", "gawk", "mawk", "sed", "tar", "sort"];

/// Whether what happened is beyond what a rule sees.
pub(super) fn is_documented(forbids: &Forbids, line: &str, deeds: &Deeds) -> bool {
    let names: &[&str] = match forbids {
        Forbids::Program(name) => &[name],
        Forbids::Pushing => &["git", "push"],
        Forbids::Reading(path) | Forbids::Editing(path) => &[path],
        Forbids::Changing | Forbids::Leaving | Forbids::Beyond(_) => return false,
    };
    let plain: String = line.chars().filter(|c| !"'\"\\\n".contains(*c)).collect();
    // What is only read from is named, and not changed by that.
    let plain = if let Forbids::Editing(path) = forbids {
        without_input(&plain, path)
    } else {
        plain
    };
    let text = has_text(line) && (quiet(line) || reads_text(deeds));
    let named = names.iter().all(|name| plain.contains(name));
    !named && (text || runs_what_it_wrote(&plain))
}

/// The line without the redirections that read from this path.
fn without_input(plain: &str, path: &str) -> String {
    let mut left = plain.to_owned();
    for blanks in ["", " ", "  "] {
        let from = format!("<{blanks}{path}");
        let mut rest = left.as_str();
        let mut kept = String::new();
        while let Some((before, after)) = rest.split_once(&from) {
            let whole = after.is_empty() || after.starts_with([' ', ';', '|', '&', ')']);
            let reads = !before.ends_with(['<', '>']);
            kept.push_str(before);
            if !(whole && reads) {
                kept.push_str(&from);
            }
            rest = after;
        }
        kept.push_str(rest);
        left = kept;
    }
    left
}

/// Whether a file is written and then run as a script.
fn runs_what_it_wrote(plain: &str) -> bool {
    let runs = |pair: &[&str]| {
        matches!(pair[0], "." | "source" | "sh" | "bash" | "dash")
            && pair[1].starts_with(['y', '.', '/'])
    };
    let words: Vec<&str> = plain
        .split(|c: char| c.is_whitespace() || ";&|(){}".contains(c))
        .filter(|word| !word.is_empty())
        .collect();
    (plain.contains('>') || words.contains(&"tee")) && words.windows(2).any(runs)
}

/// Whether a program that reads texts was among those that ran.
fn reads_text(deeds: &Deeds) -> bool {
    let noted = |words: &Vec<String>| {
        programs::takes_text(&words[0]) && words.iter().skip(1).any(|word| is_text(word))
    };
    deeds.ran.iter().any(noted)
}

fn is_text(word: &str) -> bool {
    word.contains(|c: char| c.is_whitespace() || "$`{(*?[|;<>".contains(c))
}

/// Whether something in quotes looks like a program.
fn has_text(line: &str) -> bool {
    line.split(['\'', '"']).skip(1).step_by(2).any(is_text)
}

fn quiet(line: &str) -> bool {
    line.split(|c: char| !c.is_ascii_alphanumeric())
        .any(|word| QUIET.contains(&word))
}

#[cfg(test)]
#[path = "documented_tests.rs"]
mod tests;
