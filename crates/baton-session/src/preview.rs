//! Edits as hunks against the file on disk, so that a person decides on the
//! change and not on its description.

use std::path::Path;

use baton_project::secrets::Secrets;
use baton_protocol::{
    ToolKind, ToolUse,
    event::{DiffLine, DiffPreview, Hunk, LineKind},
};
use serde_json::Value;
use similar::{ChangeTag, TextDiff};

/// Larger files are shown without a preview.
const MAX_FILE: u64 = 1024 * 1024;
/// More lines than this are cut, and the preview says so.
const MAX_LINES: usize = 400;
const CONTEXT: usize = 3;

/// The change a file tool is about to make, if it can be told. What a file
/// that holds secrets has in it is not put into the log.
pub fn preview(
    what: &ToolUse,
    input: &Value,
    cwd: &Path,
    secrets: &Secrets,
) -> Option<DiffPreview> {
    let path = what.subject.path.as_deref()?;
    let target = cwd.join(path);
    if secrets.hide_path(&target) {
        return None;
    }
    let old = match std::fs::metadata(&target) {
        Ok(meta) if !meta.is_file() || meta.len() > MAX_FILE => return None,
        Ok(_) => std::fs::read_to_string(&target).ok()?,
        Err(_) => String::new(),
    };
    let new = after(what.kind, input, &old)?;
    Some(diff(path, &old, &new))
}

/// The file's text after the tool has run.
fn after(kind: ToolKind, input: &Value, old: &str) -> Option<String> {
    if kind == ToolKind::Write {
        return input["content"].as_str().map(str::to_owned);
    }
    if kind != ToolKind::Edit {
        return None;
    }
    let from = input["old_string"].as_str()?;
    let to = input["new_string"].as_str()?;
    if from.is_empty() {
        return Some(to.to_owned());
    }
    if !old.contains(from) {
        return None;
    }
    let all = input["replace_all"].as_bool().unwrap_or(false);
    Some(if all {
        old.replace(from, to)
    } else {
        old.replacen(from, to, 1)
    })
}

/// Hunks between two texts.
pub fn diff(path: &str, old: &str, new: &str) -> DiffPreview {
    let diff = TextDiff::from_lines(old, new);
    let mut preview = DiffPreview {
        path: path.to_owned(),
        hunks: Vec::new(),
        truncated: false,
    };
    let mut lines = 0;
    for group in diff.grouped_ops(CONTEXT) {
        let Some(first) = group.first() else { continue };
        let mut hunk = Hunk {
            old_start: line_number(first.old_range().start),
            new_start: line_number(first.new_range().start),
            lines: Vec::new(),
        };
        for change in group.iter().flat_map(|op| diff.iter_changes(op)) {
            if lines == MAX_LINES {
                preview.truncated = true;
                break;
            }
            lines += 1;
            hunk.lines.push(DiffLine {
                kind: match change.tag() {
                    ChangeTag::Equal => LineKind::Same,
                    ChangeTag::Insert => LineKind::Added,
                    ChangeTag::Delete => LineKind::Removed,
                },
                text: change.value().trim_end_matches(['\n', '\r']).to_owned(),
            });
        }
        preview.hunks.push(hunk);
        if preview.truncated {
            break;
        }
    }
    preview
}

fn line_number(index: usize) -> u32 {
    u32::try_from(index + 1).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use baton_project::secrets::SecretPlaces;
    use serde_json::json;

    use super::*;
    use crate::agents::AgentKind;

    fn preview(tool: &str, input: &Value, cwd: &Path, secrets: &Secrets) -> Option<DiffPreview> {
        let what = AgentKind::Claude.tool_use(tool, input);
        super::preview(&what, input, cwd, secrets)
    }

    fn text(preview: &DiffPreview) -> String {
        let mut out = String::new();
        for hunk in &preview.hunks {
            out += &format!("@@ -{} +{}\n", hunk.old_start, hunk.new_start);
            for line in &hunk.lines {
                let sign = match line.kind {
                    LineKind::Same => ' ',
                    LineKind::Added => '+',
                    LineKind::Removed => '-',
                };
                out += &format!("{sign}{}\n", line.text);
            }
        }
        out
    }

    #[test]
    fn an_edit_shows_the_lines_it_changes_in_the_file() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("a.txt"), "one\ntwo\nthree\n").unwrap();
        let input = json!({"file_path": "a.txt", "old_string": "two", "new_string": "2"});
        let preview = preview("Edit", &input, dir.path(), &Secrets::default()).unwrap();
        assert_eq!(text(&preview), "@@ -1 +1\n one\n-two\n+2\n three\n");
    }

    #[test]
    fn a_new_file_is_all_added() {
        let dir = tempfile::tempdir().unwrap();
        let input = json!({"file_path": "b.txt", "content": "x\ny\n"});
        let preview = preview("Write", &input, dir.path(), &Secrets::default()).unwrap();
        assert_eq!(text(&preview), "@@ -1 +1\n+x\n+y\n");
    }

    #[test]
    fn an_edit_that_does_not_fit_the_file_has_no_preview() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("a.txt"), "one\n").unwrap();
        let input = json!({"file_path": "a.txt", "old_string": "zwei", "new_string": "2"});
        assert!(preview("Edit", &input, dir.path(), &Secrets::default()).is_none());
    }

    #[test]
    fn an_edit_of_a_secret_file_shows_nothing_of_it() {
        let dir = tempfile::tempdir().unwrap();
        let (data, project) = (dir.path().join("data"), dir.path().join("project"));
        std::fs::create_dir(&data).unwrap();
        std::fs::create_dir(&project).unwrap();
        std::fs::write(data.join("token"), "one\ntwo\nthree\n").unwrap();
        std::fs::hard_link(data.join("token"), project.join("twin")).unwrap();
        std::os::unix::fs::symlink(&data, project.join("link")).unwrap();
        let places = SecretPlaces::of(dir.path(), dir.path(), &data);
        let whole = data.join("token").display().to_string();
        for path in ["../data/token", "twin", "link/token", whole.as_str()] {
            let input = json!({"file_path": path, "old_string": "two", "new_string": "2"});
            let shown = preview("Edit", &input, &project, &places.look());
            assert_eq!(shown, None, "{path}");
        }
    }

    #[test]
    fn a_long_change_is_cut_and_says_so() {
        let preview = diff("x", "", &"line\n".repeat(1000));
        assert!(preview.truncated);
        assert_eq!(preview.hunks[0].lines.len(), MAX_LINES);
    }
}
