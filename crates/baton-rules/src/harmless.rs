//! Calls that are known to change nothing, and to look only where the session
//! belongs. Whatever is not among them is asked about or decided by a rule.

mod credentials;

use std::path::{Path, PathBuf};

use crate::call::{Extent, FileCall, Resolved, ShellCall, Subject, folder};
use crate::glob::PathGlob;
use crate::judge::Surroundings;
use crate::mentions::{Named, Places, Sought, Use};
use crate::paths::PathForms;
use crate::pattern::Access;
use crate::shell::{Script, Simple, Word, git_arguments};
use crate::{environment, shell, tools};

/// Why a call is not known to be harmless.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Unsure {
    /// It may change something.
    Changes,
    /// It only reads, but not where the session belongs, or it cannot be told where.
    Elsewhere(String),
}

/// Whether a call is known to change nothing, inside the project and its extra folders.
pub(crate) fn check(resolved: &Resolved, around: &Surroundings<'_>) -> Result<(), Unsure> {
    let grounds = Grounds::of(resolved, around);
    match &resolved.subject {
        Subject::Shell(shell) => grounds.shell(shell),
        Subject::File(call) => grounds.file(call),
        Subject::Web(_) => Err(Unsure::Changes),
        Subject::Plain => {
            let of_own = |server| tools::tool_of_server(server, &resolved.tool).is_some();
            let harmless = resolved.kind.is_harmless() || around.own_server.is_some_and(of_own);
            (harmless && !resolved.is_unusual)
                .then_some(())
                .ok_or(Unsure::Changes)
        }
    }
}

/// Why a call is about what holds secrets, if it is.
pub(crate) fn secret(resolved: &Resolved, around: &Surroundings<'_>) -> Option<String> {
    let grounds = Grounds::of(resolved, around);
    let inside = |path: &PathForms| {
        let real = path.canonical.as_deref()?;
        let mut secrets = grounds.secrets.iter();
        secrets
            .any(|secret| real.starts_with(secret))
            .then(|| format!("{} holds secrets", path.lexical.display()))
    };
    match &resolved.subject {
        Subject::Shell(shell) => {
            let named = shell.mentions.iter().filter(|one| one.sought == Sought::No);
            named.into_iter().find_map(|mention| match &mention.named {
                Named::Path(path) => inside(path),
                Named::Pattern(path, glob) => grounds.reached(path, glob),
                Named::Any(_) => None,
            })
        }
        Subject::File(call) => inside(call.path.as_ref()?),
        Subject::Web(_) | Subject::Plain => None,
    }
}

/// How much is looked at for links, and how deep.
const MAX_LOOK: usize = 5_000;
const MAX_LEVELS: usize = 64;

/// Files that hold nothing of anybody's.
const DEVICES: &[&str] = &["/dev/null", "/dev/stdin", "/dev/stdout", "/dev/stderr"];

/// Where a session may look without asking.
struct Grounds<'a> {
    folders: Vec<PathBuf>,
    secrets: Vec<PathBuf>,
    credentials: Vec<PathBuf>,
    around: &'a Surroundings<'a>,
    project: Option<&'a Path>,
}

impl<'a> Grounds<'a> {
    fn of(resolved: &'a Resolved, around: &'a Surroundings<'a>) -> Self {
        let real = |path: &PathBuf| folder(path, around.paths);
        let project = resolved.project.canonical.as_deref();
        let mut folders: Vec<_> = project.map(Path::to_owned).into_iter().collect();
        folders.extend(around.extra.iter().chain(around.readable).map(real));
        Self {
            folders,
            secrets: around.secrets.iter().map(real).collect(),
            credentials: around.credentials.iter().map(real).collect(),
            around,
            project,
        }
    }

    fn shell(&self, shell: &ShellCall) -> Result<(), Unsure> {
        let script = match &shell.script {
            Ok(script) if shell.hidden.is_none() && !shell.lines => script,
            Ok(_) | Err(_) => return Err(Unsure::Changes),
        };
        if !shell::is_read_only(script) || shell.mentions_cut {
            return Err(Unsure::Changes);
        }
        if let Some(why) = environment::shown(script) {
            return Err(Unsure::Elsewhere(why));
        }
        if let Some(why) = self.credential(script, shell) {
            return Err(Unsure::Elsewhere(why));
        }
        let files = shell.mentions.iter().filter(|one| one.sought == Sought::No);
        for mention in files {
            let levels = if mention.follows { MAX_LEVELS } else { 0 };
            match &mention.named {
                Named::Pattern(path, glob) => {
                    self.knows(path, Extent::Names)?;
                    self.links_stay(path, levels.max(glob.levels(MAX_LEVELS)))?;
                    if let Some(why) = self.reached(path, glob) {
                        return Err(Unsure::Elsewhere(why));
                    }
                }
                Named::Path(path) => {
                    let extent = match mention.does {
                        Use::Names => Extent::Names,
                        Use::Reads | Use::MayChange | Use::Changes => Extent::Contents,
                    };
                    self.knows(path, extent)?;
                    self.links_stay(path, levels)?;
                }
                Named::Any(source) => {
                    return Err(Unsure::Elsewhere(format!(
                        "which file {source} is, is only known when it runs"
                    )));
                }
            }
        }
        self.repositories(script, &shell.places)
    }

