//! Bounded reads of regular files.

use std::{
    fs::File,
    io::{self, Read},
    path::{Path, PathBuf},
};

/// Why a file that is there was not read.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ReadError {
    #[error("is not a regular file")]
    NotAFile,
    #[error("is larger than {limit} bytes")]
    TooLarge { limit: u64 },
    #[error("is a link to nothing")]
    Dangling,
    #[error("cannot be read ({0})")]
    Io(#[source] io::Error),
}

/// The whole file; `None` if there is none. A pipe or a device is not opened:
/// it could make the reader wait for ever.
pub(crate) fn read(path: &Path, limit: u64) -> Result<Option<Vec<u8>>, ReadError> {
    let meta = match path.metadata() {
        Ok(meta) => meta,
        Err(error) if is_missing(&error) => {
            return match path.symlink_metadata() {
                Ok(_) => Err(ReadError::Dangling),
                Err(_) => Ok(None),
            };
        }
        Err(error) => return Err(ReadError::Io(error)),
    };
    if !meta.is_file() {
        return Err(ReadError::NotAFile);
    }
    let mut bytes = Vec::new();
    // One more than allowed tells a file that is too large, also one that grows meanwhile.
    File::open(path)
        .and_then(|file| file.take(limit + 1).read_to_end(&mut bytes))
        .map_err(ReadError::Io)?;
    if u64::try_from(bytes.len()).unwrap_or(u64::MAX) > limit {
        return Err(ReadError::TooLarge { limit });
    }
    Ok(Some(bytes))
}

/// A small file as text without the whitespace at its end; `None` if it cannot be had.
pub(crate) fn read_line(path: &Path) -> Option<String> {
    let bytes = read(path, 4 << 10).ok()??;
    let text = String::from_utf8(bytes).ok()?;
    Some(text.trim_end().to_owned())
}

/// Where a path really is, if that is not below `base`.
pub(crate) fn outside(base: &Path, path: &Path) -> Option<PathBuf> {
    let real = path.canonicalize().ok()?;
    let base = base.canonicalize().ok()?;
    (!real.starts_with(base)).then_some(real)
}

pub(crate) fn is_missing(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    )
}
