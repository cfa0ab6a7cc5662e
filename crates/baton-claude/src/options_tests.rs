use expect_test::{Expect, expect};

use super::*;

fn bare() -> Options {
    let mut options = Options::new("claude", "/work", []);
    options.partial_messages = false;
    options.replay_user_messages = false;
    options
}

/// The arguments after the ones that are always there.
#[track_caller]
#[expect(clippy::needless_pass_by_value, reason = "the call reads better")]
fn check(change: impl FnOnce(&mut Options), expect: Expect) {
    let mut options = bare();
    change(&mut options);
    let fixed = bare().argv();
    let argv = options.argv();
    assert_eq!(argv[..fixed.len()], fixed);
    let words: Vec<&str> = argv[fixed.len()..]
        .iter()
        .map(|word| word.to_str().unwrap())
        .collect();
    expect.assert_eq(&words.join("\n"));
}

#[test]
fn the_default_session_streams_and_acknowledges() {
    let argv = Options::new("claude", "/work", []).argv();
    let words: Vec<&str> = argv.iter().map(|word| word.to_str().unwrap()).collect();
    assert_eq!(
        words,
        [
            "--output-format",
            "stream-json",
            "--verbose",
            "--input-format",
            "stream-json",
            "--permission-prompt-tool",
            "stdio",
            "--include-partial-messages",
            "--replay-user-messages",
        ]
    );
}

