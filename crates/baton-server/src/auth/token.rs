//! The API token: where it comes from, and its file.

use std::{
    fs::{File, OpenOptions, Permissions},
    io::{self, Read, Write},
    os::unix::fs::{OpenOptionsExt, PermissionsExt},
    path::{Path, PathBuf},
    sync::{Arc, atomic::AtomicUsize},
};

use baton_protocol::api::Secret;
use baton_store::SecretHash;
use tokio_util::sync::CancellationToken;

use super::{Auth, error::TokenError, secret};

/// Shorter ones can be guessed.
const LEAST: usize = 32;

/// Nobody's token is longer.
const MOST: u64 = 4096;

/// Where the API token comes from.
#[derive(Debug, Clone)]
pub enum TokenSource {
    /// Baton's own file, made at the first start.
    Own(PathBuf),
    /// A file that somebody else keeps.
    File(PathBuf),
    /// Given as text.
    Given(Secret),
}

impl TokenSource {
    /// The token, as long as there is one.
    pub fn read(&self) -> Result<Secret, TokenError> {
        let token = match self {
            Self::Own(path) | Self::File(path) => read(path)?,
            Self::Given(token) => token.clone(),
        };
        if token.expose().chars().count() < LEAST {
            return Err(TokenError::Short { least: LEAST });
        }
        Ok(token)
    }

    pub(super) fn read_or_make(&self) -> Result<Secret, TokenError> {
        if let Self::Own(path) = self {
            if !path.exists() {
                return make(path);
            }
            // Baton's own file is for nobody else, whatever became of its mode.
            std::fs::set_permissions(path, Permissions::from_mode(0o600))
                .map_err(|source| failed(path, source))?;
        }
        self.read()
    }
}

/// The token as requests are held against it.
#[derive(Debug)]
pub(super) struct Master {
    pub(super) hash: SecretHash,
    pub(super) revoked: CancellationToken,
    /// How many streams it has open.
    pub(super) streams: Arc<AtomicUsize>,
}

impl Master {
    pub(super) fn new(token: &Secret) -> Self {
        Self {
            hash: secret::hash(token.expose()),
            revoked: CancellationToken::new(),
            streams: Arc::default(),
        }
    }
}

impl Auth {
    /// Makes a new API token and signs out whoever used the old one.
    pub async fn rotate_token(&self) -> Result<Secret, TokenError> {
        let TokenSource::Own(path) = &self.options().token else {
            return Err(TokenError::Configured);
        };
        // If Baton ends between the two, the next start sees that the token is
        // another one, and signs out then.
        let _door = self.door().await;
        let token = make(path)?;
        self.state().replace_master(Master::new(&token));
        self.adopt_master().await?;
        Ok(token)
    }
}

fn failed(path: &Path, source: io::Error) -> TokenError {
    TokenError::Io {
        path: path.to_owned(),
        source,
    }
}

fn read(path: &Path) -> Result<Secret, TokenError> {
    let bad = |what| TokenError::File {
        path: path.to_owned(),
        what,
    };
    let file = File::open(path).map_err(|source| failed(path, source))?;
    let meta = file.metadata().map_err(|source| failed(path, source))?;
    if !meta.is_file() {
        return Err(bad("no file"));
    }
    let mut text = String::new();
    file.take(MOST + 1)
        .read_to_string(&mut text)
        .map_err(|source| failed(path, source))?;
    let token = text.trim();
    if text.len() as u64 > MOST {
        return Err(bad("too long"));
    }
    if token.chars().any(|c| c.is_whitespace() || c.is_control()) {
        return Err(bad("more than one word"));
    }
    Ok(Secret::from(token))
}

/// Writes a fresh token, whole or not at all, for its owner alone.
fn make(path: &Path) -> Result<Secret, TokenError> {
    let token = secret::draw("baton_api_")?;
    let new = path.with_extension("new");
    let write = || {
        match std::fs::remove_file(&new) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let mut open = OpenOptions::new();
        let mut file = open.write(true).create_new(true).mode(0o600).open(&new)?;
        writeln!(file, "{}", token.expose())?;
        file.sync_all()?;
        std::fs::rename(&new, path)
    };
    write().map_err(|source| failed(path, source))?;
    Ok(token)
}
