//! Prompts that say what the model shall do, for trying things by hand.
//!
//! | in the prompt | the model |
//! |---|---|
//! | `TOK[n]` | streams n tokens |
//! | `THINK[text]` | thinks first |
//! | `RUN[command]` | calls Bash; `BG[command]` in the background |
//! | `READ[path]`, `WRITE[path\|text]`, `EDIT[path\|old\|new]` | calls the file tools (an edit reads first) |
//! | `ASK[question\|a\|b]` | asks with AskUserQuestion |
//! | `PLAN[text]` | presents a plan with ExitPlanMode |
//! | `AGENT[prompt]` | starts a sub-agent, whose prompt may hold directives too; `BGAGENT[prompt]` in the background |
//! | `TODO[a\|b]` | writes a task list |
//! | `ERR[529x2]` | fails twice with status 529, then goes on; without `x2` always |
//! | `SLOW[ms]` | waits that long before every streamed event |
//! | `STALL` | falls silent in the middle of the answer |
//!
//! Each tool call ends a round: its result comes back before the next
//! directive is looked at. `RUN[a]&RUN[b]` makes both calls in one round.
//! A prompt without directives is echoed. Brackets nest.

use serde_json::{Value, json};

/// One answer of the model.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Round {
    /// Thinking before anything else.
    pub think: Option<String>,
    /// Number of `tok ` tokens to say.
    pub tokens: Option<usize>,
    /// Text to say when no number of tokens is asked for.
    pub say: Option<String>,
    /// Tool calls; none ends the turn.
    pub tools: Vec<Tool>,
    /// Status and number of failures before this answer.
    pub error: Option<(u16, u32)>,
    /// Milliseconds before each event.
    pub slow_ms: u64,
    /// Whether the stream falls silent.
    pub stall: bool,
}

/// A tool call asked for by a directive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Tool {
    /// `RUN[command]`
    Run(String),
    /// `BG[command]`
    Background(String),
    /// `READ[path]`
    Read(String),
    /// `WRITE[path|text]`
    Write(String, String),
    /// `EDIT[path|old|new]`
    Edit(String, String, String),
    /// `ASK[question|option|option]`
    Ask(String, Vec<String>),
    /// `PLAN[text]`
    Plan(String),
    /// `AGENT[prompt]`
    Agent(String),
    /// `BGAGENT[prompt]`
    BackgroundAgent(String),
    /// `TODO[item|item]`
    Todo(Vec<String>),
}

const NAMES: [&str; 15] = [
    "TOK", "THINK", "RUN", "BG", "READ", "WRITE", "EDIT", "ASK", "PLAN", "AGENT", "BGAGENT",
    "TODO", "ERR", "SLOW", "STALL",
];

/// The rounds a prompt asks for; the last one never calls a tool.
pub fn rounds(prompt: &str) -> Vec<Round> {
    let mut rounds = Vec::new();
    let mut round = Round::default();
    let mut rest = prompt;
    let mut found = false;
    while let Some((name, argument, after)) = next_directive(rest) {
        found = true;
        let parallel = after.starts_with('&');
        match apply(&mut round, name, argument) {
            None => {}
            Some(tool @ Tool::Edit(..)) => {
                if let Tool::Edit(path, ..) = &tool {
                    round.tools.push(Tool::Read(path.clone()));
                    rounds.push(std::mem::take(&mut round));
                }
                round.tools.push(tool);
            }
            Some(tool) => round.tools.push(tool),
        }
        if !round.tools.is_empty() && !parallel {
            rounds.push(std::mem::take(&mut round));
        }
        rest = after;
    }
    if round == Round::default() {
        round.say = Some(if found {
            "Done.".to_owned()
        } else {
            format!("You said: {prompt}")
        });
    }
    rounds.push(round);
    rounds
}

