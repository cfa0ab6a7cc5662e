//! Files that say what an agent may do, or that run by themselves: nobody but a
//! person changes them, whatever is allowed around them.

mod maybe;
mod steers;

use std::path::{Path, PathBuf};

use baton_protocol::words::RuleDecision;

use crate::call::{Resolved, Subject, folder};
use crate::glob::{PathGlob, Segment, Token};
use crate::judge::{Rule, Surroundings};
use crate::mentions::{Mention, Named, Sought, Use};
use crate::paths::PathForms;
use crate::pattern::{Access, Kind, Pattern, ShellPattern};
use crate::plan::is_own_plan;

/// What a file limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Limit {
    /// What runs by itself: hooks, servers, settings of programs.
    Other,
    /// Which tools a session has. Asked about in every mode.
    Tools,
}

/// Names of files and folders that programs obey without being told.
const OBEYED: &[&str] = &[
    ".bash_aliases",
    ".bash_login",
    ".bash_profile",
    ".bashrc",
    ".cargo",
    ".claude",
    ".claude-plugin",
    ".config",
    ".cursor",
    ".devcontainer",
    ".devcontainer.json",
    ".dir-locals.el",
    ".direnv",
    ".envrc",
    ".exrc",
    ".gdbinit",
    ".git",
    ".gitconfig",
    ".gitmodules",
    ".hg",
    ".husky",
    ".idea",
    ".inputrc",
    ".irbrc",
    ".jj",
    ".lldbinit",
    ".lsp.json",
    ".mcp.json",
    ".mise.toml",
    ".mvn",
    ".npmrc",
    ".nvim.lua",
    ".nvimrc",
    ".pdbrc",
    ".pnpmfile.cjs",
    ".pre-commit-config.yaml",
    ".profile",
    ".pryrc",
    ".ssh",
    ".svn",
    ".tmux.conf",
    ".vimrc",
    ".vscode",
    ".worktreeinclude",
    ".yarn",
    ".yarnrc",
    ".yarnrc.yml",
    ".zprofile",
    ".zshenv",
    ".zshrc",
    "captainhook.json",
    "flake.nix",
    "hk.pkl",
    "lefthook-local.yaml",
    "lefthook-local.yml",
    "lefthook.json",
    "lefthook.toml",
    "lefthook.yaml",
    "lefthook.yml",
    "mise",
    "mise.local.toml",
    "mise.toml",
    "prek.toml",
];

/// Names of files and folders that programs obey without being told.
pub fn obeyed_names() -> impl Iterator<Item = &'static str> {
    OBEYED.iter().copied()
}

/// Names that begin with a dot and that no program obeys, or only one that
/// formats or chooses a version. Whatever ends in `ignore` is like these.
const HARMLESS: &[&str] = &[
    ".browserslistrc",
    ".clang-format",
    ".editorconfig",
    ".env.example",
    ".env.sample",
    ".env.template",
    ".gitkeep",
    ".keep",
    ".markdownlint.json",
    ".markdownlint.yaml",
    ".node-version",
    ".nojekyll",
    ".nvmrc",
    ".prettierrc",
    ".prettierrc.json",
    ".prettierrc.yaml",
    ".python-version",
    ".ruby-version",
    ".rustfmt.toml",
    ".yamllint",
];

/// The folder of the file that says which tools a session has.
const TOOLS: &str = ".baton";

/// The strongest limit that a call would change, as far as it names it.
pub(crate) fn touched(resolved: &Resolved, around: &Surroundings<'_>) -> Option<Limit> {
    let obeyed = Obeyed::of(resolved, around);
    match &resolved.subject {
        Subject::File(call) if call.access == Access::Edit => {
            let path = call.path.as_ref().filter(|path| !is_own_plan(path, around));
            path.and_then(|path| limit(path, resolved, &obeyed))
        }
        Subject::Shell(shell) => {
            let written = shell
                .writes
                .iter()
                .filter_map(|target| target.paths.as_ref());
            let written = written
                .flatten()
                .filter_map(|path| limit(path, resolved, &obeyed));
            let changes = |mention: &&Mention| {
                matches!(mention.does, Use::Changes | Use::MayChange)
                    && mention.certain
                    && mention.sought == Sought::No
            };
            let named = shell.mentions.iter().filter(changes);
            let named = named.filter_map(|mention| match &mention.named {
                Named::Path(path) => limit(path, resolved, &obeyed)
                    .max(held(path, around))
                    .max(cli_folder(path, &obeyed)),
                Named::Pattern(path, glob) => limit(path, resolved, &obeyed)
                    .max(matched(path, glob, around))
                    .max(cli_folder(path, &obeyed)),
                Named::Any(_) => None,
            });
            let certain = written.chain(named).max();
            if certain != Some(Limit::Tools) && maybe::changes(shell, resolved, around, &obeyed) {
                return Some(Limit::Tools);
            }
            certain
        }
        Subject::File(_) | Subject::Web(_) | Subject::Plain => None,
    }
}

