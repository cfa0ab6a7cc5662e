//! How a work tree differs from its last commit.
//!
//! Git compares; what it says is read here and bounded: per line, per file and
//! in all, and whatever is left out is said to be. Counts come first, so that
//! one huge change does not take the room of all others. What holds secrets is
//! left out, whatever git knows of it.

mod patch;
mod raw;
mod words;

use std::{
    collections::{BTreeMap, BTreeSet},
    ffi::{OsStr, OsString},
    os::unix::ffi::{OsStrExt, OsStringExt},
    path::{Path, PathBuf},
    time::Duration,
};

use baton_process::RunLimits;
use baton_protocol::{
    api::{ChangeKind, ContentKind, Diff, DiffHunk, DiffKind, DiffRow, FileDiff},
    event::LineKind,
};

use self::raw::Changed;
use crate::{
    files::{Lines, ProjectFolder},
    git::{GitError, GitFolder, Untracked, WorkTree},
};

/// More files than this are not listed.
const FILES: usize = 2_000;
/// Changed lines of one file that are shown.
const FILE_LINES: u64 = 3_000;
/// Changed lines of all files that are shown.
const ALL_LINES: u64 = 20_000;
/// Paths that are given to git at once.
const BATCH: usize = 200;

const COUNTING: RunLimits = RunLimits {
    time: Duration::from_secs(20),
    output_bytes: 8 << 20,
};
const SHOWING: RunLimits = RunLimits {
    time: Duration::from_secs(20),
    output_bytes: 8 << 20,
};

/// What every comparison is told, whatever the repository is set to.
const FIXED: &[&str] = &[
    "diff",
    "--no-ext-diff",
    "--no-textconv",
    "--no-color",
    "--ignore-submodules=dirty",
    "--submodule=short",
    "--find-renames",
    "--relative",
    "--no-abbrev",
    "--src-prefix=a/",
    "--dst-prefix=b/",
    "-O/dev/null",
];

/// Compares the folder, or what is at `path` in it. `folder` is the same
/// folder, to read files that git does not know.
pub async fn diff(
    git: &GitFolder,
    folder: ProjectFolder,
    path: Option<&Path>,
) -> Result<Diff, GitError> {
    let path = path.unwrap_or(Path::new(""));
    let tree = git.status(Untracked::Files, path).await?;
    let base = match &tree.commit {
        Some(commit) => commit.clone(),
        None => empty_tree(git).await?,
    };
    let scope = Path::new(".").join(path);
    let counted = git
        .run(
            args(&["--raw", "--numstat", "-z"], &base, [scope.as_os_str()]),
            COUNTING,
        )
        .await?;
    let changed = raw::parse(&counted.stdout);
    let (folder, mut changed) = without_secrets(folder, changed, Changed::paths).await?;
    let mut truncated = counted.truncated || tree.truncated || changed.len() > FILES;
    changed.truncate(FILES);
    let mut budget = Budget(ALL_LINES);
    let mut shown = Vec::new();
    for file in &mut changed {
        if file.kind == DiffKind::Binary || !budget.take(file.lines()) {
            continue;
        }
        shown.push(file.path.clone());
        shown.extend(file.old_path.clone());
    }
    let mut hunks = BTreeMap::new();
    for batch in shown.chunks(BATCH) {
        let paths = batch.iter().map(|path| OsStr::from_bytes(path));
        let output = git.run(args(&["-p", "-U3"], &base, paths), SHOWING).await?;
        hunks.extend(patch::parse(&output.stdout, output.truncated));
    }
    // A file that was put in the place of another meanwhile is not told either.
    let (folder, changed) = without_secrets(folder, changed, Changed::paths).await?;
    let mut files: Vec<FileDiff> = changed
        .into_iter()
        .map(|file| described(file, &mut hunks))
        .collect();
    let left = FILES - files.len();
    let new = untracked(&tree, git.place());
    let (folder, mut new) = without_secrets(folder, new, |new| vec![new.path.clone()]).await?;
    truncated |= new.len() > left;
    new.truncate(left);
    let added = tokio::task::spawn_blocking(move || {
        let all = new.into_iter();
        all.map(|path| new_file(&folder, &path, &mut budget))
            .collect::<Vec<_>>()
    });
    files.extend(added.await.unwrap_or_default());
    Ok(Diff {
        base: tree.commit,
        additions: files.iter().filter_map(|file| file.additions).sum(),
        deletions: files.iter().filter_map(|file| file.deletions).sum(),
        files,
        truncated,
    })
}

fn args<'a>(own: &[&str], base: &str, paths: impl IntoIterator<Item = &'a OsStr>) -> Vec<OsString> {
    let options = FIXED.iter().chain(own).map(OsString::from);
    let ends = [OsString::from(base), OsString::from("--")];
    let paths = paths.into_iter().map(OsStr::to_owned);
    options.chain(ends).chain(paths).collect()
}

/// The tree without files has a well-known name in either kind of repository.
async fn empty_tree(git: &GitFolder) -> Result<String, GitError> {
    let format = git.ask(["rev-parse", "--show-object-format"]).await?;
    let name = if format.starts_with(b"sha256") {
        "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321"
    } else {
        "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
    };
    Ok(name.to_owned())
}

