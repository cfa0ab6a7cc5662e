//! Patterns for files.

use std::path::{Path, PathBuf};

use super::Hit;
use crate::call::{Extent, FileCall, Resolved, ShellCall, Subject, Target};
use crate::glob::{PathGlob, Segment, Token};
use crate::paths::{PathForms, Paths, canonical};
use crate::pattern::{Access, FilePattern, Root};

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
struct Forms(Vec<(PathBuf, PathGlob)>);

impl Forms {
    fn of(pattern: &FilePattern, resolved: &Resolved, paths: &dyn Paths) -> Self {
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
        Self(forms)
    }

    /// Whether any form of the path matches below any form of the root.
    fn touch(&self, path: &PathForms, matches: fn(&PathGlob, &[&str]) -> bool) -> bool {
        path.each().any(|path| {
            self.0.iter().any(|(base, glob)| {
                names(path, base)
                    .is_some_and(|names| glob.segments.is_empty() || matches(glob, &names))
            })
        })
    }

    fn name(&self, path: &PathForms) -> bool {
        self.touch(path, PathGlob::matches_above)
    }
}

pub(super) fn file_hit(pattern: &FilePattern, resolved: &Resolved, paths: &dyn Paths) -> Hit {
    match &resolved.subject {
        Subject::File(call) if call.access == pattern.access => {
            let Some(path) = &call.path else {
                return Hit::Maybe("the call names no path".to_owned());
            };
            let forms = Forms::of(pattern, resolved, paths);
            let searched =
                call.extent == Extent::Contents && forms.touch(path, PathGlob::touches_below);
            match (forms.name(path), searched) {
                (true, _) => Hit::Yes,
                (false, true) => Hit::Maybe(
                    "files that the rule is about may be among those searched".to_owned(),
                ),
                (false, false) => Hit::No,
            }
        }
        Subject::Shell(call) => {
            let written = call.writes.iter().fold(Hit::No, |hit, target| {
                hit.or(|| write_hit(pattern, resolved, target, paths))
            });
            written.or(|| mention_hit(pattern, resolved, call, paths))
        }
        Subject::File(_) | Subject::Web(_) | Subject::Plain => Hit::No,
    }
}

/// Whether a pattern is about a file that a redirection writes to.
pub(super) fn write_hit(
    pattern: &FilePattern,
    resolved: &Resolved,
    target: &Target,
    paths: &dyn Paths,
) -> Hit {
    match (pattern.access, &target.path) {
        (Access::Read, _) => Hit::No,
        (Access::Edit, Some(path)) => Hit::when(Forms::of(pattern, resolved, paths).name(path)),
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
    let mut mentions = call.mentions.iter();
    let hit = match pattern.access {
        Access::Read => Hit::when(mentions.any(|mention| forms.name(&mention.path))),
        Access::Edit => mentions
            .find(|mention| mention.may_change && forms.name(&mention.path))
            .map_or(Hit::No, |mention| {
                let path = mention.path.lexical.display();
                Hit::Maybe(format!("the command may change {path}"))
            }),
    };
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
