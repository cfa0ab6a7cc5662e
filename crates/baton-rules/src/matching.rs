//! Bringing patterns and calls together: strictly to allow, generously to deny.

use std::path::{Path, PathBuf};

use crate::call::{Extent, FileCall, Resolved, ShellCall, Subject, Target};
use crate::glob::{PathGlob, Segment, Token, Wild};
use crate::paths::{PathForms, Paths, canonical};
use crate::pattern::{Access, Domain, FilePattern, Kind, Pattern, Root, ShellPattern};
use crate::shell::{Simple, Word, render};
use crate::tools;

/// Whether a pattern is about a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Hit {
    No,
    /// It may be; a person should look. Says why.
    Maybe(String),
    Yes,
}

impl Hit {
    fn when(condition: bool) -> Self {
        if condition { Self::Yes } else { Self::No }
    }

    fn or(self, other: impl FnOnce() -> Self) -> Self {
        match self {
            Self::Yes => Self::Yes,
            Self::No => other(),
            Self::Maybe(why) => match other() {
                Self::Yes => Self::Yes,
                Self::No | Self::Maybe(_) => Self::Maybe(why),
            },
        }
    }
}

/// One thing in a call that needs to be allowed for itself.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Part<'a> {
    /// The call as a whole.
    Whole,
    Command(&'a Simple),
    /// What only a rule for exactly this line or for every command covers.
    Special,
    Write(&'a Target),
}

/// The parts of a call that all need to be allowed.
pub(crate) fn parts(resolved: &Resolved) -> Vec<Part<'_>> {
    let Some(ShellCall {
        script: Ok(script),
        writes,
        ..
    }) = resolved.shell()
    else {
        return vec![Part::Whole];
    };
    let commands = script
        .commands
        .iter()
        .filter(|simple| !simple.words.is_empty());
    commands
        .map(Part::Command)
        .chain(script.special.first().map(|_| Part::Special))
        .chain(writes.iter().map(Part::Write))
        .collect()
}

/// Whether a pattern allows one part of a call, strictly.
pub(crate) fn allows(pattern: &Pattern, resolved: &Resolved, part: Part<'_>) -> bool {
    match (&pattern.0, part) {
        (Kind::Tools(_) | Kind::Server(_), Part::Write(_)) => names_tool(pattern, "Edit"),
        (Kind::Tool(name), Part::Write(_)) => name == "Edit",
        (Kind::File(file), Part::Write(target)) => {
            file.access == Access::Edit
                && target
                    .path
                    .as_ref()
                    .is_some_and(|path| covers(file, resolved, path))
        }
        (Kind::Tool(_) | Kind::Tools(_) | Kind::Server(_), _) => {
            names_tool(pattern, &resolved.tool)
        }
        (Kind::Shell(shell), Part::Command(simple)) => {
            whole(shell, resolved) || command_allowed(shell, simple)
        }
        (Kind::Shell(shell), Part::Special) => whole(shell, resolved),
        (Kind::Shell(shell), Part::Write(target)) => {
            whole(shell, resolved) && inside_project(resolved, target)
        }
        (Kind::File(file), Part::Whole) => match &resolved.subject {
            Subject::File(call) => file_allowed(file, resolved, call),
            Subject::Shell(_) | Subject::Web(_) | Subject::Plain => false,
        },
        (Kind::Domain(domain), Part::Whole) => match &resolved.subject {
            Subject::Web(Some(host)) => domain_is(domain, host, Below::Not),
            Subject::Web(None) | Subject::Shell(_) | Subject::File(_) | Subject::Plain => false,
        },
        (Kind::Shell(_), Part::Whole) | (Kind::File(_) | Kind::Domain(_), _) => false,
    }
}

fn names_tool(pattern: &Pattern, tool: &str) -> bool {
    match &pattern.0 {
        Kind::Tool(name) => tools::governs(name, tool),
        Kind::Tools(wild) => wild.matches(tool),
        Kind::Server(server) => tool
            .strip_prefix("mcp__")
            .and_then(|rest| rest.strip_prefix(server.as_str()))
            .is_some_and(|rest| rest.starts_with("__")),
        Kind::Shell(_) | Kind::File(_) | Kind::Domain(_) => false,
    }
}

/// Whether an exact pattern is the whole command line.
fn whole(pattern: &ShellPattern, resolved: &Resolved) -> bool {
    match (pattern, resolved.shell()) {
        (ShellPattern::Exact { text, .. }, Some(shell)) => *text == shell.text,
        _ => false,
    }
}

