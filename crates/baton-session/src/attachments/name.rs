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

/// Where a file is in its project, as far as its name says so: `src/main.rs`.
/// Of a name that leads anywhere else, and of folders beyond 100 characters,
/// only the file's own name is left.
pub(super) fn clean_path(name: &str) -> String {
    let own = clean_name(name);
    let unified = name.replace('\\', "/");
    let leads_out = unified.starts_with('/') || unified.split('/').any(is_elsewhere);
    let Some((folders, _)) = unified.trim_end_matches('/').rsplit_once('/') else {
        return own;
    };
    let folders = folders.split('/').map(clean_part);
    let mut path: Vec<String> = folders
        .filter(|part| part != "." && !part.is_empty())
        .collect();
    path.push(own.clone());
    let path = path.join("/");
    if leads_out || path.chars().count() > MAX {
        return own;
    }
    path
}

/// A step up, or the name of a drive.
fn is_elsewhere(part: &str) -> bool {
    let part = clean_part(part);
    part == ".." || part.ends_with(':')
}

fn clean_part(part: &str) -> String {
    let seen: String = part.chars().filter(|c| !is_unseen(*c)).collect();
    seen.trim().to_owned()
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

/// The ending begins with its dot. A long one is no ending, and neither is a
/// whole name that begins with a dot, or a folder's.
fn split(name: &str) -> (&str, &str) {
    let own = name.rfind('/').map_or(0, |at| at + 1);
    match name.rfind('.') {
        Some(at) if at > own && name.len() - at <= 16 => name.split_at(at),
        _ => (name, ""),
    }
}

fn is_unseen(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
            | '\u{feff}' | '\u{e0000}'..='\u{e007f}')
}
