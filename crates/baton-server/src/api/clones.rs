//! Repositories that are got from elsewhere and become projects.
//!
//! One that is not whole is in a hidden folder beside its place, and a note in
//! the data folder says where: what a daemon that died has left of it, the next
//! one removes.

use std::{
    collections::BTreeMap,
    ffi::OsString,
    fs,
    io::{self, Write as _},
    os::unix::fs::OpenOptionsExt as _,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use baton_project::clone::{Cloning, Source, half_made, is_half_made, is_name};
use baton_protocol::api::{CloneBody, CloneState, Cloned, Problem, ProblemCode};
use baton_session::World;
use baton_store::{ProjectChange, Store};
use tokio::{
    sync::watch,
    task::JoinSet,
    time::{interval, timeout},
};
use tokio_util::sync::CancellationToken;

use super::{Api, projects::new_project};

/// At once. One more is refused.
const MOST: usize = 2;
/// Those that are over are told of so long as there are no more of them.
const TOLD: usize = 20;
/// How often git is asked how far it is.
const LOOK: Duration = Duration::from_millis(200);
/// No repository takes longer.
const LONGEST: Duration = Duration::from_secs(2 * 60 * 60);

#[derive(Debug, Default)]
pub(super) struct Clones {
    jobs: Mutex<BTreeMap<String, Job>>,
    tasks: Mutex<JoinSet<()>>,
}

#[derive(Debug)]
struct Job {
    told: watch::Sender<Cloned>,
    cancel: CancellationToken,
}

impl Clones {
    fn jobs(&self) -> MutexGuard<'_, BTreeMap<String, Job>> {
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn tasks(&self) -> MutexGuard<'_, JoinSet<()>> {
        self.tasks.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds one, unless there are too many.
    fn add(&self, told: Cloned, cancel: &CancellationToken) -> Result<(), Problem> {
        let mut jobs = self.jobs();
        let runs = |job: &Job| job.told.borrow().state == CloneState::Running;
        if jobs.values().filter(|job| runs(job)).count() >= MOST {
            let detail = format!("{MOST} repositories are on their way; wait for one, or end it");
            return Err(Problem::new(ProblemCode::TooMany, detail));
        }
        if jobs
            .values()
            .any(|job| runs(job) && job.told.borrow().path == told.path)
        {
            let message = "another repository is on its way there";
            return Err(Problem::invalid("name", message));
        }
        while jobs.len() >= TOLD {
            // Their ids sort by time.
            let over = jobs.iter().find(|(_, job)| !runs(job));
            let Some(id) = over.map(|(id, _)| id.clone()) else {
                break;
            };
            jobs.remove(&id);
        }
        let job = Job {
            cancel: cancel.clone(),
            told: watch::Sender::new(told.clone()),
        };
        jobs.insert(told.id, job);
        Ok(())
    }

    fn tell(&self, id: &str, change: impl FnOnce(&mut Cloned)) {
        if let Some(job) = self.jobs().get(id) {
            job.told.send_modify(change);
        }
    }
}

impl Api {
    pub(super) async fn clone_project(&self, body: CloneBody) -> Result<Cloned, Problem> {
        let source = Source::parse(&body.url);
        let source = source.map_err(|wrong| Problem::invalid("url", wrong.to_string()))?;
        let name = match body.name.as_deref().map(str::trim) {
            None | Some("") => source.name().map(str::to_owned),
            Some(name) => is_name(name).then(|| name.to_owned()),
        };
        let wrong = "it is no name for a folder; give one without slashes and a leading dot";
        let name = name.ok_or_else(|| Problem::invalid("name", wrong))?;
        let into = body.into.as_deref().filter(|into| !into.trim().is_empty());
        let into = self.shown_folder(into.unwrap_or("~"), "into").await?;
        let place = into.join(&name);
        if place.symlink_metadata().is_ok() {
            let message = format!("{} is there already", place.display());
            return Err(Problem::invalid("name", message));
        }
        self.holds_no_secrets(&place.to_string_lossy()).await?;
        let id = self.world.id().simple().to_string();
        let told = Cloned {
            id: id.clone(),
            url: body.url.trim().to_owned(),
            path: place.to_string_lossy().into_owned(),
            state: CloneState::Running,
            doing: None,
            percent: None,
            project: None,
            problem: None,
        };
        let cancel = CancellationToken::new();
        let clones = &self.projects.clones;
        clones.add(told.clone(), &cancel)?;
        let run = Run {
            clones: Arc::clone(clones),
            store: self.store().clone(),
            world: Arc::clone(&self.world),
            env: self.supervisor.agent_home().env.clone(),
            note: self.clone_notes().join(&id),
            half: into.join(half_made(&name, &id)),
            place,
            source,
            id,
            cancel,
        };
        let mut tasks = clones.tasks();
        while tasks.try_join_next().is_some() {}
        tasks.spawn(run.run());
        Ok(told)
    }

    pub(super) fn clone_state(&self, id: &str) -> Result<Cloned, Problem> {
        let jobs = self.projects.clones.jobs();
        let job = jobs.get(id).ok_or_else(unknown)?;
        let told = job.told.borrow().clone();
        Ok(told)
    }

    /// Answers once nothing of it is left, or it was there before.
    pub(super) async fn cancel_clone(&self, id: &str) -> Result<Cloned, Problem> {
        let mut told = {
            let jobs = self.projects.clones.jobs();
            let job = jobs.get(id).ok_or_else(unknown)?;
            job.cancel.cancel();
            job.told.subscribe()
        };
        let over = told.wait_for(|told| told.state != CloneState::Running);
        let over = over.await.map_err(|_| unknown())?.clone();
        Ok(over)
    }

    /// Ends all of them, for a daemon that ends.
    pub(super) async fn end_clones(&self) {
        for job in self.projects.clones.jobs().values() {
            job.cancel.cancel();
        }
        let mut tasks = std::mem::take(&mut *self.projects.clones.tasks());
        while tasks.join_next().await.is_some() {}
    }

    /// Removes what a daemon that died has left of them.
    pub async fn sweep_clones(&self) {
        let notes = self.clone_notes();
        let swept = tokio::task::spawn_blocking(move || {
            for note in fs::read_dir(&notes).into_iter().flatten().flatten() {
                let id = note.file_name().to_string_lossy().into_owned();
                let half = PathBuf::from(fs::read_to_string(note.path()).unwrap_or_default());
                // Nothing else is ever removed, whatever the note says.
                let is_half = half.file_name().is_some_and(|name| is_half_made(name, &id));
                if is_half && half.is_absolute() {
                    remove(&half);
                }
                fs::remove_file(note.path()).ok();
            }
        });
        swept.await.ok();
    }

    fn clone_notes(&self) -> PathBuf {
        self.supervisor.data_folder().join("clones")
    }
}

/// One repository, from its first byte until it is a project or gone.
struct Run {
    clones: Arc<Clones>,
    store: Store,
    world: Arc<dyn World>,
    env: Vec<(OsString, OsString)>,
    id: String,
    source: Source,
    note: PathBuf,
    half: PathBuf,
    place: PathBuf,
    cancel: CancellationToken,
}

/// Why there is none: in words, or because somebody ended it.
type Why = Option<String>;

impl Run {
    async fn run(self) {
        let done = self.become_project().await;
        let half = self.half.clone();
        tokio::task::spawn_blocking(move || remove(&half))
            .await
            .ok();
        fs::remove_file(&self.note).ok();
        self.clones.tell(&self.id, |told| {
            told.doing = None;
            told.percent = None;
            match done {
                Ok(slug) => {
                    told.state = CloneState::Done;
                    told.project = Some(slug);
                }
                Err(None) => told.state = CloneState::Cancelled,
                Err(why) => {
                    told.state = CloneState::Failed;
                    told.problem = why;
                }
            }
        });
    }

    async fn become_project(&self) -> Result<String, Why> {
        write_note(&self.note, &self.half).map_err(|error| Some(error.to_string()))?;
        let got = timeout(LONGEST, self.get()).await;
        got.map_err(|_| Some("It took too long.".to_owned()))??;
        if self.place.symlink_metadata().is_ok() {
            return Err(Some(format!("{} is there by now.", self.place.display())));
        }
        fs::rename(&self.half, &self.place).map_err(|error| Some(error.to_string()))?;
        let folder = self.place.to_string_lossy();
        let change = ProjectChange::Add(new_project(&folder, self.world.now()));
        let entries = self
            .store
            .change_projects(vec![change])
            .await
            .map_err(|error| Some(error.to_string()))?;
        let entry = entries.into_iter().flatten().next();
        entry
            .map(|entry| entry.slug)
            .ok_or_else(|| Some("It is there, but cannot be listed as a project.".to_owned()))
    }

    /// Dropped halfway, or ended, git goes with it.
    async fn get(&self) -> Result<(), Why> {
        let cloning = Cloning::begin(&self.env, &self.source, &self.half).await;
        let mut cloning = cloning.map_err(|error| Some(error.to_string()))?;
        let mut looks = interval(LOOK);
        loop {
            tokio::select! {
                biased;
                () = self.cancel.cancelled() => {
                    cloning.stop().await;
                    return Err(None);
                }
                done = cloning.finished() => return done.map_err(|error| Some(error.to_string())),
                _ = looks.tick() => {}
            }
            if let Some(progress) = cloning.progress() {
                self.clones.tell(&self.id, |told| {
                    told.doing = Some(progress.doing.to_owned());
                    told.percent = Some(progress.percent);
                });
            }
        }
    }
}

fn unknown() -> Problem {
    Problem::new(ProblemCode::NotFound, "there is no such clone")
}

fn write_note(note: &Path, half: &Path) -> io::Result<()> {
    if let Some(folder) = note.parent() {
        fs::create_dir_all(folder)?;
    }
    let mut open = fs::OpenOptions::new();
    let mut file = open.write(true).create_new(true).mode(0o600).open(note)?;
    file.write_all(half.as_os_str().as_encoded_bytes())?;
    file.sync_all()
}

fn remove(half: &Path) {
    match fs::remove_dir_all(half) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            tracing::warn!(%error, "a half-made clone could not be removed");
        }
        Ok(()) | Err(_) => {}
    }
}
