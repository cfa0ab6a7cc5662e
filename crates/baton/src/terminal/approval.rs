//! An approval as a person meets it on a terminal: what, why, and a choice.

mod always;

use baton_protocol::{
    event::{ApprovalRequested, DiffPreview, LineKind, Suggestion},
    words::{ApprovalKind, PermissionMode},
};
use baton_session::agents::AskDecision;
use serde_json::{Map, Value};

use self::always::{Chosen, choose_rule};
use super::{Screen, Stdin, Style, clean, harmless};
use crate::failure::Failure;

/// What a person decided, and what is to be decided so from now on.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Decided {
    pub(crate) decision: AskDecision,
    pub(crate) remember: Option<Suggestion>,
}

impl From<AskDecision> for Decided {
    fn from(decision: AskDecision) -> Self {
        Self {
            decision,
            remember: None,
        }
    }
}

/// Shows an approval and waits for the decision; none when the input has
/// ended. It owns its screen, because it waits while other things are shown.
pub(crate) async fn ask(
    mut screen: Screen,
    input: Stdin,
    request: ApprovalRequested,
) -> Result<Option<Decided>, Failure> {
    show(&mut screen, &request)?;
    input.forget();
    let once = match request.kind {
        ApprovalKind::Question => question(&mut screen, &input, &request).await?,
        ApprovalKind::Plan => plan(&mut screen, &input).await?,
        ApprovalKind::Tool | ApprovalKind::Other => {
            return tool(&mut screen, &input, &request.suggestions).await;
        }
    };
    Ok(once.map(Decided::from))
}

fn show(screen: &mut Screen, request: &ApprovalRequested) -> Result<(), Failure> {
    let input = request.input.value();
    let title = match request.kind {
        ApprovalKind::Question => "A question for you".to_owned(),
        ApprovalKind::Plan => "A plan for you".to_owned(),
        ApprovalKind::Tool | ApprovalKind::Other => {
            format!(
                "{} wants your approval ({} risk)",
                request.tool_name, request.risk
            )
        }
    };
    screen.line("")?;
    screen.prose(Some(Style::Bold), &format!("? {}", whole(&title)))?;
    if let Some(reason) = &request.reason {
        screen.prose(Some(Style::Dim), &format!("  {}", whole(reason)))?;
    }
    if let Some(preview) = &request.preview {
        diff(screen, preview)?;
    }
    body(screen, &contents(request, &input))?;
    for warning in &request.warnings {
        screen.prose(
            Some(Style::Warn),
            &format!("  ! {}", whole(&warning.message)),
        )?;
    }
    Ok(())
}

/// What an approval would allow, in so few lines that it fits among others.
pub(crate) fn brief_lines(request: &ApprovalRequested) -> Vec<String> {
    /// Further lines are counted.
    const LINES: usize = 6;
    let mut text = contents(request, &request.input.value());
    if let Some(preview) = &request.preview {
        let changed = |kind| {
            let lines = preview.hunks.iter().flat_map(|hunk| &hunk.lines);
            lines.filter(|line| line.kind == kind).count()
        };
        let (added, removed) = (changed(LineKind::Added), changed(LineKind::Removed));
        text = format!("{} (+{added} -{removed})\n{text}", whole(&preview.path));
    }
    let all: Vec<&str> = text.lines().filter(|line| !line.is_empty()).collect();
    let mut lines: Vec<String> = all
        .iter()
        .take(LINES)
        .map(|line| clean(line, 200))
        .collect();
    if all.len() > LINES {
        lines.push(format!("… {} more lines", all.len() - LINES));
    }
    lines.extend(
        request
            .warnings
            .iter()
            .map(|warning| format!("! {}", whole(&warning.message))),
    );
    lines
}

pub(crate) fn brief(screen: &mut Screen, request: &ApprovalRequested) -> Result<(), Failure> {
    let mut lines = brief_lines(request).into_iter();
    lines.try_for_each(|line| screen.line(&format!("    {line}")))
}

