//! A path that begins with one slash begins at the project's folder, which is
//! not what somebody means who writes `Read(/etc/hosts)`.

use std::path::Path;

/// A hint for a rule whose path is there in the file system, and not in the
/// project.
pub(super) fn hint(rule: &str, project: Option<&Path>) -> Option<String> {
    let (tool, path) = rule.trim().strip_suffix(')')?.split_once('(')?;
    if path.starts_with("//") || !["Edit", "Read", "Write"].contains(&tool) {
        return None;
    }
    let first = path.strip_prefix('/')?.split('/').next()?;
    if first.is_empty() || first.contains(['*', '?', '[']) {
        return None;
    }
    let there = Path::new("/").join(first).exists();
    let here = project.is_some_and(|project| project.join(first).exists());
    (there && !here).then(|| {
        format!(
            "`{path}` begins at the project's folder. If you mean the file system, write two \
             slashes: {tool}(/{path})"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_of_the_file_system_gets_a_hint() {
        let told = hint("Read(/etc/hosts)", Some(Path::new("/nowhere"))).unwrap();
        assert!(
            told.ends_with("write two slashes: Read(//etc/hosts)"),
            "{told}"
        );
        assert!(hint("Edit(/tmp/**)", None).is_some());
        // The project has one of this name.
        assert_eq!(hint("Read(/etc/hosts)", Some(Path::new("/"))), None);
        for fine in [
            "Read(//etc/hosts)",
            "Read(/no-such-folder/x)",
            "Read(etc/hosts)",
            "Read(/*.md)",
            "Bash(/etc/x)",
            "Read",
        ] {
            assert_eq!(hint(fine, None), None, "{fine}");
        }
    }
}
