//! Whether the user's own git settings put credentials into the addresses of
//! remotes (`url.https://name:token@host/.insteadOf`): commands that only read
//! then show them.

use std::path::Path;

use super::own::own;

/// Whether the settings below this home, or those of the machine, do. Files that
/// cannot be read count as if they did.
pub fn rewrites_with_secrets(home: &Path) -> bool {
    let own = own(home);
    let with_secret = own.settings.iter().any(|(_, setting)| {
        let rewrites = matches!(setting.key(), "insteadof" | "pushinsteadof");
        setting.section() == "url" && rewrites && holds_secret(&setting.name)
    });
    with_secret || own.more
}

/// Whether an address has a password, or a token in its place. Others than those
/// of HTTP mostly have a name alone: `ssh://git@host/`.
fn holds_secret(name: &str) -> bool {
    let Some((scheme, rest)) = name.split_once("://") else {
        return false;
    };
    let authority = rest.split('/').next().unwrap_or_default();
    authority.rsplit_once('@').is_some_and(|(user, _)| {
        user.contains(':') || scheme.ends_with("http") || scheme.ends_with("https")
    })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn home(files: &[(&str, &str)]) -> tempfile::TempDir {
        let home = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = home.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        home
    }

    #[test]
    fn credentials_in_addresses_are_found_through_includes() {
        let token = "[url \"https://me:tok@host/\"]\n\tinsteadOf = https://host/\n";
        let found = [
            home(&[(".gitconfig", token)]),
            home(&[(".config/git/config", token)]),
            home(&[(".gitconfig", &token.replace("me:tok", "tok"))]),
            home(&[
                (".gitconfig", "[includeIf \"gitdir:~/w/\"]\n\tpath = work\n"),
                ("work", "[include]\n\tpath = ~/more/x\n"),
                ("more/x", token),
            ]),
        ];
        for home in found {
            assert!(rewrites_with_secrets(home.path()));
        }
        let plain = "[url \"ssh://git@host/\"]\n\tinsteadOf = https://host/\n\
                     [url \"git@host:\"]\n\tinsteadOf = gh:\n\
                     [include]\n\tpath = .gitconfig\n";
        assert!(!rewrites_with_secrets(
            home(&[(".gitconfig", plain)]).path()
        ));
        assert!(!rewrites_with_secrets(home(&[]).path()));
    }
}
