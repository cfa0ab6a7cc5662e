//! Commands that run other commands: `env`, `sudo`, `xargs`, `bash -c`, `find -exec`.
//!
//! The command inside is taken out and judged by itself. Where options are not
//! known well enough to find it, the command is opaque.

use super::assignment::assigns;
use super::xargs::xargs;
use super::{Script, Simple, Unparsed, Word, read_into, take};

/// How a wrapper's own arguments end and the command inside begins.
pub(super) struct Wrapper {
    pub(super) name: &'static str,
    /// Short options that stand alone.
    pub(super) alone: &'static str,
    /// Short options that take a value, attached or as the next word.
    pub(super) valued: &'static str,
    /// Long options that stand alone; those with `=` are complete as they are.
    pub(super) long: &'static [&'static str],
    /// Words before the command that are not options.
    pub(super) operands: usize,
    /// `NAME=value` may stand before the command.
    pub(super) assigns: bool,
    /// Only the command inside counts.
    pub(super) transparent: bool,
}

pub(super) const PLAIN: Wrapper = Wrapper {
    name: "",
    alone: "",
    valued: "",
    long: &[],
    operands: 0,
    assigns: false,
    transparent: false,
};

const WRAPPERS: &[Wrapper] = &[
    Wrapper {
        name: "builtin",
        ..PLAIN
    },
    Wrapper {
        name: "command",
        alone: "p",
        transparent: true,
        ..PLAIN
    },
    Wrapper {
        name: "doas",
        alone: "n",
        valued: "u",
        ..PLAIN
    },
    Wrapper {
        name: "env",
        alone: "i0v",
        valued: "u",
        long: &["ignore-environment", "debug"],
        assigns: true,
        ..PLAIN
    },
    Wrapper {
        name: "exec",
        alone: "cl",
        valued: "a",
        ..PLAIN
    },
    Wrapper {
        name: "ionice",
        alone: "t",
        valued: "cn",
        ..PLAIN
    },
    Wrapper {
        name: "nice",
        alone: "0123456789",
        valued: "n",
        transparent: true,
        ..PLAIN
    },
    Wrapper {
        name: "nocorrect",
        transparent: true,
        ..PLAIN
    },
    Wrapper {
        name: "noglob",
        transparent: true,
        ..PLAIN
    },
    Wrapper {
        name: "nohup",
        transparent: true,
        ..PLAIN
    },
    Wrapper {
        name: "setsid",
        alone: "cfw",
        long: &["fork", "wait"],
        ..PLAIN
    },
    Wrapper {
        name: "stdbuf",
        valued: "ioe",
        transparent: true,
        ..PLAIN
    },
    Wrapper {
        name: "sudo",
        alone: "AbEHnPSk",
        valued: "ugphCrtTU",
        long: &["non-interactive", "preserve-env", "set-home"],
        assigns: true,
        ..PLAIN
    },
    Wrapper {
        name: "time",
        alone: "pv",
        transparent: true,
        ..PLAIN
    },
    Wrapper {
        name: "timeout",
        alone: "v",
        valued: "ks",
        long: &["preserve-status", "foreground", "verbose"],
        operands: 1,
        transparent: true,
        ..PLAIN
    },
];

/// Shells that take a script as an argument or from standard input.
const SHELLS: &[&str] = &[
    "ash", "bash", "dash", "fish", "ksh", "mksh", "rbash", "sh", "yash", "zsh",
];

/// Programs that run some of their arguments, in ways too many to know.
const RUNNERS: &[&str] = &[
    "at",
    "batch",
    "busybox",
    "chroot",
    "chrt",
    "dbus-run-session",
    "entr",
    "expect",
    "fakeroot",
    "firejail",
    "flock",
    "gdb",
    "ltrace",
    "nsenter",
    "parallel",
    "pkexec",
    "proot",
    "run0",
    "runuser",
    "screen",
    "script",
    "setarch",
    "start-stop-daemon",
    "strace",
    "su",
    "systemd-run",
    "taskset",
    "toybox",
    "unshare",
    "valgrind",
    "watch",
];

/// Programs that run some of their arguments elsewhere, and do much else too.
const CARRIERS: &[&str] = &[
    "bunx", "docker", "fd", "fdfind", "kubectl", "npx", "nsh", "pnpx", "podman", "ssh", "tmux",
    "uvx", "wsl",
];

/// Any argument of those may begin a command, so their number bounds the work.
const MAX_ARGUMENTS: usize = 64;

