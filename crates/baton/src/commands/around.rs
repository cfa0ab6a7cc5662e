//! The project that a folder is a part of.

use std::path::{Path, PathBuf};

use baton_project::discovery::{nearest_project, repository_around};

use crate::{failure::Failure, owner::Log, setup::Setup};

/// The project's folder around this one, as the user's log knows it. Nobody is
/// started for it.
pub(super) async fn project_around(
    setup: &Setup,
    folder: &str,
) -> Result<Option<PathBuf>, Failure> {
    let folder = Path::new(folder);
    let Some(root) = repository_around(folder) else {
        return Ok(None);
    };
    let Some(log) = Log::look(setup).await? else {
        return Ok(None);
    };
    let projects = log.store().project_list().await;
    log.close().await;
    let paths = projects?.into_iter();
    let paths = paths.map(|project| PathBuf::from(project.path));
    Ok(nearest_project(paths, folder, &root))
}
