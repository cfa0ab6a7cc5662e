//! The scenes: one for each kind of event, chosen by words in the prompt.

use std::{io::Write, path::Path};

use base64::{Engine, prelude::BASE64_STANDARD};
use baton_protocol::{
    Event, MessageId,
    event::{
        AgentRetry, AgentUnknown, ContextCompacted, ContextUsage, ErrorRaised, ImageOutput,
        Notification, SubagentStarted, SubagentStopped, TaskUpdated, TodoItem, TodoUpdated,
    },
    words::{ApprovalKind, ErrorCode, Json, TaskStatus, TodoStatus},
};
use serde_json::{Value, json};

use super::{
    Said,
    stage::{Scene, Stage, Stop},
};
use crate::{agents::AskDecision, blob};

const HELP: &str = "I am Baton's **demo agent**. I need no account and run on this machine only.\n\n\
Put one of these words into a prompt and I show it:\n\n\
- `text`: streamed markdown, with a list, a table and code\n\
- `think`: thinking before the answer\n\
- `tools`: reading, an edit with a diff, a command\n\
- `approval`: a file I may only write if you allow it\n\
- `question`: a question with options\n\
- `plan`: a plan you approve or send back\n\
- `subagent`: a helper with tools of its own\n\
- `todo`: a list that is worked off\n\
- `image`: a picture\n\
- `background`: work that goes on beside the conversation\n\
- `notices`: a retry, a compaction, a notification, words nobody knows\n\
- `error`: a turn that fails, with what to do\n\
- `slow`: a long answer, to try interrupting\n\
- `tour`: all of it, one after another\n";

/// Plays what the prompt asks for.
pub(super) fn play<W: Write>(
    stage: &mut Stage<W>,
    message: MessageId,
    prompt: &str,
    cwd: &Path,
) -> Scene {
    stage.begin(message);
    let prompt = prompt.to_lowercase();
    // Whole words only: "context" does not ask for "text".
    let said: Vec<&str> = prompt
        .split(|c: char| !c.is_alphanumeric() && c != '-')
        .collect();
    let asked = |words: &[&str]| words.iter().any(|word| said.contains(word));
    if asked(&["tour", "everything"]) {
        return tour(stage, cwd);
    }
    let mut played = false;
    let mut scene =
        |stage: &mut Stage<W>, words: &[&str], scene: fn(&mut Stage<W>, &Path) -> Scene| {
            if asked(words) {
                played = true;
                scene(stage, cwd)
            } else {
                Ok(())
            }
        };
    scene(stage, &["think"], think)?;
    scene(stage, &["todo"], todo)?;
    scene(stage, &["tools", "diff"], tools)?;
    scene(stage, &["subagent", "sub-agent"], subagent)?;
    scene(stage, &["image", "picture"], image)?;
    scene(stage, &["background"], background)?;
    scene(stage, &["question"], question)?;
    scene(stage, &["plan"], plan)?;
    scene(stage, &["approval", "approve"], approval)?;
    scene(stage, &["notices"], notices)?;
    scene(stage, &["slow"], slow)?;
    scene(stage, &["text", "markdown"], text)?;
    scene(stage, &["error", "fail"], error)?;
    if asked(&["help"]) {
        return stage.text(HELP);
    }
    if !played {
        stage.text("I am only a demo and do not understand that. Ask me for `help` to see what I can show.")?;
    }
    Ok(())
}

fn tour<W: Write>(stage: &mut Stage<W>, cwd: &Path) -> Scene {
    stage.text("Here is everything once. First I think, then I work from a list.")?;
    let scenes: &[fn(&mut Stage<W>, &Path) -> Scene] = &[
        think, todo, tools, subagent, image, background, question, plan, approval, text,
    ];
    for scene in scenes {
        scene(stage, cwd)?;
    }
    stage.text("That was everything but an error: ask me for `error` to see one.")
}