fn inside_project(resolved: &Resolved, target: &Target) -> bool {
    let inside = || {
        let path = target.path.as_ref()?.canonical.as_ref()?;
        Some(path.starts_with(resolved.project.canonical.as_ref()?))
    };
    inside().unwrap_or(false)
}

fn command_allowed(pattern: &ShellPattern, simple: &Simple) -> bool {
    // A variable set for the command can change everything it does.
    if simple.name().is_none() || !simple.assignments.is_empty() {
        return false;
    }
    match pattern {
        ShellPattern::Exact { rendered, .. } => rendered
            .as_ref()
            .is_some_and(|text| *text == simple.render()),
        ShellPattern::Prefix { words, .. } => begins(&simple.words, words),
        ShellPattern::Wild(wild) => {
            wild.matches(&simple.render()) || wild.matches(&sources(&simple.words))
        }
    }
}

fn begins(words: &[Word], prefix: &[String]) -> bool {
    words.len() >= prefix.len()
        && words
            .iter()
            .zip(prefix)
            .all(|(word, want)| word.render() == *want)
}

/// The words as they were written.
fn sources(words: &[Word]) -> String {
    let words: Vec<&str> = words.iter().map(|word| word.source.as_str()).collect();
    words.join(" ")
}

/// Whether subdomains count.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Below {
    Too,
    Not,
}

fn domain_is(domain: &Domain, host: &str, below: Below) -> bool {
    let under = |name: &str| {
        host.strip_suffix(name)
            .is_some_and(|rest| rest.ends_with('.') && rest.len() > 1)
    };
    match domain {
        Domain::Any => true,
        Domain::Host(name) => host == name || (below == Below::Too && under(name)),
        Domain::Below(name) => under(name),
    }
}

/// The names of `path` below `base`.
fn names<'a>(path: &'a Path, base: &Path) -> Option<Vec<&'a str>> {
    path.strip_prefix(base)
        .ok()?
        .iter()
        .map(|name| name.to_str())
        .collect()
}

/// Strictly: where the path leads is what the pattern covers.
fn covers(pattern: &FilePattern, resolved: &Resolved, path: &PathForms) -> bool {
    let covered = || {
        let names = below_root(pattern, resolved, path)?;
        Some(pattern.glob.matches(&names))
    };
    covered().unwrap_or(false)
}

fn below_root<'a>(
    pattern: &FilePattern,
    resolved: &Resolved,
    path: &'a PathForms,
) -> Option<Vec<&'a str>> {
    let base = match pattern.root {
        Root::System => Path::new("/"),
        Root::Home => resolved.home.canonical.as_deref()?,
        Root::Project => resolved.project.canonical.as_deref()?,
    };
    names(path.canonical.as_deref()?, base)
}

fn file_allowed(pattern: &FilePattern, resolved: &Resolved, call: &FileCall) -> bool {
    let Some(path) = call.path.as_ref().filter(|_| call.access == pattern.access) else {
        return false;
    };
    match call.extent {
        Extent::File => covers(pattern, resolved, path),
        Extent::Names | Extent::Contents => below_root(pattern, resolved, path)
            .is_some_and(|names| pattern.glob.covers_below(&names)),
    }
}

/// Whether a pattern is about anything in a call, generously.
pub(crate) fn hits(pattern: &Pattern, resolved: &Resolved, paths: &dyn Paths) -> Hit {
    match &pattern.0 {
        // A wildcard must not cut the agent off from the person.
        Kind::Tools(_) if tools::PERSON.contains(&resolved.tool.as_str()) => Hit::No,
        Kind::Tool(_) | Kind::Tools(_) | Kind::Server(_) => {
            Hit::when(names_tool(pattern, &resolved.tool))
        }
        Kind::Shell(shell) => resolved
            .shell()
            .map_or(Hit::No, |call| shell_hit(shell, call)),
        Kind::File(file) => file_hit(file, resolved, paths),
        Kind::Domain(domain) => match &resolved.subject {
            Subject::Web(Some(host)) => Hit::when(domain_is(domain, host, Below::Too)),
            Subject::Web(None) => Hit::Maybe("the host of the address cannot be told".to_owned()),
            Subject::Shell(_) | Subject::File(_) | Subject::Plain => Hit::No,
        },
    }
}

/// Whether a pattern is about one command, generously.
pub(crate) fn hits_command(pattern: &Pattern, resolved: &Resolved, simple: &Simple) -> Hit {
    match &pattern.0 {
        Kind::Shell(shell) if whole(shell, resolved) => Hit::Yes,
        Kind::Shell(shell) => command_hit(shell, simple),
        Kind::Tool(_) | Kind::Tools(_) | Kind::Server(_) => {
            Hit::when(names_tool(pattern, &resolved.tool))
        }
        Kind::File(_) | Kind::Domain(_) => Hit::No,
    }
}