/// What is obeyed whatever its name is.
struct Obeyed {
    /// Files in the project that settings name.
    scripts: Vec<PathBuf>,
    /// Folders of the agent's own settings.
    settings: Vec<PathBuf>,
}

impl Obeyed {
    fn of(resolved: &Resolved, around: &Surroundings<'_>) -> Self {
        let real = |path: &PathBuf| folder(path, around.paths);
        let homes = resolved.home.each().map(|home| home.join(".claude"));
        let others = around.settings.iter();
        let others = others.flat_map(|path| [path.clone(), real(path)]);
        let mut settings: Vec<PathBuf> = homes.chain(others).collect();
        settings.sort();
        settings.dedup();
        Self {
            scripts: around.obeyed.iter().map(real).collect(),
            settings,
        }
    }
}

/// What is in a folder that a command may change as a whole: only which tools a
/// session has, since much is changed in folders that have settings of programs.
fn held(folder: &PathForms, around: &Surroundings<'_>) -> Option<Limit> {
    let tools = |folder: &Path| around.paths.exists(&folder.join(TOOLS));
    folder.each().any(tools).then_some(Limit::Tools)
}

/// What a pattern may name in a folder. A name with a dot needs one written.
fn matched(folder: &PathForms, glob: &PathGlob, around: &Surroundings<'_>) -> Option<Limit> {
    let Some(Segment::Name(first)) = glob.segments.first() else {
        return held(folder, around);
    };
    if first.first() != Some(&Token::Char('.')) {
        // Folders below may have one; the shell does not put it in for `*`.
        return None;
    }
    let only = PathGlob {
        segments: vec![Segment::Name(first.clone())],
    };
    let there = |name: &&&str| {
        let at = |folder: &Path| around.paths.exists(&folder.join(name));
        only.matches(&[**name]) && folder.each().any(at)
    };
    let names = OBEYED.iter().chain([&TOOLS]).filter(there);
    names.filter_map(|name| named(name)).max()
}

/// What a file of this name limits. Some disks take capital letters for small
/// ones.
fn named(name: &str) -> Option<Limit> {
    if name.eq_ignore_ascii_case(TOOLS) {
        return Some(Limit::Tools);
    }
    let obeyed = OBEYED.iter().any(|known| name.eq_ignore_ascii_case(known));
    obeyed.then_some(Limit::Other)
}

fn limit(path: &PathForms, resolved: &Resolved, obeyed: &Obeyed) -> Option<Limit> {
    // A script, a folder that it is in, or what is in a folder of scripts.
    let runs = |path: &Path| {
        let mut scripts = obeyed.scripts.iter();
        scripts.any(|script| {
            script.starts_with(path) || path.starts_with(script) || is_like(path, script)
        })
    };
    let is_run = path
        .each()
        .any(|path| !resolved.project.each().any(|root| root == path) && runs(path));
    let of = |path: &Path| {
        if is_cli_settings(path) || steers::everywhere(path, obeyed) {
            return Some(Limit::Tools);
        }
        let below = resolved
            .project
            .each()
            .find_map(|root| path.strip_prefix(root).ok());
        // Elsewhere only what the names themselves say counts.
        let names = below.unwrap_or(path).iter();
        names.filter_map(|name| named(name.to_str()?)).max()
    };
    let named = path.each().filter_map(of).max();
    named.max(is_run.then_some(Limit::Other))
}

/// Whether a path, or a folder that it is in, is what one with `*` in it stands
/// for. A `?` as the last name stands for any name without an ending.
fn is_like(path: &Path, like: &Path) -> bool {
    let text = like.to_string_lossy();
    if !text.contains('*') && !like.ends_with("?") {
        return false;
    }
    let plain = like.ends_with("?");
    let text = match text.strip_suffix('?') {
        Some(lead) if plain => format!("{lead}*"),
        _ => text.into_owned(),
    };
    let fits = |path: &Path| {
        let named = path.file_name().unwrap_or_default().to_string_lossy();
        fits(&path.to_string_lossy(), &text) && !(plain && named.contains('.'))
    };
    path.ancestors()
        .take(if plain { 1 } else { usize::MAX })
        .any(fits)
}

