//! Which files are read, and whose they must be.

use std::{
    fs::File,
    io::Read,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
};

use super::keys::Reach;
use crate::failure::Failure;

/// A file of settings, as text.
#[derive(Debug)]
pub(super) struct Source {
    pub(super) path: PathBuf,
    pub(super) text: String,
    pub(super) takes: Takes,
}

/// Which of a file's settings count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Takes {
    All,
    /// Only those that every file may set; another one is refused.
    Anywhere,
    /// Only those that the folder's file may not set; others are passed over.
    Personal,
}

impl Takes {
    pub(super) const fn passes_over(self, reach: Reach) -> bool {
        matches!((self, reach), (Self::Personal, Reach::Anywhere))
    }

    pub(super) const fn refuses(self, reach: Reach) -> bool {
        matches!((self, reach), (Self::Anywhere, Reach::Personal))
    }
}

const MAX_FILE: u64 = 1 << 20;

/// The files that count, those that count less first.
pub(super) fn sources(
    named: Option<&Path>,
    folder: Option<&Path>,
    data: &Path,
) -> Result<Vec<Source>, Failure> {
    if let Some(path) = named {
        let text = read(path)?.ok_or_else(|| {
            Failure::usage(
                format!("the configuration {} is not there", path.display()),
                "Name a file that exists with --config.",
            )
        })?;
        return Ok(vec![source(path, text, Takes::All)]);
    }
    let own = data.join("config.yaml");
    let own_text = read_private(&own)?;
    let here = folder.map(|folder| folder.join("baton.yaml"));
    let here_text = match &here {
        Some(path) => read_private(path)?,
        None => None,
    };
    let Some((here, here_text)) = here.zip(here_text) else {
        let own = own_text.map(|text| source(&own, text, Takes::All));
        return Ok(own.into_iter().collect());
    };
    let own = own_text.map(|text| source(&own, text, Takes::Personal));
    let here = source(&here, here_text, Takes::Anywhere);
    Ok(own.into_iter().chain([here]).collect())
}

fn source(path: &Path, text: String, takes: Takes) -> Source {
    Source {
        path: path.to_owned(),
        text,
        takes,
    }
}

/// A file that was not named but found: nobody else may have written it.
fn read_private(path: &Path) -> Result<Option<String>, Failure> {
    if let Ok(meta) = std::fs::metadata(path) {
        let mine = rustix::process::geteuid().as_raw();
        let others = meta.uid() != mine && meta.uid() != 0;
        if others || meta.mode() & 0o022 != 0 {
            return Err(Failure::usage(
                format!(
                    "the configuration {} can be changed by others, so it is not read",
                    path.display()
                ),
                "Make it yours alone (chown, chmod go-w), or name it with --config.",
            ));
        }
    }
    read(path)
}

fn read(path: &Path) -> Result<Option<String>, Failure> {
    let fail = |why: &str| {
        Failure::usage(
            format!("the configuration {} cannot be read: {why}", path.display()),
            "Check the file, or name another with --config.",
        )
    };
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(fail(&error.to_string())),
    };
    let meta = file.metadata().map_err(|error| fail(&error.to_string()))?;
    if !meta.is_file() {
        return Err(fail("it is not a file"));
    }
    let mut text = String::new();
    file.take(MAX_FILE + 1)
        .read_to_string(&mut text)
        .map_err(|error| fail(&error.to_string()))?;
    if text.len() as u64 > MAX_FILE {
        return Err(fail("it is larger than 1 MB"));
    }
    Ok(Some(text))
}
