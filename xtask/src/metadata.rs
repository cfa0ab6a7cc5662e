//! The part of `cargo metadata` that the rules read.

use std::path::PathBuf;

use anyhow::Context as _;
use serde::Deserialize;

use crate::cargo;

#[derive(Debug, Deserialize)]
pub struct Metadata {
    pub packages: Vec<Package>,
    workspace_members: Vec<String>,
    #[serde(default)]
    pub target_directory: PathBuf,
}

#[derive(Debug, Deserialize)]
pub struct Package {
    id: String,
    pub name: String,
    pub version: String,
    pub license: Option<String>,
    /// Where the package comes from; `None` for one that lives in a folder.
    pub source: Option<String>,
    pub dependencies: Vec<Dependency>,
    pub targets: Vec<Target>,
}

#[derive(Debug, Deserialize)]
pub struct Dependency {
    pub name: String,
    /// `None` is cargo's way of saying that the product itself needs it.
    pub kind: Option<Kind>,
}

#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    Dev,
    Build,
}

#[derive(Debug, Deserialize)]
pub struct Target {
    pub name: String,
    pub kind: Vec<String>,
}

impl Metadata {
    /// Asks cargo about this repository, all platforms included.
    pub fn of_this_repository() -> anyhow::Result<Self> {
        Self::parse(&cargo::output(&[
            "metadata",
            "--format-version=1",
            "--locked",
        ])?)
    }

    pub fn parse(json: &str) -> anyhow::Result<Self> {
        serde_json::from_str(json).context("cannot read what cargo metadata printed")
    }

    /// The packages of this workspace.
    pub fn members(&self) -> impl Iterator<Item = &Package> {
        self.packages
            .iter()
            .filter(|package| self.workspace_members.contains(&package.id))
    }
}
