//! Which lines a remark is about, now.
//!
//! It is kept with the lines it was made on. Where they are found again, the
//! remark is; where they are not, it says that it is outdated. Nothing is
//! guessed from lines that only look alike.

use std::{collections::BTreeMap, path::Path};

use baton_protocol::api::{ContentKind, ReviewComment};

use super::{BadComment, bad};
use crate::{
    files::{Lines, ProjectFolder},
    secrets::SecretPlaces,
};

/// As much of a file as is looked through for lines.
const MOST_LINES: u64 = 200_000;

/// The most that is kept of the lines that a remark is about.
const QUOTED_LINES: usize = 20;
const QUOTED_CHARS: usize = 400;

/// The remark with the lines it is about, if they are there. Blocks.
pub fn anchored(
    folder: &Path,
    secrets: &SecretPlaces,
    comment: ReviewComment,
) -> Result<ReviewComment, BadComment> {
    let inner = |part: &str| part.eq_ignore_ascii_case(".git");
    if comment.path.split('/').any(inner) {
        return Err(bad("path", "names a file of the repository's own"));
    }
    let Some(text) = Text::read(folder, secrets, &comment.path) else {
        return Err(bad("path", "names a file that is not there"));
    };
    // Of a file that is no text nothing is known.
    let (Some(line), Text::Lines { lines, whole }) = (comment.line, text) else {
        return Ok(comment);
    };
    let last = comment.end_line.unwrap_or(line);
    let count = lines.len();
    if whole && last as usize > count.max(1) {
        let field = match comment.end_line {
            Some(_) => "endLine",
            None => "line",
        };
        let why = format!("is beyond the file, which has {count} lines");
        return Err(bad(field, why));
    }
    let quote = quoted(&lines, line as usize, last as usize);
    Ok(ReviewComment { quote, ..comment })
}

/// The remarks as they stand now: moved with their lines, or outdated. Blocks.
pub fn found_again(folder: &Path, secrets: &SecretPlaces, comments: &mut [ReviewComment]) {
    let mut files: BTreeMap<String, Option<Text>> = BTreeMap::new();
    for comment in comments {
        let read = || Text::read(folder, secrets, &comment.path);
        let file = files.entry(comment.path.clone()).or_insert_with(read);
        match file {
            None => comment.outdated = Some(true),
            Some(Text::Other) => {}
            Some(Text::Lines { lines, .. }) => find(lines, comment),
        }
    }
}

fn find(lines: &[String], comment: &mut ReviewComment) {
    let (Some(line), Some(quote)) = (comment.line, comment.quote.as_deref()) else {
        return;
    };
    let quote: Vec<&str> = quote.split('\n').collect();
    let is_there = |from: usize| {
        let here = lines.get(from..from + quote.len());
        let same = |(one, other): (&String, &&str)| short(one) == **other;
        here.is_some_and(|here| here.iter().zip(&quote).all(same))
    };
    let was = (line as usize).saturating_sub(1);
    // The nearest place counts, and of two as near the earlier one.
    let nearest = if is_there(was) {
        Some(was)
    } else {
        let places = (0..lines.len()).filter(|from| is_there(*from));
        places.min_by_key(|from| from.abs_diff(was))
    };
    let Some(now) = nearest.and_then(|now| u32::try_from(now + 1).ok()) else {
        comment.outdated = Some(true);
        return;
    };
    comment.end_line = comment.end_line.map(|end| now + (end - line));
    comment.line = Some(now);
}

enum Text {
    Lines {
        lines: Vec<String>,
        /// There are no more.
        whole: bool,
    },
    /// No text.
    Other,
}

impl Text {
    /// None if there is no such file to show.
    fn read(folder: &Path, secrets: &SecretPlaces, path: &str) -> Option<Self> {
        let folder = ProjectFolder::open(folder, secrets).ok()?;
        let wanted = Lines {
            from: 1,
            count: MOST_LINES,
        };
        let view = folder.view(path, wanted).ok()?;
        if view.kind != ContentKind::Text {
            return Some(Self::Other);
        }
        let text = view.text.unwrap_or_default();
        Some(Self::Lines {
            lines: text.lines().map(str::to_owned).collect(),
            whole: !view.truncated,
        })
    }
}

/// Lines as they are kept: not too many, none too long.
fn quoted(lines: &[String], from: usize, to: usize) -> Option<String> {
    let before = from.checked_sub(1)?;
    let lines = lines.get(before..to.min(before + QUOTED_LINES))?;
    let lines: Vec<String> = lines.iter().map(|line| short(line)).collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}

fn short(line: &str) -> String {
    line.chars().take(QUOTED_CHARS).collect()
}

#[cfg(test)]
#[path = "anchor_tests.rs"]
mod tests;
