//! Patterns for commands.
//!
//! A rule that denies or asks is about a command wherever it stands. Where it
//! cannot be told whether a word is a command or only a text, as in
//! `uv run rm` or `make rm`, a person is asked.

use super::Hit;
use crate::call::ShellCall;
use crate::glob::{PathGlob, Segment, Token, Wild};
use crate::pattern::ShellPattern;
use crate::shell::{
    Redirect, Script, Simple, Value, Word, expands_later, is_git_command, is_message, reads_only,
    render, runs_nothing, written_out,
};

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
    known
        .or(|| match (script.hidden(), &call.hidden) {
            (Some(why), _) | (None, Some(why)) => Hit::Maybe(why.clone()),
            (None, None) => Hit::No,
        })
        .or(|| named_in(pattern, script))
}

/// Whether a command stands as a word in a line that is not known to only read.
pub(super) fn named_in(pattern: &ShellPattern, script: &Script) -> Hit {
    if let Some(why) = script.unsure.first() {
        return Hit::Maybe(why.clone());
    }
    if script.commands.iter().all(reads_only) && script.special.is_empty() {
        return Hit::No;
    }
    let keys = pattern.key_words();
    // With more behind it, an exact command is another one.
    let exact: Vec<String> = keys.iter().map(|key| (*key).to_owned()).collect();
    let longer = |simple: &&Simple| {
        matches!(pattern, ShellPattern::Exact { .. }) && begins(&simple.words, &exact)
    };
    // What the pattern is about by itself is judged by itself.
    let meant = |simple: &&Simple| command_hit(pattern, simple) == Hit::Yes;
    let others = || script.commands.iter().filter(|one| !meant(one));
    let commands = others().filter(|simple| !longer(simple));
    let texts = commands.flat_map(|simple| {
        let words = simple.words.iter().enumerate();
        let words = words.filter(|(at, _)| !is_message(&simple.words, *at));
        let words = words.map(|(_, word)| word.text().unwrap_or(&word.source));
        // What a file is filled with may be run under the file's name.
        let redirects = simple.redirects.iter().map(|redirect| {
            let (Redirect::Read(word) | Redirect::Write(word)) = redirect;
            word.text().unwrap_or(&word.source)
        });
        words
            .chain(redirects)
            .chain(simple.assignments.iter().map(String::as_str))
    });
    let texts = texts.chain(script.texts.iter().map(String::as_str));
    if in_order(&keys, &texts.collect::<Vec<_>>()) {
        return Hit::Maybe(format!("{} is named in it", keys.join(" ")));
    }
    let commands = others().filter(|simple| !reads_only(simple));
    let later = commands.fold(Hit::No, |hit, simple| {
        hit.or(|| made_later(&keys, simple, script))
    });
    if let Some(why) = &script.inside.hidden {
        return later.or(|| Hit::Maybe(why.clone()));
    }
    if let Some(made) = &script.inside.made {
        return later.or(|| Hit::Maybe(format!("{made} is only known when it runs")));
    }
    let inside = script.inside.commands.iter();
    inside.fold(later, |hit, simple| {
        hit.or(|| inside_hit(pattern, &keys, simple))
    })
}

/// Whether a command in a text, if a shell comes to read it, is meant.
fn inside_hit(pattern: &ShellPattern, keys: &[&str], simple: &Simple) -> Hit {
    let holds = |text: &String| keys.iter().any(|key| in_order(&[key], &[text]));
    let may_become = |word: &Word| match &word.value {
        Value::Known(_) | Value::Home(_) => false,
        Value::Wild(tokens) => keys.iter().any(|key| names(tokens, key)),
        Value::Unknown { .. } => written_out(word).is_none_or(|words| words.iter().any(holds)),
    };
    match command_hit(pattern, simple) {
        Hit::No => Hit::No,
        Hit::Yes => Hit::Maybe(format!("{} is named in it", keys.join(" "))),
        Hit::Maybe(why) => {
            if simple.words.iter().any(may_become) {
                Hit::Maybe(why)
            } else {
                Hit::No
            }
        }
    }
}

/// Whether all keys stand in the texts one after another, each as a word, as
/// they are written or as a shell inside would read them.
fn in_order(keys: &[&str], texts: &[&str]) -> bool {
    let quotes = ['\'', '"', '\\'];
    let bare: Vec<String> = texts
        .iter()
        .map(|text| text.replace("\\\n", "").replace(quotes, ""))
        .collect();
    let bare: Vec<&str> = bare.iter().map(String::as_str).collect();
    stand_in(keys, texts) || stand_in(keys, &bare)
}

fn stand_in(keys: &[&str], texts: &[&str]) -> bool {
    let mut keys = keys.iter().peekable();
    let separates = |c: char| c.is_whitespace() || "=:@,;'\"`()[]{}<>|&$!\\".contains(c);
    for text in texts {
        let words = text.split(separates).filter(|word| !word.is_empty());
        for word in std::iter::once(*text).chain(words) {
            // `-Orm x` has its value attached, and `${u-rm}` what stands for it.
            let attached = word.strip_prefix('-').and_then(|word| word.get(1..));
            let instead = word.rsplit(['-', '+', '?']).next();
            let forms = [Some(word), attached, instead].into_iter().flatten();
            let mut forms = forms.chain(word.split('/'));
            keys.next_if(|key| forms.any(|form| form == **key));
        }
    }
    keys.peek().is_none()
}