/// Looks into the command at `at` and adds what it runs.
pub(super) fn unwrap(script: &mut Script, at: usize, depth: usize) -> Result<(), Unparsed> {
    let simple = script.commands[at].clone();
    let Some(first) = simple.words.first() else {
        return Ok(());
    };
    let Some(program) = simple
        .program()
        .filter(|name| !name.contains('=') && !name.is_empty())
    else {
        let what = "the name of a command is only known when it runs";
        script.unnamed.push(format!("{what}: {}", first.source));
        return Ok(());
    };
    let carries = RUNNERS.contains(&program) || CARRIERS.contains(&program);
    if carries && simple.words.len() > MAX_ARGUMENTS {
        script.opaque(format!("{program} has too many arguments to look at"));
        return Ok(());
    }
    script.commands[at].runs_arguments = carries;
    if let Some(wrapper) = WRAPPERS.iter().find(|wrapper| wrapper.name == program) {
        return plain(script, at, wrapper, depth);
    }
    match program {
        "xargs" => xargs(script, &simple, depth),
        "find" => find(script, &simple, depth),
        "eval" => eval(script, &simple, depth),
        "trap" => trap(script, &simple, depth),
        "alias" => {
            let meanings = simple.words.iter().filter_map(Word::text);
            let meanings = meanings.filter_map(|text| text.split_once('='));
            meanings
                .into_iter()
                .try_for_each(|(_, text)| nested(script, text, depth))
        }
        "source" | "." => {
            if simple.words.get(1).is_none_or(is_stream) {
                script.opaque("source runs what is only known later");
            }
            script.special("it runs the commands in a file");
            Ok(())
        }
        _ if SHELLS.contains(&program) => shell(script, &simple, depth),
        _ if RUNNERS.contains(&program) => {
            script.special(format!("{program} runs other commands"));
            let texts = simple.words.windows(2).filter_map(|pair| match pair {
                [option, text] if matches!(option.text(), Some("-c" | "--command")) => text.text(),
                _ => None,
            });
            texts
                .into_iter()
                .try_for_each(|text| nested(script, text, depth))
        }
        _ => Ok(()),
    }
}

/// The arguments of a builtin, without the `--` that may stand before them.
fn arguments(simple: &Simple) -> &[Word] {
    match simple.words.get(1..).unwrap_or_default() {
        [dashes, rest @ ..] if dashes.text() == Some("--") => rest,
        words => words,
    }
}

fn eval(script: &mut Script, simple: &Simple, depth: usize) -> Result<(), Unparsed> {
    let mut text = String::new();
    for word in arguments(simple) {
        let Some(value) = word.text() else {
            script.opaque("eval runs what is only known later");
            return Ok(());
        };
        text.push_str(value);
        text.push(' ');
    }
    nested(script, &text, depth)
}

fn trap(script: &mut Script, simple: &Simple, depth: usize) -> Result<(), Unparsed> {
    match arguments(simple) {
        [action, _, ..] => match action.text() {
            Some(text) if text.starts_with('-') => Ok(()),
            Some(text) => nested(script, text, depth),
            None => {
                script.opaque("trap runs what is only known later");
                Ok(())
            }
        },
        // One word may become several.
        [word] if word.text().is_none() => {
            script.opaque("trap runs what is only known later");
            Ok(())
        }
        [] | [_] => Ok(()),
    }
}

/// Reads a text that a command would run.
fn nested(script: &mut Script, text: &str, depth: usize) -> Result<(), Unparsed> {
    if text.trim().is_empty() {
        Ok(())
    } else {
        read_into(script, text, depth)
    }
}

pub(super) fn hides(script: &mut Script, program: &str) {
    script.opaque(format!(
        "the command that {program} runs cannot be told apart from its options"
    ));
}

fn plain(script: &mut Script, at: usize, wrapper: &Wrapper, depth: usize) -> Result<(), Unparsed> {
    let words = script.commands[at].words.clone();
    // Asking for a name's meaning runs nothing.
    if wrapper.name == "command" && matches!(words.get(1).and_then(Word::text), Some("-v" | "-V")) {
        return Ok(());
    }
    let Some(mut next) = options(&words, wrapper) else {
        hides(script, wrapper.name);
        return Ok(());
    };
    let mut inner = Simple::default();
    while wrapper.assigns && words.get(next).is_some_and(|word| assigns(&word.source)) {
        inner.assignments.push(words[next].source.clone());
        next += 1;
    }
    next += wrapper.operands;
    // Alone, these print or do something to the shell itself.
    if next >= words.len() {
        return Ok(());
    }
    let operands = &words[next - wrapper.operands..next];
    if operands
        .iter()
        .any(|word| word.text().is_none_or(|text| text.starts_with('-')))
    {
        hides(script, wrapper.name);
        return Ok(());
    }
    // By another path it is another program.
    let bare = words[0].text() == Some(wrapper.name);
    script.commands[at].transparent = wrapper.transparent && bare;
    inner.words = words[next..].to_vec();
    take(script, inner, depth)
}

