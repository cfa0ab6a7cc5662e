//! Which files and folders hold secrets. `docs/security.md` has the same list.

/// Below the user's home. A folder stands for all that is in it.
pub(super) const IN_HOME: &[&str] = &[
    // Baton's own, also when this one keeps its data elsewhere.
    ".baton",
    // Agents.
    ".claude/.credentials.json",
    ".claude/backups",
    ".codex/auth.json",
    ".gemini/oauth_creds.json",
    ".local/share/opencode/auth.json",
    ".config/github-copilot",
    // Keys and passwords.
    ".ssh",
    ".gnupg",
    ".password-store",
    ".local/share/keyrings",
    ".local/share/kwalletd",
    ".pki",
    ".config/age",
    ".config/sops",
    ".config/op",
    ".config/Bitwarden CLI",
    ".vault-token",
    "Library/Keychains",
    // Hosts of code and packages.
    ".config/gh",
    ".config/hub",
    ".config/glab-cli",
    ".git-credentials",
    ".config/git/credentials",
    ".netrc",
    ".npmrc",
    ".yarnrc.yml",
    ".pypirc",
    ".cargo/credentials",
    ".cargo/credentials.toml",
    ".gem/credentials",
    ".m2/settings.xml",
    ".gradle/gradle.properties",
    ".composer/auth.json",
    ".config/composer/auth.json",
    // Clouds, clusters and databases.
    ".aws",
    ".azure",
    ".config/gcloud",
    ".config/doctl",
    ".config/rclone",
    ".kube",
    ".docker/config.json",
    ".config/containers/auth.json",
    ".terraform.d/credentials.tfrc.json",
    ".boto",
    ".s3cfg",
    ".pgpass",
    ".my.cnf",
    // Browsers: who is signed in where.
    ".mozilla",
    ".config/google-chrome",
    ".config/chromium",
    ".config/BraveSoftware",
    ".config/microsoft-edge",
    "Library/Application Support/Google/Chrome",
    "Library/Application Support/Firefox",
    "Library/Cookies",
];

/// Below the folder of Claude Code, wherever that is.
pub(super) const IN_CLAUDE: &[&str] = &[".credentials.json", "backups"];

/// Files whose names begin so, in the user's home and in Claude Code's folder:
/// the CLI's own state, which holds keys, and the copies that it leaves beside.
pub(super) const CLAUDE_STATE: &str = ".claude.json";

/// Of the whole machine.
pub(super) const OF_MACHINE: &[&str] = &[
    "/run/secrets",
    "/var/run/secrets",
    "/etc/shadow",
    "/etc/shadow-",
    "/etc/gshadow",
    "/etc/gshadow-",
];

/// File systems that show the insides of processes, their environments included.
pub(super) const OF_PROCESSES: &[&str] = &["/proc"];
