//! Commands that may change what limits the agent without naming it: by a
//! pattern, a variable, or a whole tree that is copied or unpacked.
//!
//! In bypass mode nothing else is asked about, so the line is narrow. A word
//! that is not known beforehand counts if it may be one of these files and what
//! is written of it points there: a name that begins with a dot, or `settings`.
//! A word of which nothing is known counts only in a command that speaks of such
//! files elsewhere. What is copied or unpacked as a whole counts where it goes
//! into the home or above it: what a project's files say is only obeyed once a
//! person has accepted it.

use std::path::{Path, PathBuf};

use crate::call::{Resolved, ShellCall};
use crate::glob::{PathGlob, Segment, Token};
use crate::judge::Surroundings;
use crate::mentions::{Mention, Named, Sought, Use};
use crate::shell::{Simple, reads_only};

use super::{Limit, Obeyed, TOOLS, cli_folder, fits, is_cli_settings, limit, steers};

/// Files that say what the agent may do, below the home and below the project.
const FILES: &[&str] = &[
    ".baton",
    ".baton/permissions.json",
    ".claude",
    ".claude/settings.json",
    ".claude/settings.local.json",
    ".claude.json",
    ".mcp.json",
];

/// The same in the agent's own folder.
const OWN: &[&str] = &[".claude.json", "settings.json", "settings.local.json"];

/// What a command says that speaks of them.
const HINTS: &[&str] = &["claude", ".baton", ".mcp", "settings"];

/// Programs that put files where nobody named them.
const UNPACKERS: &[&str] = &[
    "7z", "bsdtar", "cpio", "git", "pax", "patch", "rclone", "rsync", "tar", "unzip",
];
const COPIERS: &[&str] = &["cp", "ditto", "install", "ln", "mv"];

/// Programs that run nothing of the text they are given.
const WRITERS: &[&str] = &["cat", "echo", "gh", "git", "printf", "tee"];

/// Whether a command may change such a file though it does not name it.
pub(super) fn changes(
    shell: &ShellCall,
    resolved: &Resolved,
    around: &Surroundings<'_>,
    obeyed: &Obeyed,
) -> bool {
    let text = shell.text.to_lowercase();
    let own = obeyed
        .settings
        .iter()
        .filter_map(|folder| folder.file_name());
    let mut own = own.map(|name| name.to_string_lossy().to_lowercase());
    let hints =
        HINTS.iter().any(|hint| text.contains(hint)) || own.any(|name| text.contains(&name));
    let Ok(script) = &shell.script else {
        return hints;
    };
    let writes = |simple: &Simple| {
        WRITERS.contains(&simple.program().unwrap_or_default()) || reads_only(simple)
    };
    let runs_texts = !script.commands.iter().all(writes);
    let look = Look {
        resolved,
        around,
        obeyed,
        hints,
    };
    let written = shell.writes.iter().filter(|write| write.paths.is_none());
    let changed: Vec<&Mention> = shell.mentions.iter().filter(may_change).collect();
    let mut parts = shell.mentions.iter().filter(is_part);
    written.into_iter().any(|write| look.may_be(&write.source))
        || changed.iter().any(|mention| look.mention(mention))
        || (runs_texts && parts.any(|mention| look.names(mention)))
        || look.as_a_whole(&script.commands, &changed)
}

fn may_change(mention: &&Mention) -> bool {
    matches!(mention.does, Use::Changes | Use::MayChange) && mention.sought == Sought::No
}

/// Whether something is a part of a word: of a program's text, or of `key=file`.
fn is_part(mention: &&Mention) -> bool {
    mention.does == Use::MayChange && !mention.certain
}

struct Look<'a> {
    resolved: &'a Resolved,
    around: &'a Surroundings<'a>,
    obeyed: &'a Obeyed,
    /// The command speaks of such files somewhere.
    hints: bool,
}