fn shell_hit(pattern: &ShellPattern, call: &ShellCall) -> Hit {
    if matches!(pattern, ShellPattern::Exact { text, .. } if *text == call.text) {
        return Hit::Yes;
    }
    let script = match &call.script {
        Ok(script) => script,
        Err(why) => return Hit::Maybe(format!("the command cannot be read: {why}")),
    };
    let commands = script.commands.iter();
    let known = commands.fold(Hit::No, |hit, simple| {
        hit.or(|| command_hit(pattern, simple))
    });
    known.or(|| match (script.opaque.first(), &call.hidden) {
        (Some(why), _) | (None, Some(why)) => Hit::Maybe(why.clone()),
        (None, None) => Hit::No,
    })
}

fn command_hit(pattern: &ShellPattern, simple: &Simple) -> Hit {
    if simple.words.is_empty() {
        return Hit::No;
    }
    let mut hit = words_hit(pattern, &simple.words, &simple.assignments);
    if simple.runs_arguments {
        for start in 1..simple.words.len() {
            hit = hit.or(|| words_hit(pattern, &simple.words[start..], &[]));
        }
    }
    hit
}

/// Tries the command as it is, by its bare name, and without options that
/// stand before a sub-command.
fn words_hit(pattern: &ShellPattern, words: &[Word], assignments: &[String]) -> Hit {
    let mut spellings = vec![words.to_vec()];
    if let Some(name) = words.first().and_then(Word::text)
        && let Some((_, bare)) = name.rsplit_once('/')
    {
        let mut renamed = words.to_vec();
        renamed[0] = Word {
            source: bare.to_owned(),
            value: crate::shell::Value::Known(bare.to_owned()),
        };
        spellings.push(renamed);
    }
    if let Some(without) = spellings
        .last()
        .and_then(|words| without_global_options(words))
    {
        spellings.push(without);
    }
    spellings.iter().fold(Hit::No, |hit, words| {
        hit.or(|| spelling_hit(pattern, words, assignments))
    })
}

/// `git -C dir --no-pager push` is `git push` to a rule that denies.
fn without_global_options(words: &[Word]) -> Option<Vec<Word>> {
    let [name, rest @ ..] = words else {
        return None;
    };
    let valued: &[&str] = match name.text()? {
        "git" => &[
            "-C",
            "-c",
            "--git-dir",
            "--work-tree",
            "--namespace",
            "--exec-path",
            "--config-env",
        ],
        "npm" | "pnpm" | "yarn" => &[
            "--prefix",
            "-C",
            "--dir",
            "--cwd",
            "-w",
            "--workspace",
            "--filter",
        ],
        "cargo" => &["--config", "-C", "--color", "-Z"],
        "docker" | "kubectl" => &[
            "--context",
            "--host",
            "-H",
            "--namespace",
            "-n",
            "--config",
            "--kubeconfig",
        ],
        _ => return None,
    };
    let mut at = 0;
    while let Some(text) = rest
        .get(at)
        .and_then(Word::text)
        .filter(|text| text.starts_with(['-', '+']))
    {
        at += if valued.contains(&text) { 2 } else { 1 };
    }
    let rest = rest.get(at..).filter(|_| at > 0)?;
    Some(
        std::iter::once(name.clone())
            .chain(rest.iter().cloned())
            .collect(),
    )
}

fn spelling_hit(pattern: &ShellPattern, words: &[Word], assignments: &[String]) -> Hit {
    let rendered = render(words);
    match pattern {
        ShellPattern::Exact {
            text,
            rendered: want,
        } => {
            let want = want.as_deref().unwrap_or(text);
            if *rendered == *want || format!("{} {rendered}", assignments.join(" ")) == *want {
                return Hit::Yes;
            }
            let want: Vec<&str> = want.split(' ').collect();
            maybe(words, &want)
        }
        ShellPattern::Prefix { words: want, .. } => {
            if begins(words, want) {
                return Hit::Yes;
            }
            let want: Vec<&str> = want.iter().map(String::as_str).collect();
            maybe(words, &want)
        }
        ShellPattern::Wild(wild) => {
            if wild.matches(&rendered)
                || wild.matches(&sources(words))
                || wild.matches(&format!("{rendered} "))
            {
                return Hit::Yes;
            }
            maybe_wild(wild, words)
        }
    }
}

