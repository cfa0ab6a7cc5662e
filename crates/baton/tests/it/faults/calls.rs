//! Calls that reach out of the conversation: a tool of an MCP server with a
//! side effect, and the user's own hooks around it. Whoever dies around the
//! call, nothing of it happens twice.

use std::{
    path::{Path, PathBuf},
    sync::Mutex,
    time::Duration,
};

use baton_protocol::{Envelope, Event};
use baton_testkit::{
    Sandbox, Version, claude_cli,
    model::{self, ModelServer, Script},
};
use serde_json::{Value, json};

use super::{
    house::{House, Victims},
    life::{Cue, Kill, Life, Moment, Pause, Said},
    rules, verdict,
};

/// An MCP server with one tool, which writes a line each time it is called and
/// answers a little later.
const SERVER: &str = r#"
say() { printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$1"; }
while IFS= read -r line; do
  id=$(printf '%s\n' "$line" | sed -n 's/.*"id":\([0-9][0-9]*\).*/\1/p')
  version=$(printf '%s\n' "$line" | sed -n 's/.*"protocolVersion":"\([^"]*\)".*/\1/p')
  case $line in
    *'"initialize"'*)
      say "{\"protocolVersion\":\"$version\",\"capabilities\":{\"tools\":{}},\"serverInfo\":{\"name\":\"counter\",\"version\":\"1\"}}" ;;
    *'"tools/list"'*)
      say '{"tools":[{"name":"count","description":"Counts.","inputSchema":{"type":"object","properties":{"command":{"type":"string"}}}}]}' ;;
    *'"tools/call"'*)
      echo m >> "$1"
      sleep 0.3
      say '{"content":[{"type":"text","text":"counted"}]}' ;;
    *'"id":'*)
      say '{}' ;;
  esac
done
"#;

/// Makes the server and the hooks known to the CLI, as the user would.
fn furnish(sandbox: &Sandbox) {
    let home = sandbox.home();
    let script = home.join("server.sh");
    std::fs::write(&script, SERVER).unwrap();
    let effects = sandbox.project().join("effects");
    let server = json!({"type": "stdio", "command": "/bin/sh", "args": [script, effects]});
    let config = home.join(".claude.json");
    let mut settings: Value = std::fs::read(&config)
        .ok()
        .and_then(|text| serde_json::from_slice(&text).ok())
        .unwrap_or_else(|| json!({}));
    settings["mcpServers"] = json!({"counter": server});
    std::fs::write(config, settings.to_string()).unwrap();
    let hook = |name: &str| {
        let command = format!("echo {name} >> {}", traces(&home).display());
        json!([{"matcher": "mcp__.*", "hooks": [{"type": "command", "command": command}]}])
    };
    let hooks = json!({"PreToolUse": hook("before"), "PostToolUse": hook("after")});
    std::fs::create_dir_all(home.join(".claude")).unwrap();
    let settings = json!({"hooks": hooks});
    std::fs::write(home.join(".claude/settings.json"), settings.to_string()).unwrap();
}

fn traces(home: &Path) -> PathBuf {
    home.join("hooks")
}

/// Who is killed when.
struct Case {
    what: &'static str,
    moment: Moment,
    pause: Pause,
    victims: Victims,
}

fn cases() -> Vec<Case> {
    let everyone = [
        Victims::DAEMON,
        Victims::HOLDER,
        Victims::AGENT,
        Victims::ALL,
    ];
    let mut cases = Vec::new();
    for victims in everyone {
        let resolved =
            |frame: &Value, _: &[Envelope]| frame["event"]["type"] == "approval.resolved";
        let completed = |frame: &Value, _: &[Envelope]| frame["event"]["type"] == "tool.completed";
        let now = || Pause::Reaction(Duration::ZERO);
        cases.push(Case {
            what: "the call is allowed",
            moment: Moment::Frame(resolved),
            pause: now(),
            victims,
        });
        cases.push(Case {
            what: "the call runs",
            moment: Moment::Frame(resolved),
            pause: Pause::Effects,
            victims,
        });
        cases.push(Case {
            what: "the call is done",
            moment: Moment::Frame(completed),
            pause: now(),
            victims,
        });
    }
    cases
}

fn live(version: Version, case: Case) {
    // The log knows the effect by the command that would have it.
    let call = model::tool_use(
        "mcp__counter__count",
        json!({"command": "echo m >> effects"}),
    );
    let rest = (0..4).map(|_| model::text("Done."));
    let model = ModelServer::start(Script::new().replies([call]).replies(rest));
    let sandbox = Sandbox::new().with_model(&model);
    furnish(&sandbox);
    let mut house = House::new(sandbox, claude_cli(version));
    let script = vec![
        Said::new(1, Cue::Quiet, "count"),
        Said::new(2, Cue::Quiet, "go on"),
    ];
    let undisturbed = case.victims == Victims::DAEMON;
    let kill = Kill {
        moment: case.moment,
        pause: case.pause,
        victims: case.victims,
    };
    let mut life = Life::new(&mut house, script, vec![kill]);
    life.live();
    life.stop();
    let Life { seen, script, .. } = life;
    // Among other things: the tool ran once at most, and if the log says so.
    verdict::check(&house, &seen, &script);
    let log = rules::text(&seen);
    let hooks = std::fs::read_to_string(traces(&house.sandbox.home())).unwrap_or_default();
    let hooks: Vec<&str> = hooks.lines().collect();
    let done = |envelope: &Envelope| match &envelope.event {
        Event::ToolCompleted(tool) => !tool.is_error,
        _ => false,
    };
    if undisturbed || seen.iter().any(done) {
        assert_eq!(house.effects(), ["m"], "in\n{log}");
    }
    if undisturbed {
        assert_eq!(hooks, ["before", "after"], "in\n{log}");
    } else {
        let once = matches!(hooks[..], [] | ["before"] | ["before", "after"]);
        assert!(once, "{hooks:?}\nin\n{log}");
    }
}

/// Each case with one of the versions in turn: there are many, and what is
/// asked of both is the same.
#[test]
fn whoever_dies_around_a_call_neither_server_nor_hooks_are_called_twice() {
    let versions = Version::ALL.into_iter().cycle();
    let cases: Vec<_> = cases().into_iter().zip(versions).collect();
    let cases = Mutex::new(cases);
    let lane = || {
        loop {
            let Some((case, version)) = cases.lock().unwrap().pop() else {
                return;
            };
            let (what, victims) = (case.what, case.victims);
            let run = std::panic::AssertUnwindSafe(|| live(version, case));
            let ended = std::panic::catch_unwind(run);
            assert!(ended.is_ok(), "{version:?}: {victims:?} killed when {what}");
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(lane);
        }
    });
}