/// Where the options end, if all of them are known.
pub(super) fn options(words: &[Word], wrapper: &Wrapper) -> Option<usize> {
    let mut next = 1;
    while let Some(word) = words.get(next) {
        // What may become an option when it runs cannot be skipped.
        let Some(text) = word.text() else {
            return Some(next).filter(|_| assigns(&word.source));
        };
        if text == "--" {
            return Some(next + 1);
        }
        let Some(option) = text.strip_prefix('-').filter(|option| !option.is_empty()) else {
            return Some(next);
        };
        if let Some(long) = option.strip_prefix('-') {
            if !(wrapper.long.contains(&long) || (wrapper.name != "env" && long.contains('='))) {
                return None;
            }
            next += 1;
            continue;
        }
        next += 1;
        let mut letters = option.chars();
        while let Some(letter) = letters.next() {
            if wrapper.valued.contains(letter) {
                if letters.as_str().is_empty() {
                    words.get(next)?.text()?;
                    next += 1;
                }
                break;
            }
            if !wrapper.alone.contains(letter) {
                return None;
            }
        }
    }
    Some(next)
}

fn find(script: &mut Script, simple: &Simple, depth: usize) -> Result<(), Unparsed> {
    let mut words = simple.words.iter();
    while let Some(word) = words.next() {
        if !matches!(word.text(), Some("-exec" | "-execdir" | "-ok" | "-okdir")) {
            continue;
        }
        let mut inner = Vec::new();
        loop {
            match words.next() {
                None => {
                    hides(script, "find");
                    return Ok(());
                }
                Some(word) if word.text() == Some(";") => break,
                Some(word) if word.text() == Some("+") => {
                    inner.push(Word::unknown("…"));
                    break;
                }
                Some(word) if word.text().is_none_or(|text| text.contains("{}")) => {
                    inner.push(Word::unknown(word.source.clone()));
                }
                Some(word) => inner.push(word.clone()),
            }
        }
        if inner.is_empty() {
            hides(script, "find");
            return Ok(());
        }
        take(
            script,
            Simple {
                words: inner,
                ..Simple::default()
            },
            depth,
        )?;
    }
    Ok(())
}

/// `bash -c '…'`, `bash file` and `bash` alone.
fn shell(script: &mut Script, simple: &Simple, depth: usize) -> Result<(), Unparsed> {
    let program = simple.program().unwrap_or("a shell").to_owned();
    let mut command = false;
    let mut next = 1;
    while let Some(word) = simple.words.get(next) {
        let Some(text) = word.text() else {
            hides(script, &program);
            return Ok(());
        };
        next += 1;
        if text == "--" || text == "-" {
            break;
        }
        let Some(option) = text.strip_prefix(['-', '+']) else {
            next -= 1;
            break;
        };
        if let Some(long) = option.strip_prefix('-') {
            match long {
                "login" | "noprofile" | "norc" | "posix" | "verbose" | "restricted" => {}
                "version" | "help" => return Ok(()),
                _ => {
                    hides(script, &program);
                    return Ok(());
                }
            }
        } else {
            command |= text.starts_with('-') && option.contains('c');
            if option.contains('s') {
                hides(script, &program);
                return Ok(());
            }
            if option.ends_with(['o', 'O']) {
                next += 1;
            }
        }
    }
    match (command, simple.words.get(next).map(Word::text)) {
        (true, Some(Some(text))) => nested(script, text, depth),
        (true, _) => {
            script.opaque(format!("{program} runs what is only known later"));
            Ok(())
        }
        (false, None) => {
            script.opaque(format!("{program} runs what it reads"));
            Ok(())
        }
        (false, Some(_)) if is_stream(&simple.words[next]) => {
            script.opaque(format!("{program} runs what it reads"));
            Ok(())
        }
        (false, Some(_)) => Ok(()),
    }
}

/// Whether a file is what another command writes, and not one on disk.
fn is_stream(file: &Word) -> bool {
    file.text()
        .is_none_or(|path| path == "-" || path.starts_with("/dev/") || path.starts_with("/proc/"))
}
