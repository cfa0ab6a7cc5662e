//! Whether the CLI is here, which one, and whether somebody is signed in.

use std::path::Path;

use baton_claude::Version;
use baton_process::RunOutput;
use baton_protocol::api::DoctorCheck as Check;

use crate::agents::{AgentHome, health::probe};

pub(in crate::agents) const INSTALL: &str = "Install Claude Code (`npm install -g \
     @anthropic-ai/claude-code`), or set BATON_AGENT_CLAUDE_PATH to it. `--agent demo` works \
     without.";

/// Versions that the tests drive.
const TESTED: [&str; 2] = ["2.1.197", "2.1.325"];

async fn ask(home: &AgentHome, program: &Path, args: &[&str]) -> Result<RunOutput, String> {
    probe(program.to_owned(), args, home.env.clone()).await
}

pub(in crate::agents) async fn version(home: &AgentHome) -> Option<String> {
    let output = ask(home, home.claude.as_deref()?, &["--version"])
        .await
        .ok()?;
    let text = String::from_utf8_lossy(&output.stdout);
    let version: Version = text.trim().parse().ok()?;
    Some(version.to_string())
}

pub(in crate::agents) async fn examine(home: &AgentHome) -> Vec<Check> {
    const NAME: &str = "claude";
    let Some(program) = home.claude.as_deref() else {
        return vec![Check::warning(NAME, "not found on PATH", INSTALL)];
    };
    let output = match ask(home, program, &["--version"]).await {
        Ok(output) => output,
        Err(error) if home.claude_named => {
            let error = format!("{error} (BATON_AGENT_CLAUDE_PATH is {})", program.display());
            return vec![Check::problem(NAME, error, INSTALL)];
        }
        Err(error) => return vec![Check::problem(NAME, error, INSTALL)],
    };
    let text = String::from_utf8_lossy(&output.stdout);
    let said: String = text.trim().lines().next().unwrap_or_default().into();
    let said: String = said.chars().take(100).collect();
    let finding = format!("{said} ({})", program.display());
    let known = TESTED.iter().any(|tested| text.starts_with(tested));
    let version = match text.trim().parse::<Version>() {
        Err(_) => Check::problem(
            NAME,
            finding,
            "This does not look like Claude Code. Point BATON_AGENT_CLAUDE_PATH to it.",
        ),
        Ok(_) if known => Check::ok(NAME, finding),
        Ok(_) => Check::ok(
            NAME,
            format!("{finding}; tested with {}", TESTED.join(" and ")),
        ),
    };
    vec![version, login(home, program).await]
}

async fn login(home: &AgentHome, program: &Path) -> Check {
    const NAME: &str = "claude login";
    const SIGN_IN: &str = "Run `claude` in a terminal and sign in with /login.";
    let status = match ask(home, program, &["auth", "status"]).await {
        Ok(output) => output.stdout,
        Err(error) => return Check::warning(NAME, format!("cannot be told: {error}"), SIGN_IN),
    };
    let status: serde_json::Value = serde_json::from_slice(&status).unwrap_or_default();
    match status["loggedIn"].as_bool() {
        Some(true) => {
            let method = status["authMethod"].as_str().unwrap_or("unknown method");
            let method: String = method.chars().take(100).collect();
            Check::ok(NAME, format!("signed in ({method})"))
        }
        Some(false) => Check::problem(NAME, "not signed in", SIGN_IN),
        None => Check::warning(NAME, "cannot be told by this version", SIGN_IN),
    }
}
