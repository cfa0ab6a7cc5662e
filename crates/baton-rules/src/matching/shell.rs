//! Patterns for commands.

use super::Hit;
use crate::call::ShellCall;
use crate::glob::Wild;
use crate::pattern::ShellPattern;
use crate::shell::{Simple, Value, Word, render};

pub(super) fn command_allowed(pattern: &ShellPattern, simple: &Simple) -> bool {
    // A variable set for the command can change everything it does.
    if simple.name().is_none() || !simple.assignments.is_empty() {
        return false;
    }
    match pattern {
        ShellPattern::Exact { rendered, .. } => rendered
            .as_ref()
            .is_some_and(|text| *text == simple.render()),
        ShellPattern::Prefix { words, .. } => begins(&simple.words, words),
        ShellPattern::Wild(wild) => {
            wild.matches(&simple.render()) || wild.matches(&sources(&simple.words))
        }
    }
}

fn begins(words: &[Word], prefix: &[String]) -> bool {
    words.len() >= prefix.len()
        && words
            .iter()
            .zip(prefix)
            .all(|(word, want)| word.render() == *want)
}

/// The words as they were written.
fn sources(words: &[Word]) -> String {
    let words: Vec<&str> = words.iter().map(|word| word.source.as_str()).collect();
    words.join(" ")
}

pub(super) fn shell_hit(pattern: &ShellPattern, call: &ShellCall) -> Hit {
    if matches!(pattern, ShellPattern::Exact { text, .. } if *text == call.text) {
        return Hit::Yes;
    }
    let script = match &call.script {
        Ok(script) => script,
        Err(why) => return Hit::Maybe(format!("the command cannot be read: {why}")),
    };
    let commands = script.commands.iter();
    let known = commands.fold(Hit::No, |hit, simple| {
        hit.or(|| command_hit(pattern, simple))
    });
    known.or(|| match (script.opaque.first(), &call.hidden) {
        (Some(why), _) | (None, Some(why)) => Hit::Maybe(why.clone()),
        (None, None) => Hit::No,
    })
}

pub(super) fn command_hit(pattern: &ShellPattern, simple: &Simple) -> Hit {
    if simple.words.is_empty() {
        return Hit::No;
    }
    let mut hit = words_hit(pattern, &simple.words, &simple.assignments);
    if simple.runs_arguments {
        for start in 1..simple.words.len() {
            hit = hit.or(|| words_hit(pattern, &simple.words[start..], &[]));
        }
    }
    hit
}

/// Tries the command as it is, by its bare name, and without options that
/// stand before a sub-command.
fn words_hit(pattern: &ShellPattern, words: &[Word], assignments: &[String]) -> Hit {
    let mut spellings = vec![words.to_vec()];
    if let Some(name) = words.first().and_then(Word::text)
        && let Some((_, bare)) = name.rsplit_once('/')
    {
        let mut renamed = words.to_vec();
        renamed[0] = Word {
            source: bare.to_owned(),
            value: Value::Known(bare.to_owned()),
        };
        spellings.push(renamed);
    }
    if let Some(without) = spellings
        .last()
        .and_then(|words| without_global_options(words))
    {
        spellings.push(without);
    }
    spellings.iter().fold(Hit::No, |hit, words| {
        hit.or(|| spelling_hit(pattern, words, assignments))
    })
}

/// `git -C dir --no-pager push` is `git push` to a rule that denies.
fn without_global_options(words: &[Word]) -> Option<Vec<Word>> {
    let [name, rest @ ..] = words else {
        return None;
    };
    let valued: &[&str] = match name.text()? {
        "git" => &[
            "-C",
            "-c",
            "--git-dir",
            "--work-tree",
            "--namespace",
            "--exec-path",
            "--config-env",
        ],
        "npm" | "pnpm" | "yarn" => &[
            "--prefix",
            "-C",
            "--dir",
            "--cwd",
            "-w",
            "--workspace",
            "--filter",
        ],
        "cargo" => &["--config", "-C", "--color", "-Z"],
        "docker" | "kubectl" => &[
            "--context",
            "--host",
            "-H",
            "--namespace",
            "-n",
            "--config",
            "--kubeconfig",
        ],
        _ => return None,
    };
    let mut at = 0;
    while let Some(text) = rest
        .get(at)
        .and_then(Word::text)
        .filter(|text| text.starts_with(['-', '+']))
    {
        at += if valued.contains(&text) { 2 } else { 1 };
    }
    let rest = rest.get(at..).filter(|_| at > 0)?;
    Some(
        std::iter::once(name.clone())
            .chain(rest.iter().cloned())
            .collect(),
    )
}

fn spelling_hit(pattern: &ShellPattern, words: &[Word], assignments: &[String]) -> Hit {
    let rendered = render(words);
    match pattern {
        ShellPattern::Exact {
            text,
            rendered: want,
        } => {
            let want = want.as_deref().unwrap_or(text);
            if *rendered == *want || format!("{} {rendered}", assignments.join(" ")) == *want {
                return Hit::Yes;
            }
            let want: Vec<&str> = want.split(' ').collect();
            maybe(words, &want)
        }
        ShellPattern::Prefix { words: want, .. } => {
            if begins(words, want) {
                return Hit::Yes;
            }
            let want: Vec<&str> = want.iter().map(String::as_str).collect();
            maybe(words, &want)
        }
        ShellPattern::Wild(wild) => {
            if wild.matches(&rendered)
                || wild.matches(&sources(words))
                || wild.matches(&format!("{rendered} "))
            {
                return Hit::Yes;
            }
            maybe_wild(wild, words)
        }
    }
}

/// Whether words that are only known later may be the ones that are wanted.
fn maybe(words: &[Word], want: &[&str]) -> Hit {
    for (word, want) in words.iter().zip(want) {
        if word.text().is_none() && word.source != *want {
            return Hit::Maybe(format!("{} is only known when it runs", word.source));
        }
        if word.render() != *want {
            return Hit::No;
        }
    }
    Hit::No
}

fn maybe_wild(wild: &Wild, words: &[Word]) -> Hit {
    let Some(unknown) = words.iter().position(|word| word.text().is_none()) else {
        return Hit::No;
    };
    let known = render(&words[..unknown]);
    let first = wild.pieces.first().map_or("", String::as_str);
    if known.starts_with(first) || first.starts_with(&known) {
        Hit::Maybe(format!(
            "{} is only known when it runs",
            words[unknown].source
        ))
    } else {
        Hit::No
    }
}
