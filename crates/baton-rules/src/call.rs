//! What a call would do, as far as it can be known before it runs.

use std::path::{Path, PathBuf};

use baton_protocol::{ToolKind, ToolSubject, ToolUse};
use serde_json::Value;

use crate::input::InputNames;
use crate::mentions::{self, Mention, Places, Target};
use crate::paths::{PathForms, Paths, canonical};
use crate::pattern::{Access, ShellPattern};
use crate::shell::{self, Script};
use crate::tools;

/// A tool call, and where it would happen.
#[derive(Debug, Clone, Copy)]
pub struct Call<'a> {
    /// The tool as the agent names it.
    pub tool: &'a str,
    /// What the call is.
    pub what: &'a ToolUse,
    pub input: &'a Value,
    /// The folder the agent is in; relative paths begin here.
    pub cwd: &'a Path,
    /// Another call is running that may take the agent elsewhere first.
    pub moving: bool,
    /// What the agent itself found doubtful about the call.
    pub doubt: Option<&'a str>,
    /// The folder the session belongs to; rules without a root begin here.
    pub project: &'a Path,
    pub home: &'a Path,
}

/// A call with its commands taken apart and its links followed.
#[derive(Debug, Clone)]
pub struct Resolved {
    pub(crate) tool: String,
    pub(crate) kind: ToolKind,
    pub(crate) subject: Subject,
    pub(crate) cwd: PathForms,
    pub(crate) project: PathForms,
    pub(crate) home: PathForms,
    pub(crate) doubt: Option<String>,
    /// Where the agent will be is not known.
    pub(crate) moving: bool,
    /// Its input says something that nothing is known of.
    pub(crate) is_unusual: bool,
    /// The MCP server whose resources it is about.
    pub(crate) resources: Option<Resources>,
    /// Files that the input of a tool with unknown abilities may name.
    pub(crate) named: InputNames,
}

/// Which server's resources a call is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Resources {
    Of(String),
    /// Those of any.
    All,
}

fn resources(call: &Call<'_>) -> Option<Resources> {
    let ToolSubject { server, tool, .. } = &call.what.subject;
    if call.what.kind != ToolKind::Mcp || tool.is_some() {
        return None;
    }
    Some(server.as_deref().map_or(Resources::All, |server| {
        Resources::Of(tools::server_name(server))
    }))
}

#[derive(Debug, Clone)]
pub(crate) enum Subject {
    Shell(Box<ShellCall>),
    File(FileCall),
    /// The host of a URL, if it can be told.
    Web(Option<String>),
    /// Only the tool's name counts.
    Plain,
}

#[derive(Debug, Clone)]
pub(crate) struct FileCall {
    pub(crate) access: Access,
    /// `None` when the input names no path.
    pub(crate) path: Option<PathForms>,
    /// How much of what lies at the path is touched.
    pub(crate) extent: Extent,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Extent {
    /// The file itself.
    File,
    /// The names below a folder.
    Names,
    /// What the files below a folder hold.
    Contents,
}

#[derive(Debug, Clone)]
pub(crate) struct ShellCall {
    /// The command line without blanks around it.
    pub(crate) text: String,
    pub(crate) script: Result<Script, String>,
    /// Characters in it that nobody sees.
    pub(crate) hidden: Option<String>,
    /// It goes over several lines.
    pub(crate) lines: bool,
    /// Where it may be when a command runs.
    pub(crate) places: Places,
    /// Files that redirections write to.
    pub(crate) writes: Vec<Target>,
    /// Files that its commands name, or may name.
    pub(crate) mentions: Vec<Mention>,
    /// There are more of them than are looked at.
    pub(crate) mentions_cut: bool,
}

impl Resolved {
    /// Takes `call` apart, looking at the file system through `paths`.
    pub fn of(call: &Call<'_>, paths: &dyn Paths) -> Self {
        Self {
            tool: call.tool.to_owned(),
            kind: call.what.kind,
            subject: subject(call, paths),
            cwd: PathForms::of(call.cwd, Path::new("/"), paths),
            doubt: call.doubt.map(str::to_owned),
            moving: call.moving,
            is_unusual: call.what.is_unusual,
            resources: resources(call),
            named: InputNames::of(call, paths),
            project: PathForms::of(call.project, Path::new("/"), paths),
            home: PathForms::of(call.home, Path::new("/"), paths),
        }
    }

    /// What a person who is asked should notice about the call.
    pub fn warnings(&self) -> Vec<String> {
        match &self.subject {
            Subject::Shell(shell) => self.shell_warnings(shell),
            Subject::File(call) => {
                let outside = call.path.as_ref().filter(|path| !self.inside(path));
                let place = |path: &PathForms| match &path.canonical {
                    Some(path) => format!("{} is outside the project", path.display()),
                    None => format!("it is not known where {} leads", path.lexical.display()),
                };
                outside.map(place).into_iter().collect()
            }
            Subject::Web(None) => vec!["the host of the address cannot be told".to_owned()],
            Subject::Web(Some(_)) | Subject::Plain => Vec::new(),
        }
    }

