//! What a prompt asks of the fake: plain lines, see the table in `main.rs`.

use baton_testkit::directive::{self, Round, Tool};

/// One thing to do, in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Step {
    /// Say something, perhaps call tools, as the real CLI would.
    Round(Round),
    Misbehave(Misbehaviour),
}

/// Everything a well-behaved CLI would not do, and what measures.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Misbehaviour {
    Flood(u64),
    Events(u64),
    Rate {
        per_second: u64,
        seconds: u64,
        /// Each delta is a paragraph, blank line included.
        paragraphs: bool,
    },
    Hang,
    HangOnNext,
    DeafHang,
    Duplicate,
    Garbage,
    HalfLine,
    Huge(usize),
    BigLine(usize),
    CrashAt(Point),
    Exit(u8),
    IgnoreSigterm,
    Grandchild {
        keeps_stdout: bool,
    },
    Stderr(String),
    UnknownType,
    AuthError,
}

/// Where a crash can be asked for: right after the named line was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Point {
    Init,
    Delta,
    Assistant,
    Ask,
    ToolResult,
    BeforeResult,
    Result,
}

/// The steps of a prompt. Without any plain directive the bracketed ones of
/// the scripted model count, so that both understand the same prompts.
pub(crate) fn steps(prompt: &str) -> Vec<Step> {
    let lines: Vec<&str> = prompt
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .collect();
    if !lines.iter().any(|line| parse(line).is_some()) {
        return directive::rounds(prompt)
            .into_iter()
            .map(Step::Round)
            .collect();
    }
    let mut steps = Vec::new();
    for line in lines {
        let parsed = parse(line).unwrap_or_else(|| {
            directive::rounds(line)
                .into_iter()
                .map(Step::Round)
                .collect()
        });
        for step in parsed {
            push(&mut steps, step);
        }
    }
    let ends = matches!(steps.last(), Some(Step::Round(round)) if round.tools.is_empty());
    let talks = matches!(
        steps.last(),
        Some(Step::Misbehave(
            Misbehaviour::Flood(_) | Misbehaviour::Rate { .. } | Misbehaviour::AuthError
        ))
    );
    if !ends && !talks {
        let say = Some("Done.".to_owned());
        steps.push(Step::Round(Round {
            say,
            ..Round::default()
        }));
    }
    steps
}

/// A round that only talks is said in the same breath as the tool call after it.
fn push(steps: &mut Vec<Step>, step: Step) {
    if let (Some(Step::Round(last)), Step::Round(next)) = (steps.last_mut(), &step)
        && last.tools.is_empty()
        && last.error.is_none()
    {
        let mut joined = next.clone();
        joined.think = joined.think.or(last.think.take());
        joined.tokens = joined.tokens.or(last.tokens.take());
        joined.say = joined.say.or(last.say.take());
        *last = joined;
        return;
    }
    steps.push(step);
}

fn parse(line: &str) -> Option<Vec<Step>> {
    let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
    let rest = rest.trim();
    let tool = |tool: Tool| Some(vec![tool_round(tool)]);
    let bad = |misbehaviour: Misbehaviour| Some(vec![Step::Misbehave(misbehaviour)]);
    let mut parts = rest.split('|').map(|part| part.trim().to_owned());
    let mut part = || parts.next().unwrap_or_default();
    match word {
        "tok" => Some(vec![Step::Round(Round {
            tokens: rest.parse().ok(),
            ..Round::default()
        })]),
        "say" => Some(vec![Step::Round(Round {
            say: Some(rest.to_owned()),
            ..Round::default()
        })]),
        "think" => Some(vec![Step::Round(Round {
            think: Some(rest.to_owned()),
            ..Round::default()
        })]),
        "bash" => tool(Tool::Run(rest.to_owned())),
        "background" => tool(Tool::Background(rest.to_owned())),
        "read" => tool(Tool::Read(rest.to_owned())),
        "write" => tool(Tool::Write(part(), part())),
        "edit" => tool(Tool::Edit(part(), part(), part())),
        "question" => tool(Tool::Ask(part(), parts.collect())),
        "plan" => tool(Tool::Plan(rest.to_owned())),
        "agent" => tool(Tool::Agent(rest.to_owned())),
        "todo" => tool(Tool::Todo(parts.collect())),
        "flood" => bad(Misbehaviour::Flood(rest.parse().ok()?)),
        "events" => bad(Misbehaviour::Events(rest.parse().ok()?)),
        "rate" => rate(rest, false),
        "paragraphs" => rate(rest, true),
        "hang" => bad(Misbehaviour::Hang),
        "hang-on-second" => bad(Misbehaviour::HangOnNext),
        "hang-deaf" => bad(Misbehaviour::DeafHang),
        "duplicate" => bad(Misbehaviour::Duplicate),
        "garbage" => bad(Misbehaviour::Garbage),
        "half-line" => bad(Misbehaviour::HalfLine),
        "huge" => bad(Misbehaviour::Huge(rest.parse().ok()?)),
        "big-line" => bad(Misbehaviour::BigLine(rest.parse().ok()?)),
        "crash" => bad(Misbehaviour::CrashAt(point(
            rest.strip_prefix("at ").unwrap_or(rest),
        )?)),
        "exit" => bad(Misbehaviour::Exit(rest.parse().ok()?)),
        "ignore-sigterm" => bad(Misbehaviour::IgnoreSigterm),
        "grandchild" => bad(Misbehaviour::Grandchild {
            keeps_stdout: rest == "stdout",
        }),
        "stderr" => bad(Misbehaviour::Stderr(rest.to_owned())),
        "unknown-type" => bad(Misbehaviour::UnknownType),
        "auth-error" => bad(Misbehaviour::AuthError),
        "api-error" => {
            let (status, times) = rest.split_once(' ').unwrap_or((rest, ""));
            let error = Some((status.parse().ok()?, times.parse().unwrap_or(u32::MAX)));
            Some(vec![Step::Round(Round {
                error,
                say: Some("recovered".to_owned()),
                ..Round::default()
            })])
        }
        _ => None,
    }
}

fn tool_round(tool: Tool) -> Step {
    Step::Round(Round {
        tools: vec![tool],
        ..Round::default()
    })
}

/// `rate 50 per second for 3 s`
fn rate(rest: &str, paragraphs: bool) -> Option<Vec<Step>> {
    let mut numbers = rest.split_whitespace().filter_map(|word| word.parse().ok());
    let (per_second, seconds) = (numbers.next()?, numbers.next()?);
    Some(vec![Step::Misbehave(Misbehaviour::Rate {
        per_second,
        seconds,
        paragraphs,
    })])
}

fn point(name: &str) -> Option<Point> {
    match name {
        "init" => Some(Point::Init),
        "delta" => Some(Point::Delta),
        "assistant" => Some(Point::Assistant),
        "ask" => Some(Point::Ask),
        "tool-result" => Some(Point::ToolResult),
        "before-result" => Some(Point::BeforeResult),
        "result" => Some(Point::Result),
        _ => None,
    }
}

#[cfg(test)]
#[path = "prompt_tests.rs"]
mod tests;