fn think<W: Write>(stage: &mut Stage<W>, _: &Path) -> Scene {
    stage.think("The person wants to see thinking. I will say a little, and then answer.")?;
    stage.text("I have thought about it.")
}

fn text<W: Write>(stage: &mut Stage<W>, _: &Path) -> Scene {
    stage.text(
        "Markdown with *emphasis*, `code` and a [link](https://example.org).\n\n\
         1. first\n2. second\n\n\
         | name | value |\n|---|---|\n| a | 1 |\n\n\
         ```rust\nfn main() {\n    println!(\"hello\");\n}\n```\n",
    )
}

fn tools<W: Write>(stage: &mut Stage<W>, _: &Path) -> Scene {
    stage
        .text("I read a file, change it and test it. (This is a demo: nothing on disk changes.)")?;
    let tool = stage.tool("Read", &json!({"file_path": "demo/greeting.py"}))?;
    stage.beats(5)?;
    stage.finish(&tool, "1\tdef greet():\n2\t    print(\"helo\")\n", false)?;
    let edit = json!({
        "file_path": "demo/greeting.py",
        "old_string": "    print(\"helo\")",
        "new_string": "    print(\"hello\")",
    });
    let tool = stage.tool("Edit", &edit)?;
    stage.beats(5)?;
    stage.finish_edit(&tool, "The file demo/greeting.py has been updated.", &edit)?;
    let tool = stage.tool(
        "Bash",
        &json!({"command": "python3 -m unittest demo", "description": "Run the tests"}),
    )?;
    for tenths in 1..=5_u64 {
        stage.say(&Said::Progress {
            tool_use_id: tool.clone(),
            elapsed_ms: tenths * 100,
        })?;
        stage.beats(5)?;
    }
    stage.finish(&tool, "Ran 3 tests in 0.002s\n\nOK\n", false)?;
    stage.event(
        &Event::ContextUsage(ContextUsage {
            tokens: 12_400,
            window: 200_000,
        }),
        None,
    )?;
    stage.text("The typo is fixed and the tests pass.")
}

fn approval<W: Write>(stage: &mut Stage<W>, cwd: &Path) -> Scene {
    let mut input = json!({
        "file_path": "baton-demo.txt",
        "content": "Written by Baton's demo agent, because you allowed it.\n",
    });
    let tool = stage.tool("Write", &input)?;
    let reason = "writing a file needs your approval";
    match stage.ask(ApprovalKind::Tool, &tool, "Write", &input, reason)? {
        AskDecision::Allow { modified_input, .. } => {
            if let Some(changed) = modified_input {
                input = changed;
            }
            match write(cwd, &input) {
                Ok(path) => {
                    stage.finish(&tool, &format!("Wrote {path}"), false)?;
                    stage.text(&format!("I wrote `{path}`, as you allowed."))
                }
                Err(error) => {
                    stage.finish(&tool, &error, true)?;
                    stage.text("You allowed it, but the file could not be written.")
                }
            }
        }
        AskDecision::Deny { message, .. } => {
            stage.finish(&tool, &message, true)?;
            stage.text("It was not allowed, so nothing was written.")
        }
    }
}

/// Writes inside the working folder only, whatever the input says.
fn write(cwd: &Path, input: &Value) -> Result<String, String> {
    let name = input["file_path"].as_str().unwrap_or("baton-demo.txt");
    let plain = Path::new(name).components().count() == 1 && Path::new(name).file_name().is_some();
    if !plain {
        return Err(format!(
            "the demo writes only into its own folder, not to {name}"
        ));
    }
    let target = cwd.join(name);
    if std::fs::symlink_metadata(&target).is_ok_and(|there| !there.is_file()) {
        return Err(format!("the demo does not write through {name}"));
    }
    let content = input["content"].as_str().unwrap_or_default();
    std::fs::write(target, content).map_err(|error| error.to_string())?;
    Ok(name.to_owned())
}

