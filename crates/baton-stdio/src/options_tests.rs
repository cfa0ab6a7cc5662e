use super::*;

fn why(change: impl FnOnce(&mut Flags)) -> String {
    let mut flags = Flags::default();
    change(&mut flags);
    Options::check(flags).unwrap_err().to_string()
}

#[test]
fn without_flags_everything_has_its_default() {
    let options = Options::check(Flags::default()).unwrap();
    assert_eq!(options.conversation, "default");
    assert_eq!(options.tool_preset, "full");
    assert_eq!(options.permission_mode, PermissionMode::Default);
    assert_eq!(options.session.checkpointing, Some(false));
    assert_eq!(options.session.setting_sources, None);
}

#[test]
fn each_bad_flag_is_told_by_its_name() {
    let some = |text: &str| Some(text.to_owned());
    assert_eq!(why(|flags| flags.fork = true), "--fork: it needs --resume");
    assert!(why(|flags| flags.resume = some("x")).starts_with("--resume: "));
    let own = why(|flags| flags.resume = some("ses_0193a1b2c3d47e5f8a9b0c1d2e3f4a5b"));
    assert!(own.contains("session_id_update"), "{own}");
    assert!(why(|flags| flags.conversation_id = some("")).starts_with("--conversation-id: "));
    assert!(why(|flags| flags.linear_issue = some("../x")).starts_with("--linear-issue: "));
    assert!(why(|flags| flags.target_branch = some("-x")).starts_with("--target-branch: "));
    assert!(why(|flags| flags.tool_preset = some("all")).contains("none of: full, read-only"));
    assert!(why(|flags| flags.permission_mode = some("yolo")).contains("none of: default"));
    for amount in ["0", "-1", "NaN", "inf", "x"] {
        assert!(why(|flags| flags.max_budget_usd = some(amount)).starts_with("--max-budget-usd: "));
    }
    assert!(why(|flags| flags.max_turns = some("0")).starts_with("--max-turns: "));
    assert!(
        why(|flags| flags.max_thinking_tokens = some("1.5")).starts_with("--max-thinking-tokens: ")
    );
    assert!(
        why(|flags| flags.setting_sources = some("user,all")).starts_with("--setting-sources: ")
    );
    assert!(why(|flags| flags.betas = some("a b")).starts_with("--betas: "));
    assert!(why(|flags| flags.structured_output = some("[]")).starts_with("--structured-output: "));
    assert!(why(|flags| flags.structured_output = some("{")).starts_with("--structured-output: "));
    let schema = some(r#"{"type":"nonsense"}"#);
    assert!(why(|flags| flags.structured_output = schema).contains("`type` is one of"));
    assert!(why(|flags| flags.model = some("\u{7}")).starts_with("--model: "));
}

#[test]
fn lists_have_commas_and_an_empty_one_is_empty() {
    let flags = Flags {
        setting_sources: Some(String::new()),
        betas: Some("one, two".into()),
        ..Flags::default()
    };
    let session = Options::check(flags).unwrap().session;
    assert_eq!(session.setting_sources, Some(Vec::new()));
    let wanted = Some(vec!["one".to_owned(), "two".to_owned()]);
    assert_eq!(session.betas, wanted);
}

#[test]
fn a_schema_of_an_older_draft_is_taken() {
    let schema = r#"{"type":"array","items":[{"type":"string"},{"type":"number"}]}"#;
    let flags = Flags {
        structured_output: Some(schema.into()),
        ..Flags::default()
    };
    assert!(Options::check(flags).is_ok());
    let flags = Flags {
        structured_output: Some(r#"{"items":[{"type":"text"}]}"#.into()),
        ..Flags::default()
    };
    assert!(Options::check(flags).is_err());
}