#[test]
fn sessions_are_new_resumed_continued_or_forked() {
    let (one, two, three) = (Uuid::from_u128(1), Uuid::from_u128(2), Uuid::from_u128(3));
    check(|_| (), expect![""]);
    check(
        |options| options.session = Session::New { id: Some(one) },
        expect!["--session-id=00000000-0000-0000-0000-000000000001"],
    );
    check(
        |options| {
            options.session = Session::Resume {
                id: one,
                at: None,
                fork: None,
            }
        },
        expect!["--resume=00000000-0000-0000-0000-000000000001"],
    );
    check(
        |options| {
            options.session = Session::Resume {
                id: one,
                at: Some(two),
                fork: Some(ForkedAs { id: Some(three) }),
            };
        },
        expect![[r#"
            --resume=00000000-0000-0000-0000-000000000001
            --resume-session-at=00000000-0000-0000-0000-000000000002
            --fork-session
            --session-id=00000000-0000-0000-0000-000000000003"#]],
    );
    check(
        |options| {
            options.session = Session::Continue {
                fork: Some(ForkedAs::default()),
            }
        },
        expect![[r#"
            --continue
            --fork-session"#]],
    );
}

#[test]
fn every_option_has_its_argument() {
    check(
        |options| {
            options.model = Some("-strange".into());
            options.fallback_models = vec!["a".into(), "b".into()];
            options.permission_mode = Some(PermissionMode::AcceptEdits);
            options.allow_bypass = true;
            options.setting_sources = Some(vec![SettingSource::User, SettingSource::Local]);
            options.settings = Some("{}".into());
            options.mcp_servers = [(
                "tiny".to_owned(),
                RawJson::from_text(r#"{"command": "x"}"#).unwrap(),
            )]
            .into();
            options.sdk_mcp_servers = vec!["calc".into()];
            options.mcp_config_files = vec!["/a b.json".into()];
            options.strict_mcp_config = true;
            options.tools = Some(vec!["Bash".into(), "Read".into()]);
            options.allowed_tools = vec!["Bash(git:*)".into(), "Edit".into()];
            options.disallowed_tools = vec!["WebFetch".into()];
            options.max_turns = Some(3);
            options.max_budget_usd = Some(0.25);
            options.max_thinking_tokens = Some(2000);
            options.thinking = Some(Thinking::Disabled);
            options.effort = Some("high".into());
            options.system_prompt = Some("--be brief".into());
            options.append_system_prompt = Some("two\nlines; $(rm)".into());
            options.json_schema = Some(RawJson::from_text(r#"{"type":"object"}"#).unwrap());
            options.add_dirs = vec!["/x".into(), "-y".into()];
            options.agents = Some(RawJson::empty_object());
            options.plugin_dirs = vec!["/p".into()];
            options.betas = vec!["b1".into(), "b2".into()];
            options.name = Some("name".into());
            options.debug_file = Some("/log".into());
            options.hook_events = true;
            options.persist = false;
        },
        expect![[r#"
            --include-hook-events
            --no-session-persistence
            --model=-strange
            --fallback-model=a,b
            --max-turns=3
            --max-budget-usd=0.25
            --max-thinking-tokens=2000
            --thinking=disabled
            --effort=high
            --betas=b1
            --betas=b2
            --permission-mode=acceptEdits
            --allow-dangerously-skip-permissions
            --setting-sources=user,local
            --settings={}
            --tools=Bash,Read
            --allowedTools=Bash(git:*),Edit
            --disallowedTools=WebFetch
            --mcp-config={"mcpServers":{"calc":{"name":"calc","type":"sdk"},"tiny":{"command":"x"}}}
            --mcp-config=/a b.json
            --strict-mcp-config
            --system-prompt=--be brief
            --append-system-prompt=two
            lines; $(rm)
            --json-schema={"type":"object"}
            --agents={}
            --add-dir=/x
            --add-dir=-y
            --plugin-dir=/p
            --name=name
            --debug-file=/log"#]],
    );
}

#[test]
fn empty_lists_mean_none_where_absence_means_all() {
    check(
        |options| {
            options.setting_sources = Some(Vec::new());
            options.tools = Some(Vec::new());
        },
        expect![[r#"
            --setting-sources=
            --tools="#]],
    );
}

#[test]
fn the_environment_is_what_was_given_and_what_the_options_ask_for() {
    let given = [("HOME", "/h"), ("CLAUDECODE", "1"), ("PATH", "/bin")];
    let mut options = bare();
    options.env = given
        .map(|(name, value)| (name.into(), value.into()))
        .into();
    let show = |options: &Options| {
        let env = options.environment();
        let lines: Vec<String> = env
            .iter()
            .map(|(name, value)| format!("{}={}", name.display(), value.display()))
            .collect();
        lines.join("\n")
    };
    assert_eq!(show(&options), "HOME=/h\nPATH=/bin");
    options.file_checkpointing = true;
    options.session_state_events = true;
    options.agent_teams = true;
    options.max_retries = Some(2);
    options.config_dir = Some("/c".into());
    options.entrypoint = Some("sdk-baton".into());
    expect![[r#"
        CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS=1
        CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING=true
        CLAUDE_CODE_ENTRYPOINT=sdk-baton
        CLAUDE_CODE_EXPERIMENTAL_AGENT_TEAMS=1
        CLAUDE_CODE_MAX_RETRIES=2
        CLAUDE_CODE_SDK_READS_SESSION_STATE=1
        CLAUDE_CONFIG_DIR=/c
        HOME=/h
        PATH=/bin"#]]
    .assert_eq(&show(&options));
}

#[test]
fn one_answer_in_plain_text_ends_with_the_prompt_behind_two_dashes() {
    let mut options = bare();
    options.model = Some("opus".into());
    options.tools = Some(vec!["Read".into(), "Grep".into()]);
    options.permission_mode = Some(PermissionMode::from("default"));
    let words = |argv: Vec<OsString>| {
        let words = argv.iter().map(|word| word.to_str().unwrap());
        words.collect::<Vec<_>>().join(" ")
    };
    assert_eq!(
        words(options.text_argv("--help me", false)),
        "--print --output-format text --model=opus --permission-mode=default --tools=Read,Grep -- --help me"
    );
    assert_eq!(
        words(options.text_argv("go", true)),
        "--print --output-format text --model=opus --dangerously-skip-permissions --tools=Read,Grep -- go"
    );
}
