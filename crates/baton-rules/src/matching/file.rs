//! Patterns for files.

use std::cell::OnceCell;
use std::path::{Path, PathBuf};

use baton_protocol::ToolKind;

use super::Hit;
use crate::call::{Extent, FileCall, Resolved, ShellCall, Subject};
use crate::glob::{PathGlob, Segment, Token};
use crate::mentions::{Mention, Named, Target, Use};
use crate::paths::{FileId, PathForms, Paths, canonical};
use crate::pattern::{Access, FilePattern, Root};

/// How much of a folder is looked through for files that a rule is about.
const MAX_BELOW: usize = 5_000;
/// How much of it is looked through for those that have other names.
const MAX_SHARED: usize = 200;
/// How deep links are followed in it.
const MAX_LEVELS: usize = 64;

/// The names of `path` below `base`.
fn names<'a>(path: &'a Path, base: &Path) -> Option<Vec<&'a str>> {
    path.strip_prefix(base)
        .ok()?
        .iter()
        .map(|name| name.to_str())
        .collect()
}

/// Strictly: where the path leads is what the pattern covers.
pub(super) fn covers(pattern: &FilePattern, resolved: &Resolved, path: &PathForms) -> bool {
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

pub(super) fn file_allowed(pattern: &FilePattern, resolved: &Resolved, call: &FileCall) -> bool {
    let Some(path) = call.path.as_ref().filter(|_| call.access == pattern.access) else {
        return false;
    };
    match call.extent {
        Extent::File => covers(pattern, resolved, path),
        Extent::Names | Extent::Contents => below_root(pattern, resolved, path)
            .is_some_and(|names| pattern.glob.covers_below(&names)),
    }
}

/// Every form of a pattern, its links followed once for all paths.
struct Forms<'a> {
    each: Vec<(PathBuf, PathGlob)>,
    /// It says where the files are, and not only how they are called.
    rooted: bool,
    /// Those of its files that have other names as well, as far as it takes
    /// few looks to find them; looked for when a path names such a file.
    shared: OnceCell<Vec<FileId>>,
    paths: &'a dyn Paths,
}

impl<'a> Forms<'a> {
    fn of(pattern: &FilePattern, resolved: &Resolved, paths: &'a dyn Paths) -> Self {
        let system = PathForms {
            lexical: PathBuf::from("/"),
            canonical: None,
        };
        let root = match pattern.root {
            Root::System => &system,
            Root::Home => &resolved.home,
            Root::Project => &resolved.project,
        };
        let mut forms: Vec<_> = root
            .each()
            .map(|root| (root.to_owned(), pattern.glob.clone()))
            .collect();
        // The pattern's own beginning may be a link to where the path is.
        let (lead, rest) = literal_lead(&pattern.glob);
        forms.extend(canonical(&root.lexical.join(lead), paths).map(|base| (base, rest)));
        Self {
            each: forms,
            rooted: pattern.glob.is_rooted(),
            shared: OnceCell::new(),
            paths,
        }
    }

    /// Whether any form of the path matches below any form of the root.
    fn touch(&self, path: &PathForms, matches: fn(&PathGlob, &[&str]) -> bool) -> bool {
        path.each().any(|path| {
            self.each.iter().any(|(base, glob)| {
                names(path, base)
                    .is_some_and(|names| glob.segments.is_empty() || matches(glob, &names))
            })
        })
    }

    fn name(&self, path: &PathForms) -> bool {
        self.touch(path, PathGlob::matches_above) || self.is_same(path)
    }

    /// Whether a path is another name of a file that the pattern is about.
    fn is_same(&self, path: &PathForms) -> bool {
        let file = path.canonical.as_deref();
        let file = file.and_then(|real| self.paths.shared(real));
        file.is_some_and(|file| {
            let shared = self.shared.get_or_init(|| self.find_shared());
            shared.contains(&file)
        })
    }

    /// Files that the pattern names, by a name that is known or in a folder
    /// that is known. Others may be anywhere, and are not looked for.
    fn find_shared(&self) -> Vec<FileId> {
        let mut found = Vec::new();
        for (base, glob) in &self.each {
            let (lead, rest) = literal_lead(glob);
            let start = base.join(&lead);
            match rest.segments.as_slice() {
                [] => found.extend(self.paths.shared(&start)),
                // A name at any depth: the one that is nearest.
                [Segment::Any, name @ ..] if !name.is_empty() && lead.as_os_str().is_empty() => {
                    let segments = name.to_vec();
                    let (name, rest) = literal_lead(&PathGlob { segments });
                    if rest.segments.is_empty() {
                        found.extend(self.paths.shared(&start.join(name)));
                    }
                }
                _ if !self.rooted => {}
                _ => {
                    let files = self.paths.below(&start, MAX_SHARED).unwrap_or_default();
                    let meant = |file: &&PathBuf| {
                        names(file, base).is_some_and(|names| glob.matches_above(&names))
                    };
                    let files = files.iter().filter(meant);
                    found.extend(files.filter_map(|file| self.paths.shared(file)));
                }
            }
        }
        found
    }

