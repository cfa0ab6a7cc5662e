//! Where a repository is to come from.

/// An address that is not taken.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WrongSource {
    #[error("it is empty")]
    Empty,
    #[error(
        "it is no address of a repository; write https://host/path, ssh://host/path or git@host:path"
    )]
    NoAddress,
    #[error("{0} is not spoken here; use https or ssh")]
    Protocol(String),
    #[error(
        "it has a password or token in it, which would be kept in the clone; leave it out and let git's credential helper give it"
    )]
    Secret,
    #[error("it is longer than an address can be")]
    TooLong,
}

const MOST: usize = 2000;

/// An address that git may be given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    url: String,
    is_file: bool,
}

impl Source {
    pub fn parse(text: &str) -> Result<Self, WrongSource> {
        let url = text.trim();
        if url.is_empty() {
            return Err(WrongSource::Empty);
        }
        if url.len() > MOST {
            return Err(WrongSource::TooLong);
        }
        if url.starts_with('-')
            || url
                .chars()
                .any(|one| one.is_control() || one.is_whitespace())
        {
            return Err(WrongSource::NoAddress);
        }
        let good = match url.split_once("://") {
            Some((scheme, rest)) => {
                let scheme = scheme.to_ascii_lowercase();
                if scheme != "https" && scheme != "ssh" {
                    let scheme = scheme.chars().take(20).collect();
                    return Err(WrongSource::Protocol(scheme));
                }
                let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
                is_authority(authority)? && is_path(path)
            }
            // `ext::sh -c …` would run a program.
            None if url.contains("::") => {
                let scheme = url.split("::").next().unwrap_or_default();
                return Err(WrongSource::Protocol(scheme.chars().take(20).collect()));
            }
            None => match url.split_once(':') {
                Some((authority, path)) => {
                    authority.contains('@') && is_authority(authority)? && is_path(path)
                }
                None => false,
            },
        };
        let url = url.to_owned();
        good.then_some(Self {
            url,
            is_file: false,
        })
        .ok_or(WrongSource::NoAddress)
    }

    /// A repository of this machine, for who tests.
    #[doc(hidden)]
    pub fn of_this_machine(folder: &std::path::Path) -> Self {
        Self {
            url: format!("file://{}", folder.display()),
            is_file: true,
        }
    }

    pub(super) fn url(&self) -> &str {
        &self.url
    }

    pub(super) const fn is_file(&self) -> bool {
        self.is_file
    }

    /// What its folder is called if nobody says otherwise.
    pub fn name(&self) -> Option<&str> {
        let path = self.url.trim_end_matches('/');
        let path = path.strip_suffix(".git").unwrap_or(path);
        let name = path.rsplit(['/', ':']).next()?;
        is_name(name).then_some(name)
    }
}

/// Whether a folder may be called so.
pub fn is_name(name: &str) -> bool {
    let odd = |one: char| one == '/' || one == '\\' || one.is_control();
    !name.is_empty() && name.len() <= 100 && !name.starts_with(['.', '-']) && !name.contains(odd)
}

/// `user@host:port`. Neither part may look like an option of ssh.
fn is_authority(text: &str) -> Result<bool, WrongSource> {
    let (user, host) = match text.rsplit_once('@') {
        Some((user, host)) => (Some(user), host),
        None => (None, text),
    };
    if user.is_some_and(|user| user.contains(':')) {
        return Err(WrongSource::Secret);
    }
    let plain = |text: &str, more: &str| {
        let letter =
            |one: char| one.is_ascii_alphanumeric() || "._-".contains(one) || more.contains(one);
        !text.is_empty() && !text.starts_with('-') && text.chars().all(letter)
    };
    Ok(user.is_none_or(|user| plain(user, "+")) && plain(host, ":[]"))
}

fn is_path(path: &str) -> bool {
    let path = path.trim_matches('/');
    !path.is_empty() && !path.starts_with('-')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_https_and_ssh_are_taken() {
        for (url, name) in [
            ("https://github.com/rust-lang/regex", "regex"),
            (" https://github.com/rust-lang/regex.git ", "regex"),
            ("https://me@dev.azure.com/me/shop/_git/web", "web"),
            ("ssh://git@host.example:2222/srv/shop.git/", "shop"),
            ("git@github.com:rust-lang/regex.git", "regex"),
            ("git@host:shop", "shop"),
        ] {
            assert_eq!(Source::parse(url).unwrap().name(), Some(name), "{url}");
        }
        let protocol = |name: &str| WrongSource::Protocol(name.into());
        for (url, why) in [
            ("", WrongSource::Empty),
            ("shop", WrongSource::NoAddress),
            ("/srv/shop", WrongSource::NoAddress),
            ("host:shop", WrongSource::NoAddress),
            ("C:\\shop", WrongSource::NoAddress),
            ("https://", WrongSource::NoAddress),
            ("https://github.com/", WrongSource::NoAddress),
            ("--upload-pack=x", WrongSource::NoAddress),
            ("https://a b/c", WrongSource::NoAddress),
            ("ssh://-oProxyCommand=x/y", WrongSource::NoAddress),
            ("ssh://git@-oProxyCommand/y", WrongSource::NoAddress),
            ("-o@host:path", WrongSource::NoAddress),
            ("git@host:-path", WrongSource::NoAddress),
            ("git@ho;st:path", WrongSource::NoAddress),
            ("git@host:", WrongSource::NoAddress),
            ("http://host/shop", protocol("http")),
            ("git://host/shop", protocol("git")),
            ("file:///srv/shop", protocol("file")),
            ("FILE:///srv/shop", protocol("file")),
            ("ext::sh -c touch", WrongSource::NoAddress),
            ("ext::sh", protocol("ext")),
            ("fd::17", protocol("fd")),
            ("https://me:secret@host/shop", WrongSource::Secret),
        ] {
            assert_eq!(Source::parse(url), Err(why), "{url}");
        }
    }

    #[test]
    fn an_address_whose_end_is_no_name_needs_one() {
        for url in ["https://host/..", "https://host/.git", "git@host:.config"] {
            assert_eq!(Source::parse(url).unwrap().name(), None, "{url}");
        }
    }
}
