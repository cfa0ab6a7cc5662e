//! What the conversation's folder brings, and whether it is taken.

use std::{pin::Pin, sync::Arc};

use crate::{output::FolderTrust, servers::Merged};

/// How the folder stands.
#[derive(Debug, Clone, PartialEq)]
pub struct Folder {
    pub trust: FolderTrust,
    pub servers: Merged,
}

/// What a parent wants of its folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FolderAsk {
    /// None only asks.
    pub accept: Option<bool>,
    /// Names what was shown and is answered.
    pub digest: Option<String>,
}

/// How the folder stands then, or why nothing changed.
pub type FolderAnswer = Pin<Box<dyn Future<Output = Result<Folder, String>> + Send>>;

/// Whoever knows the folder and keeps answers about it.
pub trait Folders: Send + Sync {
    fn ask(self: Arc<Self>, ask: FolderAsk) -> FolderAnswer;
}
