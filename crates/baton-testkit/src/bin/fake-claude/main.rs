//! `fake-claude`: a fast stand-in for the `claude` CLI that misbehaves on demand.
//!
//! It speaks stream-json and the control protocol as the real CLI does (one
//! test compares the two line by line), without a model: prompts say what to
//! do, one directive per line. A prompt without any is read like the scripted
//! model reads it (`RUN[...]`, see `baton_testkit::directive`) or echoed.
//!
//! | prompt line | what happens |
//! |---|---|
//! | `tok N`, `say TEXT`, `think TEXT` | streams N tokens, the text, a thinking block |
//! | `bash CMD`, `background CMD` | runs a command, asking first as the CLI would; the second in the background |
//! | `read PATH`, `write PATH\|TEXT`, `edit PATH\|OLD\|NEW` | file tools |
//! | `question Q\|A\|B`, `plan TEXT`, `agent PROMPT`, `todo A\|B` | the tools of that name |
//! | `api-error 529 2` | two failed tries, then it goes on; without the 2 it fails for good |
//! | `auth-error` | ends the turn as a CLI that is not logged in |
//! | `flood N` | N deltas as fast as stdout takes them |
//! | `events N` | N short lines as fast as stdout takes them, each an event to keep; every tenth a message |
//! | `rate N per second for S s` | deltas at that pace; each text is `CLOCK_MONOTONIC` in ns, read just before the write |
//! | `paragraphs N per second for S s` | the same, each a paragraph with its blank line |
//! | `hang` | falls silent mid-answer; control requests, interrupt and EOF still work |
//! | `hang-deaf` | falls silent and answers nothing more; only a signal ends it |
//! | `hang-on-second` | this turn is fine, the next message wedges it like `hang-deaf` |
//! | `duplicate` | every further line of the turn is written twice |
//! | `garbage` | writes lines that are not JSON, with broken UTF-8 |
//! | `half-line` | writes half a line and exits 1 |
//! | `huge BYTES` | one text block of that size, in one delta and one assistant line |
//! | `big-line BYTES` | one line of an unknown type of about that size |
//! | `crash at POINT` | SIGKILLs itself after that line: `init`, `delta`, `assistant`, `ask`, `tool-result`, `before-result`, `result` |
//! | `exit CODE` | exits at once, in the middle of the turn |
//! | `ignore-sigterm` | SIGTERM has no effect any more |
//! | `grandchild`, `grandchild stdout` | leaves a sleeper in its own session; the second keeps stdout open |
//! | `stderr TEXT`, `unknown-type` | writes that to stderr; writes a line of an unknown type |
//!
//! `/compact`, `/clear` and unknown slash commands answer as the CLI does.
//! Rewinding files works within one process. Sub-agents run in the foreground.
//!
//! Variables: `FAKE_CLAUDE_VERSION` = `197` (default) or `325` (also
//! `--claude-version`); `FAKE_CLAUDE_ARGV` = a file that gets one JSON line
//! `{argv, files, env, cwd}` per start; `FAKE_CLAUDE_SCRIPT` = a JSONL file of steps
//! that replaces all of the above:
//!
//! | step | what happens |
//! |---|---|
//! | `{"expect": {..}}` | reads lines until one contains these fields; EOF before that exits 97 |
//! | `{"emit": {..}}` or `"text"` | writes a line; `$request_id`, `$uuid` and `$session` stand for the last ones seen |
//! | `{"ask": {"tool_name": .., "input": ..}}` | sends can_use_tool and waits for the answer |
//! | `{"initialize": true}` | waits for initialize and answers it properly |
//! | `{"stderr": "text"}`, `{"hang": true}`, `{"exit": N}` | as above; the end of the script exits 0 |
//! | `{"ignore_sigterm": true}`, `{"leak_child": {"keep_stdout": true}}` | as above |
//! | `{"serve": true}` | goes on as the ordinary fake |

mod clock;
mod control;
mod engine;
mod hooks;
mod messages;
mod misbehave;
mod options;
mod output;
mod permission;
mod prompt;
mod script;
mod slash;
mod stream;
mod subagent;
mod tools;
mod transcript;
mod turn;

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use serde_json::json;

use crate::engine::{Engine, Stop};
use crate::options::{Options, Refused};

/// Hidden first argument of the process left behind by `grandchild`.
const SLEEPER: &str = "--fake-claude-sleeper";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let first = args.first().map(String::as_str);
    if first == Some(SLEEPER) {
        return misbehave::sleep_in_own_session();
    }
    let env = environment();
    let cwd = std::env::current_dir().unwrap_or_else(|_| PathBuf::from("/"));
    if let Some(file) = env.get("FAKE_CLAUDE_ARGV") {
        note_start(file, &args, &env, &cwd);
    }
    match Options::parse(&args, &env, cwd) {
        Ok(options) if matches!(first, Some("--version" | "-v")) => {
            say(&format!("{} (Claude Code)", options.version.number()))
        }
        Ok(options) if first == Some("auth") => auth_status(&options),
        Ok(options) => run(options),
        Err(Refused(text)) => complain(&text),
    }
}

fn run(options: Options) -> ExitCode {
    let ended = Engine::open(options).and_then(Engine::run);
    match ended {
        Ok(code) | Err(Stop::Exit(code)) => ExitCode::from(code),
        Err(Stop::Refused(text)) => complain(&text),
        Err(Stop::Io(error)) => complain(&format!("fake-claude: {error}")),
        Err(Stop::Abort(_)) => complain("fake-claude: aborted outside a turn"),
    }
}

fn auth_status(options: &Options) -> ExitCode {
    let status = if options.logged_in {
        json!({"loggedIn": true, "authMethod": "api_key", "apiProvider": "firstParty", "apiKeySource": "ANTHROPIC_API_KEY"})
    } else {
        json!({"loggedIn": false, "authMethod": "none", "apiProvider": "firstParty"})
    };
    let code = say(&format!("{status:#}"));
    if options.logged_in {
        code
    } else {
        ExitCode::FAILURE
    }
}

fn say(text: &str) -> ExitCode {
    let written = writeln!(std::io::stdout(), "{text}");
    if written.is_ok() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

fn complain(text: &str) -> ExitCode {
    // Without a stderr the exit code says it all.
    drop(writeln!(std::io::stderr(), "{text}"));
    ExitCode::FAILURE
}

#[expect(
    clippy::disallowed_methods,
    reason = "a program reads its environment once, here"
)]
fn environment() -> BTreeMap<String, String> {
    let pairs = std::env::vars_os();
    pairs
        .map(|(name, value)| {
            (
                name.to_string_lossy().into_owned(),
                value.to_string_lossy().into_owned(),
            )
        })
        .collect()
}

/// One `write` of one line, so that several fakes can share the file.
fn note_start(file: &str, args: &[String], env: &BTreeMap<String, String>, cwd: &std::path::Path) {
    // Files that go with the process, as it is given them.
    let files: BTreeMap<&String, String> = args
        .iter()
        .filter_map(|arg| {
            let path = arg.split_once('=').map_or(arg.as_str(), |(_, path)| path);
            Some((arg, std::fs::read_to_string(path).ok()?))
        })
        .collect();
    let start = json!({"argv": args, "files": files, "env": env, "cwd": cwd});
    let line = format!("{start}\n");
    let opened = std::fs::OpenOptions::new()
        .create(true)
        .append(true)
        .open(file);
    let noted = opened.and_then(|mut file| file.write_all(line.as_bytes()));
    if noted.is_err() {
        complain("fake-claude: cannot write FAKE_CLAUDE_ARGV");
    }
}
