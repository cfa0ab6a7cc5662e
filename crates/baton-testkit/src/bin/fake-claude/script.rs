//! Steps from a file instead of prompts, see the table in `main.rs`.

use std::path::Path;

use serde_json::{Value, json};

use crate::engine::{Engine, Flow, Stop};
use crate::messages;

/// The exit code when the host did not do what the script expects.
const DISAPPOINTED: u8 = 97;

/// What `$request_id` and `$uuid` stand for.
#[derive(Default)]
struct Seen {
    request_id: String,
    uuid: String,
}

/// Plays a script; returns only when it says `serve`.
pub(crate) fn run(engine: &mut Engine, path: &Path) -> Flow<()> {
    let text = std::fs::read_to_string(path)?;
    let mut seen = Seen::default();
    for (number, line) in text
        .lines()
        .enumerate()
        .filter(|(_, line)| !line.trim().is_empty())
    {
        let step: Value = serde_json::from_str(line)
            .map_err(|error| Stop::Refused(format!("script line {}: {error}", number + 1)))?;
        if step["serve"] == true {
            return Ok(());
        }
        play(engine, &mut seen, &step)?;
        engine.out.flush()?;
    }
    Err(Stop::Exit(0))
}

fn play(engine: &mut Engine, seen: &mut Seen, step: &Value) -> Flow<()> {
    let Some((name, argument)) = step.as_object().and_then(|step| step.iter().next()) else {
        return Err(Stop::Refused(format!("not a step: {step}")));
    };
    match name.as_str() {
        "expect" => expect(engine, seen, argument),
        "initialize" => {
            expect(
                engine,
                seen,
                &json!({"type": "control_request", "request": {"subtype": "initialize"}}),
            )?;
            let answer = messages::initialized(engine);
            let id = seen.request_id.clone();
            engine.succeed(&id, Some(answer))
        }
        "emit" => match argument {
            Value::String(text) => Ok(engine.out.raw(fill(engine, seen, text).as_bytes())?),
            Value::Null
            | Value::Bool(_)
            | Value::Number(_)
            | Value::Array(_)
            | Value::Object(_) => {
                let line = fill(engine, seen, &argument.to_string());
                Ok(engine.out.raw(format!("{line}\n").as_bytes())?)
            }
        },
        "ask" => {
            let mut request =
                json!({"subtype": "can_use_tool", "tool_use_id": "toolu_script", "input": {}});
            messages::extend(&mut request, argument.clone());
            let id = engine.out.ids.uuid();
            engine
                .out
                .line(&json!({"type": "control_request", "request_id": id, "request": request}))?;
            expect(
                engine,
                seen,
                &json!({"type": "control_response", "response": {"request_id": id}}),
            )
        }
        "stderr" => {
            Engine::complain(argument.as_str().unwrap_or_default());
            Ok(())
        }
        "hang" => engine.hang_deaf(),
        "ignore_sigterm" => {
            engine
                .sigterm_exits
                .store(false, std::sync::atomic::Ordering::SeqCst);
            Ok(())
        }
        "leak_child" => engine.leave_grandchild(argument["keep_stdout"] == true),
        "exit" => {
            engine.out.flush()?;
            let code = argument.as_u64().and_then(|code| u8::try_from(code).ok());
            Err(Stop::Exit(code.unwrap_or_default()))
        }
        other => Err(Stop::Refused(format!("unknown step {other}"))),
    }
}

fn expect(engine: &mut Engine, seen: &mut Seen, wanted: &Value) -> Flow<()> {
    loop {
        let Some(line) = engine.next_line()? else {
            Engine::complain(&format!("script: stdin ended before {wanted}"));
            return Err(Stop::Exit(DISAPPOINTED));
        };
        let Ok(value) = serde_json::from_str::<Value>(&line) else {
            continue;
        };
        if let Some(id) = value["request_id"].as_str() {
            seen.request_id = id.to_owned();
        }
        if let Some(uuid) = value["uuid"].as_str() {
            seen.uuid = uuid.to_owned();
        }
        if contains(&value, wanted) {
            return Ok(());
        }
    }
}

fn fill(engine: &Engine, seen: &Seen, text: &str) -> String {
    text.replace("$request_id", &seen.request_id)
        .replace("$uuid", &seen.uuid)
        .replace("$session", &engine.session)
}

/// Whether every field of `wanted` is in `value`, at every depth.
fn contains(value: &Value, wanted: &Value) -> bool {
    match (value, wanted) {
        (Value::Object(value), Value::Object(wanted)) => wanted
            .iter()
            .all(|(name, wanted)| value.get(name).is_some_and(|value| contains(value, wanted))),
        (value, wanted) => value == wanted,
    }
}
