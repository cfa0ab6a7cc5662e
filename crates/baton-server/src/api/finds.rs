//! Files by letters of their paths, quick enough for every letter.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use baton_project::files::{Catalogue, ProjectFolder, TextSearch};
use baton_protocol::api::{FindFiles, FoundFiles, Problem, SearchFiles, SearchedFiles};
use tokio::{sync::Semaphore, time::Instant};
use tokio_util::sync::CancellationToken;

use super::{
    Api,
    files::{bounded, of_file},
};

const DEFAULT: u32 = 40;
const MOST: u32 = 200;
const LETTERS: usize = 200;

/// Lines with what is looked for.
const LINES: u32 = 200;
const MOST_LINES: u32 = 1000;
const TEXT: usize = 500;

/// A project is read anew after this, and where nothing fits after the shorter.
const FRESH: Duration = Duration::from_secs(10);
const FRESH_IN_VAIN: Duration = Duration::from_secs(1);

/// So many projects are kept, those asked for last.
const PROJECTS: usize = 4;

/// Projects that were asked for a moment ago.
#[derive(Debug, Default)]
pub(super) struct Catalogues {
    kept: Mutex<Vec<Arc<Kept>>>,
}

#[derive(Debug)]
struct Kept {
    folder: PathBuf,
    read: Mutex<Option<Read>>,
    /// Who types quickly waits for one reading, and starts no second.
    turn: Semaphore,
}

#[derive(Debug, Clone)]
struct Read {
    at: Instant,
    catalogue: Arc<Catalogue>,
}

impl Catalogues {
    fn of(&self, folder: &Path) -> Arc<Kept> {
        let mut all = lock(&self.kept);
        let at = all.iter().position(|one| one.folder == folder);
        let kept = at.map(|at| all.remove(at)).unwrap_or_else(|| {
            Arc::new(Kept {
                folder: folder.to_owned(),
                read: Mutex::new(None),
                turn: Semaphore::new(1),
            })
        });
        all.insert(0, Arc::clone(&kept));
        all.truncate(PROJECTS);
        kept
    }
}

impl Api {
    pub(super) async fn find_files(&self, body: FindFiles) -> Result<FoundFiles, Problem> {
        let limit = bounded("limit", body.limit, DEFAULT, MOST)? as usize;
        if body.letters.chars().count() > LETTERS {
            let message = format!("it has at most {LETTERS} letters");
            return Err(Problem::invalid("letters", message));
        }
        let entry = self.project_named(&body.project).await?;
        let kept = self.files.catalogues.of(Path::new(&entry.path));
        let read = self.catalogue(&kept, FRESH).await?;
        let found = self.look(&read, &body.letters, limit).await?;
        if !found.items.is_empty() || read.at.elapsed() < FRESH_IN_VAIN {
            return Ok(found);
        }
        // What is looked for may be newer than what was read.
        let read = self.catalogue(&kept, FRESH_IN_VAIN).await?;
        self.look(&read, &body.letters, limit).await
    }

    /// What stands in the files of a project now.
    pub(super) async fn search_files(&self, body: SearchFiles) -> Result<SearchedFiles, Problem> {
        let limit = bounded("limit", body.limit, LINES, MOST_LINES)? as usize;
        let length = body.text.chars().count();
        if length == 0 || length > TEXT || body.text.contains(['\n', '\r']) {
            let message = format!("it is one line of 1 to {TEXT} characters");
            return Err(Problem::invalid("text", message));
        }
        let wanted = TextSearch::new(&body.text, body.regex, body.exact_case)
            .map_err(|error| Problem::invalid("text", error.to_string()))?;
        let entry = self.project_named(&body.project).await?;
        let kept = self.files.catalogues.of(Path::new(&entry.path));
        let read = self.catalogue(&kept, FRESH_IN_VAIN).await?;
        let secrets = Arc::clone(self.supervisor.secrets());
        let folder = kept.folder.clone();
        // Who types on has no use for the rest, and is not to fill the places.
        let gone = CancellationToken::new();
        let _waits = gone.clone().drop_guard();
        self.blocking(move || {
            let folder = ProjectFolder::open(&folder, &secrets).map_err(|error| of_file(&error))?;
            let is_gone = || gone.is_cancelled();
            Ok(folder.search(&read.catalogue, &body.below, &wanted, limit, &is_gone))
        })
        .await
    }

    async fn look(&self, read: &Read, letters: &str, limit: usize) -> Result<FoundFiles, Problem> {
        let (catalogue, letters) = (Arc::clone(&read.catalogue), letters.to_owned());
        self.blocking(move || {
            Ok(FoundFiles {
                items: catalogue.find(&letters, limit),
                truncated: catalogue.is_truncated(),
            })
        })
        .await
    }

    async fn catalogue(&self, kept: &Kept, fresh: Duration) -> Result<Read, Problem> {
        let _turn = kept.turn.acquire().await;
        let read = lock(&kept.read).clone();
        if let Some(read) = read.filter(|read| read.at.elapsed() < fresh) {
            return Ok(read);
        }
        let folder = kept.folder.clone();
        let secrets = Arc::clone(self.supervisor.secrets());
        let at = Instant::now();
        let catalogue = self.blocking(move || {
            let folder = ProjectFolder::open(&folder, &secrets).map_err(|error| of_file(&error))?;
            folder.catalogue().map_err(|error| of_file(&error))
        });
        let read = Read {
            catalogue: Arc::new(catalogue.await?),
            at,
        };
        *lock(&kept.read) = Some(read.clone());
        Ok(read)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