/// The name and input of the call, for a model that is offered `tools`.
///
/// The list of tasks is written with whichever tool the CLI offers for it, or not at all.
pub fn calls(tool: &Tool, tools: &[&str]) -> Vec<(&'static str, Value)> {
    let call = match tool {
        Tool::Run(command) => (
            "Bash",
            json!({"command": command, "description": "run a command"}),
        ),
        Tool::Background(command) => (
            "Bash",
            json!({"command": command, "description": "run a command", "run_in_background": true}),
        ),
        Tool::Read(path) => ("Read", json!({"file_path": path})),
        Tool::Write(path, content) => ("Write", json!({"file_path": path, "content": content})),
        Tool::Edit(path, old, new) => (
            "Edit",
            json!({"file_path": path, "old_string": old, "new_string": new}),
        ),
        Tool::Ask(question, options) => {
            let options: Vec<Value> = options
                .iter()
                .map(|label| json!({"label": label, "description": label}))
                .collect();
            let question = json!({"question": question, "header": "Question", "multiSelect": false, "options": options});
            ("AskUserQuestion", json!({"questions": [question]}))
        }
        Tool::Plan(plan) => ("ExitPlanMode", json!({"plan": plan})),
        Tool::Agent(prompt) => ("Agent", helper(prompt, false)),
        Tool::BackgroundAgent(prompt) => ("Agent", helper(prompt, true)),
        Tool::Todo(items) if tools.contains(&"TodoWrite") => {
            let todos: Vec<Value> = items
                .iter()
                .map(|item| json!({"content": item, "activeForm": item, "status": "pending"}))
                .collect();
            ("TodoWrite", json!({"todos": todos}))
        }
        Tool::Todo(_) if !tools.contains(&"TaskCreate") => return Vec::new(),
        Tool::Todo(items) => {
            let create = |item: &String| {
                (
                    "TaskCreate",
                    json!({"subject": item, "description": item, "activeForm": item}),
                )
            };
            return items.iter().map(create).collect();
        }
    };
    vec![call]
}

/// Changes the round, or returns the tool call the directive stands for.
fn apply(round: &mut Round, name: &str, argument: &str) -> Option<Tool> {
    let mut parts = argument.split('|').map(str::to_owned);
    let mut part = || parts.next().unwrap_or_default();
    let tool = match name {
        "TOK" => {
            round.tokens = Some(argument.parse().unwrap_or(1));
            return None;
        }
        "THINK" => {
            round.think = Some(argument.to_owned());
            return None;
        }
        "ERR" => {
            let (status, times) = argument.split_once('x').unwrap_or((argument, ""));
            round.error = Some((
                status.parse().unwrap_or(500),
                times.parse().unwrap_or(u32::MAX),
            ));
            return None;
        }
        "SLOW" => {
            round.slow_ms = argument.parse().unwrap_or(100);
            return None;
        }
        "STALL" => {
            round.stall = true;
            return None;
        }
        "BG" => Tool::Background(argument.to_owned()),
        "READ" => Tool::Read(argument.to_owned()),
        "WRITE" => Tool::Write(part(), part()),
        "EDIT" => Tool::Edit(part(), part(), part()),
        "ASK" => Tool::Ask(part(), parts.collect()),
        "PLAN" => Tool::Plan(argument.to_owned()),
        "AGENT" => Tool::Agent(argument.to_owned()),
        "BGAGENT" => Tool::BackgroundAgent(argument.to_owned()),
        "TODO" => Tool::Todo(parts.collect()),
        _ => Tool::Run(argument.to_owned()),
    };
    Some(tool)
}

fn helper(prompt: &str, background: bool) -> Value {
    json!({
        "description": "helper", "prompt": prompt, "subagent_type": "general-purpose",
        "run_in_background": background,
    })
}

/// The first directive: its name, its argument and what follows.
fn next_directive(text: &str) -> Option<(&'static str, &str, &str)> {
    let starts = text.char_indices().map(|(index, _)| index);
    for start in starts {
        let here = &text[start..];
        let inside_word = text[..start].ends_with(|c: char| c.is_ascii_alphanumeric());
        if inside_word {
            continue;
        }
        for name in NAMES {
            let Some(after) = here.strip_prefix(name) else {
                continue;
            };
            if let Some(open) = after.strip_prefix('[')
                && let Some(end) = closing_bracket(open)
            {
                return Some((name, &open[..end], &open[end + 1..]));
            }
            if name == "STALL" && !after.starts_with(|c: char| c.is_ascii_alphanumeric()) {
                return Some((name, "", after));
            }
        }
    }
    None
}

fn closing_bracket(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    for (index, character) in text.char_indices() {
        match character {
            '[' => depth += 1,
            ']' if depth == 0 => return Some(index),
            ']' => depth -= 1,
            _ => {}
        }
    }
    None
}

#[cfg(test)]
#[path = "directive_tests.rs"]
mod tests;
