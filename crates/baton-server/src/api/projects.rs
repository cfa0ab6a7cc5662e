//! The list of projects, and what is known about each.

pub(crate) mod facts;

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use baton_project::discovery::{
    Excludes, in_roots, nearest_project, repository_around, slug, that_exist,
};
use baton_protocol::{
    ProjectId, Timestamp,
    api::{
        ListProjects, Problem, ProblemCode, Project, ProjectAdd, ProjectUpdate, Projects, Scanned,
    },
};
use baton_session::project_id;
use baton_store::{NewProject, ProjectChange, ProjectEntry, ProjectKey};

use self::facts::Facts;
use super::{Api, commands::good_title};
use crate::problem::Told as _;

const DEFAULT_LIMIT: u32 = 200;
const MAX_LIMIT: u32 = 1000;

/// Where projects are looked for.
#[derive(Debug, Clone, Default)]
pub struct ProjectSearch {
    /// Folders whose folders are projects.
    pub roots: Vec<PathBuf>,
    pub excludes: Excludes,
    /// Whether folders that the agent was used in are projects.
    pub claude: bool,
}

impl Api {
    pub(super) async fn projects(&self, list: &ListProjects) -> Result<Projects, Problem> {
        let limit = list.limit.unwrap_or(DEFAULT_LIMIT);
        if !(1..=MAX_LIMIT).contains(&limit) {
            let message = format!("it is between 1 and {MAX_LIMIT}");
            return Err(Problem::invalid("limit", message));
        }
        let mut entries = self.listed().await?;
        if let Some(cursor) = &list.cursor {
            let at = entries.iter().position(|entry| entry.slug == *cursor);
            let at = at.ok_or_else(|| Problem::invalid("cursor", "the list has changed"))?;
            entries.drain(..=at);
        }
        let more = entries.len() > limit as usize;
        entries.truncate(limit as usize);
        let next = entries
            .last()
            .filter(|_| more)
            .map(|last| last.slug.clone());
        let items = self.described(entries).await;
        Ok(Projects { items, next })
    }

    pub(super) async fn one_project(&self, name: &str) -> Result<Project, Problem> {
        let entry = self.project_named(name).await?;
        Ok(self.describe(entry).await)
    }

    pub(crate) async fn add_project(&self, body: ProjectAdd) -> Result<Project, Problem> {
        let title = title_of(body.title.as_deref())?;
        let path = self.at_home(&body.path);
        let folder = self.real_folder(&path, "path").await?;
        self.holds_no_secrets(&folder).await?;
        let mut changes = vec![ProjectChange::Add(self.new_project(&folder))];
        if title.is_some() {
            changes.push(ProjectChange::Title(project_id(&folder), title));
        }
        let entry = self.change_project(changes).await?;
        Ok(self.describe(entry).await)
    }

    pub(crate) async fn remove_project(&self, name: &str) -> Result<(), Problem> {
        let entry = self.project_named(name).await?;
        self.change_project(vec![ProjectChange::Remove(entry.id)])
            .await
            .map(drop)
    }

    pub(crate) async fn update_project(&self, body: ProjectUpdate) -> Result<Project, Problem> {
        let title = title_of(body.title.as_deref())?;
        let entry = self.project_named(&body.project).await?;
        let entry = self
            .change_project(vec![ProjectChange::Title(entry.id, title)])
            .await?;
        Ok(self.describe(entry).await)
    }

