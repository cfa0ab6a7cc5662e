//! What the web's packages are held to: each has the hash of its bytes, so that
//! nobody between the registry and a builder can put others in their place.

use super::{Report, Rule};
use crate::repository::Tree;

const LOCK: &str = "web/package-lock.json";

/// Packages of other platforms whose hashes were not to be had when they were
/// locked. None may be added; whoever can ask a registry that has them writes
/// their hashes into the lock file and takes them off this list.
pub(super) const WITHOUT: &[&str] = &[
    "@biomejs/cli-android-arm64",
    "@biomejs/cli-android-x64",
    "@biomejs/cli-darwin-arm64",
    "@biomejs/cli-darwin-x64",
    "@biomejs/cli-linux-arm64-musl",
    "@biomejs/cli-linux-x64-musl",
    "@biomejs/cli-win32-arm64",
    "@biomejs/cli-win32-x64",
    "@rolldown/binding-android-arm-eabi",
    "@rolldown/binding-android-arm64",
    "@rolldown/binding-darwin-arm64",
    "@rolldown/binding-darwin-x64",
    "@rolldown/binding-freebsd-x64",
    "@rolldown/binding-linux-arm-gnueabihf",
    "@rolldown/binding-linux-arm64-gnu",
    "@rolldown/binding-linux-arm64-musl",
    "@rolldown/binding-linux-ppc64-gnu",
    "@rolldown/binding-linux-s390x-gnu",
    "@rolldown/binding-linux-x64-musl",
    "@rolldown/binding-openharmony-arm64",
    "@rolldown/binding-wasm32-wasi",
    "@rolldown/binding-win32-arm64-msvc",
    "@rolldown/binding-win32-x64-msvc",
];

pub(super) fn check(tree: &Tree, report: &mut Report) {
    let Some(text) = tree.text(LOCK) else {
        return;
    };
    for told in problems(text, WITHOUT) {
        report.problem(Rule::Packages, LOCK, told);
    }
}

/// What is wrong with a lock file, apart from the packages in `without`.
pub(super) fn problems(text: &str, without: &[&str]) -> Vec<String> {
    let Ok(lock) = serde_json::from_str::<serde_json::Value>(text) else {
        return vec!["is no JSON".into()];
    };
    let Some(packages) = lock["packages"].as_object() else {
        return vec!["has no packages".into()];
    };
    let mut told = Vec::new();
    for (path, package) in packages {
        let Some((_, name)) = path.rsplit_once("node_modules/") else {
            continue;
        };
        let hash = package["integrity"].as_str().unwrap_or_default();
        match (hash.starts_with("sha512-"), without.contains(&name)) {
            (true, true) => told.push(format!("{name} has a hash: take it off the list")),
            (false, false) => told.push(format!("{name} has no sha512 in `integrity`")),
            (true, false) | (false, true) => {}
        }
        if package.get("resolved").is_some() {
            told.push(format!(
                "{name} names where it came from: leave `resolved` out"
            ));
        }
    }
    told
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_package_without_a_hash_or_with_a_host_is_told() {
        let lock = r#"{"packages": {
            "": {"name": "x"},
            "node_modules/good": {"integrity": "sha512-abc"},
            "node_modules/a/node_modules/bad": {"version": "1"},
            "node_modules/weak": {"integrity": "sha1-abc"},
            "node_modules/listed": {"version": "1"},
            "node_modules/mended": {"integrity": "sha512-abc"},
            "node_modules/host": {"integrity": "sha512-abc", "resolved": "https://x.example"}
        }}"#;
        let told = problems(lock, &["listed", "mended"]);
        let names: Vec<&str> = told
            .iter()
            .map(|told| told.split(' ').next().unwrap())
            .collect();
        assert_eq!(names, ["bad", "host", "mended", "weak"], "{told:?}");
    }
}
