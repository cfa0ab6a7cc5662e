//! How well a path fits the letters that somebody typed.

/// Points for each letter that is found.
const FOUND: i32 = 16;
/// It follows the letter that was found before it.
const NEXT: i32 = 12;
/// A word begins with it.
const WORD: i32 = 10;
/// The name itself begins with it.
const NAME: i32 = 14;
/// For every letter that is passed over between the first and the last.
const GAP: i32 = 1;
/// All of it is in the name, not in the folders before it.
const IN_NAME: i32 = 40;
/// The name, or the name without its ending, is just what was typed.
const WHOLE: i32 = 60;
/// The most that having changed lately counts.
const LATELY: i32 = 12;

/// What was typed.
#[derive(Debug)]
pub(super) struct Wanted {
    letters: Vec<char>,
}

/// How well something fits; what fits better is greater.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Fit {
    points: i32,
    /// Shorter is better.
    length: std::cmp::Reverse<usize>,
}

impl Wanted {
    pub(super) fn new(typed: &str) -> Self {
        let typed = typed.strip_prefix("./").unwrap_or(typed);
        Self {
            letters: typed.chars().flat_map(char::to_lowercase).collect(),
        }
    }

    /// None if it does not have all letters in their order.
    pub(super) fn fit(&self, path: &str, is_folder: bool, recent: Option<usize>) -> Option<Fit> {
        let lately = recent.map_or(0, |rank| {
            let rank = i32::try_from(rank).unwrap_or(i32::MAX);
            (LATELY + 1 - rank.min(LATELY)).max(2)
        });
        let length = std::cmp::Reverse(path.len());
        if self.letters.is_empty() {
            let depth = i32::try_from(path.matches('/').count()).unwrap_or(i32::MAX);
            // Those that changed last in their order, then the upper folders.
            let points = recent.map_or_else(
                || 0_i32.saturating_sub(depth),
                |rank| 1000 - i32::try_from(rank).unwrap_or(1000),
            );
            return Some(Fit { points, length });
        }
        let letters: Vec<char> = path.chars().collect();
        let name = letters.iter().rposition(|&letter| letter == '/');
        let name = name.map_or(0, |slash| slash + 1);
        let in_name = (!self.letters.contains(&'/'))
            .then(|| self.points(&letters, name, name))
            .flatten()
            .map(|points| points + IN_NAME + self.whole(&letters[name..]));
        let points = in_name
            .into_iter()
            .chain(self.points(&letters, 0, name))
            .max()?;
        Some(Fit {
            points: points + lately - i32::from(is_folder),
            length,
        })
    }

    fn whole(&self, name: &[char]) -> i32 {
        let stem = name.iter().rposition(|&letter| letter == '.');
        let is = |text: &[char]| {
            text.len() == self.letters.len()
                && text.iter().zip(&self.letters).all(|(&a, &b)| is_same(a, b))
        };
        let whole = is(name) || stem.is_some_and(|dot| dot > 0 && is(&name[..dot]));
        i32::from(whole) * WHOLE
    }

    /// The letters where they stand closest together: from the first place where
    /// all were found, back to the last place where they could have begun.
    fn points(&self, path: &[char], from: usize, name: usize) -> Option<i32> {
        let mut wanted = self.letters.iter().peekable();
        let end = (from..path.len()).find(|&at| {
            wanted.next_if(|letter| is_same(path[at], **letter));
            wanted.peek().is_none()
        })?;
        let mut at = end + 1;
        let mut begin = end;
        for letter in self.letters.iter().rev() {
            at = (from..at).rev().find(|&at| is_same(path[at], *letter))?;
            begin = at;
        }
        let (mut points, mut found, mut before) = (0, 0, None);
        for at in begin..=end {
            if found == self.letters.len() || !is_same(path[at], self.letters[found]) {
                points -= GAP;
                continue;
            }
            found += 1;
            points += FOUND;
            if at == name {
                points += NAME;
            } else if begins_word(path, at) {
                points += WORD;
            }
            if before.is_some_and(|before: usize| before + 1 == at) {
                points += NEXT;
            }
            before = Some(at);
        }
        (found == self.letters.len()).then_some(points)
    }
}

fn is_same(letter: char, wanted: char) -> bool {
    letter == wanted || letter.to_lowercase().eq(std::iter::once(wanted))
}

fn begins_word(path: &[char], at: usize) -> bool {
    let Some(before) = at.checked_sub(1).and_then(|before| path.get(before)) else {
        return true;
    };
    !before.is_alphanumeric()
        || (path[at].is_uppercase() && before.is_lowercase())
        || (path[at].is_numeric() && !before.is_numeric())
}
