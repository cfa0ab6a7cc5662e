//! Which known word somebody may have meant.

/// The nearest of `known`, if one is near enough to be meant.
pub(super) fn nearest<'a>(word: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let lower = word.to_lowercase();
    known
        .map(|candidate| (distance(&lower, &candidate.to_lowercase()), candidate))
        .min_by_key(|(distance, _)| *distance)
        .filter(|(distance, candidate)| *distance <= 2.max(candidate.chars().count() / 3))
        .map(|(_, candidate)| candidate)
}

/// How many letters must be changed, added or removed. The words are short:
/// names that come from a file are cut before they get here.
fn distance(from: &str, to: &str) -> usize {
    let to: Vec<char> = to.chars().collect();
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (number, c) in from.chars().take(100).enumerate() {
        let mut diagonal = number;
        row[0] = number + 1;
        for (at, other) in to.iter().enumerate() {
            let changed = diagonal + usize::from(c != *other);
            diagonal = row[at + 1];
            row[at + 1] = changed.min(diagonal + 1).min(row[at] + 1);
        }
    }
    row[to.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_finds_the_word_that_was_meant_and_nonsense_finds_none() {
        let known = ["agent.maxTurns", "agent.model", "runner.name"];
        let find = |word: &str| nearest(word, known.into_iter());
        assert_eq!(find("agent.maxturn"), Some("agent.maxTurns"));
        assert_eq!(find("agent.modle"), Some("agent.model"));
        assert_eq!(find("kitchen.sink.tap"), None);
        assert_eq!(distance("kitten", "sitting"), 3);
    }
}
