//! One contract: what is sent over sockets and HTTP are types of the protocol
//! crate, from which documents and the page's types are made.

use super::{Report, Rule, is_under, seam::is_product};
use crate::repository::Tree;

/// Crates that speak to clients, or are one. A type of theirs that is written or
/// read as JSON is a part of the contract that no document tells of.
const SPEAKERS: &[&str] = &["crates/baton-server/src", "crates/baton/src"];

/// Where messages are sent and answered, so that none is put together by hand.
const TALK: &[&str] = &[
    "crates/baton-server/src/api",
    "crates/baton-server/src/connection",
    "crates/baton-server/src/http/handlers",
    "crates/baton/src/client",
];

/// Who describes its types in a document: the contract, the language of the
/// embedding mode, and the tools that Baton gives to agents.
const DESCRIBED: &[&str] = &[
    "crates/baton-protocol/src",
    "crates/baton-stdio/src",
    "crates/baton-mcp/src/tools",
    "crates/baton-mcp/src/tools.rs",
];

pub(super) fn check(tree: &Tree, report: &mut Report) {
    for (path, text) in &tree.texts {
        if !is_product(path) || !path.starts_with("crates/") {
            continue;
        }
        let in_any = |folders: &[&str]| {
            let module = path.trim_end_matches(".rs");
            folders
                .iter()
                .any(|folder| is_under(path, folder) || is_under(module, folder))
        };
        let (speaks, talks, described) = (in_any(SPEAKERS), in_any(TALK), in_any(DESCRIBED));
        // A file's own tests come last.
        let code = text
            .lines()
            .take_while(|line| line.trim() != "#[cfg(test)]");
        for (index, line) in code.enumerate() {
            let derives = line.trim_start().starts_with("#[derive(");
            let mut problem = |text: &str| report.problem_at(Rule::Wire, path, index + 1, text);
            if derives && line.contains("JsonSchema") && !described {
                problem("a type with a schema belongs to baton-protocol");
            } else if derives && line.contains("erialize") && speaks {
                problem("what is sent or read as JSON is a type of baton-protocol");
            }
            if talks && line.contains("json!(") && !line.trim_start().starts_with("//") {
                problem("messages are types of baton-protocol, not built by hand");
            }
        }
    }
}
