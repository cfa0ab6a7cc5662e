//! The text of a rule: which calls it is about.
//!
//! The syntax is Claude Code's. A pattern knows nothing of files or calls;
//! `matching` brings both together.

use std::fmt;
use std::str::FromStr;

use crate::glob::{PathGlob, Segment, Token, Wild, escape};
use crate::shell;
use crate::tools;

/// Which calls a rule is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pattern(pub(crate) Kind);

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A tool by name, or a family of tools by its leading name.
    Tool(String),
    /// Tools by a name with wildcards.
    Tools(Wild),
    /// All tools of an MCP server.
    Server(String),
    Shell(ShellPattern),
    File(FilePattern),
    Domain(Domain),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ShellPattern {
    /// This command line and no other.
    Exact {
        text: String,
        /// The one spelling of it, if it is a single command.
        rendered: Option<String>,
    },
    /// Commands that begin with these words.
    Prefix { text: String, words: Vec<String> },
    /// One command with wildcards.
    Wild(Wild),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    Edit,
    Read,
}

/// Where a path pattern begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Root {
    /// `//`: the file system.
    System,
    /// `~/`: the home folder.
    Home,
    /// `/`, `./` or nothing: the project.
    Project,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FilePattern {
    pub(crate) access: Access,
    pub(crate) root: Root,
    pub(crate) glob: PathGlob,
    /// Written without a slash: the name may be at any depth.
    pub(crate) any_depth: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Domain {
    /// `*`
    Any,
    Host(String),
    /// `*.example.org`, without the star and the dot.
    Below(String),
}

/// Why a text is no rule, and how to write one.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PatternError {
    #[error("a rule cannot be empty; write a tool's name, such as Bash or Edit(src/**)")]
    Empty,
    #[error(
        "`{0}` is no tool name: letters, digits, `_`, `-`, `.`, `:` and the wildcard `*` are; spaces are not"
    )]
    Name(String),
    #[error("tool names are written as the agent writes them: `{known}`, not `{got}`")]
    Case { got: String, known: &'static str },
    #[error(
        "`{0}` has no closing parenthesis at its end; write Tool(content), and \\( or \\) for a parenthesis in the content"
    )]
    Parenthesis(String),
    #[error("`{tool}(…)` is empty; write `{tool}` for every call of it")]
    NoContent { tool: String },
    #[error("`{tool}` takes nothing in parentheses; only Bash, Edit, Read and WebFetch do")]
    Content { tool: String },
    #[error(
        "write {instead}(…): rules for paths are called {instead} for every tool that {does} files, {tool} included"
    )]
    Family {
        tool: String,
        instead: &'static str,
        does: &'static str,
    },
    #[error("`{text}` is no command: {why}")]
    Command { text: String, why: String },
    #[error(
        "`{text}` is no path pattern: {why}; write src/** (below the project), ~/notes/** (below home) or //etc/** (anywhere)"
    )]
    Path { text: String, why: &'static str },
    #[error(
        "`{0}` is no domain; write WebFetch(domain:example.org) for one host or WebFetch(domain:*.example.org) for those below it"
    )]
    Domain(String),
    #[error("`{0}` names no MCP server; write mcp__server, mcp__server__tool or mcp__server__*")]
    Server(String),
}

impl Pattern {
    /// Reads a rule's text.
    pub fn parse(text: &str) -> Result<Self, PatternError> {
        let text = text.trim();
        if text.is_empty() {
            return Err(PatternError::Empty);
        }
        let Some(open) = text.find('(') else {
            return tool(text).map(Self);
        };
        let (name, rest) = (&text[..open], &text[open + 1..]);
        let content = rest
            .strip_suffix(')')
            .filter(|content| !ends_escaped(content))
            .ok_or_else(|| PatternError::Parenthesis(text.to_owned()))?;
        tool(name)?;
        if content.trim().is_empty() {
            return Err(PatternError::NoContent {
                tool: name.to_owned(),
            });
        }
        let family = |instead, does| {
            Err(PatternError::Family {
                tool: name.to_owned(),
                instead,
                does,
            })
        };
        match name {
            "Bash" => command(content).map(Self),
            "Edit" => path(Access::Edit, content).map(Self),
            "Read" => path(Access::Read, content).map(Self),
            "WebFetch" => domain(content).map(Self),
            _ if tools::EDITS.contains(&name) => family("Edit", "changes"),
            _ if tools::READS.contains(&name) => family("Read", "reads"),
            _ => Err(PatternError::Content {
                tool: name.to_owned(),
            }),
        }
    }

    /// Whether it is about what shell commands do.
    pub fn is_shell(&self) -> bool {
        matches!(self.0, Kind::Shell(_))
    }
}

impl FromStr for Pattern {
    type Err = PatternError;

    fn from_str(text: &str) -> Result<Self, PatternError> {
        Self::parse(text)
    }
}

/// Whether a text ends in an odd number of backslashes.
fn ends_escaped(text: &str) -> bool {
    (text.len() - text.trim_end_matches('\\').len()) % 2 == 1
}

