use serde_json::json;

use baton_session::agents::AgentKind;

use super::*;

fn request(kind: ApprovalKind, tool: &str, input: &Value) -> ApprovalRequested {
    let what = AgentKind::Claude.tool_use(tool, input);
    ApprovalRequested {
        tool_kind: what.kind,
        subject: what.subject.into(),
        approval_id: baton_protocol::ApprovalId::from_uuid(uuid::Uuid::nil()),
        tool_use_id: None,
        kind,
        tool_name: tool.into(),
        input: baton_protocol::words::Json::of(input),
        risk: baton_protocol::words::Risk::Medium,
        reason: None,
        warnings: Vec::new(),
        preview: None,
        suggestions: Vec::new(),
        expires_at: None,
        agent_id: None,
    }
}

#[test]
fn nothing_of_an_input_is_left_out() {
    let shown = |kind, tool, input: Value| contents(&request(kind, tool, &input), &input);
    let bash = json!({"command": "ls", "description": "List", "run_in_background": true});
    assert_eq!(
        shown(ApprovalKind::Tool, "Bash", bash),
        "$ ls\nrun_in_background: true  (it goes on in the background after the call returns)"
    );
    let free = json!({"command": "ls", "dangerouslyDisableSandbox": true, "timeout": 1500});
    assert_eq!(
        shown(ApprovalKind::Tool, "Bash", free),
        "$ ls\ndangerouslyDisableSandbox: true  (it runs outside the sandbox)\n\
         timeout: 1500  (it is stopped after 1.5 s)"
    );
    let other = json!({"command": "ls", "description": "List\nhosts: all", "hosts": "mine"});
    let wanted = "command: ls\ndescription: List\n    hosts: all\nhosts: mine";
    assert_eq!(shown(ApprovalKind::Tool, "mcp__far__run", other), wanted);
    let plan = json!({"plan": "1. look", "allowed": ["Bash"]});
    let wanted = "1. look\nallowed: [\n      \"Bash\"\n    ]";
    assert_eq!(shown(ApprovalKind::Plan, "ExitPlanMode", plan), wanted);
}

#[test]
fn a_change_that_was_cut_is_shown_in_full_as_well() {
    let input = json!({"file_path": "a", "content": "x", "extra": 1});
    let mut request = request(ApprovalKind::Tool, "Write", &input);
    let mut preview = DiffPreview {
        path: "a".into(),
        hunks: Vec::new(),
        truncated: false,
    };
    request.preview = Some(preview.clone());
    assert_eq!(contents(&request, &input), "extra: 1");
    preview.truncated = true;
    request.preview = Some(preview);
    assert_eq!(contents(&request, &input), "content: x\nextra: 1");
}

#[test]
fn nothing_is_allowed_by_an_empty_line_or_a_slip() {
    assert_eq!(parse_tool("a"), ToolChoice::Always);
    for line in ["", " ", "yy", "y please", "allow", "1", "a 1"] {
        assert_eq!(parse_tool(line), ToolChoice::Unclear, "{line:?}");
    }
    assert_eq!(parse_tool(" Y "), ToolChoice::Decided(allow(None, None)));
    let denied = |message: &str, interrupt| {
        ToolChoice::Decided(AskDecision::Deny {
            message: message.into(),
            interrupt,
        })
    };
    assert_eq!(parse_tool("n not today"), denied("not today", false));
    assert_eq!(parse_tool("s"), denied("", true));
}

#[test]
fn numbers_choose_and_words_answer() {
    let options = ["Red", "Green", "Blue"];
    assert_eq!(choose("2", &options, false).as_deref(), Some("Green"));
    assert_eq!(choose("1, 3", &options, true).as_deref(), Some("Red, Blue"));
    assert_eq!(choose("1 3", &options, false), None);
    assert_eq!(choose("4", &options, false), None);
    assert_eq!(choose("0", &options, false), None);
    let wanted = Some("mauve please");
    assert_eq!(choose("mauve please", &options, false).as_deref(), wanted);
    assert_eq!(choose("", &options, false), None);
}

#[test]
fn choices_fit_the_terminal_and_none_is_torn() {
    let choices = [
        "[y] allow once",
        "[a] always",
        "[n] deny (n and why)",
        "[e] edit",
    ];
    let lines = lines_of(&choices, Some(40));
    assert!(
        lines.iter().all(|line| line.chars().count() <= 40),
        "{lines:?}"
    );
    for choice in choices {
        assert!(lines.iter().any(|line| line.contains(choice)), "{lines:?}");
    }
    assert_eq!(lines_of(&choices, None).len(), 1);
}
