use super::*;

fn env(pairs: &[(&str, &str)]) -> BTreeMap<OsString, OsString> {
    pairs
        .iter()
        .map(|(name, value)| (name.into(), value.into()))
        .collect()
}

#[test]
fn the_data_folder_is_the_flag_then_the_variable_then_home() {
    let all = env(&[("HOME", "/h"), ("BATON_DATA_DIR", "/d")]);
    let data = |env, flag: Option<&str>| Setup::from(env, flag.map(PathBuf::from)).unwrap().data;
    assert_eq!(data(all.clone(), Some("/f")), Path::new("/f"));
    assert_eq!(data(all, None), Path::new("/d"));
    assert_eq!(data(env(&[("HOME", "/h")]), None), Path::new("/h/.baton"));
    assert!(Setup::from(env(&[]), None).is_err());
}

#[test]
fn agents_get_the_users_environment_without_batons_own() {
    let all = env(&[
        ("HOME", "/h"),
        ("BATON_AUTH_TOKEN", "secret"),
        ("LANG", "C"),
    ]);
    let setup = Setup::from(all, None).unwrap();
    let names: Vec<_> = setup
        .agents
        .env
        .iter()
        .map(|(name, _)| name.clone())
        .collect();
    assert_eq!(names, ["HOME", "LANG"]);
}

#[test]
fn a_relative_folder_in_the_path_finds_no_program() {
    assert_eq!(find(OsStr::new(".:bin"), "sh"), None);
    let wanted = Some(PathBuf::from("/bin/sh"));
    assert_eq!(find(OsStr::new("/nowhere:/bin"), "sh"), wanted);
}

#[test]
fn a_command_to_copy_survives_the_shell() {
    assert_eq!(shell_word("target/debug/baton"), "target/debug/baton");
    assert_eq!(shell_word("my data"), "'my data'");
    assert_eq!(shell_word("it's"), r"'it'\''s'");
}

#[tokio::test]
async fn the_configuration_says_which_claude_runs_with_which_environment() {
    let root = tempfile::tempdir().unwrap();
    let config = |env: &BTreeMap<OsString, OsString>| {
        Config::read(&crate::config::Sources {
            env,
            data: root.path(),
            folder: None,
            config: None,
            flags: &[],
        })
        .unwrap()
    };
    let all = env(&[
        ("HOME", "/h"),
        ("TERM", "xterm"),
        ("SHELL", "/bin/sh"),
        ("PATH", "/nowhere"),
        ("BATON_AGENT_CLAUDE_PATH", "~/bin/claude"),
        ("BATON_AGENT_ENV", "{CLAUDE_CONFIG_DIR: /c}"),
        ("BATON_AGENT_DEMO_PACE_MS", "7"),
    ]);
    let mut setup = Setup::from(all.clone(), None).unwrap();
    let config = config(&all);
    let environment = AgentEnvironment::read(&all, &config).await;
    setup.configure(&config, &environment);
    assert_eq!(setup.agents.claude, Some("/h/bin/claude".into()));
    assert_eq!(setup.agents.claude_config, Path::new("/c"));
    assert_eq!(setup.agents.demo_pace, Duration::from_millis(7));
    let has = |name: &str| setup.agents.env.iter().any(|(known, _)| known == name);
    assert!(has("CLAUDE_CONFIG_DIR") && !has("BATON_AGENT_ENV"));
}