fn tool(name: &str) -> Result<Kind, PatternError> {
    let allowed = |c: char| c.is_ascii_alphanumeric() || "_-.:*".contains(c);
    if name.is_empty() || !name.chars().all(allowed) {
        return Err(PatternError::Name(name.to_owned()));
    }
    if let Some(known) = tools::known(name).filter(|known| *known != name) {
        return Err(PatternError::Case {
            got: name.to_owned(),
            known,
        });
    }
    if let Some(server) = name.strip_prefix("mcp__") {
        if server.is_empty() || server.starts_with("__") || server.ends_with("__") {
            return Err(PatternError::Server(name.to_owned()));
        }
        if !server.contains("__") && !server.contains('*') {
            return Ok(Kind::Server(server.to_owned()));
        }
    }
    if name.contains('*') {
        let pieces = name.split('*');
        let pieces = if name.starts_with("mcp__") {
            pieces.map(tools::server_name).collect()
        } else {
            pieces.map(str::to_owned).collect()
        };
        return Ok(Kind::Tools(Wild { pieces }));
    }
    Ok(Kind::Tool(name.to_owned()))
}

fn command(content: &str) -> Result<Kind, PatternError> {
    let content = content.trim_matches([' ', '\t']);
    let bad = |why: &str| PatternError::Command {
        text: content.to_owned(),
        why: why.to_owned(),
    };
    if let Some(c) = shell::hidden(content) {
        return Err(bad(&format!(
            "it has the character {} in it",
            c.escape_unicode()
        )));
    }
    let mut pieces = unescape(content);
    if pieces.len() == 1 {
        let text = pieces.remove(0);
        let rendered = single(&text).map(|words| words.join(" "));
        return Ok(Kind::Shell(ShellPattern::Exact { text, rendered }));
    }
    if pieces.iter().all(String::is_empty) {
        return Ok(Kind::Tool("Bash".to_owned()));
    }
    // `git status:*` and `git status *` mean the same.
    if let [first, last] = pieces.as_slice()
        && last.is_empty()
        && let Some(prefix) = first.strip_suffix(':').or_else(|| first.strip_suffix(' '))
    {
        let prefix = prefix.trim();
        if prefix.is_empty() {
            return Err(bad(
                "nothing stands before the wildcard; write Bash for every command",
            ));
        }
        let words = single(prefix).ok_or_else(|| {
            bad("what stands before the wildcard is the beginning of one command, without `&&`, `|`, `;` or variables set before it; each command in a line is matched by itself")
        })?;
        return Ok(Kind::Shell(ShellPattern::Prefix {
            text: prefix.to_owned(),
            words,
        }));
    }
    Ok(Kind::Shell(ShellPattern::Wild(Wild { pieces })))
}

/// Splits at wildcards; `\*`, `\(`, `\)` and `\\` stand for themselves.
fn unescape(content: &str) -> Vec<String> {
    let mut pieces = vec![String::new()];
    let mut chars = content.chars().peekable();
    while let Some(c) = chars.next() {
        let escaped = c == '\\' && chars.peek().is_some_and(|next| "*()\\".contains(*next));
        if c == '*' {
            pieces.push(String::new());
        } else if let Some(last) = pieces.last_mut() {
            last.push(if escaped {
                chars.next().unwrap_or(c)
            } else {
                c
            });
        }
    }
    pieces
}

/// The words of a text that is one plain command.
fn single(text: &str) -> Option<Vec<String>> {
    let words = shell::single(text)?;
    Some(words.iter().map(shell::Word::render).collect())
}

fn path(access: Access, content: &str) -> Result<Kind, PatternError> {
    let bad = |why| PatternError::Path {
        text: content.to_owned(),
        why,
    };
    let blank_end = content.ends_with(' ') && !ends_escaped(content.trim_end_matches(' '));
    if content.starts_with(' ') || blank_end {
        return Err(bad("it begins or ends in a blank, which is written `\\ `"));
    }
    let (root, rest) = if let Some(rest) = content.strip_prefix("//") {
        (Root::System, rest)
    } else if let Some(rest) = content.strip_prefix("~/") {
        (Root::Home, rest.trim_start_matches('/'))
    } else if content.starts_with('~') {
        return Err(bad("`~` is followed by a slash"));
    } else {
        let rest = content
            .strip_prefix("./")
            .or_else(|| content.strip_prefix('/'));
        (Root::Project, rest.unwrap_or(content))
    };
    let below = rest.strip_suffix('/').filter(|rest| !ends_escaped(rest));
    let bare = below.unwrap_or(rest);
    if bare.is_empty() {
        return Err(bad("it names no file"));
    }
    let mut glob = PathGlob::parse(bare).map_err(bad)?;
    let any_depth = rest.len() == content.len()
        && root == Root::Project
        && glob.segments.len() == 1
        && glob.segments != [Segment::Any];
    if below.is_some() && glob.segments.last() != Some(&Segment::Any) {
        glob.segments.push(Segment::Any);
    }
    if any_depth {
        glob.segments.insert(0, Segment::Any);
    }
    Ok(Kind::File(FilePattern {
        access,
        root,
        glob,
        any_depth,
    }))
}

