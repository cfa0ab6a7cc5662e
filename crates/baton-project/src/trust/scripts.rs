//! Scripts that a command of the folder's settings runs: accepting the command
//! means accepting them as they are.
//!
//! They are found by the words of the command as a shell would make them
//! ([`words`]), and by every part of a word that may name a file. What a script
//! reads in turn is not found. Where a part of a word is only known when the
//! command runs, whatever fits the rest of it is guarded; where nothing of what
//! is run is known, every file that looks like a script.
//!
//! A guarded path may have `*` in it, which stands for anything, and `?` as its
//! last name, which stands for any name without an ending.

mod words;

use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::{Component, Path, PathBuf},
};

use ring::digest::{Context, SHA256};

use self::words::{ANY, HOLE, Known, Word, Words};
use super::{
    danger,
    item::{Scan, finish},
};

/// The most parts of words, and files of one pattern, that are looked at.
const MOST: usize = 1_000;
/// The most folders of one command in which its words are looked for.
const MOST_FOLDERS: usize = 16;

/// Where a command runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Runs {
    /// In the folder, wherever the agent is.
    Here,
    /// Where the agent is, which may be any folder below.
    Anywhere,
}

/// What a command or a variable comes to.
#[derive(Debug, Default)]
pub(super) struct Scripts {
    /// The contents of those that are part of what is accepted.
    pub(super) content: Option<[u8; 32]>,
    /// Something that is run cannot be told beforehand.
    pub(super) untold: bool,
}

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
pub(super) fn of_command(scan: &mut Scan, base: &Path, command: &str, runs: Runs) -> Scripts {
    let look = Look::new(scan, base, command, runs);
    let (mut named, mut guarded) = look.files();
    guarded.extend(look.guarded());
    named.retain(|path| is_script(path));
    let untold = look.words.untold;
    scan.scripts.extend(guarded);
    let content = hash(scan, base, named);
    Scripts { content, untold }
}

/// The same of a variable that the settings set, whatever the files are called
/// that it names: programs read them. One need not be there yet.
pub(super) fn of_variable(scan: &mut Scan, base: &Path, name: &str, value: &str) -> Scripts {
    let look = Look::new(scan, base, value, Runs::Anywhere);
    let obeyed = danger::of(super::Kind::Environment, name, value).is_some();
    let (named, mut guarded) = look.files();
    let mut words = parts(&look.words.all, false);
    words.retain(|part| obeyed || part.contains(['/', '.']));
    for part in &words {
        guarded.extend(look.kept(part));
    }
    if name == "PATH" || name.ends_with("_PATH") || name.ends_with("PATH") {
        let folders = value.split(':').filter_map(|folder| look.inside(folder));
        guarded.extend(folders);
    }
    scan.scripts.extend(guarded);
    let content = hash(scan, base, named);
    let untold = false;
    Scripts { content, untold }
}

fn hash(scan: &mut Scan, base: &Path, mut found: Vec<PathBuf>) -> Option<[u8; 32]> {
    found.sort();
    found.dedup();
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

/// A command that is looked at in a folder.
struct Look<'a> {
    base: &'a Path,
    words: Words,
    /// Folders among the words, from which others may be meant.
    folders: Vec<PathBuf>,
    /// Relative words may mean files of any folder below.
    floats: bool,
}

impl<'a> Look<'a> {
    fn new(scan: &Scan, base: &'a Path, text: &str, runs: Runs) -> Self {
        let known = Known {
            base,
            home: &scan.home,
            set: &scan.variables,
        };
        let words = words::words(text, &known);
        let mut look = Self {
            base,
            words,
            folders: Vec::new(),
            floats: runs == Runs::Anywhere,
        };
        let parts = parts(&look.words.all, false);
        let mut folders: Vec<PathBuf> = parts.iter().filter_map(|part| look.inside(part)).collect();
        folders.retain(|path| path.is_dir());
        folders.sort();
        folders.dedup();
        folders.truncate(MOST_FOLDERS);
        folders.insert(0, base.to_owned());
        // `cd "$X"`: what follows may be anywhere.
        let pairs = look.words.all.windows(2);
        look.floats |= pairs.into_iter().any(|pair| {
            matches!(pair[0].text.as_str(), "cd" | "pushd") && pair[1].text.contains(HOLE)
        });
        look.folders = folders;
        look
    }

    /// Where a word leads, if that is in the folder, by whatever way.
    fn inside(&self, word: &str) -> Option<PathBuf> {
        self.inside_from(self.base, word)
    }

    fn inside_from(&self, folder: &Path, word: &str) -> Option<PathBuf> {
        if word.is_empty() || word.contains([HOLE, ANY]) {
            return None;
        }
        let path = normal(&folder.join(word));
        let path = if path.starts_with(self.base) {
            path
        } else {
            // Another spelling of the same place.
            let real = self.base.canonicalize().ok()?;
            let known = path.ancestors().find(|part| part.exists())?;
            let rest = path.strip_prefix(known).ok()?;
            let below = known.canonicalize().ok()?.join(rest);
            self.base.join(below.strip_prefix(real).ok()?)
        };
        (path != self.base).then_some(path)
    }

