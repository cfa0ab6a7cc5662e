//! Patterns for files.

use std::path::{Path, PathBuf};

use super::Hit;
use crate::call::{Extent, FileCall, Resolved, ShellCall, Subject};
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

pub(super) fn file_hit(pattern: &FilePattern, resolved: &Resolved, paths: &dyn Paths) -> Hit {
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
