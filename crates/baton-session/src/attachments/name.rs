//! Names of files, made safe to show, to store and to write into a prompt.

/// The most characters of a name.
const MAX: usize = 100;
const NAMELESS: &str = "file";

/// A file's own name: without folders, control characters or characters that
/// only move others around, of at most 100 characters, and never empty.
pub fn clean_name(name: &str) -> String {
    let own = name
        .split(['/', '\\'])
        .map(str::trim)
        .rfind(|part| !part.is_empty());
    let seen = own.unwrap_or_default().chars();
    let clean: String = seen.filter(|c| !is_unseen(*c)).collect();
    let clean = clean.trim();
    match clean {
        "" | "." | ".." => NAMELESS.to_owned(),
        _ => shorten(clean, MAX),
    }
}

/// The name, with a number if another file of the message has it.
pub(super) fn unique(name: &str, taken: &[&str]) -> String {
    if !taken.contains(&name) {
        return name.to_owned();
    }
    let (stem, ending) = split(name);
    let numbered = (2_usize..).map(|number| {
        let tail = format!("-{number}{ending}");
        let room = MAX.saturating_sub(tail.chars().count());
        let stem: String = stem.chars().take(room).collect();
        stem + &tail
    });
    let mut free = numbered.filter(|candidate| !taken.contains(&candidate.as_str()));
    free.next().unwrap_or_else(|| name.to_owned())
}

/// Cuts the middle, since the ending says what a file is.
fn shorten(name: &str, max: usize) -> String {
    if name.chars().count() <= max {
        return name.to_owned();
    }
    let (stem, ending) = split(name);
    let room = max - ending.chars().count();
    let stem: String = stem.chars().take(room).collect();
    stem + ending
}

/// The ending begins with its dot. A long one is no ending.
fn split(name: &str) -> (&str, &str) {
    match name.rfind('.') {
        Some(at) if at > 0 && name.len() - at <= 16 => name.split_at(at),
        _ => (name, ""),
    }
}

fn is_unseen(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
            | '\u{feff}' | '\u{e0000}'..='\u{e007f}')
}