    /// Files that are named and there, and what is guarded because it may be.
    fn files(&self) -> (Vec<PathBuf>, Vec<PathBuf>) {
        let (mut named, mut guarded) = (Vec::new(), Vec::new());
        for part in parts(&self.words.all, false).iter().chain(&self.implied()) {
            let places = self.folders.iter();
            let places = places.filter_map(|folder| self.inside_from(folder, part));
            let there: Vec<PathBuf> = places.filter(|path| path.is_file()).collect();
            for path in &there {
                // Where a link leads to is as much a part of it.
                let real = path.canonicalize().ok();
                guarded.extend(real.filter(|real| real != path && real.starts_with(self.base)));
            }
            guarded.extend(there.iter().cloned());
            if self.floats && !there.is_empty() && Path::new(part).is_relative() {
                guarded.push(self.base.join("*").join(normal(Path::new(part))));
            }
            named.extend(there);
        }
        for word in self.words.all.iter().filter(|word| word.runs) {
            named.extend(self.matching(&word.text));
        }
        (named, guarded)
    }

    /// Files that a pattern stands for.
    fn matching(&self, word: &str) -> Vec<PathBuf> {
        let Some((lead, name)) = word.rsplit_once('/').or(Some(("", word))) else {
            return Vec::new();
        };
        if !name.contains(ANY) || name.contains(HOLE) || lead.contains([ANY, HOLE]) {
            return Vec::new();
        }
        let folder = normal(&self.base.join(lead));
        let entries = fs::read_dir(&folder).into_iter().flatten().flatten();
        let entries = entries.take(MOST).map(|entry| entry.path());
        let ends = name.rsplit(ANY).next().unwrap_or_default().to_owned();
        let begins = name.split(ANY).next().unwrap_or_default().to_owned();
        let fits = |path: &PathBuf| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            name.starts_with(&begins) && name.ends_with(&ends) && path.starts_with(self.base)
        };
        entries.filter(fits).filter(|path| path.is_file()).collect()
    }

    /// A part of a word that may name a file, which need not be there: as guarded paths.
    fn kept(&self, part: &str) -> Vec<PathBuf> {
        if part.contains([HOLE, ANY]) {
            return self.fitting(part);
        }
        if self.inside(part).is_some_and(|path| path.is_dir()) {
            return Vec::new();
        }
        let mut kept: Vec<PathBuf> = self
            .folders
            .iter()
            .filter_map(|folder| self.inside_from(folder, part))
            .filter(|path| !path.is_dir())
            .collect();
        // A link that leads nowhere yet.
        let links = kept.iter().filter_map(|path| {
            let target = fs::read_link(path).ok()?;
            self.inside_from(path.parent()?, target.to_str()?)
        });
        let links: Vec<PathBuf> = links.collect();
        kept.extend(links);
        if self.floats && Path::new(part).is_relative() && !part.starts_with("..") {
            let part = normal(Path::new(part));
            if part.components().next().is_some() && !self.base.join(&part).is_dir() {
                kept.push(self.base.join("*").join(part));
            }
        }
        kept
    }

    /// What fits a word of which not all is known.
    fn fitting(&self, part: &str) -> Vec<PathBuf> {
        let base = self.base.to_string_lossy();
        let wild = part.replace([HOLE, ANY], "*");
        let tail = wild.rsplit('*').next().unwrap_or_default();
        let ending = tail
            .strip_prefix('.')
            .is_some_and(|end| ENDS.contains(&end));
        let named = tail.contains('/') && !tail.ends_with('/');
        let anchored = wild.starts_with(&*base) || !part.starts_with(HOLE);
        if !(ending || named || tail.len() > 4 || (anchored && wild.contains('/'))) {
            return Vec::new();
        }
        if wild.starts_with('*') {
            let rest = wild.trim_start_matches('*').trim_start_matches('/');
            let rest = if tail.starts_with('/') {
                rest.to_owned()
            } else {
                format!("*{rest}")
            };
            return vec![self.base.join("*").join(&rest), self.base.join(rest)];
        }
        let path = normal(&self.base.join(&wild));
        path.starts_with(self.base)
            .then_some(path)
            .into_iter()
            .collect()
    }

    /// Files that programs among the words run without being told.
    fn implied(&self) -> Vec<String> {
        let words = &self.words.all;
        let mut names = Vec::new();
        for pair in words.windows(2) {
            // `python3 -m a.b` runs a module of the folder, if there is one.
            if pair[0].text == "-m" {
                let module = pair[1].text.replace('.', "/");
                names.extend(["", "/__main__", "/__init__"].map(|end| format!("{module}{end}.py")));
            }
        }
        if words
            .iter()
            .any(|word| matches!(word.text.as_str(), "make" | "gmake"))
        {
            names.extend(["GNUmakefile", "makefile", "Makefile"].map(str::to_owned));
        }
        names
    }

    /// Files and folders that the command obeys, but that change too often to be
    /// part of what was accepted, or that are not there yet.
    fn guarded(&self) -> Vec<PathBuf> {
        let words = &self.words.all;
        let programs: Vec<&str> = words
            .iter()
            .filter(|word| !word.text.starts_with('-'))
            .map(|word| word.text.rsplit('/').next().unwrap_or_default())
            .collect();
        let tasks = TASKS
            .iter()
            .filter(|(names, _)| programs.iter().any(|one| names.contains(one)));
        let files = tasks
            .flat_map(|(_, files)| files.iter())
            .map(|name| self.base.join(name));
        let mut found: Vec<PathBuf> = files.filter(|path| path.is_file()).collect();
        for word in words {
            let run = word.runs || word.option;
            for part in parts(std::slice::from_ref(word), run) {
                let unsure = part.contains(ANY) && !part.contains(HOLE);
                // What a formatter is pointed at is edited all day.
                if (run || part.contains(['/', '.'])) && (word.runs || !unsure) {
                    found.extend(self.kept(&part));
                }
            }
        }
        let pairs = words.windows(2);
        let run = pairs.into_iter().filter(|pair| {
            let name = pair[0].text.rsplit('/').next().unwrap_or_default();
            RUN_FOLDERS.contains(&name)
        });
        let folder = |word: &str| self.inside(word).filter(|path| path.is_dir());
        found.extend(run.filter_map(|pair| folder(&pair[1].text)));
        // Where programs are looked for first.
        let options = words
            .iter()
            .filter(|word| word.option && word.text.contains([':', '/']));
        for word in options {
            found.extend(word.text.split(':').filter_map(folder));
        }
        // What a loop goes through.
        if programs.contains(&"for") || programs.contains(&"xargs") {
            let patterns = words.iter().filter_map(|word| word.text.split_once(ANY));
            found.extend(patterns.filter_map(|(lead, _)| folder(lead)));
        }
        if self.words.untold {
            let any = |name: &str| [self.base.join(name), self.base.join("*").join(name)];
            found.extend(ENDS.iter().flat_map(|end| any(&format!("*.{end}"))));
            found.extend(any("?"));
        }
        found
    }
}

