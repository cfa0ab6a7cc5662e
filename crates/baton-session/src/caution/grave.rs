//! Commands that cannot be undone, or that act on more than the project.
//!
//! A list of what people know to be careful with; it decides nothing. What is
//! not on it is of medium risk, because nobody knows what it does.

use super::tokens::Word;

/// What is grave about a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Grave {
    /// What it destroys cannot be brought back.
    Destroys,
    /// It acts on the machine or on others: accounts, servers, registries.
    Beyond,
    /// It changes what runs by itself.
    RunsByItself,
}

impl Grave {
    /// The kind and the words of the warning.
    pub(super) fn notice(self, what: &str) -> (&'static str, String) {
        match self {
            Self::Destroys => (
                "destructive",
                format!("destroys what cannot be brought back ({what})"),
            ),
            Self::Beyond => ("beyond", format!("acts on more than this project ({what})")),
            Self::RunsByItself => ("autorun", format!("changes what runs by itself ({what})")),
        }
    }
}

/// Grave however they are called.
const ALWAYS: &[(&str, Grave)] = &[
    ("shred", Grave::Destroys),
    ("srm", Grave::Destroys),
    ("wipefs", Grave::Destroys),
    ("mkfs", Grave::Destroys),
    ("fdisk", Grave::Destroys),
    ("parted", Grave::Destroys),
    ("dropdb", Grave::Destroys),
    ("shutdown", Grave::Beyond),
    ("reboot", Grave::Beyond),
    ("halt", Grave::Beyond),
    ("poweroff", Grave::Beyond),
    ("killall", Grave::Beyond),
    ("pkill", Grave::Beyond),
    ("mount", Grave::Beyond),
    ("umount", Grave::Beyond),
    ("iptables", Grave::Beyond),
    ("useradd", Grave::Beyond),
    ("usermod", Grave::Beyond),
    ("userdel", Grave::Beyond),
    ("passwd", Grave::Beyond),
    ("visudo", Grave::Beyond),
    ("ssh", Grave::Beyond),
    ("scp", Grave::Beyond),
    ("sftp", Grave::Beyond),
    ("apt", Grave::Beyond),
    ("apt-get", Grave::Beyond),
    ("dnf", Grave::Beyond),
    ("yum", Grave::Beyond),
    ("pacman", Grave::Beyond),
    ("apk", Grave::Beyond),
    ("brew", Grave::Beyond),
    ("snap", Grave::Beyond),
    ("chsh", Grave::RunsByItself),
    ("crontab", Grave::RunsByItself),
    ("at", Grave::RunsByItself),
    ("batch", Grave::RunsByItself),
    ("systemctl", Grave::RunsByItself),
    ("service", Grave::RunsByItself),
    ("launchctl", Grave::RunsByItself),
    ("update-rc.d", Grave::RunsByItself),
];

/// Grave with this word among their first ones.
const WITH_WORD: &[(&str, &[&str], Grave)] = &[
    ("npm", PUBLISH, Grave::Beyond),
    ("pnpm", PUBLISH, Grave::Beyond),
    ("yarn", PUBLISH, Grave::Beyond),
    (
        "cargo",
        &["publish", "yank", "login", "owner"],
        Grave::Beyond,
    ),
    ("gem", &["push", "yank"], Grave::Beyond),
    ("twine", &["upload"], Grave::Beyond),
    ("poetry", &["publish"], Grave::Beyond),
    ("uv", &["publish"], Grave::Beyond),
    ("docker", DESTROYS, Grave::Destroys),
    ("docker", &["push", "login"], Grave::Beyond),
    ("podman", DESTROYS, Grave::Destroys),
    ("kubectl", &["delete", "drain"], Grave::Destroys),
    (
        "kubectl",
        &[
            "apply", "create", "replace", "patch", "scale", "exec", "rollout",
        ],
        Grave::Beyond,
    ),
    (
        "helm",
        &["install", "upgrade", "uninstall", "rollback"],
        Grave::Beyond,
    ),
    ("terraform", &["destroy"], Grave::Destroys),
    ("terraform", &["apply", "import"], Grave::Beyond),
    ("tofu", &["apply", "destroy", "import"], Grave::Beyond),
    (
        "gh",
        &["delete", "merge", "release", "secret", "api", "auth"],
        Grave::Beyond,
    ),
    (
        "glab",
        &["delete", "merge", "release", "api", "auth"],
        Grave::Beyond,
    ),
];
const PUBLISH: &[&str] = &[
    "publish",
    "unpublish",
    "deprecate",
    "adduser",
    "login",
    "owner",
    "access",
];
const DESTROYS: &[&str] = &["rm", "rmi", "prune", "kill"];

