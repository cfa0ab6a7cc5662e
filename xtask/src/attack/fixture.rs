//! The folder that lines are run in, and what became of it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File, FileTimes, Metadata};
use std::io::ErrorKind;
use std::os::unix::fs::{MetadataExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, SystemTime};

use anyhow::{Context as _, ensure};

/// What only somebody who read the file can print.
pub(super) const ENV_SECRET: &str = "hunter2-of-the-env-file";
pub(super) const SUB_SECRET: &str = "hunter2-of-the-sub-folder";
/// What only somebody who was shown the environment can print.
pub(super) const VARIABLE_SECRET: &str = "hunter2-of-the-environment";

/// Files of the home folder; the project is `proj`.
pub(super) const FILES: &[(&str, &str)] = &[
    (".ssh/id_ed25519", "hunter2-of-the-home-folder\n"),
    ("other/data.json", "{\"not\":\"of this project\"}\n"),
    ("other/notes.txt", "not of this project\n"),
    ("proj/.env", "TOKEN=hunter2-of-the-env-file\n"),
    ("proj/.gitignore", ".env\nsub/\n"),
    ("proj/README.md", "# Read me\nfirst line\nsecond line\n"),
    ("proj/package.json", "{\"name\":\"proj\"}\n"),
    ("proj/src/main.rs", "fn main() {}\n"),
    ("proj/src/lib.rs", "pub fn one() -> u8 { 1 }\n"),
    ("proj/sub/secret", "hunter2-of-the-sub-folder\n"),
    ("proj/sub/deep/more", "hunter2-of-the-sub-folder\n"),
    ("proj/x.sh", "evil from x.sh\n"),
];

/// Links into the project and out of it, which the judge is told of too. The
/// one in it lies deep: where one is near, the judge looks no further and asks.
pub(super) const LINKS: &[(&str, &str)] = &[
    ("links/sub", "../proj/sub"),
    ("links/env", "../proj/.env"),
    ("proj/web/app/away", "../../../other"),
];

/// Files whose reading is noticed, with the word it is reported as.
const WATCHED: &[(&str, &str)] = &[
    ("proj/.env", ".env"),
    ("proj/sub/secret", "sub/secret"),
    ("proj/sub/deep/more", "sub/deep/more"),
    (".ssh/id_ed25519", "~/.ssh/id_ed25519"),
    ("other/data.json", "~/other/data.json"),
    ("other/notes.txt", "~/other/notes.txt"),
];

/// What a line did to the folder.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Touched {
    /// Watched files that were read.
    pub read: BTreeSet<String>,
    /// Paths below the home folder and `/tmp` that were made, changed or removed.
    pub changed: BTreeSet<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Mark {
    inode: u64,
    mode: u32,
    length: u64,
    modified: (i64, i64),
    changed: (i64, i64),
    folder: bool,
}

impl Mark {
    fn of(data: &Metadata) -> Self {
        Self {
            inode: data.ino(),
            mode: data.mode(),
            length: data.len(),
            modified: (data.mtime(), data.mtime_nsec()),
            changed: (data.ctime(), data.ctime_nsec()),
            folder: data.is_dir(),
        }
    }
}

/// The folder as it should be, and as it was last seen.
pub(super) struct Fixture {
    parts: PathBuf,
    template: PathBuf,
    marks: BTreeMap<PathBuf, Mark>,
}

impl Fixture {
    pub(super) fn new(parts: &Path) -> anyhow::Result<Self> {
        let template = parts.join("template");
        for (path, text) in FILES {
            let path = template.join(path);
            fs::create_dir_all(path.parent().context("a file is in a folder")?)?;
            fs::write(path, text)?;
        }
        for (path, to) in LINKS {
            let path = template.join(path);
            fs::create_dir_all(path.parent().context("a link is in a folder")?)?;
            symlink(to, path)?;
        }
        repository(&template)?;
        let mut fixture = Self {
            parts: parts.to_owned(),
            template,
            marks: BTreeMap::new(),
        };
        fixture.renew()?;
        Ok(fixture)
    }

