//! The only place of the attack that calls the rules: what is put to them, and
//! which answers let a line run unasked.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use anyhow::Context as _;
use baton_protocol::words::{ApprovalKind, PermissionMode, RuleDecision, Scope};
use baton_protocol::{RuleId, ToolUse};
use baton_rules::{
    Call, FileId, Link, Paths, Pattern, Resolved, Rule, Stage, Surroundings, Verdict, judge,
    read_only_command, suggestions,
};
use serde_json::{Value, json};

use super::fixture::{FILES, LINKS};

pub(super) const PROJECT: &str = "/home/user/proj";
const HOME: &str = "/home/user";
const SECRETS: &str = "/home/user/.ssh";

/// What became of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Outcome {
    /// It runs and nobody is asked.
    Passes,
    Asked,
    Denied,
}

/// A line with its commands taken apart, ready for any rules.
pub(super) struct Question {
    line: String,
    resolved: Resolved,
}

/// A situation in which lines are judged.
#[derive(Debug, Clone)]
pub(super) struct Setting {
    pub(super) mode: PermissionMode,
    pub(super) rules: Vec<Rule>,
}

/// The folder that lines are run in, as it is before each, seen as the real
/// file system is seen. It is asked many times for each line, so it answers
/// from tables.
struct Folder {
    /// All files, links and folders, and for each folder the files below it.
    entries: HashMap<PathBuf, Vec<PathBuf>>,
    links: HashMap<PathBuf, PathBuf>,
}

impl Folder {
    fn new(files: &[PathBuf], links: HashMap<PathBuf, PathBuf>) -> Self {
        let mut entries: HashMap<PathBuf, Vec<PathBuf>> = HashMap::new();
        for path in files.iter().chain(links.keys()) {
            entries.entry(path.clone()).or_default();
            for folder in path.ancestors().skip(1) {
                let below = entries.entry(folder.to_owned()).or_default();
                below.push(path.clone());
            }
        }
        Self { entries, links }
    }
}

impl Paths for Folder {
    fn shared(&self, _: &Path) -> Option<FileId> {
        None
    }

    fn link(&self, path: &Path) -> Link {
        let found = self.links.get(path);
        found.map_or(Link::None, |to| Link::To(to.clone()))
    }

    fn is_folder(&self, path: &Path) -> bool {
        self.entries
            .get(path)
            .is_some_and(|below| !below.is_empty())
    }

    fn exists(&self, path: &Path) -> bool {
        self.entries.contains_key(path)
    }

    fn below(&self, folder: &Path, most: usize) -> Option<Vec<PathBuf>> {
        let files = self.entries.get(folder).map_or(&[][..], Vec::as_slice);
        let linked = |path: &Path| self.links.contains_key(path);
        if linked(folder) || files.iter().any(|file| linked(file)) {
            return None;
        }
        let mut found = Vec::new();
        for file in files {
            let above = file.ancestors().take_while(|path| *path != folder);
            found.extend(above.map(Path::to_owned));
        }
        found.sort();
        found.dedup();
        (found.len() <= most).then_some(found)
    }

    fn links(&self, folder: &Path, levels: usize, most: usize) -> Option<Vec<PathBuf>> {
        let near = |link: &&PathBuf| {
            let below = link.strip_prefix(folder);
            below.is_ok_and(|names| (1..=levels).contains(&names.iter().count()))
        };
        let mut found: Vec<_> = self.links.keys().filter(near).cloned().collect();
        found.sort();
        (found.len() <= most).then_some(found)
    }
}

fn paths() -> &'static Folder {
    static FOLDER: OnceLock<Folder> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let at = |path: &str| Path::new(HOME).join(path);
        let git = ["proj/.git/HEAD", "proj/.git/config", "remote.git/HEAD"];
        let files = FILES.iter().map(|(path, _)| *path);
        let links = LINKS.iter().map(|(from, to)| (at(from), PathBuf::from(to)));
        let files: Vec<PathBuf> = files.chain(git).map(at).collect();
        Folder::new(&files, links.collect())
    })
}

fn call<'a>(tool: &'a str, what: &'a ToolUse, input: &'a Value) -> Call<'a> {
    Call {
        tool,
        what,
        input,
        cwd: Path::new(PROJECT),
        moving: false,
        doubt: None,
        project: Path::new(PROJECT),
        home: Path::new(HOME),
    }
}

impl Question {
    pub(super) fn new(line: &str) -> Self {
        let input = json!({ "command": line });
        Self {
            line: line.to_owned(),
            resolved: Resolved::of(&call("Bash", &ToolUse::shell(line), &input), paths()),
        }
    }

    /// Whether the line counts as one that changes nothing.
    pub(super) fn reads_only(&self) -> bool {
        read_only_command(&self.line)
    }
}

impl Setting {
    /// Rules as `deny Bash(rm:*)`, one per line.
    pub(super) fn new(mode: PermissionMode, rules: &str) -> anyhow::Result<Self> {
        let rules = rules
            .lines()
            .filter(|line| !line.trim().is_empty())
            .map(rule)
            .collect::<anyhow::Result<_>>()?;
        Ok(Self { mode, rules })
    }

    /// What is done with the line before it would run.
    pub(super) fn outcome(&self, question: &Question) -> Outcome {
        let secrets = [PathBuf::from(SECRETS)];
        let around = Surroundings {
            plans: None,
            own_server: None,
            extra: &[],
            readable: &[],
            secrets: &secrets,
            credentials: &[],
            obeyed: &[],
            settings: &[],
            paths: paths(),
        };
        let at = |stage| {
            judge(
                stage,
                ApprovalKind::Tool,
                self.mode,
                &self.rules,
                &question.resolved,
                &around,
            )
        };
        match at(Stage::BeforeUse) {
            Verdict::Deny { .. } => Outcome::Denied,
            // What is allowed, and what is left to the agent.
            Verdict::Allow { .. } | Verdict::Unmatched => Outcome::Passes,
            // The agent is made to ask, and may be answered without a person.
            Verdict::Ask { .. } => match at(Stage::Asked) {
                Verdict::Allow { .. } => Outcome::Passes,
                Verdict::Deny { .. } => Outcome::Denied,
                Verdict::Ask { .. } | Verdict::Unmatched => Outcome::Asked,
            },
        }
    }
}

fn rule(line: &str) -> anyhow::Result<Rule> {
    let (decision, text) = line
        .trim()
        .split_once(' ')
        .with_context(|| format!("{line:?} is no rule"))?;
    let decision: RuleDecision = decision
        .parse()
        .ok()
        .with_context(|| format!("{decision:?} is no decision"))?;
    allowing(text).map(|rule| Rule { decision, ..rule })
}

/// A rule of the project that allows.
fn allowing(text: &str) -> anyhow::Result<Rule> {
    Ok(Rule {
        id: "rul_00000000000000000000000000000001"
            .parse::<RuleId>()
            .ok()
            .context("the id of a rule")?,
        pattern: Pattern::parse(text).with_context(|| format!("{text:?} is no rule"))?,
        decision: RuleDecision::Allow,
        scope: Scope::Project,
    })
}

/// The rules that a person is offered for a line.
pub(super) fn offered(line: &str) -> anyhow::Result<Vec<Rule>> {
    let input = json!({ "command": line });
    suggestions(&call("Bash", &ToolUse::shell(line), &input), paths())
        .iter()
        .map(|(text, _)| allowing(text))
        .collect()
}
