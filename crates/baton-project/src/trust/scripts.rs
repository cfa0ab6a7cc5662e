//! Scripts that a command of the folder's settings runs: accepting the command
//! means accepting them as they are.
//!
//! They are found by the words of the command. What a script reads in turn is
//! not.

use std::{
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

use ring::digest::{Context, SHA256};

use super::item::{Scan, finish};

/// The most words and scripts of one command that are looked at.
const MOST: usize = 64;

/// The scripts' contents as one hash, if there are any; they are remembered.
pub(super) fn content(scan: &mut Scan, base: &Path, command: &str) -> Option<[u8; 32]> {
    let found = named(base, command);
    if found.is_empty() {
        return None;
    }
    let mut context = Context::new(&SHA256);
    for path in found {
        let bytes = scan.content(base, &path);
        let name = path.as_os_str().as_encoded_bytes();
        for part in [name, &bytes] {
            context.update(&part.len().to_be_bytes());
            context.update(part);
        }
        scan.scripts.push(path);
    }
    Some(finish(context))
}

/// Files in `base` that the words of a command name, from there or from a
/// folder that the command names too.
fn named(base: &Path, command: &str) -> Vec<PathBuf> {
    let command = command
        .replace("${CLAUDE_PROJECT_DIR}", ".")
        .replace("$CLAUDE_PROJECT_DIR", ".")
        .replace(['"', '\''], "");
    let separates = |c: char| c.is_whitespace() || "`;&|()<>=,[]{}".contains(c);
    let words: Vec<&str> = command
        .split(separates)
        .filter(|word| !word.is_empty() && !word.starts_with('-'))
        .take(MOST)
        .collect();
    let mut names: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
    for pair in command.split(separates).collect::<Vec<_>>().windows(2) {
        // `python3 -m a.b` runs a module of the folder, if there is one.
        if pair[0] == "-m" {
            let module = pair[1].replace('.', "/");
            names.extend(["", "/__main__", "/__init__"].map(|end| format!("{module}{end}.py")));
        }
    }
    if words.iter().any(|word| matches!(*word, "make" | "gmake")) {
        names.extend(["GNUmakefile", "makefile", "Makefile"].map(str::to_owned));
    }
    let folders = words.iter().map(|word| base.join(word));
    let folders: Vec<PathBuf> = std::iter::once(base.to_owned())
        .chain(folders.filter(|path| path.is_dir()))
        .collect();
    let mut found = Vec::new();
    for folder in &folders {
        for name in &names {
            let path = folder.join(name);
            if path.starts_with(base) && is_script(&path) && found.len() < MOST {
                found.push(path);
            }
        }
    }
    found.sort();
    found.dedup();
    found
}

/// Whether a file is there to be run; a command names files to write to as well.
fn is_script(path: &Path) -> bool {
    const ENDS: &[&str] = &[
        "bash", "cjs", "fish", "js", "lua", "mjs", "mts", "php", "pl", "ps1", "py", "rb", "sh",
        "ts", "zsh",
    ];
    let named = path.extension().and_then(|end| end.to_str());
    let named = named.is_some_and(|end| ENDS.contains(&end))
        || path
            .file_name()
            .is_some_and(|name| name.to_string_lossy().to_lowercase().ends_with("makefile"));
    path.metadata()
        .is_ok_and(|meta| meta.is_file() && (named || meta.permissions().mode() & 0o111 != 0))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn scripts_are_found_by_the_words_of_a_command() {
        let folder = tempfile::tempdir().unwrap();
        let base = folder.path();
        fs::create_dir_all(base.join("scripts")).unwrap();
        for name in ["scripts/h.sh", "run.py", "Makefile", "hook.py", "hook.log"] {
            fs::write(base.join(name), name).unwrap();
        }
        let names = |command: &str| {
            let found = named(base, command).into_iter();
            let names = found.map(|path| {
                let name = path.strip_prefix(base).unwrap();
                name.components().collect::<PathBuf>().display().to_string()
            });
            names.collect::<Vec<_>>()
        };
        assert_eq!(names("sh scripts/h.sh"), ["scripts/h.sh"]);
        assert_eq!(names("cd scripts && ./h.sh"), ["scripts/h.sh"]);
        assert_eq!(
            names("\"$CLAUDE_PROJECT_DIR\"/scripts/h.sh -x"),
            ["scripts/h.sh"]
        );
        assert_eq!(names("python3 run.py --all"), ["run.py"]);
        assert_eq!(names("python3 -m hook"), ["hook.py"]);
        assert_eq!(names("make -s check"), ["Makefile"]);
        assert_eq!(
            names("touch made; echo hello >> hook.log"),
            Vec::<String>::new()
        );
        assert_eq!(names("/bin/sh -c true"), Vec::<String>::new());
    }
}
