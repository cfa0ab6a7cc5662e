//! The options of a command, read by a list of those that are known.
//!
//! A list is a text. In it `-abc` are letters of options that stand alone,
//! `-nk=` letters that take a value, attached or as the next word, and `-u?`
//! letters that may have one attached; `#` is any digit. `--name`, `--name=` and
//! `--name?` are the same for long ones, and `--name==` takes two words.
//! A long option counts only as it is written in the list: what a program makes
//! of the beginning of a name is another program's business in the next version.

use super::{Value, Word};
use crate::glob::Token;

/// What was found: options without their dashes, and which words are neither
/// options nor values of one.
#[derive(Debug, Default)]
pub(crate) struct Arguments<'a> {
    pub(crate) options: Vec<&'a str>,
    pub(crate) operands: Vec<usize>,
}

impl Arguments<'_> {
    /// Whether one of these options is there, given by letters and names.
    pub(crate) fn has(&self, names: &str) -> bool {
        let mut names = names.split(' ');
        names.any(|name| self.options.contains(&name))
    }
}

/// What an option takes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Takes {
    Nothing,
    Perhaps,
    One,
    Two,
}

/// Reads the words behind the first; `None` where one is not known, or may
/// become an option. With `loose`, no option of the program does harm.
pub(super) fn read<'a>(words: &'a [Word], lists: &[&str], loose: bool) -> Option<Arguments<'a>> {
    let mut found = Arguments::default();
    let (mut at, mut ended) = (1, false);
    while let Some(word) = words.get(at) {
        let here = at;
        at += 1;
        let text = match word.text() {
            Some(text) if !ended && text.len() > 1 && text.starts_with('-') => text,
            // Whatever files match it, it is this option, as in `--include=*.py`.
            None if !ended && valued(word).is_some_and(|name| takes_one(lists, &name)) => continue,
            None if !ended && !loose && word.may_be_option() => return None,
            Some(_) | None => {
                found.operands.push(here);
                continue;
            }
        };
        if text == "--" {
            ended = true;
            continue;
        }
        let wanted = match text.strip_prefix("--") {
            Some(long) => {
                let (name, attached) = match long.split_once('=') {
                    Some((name, _)) => (name, true),
                    None => (long, false),
                };
                found.options.push(name);
                match (long_takes(lists, name)?, attached) {
                    (Takes::Nothing | Takes::Perhaps, false)
                    | (Takes::Perhaps | Takes::One, true) => 0,
                    (Takes::One, false) => 1,
                    (Takes::Two, false) => 2,
                    (Takes::Nothing | Takes::Two, true) => return None,
                }
            }
            None => letters(&text[1..], lists, &mut found.options)?,
        };
        for _ in 0..wanted {
            if !is_value(words.get(at)?, loose) {
                return None;
            }
            at += 1;
        }
    }
    Some(found)
}

/// Whether the word behind an option is its value to every program: to some, one
/// that looks like an option is one, and one that becomes several words leaves
/// some that are no value.
fn is_value(word: &Word, loose: bool) -> bool {
    match &word.value {
        Value::Known(text) => {
            let rest = text.strip_prefix('-').unwrap_or_default();
            rest.is_empty() || rest.starts_with(|c: char| c.is_ascii_digit())
        }
        Value::Home(_) => true,
        Value::Unknown { splits } => loose && !splits,
        Value::Wild(_) => false,
    }
}

/// The long option that a pattern for names of files begins with.
fn valued(word: &Word) -> Option<String> {
    let Value::Wild(tokens) = &word.value else {
        return None;
    };
    let plain = |token: &&Token| matches!(token, Token::Char(_));
    let lead: String = tokens.iter().take_while(plain).map(Token::plain).collect();
    let (name, _) = lead.strip_prefix("--")?.split_once('=')?;
    Some(name.to_owned())
}

fn takes_one(lists: &[&str], name: &str) -> bool {
    long_takes(lists, name) == Some(Takes::One)
}

/// How many words a group of letters takes.
fn letters<'a>(group: &'a str, lists: &[&str], found: &mut Vec<&'a str>) -> Option<usize> {
    for (at, letter) in group.char_indices() {
        let end = at + letter.len_utf8();
        found.push(&group[at..end]);
        match letter_takes(lists, letter)? {
            Takes::Nothing => {}
            Takes::One if end == group.len() => return Some(1),
            Takes::Perhaps | Takes::One | Takes::Two => return Some(0),
        }
    }
    Some(0)
}

fn entries<'a>(lists: &'a [&'a str]) -> impl Iterator<Item = (&'a str, Takes)> {
    let entries = lists.iter().flat_map(|list| list.split_whitespace());
    entries.map(|entry| {
        let suffixes = [("==", Takes::Two), ("=", Takes::One), ("?", Takes::Perhaps)];
        let mut suffixes = suffixes.into_iter();
        let valued = suffixes.find_map(|(end, takes)| Some((entry.strip_suffix(end)?, takes)));
        valued.unwrap_or((entry, Takes::Nothing))
    })
}

fn long_takes(lists: &[&str], name: &str) -> Option<Takes> {
    entries(lists).find_map(|(entry, takes)| (entry.strip_prefix("--")? == name).then_some(takes))
}

fn letter_takes(lists: &[&str], letter: char) -> Option<Takes> {
    let digit = letter.is_ascii_digit();
    entries(lists).find_map(|(entry, takes)| {
        let letters = entry.strip_prefix('-')?;
        let is = letters.contains(letter) || (digit && letters.contains('#'));
        (!letters.starts_with('-') && is).then_some(takes)
    })
}
