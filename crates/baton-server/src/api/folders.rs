//! The folders of this machine, for whoever chooses one to be a project: below
//! the home folder and the roots that the settings name, and no others. Hidden
//! ones and those where secrets are kept are not there.

use std::{
    collections::BTreeMap,
    ffi::OsStr,
    fs, io,
    path::{Component, Path, PathBuf},
    sync::Arc,
};

use baton_project::{discovery::that_exist, secrets::Secrets};
use baton_protocol::api::{FolderEntry, Folders, ListFolders, Problem};

use super::Api;

/// More entries of one folder than this are not looked at.
const ENTRIES: usize = 10_000;
/// More than these are not shown; whoever looks for another types its path.
const SHOWN: usize = 500;
/// Of the folders that agents were used in, those used last.
const KNOWN: usize = 12;

impl Api {
    pub(super) async fn folders(&self, body: ListFolders) -> Result<Folders, Problem> {
        let home = self.supervisor.agent_home().home();
        let mut roots = vec![home.clone()];
        roots.extend(self.projects.search.roots.iter().cloned());
        let wanted = match body.path.as_deref() {
            None | Some("") => home,
            Some(path) => self.at_home(path).into(),
        };
        let told = if body.path.is_none() {
            self.supervisor.known_folders().await.unwrap_or_default()
        } else {
            Vec::new()
        };
        let listed = self.listed().await?;
        let listed: BTreeMap<String, String> =
            listed.into_iter().map(|one| (one.path, one.slug)).collect();
        let secrets = Arc::clone(self.supervisor.secrets());
        self.blocking(move || {
            let secrets = secrets.look();
            let places = Places::new(roots, &secrets);
            let mut found = places.list(&wanted, &listed)?;
            let known = that_exist(told).into_iter();
            let known = known.filter(|one| places.holds(one));
            let known = known.filter_map(|one| one.to_str().map(str::to_owned));
            let known = known.filter(|one| !listed.contains_key(one));
            found.known = known.take(KNOWN).collect();
            Ok(found)
        })
        .await
    }

    /// A folder to put something into: one of those that are shown.
    pub(super) async fn shown_folder(&self, path: &str, field: &str) -> Result<PathBuf, Problem> {
        let mut roots = vec![self.supervisor.agent_home().home()];
        roots.extend(self.projects.search.roots.iter().cloned());
        let wanted = PathBuf::from(self.at_home(path));
        let secrets = Arc::clone(self.supervisor.secrets());
        let field = field.to_owned();
        self.blocking(move || Places::new(roots, &secrets.look()).real(&wanted, &field))
            .await
    }

    /// A path as people write it: `~` is the home folder.
    pub(super) fn at_home(&self, path: &str) -> String {
        let path = path.trim();
        let home = || self.supervisor.agent_home().home();
        match path.strip_prefix('~') {
            Some("") => home().to_string_lossy().into_owned(),
            Some(below) if below.starts_with('/') => {
                let below = below.trim_start_matches('/');
                home().join(below).to_string_lossy().into_owned()
            }
            Some(_) | None => path.to_owned(),
        }
    }
}

/// Where folders are shown.
struct Places<'a> {
    /// By their real paths.
    roots: Vec<PathBuf>,
    secrets: &'a Secrets,
}

impl<'a> Places<'a> {
    fn new(roots: Vec<PathBuf>, secrets: &'a Secrets) -> Self {
        let real = roots
            .into_iter()
            .filter_map(|root| root.canonicalize().ok());
        let mut roots = Vec::new();
        for root in real.filter(|root| root.is_dir() && root.parent().is_some()) {
            if !roots.contains(&root) {
                roots.push(root);
            }
        }
        Self { roots, secrets }
    }

    /// Whether a real path is shown: it is below a root, and nothing on the way
    /// from there is hidden or holds secrets.
    fn holds(&self, real: &Path) -> bool {
        let below = |root: &PathBuf| {
            let rest = real.strip_prefix(root).ok()?;
            let mut names = rest.components().map(Component::as_os_str);
            Some(!names.any(is_hidden))
        };
        let shown = self.roots.iter().filter_map(below).any(|shown| shown);
        shown && !self.secrets.hide_path(real)
    }

    /// The real path of a folder that is shown.
    fn real(&self, path: &Path, field: &str) -> Result<PathBuf, Problem> {
        let shown = path.display();
        let real = path
            .is_absolute()
            .then(|| path.canonicalize().ok())
            .flatten();
        let real = real.filter(|real| real.is_dir());
        let real =
            real.ok_or_else(|| Problem::invalid(field, format!("there is no folder {shown}")))?;
        if self.holds(&real) {
            return Ok(real);
        }
        let message = format!("{shown} is not below the home folder or a root of the settings");
        Err(Problem::invalid(field, message))
    }

    fn list(&self, path: &Path, listed: &BTreeMap<String, String>) -> Result<Folders, Problem> {
        let shown = path.display();
        let real = path
            .is_absolute()
            .then(|| path.canonicalize().ok())
            .flatten();
        let real = real.filter(|real| real.is_dir());
        let none = || Problem::invalid("path", format!("there is no folder {shown}"));
        let real = real.ok_or_else(none)?;
        if !self.holds(&real) {
            let message = format!(
                "{shown} cannot be looked into from here; type the whole path of a folder to add it"
            );
            return Err(Problem::invalid("path", message));
        }
        let refused =
            |error: io::Error| Problem::invalid("path", format!("{shown} cannot be read: {error}"));
        let mut items = Vec::new();
        for entry in fs::read_dir(&real)
            .map_err(refused)?
            .take(ENTRIES)
            .flatten()
        {
            let name = entry.file_name();
            let (Some(name), Ok(kind)) = (name.to_str(), entry.file_type()) else {
                continue;
            };
            let path = entry.path();
            let Some(text) = path.to_str() else { continue };
            // Links lead elsewhere; whoever wants that place goes there.
            if !kind.is_dir() || is_hidden(&entry.file_name()) || self.secrets.hide_path(&path) {
                continue;
            }
            items.push(FolderEntry {
                name: name.to_owned(),
                project: listed.get(text).cloned(),
                is_repository: path.join(".git").exists(),
                path: text.to_owned(),
            });
        }
        items.sort_by_cached_key(|one| (one.name.to_lowercase(), one.name.clone()));
        let truncated = items.len() > SHOWN;
        items.truncate(SHOWN);
        let text = |path: &Path| path.to_string_lossy().into_owned();
        let above = real.parent().filter(|above| self.holds(above));
        Ok(Folders {
            parent: above.map(text),
            roots: self.roots.iter().map(|root| text(root)).collect(),
            project: listed.get(&text(&real)).cloned(),
            path: text(&real),
            items,
            truncated,
            known: Vec::new(),
        })
    }
}

fn is_hidden(name: &OsStr) -> bool {
    name.as_encoded_bytes().starts_with(b".")
}
