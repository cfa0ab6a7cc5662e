//! What the user's own shell is told when it starts, as far as it changes where
//! a command gets to. The agent's shell reads the same files.

use std::path::Path;

use crate::file;

/// Files below the home that shells read.
const OWN: &[&str] = &[
    ".bash_aliases",
    ".bash_login",
    ".bash_profile",
    ".bashrc",
    ".config/zsh/.zshenv",
    ".config/zsh/.zshrc",
    ".profile",
    ".zlogin",
    ".zprofile",
    ".zshenv",
    ".zshrc",
];

/// Those of the machine.
const SHARED: &[&str] = &[
    "/etc/bash.bashrc",
    "/etc/bashrc",
    "/etc/profile",
    "/etc/zsh/zshenv",
    "/etc/zsh/zshrc",
    "/etc/zshenv",
    "/etc/zshrc",
];

const BYTES: u64 = 1 << 20;
const NAME: &[u8] = b"cdpath";

/// Whether `cd NAME` may lead elsewhere than into the folder of this name right
/// here: a shell that has a `CDPATH` looks there first. A file that cannot be
/// read counts as if it set one.
pub fn seeks_folders(home: &Path) -> bool {
    let own = OWN.iter().map(|name| home.join(name));
    let shared = SHARED.iter().map(|path| Path::new(path).to_owned());
    own.chain(shared)
        .any(|path| match file::read(&path, BYTES) {
            Ok(bytes) => names_it(&bytes.unwrap_or_default()),
            Err(_) => true,
        })
}

fn names_it(text: &[u8]) -> bool {
    text.windows(NAME.len())
        .any(|part| part.eq_ignore_ascii_case(NAME))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_path_for_folders_is_found_in_each_file_that_shells_read() {
        let home = tempfile::tempdir().unwrap();
        assert!(!seeks_folders(home.path()));
        for name in OWN {
            let path = home.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            for (text, sets) in [
                ("export CDPATH=~/work", true),
                ("cdpath=(~/work)", true),
                ("export PATH=~/bin:$PATH", false),
            ] {
                std::fs::write(&path, text).unwrap();
                assert_eq!(seeks_folders(home.path()), sets, "{name}: {text}");
            }
        }
    }
}