    /// Lists what is found where the settings say and where the agent was used.
    pub async fn scan_projects(&self) -> Result<Scanned, Problem> {
        let search = self.projects.search.clone();
        let told = if search.claude {
            let told = self.supervisor.known_folders().await;
            told.unwrap_or_else(|error| {
                tracing::warn!(%error, "the agent's own projects cannot be listed");
                Vec::new()
            })
        } else {
            Vec::new()
        };
        let secrets = Arc::clone(self.supervisor.secrets());
        let before = self.listed().await?;
        let mut projects: Vec<PathBuf> = before.iter().map(|one| one.path.clone().into()).collect();
        let found = self.blocking(move || {
            let mut found = in_roots(&search.roots, &search.excludes);
            found.extend(that_exist(told));
            let secrets = secrets.look();
            found.retain(|folder| !secrets.hide_path(folder));
            found.sort();
            found.dedup();
            projects.extend(found.iter().cloned());
            found.retain(|folder| !is_part(folder, &projects));
            Ok(found)
        });
        let found = found.await?;
        let new = found.iter().filter_map(|folder| folder.to_str());
        let new: Vec<ProjectChange> = new
            .filter(|folder| before.iter().all(|entry| entry.path != **folder))
            .map(|folder| ProjectChange::Find(self.new_project(folder)))
            .collect();
        let changed = self.store().change_projects(new).await.told()?;
        let added = changed.into_iter().flatten().filter(|entry| entry.listed);
        Ok(Scanned {
            found: found.len() as u64,
            added: self.described(added.collect()).await,
        })
    }

    /// A project that is on the list, by slug, id or absolute path.
    pub(crate) async fn project_named(&self, name: &str) -> Result<ProjectEntry, Problem> {
        let key = if name.starts_with('/') {
            // A folder that is gone can still be on the list.
            let folder = self.real_folder(name, "project").await;
            let folder = folder.unwrap_or_else(|_| name.to_owned());
            ProjectKey::Id(project_id(&folder))
        } else if let Ok(id) = name.parse::<ProjectId>() {
            ProjectKey::Id(id)
        } else {
            ProjectKey::Slug(name.to_owned())
        };
        let found = self.store().project(key).await.told()?;
        found.filter(|entry| entry.listed).ok_or_else(|| {
            let name: String = name.chars().take(200).collect();
            let detail = format!("there is no project `{name}`");
            Problem {
                code: ProblemCode::NotFound,
                title: ProblemCode::NotFound.title().to_owned(),
                status: ProblemCode::NotFound.status(),
                detail: detail.clone(),
                ..Problem::invalid("project", detail)
            }
        })
    }

    /// The folder that `project` names. A path may be one that is not listed.
    pub async fn folder_of(&self, project: &str) -> Result<String, Problem> {
        if project.starts_with('/') || project.is_empty() {
            return Ok(project.to_owned());
        }
        Ok(self.project_named(project).await?.path)
    }

    /// Lists the folder of something that was begun in it.
    pub(super) async fn list_folder(&self, folder: &str) {
        let added = async {
            let folder = self.real_folder(folder, "project").await?;
            let change = ProjectChange::Add(self.new_project(&folder));
            self.change_project(vec![change]).await
        };
        // What was begun goes on; the next look at the list finds the folder.
        if let Err(problem) = added.await {
            tracing::warn!(%problem, "a folder cannot be listed as a project");
        }
    }

    /// Projects on the list, those of earlier sessions included.
    pub(super) async fn listed(&self) -> Result<Vec<ProjectEntry>, Problem> {
        let used = self.store().unlisted_folders().await.told()?;
        if !used.is_empty() {
            let found = used.iter().map(|row| {
                let new = self.new_project(&row.path);
                ProjectChange::Find(NewProject { id: row.id, ..new })
            });
            let changed = self.store().change_projects(found.collect()).await;
            changed.told()?;
        }
        self.store().project_list().await.told()
    }

    fn new_project(&self, folder: &str) -> NewProject {
        new_project(folder, self.world.now())
    }

    /// The last change's project.
    async fn change_project(&self, changes: Vec<ProjectChange>) -> Result<ProjectEntry, Problem> {
        let changed = self.store().change_projects(changes).await.told()?;
        let entry = changed.into_iter().flatten().last();
        entry.ok_or_else(|| Problem::new(ProblemCode::NotFound, "the project is not there"))
    }

    async fn describe(&self, entry: ProjectEntry) -> Project {
        let facts = self.facts_of(&entry).await;
        shown(entry, facts)
    }

    async fn described(&self, entries: Vec<ProjectEntry>) -> Vec<Project> {
        let folders: Vec<_> = entries.iter().map(facts::Folder::of).collect();
        let facts = self.projects.project_facts.get(&folders).await;
        entries
            .into_iter()
            .zip(facts)
            .map(|(entry, facts)| shown(entry, facts))
            .collect()
    }

