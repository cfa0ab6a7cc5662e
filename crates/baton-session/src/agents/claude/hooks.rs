//! Hooks of the user's that would answer for a person.
//!
//! A `PermissionRequest` hook is asked together with Baton, and whoever answers
//! first decides: a command that says yes is always first. Seen on both
//! versions. So where there is one, the CLI's hooks are switched off; Baton's
//! own gate stays, because it is no hook of the settings.

use std::{fs, path::Path};

use baton_project::{accepted::Accepted, marketplaces};

use super::subagents::own_marketplaces;

const EVENT: &[u8] = b"PermissionRequest";

/// Those that are called when a process comes up, before anything is said to it,
/// and when it ends.
const AROUND: &[&[u8]] = &[b"SessionStart", b"SessionEnd"];

/// What the CLI takes hooks from, below its own folder.
const PLACES: &[&str] = &["settings.json", "agents", "skills", "commands", "plugins"];

/// More is not looked at; then there may be one.
const MOST_ENTRIES: usize = 20_000;
const MOST_BYTES: u64 = 1 << 20;

/// Whether something in the CLI's own folder, or where its plugins are from, may
/// answer for a person.
pub(in crate::agents) fn may_answer(config: &Path) -> bool {
    any_names(config, &[EVENT])
}

/// Whether something there runs when a process comes up or ends.
pub(in crate::agents) fn act_at_start(config: &Path) -> bool {
    any_names(config, AROUND)
}

fn any_names(config: &Path, events: &[&[u8]]) -> bool {
    let mut left = MOST_ENTRIES;
    let own = PLACES.iter().map(|place| config.join(place));
    let others = own_marketplaces(config, config);
    own.chain(others)
        .any(|place| names_it(&place, events, &mut left))
}

/// Whether the settings may, which the CLI reads again while it runs.
pub(crate) fn settings_may_answer(config: &Path) -> bool {
    let mut left = 1;
    names_it(&config.join("settings.json"), &[EVENT], &mut left)
}

/// Whether something that a trusted folder brings may.
pub(in crate::agents) fn accepted_may_answer(accepted: &Accepted, folder: &Path) -> bool {
    accepted_name(accepted, folder, &[EVENT])
}

/// Whether something of it runs when a process comes up or ends.
pub(in crate::agents) fn accepted_act_at_start(accepted: &Accepted, folder: &Path) -> bool {
    let settings = accepted.settings.get("hooks").map(ToString::to_string);
    settings.is_some_and(|hooks| holds(hooks.as_bytes(), AROUND))
        || accepted_name(accepted, folder, AROUND)
}

fn accepted_name(accepted: &Accepted, folder: &Path, events: &[&[u8]]) -> bool {
    let files = accepted
        .plugins
        .iter()
        .any(|file| holds(&file.bytes, events));
    // A marketplace in a folder is read as it lies, so it is looked at there.
    let mut left = MOST_ENTRIES;
    let folders = marketplaces::folders(&accepted.settings, folder);
    files || folders.iter().any(|one| names_it(one, events, &mut left))
}

/// Whether a text has the name of an event, also with letters that are written
/// as JSON and YAML write odd ones.
fn holds(bytes: &[u8], events: &[&[u8]]) -> bool {
    let named = |bytes: &[u8], event: &[u8]| bytes.windows(event.len()).any(|part| part == event);
    let has = |bytes: &[u8]| events.iter().any(|event| named(bytes, event));
    has(bytes) || (bytes.contains(&b'\\') && has(&unescaped(bytes)))
}

/// Plain letters for `\x50`, `\u0050` and `\U00000050`, and a line that goes on
/// after a `\` put together.
fn unescaped(bytes: &[u8]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let [first, after @ ..] = rest {
        rest = after;
        if *first != b'\\' {
            plain.push(*first);
            continue;
        }
        let digits = match after.first() {
            Some(b'x') => 2,
            Some(b'u') => 4,
            Some(b'U') => 8,
            Some(b'\n') => {
                rest = after.trim_ascii_start();
                continue;
            }
            Some(_) | None => continue,
        };
        let code = after
            .get(1..=digits)
            .and_then(|hex| str::from_utf8(hex).ok());
        let code = code.and_then(|hex| u8::from_str_radix(hex, 16).ok());
        if let Some(letter) = code {
            plain.push(letter);
            rest = &after[1 + digits..];
        }
    }
    plain
}

fn names_it(path: &Path, events: &[&[u8]], left: &mut usize) -> bool {
    if *left == 0 {
        return true;
    }
    *left -= 1;
    let Ok(meta) = fs::symlink_metadata(path) else {
        return false;
    };
    // The CLI follows links; one that leads in a circle uses up what is left.
    let meta = if meta.is_symlink() {
        fs::metadata(path).unwrap_or(meta)
    } else {
        meta
    };
    if meta.is_dir() {
        let Ok(entries) = fs::read_dir(path) else {
            return false;
        };
        return entries
            .flatten()
            .any(|entry| names_it(&entry.path(), events, left));
    }
    let text = path
        .extension()
        .is_some_and(|end| end == "json" || end == "md");
    if !text || !meta.is_file() {
        return false;
    }
    if meta.len() > MOST_BYTES {
        return true;
    }
    holds(&fs::read(path).unwrap_or_default(), events)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hook_that_runs_when_a_process_comes_up_is_found() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(
            folder.path().join("settings.json"),
            r#"{"hooks":{"Stop":[]}}"#,
        )
        .unwrap();
        assert!(!act_at_start(folder.path()));
        for event in ["SessionStart", "SessionEnd"] {
            let settings = format!(r#"{{"hooks":{{"{event}":[]}}}}"#);
            fs::write(folder.path().join("settings.json"), &settings).unwrap();
            assert!(act_at_start(folder.path()), "{event}");
            let brought = Accepted {
                settings: serde_json::from_str(&settings).unwrap(),
                ..Accepted::default()
            };
            assert!(accepted_act_at_start(&brought, folder.path()), "{event}");
        }
        assert!(!accepted_act_at_start(&Accepted::default(), folder.path()));
    }

    #[test]
    fn a_hook_that_answers_is_found_wherever_the_cli_looks() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        assert!(!may_answer(folder.path()));
        write("settings.json", r#"{"hooks":{"PreToolUse":[]}}"#);
        write("projects/x.md", "PermissionRequest");
        assert!(!may_answer(folder.path()));
        for place in ["settings.json", "agents/a.md", "plugins/p/hooks/hooks.json"] {
            for text in [
                "PermissionRequest",
                r#"{"\u0050ermission\u0052equest": []}"#,
                r#""\x50ermissionRequest": []"#,
                "\"Permission\\\n  Request\": []",
                r#""\\", "\U00000050ermissionRequest""#,
            ] {
                write(place, text);
                assert!(may_answer(folder.path()), "{place}: {text}");
            }
            write(place, "{}");
        }
        let plugin = tempfile::tempdir().unwrap();
        let known = serde_json::json!({"m": {"installLocation": plugin.path()}});
        write("plugins/known_marketplaces.json", &known.to_string());
        assert!(!may_answer(folder.path()));
        fs::write(plugin.path().join("hooks.json"), "PermissionRequest").unwrap();
        assert!(may_answer(folder.path()));
    }
}