impl Look<'_> {
    fn mention(&self, mention: &Mention) -> bool {
        match &mention.named {
            Named::Path(path) => mention.certain && path.each().any(is_cli_settings),
            Named::Pattern(folder, glob) => {
                let written = written(glob);
                let mut folders = folder.each();
                folders.any(|folder| self.fits(&written, &folder.join(&written)))
            }
            Named::Any(source) => mention.certain && self.may_be(source),
        }
    }

    /// Whether a word that is not known beforehand may be one of the files.
    fn may_be(&self, source: &str) -> bool {
        let known = self.known(source);
        let rest = known.trim_start_matches(['-']);
        let rest = rest.split_once('=').map_or(rest, |(_, value)| value);
        let path = Path::new(rest);
        if path.is_absolute() {
            return self.fits(&self.without_home(rest), path);
        }
        // Where it is, is not known either.
        self.fits(rest, &Path::new("/*").join(rest)) || self.fits(rest, Path::new(rest))
    }

    /// Whether a part of a word is one of the files. It may be anything, so
    /// only the very file counts, or the folder that a text may begin with.
    fn names(&self, mention: &Mention) -> bool {
        let Named::Path(path) = &mention.named else {
            return false;
        };
        let limit = limit(path, self.resolved, self.obeyed);
        limit.max(cli_folder(path, self.obeyed)) == Some(Limit::Tools)
    }

    /// `written` is what says something, `like` what it may be as a whole.
    fn fits(&self, written: &str, like: &Path) -> bool {
        if steers::may_be(like, self.obeyed) {
            return true;
        }
        let like = like.to_string_lossy();
        (points(written) || self.hints)
            && self
                .files()
                .any(|file| fits(&file.to_string_lossy(), &like))
    }

    fn files(&self) -> impl Iterator<Item = PathBuf> {
        let roots = self
            .resolved
            .home
            .each()
            .chain(self.resolved.project.each());
        let roots: Vec<PathBuf> = roots.map(Path::to_owned).collect();
        let known = roots
            .into_iter()
            .flat_map(|root| FILES.iter().map(move |name| root.join(name)));
        let own = self.obeyed.settings.iter();
        let inside = own
            .clone()
            .flat_map(|folder| OWN.iter().map(|name| folder.join(name)));
        known.chain(own.cloned()).chain(inside)
    }

    /// A word with the home put in, and `*` for all that is not known.
    fn known(&self, source: &str) -> String {
        let home = self.resolved.home.lexical.to_string_lossy();
        let bare = source.replace(['"', '\'', '\\'], "");
        let bare = bare.replace("${HOME}", &home).replace("$HOME", &home);
        let bare = match bare.strip_prefix('~') {
            Some(rest) if rest.is_empty() || rest.starts_with('/') => format!("{home}{rest}"),
            _ => bare,
        };
        let mut known = String::new();
        let mut signs = bare.chars().peekable();
        while let Some(sign) = signs.next() {
            let opened = match sign {
                '$' => signs
                    .next_if(|next| matches!(next, '{' | '('))
                    .or(Some('$')),
                '`' | '{' | '[' | '*' | '?' => Some(sign),
                _ => None,
            };
            let Some(opened) = opened else {
                known.push(sign);
                continue;
            };
            known.push('*');
            let close = match opened {
                '$' => {
                    while signs.next_if(|sign| is_name(*sign)).is_some() {}
                    continue;
                }
                '{' => '}',
                '(' => ')',
                '[' => ']',
                '`' => '`',
                _ => continue,
            };
            // What stands in between may be anything.
            for sign in signs.by_ref() {
                if sign == close {
                    break;
                }
            }
        }
        known
    }

    fn without_home(&self, path: &str) -> String {
        let home = self.resolved.home.lexical.to_string_lossy();
        path.strip_prefix(&*home).unwrap_or(path).to_owned()
    }

    /// Whether a tree goes into the home, or above it.
    fn as_a_whole(&self, commands: &[Simple], changed: &[&Mention]) -> bool {
        let around_home = |path: &Path| {
            let own = self.obeyed.settings.iter().map(PathBuf::as_path);
            let mut homes = self.resolved.home.each().chain(own);
            homes.any(|home| home.starts_with(path))
        };
        let goes_there = |mention: &&&Mention| match &mention.named {
            Named::Path(path) => path.each().any(around_home),
            Named::Any(source) => {
                let known = self.known(source);
                let known = known.rsplit('=').next().unwrap_or_default();
                !known.contains('*') && known.starts_with('/') && around_home(Path::new(known))
            }
            Named::Pattern(..) => false,
        };
        if !changed.iter().any(|mention| goes_there(&mention)) {
            return false;
        }
        let has = |folder: &Path| {
            let names = [TOOLS, ".claude", ".claude.json", ".mcp.json"];
            !around_home(folder)
                && names
                    .iter()
                    .any(|name| self.around.paths.exists(&folder.join(name)))
        };
        let brings = changed.iter().any(|mention| match &mention.named {
            Named::Path(path) => path.each().any(has),
            Named::Pattern(path, glob) => points(&written(glob)) && path.each().any(has),
            Named::Any(_) => false,
        });
        commands.iter().any(|simple| {
            let program = simple.program().unwrap_or_default();
            (UNPACKERS.contains(&program) && !packs(simple))
                || (COPIERS.contains(&program) && brings)
        })
    }
}

/// Whether what is written of a word points to such a file.
fn points(written: &str) -> bool {
    let mut names = written.split('/');
    names.any(|name| name.starts_with('.') && name.len() > 1 && name != "..")
        || ["sett", "permissions"]
            .iter()
            .any(|part| written.contains(part))
}

/// Whether an archive is made or listed, and nothing unpacked.
fn packs(simple: &Simple) -> bool {
    let program = simple.program().unwrap_or_default();
    let mut words = simple.words.iter().skip(1).map(|word| word.text());
    match (program, words.next()) {
        ("tar" | "bsdtar", Some(Some(first))) => {
            let letters = first.trim_start_matches('-');
            let made = matches!(letters, "create" | "list" | "append" | "update");
            let short = !first.starts_with("--") && letters.contains(['c', 't', 'r', 'u']);
            made || (short && !letters.contains('x'))
        }
        ("7z", Some(Some(first))) => !matches!(first, "x" | "e"),
        _ => false,
    }
}

/// A pattern as it is written, with `*` for each wildcard.
fn written(glob: &PathGlob) -> String {
    let sign = |token: &Token| match token {
        Token::Char(sign) => *sign,
        Token::One | Token::Many | Token::Class { .. } => '*',
    };
    let names = glob.segments.iter().map(|segment| match segment {
        Segment::Any => "*".to_owned(),
        Segment::Name(tokens) => tokens.iter().map(sign).collect(),
    });
    names.collect::<Vec<String>>().join("/")
}

const fn is_name(sign: char) -> bool {
    sign == '_' || sign.is_ascii_alphanumeric()
}
