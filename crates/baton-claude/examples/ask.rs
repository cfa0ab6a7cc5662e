//! Two turns with the real CLI: streams the answer, asks on the terminal
//! before each tool, and ends well.
//!
//! ```console
//! $ cargo run -p baton-claude --example ask -- "list the files here, then count them"
//! ```
#![expect(clippy::print_stdout, reason = "a terminal program prints")]
#![expect(
    clippy::disallowed_methods,
    reason = "a program may read its environment"
)]

use std::io::{BufRead as _, Write as _};

use baton_claude::{
    ApiEvent, CanUseTool, Claude, ContentBlock, Delta, Event, Handler, Initialize, Limits, Message,
    Options, PermissionDecision,
};

/// Asks the person at the terminal.
struct Terminal;

impl Handler for Terminal {
    async fn can_use_tool(&self, ask: CanUseTool) -> PermissionDecision {
        println!("\n{} wants to run with {}", ask.tool_name, ask.input.get());
        // Waiting for a person blocks a thread, so it must not be one of the
        // runtime's own.
        let answer = tokio::task::spawn_blocking(|| {
            print!("allow? [y/N] ");
            std::io::stdout().flush()?;
            let mut line = String::new();
            std::io::stdin().lock().read_line(&mut line)?;
            Ok::<_, std::io::Error>(line)
        });
        match answer.await {
            Ok(Ok(line)) if line.trim() == "y" => PermissionDecision::allow(&ask),
            _ => PermissionDecision::deny("the user said no"),
        }
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let prompt = std::env::args()
        .nth(1)
        .unwrap_or_else(|| "say hello".to_owned());
    let options = Options::new("claude", std::env::current_dir()?, std::env::vars_os());
    let mut claude =
        Claude::start(&options, Initialize::default(), Terminal, Limits::default()).await?;
    for text in [&*prompt, "now say it in one short sentence"] {
        println!("\n> {text}");
        claude.say(text).await?;
        turn(&mut claude).await?;
    }
    if let Some(ended) = claude.close().await {
        println!("\nthe CLI ended: {:?}", ended.report.exit);
    }
    Ok(())
}

/// Prints what comes until the turn is over.
async fn turn(claude: &mut Claude) -> Result<(), Box<dyn std::error::Error>> {
    while let Some(event) = claude.next().await {
        match event {
            Event::Message(Message::StreamEvent(stream)) => {
                if let ApiEvent::ContentBlockDelta {
                    delta: Delta::Text(text),
                    ..
                } = stream.event
                {
                    print!("{text}");
                    std::io::stdout().flush()?;
                }
            }
            Event::Message(Message::Assistant(assistant)) => {
                for block in assistant.message.content.blocks() {
                    if let ContentBlock::ToolUse { name, input, .. } = block {
                        println!("\n[{name} {}]", input.get());
                    }
                }
            }
            Event::Message(Message::Result(result)) => {
                println!(
                    "\n({:?}, ${:.4})",
                    result.ending(),
                    result.total_cost_usd.unwrap_or(0.0)
                );
                return Ok(());
            }
            Event::Message(_) => {}
            Event::Unreadable(error) => println!("\n({error})"),
            Event::TooLong { bytes, .. } => println!("\n(a line of {bytes} bytes was skipped)"),
            Event::Cut { .. } => println!("\n(the last line is incomplete)"),
            Event::Ended(ended) => {
                return Err(format!("the CLI ended: {}", ended.stderr_tail.trim()).into());
            }
        }
    }
    Ok(())
}