/// All of the input that is not shown in another way. Nothing may be left out
/// that an answer would allow.
fn contents(request: &ApprovalRequested, input: &Value) -> String {
    let Some(fields) = input.as_object() else {
        return input.to_string();
    };
    let mut lines = Vec::new();
    // Only what is in the input stands for one of its fields.
    let command = &request.subject.command;
    let command = command.as_deref().filter(|told| input["command"] == **told);
    lines.extend(command.map(|command| format!("$ {command}")));
    let plan = (request.kind == ApprovalKind::Plan)
        .then(|| input["plan"].as_str())
        .flatten();
    lines.extend(plan.map(str::to_owned));
    let whole_change = request
        .preview
        .as_ref()
        .is_some_and(|preview| !preview.truncated);
    for (name, value) in fields {
        let shown = match name.as_str() {
            "command" | "description" => command.is_some(),
            "plan" => plan.is_some(),
            "questions" => request.kind == ApprovalKind::Question,
            "content" | "old_string" | "new_string" => whole_change,
            "file_path" => request.preview.is_some(),
            _ => false,
        };
        if !shown {
            let meant = meaning(name, value).map(|words| format!("  ({words})"));
            let (name, value) = (whole(name), value_text(value));
            lines.push(format!("{name}: {value}{}", meant.unwrap_or_default()));
        }
    }
    lines.join("\n")
}

/// What a field changes about a call, where its name does not tell everybody.
fn meaning(name: &str, value: &Value) -> Option<String> {
    match (name, value) {
        ("run_in_background", Value::Bool(true)) => {
            Some("it goes on in the background after the call returns".to_owned())
        }
        ("dangerouslyDisableSandbox", Value::Bool(true)) => {
            Some("it runs outside the sandbox".to_owned())
        }
        ("replace_all", Value::Bool(true)) => {
            Some("every place in the file that reads so is replaced".to_owned())
        }
        ("timeout", Value::Number(number)) => {
            let seconds = number.as_f64()? / 1000.0;
            Some(format!("it is stopped after {seconds} s"))
        }
        _ => None,
    }
}

/// Further lines stand deeper, so that they do not look like further names.
fn value_text(value: &Value) -> String {
    let text = value.as_str().map_or_else(
        || serde_json::to_string_pretty(value).unwrap_or_default(),
        str::to_owned,
    );
    text.replace('\n', "\n    ")
}

/// On one line, with nothing left out.
fn whole(text: &str) -> String {
    clean(text, usize::MAX)
}

fn body(screen: &mut Screen, text: &str) -> Result<(), Failure> {
    harmless(text)
        .lines()
        .try_for_each(|line| screen.line(&format!("  {line}")))
}

/// A change as unified lines.
pub(super) fn diff(screen: &mut Screen, preview: &DiffPreview) -> Result<(), Failure> {
    let path = screen.styled(Style::Dim, &whole(&preview.path));
    screen.line(&format!("  {path}"))?;
    for hunk in &preview.hunks {
        let place = format!("@@ -{} +{} @@", hunk.old_start, hunk.new_start);
        let place = screen.styled(Style::Dim, &place);
        screen.line(&format!("  {place}"))?;
        for line in &hunk.lines {
            let text = harmless(&line.text);
            let text = match line.kind {
                LineKind::Same => format!(" {text}"),
                LineKind::Added => screen.styled(Style::Good, &format!("+{text}")),
                LineKind::Removed => screen.styled(Style::Bad, &format!("-{text}")),
            };
            screen.line(&format!("  {text}"))?;
        }
    }
    if preview.truncated {
        screen.line("  … the change goes on")?;
    }
    Ok(())
}

