//! The user's own settings of git, which hold in every repository: read from
//! their files, as git reads them.

use std::path::{Path, PathBuf};

use crate::{
    config::{self, GitSetting},
    file,
};

/// The most files that settings may include.
const MOST: usize = 50;

/// What the files say, in no order that counts.
#[derive(Debug, Default)]
pub(crate) struct Own {
    /// Each with the file that it is from.
    pub(crate) settings: Vec<(PathBuf, GitSetting)>,
    /// Not all that git would read could be read.
    pub(crate) more: bool,
}

/// The settings below this home and those of the machine, with all that they
/// include, whatever the condition.
pub(crate) fn own(home: &Path) -> Own {
    let mut own = Own::default();
    let mut left = vec![
        home.join(".gitconfig"),
        home.join(".config/git/config"),
        PathBuf::from("/etc/gitconfig"),
    ];
    let mut seen = Vec::new();
    while let Some(path) = left.pop() {
        if seen.contains(&path) {
            continue;
        }
        if seen.len() == MOST {
            own.more = true;
            break;
        }
        match file::read(&path, super::CONFIG_BYTES) {
            Ok(bytes) => {
                for setting in config::parse(&bytes.unwrap_or_default()).entries {
                    if is_include(&setting) {
                        left.push(included(&path, setting.text(), home));
                    }
                    own.settings.push((path.clone(), setting));
                }
            }
            Err(_) => own.more = true,
        }
        seen.push(path);
    }
    own
}

fn is_include(setting: &GitSetting) -> bool {
    matches!(setting.section(), "include" | "includeif") && setting.key() == "path"
}

fn included(by: &Path, named: &str, home: &Path) -> PathBuf {
    match named.strip_prefix("~/") {
        Some(rest) => home.join(rest),
        None => by.parent().unwrap_or(by).join(named),
    }
}