    fn shell_warnings(&self, shell: &ShellCall) -> Vec<String> {
        let mut found: Vec<String> = shell.hidden.iter().cloned().collect();
        match &shell.script {
            Err(why) => found.push(format!("the command cannot be read: {why}")),
            Ok(script) => {
                found.extend(script.obscure().chain(&script.special).cloned());
                if script.substitutes {
                    found.push("the output of a command becomes part of another".to_owned());
                }
            }
        }
        for write in &shell.writes {
            if !write.all(|path| self.inside(path)) {
                found.push(format!("it writes outside the project: {}", write.source));
            }
        }
        found
    }

    /// Whether a path is known to lead into the project.
    pub(crate) fn inside(&self, path: &PathForms) -> bool {
        match (&path.canonical, &self.project.canonical) {
            (Some(path), Some(project)) => path.starts_with(project),
            _ => false,
        }
    }

    /// Whether the agent itself found something doubtful about it.
    pub(crate) const fn is_doubted(&self) -> bool {
        self.doubt.is_some()
    }

    /// Whether some of its commands may run in another folder than the agent is in.
    pub(crate) fn moves(&self) -> bool {
        let Some(ShellCall {
            script: Ok(script),
            places,
            ..
        }) = self.shell()
        else {
            return false;
        };
        let stays = match places {
            Places::Known(places) => places
                .iter()
                .all(|place| self.cwd.each().any(|cwd| cwd == place)),
            Places::Unknown => false,
        };
        !stays && script.commands.len() > 1
    }

    /// Whether a rule about commands, which is written from the project's
    /// folder, is about the same programs where the agent is.
    pub(crate) fn means_the_same_here(&self, pattern: &ShellPattern) -> bool {
        let (Some(cwd), Some(project)) = (&self.cwd.canonical, &self.project.canonical) else {
            return false;
        };
        if pattern.names_a_path() {
            cwd == project && !self.moving
        } else {
            cwd.starts_with(project)
        }
    }