    /// Whether files that the pattern is about may be below a folder, or be
    /// that folder's parents' files: `rm -r` of a folder above reaches them too.
    fn below(&self, folder: &PathForms) -> bool {
        // A folder above the pattern's root has everything of it below.
        let above = folder.each().any(|folder| {
            let mut each = self.each.iter();
            each.any(|(base, _)| base != folder && base.starts_with(folder))
        });
        if above || (self.rooted && self.touch(folder, PathGlob::touches_below)) {
            return true;
        }
        !self.rooted && self.found(folder, |_| true)
    }

    /// Whether a path is the folder that the pattern names, or one on the way
    /// there: such a folder may be about to be made.
    fn leads_to(&self, path: &PathForms) -> bool {
        self.rooted
            && path.each().any(|path| {
                let mut each = self.each.iter();
                each.any(|(base, glob)| {
                    path != base && base.join(literal_lead(glob).0).starts_with(path)
                })
            })
    }

    /// Whether a link in a folder leads to what is meant.
    fn linked(&self, folder: &PathForms, levels: usize) -> bool {
        let links = folder.canonical.as_deref();
        let Some(links) = links.and_then(|real| self.paths.links(real, levels, MAX_BELOW)) else {
            return true;
        };
        links.iter().any(|link| {
            let forms = PathForms::of(link, Path::new("/"), self.paths);
            forms.canonical.is_none() || self.name(&forms) || self.below(&forms)
        })
    }

    /// Whether one of the files below a folder is meant, of those that `which` names.
    fn found(&self, folder: &PathForms, which: impl Fn(&[&str]) -> bool) -> bool {
        let Some(real) = &folder.canonical else {
            return true;
        };
        if !self.paths.is_folder(real) {
            return false;
        }
        let Some(files) = self.paths.below(real, MAX_BELOW) else {
            return true;
        };
        files.into_iter().any(|file| {
            let chosen = names(&file, real).is_none_or(|names| which(&names));
            let forms = PathForms {
                canonical: Some(file.clone()),
                lexical: file,
            };
            chosen && self.name(&forms)
        })
    }

    /// Whether a command that names this may be about the pattern's files.
    fn mentioned(&self, mention: &Mention) -> Hit {
        let maybe = |found: bool, what: &str| {
            if found {
                Hit::Maybe(what.to_owned())
            } else {
                Hit::No
            }
        };
        match &mention.named {
            Named::Path(path) if self.name(path) => Hit::Yes,
            Named::Path(path) if path.canonical.is_none() => Hit::Maybe(format!(
                "it is not known where {} leads",
                path.lexical.display()
            )),
            Named::Path(_) if mention.does == Use::Names => Hit::No,
            Named::Path(path) => maybe(
                self.leads_to(path)
                    || self.paths.is_folder(&path.lexical)
                        && (self.below(path) || (mention.follows && self.linked(path, MAX_LEVELS))),
                "files that the rule is about may be in a folder that it names",
            ),
            Named::Pattern(folder, glob) => maybe(
                self.name(folder)
                    || self.found(folder, |names| glob.matches_above(names))
                    || self.linked(folder, glob.levels(MAX_LEVELS)),
                "files that the rule is about may be among those it names",
            ),
            Named::Any(source) => Hit::Maybe(format!(
                "which file {source} is, is only known when it runs"
            )),
        }
    }
}

pub(super) fn file_hit(pattern: &FilePattern, resolved: &Resolved, paths: &dyn Paths) -> Hit {
    match &resolved.subject {
        Subject::File(call) if call.access == pattern.access || edits(resolved, pattern) => {
            let Some(path) = &call.path else {
                return Hit::Maybe("the call names no path".to_owned());
            };
            let forms = Forms::of(pattern, resolved, paths);
            let searched = call.extent == Extent::Contents && forms.below(path);
            match (forms.name(path), searched) {
                (true, _) => Hit::Yes,
                (false, true) => Hit::Maybe(
                    "files that the rule is about may be among those searched".to_owned(),
                ),
                (false, false) if path.canonical.is_none() => Hit::Maybe(format!(
                    "it is not known where {} leads",
                    path.lexical.display()
                )),
                (false, false) => Hit::No,
            }
        }
        Subject::Shell(call) => {
            let written = call.writes.iter().fold(Hit::No, |hit, target| {
                hit.or(|| write_hit(pattern, resolved, target, paths))
            });
            written.or(|| mention_hit(pattern, resolved, call, paths))
        }
        Subject::Web(_) | Subject::Plain => input_hit(pattern, resolved, paths),
        Subject::File(call) => match &call.path {
            Some(path) if pattern.access == Access::Read && call.access == Access::Edit => {
                cuts_off(&Forms::of(pattern, resolved, paths), path)
            }
            Some(_) | None => Hit::No,
        },
    }
}

