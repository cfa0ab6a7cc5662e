//! What `xargs` runs: a command, with words that come from its input.

use super::wrapper::{PLAIN, Wrapper, hides, options};
use super::{Script, Simple, Unparsed, Word, take};

pub(super) fn xargs(script: &mut Script, simple: &Simple, depth: usize) -> Result<(), Unparsed> {
    const OPTIONS: Wrapper = Wrapper {
        name: "xargs",
        alone: "0rtxo",
        valued: "nPILsdE",
        long: &["null", "no-run-if-empty", "verbose", "exit"],
        ..PLAIN
    };
    let words = &simple.words;
    let Some(next) = options(words, &OPTIONS) else {
        hides(script, "xargs");
        return Ok(());
    };
    if next >= words.len() {
        return Ok(());
    }
    let Some(marks) = replaced(&words[1..next]) else {
        hides(script, "xargs");
        return Ok(());
    };
    let mut inner = words[next..].to_vec();
    for word in &mut inner {
        let holds = |text: &str| marks.iter().any(|mark| text.contains(mark));
        if word.text().is_none_or(holds) {
            *word = Word::unknown(word.source.clone());
        }
    }
    inner.push(Word::unknown("…"));
    take(
        script,
        Simple {
            words: inner,
            ..Simple::default()
        },
        depth,
    )
}

/// The texts that xargs puts its input in place of; `None` if they cannot be told.
fn replaced(options: &[Word]) -> Option<Vec<&str>> {
    let mut marks = Vec::new();
    let mut options = options.iter().map(Word::text);
    while let Some(option) = options.next() {
        let option = option?;
        if option == "-I" {
            marks.push(options.next()??);
        } else if let Some(mark) = option
            .strip_prefix("-I")
            .or(option.strip_prefix("--replace="))
        {
            marks.push(mark);
        } else if option.starts_with('-') && !option.starts_with("--") && option.contains('I') {
            return None;
        }
    }
    // An empty text would be in every word.
    marks.iter().all(|mark| !mark.is_empty()).then_some(marks)
}
