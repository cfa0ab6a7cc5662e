//! The file that the agent writes its debug notes to. They may hold anything
//! that was said, so nobody else reads them, and no link leads them elsewhere.

use std::{
    fs::{DirBuilder, File},
    io::ErrorKind,
    os::unix::fs::{DirBuilderExt, OpenOptionsExt},
    path::PathBuf,
};

use baton_session::{RealWorld, World};

use super::wanted::usage;
use crate::failure::Failure;

/// A file in a new folder of its own, which stays when the conversation is
/// over: it is there to be read then.
pub(super) fn made() -> Result<PathBuf, Failure> {
    let name = format!("baton-debug-{}", RealWorld.random_id().simple());
    let folder = std::env::temp_dir().join(name);
    let file = folder.join("debug.log");
    let made = DirBuilder::new().mode(0o700).create(&folder);
    made.and_then(|()| create(&file)).map_err(|error| {
        Failure::new(
            format!("{} cannot be written: {error}", file.display()),
            "Check the folder for temporary files, or name a file with --sdk-debug-file.",
        )
    })?;
    tracing::info!("the agent writes its debug file to {}", file.display());
    Ok(file)
}

/// The file that was named. One that is there is added to, as it is.
pub(super) fn named(file: PathBuf) -> Result<PathBuf, Failure> {
    match create(&file) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(file),
        Err(error) => Err(usage(format!(
            "--sdk-debug-file: {}: {error}",
            file.display()
        ))),
        Ok(()) => Ok(file),
    }
}

fn create(file: &PathBuf) -> std::io::Result<()> {
    let mut open = File::options();
    open.write(true).create_new(true).mode(0o600);
    open.open(file).map(|_| ())
}