async fn tool(
    screen: &mut Screen,
    input: &Stdin,
    rules: &[Suggestion],
) -> Result<Option<Decided>, Failure> {
    let mut choices = vec![
        "[y] allow once",
        "[a] always",
        "[n] deny (n and why)",
        "[s] deny and stop",
        "[e] edit the input",
    ];
    let letters = if rules.is_empty() {
        choices.remove(1);
        "y, n, s or e"
    } else {
        "y, a, n, s or e"
    };
    loop {
        offer(screen, &choices)?;
        let Some(line) = input.line().await else {
            return Ok(None);
        };
        match parse_tool(&line) {
            ToolChoice::Decided(decision) => return Ok(Some(decision.into())),
            ToolChoice::Always if !rules.is_empty() => {
                match choose_rule(screen, input, rules).await? {
                    Chosen::Back => {}
                    Chosen::Ended => return Ok(None),
                    Chosen::Rule(rule) => {
                        return Ok(Some(Decided {
                            decision: allow(None, None),
                            remember: Some(rule),
                        }));
                    }
                }
            }
            ToolChoice::Edit => {
                prompt(
                    screen,
                    "the whole new input as JSON (empty line to go back)",
                )?;
                let Some(text) = input.line().await else {
                    return Ok(None);
                };
                if text.trim().is_empty() {
                    continue;
                }
                match serde_json::from_str::<Value>(&text) {
                    Ok(Value::Object(changed)) => {
                        return Ok(Some(allow(Some(changed.into()), None).into()));
                    }
                    Ok(_) => screen.line("  That is not a JSON object.")?,
                    Err(error) => screen.line(&format!("  That is not JSON: {error}"))?,
                }
            }
            ToolChoice::Always | ToolChoice::Unclear => {
                screen.line(&format!("  Please type {letters}."))?;
            }
        }
    }
}

#[derive(Debug, PartialEq)]
enum ToolChoice {
    Decided(AskDecision),
    /// Allowed, and to be remembered.
    Always,
    Edit,
    Unclear,
}

/// Nothing is allowed by an empty line or a slip.
fn parse_tool(line: &str) -> ToolChoice {
    let line = line.trim();
    let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let deny = |interrupt| {
        ToolChoice::Decided(AskDecision::Deny {
            message: rest.trim().to_owned(),
            interrupt,
        })
    };
    match (word.to_lowercase().as_str(), rest.is_empty()) {
        ("y" | "yes", true) => ToolChoice::Decided(allow(None, None)),
        ("n" | "no", _) => deny(false),
        ("s" | "stop", _) => deny(true),
        ("a" | "always", true) => ToolChoice::Always,
        ("e" | "edit", true) => ToolChoice::Edit,
        _ => ToolChoice::Unclear,
    }
}

async fn plan(screen: &mut Screen, input: &Stdin) -> Result<Option<AskDecision>, Failure> {
    let choices = [
        "[y] approve",
        "[a] approve and accept edits",
        "[n] keep planning (n and what to change)",
    ];
    loop {
        offer(screen, &choices)?;
        let Some(line) = input.line().await else {
            return Ok(None);
        };
        match line.trim().to_lowercase().as_str() {
            "y" | "yes" => return Ok(Some(allow(None, None))),
            "a" => return Ok(Some(allow(None, Some(PermissionMode::AcceptEdits)))),
            _ => match parse_tool(&line) {
                ToolChoice::Decided(decision) => return Ok(Some(decision)),
                ToolChoice::Always | ToolChoice::Edit | ToolChoice::Unclear => {
                    screen.line("  Please type y, a or n.")?;
                }
            },
        }
    }
}