/// A path without `.` and `..`.
fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir if normal.pop() => {}
            Component::CurDir => {}
            Component::ParentDir
            | Component::Prefix(_)
            | Component::RootDir
            | Component::Normal(_) => normal.push(part),
        }
    }
    normal
}

/// Every part of words that may name a file: behind `=`, `:` and the like, and
/// behind the letter of an option.
fn parts(words: &[Word], run: bool) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for word in words {
        let mut texts = vec![word.text.as_str()];
        for (at, sign) in word.text.char_indices() {
            if matches!(sign, '=' | ':' | ',' | '@') {
                texts.push(&word.text[at + sign.len_utf8()..]);
            }
        }
        texts.extend(word.text.split(['=', ':', ',', '@']));
        if word.text.contains(char::is_whitespace) {
            texts.extend(word.text.split_whitespace());
        }
        for text in texts {
            let bare = text.trim_start_matches('-');
            let letter = text.strip_prefix('-').and_then(|rest| rest.get(1..));
            let letter = letter.filter(|rest| !rest.is_empty() && !text.starts_with("--"));
            let whole = (!text.starts_with('-')).then_some(bare);
            let of_option =
                letter.filter(|rest| run || rest.contains(['/', '.']) || rest.len() > 1);
            found.extend(whole.into_iter().chain(of_option).map(str::to_owned));
        }
    }
    found.retain(|part| !part.is_empty());
    found.sort();
    found.dedup();
    found.truncate(MOST);
    found
}

/// Endings of files that are there to be run.
const ENDS: &[&str] = &[
    "bash", "cjs", "fish", "js", "lua", "mjs", "mts", "php", "pl", "ps1", "py", "rb", "sh", "ts",
    "zsh",
];

/// Whether a file is there to be run; a command names files to write to as well.
fn is_script(path: &Path) -> bool {
    let named = path.extension().and_then(|end| end.to_str());
    let named = named.is_some_and(|end| ENDS.contains(&end))
        || path
            .file_name()
            .is_some_and(|name| name.to_string_lossy().to_lowercase().ends_with("makefile"));
    path.metadata()
        .is_ok_and(|meta| meta.is_file() && (named || meta.permissions().mode() & 0o111 != 0))
}

#[cfg(test)]
#[path = "scripts_tests.rs"]
mod tests;