    async fn facts_of(&self, entry: &ProjectEntry) -> Option<Facts> {
        let folder = facts::Folder::of(entry);
        self.projects
            .project_facts
            .get(&[folder])
            .await
            .pop()
            .flatten()
    }

    /// Refuses a folder in which nobody is shown anything.
    pub(super) async fn holds_no_secrets(&self, folder: &str) -> Result<(), Problem> {
        let secrets = Arc::clone(self.supervisor.secrets());
        let folder = folder.to_owned();
        self.blocking(move || {
            if secrets.look().hide_path(Path::new(&folder)) {
                let message = format!("{folder} is where secrets are kept, so it is no project");
                return Err(Problem::invalid("path", message));
            }
            Ok(())
        })
        .await
    }

    /// The real path of a folder.
    pub(super) async fn real_folder(
        &self,
        path: &str,
        field: &'static str,
    ) -> Result<String, Problem> {
        if !path.starts_with('/') {
            let message = "give the whole path of a folder: it begins with / or ~";
            return Err(Problem::invalid(field, message));
        }
        let path = path.to_owned();
        self.blocking(move || {
            let wrong = |why| Problem::invalid(field, format!("{path} {why}"));
            let real = Path::new(&path).canonicalize();
            let real = real.map_err(|error| {
                let denied = error.kind() == std::io::ErrorKind::PermissionDenied;
                wrong(if denied {
                    "may not be looked at by Baton"
                } else {
                    "is not there"
                })
            })?;
            if !real.is_dir() {
                return Err(wrong("is a file, not a folder"));
            }
            let text = real.to_str().map(str::to_owned);
            text.ok_or_else(|| wrong("has a name that is no text"))
        })
        .await
    }
}

fn shown(entry: ProjectEntry, facts: Option<Facts>) -> Project {
    let name = Path::new(&entry.path).file_name().unwrap_or_default();
    // A folder that nobody could look at in time is not one that is not there.
    let (exists, has_claude_config) = (
        facts.as_ref().map(|facts| facts.exists),
        facts.as_ref().map(|facts| facts.has_claude_config),
    );
    let facts = facts.unwrap_or_default();
    Project {
        id: entry.id,
        slug: entry.slug,
        title: entry.title,
        name: name.to_string_lossy().into_owned(),
        path: entry.path,
        git_remote: facts.remote,
        git_branch: facts.branch,
        is_dirty: facts.is_dirty,
        ahead: facts.ahead_behind.map(|(ahead, _)| ahead),
        behind: facts.ahead_behind.map(|(_, behind)| behind),
        has_claude_config,
        last_modified: facts.last_modified,
        trusted: facts.trusted,
        exists,
        last_used_at: entry.last_used_at,
    }
}

fn title_of(title: Option<&str>) -> Result<Option<String>, Problem> {
    let title = title.map(good_title).transpose()?;
    Ok(title.map(str::to_owned))
}

/// Whether a folder is a part of a project around it, in the same repository:
/// the agent was used there, but its rules are that project's.
fn is_part(folder: &Path, projects: &[PathBuf]) -> bool {
    let others = projects.iter().filter(|one| *one != folder);
    repository_around(folder).is_some_and(|root| nearest_project(others, folder, &root).is_some())
}

/// A folder that is to be listed.
pub(super) fn new_project(folder: &str, at: Timestamp) -> NewProject {
    NewProject {
        id: project_id(folder),
        path: folder.to_owned(),
        slug: slug(Path::new(folder)),
        at,
    }
}

#[cfg(test)]
mod tests {

    use super::*;

    #[test]
    fn a_folder_that_nobody_could_look_at_is_not_said_to_be_missing() {
        let entry = ProjectEntry {
            id: project_id("/slow/disk"),
            path: "/slow/disk".into(),
            slug: "disk".into(),
            title: None,
            listed: true,
            added_at: Timestamp::from_millis(0),
            last_used_at: None,
        };
        let unknown = shown(entry.clone(), None);
        assert_eq!((unknown.exists, unknown.has_claude_config), (None, None));
        let gone = shown(entry, Some(Facts::default()));
        assert_eq!(
            (gone.exists, gone.has_claude_config),
            (Some(false), Some(false))
        );
    }
}
