//! Recorded sessions of the real CLI: what went in, what came out, when.

use std::path::Path;

use serde_json::Value;

/// Which way a recorded line went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// About the run: argv, working directory, exit code, stderr.
    Meta,
    /// Written by the host to the CLI's stdin.
    In,
    /// Written by the CLI to its stdout.
    Out,
}

/// One line of a recording.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordedLine {
    /// Milliseconds since the start.
    pub t_ms: u64,
    /// Which way it went.
    pub dir: Direction,
    /// The message.
    pub msg: Value,
}

/// Loads `<folder>/<name>.jsonl`.
///
/// # Panics
/// When it is missing or damaged, saying where.
#[track_caller]
pub fn recording(folder: &Path, name: &str) -> Vec<RecordedLine> {
    let path = folder.join(format!("{name}.jsonl"));
    let text = match std::fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) => panic!("cannot read the recording {}: {error}", path.display()),
    };
    let parse = |(index, line): (usize, &str)| match parse(line) {
        Some(line) => line,
        None => panic!(
            "{}:{} is not a recorded line: {line}",
            path.display(),
            index + 1
        ),
    };
    text.lines().enumerate().map(parse).collect()
}

/// The names of all recordings in a folder, sorted.
///
/// # Panics
/// When there are none: a test over no recordings proves nothing.
#[track_caller]
pub fn recordings(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries
        .filter_map(|entry| {
            Some(
                entry
                    .file_name()
                    .to_str()?
                    .strip_suffix(".jsonl")?
                    .to_owned(),
            )
        })
        .collect();
    assert!(!names.is_empty(), "no recordings in {}", folder.display());
    names.sort();
    names
}

fn parse(line: &str) -> Option<RecordedLine> {
    let mut value: Value = serde_json::from_str(line).ok()?;
    let dir = match value["dir"].as_str()? {
        "meta" => Direction::Meta,
        "in" => Direction::In,
        "out" => Direction::Out,
        _ => return None,
    };
    Some(RecordedLine {
        t_ms: value["t_ms"].as_u64()?,
        dir,
        msg: value["msg"].take(),
    })
}

#[cfg(test)]
#[path = "recording_tests.rs"]
mod tests;
