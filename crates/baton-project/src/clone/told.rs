//! What git says while it clones: how far it is, and why it cannot go on.

/// How far a clone has come.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Progress {
    /// What it does, in words for people.
    pub doing: &'static str,
    /// Of that.
    pub percent: u8,
}

const STEPS: &[(&str, &str)] = &[
    ("Counting objects", "Counting"),
    ("Compressing objects", "Packing there"),
    ("Receiving objects", "Receiving"),
    ("Resolving deltas", "Unpacking"),
    ("Updating files", "Writing files"),
];

impl Progress {
    /// The last that was told.
    pub(super) fn last(told: &[u8]) -> Option<Self> {
        let lines = told.rsplit(|byte| matches!(byte, b'\r' | b'\n'));
        lines.take(200).find_map(|line| {
            let line = String::from_utf8_lossy(line);
            let line = line.trim().trim_start_matches("remote: ");
            let (step, rest) = line.split_once(':')?;
            let (_, doing) = STEPS.iter().find(|(name, _)| *name == step)?;
            let (percent, _) = rest.trim_start().split_once('%')?;
            Some(Self {
                doing,
                percent: percent.parse().ok().filter(|percent| *percent <= 100)?,
            })
        })
    }
}

/// Why a repository could not be had, in words for people.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CloneError {
    #[error(
        "The host was not found, or there is no network. Check the address and the connection."
    )]
    NoHost,
    #[error(
        "The host does not answer. Check the address, the connection and whether a proxy is needed."
    )]
    NoAnswer,
    #[error(
        "There is no such repository, or it is not open to everyone and nobody is signed in to it here."
    )]
    NotThere,
    #[error(
        "The host wants to know who asks. Sign git in on this machine (a credential helper such as `gh auth setup-git`, or an ssh key in the agent), then try again."
    )]
    SignIn,
    #[error(
        "The host's ssh key is not known on this machine. Connect to it once with `ssh` in a terminal, then try again."
    )]
    UnknownKey,
    #[error("The host's certificate is not trusted on this machine.")]
    Certificate,
    #[error("The disk is full.")]
    Full,
    #[error("git could not get it: {0}")]
    Other(String),
}

/// What git, curl and ssh say, and what it means. The first that fits.
const MEANS: &[(&str, CloneError)] = &[
    ("no space left", CloneError::Full),
    ("could not resolve host", CloneError::NoHost),
    ("name or service not known", CloneError::NoHost),
    ("temporary failure in name resolution", CloneError::NoHost),
    ("host key verification failed", CloneError::UnknownKey),
    ("permission denied (", CloneError::SignIn),
    ("could not read username", CloneError::SignIn),
    ("could not read password", CloneError::SignIn),
    ("authentication failed", CloneError::SignIn),
    ("terminal prompts disabled", CloneError::SignIn),
    ("error: 401", CloneError::SignIn),
    ("error: 403", CloneError::SignIn),
    ("certificate", CloneError::Certificate),
    ("repository not found", CloneError::NotThere),
    (
        "does not appear to be a git repository",
        CloneError::NotThere,
    ),
    ("does not exist", CloneError::NotThere),
    ("not found", CloneError::NotThere),
    ("failed to connect", CloneError::NoAnswer),
    ("couldn't connect", CloneError::NoAnswer),
    ("connection refused", CloneError::NoAnswer),
    ("connection timed out", CloneError::NoAnswer),
    ("operation too slow", CloneError::NoAnswer),
    ("network is unreachable", CloneError::NoAnswer),
    ("no route to host", CloneError::NoAnswer),
];

impl CloneError {
    pub(super) fn of(told: &[u8]) -> Self {
        let text = String::from_utf8_lossy(told);
        let lower = text.to_lowercase();
        if let Some((_, means)) = MEANS.iter().find(|(words, _)| lower.contains(words)) {
            return means.clone();
        }
        let lines = text.split(['\r', '\n']).map(str::trim);
        let mut last =
            lines.filter(|line| line.starts_with("fatal:") || line.starts_with("error:"));
        let last = last.next_back().unwrap_or("it said nothing");
        let words: String = last.chars().take(300).collect();
        Self::Other(crate::text::show(&words))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_that_was_told_counts() {
        let told = b"Cloning into 'x'...\nremote: Counting objects: 100% (9/9), done.\r\nReceiving objects:   3% (1/30)\rReceiving objects:  45% (14/30), 1.20 MiB | 2.00 MiB/s\r";
        let progress = Progress::last(told).unwrap();
        assert_eq!((progress.doing, progress.percent), ("Receiving", 45));
        let begun = b"remote: Compressing objects:  12% (1/8)\r";
        assert_eq!(Progress::last(begun).unwrap().doing, "Packing there");
        assert_eq!(Progress::last(b"Cloning into 'x'...\n"), None);
    }

    #[test]
    fn what_went_wrong_is_said_in_words() {
        for (told, why) in [
            (
                "fatal: unable to access 'https://x/': Could not resolve host: x",
                CloneError::NoHost,
            ),
            (
                "fatal: could not read Username for 'https://x': terminal prompts disabled",
                CloneError::SignIn,
            ),
            (
                "git@x: Permission denied (publickey).\nfatal: Could not read from remote repository.",
                CloneError::SignIn,
            ),
            (
                "Host key verification failed.\nfatal: Could not read from remote repository.",
                CloneError::UnknownKey,
            ),
            (
                "remote: Not Found\nfatal: repository 'https://x/' not found",
                CloneError::NotThere,
            ),
            (
                "fatal: unable to access: Failed to connect to x port 443 after 1 ms",
                CloneError::NoAnswer,
            ),
            (
                "fatal: write error: No space left on device",
                CloneError::Full,
            ),
            (
                "fatal: odd\x1b[31m",
                CloneError::Other(crate::text::show("fatal: odd\x1b[31m")),
            ),
        ] {
            assert_eq!(CloneError::of(told.as_bytes()), why, "{told}");
        }
    }
}