fn question<W: Write>(stage: &mut Stage<W>, _: &Path) -> Scene {
    let input = json!({"questions": [{
        "question": "Which colour should the button have?",
        "header": "Colour",
        "multiSelect": false,
        "options": [
            {"label": "Blue", "description": "calm"},
            {"label": "Green", "description": "go"},
            {"label": "Red", "description": "careful"},
        ],
    }]});
    let tool = stage.tool("AskUserQuestion", &input)?;
    let reason = "the agent wants to know";
    match stage.ask(
        ApprovalKind::Question,
        &tool,
        "AskUserQuestion",
        &input,
        reason,
    )? {
        AskDecision::Allow { modified_input, .. } => {
            let answers = modified_input
                .map(|input| input["answers"].clone())
                .unwrap_or_default();
            let answer = answers["Which colour should the button have?"]
                .as_str()
                .unwrap_or("nothing");
            stage.finish(&tool, &format!("The user answered: {answer}"), false)?;
            stage.text(&format!("You chose **{answer}**."))
        }
        AskDecision::Deny { message, .. } => {
            stage.finish(&tool, &message, true)?;
            stage.text("Then I choose myself: blue.")
        }
    }
}

fn plan<W: Write>(stage: &mut Stage<W>, _: &Path) -> Scene {
    let input =
        json!({"plan": "## Plan\n\n1. Read the greeting\n2. Fix the typo\n3. Run the tests\n"});
    let tool = stage.tool("ExitPlanMode", &input)?;
    let reason = "the agent waits for you to approve its plan";
    match stage.ask(ApprovalKind::Plan, &tool, "ExitPlanMode", &input, reason)? {
        AskDecision::Allow { .. } => {
            stage.finish(&tool, "The user approved the plan.", false)?;
            stage.text("The plan is approved; I would begin now.")
        }
        AskDecision::Deny { message, .. } => {
            stage.finish(&tool, &message, true)?;
            stage.text(&format!("I keep planning. I was told: {message}"))
        }
    }
}

fn subagent<W: Write>(stage: &mut Stage<W>, _: &Path) -> Scene {
    let input = json!({"description": "Look for typos", "prompt": "Find typos in demo/", "subagent_type": "explorer"});
    let parent = stage.tool("Agent", &input)?;
    let agent = format!("sub_{parent}");
    let started = SubagentStarted {
        agent_id: agent.clone(),
        agent_type: Some("explorer".into()),
        parent_tool_use_id: Some(parent.clone()),
        description: Some("Look for typos".into()),
    };
    stage.event(&started.into(), Some(&agent))?;
    let grep = json!({"pattern": "helo", "path": "demo"});
    let tool = stage.tool_in("Grep", &grep, Some(&parent), Some(&agent))?;
    stage.beats(8)?;
    stage.finish_in(
        &tool,
        "demo/greeting.py:2",
        false,
        Some(&parent),
        Some(&agent),
    )?;
    let stopped = SubagentStopped {
        agent_id: agent.clone(),
        agent_type: Some("explorer".into()),
        parent_tool_use_id: Some(parent.clone()),
        description: Some("Look for typos".into()),
        status: TaskStatus::Completed,
        result: Some("One typo, in demo/greeting.py line 2.".into()),
    };
    stage.event(&stopped.into(), Some(&agent))?;
    stage.finish(&parent, "One typo, in demo/greeting.py line 2.", false)?;
    stage.text("My helper found one typo.")
}

fn todo<W: Write>(stage: &mut Stage<W>, _: &Path) -> Scene {
    let items = ["Read the greeting", "Fix the typo", "Run the tests"];
    for done in 0..=items.len() {
        let list = items.iter().enumerate().map(|(index, text)| TodoItem {
            id: Some((index + 1).to_string()),
            content: (*text).to_owned(),
            status: match index.cmp(&done) {
                std::cmp::Ordering::Less => TodoStatus::Completed,
                std::cmp::Ordering::Equal => TodoStatus::InProgress,
                std::cmp::Ordering::Greater => TodoStatus::Pending,
            },
            active_form: None,
        });
        let items = list.collect();
        stage.event(&TodoUpdated { items }.into(), None)?;
        stage.beats(6)?;
    }
    stage.text("The list is done.")
}

