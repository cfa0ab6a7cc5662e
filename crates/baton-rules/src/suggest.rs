//! Rules that would allow a call, for a person to choose from.

use std::path::Path;

use baton_protocol::words::{ApprovalKind, PermissionMode, RuleDecision, Scope};

use crate::call::{Call, FileCall, Resolved, ShellCall, Subject};
use crate::glob::{PathGlob, Segment, Token};
use crate::judge::{Rule, Stage, Surroundings, Verdict, judge};
use crate::paths::Paths;
use crate::pattern::{FilePattern, Kind, Pattern, Root, ShellPattern};
use crate::preview::nobody;
use crate::shell;

/// The rule for exactly this call, which is what "always" remembers when
/// nothing wider was chosen. `None` if no rule could allow it again.
pub fn exact_rule(call: &Call<'_>, paths: &dyn Paths) -> Option<String> {
    let resolved = Resolved::of(call, paths);
    exact(&resolved, paths)
}

fn exact(resolved: &Resolved, paths: &dyn Paths) -> Option<String> {
    if resolved.kind.is_for_person() {
        return None;
    }
    let kind = match &resolved.subject {
        Subject::Shell(call) => Kind::Shell(ShellPattern::Exact {
            text: call.text.clone(),
            rendered: None,
        }),
        Subject::File(call) => file(resolved, call, Reach::File)?,
        Subject::Web(host) => {
            let rule = format!("WebFetch(domain:{})", host.as_ref()?);
            return confirmed(&rule, resolved, paths);
        }
        Subject::Plain => return confirmed(&resolved.tool, resolved, paths),
    };
    confirmed(&Pattern(kind).to_string(), resolved, paths)
}

/// Rules that would allow this call, the narrowest first, each with the scope
/// that suits it.
///
/// Nothing wide is suggested for programs that can do anything, such as
/// `rm`, `sudo`, `sh`, `python`, `node` or `curl`.
pub fn suggestions(call: &Call<'_>, paths: &dyn Paths) -> Vec<(String, Scope)> {
    let resolved = Resolved::of(call, paths);
    let mut found = Vec::new();
    if let Some(rule) = exact(&resolved, paths) {
        found.push((rule, Scope::Session));
    }
    let wide = match &resolved.subject {
        Subject::Shell(call) => wide_command(call),
        Subject::File(call) => {
            file(&resolved, call, Reach::Folder).map(|kind| Pattern(kind).to_string())
        }
        Subject::Web(_) => None,
        Subject::Plain => resolved
            .tool
            .strip_prefix("mcp__")
            .and_then(|rest| rest.split_once("__"))
            .map(|(server, _)| format!("mcp__{server}")),
    };
    let wide = wide.and_then(|rule| confirmed(&rule, &resolved, paths));
    if let Some(rule) = wide.filter(|rule| found.iter().all(|(other, _)| other != rule)) {
        found.push((rule, Scope::Project));
    }
    found
}

/// The rule in its canonical form, if it does allow the call.
fn confirmed(text: &str, resolved: &Resolved, paths: &dyn Paths) -> Option<String> {
    let pattern = Pattern::parse(text).ok()?;
    let text = pattern.to_string();
    let rules = [Rule {
        id: nobody(),
        pattern,
        decision: RuleDecision::Allow,
        scope: Scope::User,
    }];
    let around = Surroundings::none(paths);
    let verdict = judge(
        Stage::Asked,
        ApprovalKind::Tool,
        PermissionMode::Default,
        &rules,
        resolved,
        &around,
    );
    matches!(verdict, Verdict::Allow { .. }).then_some(text)
}

/// A prefix for a single command of a harmless program.
fn wide_command(call: &ShellCall) -> Option<String> {
    let words = the_command(call)?;
    let name = words.first()?.text()?;
    let second = || words.get(1).and_then(shell::Word::text);
    if matches!(name, "npm" | "pnpm" | "yarn" | "bun") && second() == Some("run") {
        let target = words.get(2)?.text()?;
        let plain = target
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "_-:.".contains(c));
        return (plain && !target.starts_with('-')).then(|| format!("Bash({name} run {target}:*)"));
    }
    // What only reads is asked about where it reads elsewhere, or beside
    // another command. Git and awk have more than one side.
    if shell::is_reader(name) && !matches!(name, "awk" | "cd" | "git" | "sed" | "[" | "test") {
        return Some(format!("Bash({name}:*)"));
    }
    if name == "git" && second().is_some_and(shell::is_reading_git) {
        return Some(format!("Bash(git {}:*)", second()?));
    }
    let length = shell::suggested(&words)?;
    let prefix = words.get(..length)?.iter().filter_map(shell::Word::text);
    Some(format!("Bash({}:*)", prefix.collect::<Vec<_>>().join(" ")))
}

/// The words of the one command that a line is about: what others only print
/// of it needs no rule.
fn the_command(call: &ShellCall) -> Option<Vec<shell::Word>> {
    if let Some(words) = shell::single(&call.text) {
        return Some(words);
    }
    let script = call.script.as_ref().ok()?;
    let others = (0..script.commands.len()).filter(|at| !shell::only_prints(&script.commands, *at));
    let mut others = others.filter_map(|at| script.commands.get(at));
    let simple = others.next()?;
    let alone = others.next().is_none() && simple.assignments.is_empty();
    alone.then(|| simple.words.clone())
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Reach {
    File,
    Folder,
}

/// A pattern for the file, or for everything in its folder.
fn file(resolved: &Resolved, call: &FileCall, reach: Reach) -> Option<Kind> {
    let path = call.path.as_ref()?.canonical.as_ref()?;
    let project = resolved.project.canonical.as_ref()?;
    let (root, rest) = match path.strip_prefix(project) {
        Ok(rest) => (Root::Project, rest),
        Err(_) => (Root::System, path.strip_prefix("/").ok()?),
    };
    let whole_folder = call.extent != crate::call::Extent::File;
    let rest = match reach {
        Reach::File => rest,
        Reach::Folder if whole_folder => return None,
        // Above the project's own folders there is nothing narrow enough.
        Reach::Folder => rest
            .parent()
            .filter(|parent| root == Root::Project && *parent != Path::new(""))?,
    };
    let mut segments = Vec::new();
    for name in rest {
        segments.push(Segment::Name(
            name.to_str()?.chars().map(Token::Char).collect(),
        ));
    }
    if reach == Reach::Folder || whole_folder {
        segments.push(Segment::Any);
    }
    (!segments.is_empty()).then_some(Kind::File(FilePattern {
        access: call.access,
        root,
        glob: PathGlob { segments },
        any_depth: false,
    }))
}