/// Whether a text is what another with `*` for anything stands for.
fn fits(text: &str, like: &str) -> bool {
    let Some((first, rest)) = like.split_once('*') else {
        return text == like;
    };
    let Some(mut text) = text.strip_prefix(first) else {
        return false;
    };
    let (middle, last) = rest.rsplit_once('*').unwrap_or(("", rest));
    for piece in middle.split('*') {
        let Some(at) = text.find(piece) else {
            return false;
        };
        text = &text[at + piece.len()..];
    }
    text.ends_with(last)
}

/// The folder of the agent's settings, where a command may put some without
/// naming the file.
fn cli_folder(path: &PathForms, obeyed: &Obeyed) -> Option<Limit> {
    let is = |path: &Path| {
        path.file_name()
            .is_some_and(|name| name.eq_ignore_ascii_case(".claude"))
            || obeyed.settings.iter().any(|folder| folder == path)
    };
    path.each().any(is).then_some(Limit::Tools)
}

/// Whether a file is the agent's settings: they may switch off what asks, or say
/// which servers start.
fn is_cli_settings(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str());
    let alone = [".mcp.json", ".claude.json"];
    if name.is_some_and(|name| alone.iter().any(|one| name.eq_ignore_ascii_case(one))) {
        return true;
    }
    let folder = path.parent().and_then(Path::file_name);
    let settings = ["settings.json", "settings.local.json"];
    let is = |name: &str| settings.iter().any(|one| name.eq_ignore_ascii_case(one));
    name.is_some_and(is) && folder.is_some_and(|folder| folder.eq_ignore_ascii_case(".claude"))
}

/// Whether a call edits a file whose name, or the name of a folder that it is
/// in, begins with a dot and is not known to be harmless: programs look for
/// their settings under such names, and nobody has a list of them all.
pub(crate) fn may_be_obeyed(resolved: &Resolved, around: &Surroundings<'_>) -> bool {
    let Subject::File(call) = &resolved.subject else {
        return false;
    };
    let extra = around.extra.iter().map(|path| folder(path, around.paths));
    let extra: Vec<PathBuf> = extra.collect();
    let hidden = |path: &Path| {
        let mut roots = resolved
            .project
            .each()
            .chain(extra.iter().map(PathBuf::as_path));
        let below = roots.find_map(|root| path.strip_prefix(root).ok());
        let mut names = below.unwrap_or(path).iter();
        names.any(|name| !is_harmless(&name.to_string_lossy()))
    };
    call.path
        .as_ref()
        .is_some_and(|path| path.each().any(hidden))
}

fn is_harmless(name: &str) -> bool {
    // A folder with a file of this name is a repository, whose settings run programs.
    let repository = name == "HEAD";
    let hidden = name.starts_with('.') && !name.ends_with("ignore") && !HARMLESS.contains(&name);
    !(repository || hidden || name.ends_with(".code-workspace"))
}

/// The rules that count for a call which changes one of these files: those that
/// ask, and those that allow and say which of the files they mean.
pub(crate) fn that_name_it(rules: &[Rule], resolved: &Resolved) -> Vec<Rule> {
    let counts =
        |rule: &&Rule| rule.decision != RuleDecision::Allow || is_named(&rule.pattern, resolved);
    rules.iter().filter(counts).cloned().collect()
}

fn is_named(pattern: &Pattern, resolved: &Resolved) -> bool {
    match &pattern.0 {
        Kind::File(file) => file.glob.segments.iter().any(|segment| match segment {
            Segment::Any => false,
            Segment::Name(tokens) => {
                let name: String = tokens.iter().map(Token::plain).collect();
                named(&name).is_some()
            }
        }),
        Kind::Shell(ShellPattern::Exact { text, .. }) => {
            resolved.shell().is_some_and(|shell| shell.text == *text)
        }
        // A command that names such a file in the rule itself.
        Kind::Shell(pattern) => pattern.key_words().iter().any(|word| {
            OBEYED
                .iter()
                .chain([&TOOLS])
                .any(|name| word.contains(name))
        }),
        Kind::Tool(_) | Kind::Tools(_) | Kind::Server(_) | Kind::Domain(_) => false,
    }
}
