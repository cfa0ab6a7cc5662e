//! The demo agent's own process: reads prompts, plays scenes, ends with stdin.

use std::{
    collections::BTreeSet,
    io::{BufRead, Write},
    sync::mpsc::{Receiver, sync_channel},
    time::Duration,
};

use baton_protocol::event::SessionStarted;

use super::{Said, Told, scenes, stage::Stage};

/// Plays until `input` ends. `pace` is the time between two words.
///
/// # Errors
/// When `output` cannot be written, which means that nobody listens any more.
pub fn run<R, W>(input: R, output: W, cwd: &std::path::Path, pace: Duration) -> std::io::Result<()>
where
    R: BufRead + Send + 'static,
    W: Write,
{
    let told = listen(input);
    let mut stage = Stage::new(output, told, pace);
    stage.say(&Said::Ready)?;
    let mut taken = BTreeSet::new();
    while let Some(told) = stage.next() {
        match told {
            // Sending the same message again is safe, as with claude.
            Told::Prompt { message_id, .. } if !taken.insert(message_id) => {}
            Told::Prompt { message_id, text } => {
                stage.say(&Said::Turn)?;
                stage.say(&Said::Started(facts()))?;
                stage.say(&Said::Taken { message_id })?;
                let ended = scenes::play(&mut stage, message_id, &text, cwd);
                stage.end_turn(ended)?;
            }
            // Late answers and interrupts of a turn that is over mean nothing.
            Told::Answer { .. } | Told::Interrupt => {}
        }
    }
    Ok(())
}

/// Reads stdin on a thread of its own, so that a scene can be interrupted.
fn listen<R: BufRead + Send + 'static>(input: R) -> Receiver<Told> {
    // Full means the sender waits: the demo is told only a few lines per turn.
    let (sender, receiver) = sync_channel(64);
    std::thread::spawn(move || {
        for line in input.lines() {
            let Ok(line) = line else { break };
            if let Ok(told) = serde_json::from_str::<Told>(&line)
                && sender.send(told).is_err()
            {
                break;
            }
        }
    });
    receiver
}

fn facts() -> SessionStarted {
    SessionStarted {
        agent_session_id: None,
        model: Some("demo".into()),
        tools: [
            "Read",
            "Edit",
            "Write",
            "Bash",
            "Agent",
            "AskUserQuestion",
            "ExitPlanMode",
        ]
        .map(String::from)
        .to_vec(),
        mcp_servers: Vec::new(),
        slash_commands: Vec::new(),
        permission_mode: None,
        agent_version: Some(env!("CARGO_PKG_VERSION").into()),
        pid: Some(std::process::id()),
    }
}