/// What is grave about a program with these arguments, and how it is named.
pub(super) fn grave(program: &str, arguments: &[Word]) -> Option<(Grave, String)> {
    let told = |word: &str| format!("{program} {word}");
    let words = || arguments.iter().map(|word| word.text.as_str());
    let has = |wanted: &[&str]| words().find(|word| wanted.contains(word));
    let short = |letters: &[char]| {
        words().find(|word| is_short(word) && word.chars().any(|c| letters.contains(&c)))
    };
    if let Some((_, grave)) = ALWAYS.iter().find(|(name, _)| *name == program) {
        return Some((*grave, program.to_owned()));
    }
    if program.starts_with("mkfs.") {
        return Some((Grave::Destroys, program.to_owned()));
    }
    let mut plain = words().filter(|word| !word.starts_with('-'));
    let first: Vec<&str> = plain.by_ref().take(2).collect();
    let named = WITH_WORD.iter().find_map(|(name, grave_words, grave)| {
        let word = first.iter().find(|word| grave_words.contains(word))?;
        (*name == program).then(|| (*grave, told(word)))
    });
    if named.is_some() {
        return named;
    }
    let found = match program {
        "rm" | "unlink" => short(&['r', 'R']).or_else(|| has(&["--recursive"])),
        "rmdir" => None,
        "chmod" | "chown" | "chgrp" => short(&['R']).or_else(|| has(&["--recursive"])),
        "truncate" => Some("-s").filter(|_| has(&["-s"]).is_some()),
        "find" => has(&["-delete"]).or_else(|| {
            let runs = has(&["-exec", "-execdir", "-ok"]).is_some();
            has(&["rm", "/bin/rm"]).filter(|_| runs)
        }),
        "dd" => words().find(|word| word.starts_with("of=")),
        "rsync" => has(&[
            "--delete",
            "--delete-before",
            "--delete-after",
            "--remove-source-files",
        ]),
        "git" => return git(arguments),
        "npm" | "pnpm" | "yarn" => has(&["-g", "--global"]),
        "curl" | "wget" => sends(arguments),
        _ => None,
    }?;
    let grave = match program {
        "chmod" | "chown" | "chgrp" | "npm" | "pnpm" | "yarn" | "curl" | "wget" => Grave::Beyond,
        _ => Grave::Destroys,
    };
    Some((grave, told(found)))
}

/// `-rf`, not `--recursive` and not a number.
fn is_short(word: &str) -> bool {
    word.len() > 1 && word.starts_with('-') && word.chars().skip(1).all(|c| c.is_ascii_alphabetic())
}

/// The option by which something is sent to a server.
fn sends(arguments: &[Word]) -> Option<&str> {
    let mut words = arguments.iter().map(|word| word.text.as_str());
    words.find(|word| {
        ["-d", "-F", "-T"]
            .iter()
            .any(|option| word.starts_with(option))
            || [
                "--data",
                "--form",
                "--upload-file",
                "--json",
                "--post",
                "--body",
            ]
            .iter()
            .any(|option| word.starts_with(option))
    })
}

/// What git does that another command of git does not undo.
fn git(arguments: &[Word]) -> Option<(Grave, String)> {
    let mut words = arguments.iter().map(|word| word.text.as_str()).peekable();
    // Where and how git runs is said before what it does.
    while let Some(word) = words.peek() {
        match *word {
            "-C" | "-c" | "--git-dir" | "--work-tree" => {
                words.next();
                words.next();
            }
            word if word.starts_with('-') => {
                words.next();
            }
            _ => break,
        }
    }
    let verb = words.next()?;
    let rest: Vec<&str> = words.collect();
    let has = |wanted: &[&str]| rest.iter().copied().find(|word| wanted.contains(word));
    let short = |letter: char| {
        let mut words = rest.iter().copied();
        words.find(|word| is_short(word) && word.contains(letter))
    };
    let destroys = match verb {
        "push" => rest
            .iter()
            .copied()
            .find(|word| word.starts_with("--force") || word.starts_with('+'))
            .or_else(|| short('f'))
            .or_else(|| short('d'))
            .or_else(|| has(&["--delete", "--mirror", "--prune"]))
            .or_else(|| rest.iter().copied().find(|word| word.starts_with(':'))),
        "reset" => has(&["--hard", "--merge", "--keep"]),
        "clean" => short('f').or_else(|| has(&["--force"])),
        "checkout" => has(&["--", ".", "--force"]).or_else(|| short('f')),
        "switch" => has(&["--force", "--discard-changes"]).or_else(|| short('f')),
        "restore" => Some("").filter(|_| has(&["--staged", "-S"]).is_none()),
        "branch" | "tag" => short('D').or_else(|| has(&["--delete", "-d"])),
        "stash" => has(&["drop", "clear"]),
        "reflog" => has(&["expire", "delete"]),
        "update-ref" => has(&["-d"]),
        "worktree" => has(&["remove"]),
        "filter-branch" | "filter-repo" | "gc" | "prune" => Some(""),
        "config" => {
            let reads = has(&["--get", "--get-all", "--list", "-l", "get", "list"]).is_some();
            let plain = rest.iter().filter(|word| !word.starts_with('-')).count();
            let sets =
                !reads && (plain > 1 || has(&["--unset", "--add", "-e", "--edit"]).is_some());
            return sets.then(|| (Grave::RunsByItself, "git config".to_owned()));
        }
        _ => None,
    }?;
    let what = format!("git {verb} {destroys}");
    Some((Grave::Destroys, what.trim_end().to_owned()))
}
