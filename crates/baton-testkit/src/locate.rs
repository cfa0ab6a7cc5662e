//! Where the tests find programs: the repository, its binaries, the real CLIs.

use std::path::{Path, PathBuf};

/// A pinned version of the real CLI.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Version {
    /// 2.1.197, from the npm package of the CLI.
    V197,
    /// 2.1.325, the binary that the TypeScript agent SDK 0.3.325 bundles.
    V325,
}

impl Version {
    /// Both, for tests that run against each.
    pub const ALL: [Self; 2] = [Self::V197, Self::V325];

    /// The version number.
    pub fn number(self) -> &'static str {
        match self {
            Self::V197 => "2.1.197",
            Self::V325 => "2.1.325",
        }
    }
}

/// The root of the repository.
pub fn repo_root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(2).unwrap_or(here).to_owned()
}

/// The pinned CLI in the cache that `scripts/setup-claude` fills.
///
/// # Panics
/// When it is missing: a test that needs the real CLI is never skipped.
#[track_caller]
pub fn claude_cli(version: Version) -> PathBuf {
    let Some(cache) = cache_dir() else {
        panic!(
            "neither BATON_TEST_CACHE, XDG_CACHE_HOME nor HOME is set: no cache for the real CLI"
        );
    };
    let path = cache.join("claude").join(version.number()).join("claude");
    assert!(
        path.is_file(),
        "claude {} is not at {}; run scripts/setup-claude",
        version.number(),
        path.display()
    );
    path
}

/// A client in another language, in the cache that `scripts/setup-clients` fills.
///
/// # Panics
/// When it is missing: a test that needs it is never skipped.
#[track_caller]
pub fn client_dir(name: &str) -> PathBuf {
    let path = cache_dir().unwrap_or_default().join("clients").join(name);
    assert!(
        path.join("done").is_file(),
        "the client {name} is not at {}; run scripts/setup-clients",
        path.display()
    );
    path
}

/// A binary of this workspace, next to the test that asks.
///
/// # Panics
/// When it has not been built.
#[track_caller]
pub fn bin(name: &str) -> PathBuf {
    let test = match std::env::current_exe() {
        Ok(path) => path,
        Err(error) => panic!("cannot tell where this test runs: {error}"),
    };
    // Tests run from target/<profile>/deps, examples and benches beside it.
    let found = test
        .ancestors()
        .skip(1)
        .take(2)
        .map(|folder| folder.join(name))
        .find(|path| path.is_file());
    match found {
        Some(path) => path,
        None => {
            let package = if name == "baton" {
                "baton"
            } else {
                "baton-testkit"
            };
            panic!("{name} is not built; run: cargo build -p {package} --bins")
        }
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "the cache is named by the environment of the test run, as in scripts/setup-claude"
)]
fn cache_dir() -> Option<PathBuf> {
    let named = |name: &str| {
        std::env::var_os(name)
            .filter(|value| !value.is_empty())
            .map(PathBuf::from)
    };
    named("BATON_TEST_CACHE")
        .or_else(|| named("XDG_CACHE_HOME").map(|cache| cache.join("baton")))
        .or_else(|| named("HOME").map(|home| home.join(".cache").join("baton")))
}
