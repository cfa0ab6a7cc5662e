//! The project that a folder is a part of.

use std::path::{Path, PathBuf};

use crate::{failure::Failure, owner::Log, setup::Setup};

/// The repository around a folder, unless it begins there: only in one can a
/// folder be a part of somebody's project.
pub(super) fn repository(folder: &Path) -> Option<PathBuf> {
    baton_project::git::root(folder).filter(|root| root != folder)
}

/// Of the folders of projects, the nearest around this one in the same
/// repository. None for a folder that is one of them itself.
pub(super) fn nearest<T: AsRef<Path>>(
    projects: impl IntoIterator<Item = T>,
    folder: &Path,
    root: &Path,
) -> Option<T> {
    let around = projects.into_iter().filter(|project| {
        let path = project.as_ref();
        folder.starts_with(path) && path.starts_with(root)
    });
    let nearest = around.max_by_key(|project| project.as_ref().as_os_str().len());
    nearest.filter(|project| project.as_ref() != folder)
}

/// The project's folder around this one, as the user's log knows it. Nobody is
/// started for it.
pub(super) async fn project_around(
    setup: &Setup,
    folder: &str,
) -> Result<Option<PathBuf>, Failure> {
    let folder = Path::new(folder);
    let Some(root) = repository(folder) else {
        return Ok(None);
    };
    let Some(log) = Log::look(setup).await? else {
        return Ok(None);
    };
    let projects = log.store().project_list().await;
    log.close().await;
    let paths = projects?.into_iter();
    let paths = paths.map(|project| PathBuf::from(project.path));
    Ok(nearest(paths, folder, &root))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_project_in_the_same_repository_is_meant() {
        let around = |projects: &[&'static str], folder: &str| {
            let projects = projects.iter().copied();
            nearest(projects, Path::new(folder), Path::new("/r"))
        };
        assert_eq!(around(&["/r", "/r/a"], "/r/a/b"), Some("/r/a"));
        assert_eq!(around(&["/r", "/r/a"], "/r/ab"), Some("/r"));
        assert_eq!(around(&["/r", "/r/a"], "/r/a"), None);
        assert_eq!(around(&["/", "/r/x"], "/r/a"), None);
    }
}
