//! What the CLI calls the plan of a session.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, BufRead as _, BufReader};
use std::path::Path;

use serde::Deserialize;

/// What is read of a row. A text inside one may say the same of itself, so
/// only the row's own field counts.
#[derive(Deserialize)]
struct Named<'a> {
    #[serde(borrow, default)]
    slug: Option<Cow<'a, str>>,
}

/// The name, without its ending, of the file in `plans` that a session keeps
/// its plan in: the last that its transcript has. A fork gets one of its own.
///
/// # Errors
/// Fails when the file cannot be read.
pub fn plan_slug(transcript: &Path) -> io::Result<Option<String>> {
    let mut file = BufReader::new(File::open(transcript)?);
    let (mut line, mut last) = (Vec::new(), None);
    while file.read_until(b'\n', &mut line)? > 0 {
        if let Ok(Named { slug: Some(slug) }) = serde_json::from_slice(&line) {
            last = Some(slug.into_owned()).filter(|slug| !slug.is_empty());
        }
        line.clear();
    }
    Ok(last)
}

#[cfg(test)]
mod tests {
    use super::plan_slug;

    #[test]
    fn the_last_name_that_a_row_itself_has_counts() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("x.jsonl");
        let rows = [
            r#"{"type":"user","message":{"content":"x"}}"#,
            r#"{"type":"assistant","slug":"calm-idea-lark"}"#,
            r#"{"type":"user","toolUseResult":{"slug":"others"},"slug":"wild-idea-lark"}"#,
            r#"{"type":"assistant","message":{"content":"\"slug\":\"others\"","slug":"others"}}"#,
            r#"{"type":"user","slug":"#,
        ];
        std::fs::write(&file, rows.join("\n")).unwrap();
        assert_eq!(plan_slug(&file).unwrap().as_deref(), Some("wild-idea-lark"));
        std::fs::write(&file, rows[0]).unwrap();
        assert_eq!(plan_slug(&file).unwrap(), None);
        assert!(plan_slug(&folder.path().join("y.jsonl")).is_err());
    }
}