/// Goes through the questions; answers are keyed by the question's text.
async fn question(
    screen: &mut Screen,
    input: &Stdin,
    request: &ApprovalRequested,
) -> Result<Option<AskDecision>, Failure> {
    let mut asked = request.input.value();
    let questions = asked["questions"].as_array().cloned().unwrap_or_default();
    let mut answers = Map::new();
    for question in &questions {
        let text = question["question"].as_str().unwrap_or_default();
        let options: Vec<&str> = question["options"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|option| option["label"].as_str())
            .collect();
        screen.prose(Some(Style::Bold), &format!("  {}", whole(text)))?;
        for (index, option) in options.iter().enumerate() {
            let about = question["options"][index]["description"]
                .as_str()
                .unwrap_or_default();
            let option = format!("    {}. {}", index + 1, whole(option));
            let about = whole(about);
            let length = option.chars().count() + 2 + about.chars().count();
            if screen.columns().is_none_or(|columns| length < columns) {
                let about = screen.styled(Style::Dim, &about);
                screen.line(&format!("{option}  {about}"))?;
            } else {
                screen.prose(None, &option)?;
                screen.prose(Some(Style::Dim), &format!("       {about}"))?;
            }
        }
        let several = question["multiSelect"].as_bool().unwrap_or(false);
        let how = if several {
            "numbers (1, 3) or your own words"
        } else {
            "a number or your own words"
        };
        input.forget();
        let answer = loop {
            prompt(screen, &format!("{how}; n declines"))?;
            let Some(line) = input.line().await else {
                return Ok(None);
            };
            if matches!(line.trim(), "n" | "no") {
                let message = "The user declined to answer.".to_owned();
                return Ok(Some(AskDecision::Deny {
                    message,
                    interrupt: false,
                }));
            }
            if let Some(answer) = choose(&line, &options, several) {
                break answer;
            }
            screen.line("  Please choose one of these numbers, or write an answer.")?;
        };
        answers.insert(text.to_owned(), Value::String(answer));
    }
    if let Some(object) = asked.as_object_mut() {
        object.insert("answers".into(), Value::Object(answers));
    }
    Ok(Some(allow(Some(asked), None)))
}

/// Numbers stand for options; anything else is the answer itself.
fn choose(line: &str, options: &[&str], several: bool) -> Option<String> {
    let line = line.trim();
    if line.is_empty() {
        return None;
    }
    let words = line.split([',', ' ']).filter(|word| !word.is_empty());
    let numbers: Option<Vec<usize>> = words.map(|word| word.parse().ok()).collect();
    match numbers {
        None => Some(line.to_owned()),
        Some(numbers) if numbers.len() > 1 && !several => None,
        Some(numbers) => {
            let chosen: Option<Vec<&str>> = numbers
                .iter()
                .map(|number| options.get(number.checked_sub(1)?).copied())
                .collect();
            chosen.map(|labels| labels.join(", "))
        }
    }
}

fn allow(modified_input: Option<Value>, mode: Option<PermissionMode>) -> AskDecision {
    AskDecision::Allow {
        modified_input,
        mode,
    }
}

/// Shows what can be typed, on as many lines as the terminal needs, and asks.
fn offer(screen: &mut Screen, choices: &[&str]) -> Result<(), Failure> {
    let lines = lines_of(
        choices,
        screen.columns().map(|columns| columns.saturating_sub(2)),
    );
    let (last, before) = lines
        .split_last()
        .map_or(("", &[][..]), |(last, before)| (last, before));
    for line in before {
        let line = screen.styled(Style::Dim, line);
        screen.line(&format!("  {line}"))?;
    }
    prompt(screen, last)
}

/// Choices side by side, none of them torn.
fn lines_of(choices: &[&str], columns: Option<usize>) -> Vec<String> {
    const BETWEEN: &str = "   ";
    let mut lines: Vec<String> = Vec::new();
    for choice in choices {
        let fits = |line: &&mut String| {
            let length = line.chars().count() + BETWEEN.len() + choice.chars().count();
            columns.is_none_or(|columns| length <= columns)
        };
        match lines.last_mut().filter(fits) {
            Some(line) => {
                line.push_str(BETWEEN);
                line.push_str(choice);
            }
            None => lines.push((*choice).to_owned()),
        }
    }
    lines
}

fn prompt(screen: &mut Screen, choices: &str) -> Result<(), Failure> {
    let choices = screen.styled(Style::Dim, choices);
    screen.line(&format!("  {choices}"))?;
    screen.text("  answer, then Enter > ")
}

#[cfg(test)]
#[path = "approval_tests.rs"]
mod tests;
