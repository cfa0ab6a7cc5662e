//! Lengths, module files, manifests, and what opens a crate.

use super::{Problem, Report, Rule, extension, is_verbatim};
use crate::repository::Tree;

/// A file this long should be split soon.
const WARN_LINES: usize = 500;
/// A longer file fails.
const MOST_LINES: usize = 700;

pub(super) fn check(tree: &Tree, report: &mut Report) {
    for (path, text) in &tree.texts {
        length(path, text, report);
        if path.ends_with("/mod.rs") {
            report.problem(
                Rule::Layout,
                path,
                "name the module's file after it: foo.rs beside foo/",
            );
        }
        if let Some(folder) = path.strip_suffix("/Cargo.toml") {
            member(tree, folder, text, report);
        }
    }
}

fn length(path: &str, text: &str, report: &mut Report) {
    if !matches!(extension(path), "rs" | "ts" | "svelte") || is_verbatim(path) {
        return;
    }
    let lines = text.lines().count();
    let problem = Problem::new(
        Rule::Length,
        path,
        format!("{lines} lines, aim for 300 and never more than {MOST_LINES}"),
    );
    if lines > MOST_LINES {
        report.problems.push(problem);
    } else if lines > WARN_LINES {
        report.warnings.push(problem);
    }
}

fn member(tree: &Tree, folder: &str, manifest: &str, report: &mut Report) {
    let name = folder.rsplit('/').next().unwrap_or(folder);
    let mut layout = |path: &str, text: String| {
        report.problem(Rule::Layout, path, text);
    };
    let manifest_path = format!("{folder}/Cargo.toml");
    if !manifest.contains("[lints]\nworkspace = true") {
        layout(
            &manifest_path,
            "inherit the lints: [lints] with workspace = true".to_owned(),
        );
    }
    if !manifest.contains(&format!("\nname = \"{name}\"\n")) {
        layout(&manifest_path, format!("folder = crate: name it {name}"));
    }
    for root in ["lib.rs", "main.rs"] {
        let path = format!("{folder}/src/{root}");
        if tree
            .text(&path)
            .is_some_and(|text| !text.starts_with("//! "))
        {
            layout(
                &path,
                "open with //! saying what the crate is for and what it does not know".to_owned(),
            );
        }
    }
    let map = tree.text("ARCHITECTURE.md").unwrap_or_default();
    if !map.contains(&format!("`{name}`")) {
        layout(
            "ARCHITECTURE.md",
            format!("the crate map does not name `{name}`"),
        );
    }
}
