//! What each key is set to: the user's own value, or what git does without one.

use std::{collections::BTreeSet, ffi::OsStr, os::unix::ffi::OsStrExt};

use super::found::Keys;

/// Keys that are set wherever the agent is, because they need no name: another
/// repository may lie or appear below the folder.
pub(super) const ALWAYS: &[(&str, &str)] = &[
    ("core.fsmonitor", "false"),
    ("core.hookspath", "/dev/null"),
    ("core.alternaterefscommand", "true"),
    ("core.askpass", ""),
    ("core.editor", EDITOR),
    ("core.pager", "cat"),
    ("core.sshcommand", "ssh"),
    ("gpg.program", "gpg"),
    ("gpg.openpgp.program", "gpg"),
    ("gpg.ssh.defaultkeycommand", "true"),
    ("gpg.ssh.program", "ssh-keygen"),
    ("gpg.x509.program", "gpgsm"),
    ("imap.tunnel", "false"),
    ("init.templatedir", ""),
    ("interactive.difffilter", "cat"),
    // An address such as `ext::sh -c …` is a command, however it was come by.
    ("protocol.ext.allow", "never"),
    ("sequence.editor", SEQUENCE_EDITOR),
];

/// What git takes where nothing is set.
const EDITOR: &str = "${VISUAL:-${EDITOR:-vi}}";
const SEQUENCE_EDITOR: &str = "${GIT_EDITOR:-${VISUAL:-${EDITOR:-vi}}}";

/// Keys of which not even the user's own value is kept, because it is often a
/// path inside the repository (`.githooks`).
const NEVER_KEPT: &[&str] = &["core.fsmonitor", "core.hookspath"];

/// Stands in for a program that compares two files; git would otherwise be
/// without any.
const COMPARE: &str = "f() { echo \"diff --git a/$1 b/$1\"; \
    diff -u --label \"a/$1\" --label \"b/$1\" -- \"$2\" \"$5\"; true; }; f";

const NO_ALIAS: &str = "!f() { echo 'This alias is the repository'\\''s own and is left out: \
    the folder is not trusted.' >&2; return 1; }; f";

/// A helper that is not there: the remote names programs of its own.
const NO_REMOTE: &str = "left-out-because-this-folder-is-not-trusted";

/// What a key is set to that a repository uses; `None` where nothing needs to
/// be set, for the reason given. Every surveyed key must have a line here.
pub(crate) fn neutral(section: &str, name: Option<&str>, key: &str) -> Option<&'static str> {
    Some(match (section, key) {
        ("alias", _) => NO_ALIAS,
        ("core", _)
        | ("gpg", _)
        | ("imap", _)
        | ("init", _)
        | ("interactive", _)
        | ("sequence", _) => {
            let full = match name {
                Some(name) => format!("{section}.{name}.{key}"),
                None => format!("{section}.{key}"),
            };
            let always = ALWAYS.iter().find(|(known, _)| *known == full);
            return match (always, section) {
                (Some((_, value)), _) => Some(value),
                // A format of signatures that git does not know runs nothing.
                (None, "gpg") => Some("false"),
                // `attributesFile` and `worktree` name no program, and `gitProxy`
                // has a variable of its own.
                (None, _) => None,
            };
        }
        // Only a command of git's own web and manual scripts reads these, and
        // takes nothing for none.
        ("browser" | "difftool" | "guitool" | "instaweb" | "mergetool" | "web", _) => "",
        ("diff", "textconv") => "cat",
        ("diff", _) => COMPARE,
        ("filter", _) => "",
        ("hook", _) => "true",
        ("lfs", "path") => "false",
        ("lfs", _) => "cat",
        ("man", _) => "man",
        ("merge", _) => "git merge-file --marker-size=%L %A %O %B",
        ("pager", _) => "false",
        ("sendemail", _) => "",
        ("submodule", "update") => "checkout",
        ("tar", _) if matches!(name, Some("tgz" | "tar.gz")) => "gzip -cn",
        ("tar", _) => "cat",
        ("trailer", _) => "true",
        // `credential` is set as a whole; what is included is looked at itself;
        // `ext::` is forbidden whatever `protocol`, `url` and `remote` say, and
        // any other helper is a program of the user's; a remote with programs is
        // cut off below; `uploadpack` is heeded in the user's own settings only.
        _ => return None,
    })
}

/// The user's own settings: every key with its values in order.
#[derive(Debug, Default)]
pub(super) struct Users(Vec<(Vec<u8>, Vec<u8>)>);

impl Users {
    /// From git's own listing: `key LF value NUL`.
    pub(super) fn parse(listing: &[u8]) -> Self {
        let entries = listing.split(|byte| *byte == 0);
        let entries = entries.filter(|entry| !entry.is_empty()).map(|entry| {
            let end = entry.iter().position(|byte| *byte == b'\n');
            let (key, value) = entry.split_at(end.unwrap_or(entry.len()));
            (key.to_owned(), value.get(1..).unwrap_or(b"true").to_owned())
        });
        Self(entries.collect())
    }

