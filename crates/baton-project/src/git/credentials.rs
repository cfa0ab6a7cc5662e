//! Credentials in a repository's own settings: a token in the address of a
//! remote, a header. Commands of git that only read show them.

use std::path::{Path, PathBuf};

use baton_protocol::mask;

use super::{CONFIG_BYTES, Repository};
use crate::{config, file};

/// How long a name in an address is that is taken for a token.
const TOKEN: usize = 20;

/// The settings of the repository around a folder that hold a credential. Those
/// that cannot be read count as if they did.
pub fn credentials(folder: &Path) -> Vec<PathBuf> {
    let Some(repository) = Repository::find(folder) else {
        return Vec::new();
    };
    let own = repository.dir.join("config.worktree");
    let files = [repository.common.join("config"), own].into_iter();
    let holding = |path: &PathBuf| match file::read(path, CONFIG_BYTES) {
        Ok(bytes) => holds(&bytes.unwrap_or_default()),
        Err(_) => true,
    };
    files.filter(holding).collect()
}

fn holds(bytes: &[u8]) -> bool {
    let settings = config::parse(bytes);
    let secret = |setting: &config::GitSetting| {
        let (key, value) = (setting.key(), setting.text());
        let named = ["extraheader", "pass", "secret", "token"]
            .iter()
            .any(|word| key.contains(word));
        named || in_address(value) || in_address(&setting.name) || mask::text(value) != value
    };
    // What git would not read further shows nothing more of it either, but the
    // file may.
    settings.bad_line.is_some() || settings.entries.iter().any(secret)
}

/// Whether an address has a password, or a token in place of a name. A name
/// alone is none: `https://me@host/`, `ssh://git@host/`.
fn in_address(text: &str) -> bool {
    text.match_indices("://").any(|(at, sign)| {
        let rest = &text[at + sign.len()..];
        let end = rest.find(['/', ' ', '\'', '"']).unwrap_or(rest.len());
        let user = rest[..end].rsplit_once('@').map(|(user, _)| user);
        user.is_some_and(|user| user.contains(':') || user.len() >= TOKEN)
    })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn found(config: &str) -> bool {
        let folder = tempfile::tempdir().unwrap();
        let git = folder.path().join(".git");
        for name in ["objects", "refs"] {
            fs::create_dir_all(git.join(name)).unwrap();
        }
        fs::write(git.join("HEAD"), "ref: refs/heads/main\n").unwrap();
        fs::write(git.join("config"), config).unwrap();
        fs::create_dir(folder.path().join("sub")).unwrap();
        let found = credentials(&folder.path().join("sub"));
        assert!(found.is_empty() || found == [git.join("config")]);
        !found.is_empty()
    }

    #[test]
    fn credentials_in_settings_are_found() {
        for config in [
            "[remote \"o\"]\n\turl = https://me:hush@host/x.git\n",
            "[remote \"o\"]\n\turl = https://0123456789abcdef0123@host/x.git\n",
            "[remote \"o\"]\n\tpushurl = http://x-access-token:t@host/x\n",
            "[url \"https://me:hush@host/\"]\n\tinsteadOf = gh:\n",
            "[http \"https://host/\"]\n\textraHeader = X-Key: abc\n",
            "[http]\n\tproxy = http://me:hush@proxy:3128\n",
            "[sendemail]\n\tsmtpPass = hush\n",
            "[github]\n\ttoken = abc\n",
            "[credential]\n\thelper = \"!f() { echo password=hushhushhush; }; f\"\n",
            "[core\n",
        ] {
            assert!(found(config), "{config}");
        }
    }

    #[test]
    fn usual_settings_hold_none() {
        for config in [
            "",
            "[core]\n\tbare = false\n[remote \"o\"]\n\turl = git@host:a/b.git\n",
            "[remote \"o\"]\n\turl = https://org@dev.azure.com/org/p/_git/p\n",
            "[remote \"o\"]\n\turl = ssh://git@host:22/a/b.git\n\tfetch = +refs/heads/*:refs/remotes/o/*\n",
            "[credential]\n\thelper = cache --timeout=3600\n[user]\n\temail = a@example.org\n",
            "[branch \"main\"]\n\tremote = o\n\tmerge = refs/heads/main\n",
        ] {
            assert!(!found(config), "{config}");
        }
    }
}
