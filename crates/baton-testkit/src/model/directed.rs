//! The script that takes its orders from the prompts, see [`crate::directive`].

use std::collections::HashMap;
use std::time::Duration;

use super::reply::{Reply, error, text, thinking, tokens, tool_use};
use super::request::{Request, RequestKind};
use super::script::Script;
use crate::directive::{Round, calls, rounds};

impl Script {
    /// A script that does what the directives in each prompt say.
    #[must_use]
    pub fn directed() -> Self {
        let mut failures = HashMap::new();
        Self::new().respond(move |request| directed(&mut failures, request))
    }
}

/// How often each round has failed so far, by conversation, length and prompt.
type Failures = HashMap<(String, usize, String), u32>;

fn directed(failures: &mut Failures, request: &Request) -> Option<Reply> {
    if request.kind == RequestKind::Side {
        return None;
    }
    let (answered, prompt) = request.last_prompt()?;
    let mut all = rounds(&prompt);
    let round = all.swap_remove(answered.min(all.len() - 1));
    if let Some((status, times)) = round.error {
        let session = request
            .header("x-claude-code-session-id")
            .unwrap_or_default();
        let key = (session.to_owned(), request.messages().len(), prompt);
        let failed = failures.entry(key).or_default();
        if *failed < times {
            *failed += 1;
            return Some(error(status, error_type(status)));
        }
    }
    Some(reply(&round, &request.tools()))
}

fn reply(round: &Round, tools: &[&str]) -> Reply {
    let mut parts = Vec::new();
    parts.extend(round.think.as_ref().map(thinking));
    parts.extend(round.tokens.map(tokens));
    parts.extend(round.say.as_ref().map(text));
    for tool in &round.tools {
        parts.extend(
            calls(tool, tools)
                .into_iter()
                .map(|(name, input)| tool_use(name, input)),
        );
    }
    let mut reply = parts
        .into_iter()
        .reduce(Reply::and)
        .unwrap_or_else(|| text("Done."));
    if round.slow_ms > 0 {
        reply = reply.slow(Duration::from_millis(round.slow_ms));
    }
    if round.stall {
        // Message start, block start and one delta have gone out by then.
        reply = reply.stall_after(3);
    }
    reply
}

/// The API's name for a status.
fn error_type(status: u16) -> &'static str {
    match status {
        400 => "invalid_request_error",
        401 => "authentication_error",
        403 => "permission_error",
        404 => "not_found_error",
        413 => "request_too_large",
        429 => "rate_limit_error",
        529 => "overloaded_error",
        _ => "api_error",
    }
}