/// Whether a word that a shell makes later may be the command that is meant.
fn made_later(keys: &[&str], simple: &Simple, script: &Script) -> Hit {
    let Some(key) = keys.first() else {
        return Hit::No;
    };
    // What is copied may be run under its new name.
    let by_path = |simple: &Simple| simple.name().is_some_and(|name| name.contains('/'));
    let passive = runs_nothing(simple) && !script.commands.iter().any(by_path);
    let is = |(at, word): &(usize, &Word)| match &word.value {
        Value::Known(text) => !passive && expands_later(text) && !is_message(&simple.words, *at),
        Value::Home(_) => false,
        Value::Wild(tokens) => names(tokens, key),
        Value::Unknown { .. } => !passive && !is_message(&simple.words, *at),
    };
    match simple.words.iter().enumerate().skip(1).find(is) {
        Some((_, word)) => Hit::Maybe(format!("{} is only known when it runs", word.source)),
        None => Hit::No,
    }
}

/// Whether a pattern may become the path of a program that is called so.
fn names(tokens: &[Token], program: &str) -> bool {
    let last = tokens.rsplit(|token| *token == Token::Char('/')).next();
    let segments = vec![Segment::Name(last.unwrap_or_default().to_vec())];
    PathGlob { segments }.matches(&[program])
}

/// Whether a sub-command of git is a name that settings give to another.
fn is_alias(words: &[Word]) -> bool {
    let words = without_global_options(words).unwrap_or_else(|| words.to_vec());
    let sub = words.get(1).and_then(Word::text);
    words.first().and_then(Word::text) == Some("git")
        && sub.is_some_and(|sub| !sub.starts_with('-') && !is_git_command(sub))
}

pub(super) fn command_hit(pattern: &ShellPattern, simple: &Simple) -> Hit {
    if simple.words.is_empty() {
        return Hit::No;
    }
    let mut hit = words_hit(pattern, &simple.words, &simple.assignments);
    if is_alias(&simple.words) && pattern.key_words().first() == Some(&"git") {
        let why = "what git calls by this name is not known".to_owned();
        hit = hit.or(|| Hit::Maybe(why));
    }
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
    spellings.extend(spellings.last().and_then(|words| of_git(words)));
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

/// `git-push` in git's own folder is `git push`.
pub(crate) fn of_git(words: &[Word]) -> Option<Vec<Word>> {
    let name = words.first()?.text()?.rsplit('/').next()?;
    let sub = name.strip_prefix("git-")?;
    let word = |text: &str| Word {
        source: text.to_owned(),
        value: Value::Known(text.to_owned()),
    };
    let rest = words.iter().skip(1).cloned();
    Some([word("git"), word(sub)].into_iter().chain(rest).collect())
}

/// `git -C dir --no-pager push` is `git push` to a rule that denies.
pub(crate) fn without_global_options(words: &[Word]) -> Option<Vec<Word>> {
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
            maybe(words, &want).or(|| other_spelling(words, &want))
        }
        ShellPattern::Wild(wild) => {
            if wild.matches(&rendered)
                || wild.matches(&sources(words))
                || wild.matches(&format!("{rendered} "))
            {
                return Hit::Yes;
            }
            let first = wild.pieces.first().map_or("", String::as_str);
            let want: Vec<&str> = first.split(' ').filter(|word| !word.is_empty()).collect();
            maybe_wild(wild, words).or(|| other_spelling(words, &want))
        }
    }
}

/// Whether the options that a rule names may stand there in another form:
/// `-f` for `--force`, `-r -f` for `-rf`, and `+main` for a push by force.
fn other_spelling(words: &[Word], want: &[&str]) -> Hit {
    let names = want
        .iter()
        .take_while(|word| !word.starts_with('-'))
        .count();
    let (base, options) = want.split_at(names);
    let plain = options.iter().all(|option| option.starts_with('-'));
    let base: Vec<String> = base.iter().map(|word| (*word).to_owned()).collect();
    if base.is_empty() || options.is_empty() || !plain || !begins(words, &base) {
        return Hit::No;
    }
    let given: Vec<&str> = words.iter().skip(names).filter_map(Word::text).collect();
    let has = |letter: char| {
        given.iter().any(|word| match word.strip_prefix("--") {
            Some(long) => long.starts_with(letter),
            None => word.starts_with('-') && word.contains(letter),
        })
    };
    let found = |option: &&str| match option.strip_prefix("--") {
        Some(long) => {
            let name = long.split('=').next().unwrap_or(long);
            let same = |word: &&str| {
                word.strip_prefix("--")
                    .is_some_and(|got| got.starts_with(name))
            };
            let letter = name.chars().next();
            let short = |word: &&str| {
                let group = word.starts_with('-') && !word.starts_with("--");
                group && letter.is_some_and(|letter| word.contains(letter))
            };
            let pushed = name == "force" && given.iter().any(|word| word.starts_with('+'));
            given.iter().any(|word| same(word) || short(word)) || pushed
        }
        None => option.chars().skip(1).all(has),
    };
    if options.iter().all(found) {
        let options = options.join(" ");
        Hit::Maybe(format!("{options} may stand there in another form"))
    } else {
        Hit::No
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