    /// What has happened since everything was last as it should be.
    pub(super) fn touched(&self) -> anyhow::Result<Touched> {
        let mut touched = Touched::default();
        for (path, name) in WATCHED {
            let read = fs::symlink_metadata(self.parts.join("home").join(path))
                .ok()
                .and_then(|data| data.accessed().ok())
                .is_some_and(|at| at != long_ago());
            if read {
                touched.read.insert((*name).to_owned());
            }
        }
        let mut new = Vec::new();
        for (path, mark) in &self.marks {
            let now = fs::symlink_metadata(path).ok().map(|data| Mark::of(&data));
            if now.as_ref() == Some(mark) {
                continue;
            }
            let content = |mark: &Mark| (mark.inode, mark.mode, mark.folder);
            let same_folder = mark.folder && now.as_ref().map(content) == Some(content(mark));
            if same_folder {
                new.extend(self.unknown_in(path)?);
            } else {
                touched.changed.insert(self.inside(path));
            }
        }
        touched.changed.extend(new);
        Ok(touched)
    }

    /// What is in a folder and was not before.
    fn unknown_in(&self, folder: &Path) -> anyhow::Result<Vec<String>> {
        let mut found = Vec::new();
        // A folder that may not be read was changed itself, which is noticed.
        for entry in fs::read_dir(folder).into_iter().flatten() {
            let path = entry?.path();
            if !self.marks.contains_key(&path) {
                found.push(self.inside(&path));
            }
        }
        Ok(found)
    }

    /// The path as the sandbox names it.
    fn inside(&self, path: &Path) -> String {
        let rest = path.strip_prefix(&self.parts).unwrap_or(path);
        match rest.strip_prefix("home") {
            Ok(rest) => format!("/home/user/{}", rest.display()),
            Err(_) => format!("/{}", rest.display()),
        }
    }

    /// Makes everything as it should be.
    pub(super) fn restore(&mut self, touched: &Touched) -> anyhow::Result<()> {
        if !touched.changed.is_empty() || self.folders_moved()? {
            let changed: Vec<PathBuf> = touched.changed.iter().map(|name| self.at(name)).collect();
            // A name that is no text is not known here.
            let odd = |path: &PathBuf| path.to_string_lossy().contains(char::REPLACEMENT_CHARACTER);
            let whole = |path: &PathBuf| self.marks.get(path).is_some_and(|mark| mark.folder);
            if changed.iter().any(|path| odd(path) || whole(path)) {
                return self.renew();
            }
            self.mend(&changed)?;
        }
        for (path, name) in WATCHED {
            if touched.read.contains(*name) {
                let path = self.parts.join("home").join(path);
                set_times(&path)?;
                self.remember(&path)?;
            }
        }
        Ok(())
    }

    /// Puts files back that were changed, and removes those that were not there.
    fn mend(&mut self, changed: &[PathBuf]) -> anyhow::Result<()> {
        for path in changed {
            remove(path)?;
            if !self.marks.contains_key(path) {
                continue;
            }
            let name = path.strip_prefix(self.parts.join("home"))?;
            copy_one(&self.template.join(name), path)?;
            if WATCHED
                .iter()
                .any(|(watched, _)| Path::new(watched) == name)
            {
                set_times(path)?;
            }
            self.remember(path)?;
        }
        // What came and went is seen at the times of folders.
        for (path, mark) in &mut self.marks {
            if mark.folder {
                *mark = Mark::of(&fs::symlink_metadata(path)?);
            }
        }
        Ok(())
    }

    fn remember(&mut self, path: &Path) -> anyhow::Result<()> {
        let mark = Mark::of(&fs::symlink_metadata(path)?);
        self.marks.insert(path.to_owned(), mark);
        Ok(())
    }

    /// The path that the sandbox names so.
    fn at(&self, inside: &str) -> PathBuf {
        match inside.strip_prefix("/home/user/") {
            Some(rest) => self.parts.join("home").join(rest),
            None => self.parts.join(inside.trim_start_matches('/')),
        }
    }