    /// The value that counts, unless it leads into the repository.
    fn last(&self, key: &[u8]) -> Option<&[u8]> {
        let found = self.0.iter().rev().find(|(known, _)| known == key);
        let value = found.map(|(_, value)| value.as_slice())?;
        (!leads_in(value)).then_some(value)
    }

    fn helpers(&self) -> impl Iterator<Item = &(Vec<u8>, Vec<u8>)> {
        let is_helper = |key: &[u8]| key.starts_with(b"credential.") && key.ends_with(b".helper");
        self.0
            .iter()
            .filter(move |(key, value)| is_helper(key) && !leads_in(value))
    }
}

/// Whether a command begins with a path that depends on where one is.
fn leads_in(value: &[u8]) -> bool {
    let value = value.strip_prefix(b"!").unwrap_or(value).trim_ascii_start();
    let word = value.split(u8::is_ascii_whitespace).next().unwrap_or(value);
    word.contains(&b'/') && !matches!(word.first(), Some(b'/' | b'~' | b'$'))
}

/// All settings, in the order in which git is to read them.
pub(super) fn settings(
    found: &Keys,
    users: &Users,
    ssh: Option<&OsStr>,
    bare: bool,
) -> Vec<(Vec<u8>, Vec<u8>)> {
    let mut settings = Vec::new();
    for (key, neutral) in ALWAYS {
        let kept = users.last(key.as_bytes());
        let kept = kept.filter(|_| !NEVER_KEPT.contains(key));
        let value = match (kept, *key, ssh) {
            (Some(kept), _, _) => kept.to_owned(),
            (None, "sequence.editor", _) => {
                let editor = users.last(b"core.editor");
                editor.unwrap_or(neutral.as_bytes()).to_owned()
            }
            // Without the setting git would take this variable.
            (None, "core.sshcommand", Some(ssh)) => quoted(ssh.as_bytes()),
            (None, _, _) => neutral.as_bytes().to_owned(),
        };
        settings.push((key.as_bytes().to_owned(), value));
    }
    // A repository among the files is not taken for one by being entered.
    if !bare {
        settings.push((b"safe.bareRepository".to_vec(), b"explicit".to_vec()));
    }
    // An empty value forgets all helpers before it; the user's come back.
    settings.push((b"credential.helper".to_vec(), Vec::new()));
    settings.extend(users.helpers().cloned());
    let mut filters = BTreeSet::new();
    for raw in found.keys() {
        let text = String::from_utf8_lossy(raw);
        let Some((section, rest)) = text.split_once('.') else {
            continue;
        };
        let (name, key) = match rest.rsplit_once('.') {
            Some((name, key)) => (Some(name), key),
            None => (None, rest),
        };
        if ALWAYS.iter().any(|(known, _)| *known == text) {
            continue;
        }
        if section == "remote" && matches!(key, "uploadpack" | "receivepack") {
            // Of these the first counts, so only a way without them helps.
            let vcs = [&raw[..raw.len() - key.len()], b"vcs"].concat();
            settings.push((vcs, NO_REMOTE.as_bytes().to_owned()));
            continue;
        }
        let Some(neutral) = neutral(section, name, key) else {
            continue;
        };
        if section == "filter" {
            // One of the three stands in for the others, so all are set.
            filters.insert(raw[..raw.len() - key.len()].to_owned());
            continue;
        }
        let value = users.last(raw).unwrap_or(neutral.as_bytes());
        settings.push((raw.clone(), value.to_owned()));
    }
    for filter in filters {
        let keys = [
            ("clean", ""),
            ("smudge", ""),
            ("process", ""),
            ("required", "false"),
        ];
        for (key, neutral) in keys {
            let key = [filter.as_slice(), key.as_bytes()].concat();
            let value = users.last(&key).or_else(|| of_lfs(found, &key));
            // An empty `process` takes the place of the other two, so it is
            // only set where it has to be.
            let is_needed = found.contains_key(&key) || !key.ends_with(b".process");
            if value.is_some() || is_needed {
                let value = value.unwrap_or(neutral.as_bytes()).to_owned();
                settings.push((key, value));
            }
        }
    }
    settings
}

/// What `git lfs install --local` writes into a repository. It names the
/// user's own program and leaves the repository no word in how it is run.
const OF_LFS: &[&str] = &[
    "git-lfs clean -- %f",
    "git-lfs filter-process",
    "git-lfs filter-process --skip",
    "git-lfs smudge -- %f",
    "git-lfs smudge --skip -- %f",
];

/// The one value of a key, if it is one of LFS's own.
fn of_lfs<'a>(found: &'a Keys, key: &[u8]) -> Option<&'a [u8]> {
    let values = found.get(key)?;
    let value = values.first().filter(|_| values.len() == 1)?;
    OF_LFS.contains(&value.as_str()).then_some(value.as_bytes())
}

/// A path as one word for a shell.
fn quoted(word: &[u8]) -> Vec<u8> {
    let mut quoted = b"'".to_vec();
    for byte in word {
        match byte {
            b'\'' => quoted.extend_from_slice(b"'\\''"),
            other => quoted.push(*other),
        }
    }
    quoted.push(b'\'');
    quoted
}
