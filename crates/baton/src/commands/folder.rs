//! The folder that a command is about.

use std::path::Path;

/// The whole path, since the daemon works elsewhere; without one, this folder.
pub(super) fn whole(given: Option<&Path>) -> String {
    let here = std::env::current_dir().unwrap_or_default();
    let folder = given.map_or_else(|| here.clone(), |given| here.join(given));
    folder.display().to_string()
}
