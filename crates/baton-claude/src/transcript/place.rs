//! Where the CLI keeps the transcripts of a directory.

use std::io;
use std::path::{Path, PathBuf};

use uuid::Uuid;

/// The CLI's own folder: what `CLAUDE_CONFIG_DIR` says, else `~/.claude`.
#[must_use]
pub fn config_dir(claude_config_dir: Option<&Path>, home: &Path) -> PathBuf {
    claude_config_dir.map_or_else(|| home.join(".claude"), Path::to_path_buf)
}

/// Longer names are cut and given a hash.
const MAX_NAME: usize = 200;

/// The folder name for a path: everything but ASCII letters and digits becomes
/// a dash, counted in UTF-16 units as JavaScript does. Several paths share one
/// name, and no name can be turned back into its path.
#[must_use]
pub fn escape_path(path: &str) -> String {
    let escape = |unit: u16| match u8::try_from(unit) {
        Ok(byte) if byte.is_ascii_alphanumeric() => char::from(byte),
        _ => '-',
    };
    let name: String = path.encode_utf16().map(escape).collect();
    if name.len() <= MAX_NAME {
        return name;
    }
    // All characters are ASCII, so every byte is a boundary.
    format!("{}-{}", &name[..MAX_NAME], base36(hash(path)))
}

/// The usual JavaScript string hash, without its sign.
fn hash(path: &str) -> u32 {
    let step = |hash: i32, unit: u16| hash.wrapping_mul(31).wrapping_add(i32::from(unit));
    path.encode_utf16().fold(0, step).unsigned_abs()
}

fn base36(mut number: u32) -> String {
    let mut digits = Vec::new();
    loop {
        digits.extend(char::from_digit(number % 36, 36));
        number /= 36;
        if number == 0 {
            return digits.into_iter().rev().collect();
        }
    }
}

/// The folder with the transcripts of `cwd`. Symlinks in `cwd` are resolved,
/// as the CLI does; the folder itself need not exist.
///
/// # Errors
/// Fails when `cwd` does not exist.
pub fn project_dir(config_dir: &Path, cwd: &Path) -> io::Result<PathBuf> {
    let real = cwd.canonicalize()?;
    Ok(config_dir
        .join("projects")
        .join(escape_path(&real.to_string_lossy())))
}

/// The transcript of a session that runs in `cwd`, whether it exists or not.
///
/// # Errors
/// Fails when `cwd` does not exist.
pub fn session_file(config_dir: &Path, cwd: &Path, session: Uuid) -> io::Result<PathBuf> {
    Ok(project_dir(config_dir, cwd)?.join(format!("{session}.jsonl")))
}

/// Finds the transcripts of a session in any project. There may be several
/// when a directory was moved and its transcripts copied.
///
/// # Errors
/// Fails when the folder of projects cannot be read; one that does not exist
/// just has none.
pub fn locate(config_dir: &Path, session: Uuid) -> io::Result<Vec<PathBuf>> {
    let name = format!("{session}.jsonl");
    let mut found = Vec::new();
    let projects = match std::fs::read_dir(config_dir.join("projects")) {
        Ok(projects) => projects,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(found),
        Err(error) => return Err(error),
    };
    for project in projects {
        let file = project?.path().join(&name);
        if file.is_file() {
            found.push(file);
        }
    }
    found.sort();
    Ok(found)
}

#[cfg(test)]
#[path = "place_tests.rs"]
mod tests;
