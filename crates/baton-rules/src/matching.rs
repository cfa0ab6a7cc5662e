//! Bringing patterns and calls together: strictly to allow, generously to deny.

mod file;
mod shell;

use baton_protocol::ToolKind;

use crate::call::{Resolved, Resources, ShellCall, Subject};
use crate::mentions::Target;
use crate::paths::Paths;
use crate::pattern::{Access, Domain, Kind, Pattern, ShellPattern};
use crate::shell::Simple;
use crate::tools;
use file::{covers, file_allowed, file_hit, mention_hit, write_hit};
use shell::{command_allowed, command_hit, named_in, shell_hit};
pub(crate) use shell::{of_git, without_global_options};

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
    /// The files and commands that it names, which only a rule that asks looks at.
    Mentions,
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
        .chain(is_special(resolved).then_some(Part::Special))
        .chain(writes.iter().map(Part::Write))
        .chain([Part::Mentions])
        .collect()
}

/// Whether a rule for a beginning, or for a part, does not cover the call.
fn is_special(resolved: &Resolved) -> bool {
    resolved.is_doubted()
        || resolved.shell().is_some_and(|shell| {
            let special = shell
                .script
                .as_ref()
                .is_ok_and(|script| !script.special.is_empty());
            special || resolved.moves()
        })
}

/// Whether a pattern allows one part of a call, strictly.
pub(crate) fn allows(pattern: &Pattern, resolved: &Resolved, part: Part<'_>) -> bool {
    match (&pattern.0, part) {
        (Kind::Shell(shell), Part::Mentions) => whole(shell, resolved),
        (_, Part::Mentions) => false,
        (Kind::Tools(_) | Kind::Server(_), Part::Write(_)) => {
            names_tool(pattern, "Edit", ToolKind::Edit)
        }
        (Kind::Tool(name), Part::Write(_)) => name == "Edit",
        (Kind::File(file), Part::Write(target)) => {
            file.access == Access::Edit && target.all(|path| covers(file, resolved, path))
        }
        (Kind::Tool(_) | Kind::Tools(_) | Kind::Server(_), _) => names_call(pattern, resolved),
        (Kind::Shell(shell), Part::Command(simple)) => {
            resolved.means_the_same_here(shell)
                && (whole(shell, resolved) || command_allowed(shell, simple))
        }
        (Kind::Shell(shell), Part::Special) => whole(shell, resolved),
        (Kind::Shell(shell), Part::Write(target)) => {
            whole(shell, resolved) && target.all(|path| resolved.inside(path))
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

fn names_call(pattern: &Pattern, resolved: &Resolved) -> bool {
    names_tool(pattern, &resolved.tool, resolved.kind)
}

fn names_tool(pattern: &Pattern, tool: &str, kind: ToolKind) -> bool {
    match &pattern.0 {
        Kind::Tool(name) => tools::governs(name, tool, kind),
        Kind::Tools(wild) => wild.matches(tool),
        Kind::Server(server) => tool
            .strip_prefix("mcp__")
            .and_then(|rest| rest.strip_prefix(tools::server_name(server).as_str()))
            .is_some_and(|rest| rest.starts_with("__")),
        Kind::Shell(_) | Kind::File(_) | Kind::Domain(_) => false,
    }
}

/// Whether a pattern is for exactly this command line.
pub(crate) fn is_whole(pattern: &Pattern, resolved: &Resolved) -> bool {
    match &pattern.0 {
        Kind::Shell(shell) => whole(shell, resolved) && resolved.means_the_same_here(shell),
        Kind::File(_) | Kind::Tool(_) | Kind::Tools(_) | Kind::Server(_) | Kind::Domain(_) => false,
    }
}

/// Whether an exact pattern is the whole command line.
fn whole(pattern: &ShellPattern, resolved: &Resolved) -> bool {
    match (pattern, resolved.shell()) {
        (ShellPattern::Exact { text, .. }, Some(shell)) => *text == shell.text,
        _ => false,
    }
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

/// Whether a pattern is about anything in a call, generously.
pub(crate) fn hits(pattern: &Pattern, resolved: &Resolved, paths: &dyn Paths) -> Hit {
    match &pattern.0 {
        // A wildcard must not cut the agent off from the person.
        Kind::Tools(_) if resolved.kind.is_for_person() => Hit::No,
        Kind::Server(server) => match &resolved.resources {
            Some(Resources::Of(name)) => Hit::when(*name == tools::server_name(server)),
            Some(Resources::All) => Hit::Maybe(format!("it may be about the server {server}")),
            None => Hit::when(names_call(pattern, resolved)),
        },
        Kind::Tool(name) => {
            Hit::when(names_call(pattern, resolved)).or(|| also_hits(name, resolved))
        }
        Kind::Tools(_) => Hit::when(names_call(pattern, resolved)),
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

/// Whether a rule about reading or changing any file is about a call of another
/// tool: an edit reads what it changes, and a redirection writes.
fn also_hits(name: &str, resolved: &Resolved) -> Hit {
    match (name, resolved.kind, resolved.shell()) {
        ("Read", ToolKind::Edit, _) => Hit::Yes,
        ("Edit", _, Some(shell)) => Hit::when(!shell.writes.is_empty()),
        _ => Hit::No,
    }
}

/// Whether a pattern is about one part of a call, generously.
pub(crate) fn hits_part(
    pattern: &Pattern,
    resolved: &Resolved,
    part: Part<'_>,
    paths: &dyn Paths,
) -> Hit {
    match (&pattern.0, part, resolved.shell()) {
        (_, Part::Whole, _) | (_, _, None) => hits(pattern, resolved, paths),
        (Kind::Shell(shell), Part::Command(_), _) if whole(shell, resolved) => Hit::Yes,
        (Kind::Shell(shell), Part::Command(simple), _) => command_hit(shell, simple),
        (Kind::Tool(_) | Kind::Tools(_) | Kind::Server(_), Part::Command(_), _) => {
            Hit::when(names_call(pattern, resolved))
        }
        (Kind::Tool(name), Part::Write(_), _) => Hit::when(name == "Edit"),
        (Kind::File(file), Part::Write(target), _) => write_hit(file, resolved, target, paths),
        (Kind::File(file), Part::Mentions, Some(call)) => mention_hit(file, resolved, call, paths),
        (
            Kind::Shell(shell),
            Part::Mentions,
            Some(ShellCall {
                script: Ok(script), ..
            }),
        ) => named_in(shell, script),
        (_, Part::Command(_) | Part::Special | Part::Write(_) | Part::Mentions, _) => Hit::No,
    }
}