    /// The shell command that the call would run, if it is one.
    pub(crate) fn shell(&self) -> Option<&ShellCall> {
        match &self.subject {
            Subject::Shell(shell) => Some(shell),
            Subject::File(_) | Subject::Web(_) | Subject::Plain => None,
        }
    }
}

fn subject(call: &Call<'_>, paths: &dyn Paths) -> Subject {
    let ToolSubject {
        path,
        pattern,
        query,
        url,
        ..
    } = &call.what.subject;
    let at = |path: &String| located(path, call, paths);
    let file = |access, extent, path: Option<PathForms>| {
        Subject::File(FileCall {
            access,
            path,
            extent,
        })
    };
    match call.what.kind {
        ToolKind::Shell => Subject::Shell(Box::new(shell_call(call, paths))),
        ToolKind::Edit | ToolKind::Write => file(Access::Edit, Extent::File, path.as_ref().map(at)),
        ToolKind::Read => file(Access::Read, Extent::File, path.as_ref().map(at)),
        ToolKind::Search => match (pattern, query) {
            (Some(pattern), _) => {
                let base = path.as_deref().unwrap_or(".");
                let start = searched(base, pattern, call, paths);
                file(Access::Read, Extent::Names, Some(start))
            }
            (None, Some(_)) => file(Access::Read, Extent::Contents, path.as_ref().map(at)),
            (None, None) => file(Access::Read, Extent::Names, path.as_ref().map(at)),
        },
        ToolKind::Fetch if query.is_none() => Subject::Web(url.as_deref().and_then(host)),
        ToolKind::Fetch
        | ToolKind::Agent
        | ToolKind::Message
        | ToolKind::Question
        | ToolKind::Plan
        | ToolKind::Todo
        | ToolKind::Inner
        | ToolKind::Schedule
        | ToolKind::Skill
        | ToolKind::Mcp
        | ToolKind::Other => Subject::Plain,
    }
}

/// A path as a tool's input names it. The agent takes blanks away around it
/// and puts letters and their accents together before it looks, so where a path
/// that changes by that leads is not known.
pub(crate) fn located(path: &str, call: &Call<'_>, paths: &dyn Paths) -> PathForms {
    let blank = |c: char| c.is_whitespace() || c == '\u{feff}';
    let trimmed = path.trim_matches(blank);
    let mut forms = match trimmed.strip_prefix('~') {
        Some("") => PathForms::of(call.home, Path::new("/"), paths),
        Some(rest) if rest.starts_with('/') => {
            let rest = rest.trim_start_matches('/');
            PathForms::of(Path::new(rest), call.home, paths)
        }
        Some(_) | None => PathForms::of(Path::new(trimmed), call.cwd, paths),
    };
    if trimmed != path || trimmed.chars().any(may_be_respelled) {
        forms.canonical = None;
    }
    forms
}

/// Whether a character may be another one, alone or with its neighbours, once a
/// text is brought into its one spelling (NFC). Those of most scripts are not.
const fn may_be_respelled(c: char) -> bool {
    !matches!(c,
        '\0'..='\u{2ff}'
        | '\u{370}'..='\u{373}'
        | '\u{375}'..='\u{37d}'
        | '\u{37f}'..='\u{386}'
        | '\u{388}'..='\u{482}'
        | '\u{48a}'..='\u{58f}'
        | '\u{2010}'..='\u{2027}'
        | '\u{2030}'..='\u{205e}'
        | '\u{20a0}'..='\u{20bf}'
        | '\u{2190}'..='\u{2328}'
        | '\u{2500}'..='\u{27bf}'
        | '\u{3000}'..='\u{3029}'
        | '\u{3041}'..='\u{3096}'
        | '\u{309b}'..='\u{9fff}'
        | '\u{ac00}'..='\u{d7a3}'
        | '\u{ff01}'..='\u{ffdc}'
        | '\u{1f000}'..='\u{1faff}')
}

/// The folder that a search with wildcards begins in.
fn searched(base: &str, pattern: &str, call: &Call<'_>, paths: &dyn Paths) -> PathForms {
    let wild = |name: &str| name.contains(['*', '?', '[', '{', '(', '\\']);
    let absolute = pattern.starts_with('/');
    let lead: Vec<&str> = pattern.split('/').take_while(|name| !wild(name)).collect();
    let mut start = lead.join("/");
    if start.is_empty() && absolute {
        start = "/".to_owned();
    }
    let base = located(base, call, paths);
    let mut forms = PathForms::of(Path::new(&start), &base.lexical, paths);
    // After a wildcard, going up may lead anywhere.
    let rest = &pattern[lead.join("/").len()..];
    if rest.contains("..") || pattern.starts_with('~') {
        forms.canonical = None;
    }
    forms
}

fn shell_call(call: &Call<'_>, paths: &dyn Paths) -> ShellCall {
    let ToolSubject {
        command, language, ..
    } = &call.what.subject;
    let command = command.as_deref();
    let text = command.unwrap_or_default().trim_matches([' ', '\t', '\n']);
    let script = match (command, language) {
        (Some(_), Some(language)) => Err(format!("it is in the language of {language}")),
        (Some(_), None) => shell::parse(text).map_err(|error| error.to_string()),
        (None, _) => Err("the call names no command".to_owned()),
    };
    let one_line = text.replace('\n', " ");
    let hidden = shell::hidden(&one_line).map(|c| {
        format!(
            "it has the invisible or unusual character {} in it",
            c.escape_unicode()
        )
    });
    let mut found = ShellCall {
        lines: text.contains('\n'),
        text: text.to_owned(),
        places: Places::Unknown,
        script,
        hidden,
        writes: Vec::new(),
        mentions: Vec::new(),
        mentions_cut: false,
    };
    if let Ok(script) = &found.script {
        found.places = Places::of(script, call, paths);
        let named = mentions::named(script, &found.places, call, paths);
        found.writes = named.writes;
        found.mentions = named.mentions;
        found.mentions_cut = named.cut;
    }
    found
}

/// The host of an HTTP URL. Anything that a browser and this function might
/// read differently has none.
pub(crate) fn host(url: &str) -> Option<String> {
    let (scheme, rest) = url.split_once("://")?;
    if !(scheme.eq_ignore_ascii_case("https") || scheme.eq_ignore_ascii_case("http")) {
        return None;
    }
    if url.contains(|c: char| c.is_whitespace() || c.is_control() || c == '\\') {
        return None;
    }
    let authority = rest.split(['/', '?', '#']).next()?;
    let (name, port) = if authority.starts_with('[') {
        let end = authority.find(']')? + 1;
        (&authority[..end], &authority[end..])
    } else {
        let at = authority.find(':').unwrap_or(authority.len());
        (&authority[..at], &authority[at..])
    };
    let port_ok = port.is_empty()
        || port
            .strip_prefix(':')
            .is_some_and(|port| port.chars().all(|c| c.is_ascii_digit()));
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_.[]:".contains(c);
    let name = name.strip_suffix('.').unwrap_or(name);
    (port_ok && !name.split('.').any(str::is_empty) && name.chars().all(plain))
        .then(|| name.to_ascii_lowercase())
}

/// A folder without links, or as written when that cannot be told.
pub(crate) fn folder(path: &Path, paths: &dyn Paths) -> PathBuf {
    canonical(path, paths).unwrap_or_else(|| path.to_owned())
}

#[cfg(test)]
#[path = "call_tests.rs"]
mod tests;