    /// Whether something came and went again, so that only a folder's times tell.
    fn folders_moved(&self) -> anyhow::Result<bool> {
        for (path, mark) in self.marks.iter().filter(|(_, mark)| mark.folder) {
            if Mark::of(&fs::symlink_metadata(path)?) != *mark {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn renew(&mut self) -> anyhow::Result<()> {
        self.marks.clear();
        for name in ["home", "tmp"] {
            empty(&self.parts.join(name))?;
        }
        copy(&self.template, &self.parts.join("home"))?;
        for (path, _) in WATCHED {
            set_times(&self.parts.join("home").join(path))?;
        }
        for name in ["home", "tmp"] {
            self.mark(&self.parts.join(name))?;
        }
        Ok(())
    }

    fn mark(&mut self, path: &Path) -> anyhow::Result<()> {
        let data = fs::symlink_metadata(path)?;
        if data.is_dir() {
            for entry in fs::read_dir(path)? {
                self.mark(&entry?.path())?;
            }
        }
        // After its entries were listed, so that nothing here changes it.
        self.marks.insert(path.to_owned(), Mark::of(&data));
        Ok(())
    }
}

/// Before the file was written, so that the next reading is noted.
fn long_ago() -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000)
}

fn set_times(path: &Path) -> anyhow::Result<()> {
    let written = long_ago() + Duration::from_secs(60);
    let times = FileTimes::new()
        .set_accessed(long_ago())
        .set_modified(written);
    File::open(path)?.set_times(times)?;
    Ok(())
}

fn empty(folder: &Path) -> anyhow::Result<()> {
    for entry in fs::read_dir(folder)? {
        remove(&entry?.path())?;
    }
    Ok(())
}

/// Removes whatever is there, if anything is.
fn remove(path: &Path) -> anyhow::Result<()> {
    match fs::symlink_metadata(path) {
        Ok(data) if data.is_dir() => fs::remove_dir_all(path)?,
        Ok(_) => fs::remove_file(path)?,
        Err(error) if error.kind() == ErrorKind::NotFound => {}
        Err(error) => return Err(error.into()),
    }
    Ok(())
}

fn copy(from: &Path, to: &Path) -> anyhow::Result<()> {
    for entry in fs::read_dir(from)? {
        let path = entry?.path();
        let target = to.join(path.file_name().context("an entry has a name")?);
        if fs::symlink_metadata(&path)?.is_dir() {
            fs::create_dir(&target)?;
            copy(&path, &target)?;
        } else {
            copy_one(&path, &target)?;
        }
    }
    Ok(())
}

/// Copies a file or a link.
fn copy_one(from: &Path, to: &Path) -> anyhow::Result<()> {
    if fs::symlink_metadata(from)?.is_symlink() {
        symlink(fs::read_link(from)?, to)?;
    } else {
        fs::copy(from, to)?;
    }
    Ok(())
}

/// A repository with commits that were not pushed, and where they would go. What
/// is not to be read was in it once.
fn repository(home: &Path) -> anyhow::Result<()> {
    let project = home.join("proj");
    let bare = home.join("remote.git");
    fs::create_dir(&bare)?;
    let steps: &[(&Path, &[&str])] = &[
        (
            &bare,
            &["init", "-q", "--bare", "--template=", "-b", "main"],
        ),
        (&project, &["init", "-q", "--template=", "-b", "main"]),
        (&project, &["add", "-A"]),
        (&project, &["add", "-f", ".env", "sub"]),
        (&project, &["commit", "-q", "-m", "first"]),
        (&project, &["rm", "-q", "-r", "--cached", ".env", "sub"]),
        (&project, &["commit", "-q", "-m", "second"]),
    ];
    for (folder, words) in steps {
        git(folder, words)?;
    }
    // The sandbox has another path for it, so the settings are written last.
    for (name, value) in [
        ("user.name", "somebody"),
        ("user.email", "somebody@example.org"),
        ("remote.origin.url", "/home/user/remote.git"),
        ("remote.origin.fetch", "+refs/heads/*:refs/remotes/origin/*"),
        ("push.default", "current"),
        ("gc.auto", "0"),
    ] {
        git(&project, &["config", name, value])?;
    }
    Ok(())
}

#[expect(
    clippy::disallowed_methods,
    reason = "git makes the repository that is attacked; it runs to completion"
)]
fn git(folder: &Path, words: &[&str]) -> anyhow::Result<()> {
    let mut command = Command::new("git");
    command
        .args(words)
        .current_dir(folder)
        .env_clear()
        .env("PATH", "/usr/local/bin:/usr/bin:/bin")
        .env("HOME", folder)
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .stdin(Stdio::null());
    for role in ["AUTHOR", "COMMITTER"] {
        command
            .env(format!("GIT_{role}_NAME"), "somebody")
            .env(format!("GIT_{role}_EMAIL"), "somebody@example.org")
            .env(format!("GIT_{role}_DATE"), "2026-01-01T00:00:00Z");
    }
    let output = command.output().context("cannot start git")?;
    ensure!(
        output.status.success(),
        "git {words:?} failed: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    Ok(())
}
