//! Programs that search: which of their words is the pattern, and which are
//! certainly files.

use super::known::known_arguments;
use super::{Arguments, Simple, Word};

/// Options that name what is searched for, or say that nothing is.
const NAMES_PATTERN: &str = "e f regexp file expression files type-list version V";

/// Options by which grep goes into folders, though no other is named: by a number
/// or by patterns for names, the one that agents bring does.
const DEEP: &str =
    "r R recursive dereference-recursive include exclude exclude-dir 0 1 2 3 4 5 6 7 8 9";

/// Which word of a program that searches is what it searches for. `None` where
/// an option names it, or where an option is not known.
pub(crate) fn pattern_of(words: &[Word]) -> Option<usize> {
    let found = known_arguments(words)?;
    (!names_pattern(words, &found)).then(|| found.operands.first().copied())?
}

/// How many words of a program that searches are files or folders; none are
/// certainly where an option is not known.
pub(crate) fn searched(words: &[Word]) -> usize {
    let Some(found) = known_arguments(words) else {
        return 0;
    };
    let pattern = usize::from(!names_pattern(words, &found));
    found.operands.len().saturating_sub(pattern)
}

/// Whether a program that searches goes into folders that nobody named.
pub(crate) fn goes_deep(words: &[Word]) -> bool {
    known_arguments(words).is_none_or(|found| found.has(DEEP))
}

/// Whether a program may look into what lies in hidden folders that nobody named.
pub(crate) fn searches_hidden(simple: &Simple) -> bool {
    let text = |word: &Word| word.text().unwrap_or(&word.source).to_owned();
    let mut options = simple.words.iter().skip(1).map(text);
    match simple.program().unwrap_or_default() {
        "grep" | "egrep" | "fgrep" => goes_deep(&simple.words),
        "diff" => true,
        // It leaves hidden folders out unless it is told.
        "rg" => options.any(|word| {
            let group = word.starts_with('-') && !word.starts_with("--");
            (group && word.contains(['u', '.']))
                || matches!(word.as_str(), "--hidden" | "--unrestricted")
        }),
        _ => false,
    }
}

fn names_pattern(words: &[Word], found: &Arguments<'_>) -> bool {
    // To jq they are about how it answers.
    words.first().and_then(Word::text) != Some("jq") && found.has(NAMES_PATTERN)
}