/// Whether a rule about reading is about a call that edits: an edit says what
/// the file holds at its place, and the tool reads all of it.
fn edits(resolved: &Resolved, pattern: &FilePattern) -> bool {
    resolved.kind == ToolKind::Edit && pattern.access == Access::Read
}

/// Whether a file that is written as a whole is another name of a denied one: if
/// it is replaced, that name is no longer the file that the rule is about.
fn cuts_off(forms: &Forms<'_>, path: &PathForms) -> Hit {
    if forms.touch(path, PathGlob::matches_above) || !forms.is_same(path) {
        return Hit::No;
    }
    Hit::Maybe("it is another name of a file that the rule is about".to_owned())
}

/// Whether a pattern is about a file that the input of a tool may name, of which
/// nobody knows what it does.
fn input_hit(pattern: &FilePattern, resolved: &Resolved, paths: &dyn Paths) -> Hit {
    let named = &resolved.named;
    let forms = Forms::of(pattern, resolved, paths);
    let is_named = |path: &&PathForms| forms.name(path);
    let has_below = |path: &&PathForms| paths.is_folder(&path.lexical) && forms.below(path);
    let found = named.whole.iter().chain(&named.words).find(is_named);
    if let Some(path) = found.or_else(|| named.whole.iter().find(has_below)) {
        return Hit::Maybe(format!(
            "its input names {}, and it is not known what it does with it",
            path.lexical.display()
        ));
    }
    match named.cut {
        true => Hit::Maybe("its input is too long to be looked through".to_owned()),
        false => Hit::No,
    }
}

/// Whether a pattern is about a file that a redirection writes to.
pub(super) fn write_hit(
    pattern: &FilePattern,
    resolved: &Resolved,
    target: &Target,
    paths: &dyn Paths,
) -> Hit {
    match (pattern.access, &target.paths) {
        (Access::Read, _) => Hit::No,
        (Access::Edit, Some(written)) => {
            let forms = Forms::of(pattern, resolved, paths);
            if written.iter().any(|path| forms.name(path)) {
                return Hit::Yes;
            }
            match written.iter().find(|path| path.canonical.is_none()) {
                Some(path) => Hit::Maybe(format!(
                    "it is not known where {} leads",
                    path.lexical.display()
                )),
                None => Hit::No,
            }
        }
        (Access::Edit, None) => Hit::Maybe(format!(
            "where it writes is only known when it runs: {}",
            target.source
        )),
    }
}

/// Whether a pattern is about a file that a command names.
pub(super) fn mention_hit(
    pattern: &FilePattern,
    resolved: &Resolved,
    call: &ShellCall,
    paths: &dyn Paths,
) -> Hit {
    let forms = Forms::of(pattern, resolved, paths);
    let mut hit = Hit::No;
    for mention in &call.mentions {
        let certain = match (pattern.access, mention.does) {
            (Access::Read, _) => mention.certain,
            (Access::Edit, Use::Names | Use::Reads) => continue,
            (Access::Edit, Use::MayChange) => false,
            (Access::Edit, Use::Changes) => mention.certain,
        };
        hit = hit.or(|| match forms.mentioned(mention) {
            Hit::Yes if !certain => Hit::Maybe("it may be about files that it names".to_owned()),
            hit @ (Hit::Yes | Hit::Maybe(_) | Hit::No) => hit,
        });
        if hit == Hit::Yes {
            return hit;
        }
    }
    let hidden = match &call.script {
        Ok(script) => script.hidden().or(call.hidden.as_ref()),
        Err(why) => Some(why),
    };
    if let Some(why) = hidden {
        let what = format!("what it does cannot be seen: {why}");
        hit = hit.or(|| Hit::Maybe(what));
    }
    hit.or(|| {
        if call.mentions_cut {
            Hit::Maybe("it names too many files to look at".to_owned())
        } else {
            Hit::No
        }
    })
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
