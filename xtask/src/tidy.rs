//! Rules about files that no compiler holds: lengths, layout, text, documents.
//!
//! Start at [`report`]; each module beneath it holds one family of rules and
//! knows nothing of the others. A file that has to break a rule is listed in
//! [`EXCEPTIONS`] with the reason, and a listed file that does not break it is
//! a problem too, so the list cannot rot.

mod documents;
mod held;
mod layout;
mod packages;
mod seam;
mod text;
mod wire;
mod words;

use std::fmt;

use crate::repository::Tree;

/// Rule, file or folder, reason.
pub type Exception = (Rule, &'static str, &'static str);

/// Files of this repository that may break a rule.
pub const EXCEPTIONS: &[Exception] = &[
    (
        Rule::Unfinished,
        "crates/baton-store/tests/it/crash.rs",
        "the ignored test is the process that the crash test starts and kills",
    ),
    (
        Rule::Unfinished,
        "crates/baton-store/tests/it/failures.rs",
        "the ignored test is started by another one, as another user",
    ),
    (
        Rule::Unfinished,
        "crates/baton-store/tests/it/versions.rs",
        "the ignored test writes the fixture of a new format, by hand",
    ),
    (
        Rule::Seam,
        "crates/baton/src/setup.rs",
        "the configuration finds the programs of agents",
    ),
    (
        Rule::Seam,
        "crates/baton-rules/src/limits/maybe.rs",
        "it names a part of a folder's name, whoever's agent reads the folder",
    ),
    (
        Rule::Seam,
        "crates/baton-server/src/http/routes.rs",
        "the example of a request names an agent that everybody has",
    ),
    (
        Rule::Seam,
        "crates/baton-project/src/surface.rs",
        "people name the tools of a folder as they do in rules",
    ),
    (
        Rule::Seam,
        "crates/baton-project/src/trust/danger.rs",
        "it reads the rules in settings of Claude Code",
    ),
    (
        Rule::Wire,
        "crates/baton-server/src/http/answer.rs",
        "HTTP adds the field that RFC 9457 wants to a problem of the contract",
    ),
    (
        Rule::Wire,
        "crates/baton-server/src/api/uploads.rs",
        "it is kept in a file that only the daemon reads",
    ),
    (
        Rule::Wire,
        "crates/baton-server/src/tls/own.rs",
        "it is kept in a file that only the daemon reads",
    ),
    (
        Rule::Wire,
        "crates/baton/src/daemon/place.rs",
        "it is kept in a file that only Baton reads",
    ),
    (
        Rule::Wire,
        "crates/baton/src/daemon/start.rs",
        "a daemon that starts says it to the process that started it",
    ),
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// A source file is short enough to be read in one go.
    Length,
    /// Modules, manifests and crate documentation are where they belong.
    Layout,
    /// No tabs, trailing blanks or carriage returns.
    Whitespace,
    /// No path of one person's machine.
    MachinePath,
    /// Nothing is left for later in the code.
    Unfinished,
    /// Decisions are numbered and complete, the change log is kept, and the tests
    /// are there that a table names for what it promises.
    Documents,
    /// Links between documents lead somewhere.
    Links,
    /// Packages of the web have hashes and name no host.
    Packages,
    /// What is known of an agent stands in its own module.
    Seam,
    /// What is sent to clients are types of the protocol crate.
    Wire,
    /// A noun of the glossary names at most one type.
    Words,
}

/// One place that breaks a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    pub rule: Rule,
    pub path: String,
    pub text: String,
}

impl Problem {
    fn new(rule: Rule, path: &str, text: impl Into<String>) -> Self {
        Self {
            rule,
            path: path.to_owned(),
            text: text.into(),
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} ({:?})", self.path, self.text, self.rule)
    }
}

/// What must be mended, and what should be looked at.
#[derive(Debug, Default)]
pub struct Report {
    pub problems: Vec<Problem>,
    pub warnings: Vec<Problem>,
}

impl Report {
    fn problem(&mut self, rule: Rule, path: &str, text: impl Into<String>) {
        self.problems.push(Problem::new(rule, path, text));
    }

    fn problem_at(&mut self, rule: Rule, path: &str, line: usize, text: impl fmt::Display) {
        self.problem(rule, path, format!("line {line}: {text}"));
    }
}

/// Holds every rule against every file.
pub fn report(tree: &Tree, exceptions: &[Exception]) -> Report {
    let mut report = Report::default();
    layout::check(tree, &mut report);
    text::check(tree, &mut report);
    documents::check(tree, &mut report);
    held::check(tree, &mut report);
    packages::check(tree, &mut report);
    seam::check(tree, &mut report);
    wire::check(tree, &mut report);
    words::check(tree, &mut report);

    let mut unused: Vec<_> = exceptions.iter().collect();
    report.problems.retain(|problem| {
        let excused =
            |(rule, path, _): &Exception| *rule == problem.rule && is_under(&problem.path, path);
        unused.retain(|exception| !excused(exception));
        !exceptions.iter().any(excused)
    });
    for (rule, path, _) in unused {
        report.problems.push(Problem::new(
            *rule,
            path,
            "is listed in EXCEPTIONS (xtask/src/tidy.rs) but keeps the rule: remove the entry",
        ));
    }
    report
}

fn is_under(path: &str, folder: &str) -> bool {
    path.strip_prefix(folder)
        .is_some_and(|rest| rest.is_empty() || folder.ends_with('/') || rest.starts_with('/'))
}

/// Recordings and generated files: kept as they came, byte for byte.
fn is_verbatim(path: &str) -> bool {
    path.split('/')
        .any(|part| part == "fixtures" || part == "gen")
        || path.starts_with("schema/")
}

fn extension(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.rsplit_once('.').map_or("", |(_, extension)| extension)
}
