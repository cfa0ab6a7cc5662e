//! Scripts that a command of the folder's settings runs: accepting the command
//! means accepting them as they are.
//!
//! They are found by the words of the command, with the folder's own name and
//! variables that the command sets put in. What a script reads in turn is not
//! found, and neither is what a command only finds out when it runs.

use std::{
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

use ring::digest::{Context, SHA256};

use super::item::{Scan, finish};

/// The most words, variables and scripts of one command that are looked at.
const MOST: usize = 1_000;
/// The most folders of one command in which its words are looked for.
const MOST_FOLDERS: usize = 16;

/// Ways to write the folder itself.
const HERE: &[&str] = &[
    "${CLAUDE_PROJECT_DIR}",
    "${CLAUDE_PROJECT_DIR:-.}",
    "${CLAUDE_PROJECT_DIR%/}",
    "$CLAUDE_PROJECT_DIR",
    "$(git rev-parse --show-toplevel)",
    "`git rev-parse --show-toplevel`",
    "$(pwd)",
    "`pwd`",
    "${PWD}",
    "$PWD",
];

/// Programs that run what a file of this name in the folder says.
const TASKS: &[(&[&str], &[&str])] = &[
    (&["npm", "pnpm", "yarn", "bun"], &["package.json"]),
    (&["just"], &["justfile", "Justfile", ".justfile"]),
    (&["task"], &["Taskfile.yml", "Taskfile.yaml"]),
    (&["rake"], &["Rakefile"]),
    (&["tox"], &["tox.ini"]),
    (&["nox"], &["noxfile.py"]),
    (&["invoke", "inv"], &["tasks.py"]),
];

/// Programs that run what is in a folder that they are given.
const RUN_FOLDERS: &[&str] = &[
    "bunx",
    "npm",
    "npx",
    "run",
    "uvx",
    "bun",
    "deno",
    "node",
    "python",
    "python3",
    "run-parts",
    "ts-node",
    "tsx",
];

/// The scripts' contents as one hash, if there are any; they are remembered,
/// and so is what else the command runs by name.
pub(super) fn content(scan: &mut Scan, base: &Path, command: &str) -> Option<[u8; 32]> {
    let command = plain(command);
    scan.scripts.extend(guarded(base, &command));
    hash(scan, base, named(base, &command))
}

fn hash(scan: &mut Scan, base: &Path, found: Vec<PathBuf>) -> Option<[u8; 32]> {
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

/// The same of a variable that the settings set, whatever the files are called
/// that it names: programs read them. One need not be there yet.
pub(super) fn of_variable(
    scan: &mut Scan,
    base: &Path,
    name: &str,
    value: &str,
) -> Option<[u8; 32]> {
    let set = plain(&format!("{name}={value}"));
    scan.scripts.extend(guarded(base, &set));
    let words = set.split(separates);
    let words = words.filter(|word| word.contains(['/', '.']));
    let paths = words.map(|word| base.join(word).components().collect::<PathBuf>());
    let paths = paths.filter(|path| path.starts_with(base) && path != base);
    let paths: Vec<PathBuf> = paths.take(MOST).collect();
    scan.scripts.extend(paths.iter().cloned());
    let files = paths.into_iter().filter(|path| path.is_file()).collect();
    hash(scan, base, files)
}

/// The command without quotes, and with what is known put in.
fn plain(command: &str) -> String {
    let mut command = command.replace(['"', '\'', '\\'], "");
    for here in HERE {
        command = command.replace(here, ".");
    }
    let words = command.clone();
    let words = words.split(|c: char| c.is_whitespace() || ";&|(){}".contains(c));
    let set = words.filter_map(|word| word.split_once('='));
    for (name, value) in set.take(MOST) {
        let is_name = |c: char| c == '_' || c.is_ascii_alphanumeric();
        if !name.is_empty() && name.chars().all(is_name) && !value.contains('$') {
            command = command.replace(&format!("${{{name}}}"), value);
            command = command.replace(&format!("${name}"), value);
        }
    }
    command
}

fn separates(c: char) -> bool {
    c.is_whitespace() || "`;&|()<>=,[]{}:".contains(c)
}

/// Files and folders that the command obeys, but that change too often to be
/// part of what was accepted.
fn guarded(base: &Path, command: &str) -> Vec<PathBuf> {
    let words: Vec<&str> = command.split(separates).take(MOST).collect();
    let words = words
        .into_iter()
        .filter(|word| !word.is_empty() && !word.starts_with('-'));
    let words: Vec<&str> = words.collect();
    let program = |word: &&str| word.rsplit('/').next().unwrap_or_default().to_owned();
    let programs: Vec<String> = words.iter().map(program).collect();
    let runs = |names: &[&str]| programs.iter().any(|one| names.contains(&one.as_str()));
    let tasks = TASKS.iter().filter(|(programs, _)| runs(programs));
    let files = tasks
        .flat_map(|(_, files)| files.iter())
        .map(|name| base.join(name));
    let mut found: Vec<PathBuf> = files.filter(|path| path.is_file()).collect();
    // A file that a command names may be run by it, whatever its name.
    let here = places(base, &words).filter(|path| path.is_file());
    found.extend(here);
    let inside = |word: &str| {
        let path: PathBuf = base.join(word).components().collect();
        Some(path).filter(|path| path.starts_with(base) && path != base && path.is_dir())
    };
    let pairs = words.iter().skip(1).zip(&programs);
    let run = pairs.filter(|(_, before)| RUN_FOLDERS.contains(&before.as_str()));
    found.extend(run.filter_map(|(word, _)| inside(word)));
    // Where programs are looked for first.
    for value in command.split("PATH=").skip(1) {
        let value = value.split(|c: char| c.is_whitespace() || c == ';').next();
        let folders = value.unwrap_or_default().split(':');
        found.extend(folders.filter_map(inside));
    }
    // What a loop goes through.
    if words.contains(&"for") || words.contains(&"xargs") {
        let patterns = words.iter().filter_map(|word| word.split_once(['*', '?']));
        found.extend(patterns.filter_map(|(folder, _)| inside(folder)));
    }
    found
}

/// Files in `base` that the words of a command name, from there or from a
/// folder that the command names too.
fn named(base: &Path, command: &str) -> Vec<PathBuf> {
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
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let mut found: Vec<PathBuf> = places(base, &names)
        .filter(|path| is_script(path))
        .collect();
    found.sort();
    found.dedup();
    found
}

/// What words may name in `base`: from there, or from a folder among them.
fn places<'a>(base: &'a Path, words: &'a [&str]) -> impl Iterator<Item = PathBuf> + 'a {
    let folders = words
        .iter()
        .map(|word| base.join(word).components().collect());
    let mut folders: Vec<PathBuf> = folders
        .filter(|path: &PathBuf| path.starts_with(base) && path != base && path.is_dir())
        .collect();
    folders.sort();
    folders.dedup();
    folders.truncate(MOST_FOLDERS);
    folders.insert(0, base.to_owned());
    folders.into_iter().flat_map(move |folder| {
        let inside = words.iter().map(move |word| folder.join(word));
        let inside = inside.map(|path| path.components().collect::<PathBuf>());
        inside.filter(move |path| path.starts_with(base))
    })
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
            let found = named(base, &plain(command)).into_iter();
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
    #[test]
    fn what_is_named_in_a_roundabout_way_is_found_or_guarded() {
        let folder = tempfile::tempdir().unwrap();
        let base = folder.path();
        for name in ["hk", "nd", "tools", "src"] {
            fs::create_dir_all(base.join(name)).unwrap();
        }
        for name in [
            "hk/g.sh",
            "nd/index.js",
            "tools/lint",
            "package.json",
            "src/a.ts",
        ] {
            fs::write(base.join(name), name).unwrap();
        }
        let shown = |found: Vec<PathBuf>| {
            let names = found.into_iter().map(|path| {
                let name = path.strip_prefix(base).unwrap();
                name.display().to_string()
            });
            names.collect::<Vec<_>>()
        };
        let names = |command: &str| shown(named(base, &plain(command)));
        let kept = |command: &str| shown(guarded(base, &plain(command)));
        assert_eq!(
            names("\"$(git rev-parse --show-toplevel)\"/hk/g.sh"),
            ["hk/g.sh"]
        );
        assert_eq!(names("D=hk; sh $D/g.sh"), ["hk/g.sh"]);
        assert_eq!(names("D=hk; sh \"${D}/g.sh\""), ["hk/g.sh"]);
        // Without an ending or leave to be run it is not part of what was accepted.
        fs::write(base.join("hk/s"), "s").unwrap();
        assert_eq!(kept("sh hk/s"), ["hk/s"]);
        assert_eq!(kept("cd hk && sh ./s"), ["hk/s"]);
        assert_eq!(kept("sh ${CLAUDE_PROJECT_DIR:-.}/hk\\/s"), ["hk/s"]);
        assert_eq!(kept("npx ./nd"), ["nd"]);
        assert_eq!(kept("node ./nd"), ["nd"]);
        assert_eq!(kept("run-parts hk"), ["hk"]);
        assert_eq!(kept("PATH=./tools:$PATH lint"), ["tools/lint", "tools"]);
        assert_eq!(kept("PATH=/usr/bin:tools x"), ["tools"]);
        assert_eq!(kept("for f in hk/*.sh; do sh $f; done"), ["hk"]);
        assert_eq!(kept("npm run lint"), ["package.json"]);
        // What a formatter is pointed at is edited all day.
        assert_eq!(kept("npx prettier --write src"), Vec::<String>::new());
        assert_eq!(names("npx prettier --write src"), Vec::<String>::new());
        assert_eq!(kept("eslint src/*.ts"), Vec::<String>::new());
    }
}