/// Whether words that are only known later may be the ones that are wanted.
fn maybe(words: &[Word], want: &[&str]) -> Hit {
    for (word, want) in words.iter().zip(want) {
        if word.text().is_none() && word.source != *want {
            return Hit::Maybe(format!("{} is only known when it runs", word.source));
        }
        if word.render() != *want {
            return Hit::No;
        }
    }
    Hit::No
}

fn maybe_wild(wild: &Wild, words: &[Word]) -> Hit {
    let Some(unknown) = words.iter().position(|word| word.text().is_none()) else {
        return Hit::No;
    };
    let known = render(&words[..unknown]);
    let first = wild.pieces.first().map_or("", String::as_str);
    if known.starts_with(first) || first.starts_with(&known) {
        Hit::Maybe(format!(
            "{} is only known when it runs",
            words[unknown].source
        ))
    } else {
        Hit::No
    }
}

fn file_hit(pattern: &FilePattern, resolved: &Resolved, paths: &dyn Paths) -> Hit {
    match &resolved.subject {
        Subject::File(call) if call.access == pattern.access => {
            let Some(path) = &call.path else {
                return Hit::Maybe("the call names no path".to_owned());
            };
            let at = Hit::when(touches(
                pattern,
                resolved,
                path,
                paths,
                PathGlob::matches_above,
            ));
            if call.extent != Extent::Contents {
                return at;
            }
            at.or(|| {
                if touches(pattern, resolved, path, paths, PathGlob::touches_below) {
                    Hit::Maybe(
                        "files that the rule is about may be among those searched".to_owned(),
                    )
                } else {
                    Hit::No
                }
            })
        }
        Subject::Shell(call) => file_in_shell(pattern, resolved, call, paths),
        Subject::File(_) | Subject::Web(_) | Subject::Plain => Hit::No,
    }
}

fn file_in_shell(
    pattern: &FilePattern,
    resolved: &Resolved,
    call: &ShellCall,
    paths: &dyn Paths,
) -> Hit {
    let named = |path: &PathForms| touches(pattern, resolved, path, paths, PathGlob::matches_above);
    match pattern.access {
        Access::Edit => {
            let written = call.writes.iter().fold(Hit::No, |hit, target| {
                hit.or(|| match &target.path {
                    Some(path) => Hit::when(named(path)),
                    None => Hit::Maybe(format!(
                        "where it writes is only known when it runs: {}",
                        target.source
                    )),
                })
            });
            written.or(|| {
                let changed = call
                    .mentions
                    .iter()
                    .find(|mention| mention.may_change && named(&mention.path));
                changed.map_or(Hit::No, |mention| {
                    Hit::Maybe(format!(
                        "the command may change {}",
                        mention.path.lexical.display()
                    ))
                })
            })
        }
        Access::Read => Hit::when(call.mentions.iter().any(|mention| named(&mention.path))),
    }
}

/// Whether any form of the path matches below any form of the pattern's root.
fn touches(
    pattern: &FilePattern,
    resolved: &Resolved,
    path: &PathForms,
    paths: &dyn Paths,
    matches: fn(&PathGlob, &[&str]) -> bool,
) -> bool {
    let system = PathForms {
        lexical: PathBuf::from("/"),
        canonical: None,
    };
    let root = match pattern.root {
        Root::System => &system,
        Root::Home => &resolved.home,
        Root::Project => &resolved.project,
    };
    let as_written = path.each().any(|path| {
        root.each()
            .any(|root| names(path, root).is_some_and(|names| matches(&pattern.glob, &names)))
    });
    as_written || {
        // The pattern's own beginning may be a link to where the path is.
        let (lead, glob) = literal_lead(&pattern.glob);
        let base = canonical(&root.lexical.join(lead), paths);
        base.is_some_and(|base| {
            path.each().any(|path| {
                names(path, &base)
                    .is_some_and(|names| glob.segments.is_empty() || matches(&glob, &names))
            })
        })
    }
}

/// The leading names of a pattern that have no wildcards, and the rest.
fn literal_lead(glob: &PathGlob) -> (PathBuf, PathGlob) {
    let mut lead = PathBuf::new();
    let mut segments = glob.segments.iter();
    let mut rest = segments.as_slice();
    while let Some(Segment::Name(tokens)) = segments.next() {
        let name: Option<String> = tokens
            .iter()
            .map(|token| match token {
                Token::Char(c) => Some(*c),
                Token::One | Token::Many | Token::Class { .. } => None,
            })
            .collect();
        let Some(name) = name else { break };
        lead.push(name);
        rest = segments.as_slice();
    }
    (
        lead,
        PathGlob {
            segments: rest.to_vec(),
        },
    )
}