fn image<W: Write>(stage: &mut Stage<W>, _: &Path) -> Scene {
    let bytes = picture();
    let id = blob::id_of(&bytes);
    stage.say(&Said::Blob {
        media_type: "image/png".into(),
        data: BASE64_STANDARD.encode(&bytes),
    })?;
    let output = ImageOutput {
        image_id: id,
        media_type: "image/png".into(),
        bytes: bytes.len() as u64,
        width: Some(2),
        height: Some(2),
        tool_use_id: None,
    };
    stage.event(&output.into(), None)?;
    stage.text("This is a very small picture: two by two points.")
}

/// A PNG of two by two points, in full colour.
fn picture() -> Vec<u8> {
    const PNG: &str = "iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAFklEQVR42mOItr/8YYsmg/z87GuuAQAqiwXP5i3yXwAAAABJRU5ErkJggg==";
    BASE64_STANDARD.decode(PNG).unwrap_or_default()
}

fn background<W: Write>(stage: &mut Stage<W>, _: &Path) -> Scene {
    let input = json!({"command": "sleep 2 && echo done", "run_in_background": true});
    let tool = stage.tool("Bash", &input)?;
    let task_id = format!("task_{tool}");
    let mut task = TaskUpdated {
        task_id: task_id.clone(),
        status: TaskStatus::Running,
        description: Some("sleep 2 && echo done".into()),
        tool_use_id: Some(tool.clone()),
        summary: None,
    };
    stage.event(&task.clone().into(), None)?;
    stage.finish(&tool, "Running in the background.", false)?;
    stage.text("Something runs in the background while I talk.")?;
    stage.beats(20)?;
    task.status = TaskStatus::Completed;
    task.summary = Some("done".into());
    stage.event(&task.into(), None)?;
    stage.text("It has finished.")
}

fn notices<W: Write>(stage: &mut Stage<W>, _: &Path) -> Scene {
    let retry = AgentRetry {
        attempt: 1,
        delay_ms: 500,
        reason: "overloaded (529)".into(),
        max_attempts: Some(10),
    };
    stage.event(&retry.into(), None)?;
    stage.beats(10)?;
    let compacted = ContextCompacted {
        trigger: "auto".into(),
        tokens_before: Some(180_000),
        tokens_after: Some(12_000),
    };
    stage.event(&compacted.into(), None)?;
    let notification = Notification {
        title: Some("Demo".into()),
        message: "something you may want to know".into(),
        kind: "demo".into(),
    };
    stage.event(&notification.into(), None)?;
    let unknown = AgentUnknown {
        raw: Json::of(&json!({"type": "word_from_the_future"})),
    };
    stage.event(&unknown.into(), None)?;
    stage.text("A model call was tried again, the conversation was compacted, you were notified, and I said something Baton does not know.")
}

fn slow<W: Write>(stage: &mut Stage<W>, _: &Path) -> Scene {
    stage.text("I will count slowly. Interrupt me at any time.")?;
    for number in 1..=60 {
        stage.beats(25)?;
        stage.text(&format!("{number}"))?;
    }
    Ok(())
}

fn error<W: Write>(stage: &mut Stage<W>, _: &Path) -> Scene {
    let message = "the demo was asked to fail, and did";
    let error = ErrorRaised {
        code: ErrorCode::Overloaded,
        message: message.into(),
        hint: Some("Send another message: the session goes on.".into()),
        retryable: true,
        retry_at: None,
        detail: None,
    };
    stage.event(&error.into(), None)?;
    Err(Stop::Failed(message.into()))
}
