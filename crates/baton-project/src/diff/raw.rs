//! The list of changed files, from `git diff --raw --numstat -z`.

use std::{ffi::OsStr, os::unix::ffi::OsStrExt, path::PathBuf};

use baton_protocol::api::{ChangeKind, DiffKind};

/// A file that changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Changed {
    pub(super) path: Vec<u8>,
    pub(super) old_path: Option<Vec<u8>>,
    pub(super) status: ChangeKind,
    pub(super) kind: DiffKind,
    pub(super) old_mode: Option<String>,
    pub(super) new_mode: Option<String>,
    /// Lines added and removed; none of a binary file.
    pub(super) counts: Option<(u64, u64)>,
}

impl Changed {
    /// What it is called, and what it was.
    pub(super) fn paths(&self) -> Vec<PathBuf> {
        let both = [Some(&self.path), self.old_path.as_ref()].into_iter();
        both.flatten()
            .map(|path| PathBuf::from(OsStr::from_bytes(path)))
            .collect()
    }

    pub(super) fn lines(&self) -> u64 {
        let (added, removed) = self.counts.unwrap_or_default();
        added.saturating_add(removed)
    }
}

/// Files by path. What is cut off at the end is left out.
pub(super) fn parse(bytes: &[u8]) -> Vec<Changed> {
    let mut files: std::collections::BTreeMap<Vec<u8>, Changed> = std::collections::BTreeMap::new();
    let mut fields = bytes.split(|byte| *byte == 0);
    while let Some(head) = fields.next() {
        if let Some(head) = head.strip_prefix(b":") {
            let Some(file) = changed(head, &mut fields) else {
                break;
            };
            // An unfinished merge is told beside what changed.
            let known = files.get_mut(&file.path);
            match known {
                Some(known) if file.status == ChangeKind::Conflicted => known.status = file.status,
                Some(known) => {
                    *known = Changed {
                        status: known.status,
                        ..file
                    }
                }
                None => {
                    files.insert(file.path.clone(), file);
                }
            }
        } else if let Some((path, counts)) = counts(head, &mut fields)
            && let Some(file) = files.get_mut(path)
        {
            file.counts = counts;
            if counts.is_none() && file.kind == DiffKind::Text {
                file.kind = DiffKind::Binary;
            }
        }
    }
    files.into_values().collect()
}

type Fields<'a, 'b> = &'b mut dyn Iterator<Item = &'a [u8]>;

/// `100644 100644 <id> <id> R086`, then one path or two.
fn changed<'a>(head: &[u8], fields: Fields<'a, '_>) -> Option<Changed> {
    let head = std::str::from_utf8(head).ok()?;
    let mut parts = head.split(' ');
    let mode = |part: Option<&str>| {
        let part = part.filter(|mode| *mode != "000000");
        part.map(str::to_owned)
    };
    let (old_mode, new_mode) = (mode(parts.next()), mode(parts.next()));
    let letter = parts.nth(2)?.chars().next()?;
    let (status, moved) = match letter {
        'A' => (ChangeKind::Added, false),
        'D' => (ChangeKind::Deleted, false),
        'R' => (ChangeKind::Renamed, true),
        'C' => (ChangeKind::Copied, true),
        'T' => (ChangeKind::TypeChanged, false),
        'U' => (ChangeKind::Conflicted, false),
        _ => (ChangeKind::Modified, false),
    };
    let old_path = if moved {
        Some(fields.next()?.to_owned())
    } else {
        None
    };
    let path = fields.next().filter(|path| !path.is_empty())?.to_owned();
    let is_module = |mode: &Option<String>| mode.as_deref() == Some("160000");
    Some(Changed {
        kind: if is_module(&old_mode) || is_module(&new_mode) {
            DiffKind::Submodule
        } else {
            DiffKind::Text
        },
        path,
        old_path,
        status,
        old_mode,
        new_mode,
        counts: None,
    })
}

type Counts<'a> = (&'a [u8], Option<(u64, u64)>);

/// `12<tab>3<tab>path`, or without a path and with two behind it.
fn counts<'a>(head: &'a [u8], fields: Fields<'a, '_>) -> Option<Counts<'a>> {
    let mut parts = head.splitn(3, |byte| *byte == b'\t');
    let number = |part: &[u8]| std::str::from_utf8(part).ok()?.parse::<u64>().ok();
    let (added, removed) = (parts.next()?, parts.next()?);
    let path = parts.next()?;
    let path = if path.is_empty() {
        fields.next()?;
        fields.next()?
    } else {
        path
    };
    Some((path, number(added).zip(number(removed))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_taken_as_they_are() {
        let text = [
            ":100644 100644 aaaa bbbb M",
            "-rf\n\"x\"",
            ":100644 100644 aaaa aaaa R100",
            "old\tname",
            "new\tname",
            ":160000 160000 aaaa bbbb M",
            "module",
            ":100644 000000 aaaa 0000 D",
            "gone.bin",
            ":000000 100644 0000 0000 U",
            "both",
            ":100644 100644 aaaa 0000 M",
            "both",
            "1\t2\t-rf\n\"x\"",
            "0\t0\t",
            "old\tname",
            "new\tname",
            "1\t1\tmodule",
            "-\t-\tgone.bin",
            "3\t0\tboth",
        ];
        let files = parse((text.join("\0") + "\0").as_bytes());
        let told: Vec<_> = files
            .iter()
            .map(|file| {
                let path = String::from_utf8_lossy(&file.path).into_owned();
                (path, file.status, file.kind, file.counts)
            })
            .collect();
        let name = str::to_owned;
        assert_eq!(
            told,
            [
                (
                    name("-rf\n\"x\""),
                    ChangeKind::Modified,
                    DiffKind::Text,
                    Some((1, 2))
                ),
                (
                    name("both"),
                    ChangeKind::Conflicted,
                    DiffKind::Text,
                    Some((3, 0))
                ),
                (
                    name("gone.bin"),
                    ChangeKind::Deleted,
                    DiffKind::Binary,
                    None
                ),
                (
                    name("module"),
                    ChangeKind::Modified,
                    DiffKind::Submodule,
                    Some((1, 1))
                ),
                (
                    name("new\tname"),
                    ChangeKind::Renamed,
                    DiffKind::Text,
                    Some((0, 0))
                ),
            ]
        );
        assert_eq!(files[4].old_path.as_deref(), Some(&b"old\tname"[..]));
        assert_eq!(files[2].new_mode, None);
    }

    #[test]
    fn a_list_that_is_cut_gives_what_is_whole() {
        assert_eq!(
            parse(b":100644 100644 aaaa bbbb M\0one\0:100644 1").len(),
            1
        );
        assert_eq!(parse(b":100644 100644 aaaa bbbb R100\0one\0"), []);
        assert_eq!(parse(b""), []);
    }
}
