//! Every tool that the CLIs announce, in every mode, with every rule.

use std::path::Path;

use baton_protocol::{
    Event,
    words::{ApprovalKind, PermissionMode, RuleDecision, Scope},
};
use baton_rules::{Call, Pattern, RealPaths, Resolved, Rule, Stage, Surroundings, Verdict};
use baton_session::agents::AgentKind;
use serde_json::{Value, json};

use crate::{both::both, unasked::obedient};

/// An input for each tool that changes something, if it can.
fn input_for(tool: &str, project: &Path) -> Value {
    let file = project.join("made");
    match tool {
        "Bash" | "Monitor" => json!({"command": "touch made", "description": "x"}),
        "Write" => json!({"file_path": file, "content": "x"}),
        "Edit" => json!({"file_path": file, "old_string": "a", "new_string": "b"}),
        "NotebookEdit" => json!({"notebook_path": file, "new_source": "x"}),
        "Read" => json!({"file_path": project.join("README.md")}),
        "WebFetch" => json!({"url": "http://127.0.0.1:9/", "prompt": "x"}),
        "Skill" => json!({"skill": "toucher"}),
        _ => json!({}),
    }
}

/// What becomes of a call before use, when nobody has made a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    Passes,
    Asked,
    Denied,
}

fn fate(tool: &str, mode: PermissionMode) -> Fate {
    let harmless: Vec<&str> = "Read, Glob, Grep, Task, Agent, TaskCreate, TaskGet, TaskList, \
        TaskOutput, TaskStop, TaskUpdate, TodoWrite, ToolSearch, CronList, ReportFindings, \
        StructuredOutput, EnterPlanMode, AskUserQuestion, ExitPlanMode, LSP, \
        ListMcpResourcesTool, ReadMcpResourceTool"
        .split(", ")
        .collect();
    let edits = ["Edit", "Write", "NotebookEdit"];
    let agents = ["Agent", "Task"];
    match mode {
        PermissionMode::BypassPermissions => Fate::Passes,
        PermissionMode::Plan if agents.contains(&tool) => Fate::Asked,
        _ if harmless.contains(&tool) => Fate::Passes,
        PermissionMode::Plan if tool.starts_with("Web") => Fate::Asked,
        PermissionMode::Plan | PermissionMode::DontAsk => Fate::Denied,
        PermissionMode::AcceptEdits if edits.contains(&tool) => Fate::Passes,
        PermissionMode::Default | PermissionMode::AcceptEdits | PermissionMode::Auto => Fate::Asked,
    }
}

fn kind(tool: &str) -> ApprovalKind {
    match tool {
        "AskUserQuestion" => ApprovalKind::Question,
        "ExitPlanMode" => ApprovalKind::Plan,
        _ => ApprovalKind::Tool,
    }
}

/// What becomes of it with one rule about the tool.
fn fate_with(rule: Option<RuleDecision>, tool: &str, mode: PermissionMode) -> Fate {
    let without = fate(tool, mode);
    match rule {
        Some(RuleDecision::Deny) => Fate::Denied,
        _ if kind(tool) != ApprovalKind::Tool => Fate::Passes,
        None => without,
        Some(RuleDecision::Ask) if without == Fate::Denied || mode == PermissionMode::DontAsk => {
            Fate::Denied
        }
        Some(RuleDecision::Ask) => Fate::Asked,
        // Planning heeds no rule that allows.
        Some(RuleDecision::Allow) if mode == PermissionMode::Plan => without,
        Some(RuleDecision::Allow) => Fate::Passes,
    }
}

/// What `judge` says before use, with one rule about the tool.
fn judged(rule: Option<RuleDecision>, call: &Call<'_>, mode: PermissionMode) -> Fate {
    let rule = rule.map(|decision| Rule {
        id: "rul_00000000000000000000000000000001".parse().unwrap(),
        pattern: Pattern::parse(call.tool).unwrap(),
        decision,
        scope: Scope::User,
    });
    let around = Surroundings {
        plans: None,
        own_server: None,
        extra: &[],
        readable: &[],
        secrets: &[],
        credentials: &[],
        obeyed: &[],
        settings: &[],
        paths: &RealPaths,
    };
    let resolved = Resolved::of(call, &RealPaths);
    let rules: Vec<Rule> = rule.into_iter().collect();
    let kind = kind(call.tool);
    match baton_rules::judge(Stage::BeforeUse, kind, mode, &rules, &resolved, &around) {
        Verdict::Deny { .. } => Fate::Denied,
        Verdict::Ask { .. } => Fate::Asked,
        Verdict::Allow { .. } | Verdict::Unmatched => Fate::Passes,
    }
}

#[test]
fn every_tool_of_the_cli_is_known_and_judged_in_every_mode() {
    both(
        |setup| setup.script(obedient()),
        async |world| {
            let mut talk = world.session().await;
            talk.turn("hello").await;
            let tools = talk.seen.iter().find_map(|envelope| match &envelope.event {
                Event::SessionStarted(started) => Some(started.tools.clone()),
                _ => None,
            });
            let mut tools = tools.unwrap();
            assert!(tools.len() > 15, "{tools:?}");
            assert_eq!(AgentKind::Claude.unknown_tools(&tools), Vec::<&str>::new());
            tools.push("ToolOfTomorrow".into());
            tools.push("mcp__server__tool".into());
            let project = world.sandbox.project();
            let home = world.sandbox.home();
            for tool in &tools {
                let input = input_for(tool, &project);
                let what = AgentKind::Claude.tool_use(tool, &input);
                let call = Call {
                    tool,
                    what: &what,
                    input: &input,
                    cwd: &project,
                    moving: false,
                    doubt: None,
                    project: &project,
                    home: &home,
                };
                for mode in PermissionMode::ALL {
                    let rules = RuleDecision::ALL.iter().copied().map(Some).chain([None]);
                    for rule in rules {
                        let expected = fate_with(rule, tool, *mode);
                        assert_eq!(
                            judged(rule, &call, *mode),
                            expected,
                            "{tool} {mode} {rule:?}"
                        );
                    }
                }
            }
        },
    );
}