    /// Whether a pattern may name what holds secrets.
    fn reached(&self, folder: &PathForms, glob: &PathGlob) -> Option<String> {
        let reaches = |secret: &PathBuf| {
            let below = secret.strip_prefix(folder.canonical.as_deref()?).ok()?;
            let names: Option<Vec<&str>> = below.iter().map(|name| name.to_str()).collect();
            let names = names?;
            // It may go on below what holds them.
            let begins = |length: usize| PathGlob {
                segments: glob.segments[..length].to_vec(),
            };
            let mut begins = (1..glob.segments.len()).map(begins);
            Some(glob.matches_above(&names) || begins.any(|glob| glob.matches(&names)))
        };
        let found = self
            .secrets
            .iter()
            .any(|secret| reaches(secret) == Some(true));
        found.then(|| format!("{} holds secrets", folder.lexical.display()))
    }

    fn file(&self, call: &FileCall) -> Result<(), Unsure> {
        if call.access == Access::Edit {
            return Err(Unsure::Changes);
        }
        match &call.path {
            // A search through a whole work tree leaves out what is git's.
            Some(path) if self.is_credential(path, call.extent == Extent::Contents) => {
                Err(Unsure::Elsewhere(credentials::held_by(path)))
            }
            Some(path) => self.knows(path, call.extent),
            None => Err(Unsure::Elsewhere("the call names no path".to_owned())),
        }
    }

    /// Whether no link that a command may go through leads elsewhere.
    fn links_stay(&self, folder: &PathForms, levels: usize) -> Result<(), Unsure> {
        if levels == 0 {
            return Ok(());
        }
        let paths = self.around.paths;
        let links = folder.canonical.as_deref();
        let Some(links) = links.and_then(|real| paths.links(real, levels, MAX_LOOK)) else {
            let place = folder.lexical.display();
            return Err(Unsure::Elsewhere(format!(
                "there is too much in {place} to see where links in it lead"
            )));
        };
        let forms = |link: &PathBuf| PathForms::of(link, Path::new("/"), paths);
        let mut links = links.iter().map(forms);
        links.try_for_each(|link| self.knows(&link, Extent::Contents))
    }

    /// Whether a path leads where the session belongs, and to no secret.
    fn knows(&self, path: &PathForms, extent: Extent) -> Result<(), Unsure> {
        let place = path.lexical.display();
        let Some(real) = &path.canonical else {
            return Err(Unsure::Elsewhere(format!(
                "it is not known where {place} leads"
            )));
        };
        if DEVICES
            .iter()
            .any(|device| path.lexical == Path::new(device))
        {
            return Ok(());
        }
        let secret = self.secrets.iter().any(|secret| {
            real.starts_with(secret) || (extent == Extent::Contents && secret.starts_with(real))
        });
        if secret {
            return Err(Unsure::Elsewhere(format!("{place} holds secrets")));
        }
        if self.folders.iter().any(|folder| real.starts_with(folder)) {
            Ok(())
        } else {
            Err(Unsure::Elsewhere(format!("{place} is outside the project")))
        }
    }

    /// Git runs what the settings of a repository name, so it only reads in
    /// the repository that was looked at: the project's own.
    fn repositories(&self, script: &Script, places: &Places) -> Result<(), Unsure> {
        let Places::Known(places) = places else {
            return Err(Unsure::Changes);
        };
        // What keeps git from running programs is in its environment.
        let strips = |simple: &Simple| {
            let mut options = simple.words.iter().skip(1);
            simple.program() == Some("env") && options.any(Word::may_be_option)
        };
        let strips = script.commands.iter().any(strips);
        for simple in &script.commands {
            if simple.name() != Some("git") {
                continue;
            }
            if strips {
                return Err(Unsure::Changes);
            }
            let to = git_arguments(&simple.words).and_then(|(folder, _)| folder);
            for place in places {
                let place = folder(&place.join(to.unwrap_or(".")), self.around.paths);
                let foreign = match self.project {
                    Some(project) if place.starts_with(project) => place
                        .ancestors()
                        .take_while(|folder| folder.starts_with(project))
                        .any(|folder| self.is_repository(folder, project)),
                    Some(_) | None => true,
                };
                if foreign {
                    let place = place.display();
                    return Err(Unsure::Elsewhere(format!(
                        "{place} may be in another repository, whose settings can run programs"
                    )));
                }
            }
        }
        Ok(())
    }

    fn is_repository(&self, folder: &Path, project: &Path) -> bool {
        let paths = self.around.paths;
        // A folder that looks like what is inside `.git` counts as one.
        paths.exists(&folder.join("HEAD"))
            || (folder != project && paths.exists(&folder.join(".git")))
    }
}
