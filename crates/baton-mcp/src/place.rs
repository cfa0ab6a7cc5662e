//! Files of Baton's own inside a workspace: read with a bound, replaced whole,
//! and never through a link that leads out of it or to where secrets are kept.

use std::{
    fs::{self, File},
    io::{self, Read, Write},
    path::{Path, PathBuf},
};

use baton_project::secrets::SecretPlaces;

/// The folder in a workspace that holds what Baton knows of it.
pub(crate) const FOLDER: &str = ".baton";

/// The most that is read of a file.
const MAX_BYTES: u64 = 1 << 20;

/// Why a file is not read or written.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PlaceError {
    #[error("{name} leads out of the workspace")]
    Outside { name: String },
    #[error("{name} would be where secrets are kept")]
    Secret { name: String },
    #[error("{name} is larger than 1 MB")]
    TooLarge { name: String },
    #[error("{name} is no JSON: {source}")]
    NoJson {
        name: String,
        source: serde_json::Error,
    },
    #[error("{name} cannot be used: {source}")]
    Io { name: String, source: io::Error },
}

/// The JSON of `.baton/NAME`; none if the file is not there. What Baton's own
/// data folder holds is not: a workspace that is a home has it under this name.
pub(crate) fn read(
    workspace: &Path,
    secrets: &SecretPlaces,
    name: &str,
) -> Result<Option<serde_json::Value>, PlaceError> {
    let path = path(workspace, name)?;
    if secrets.look().hide_path(&path) {
        return Ok(None);
    }
    let shown = || format!("{FOLDER}/{name}");
    let io = |source| PlaceError::Io {
        name: shown(),
        source,
    };
    // A pipe is not even opened: that could take for ever.
    match path.metadata() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(io(error)),
        Ok(meta) if !meta.is_file() => return Err(io(io::Error::other("it is no file"))),
        Ok(_) => {}
    }
    let mut text = Vec::new();
    File::open(&path)
        .map_err(io)?
        .take(MAX_BYTES + 1)
        .read_to_end(&mut text)
        .map_err(io)?;
    if text.len() as u64 > MAX_BYTES {
        return Err(PlaceError::TooLarge { name: shown() });
    }
    let value = serde_json::from_slice(&text).map_err(|source| PlaceError::NoJson {
        name: shown(),
        source,
    })?;
    Ok(Some(value))
}

/// Replaces `.baton/NAME`, whole or not at all.
pub(crate) fn write(
    workspace: &Path,
    secrets: &SecretPlaces,
    name: &str,
    value: &serde_json::Value,
) -> Result<(), PlaceError> {
    let path = path(workspace, name)?;
    if secrets.look().hide_path(&path) {
        return Err(PlaceError::Secret {
            name: format!("{FOLDER}/{name}"),
        });
    }
    let io = |source| PlaceError::Io {
        name: format!("{FOLDER}/{name}"),
        source,
    };
    let mut text = serde_json::to_vec_pretty(value).map_err(|error| io(error.into()))?;
    text.push(b'\n');
    let new = path.with_extension("json.new");
    let write = || {
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        match fs::remove_file(&new) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let mut file = File::options().write(true).create_new(true).open(&new)?;
        file.write_all(&text)?;
        file.sync_all()?;
        fs::rename(&new, &path)?;
        match path.parent() {
            Some(folder) => File::open(folder)?.sync_all(),
            None => Ok(()),
        }
    };
    write().map_err(io)
}

/// Where a file of Baton's own is.
fn path(workspace: &Path, name: &str) -> Result<PathBuf, PlaceError> {
    let io = |source| PlaceError::Io {
        name: format!("{FOLDER}/{name}"),
        source,
    };
    let path = workspace.join(FOLDER).join(name);
    let folder = path.parent().unwrap_or(workspace);
    let mut known = folder;
    // The nearest folder that exists decides where the rest will be.
    while !known.exists() {
        known = known.parent().unwrap_or(workspace);
    }
    let real = fs::canonicalize(known).map_err(io)?;
    let root = fs::canonicalize(workspace).map_err(io)?;
    if !real.starts_with(&root) {
        return Err(PlaceError::Outside {
            name: format!("{FOLDER}/{name}"),
        });
    }
    if fs::symlink_metadata(&path).is_ok_and(|meta| meta.is_symlink()) {
        return Err(PlaceError::Outside {
            name: format!("{FOLDER}/{name}"),
        });
    }
    Ok(path)
}