/// How many changed lines may still be shown.
struct Budget(u64);

impl Budget {
    fn take(&mut self, lines: u64) -> bool {
        let fits = lines <= FILE_LINES && lines <= self.0;
        if fits {
            self.0 -= lines;
        }
        fits
    }
}

fn described(file: Changed, hunks: &mut BTreeMap<Vec<u8>, patch::Patch>) -> FileDiff {
    let patch = hunks.remove(&file.path);
    let lines = file.lines();
    let patch = patch.unwrap_or_else(|| patch::Patch {
        // A change of the mode alone has no lines to show.
        truncated: lines > 0,
        hunks: Vec::new(),
    });
    let text = |path: &[u8]| String::from_utf8_lossy(path).into_owned();
    FileDiff {
        path: text(&file.path),
        old_path: file.old_path.as_deref().map(text),
        status: file.status,
        kind: file.kind,
        old_mode: file.old_mode,
        new_mode: file.new_mode,
        additions: file.counts.map(|(added, _)| added),
        deletions: file.counts.map(|(_, removed)| removed),
        truncated: patch.truncated && file.kind != DiffKind::Binary,
        hunks: patch.hunks,
    }
}

/// Files that git does not track, by their paths below the folder.
fn untracked(tree: &WorkTree, place: &Path) -> Vec<NewFile> {
    let mut paths: BTreeSet<NewFile> = BTreeSet::new();
    for (path, kind) in &tree.changes {
        // A slash at its end: another repository, of which git says no more.
        let is_module = path.ends_with(b"/");
        let path = PathBuf::from(OsString::from_vec(path.clone()));
        if *kind == ChangeKind::Untracked
            && let Ok(path) = path.strip_prefix(place)
        {
            paths.insert(NewFile {
                path: path.to_owned(),
                is_module,
            });
        }
    }
    paths.into_iter().collect()
}

/// Those of some changes that are about nothing secret. Asks the disk on
/// another thread, so the folder goes there and comes back.
async fn without_secrets<T: Send + 'static>(
    folder: ProjectFolder,
    changes: Vec<T>,
    paths: fn(&T) -> Vec<PathBuf>,
) -> Result<(ProjectFolder, Vec<T>), GitError> {
    let look = move || {
        let is_secret = |path: &PathBuf| folder.secrets().hide_path(&folder.path().join(path));
        let shown = changes
            .into_iter()
            .filter(|change| !paths(change).iter().any(is_secret))
            .collect();
        (folder, shown)
    };
    let looked = tokio::task::spawn_blocking(look).await;
    looked.map_err(|_| GitError::Killed)
}

/// Something that git does not track.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct NewFile {
    path: PathBuf,
    is_module: bool,
}

fn new_file(folder: &ProjectFolder, new: &NewFile, budget: &mut Budget) -> FileDiff {
    let path = new.path.as_path();
    let mut file = FileDiff {
        path: path.to_string_lossy().into_owned(),
        old_path: None,
        status: ChangeKind::Untracked,
        kind: DiffKind::Binary,
        old_mode: None,
        new_mode: None,
        additions: None,
        deletions: None,
        hunks: Vec::new(),
        truncated: false,
    };
    if new.is_module {
        file.kind = DiffKind::Submodule;
        return file;
    }
    let lines = Lines {
        from: 1,
        count: FILE_LINES,
    };
    let linked = folder.path().join(path).is_symlink();
    let view = path.to_str().filter(|_| !linked);
    let Some(Ok(view)) = view.map(|path| folder.view(path, lines)) else {
        file.truncated = true;
        return file;
    };
    let Some(text) = view.text.filter(|_| view.kind == ContentKind::Text) else {
        return file;
    };
    file.kind = DiffKind::Text;
    file.additions = view.total_lines;
    file.deletions = view.total_lines.map(|_| 0);
    file.truncated = view.truncated;
    let count = view.lines.unwrap_or_default();
    if budget.take(count) {
        file.truncated |= words::all_new(&text, &mut file.hunks);
    } else {
        file.truncated = true;
    }
    file
}

/// A line for a screen, and whether it was cut.
fn line(bytes: &str) -> (String, bool) {
    /// The longest line that is shown, in characters.
    const SHOWN: usize = 4_000;
    let text = bytes.strip_suffix('\n').unwrap_or(bytes);
    let text = text.strip_suffix('\r').unwrap_or(text);
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => (text[..end].to_owned(), true),
        None => (text.to_owned(), false),
    }
}

fn row(kind: LineKind, old: Option<u64>, new: Option<u64>, text: String) -> DiffRow {
    DiffRow {
        kind,
        old,
        new,
        text,
        marks: Vec::new(),
        no_newline: false,
    }
}

/// An empty hunk.
fn hunk(old: (u64, u64), new: (u64, u64)) -> DiffHunk {
    DiffHunk {
        old_start: old.0,
        old_lines: old.1,
        new_start: new.0,
        new_lines: new.1,
        lines: Vec::new(),
    }
}