fn domain(content: &str) -> Result<Kind, PatternError> {
    let bad = || PatternError::Domain(content.to_owned());
    let host = content.trim().strip_prefix("domain:").ok_or_else(bad)?;
    let host = host.trim_end_matches('.').to_ascii_lowercase();
    if host == "*" {
        return Ok(Kind::Domain(Domain::Any));
    }
    let (below, name) = host
        .strip_prefix("*.")
        .map_or((false, host.as_str()), |name| (true, name));
    let label = |label: &str| {
        !label.is_empty()
            && label
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_')
    };
    if !(name.split('.').all(label) || (!below && name.starts_with('['))) {
        return Err(bad());
    }
    let name = name.to_owned();
    Ok(Kind::Domain(if below {
        Domain::Below(name)
    } else {
        Domain::Host(name)
    }))
}

impl ShellPattern {
    /// Whether it names a file by where it is from here.
    pub(crate) fn names_a_path(&self) -> bool {
        let relative = |text: &str| text.contains('/') && !text.starts_with('/');
        match self {
            Self::Exact { text, .. } => text.split_whitespace().any(relative),
            Self::Prefix { words, .. } => words.iter().any(|word| relative(word)),
            Self::Wild(wild) => wild
                .pieces
                .iter()
                .any(|piece| piece.split_whitespace().any(relative)),
        }
    }

    /// The words that a command must have to be meant.
    pub(crate) fn key_words(&self) -> Vec<&str> {
        match self {
            Self::Exact { text, rendered } => {
                let text = rendered.as_deref().unwrap_or(text);
                text.split_whitespace().collect()
            }
            Self::Prefix { words, .. } => words.iter().map(String::as_str).collect(),
            Self::Wild(wild) => {
                let pieces = wild.pieces.iter();
                pieces.flat_map(|piece| piece.split_whitespace()).collect()
            }
        }
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Kind::Tool(name) => f.write_str(name),
            Kind::Tools(wild) => f.write_str(&wild.pieces.join("*")),
            Kind::Server(server) => write!(f, "mcp__{server}"),
            Kind::Shell(pattern) => {
                f.write_str("Bash(")?;
                match pattern {
                    ShellPattern::Exact { text, .. } => escape(f, text, "\\*()")?,
                    ShellPattern::Prefix { text, .. } => {
                        escape(f, text, "\\*()")?;
                        f.write_str(":*")?;
                    }
                    ShellPattern::Wild(wild) => {
                        for (at, piece) in wild.pieces.iter().enumerate() {
                            f.write_str(if at == 0 { "" } else { "*" })?;
                            escape(f, piece, "\\*()")?;
                        }
                    }
                }
                f.write_str(")")
            }
            Kind::File(pattern) => write!(f, "{pattern}"),
            Kind::Domain(Domain::Any) => f.write_str("WebFetch(domain:*)"),
            Kind::Domain(Domain::Host(host)) => write!(f, "WebFetch(domain:{host})"),
            Kind::Domain(Domain::Below(host)) => write!(f, "WebFetch(domain:*.{host})"),
        }
    }
}

impl fmt::Display for FilePattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tool = match self.access {
            Access::Edit => "Edit",
            Access::Read => "Read",
        };
        let root = match self.root {
            Root::System => "//",
            Root::Home => "~/",
            Root::Project if self.any_depth => "",
            Root::Project => "/",
        };
        let segments = self.glob.segments.iter().skip(usize::from(self.any_depth));
        let names: Vec<String> = segments.map(|segment| self.segment(segment)).collect();
        let mut path = format!("{root}{}", names.join("/"));
        if path.starts_with(' ') {
            path.insert(0, '\\');
        }
        if path.ends_with(' ') && path != "\\ " {
            path.insert(path.len() - 1, '\\');
        }
        write!(f, "{tool}({path})")
    }
}

impl FilePattern {
    fn segment(&self, segment: &Segment) -> String {
        match segment {
            // `src/` keeps its shape: with a slash inside it would be anchored.
            Segment::Any if self.any_depth => String::new(),
            Segment::Any => "**".to_owned(),
            Segment::Name(tokens) => tokens.iter().map(Token::to_string).collect(),
        }
    }
}

impl fmt::Display for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Char(c) => escape(f, c.encode_utf8(&mut [0; 4]), "\\*?[]{}()~"),
            Self::One => f.write_str("?"),
            Self::Many => f.write_str("*"),
            Self::Class { negated, ranges } => {
                f.write_str(if *negated { "[!" } else { "[" })?;
                for (from, to) in ranges {
                    escape(f, from.encode_utf8(&mut [0; 4]), "\\]-!^()")?;
                    if from != to {
                        f.write_str("-")?;
                        write!(f, "{to}")?;
                    }
                }
                f.write_str("]")
            }
        }
    }
}
