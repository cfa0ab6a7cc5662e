//! Programs that search: which of their words is the pattern, and which are
//! certainly files.

use super::Word;

/// Options of programs that search, which take no word of their own. Those of
/// one letter first.
const SEARCH_FLAGS: &[(&str, &str, &[&str])] = &[
    ("awk", "", &[]),
    ("egrep", GREP_LETTERS, GREP_WORDS),
    ("fgrep", GREP_LETTERS, GREP_WORDS),
    ("grep", GREP_LETTERS, GREP_WORDS),
    (
        "jq",
        "CMRSacejnrs",
        &[
            "--compact-output",
            "--exit-status",
            "--raw-output",
            "--slurp",
            "--sort-keys",
        ],
    ),
    (
        "rg",
        "FHILNPSUachilnopqsuvwxz0.",
        &[
            "--case-sensitive",
            "--count",
            "--files-with-matches",
            "--fixed-strings",
            "--hidden",
            "--ignore-case",
            "--line-number",
            "--multiline",
            "--no-filename",
            "--no-heading",
            "--no-ignore",
            "--no-line-number",
            "--only-matching",
            "--smart-case",
            "--word-regexp",
        ],
    ),
    ("sed", "Enrsuz", &["--quiet", "--silent"]),
];
const GREP_LETTERS: &str = "EFGHILPRUZabchilnoqrsvwxyz";
const GREP_WORDS: &[&str] = &[
    "--count",
    "--extended-regexp",
    "--files-with-matches",
    "--fixed-strings",
    "--ignore-case",
    "--invert-match",
    "--line-number",
    "--no-filename",
    "--no-messages",
    "--only-matching",
    "--perl-regexp",
    "--quiet",
    "--recursive",
    "--with-filename",
    "--word-regexp",
];

/// Which word of a program that searches is what it searches for. `None` where
/// an option may take a word of its own, or name the pattern.
pub(crate) fn pattern_of(words: &[Word]) -> Option<usize> {
    let name = words.first()?.text()?;
    let (_, letters, long) = SEARCH_FLAGS.iter().find(|(program, ..)| *program == name)?;
    for (at, word) in words.iter().enumerate().skip(1) {
        let Some(option) = word
            .text()
            .filter(|text| text.len() > 1)
            .and_then(|text| text.strip_prefix('-'))
        else {
            return Some(at);
        };
        let alone = match option.strip_prefix('-') {
            Some(_) => long.contains(&word.text()?) || option.contains('='),
            None => option.chars().all(|letter| letters.contains(letter)),
        };
        // Numbers of lines and separators are attached as often as not.
        let attached =
            option.len() > 1 && option.starts_with(['A', 'B', 'C', 'F', 'm']) && name != "jq";
        if !(alone || attached) || names_the_pattern(option) {
            return None;
        }
    }
    None
}

/// How many words of a program that searches are certainly files or folders:
/// none that may be the pattern or the value of an option.
pub(crate) fn searched(words: &[Word]) -> usize {
    let name = words.first().and_then(Word::text).unwrap_or_default();
    let flags = SEARCH_FLAGS.iter().find(|(program, ..)| *program == name);
    let (letters, long) = flags.map_or(("", &[][..]), |(_, letters, long)| (*letters, *long));
    let (mut certain, mut pattern, mut value) = (0, 1, false);
    for word in words.iter().skip(1) {
        let text = word.text().unwrap_or(&word.source);
        let Some(option) = text.strip_prefix('-').filter(|rest| !rest.is_empty()) else {
            certain += usize::from(!std::mem::take(&mut value));
            continue;
        };
        let alone = match option.strip_prefix('-') {
            Some(name) => long.contains(&text) || name.is_empty() || name.contains('='),
            None => option.chars().all(|letter| letters.contains(letter)),
        };
        let short = !option.starts_with('-') && !alone && option.contains(['e', 'f']);
        if short || names_the_pattern(option) {
            pattern = 0;
        }
        value = !alone;
    }
    usize::saturating_sub(certain, pattern)
}

/// `--regexp=x` and `--file=x`, or the beginning of such a name.
fn names_the_pattern(option: &str) -> bool {
    let name = option
        .trim_start_matches('-')
        .split('=')
        .next()
        .unwrap_or_default();
    let long = option.starts_with('-') && !name.is_empty();
    long && ["regexp", "file", "expression", "from-file"]
        .iter()
        .any(|word| word.starts_with(name))
}
