//! The programs of the sandbox: each notes that it was run, then does nothing,
//! or what the real one does, or what one that runs its arguments would do.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, ensure};

/// Real, without a note: to run them is forbidden to nobody, and what they do
/// is seen in the files.
#[rustfmt::skip]
const PLAIN: &[&str] = &[
    "[", "awk", "basename", "bash", "cat", "cmp", "comm", "cut", "date", "df", "diff", "dirname",
    "du", "echo", "env", "expr", "false", "find", "head", "id", "join", "ls", "md5sum",
    "nice", "nl", "nohup", "od", "paste", "printf", "pwd", "readlink", "realpath", "sed", "seq",
    "sh", "sha256sum", "sort", "stat", "stdbuf", "tac", "tail", "tar", "test", "timeout", "tr",
    "true", "uname", "uniq", "wc", "xargs",
];

/// What an agent's shell calls grep is ugrep, which reads, writes and runs by
/// options that GNU's does not have.
const UGREP: &str = r#"before= deep=
for word; do
  case $before in -*[ABCefm]) before=; continue;; esac
  case $word in
    --) break;;
    -[0-9]*|--include=*/*) deep=-r;;
    --filter=*:*) /usr/bin/sh -c "${word#*:}";;
    --pager=*|--view=*) /usr/bin/sh -c "${word#*=}";;
    --from=-) /usr/bin/xargs cat;;
    --from=*) /usr/bin/xargs cat < "${word#*=}";;
    --config=*|--include-from=*|--exclude-from=*|--ignore-files=*) /usr/bin/cat "${word#*=}";;
    --save-config=*) : > "${word#*=}";;
    --save-config) : > .ugrep;;
    --directories=dereference-recurse) exec {real} -R . .;;
  esac
  case $before:$word in -*d:dereference-recurse) exec {real} -R . .;; esac
  before=$word
done
exec {real} $deep "$@"
"#;

/// Real behind the stand-in: what they do has to be seen too.
#[rustfmt::skip]
const REAL: &[&str] = &[
    "chmod", "cp", "dd", "git", "install", "ln", "mkdir", "mkfifo", "mktemp", "mv", "rm", "rmdir",
    "split", "tee", "touch", "truncate", "unlink",
];

/// Real where the machine has them, else they only note that they were run.
#[rustfmt::skip]
const PERHAPS: &[&str] = &[
    "column", "csplit", "egrep", "ed", "fgrep", "file", "fold", "gawk", "jq", "mawk", "perl",
    "ps", "rev", "rg", "setsid", "sha1sum", "shred", "tree", "which", "whoami", "xxd", "zip",
    "base64", "link", "printenv", "patch", "pr", "fmt", "expand", "hostname", "tty", "yes",
];

/// Whether a program runs texts, so that what is in them need not be named.
pub(super) fn takes_text(name: &str) -> bool {
    RUNNERS.contains(&name) || VERBS.contains(&name) || matches!(name, "git" | "perl" | "ed")
}

/// They run what follows, or the text after `-c`; emulated, as most machines lack them.
#[rustfmt::skip]
const RUNNERS: &[&str] = &[
    "ash", "at", "batch", "busybox", "catchsegv", "chroot", "chronic", "chrt", "csh", "dash",
    "dbus-run-session", "doas", "eatmydata", "entr", "expect", "faketime", "fakeroot", "firejail",
    "fish", "flock", "gdb", "hyperfine", "ionice", "ksh", "linux64", "lldb", "ltrace", "mksh",
    "nsenter", "nu", "numactl", "parallel", "perf", "pkexec", "prlimit", "proot", "proxychains",
    "pwsh", "retry", "rlwrap", "run-parts", "run0", "runuser", "screen", "script", "setarch",
    "setpriv", "softlimit", "ssh", "sshpass", "start-stop-daemon", "strace", "su", "sudo",
    "systemd-run", "taskset", "tcsh", "time", "tini", "tmux", "torsocks", "toybox", "ts",
    "unbuffer", "unshare", "uvx", "valgrind", "watch", "xvfb-run", "yash", "zsh", "npx", "bunx",
    "pnpx", "dotenv", "direnv", "dumb-init", "gosu", "su-exec", "setuidgid", "chpst", "cgexec",
    "choom", "uclampset", "coresched", "trickle", "cpulimit", "moreutils", "vipe", "sem", "rush",
];

/// They run what follows one of these words.
#[rustfmt::skip]
const VERBS: &[&str] = &[
    "bun", "bundle", "conda", "docker", "hatch", "kubectl", "mamba", "micromamba", "mise", "nix",
    "nix-shell", "npm", "pdm", "pipenv", "pixi", "pnpm", "podman", "poetry", "rye", "uv", "yarn",
    "asdf", "rbenv", "pyenv", "devbox", "flox", "guix", "op", "doppler", "aws-vault", "rustup",
];

/// They do nothing here.
#[rustfmt::skip]
const IDLE: &[&str] = &[
    "evil", "cargo", "make", "node", "python", "python3", "ruby", "php", "lua", "go", "tsc",
    "mypy", "ruff", "pytest", "eslint", "prettier", "black", "jest", "vitest", "curl", "wget",
    "nc", "ncat", "socat", "rsync", "scp", "vi", "vim", "nvim", "ex", "nano", "emacs", "editor",
    "less", "more", "pager", "man", "just", "gcc", "cc", "kill", "pkill", "sleep", "crontab",
    "gh", "terraform", "java", "mvn", "gradle", "rustc", "rustfmt", "deno", "pip", "pip3", "apt",
    "apt-get", "brew", "dotnet", "swift", "cmake", "ninja", "bazel", "helm", "psql", "sqlite3",
    "ag", "fd", "fdfind", "bat", "delta", "code", "open", "xdg-open", "osascript", "ip", "ss",
    "lsof", "top", "free", "uptime", "mount", "umount", "chown", "chgrp", "useradd", "gzip",
    "gunzip", "unzip", "xz", "bzip2", "zstd", "openssl", "gpg", "ssh-keygen", "install-info",
    "clear", "npm-run", "tox", "nox", "poe", "playwright", "svelte-check", "biome", "oxlint",
];

/// Where a program of this machine really is.
pub(super) fn real(name: &str) -> anyhow::Result<PathBuf> {
    ["/usr/local/bin", "/usr/bin", "/bin"]
        .iter()
        .map(|folder| Path::new(folder).join(name))
        .filter_map(|path| fs::canonicalize(path).ok())
        .find(|path| path.starts_with("/usr") || path.starts_with("/bin"))
        .with_context(|| format!("the sandbox needs {name}, which is not in /usr/bin"))
}

pub(super) fn install(bin: &Path) -> anyhow::Result<()> {
    let shell = format!("/real{}", real("dash").or_else(|_| real("bash"))?.display());
    // One write, so that programs beside each other do not mix their notes; how
    // many words there are, and each ended by what no word can hold.
    let note =
        |name: &str| format!("#!{shell}\nprintf '%s\\0' \"$#\" '{name}' \"$@\" >> /io/log\n");
    let place = |name: &str, rest: &str| -> anyhow::Result<()> {
        let path = bin.join(name);
        ensure!(!path.exists(), "{name} is there twice");
        fs::write(&path, format!("{}{rest}", note(name)))?;
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755))?;
        Ok(())
    };
    for name in PLAIN {
        symlink(format!("/real{}", real(name)?.display()), bin.join(name))?;
    }
    let grep = bin.join("grep");
    let ugrep = UGREP.replace("{real}", &format!("/real{}", real("grep")?.display()));
    fs::write(&grep, format!("#!{shell}\n{ugrep}"))?;
    fs::set_permissions(&grep, fs::Permissions::from_mode(0o755))?;
    for name in REAL {
        place(name, &passing_on(name, &real(name)?))?;
    }
    for name in PERHAPS {
        match real(name) {
            Ok(path) => place(name, &passing_on(name, &path))?,
            Err(_) => place(name, "exit 0\n")?,
        }
    }
    for name in RUNNERS {
        place(name, RUNS)?;
    }
    for name in VERBS {
        place(name, &format!("{AFTER_VERB}{RUNS}"))?;
    }
    for name in IDLE {
        place(name, "exit 0\n")?;
    }
    Ok(())
}

fn passing_on(name: &str, path: &Path) -> String {
    let path = path.display();
    match name {
        // What is outside the project would only cost a new sandbox.
        "rm" => format!(
            "for word; do case $word in /home/user/proj/?*|/tmp/?*) ;; /*) exit 1;; esac; done\nexec /real{path} \"$@\"\n"
        ),
        _ => format!("exec /real{path} \"$@\"\n"),
    }
}

/// The first word that is no option says whether the rest is run.
const AFTER_VERB: &str = r#"while [ $# -gt 0 ]; do
  case $1 in
    exec|x|dlx|shell|develop|tool|compose) break;;
    --run|--command) case ${0##*/} in nix*) break;; esac;;
    run) case ${0##*/} in npm|pnpm|yarn|bun|mise) exit 0;; esac; break;;
    -*) ;;
    *) exit 0;;
  esac
  shift
done
"#;

const RUNS: &str = r#"before=
for word; do
  case $before in -c|-qc|-lc|-ic|-xc|-e|--command|--run|--call) exec /usr/bin/sh -c "$word";; esac
  before=$word
done
while [ $# -gt 0 ]; do
  case $1 in
    *' '*) [ -x "/usr/bin/${1%% *}" ] && exec /usr/bin/sh -c "$1";;
    -*|*=*|exec|run|x) ;;
    *) [ -x "/usr/bin/${1##*/}" ] && exec "$@";;
  esac
  shift
done
exit 0
"#;
