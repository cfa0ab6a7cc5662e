use super::*;

fn env(pairs: &[(&str, &str)]) -> BTreeMap<OsString, OsString> {
    let always = [("HOME", "/h"), ("TERM", "xterm"), ("SHELL", "/bin/sh")];
    let pairs = always.iter().chain(pairs);
    pairs
        .map(|(name, value)| (name.into(), value.into()))
        .collect()
}

/// A daemon that was started with these variables, asked from another shell.
fn told(daemon: &[(&str, &str)], shell: &[(&str, &str)]) -> Running {
    let data = tempfile::tempdir().unwrap();
    let daemon = env(daemon);
    let setup = Setup::from(daemon.clone(), Some(data.path().to_owned())).unwrap();
    let config = Config::read(&Sources {
        env: &daemon,
        data: data.path(),
        folder: None,
        config: None,
        flags: &[],
    });
    let config = config.unwrap();
    let environment = AgentEnvironment::of_shell(&daemon, &config).unwrap();
    let whole = Whole {
        config: &config,
        environment: &environment,
        setup: &setup,
        folder: Path::new("/"),
    };
    let mut shown = whole.shown();
    shown.restart = Some(whole.compared(&env(shell)));
    shown
}

fn changes(restart: &Restart) -> Vec<(&str, Change)> {
    let variables = restart.variables.iter();
    variables
        .map(|one| (one.variable.as_str(), one.change))
        .collect()
}

#[test]
fn what_a_restart_would_change_is_told_by_name() {
    let daemon = [("OLD", "1"), ("BOTH", "a"), ("A_TOKEN", "hush")];
    let shell = [("NEW", "1"), ("BOTH", "b"), ("A_TOKEN", "hush2")];
    let told = told(&daemon, &shell);
    let restart = told.restart.as_ref().unwrap();
    assert_eq!(
        changes(restart),
        [
            ("A_TOKEN", Change::Other),
            ("BOTH", Change::Other),
            ("NEW", Change::Missing),
            ("OLD", Change::Left),
        ]
    );
    let text = serde_json::to_string(&told).unwrap();
    assert!(!text.contains("hush"), "{text}");
}

#[test]
fn the_same_shell_differs_in_nothing() {
    let all = [("A", "1"), ("BATON_AGENT_MAX_TURNS", "7")];
    assert_eq!(told(&all, &all).restart, Some(Restart::default()));
}

#[test]
fn settings_of_a_shell_are_told_with_where_they_come_from() {
    let told = told(&[], &[("BATON_AGENT_MAX_TURNS", "7")]);
    let value = |settings: &[ShownSetting]| {
        let found = settings.iter().find(|one| one.setting == "agent.maxTurns");
        found.map(|one| (one.value.clone(), one.origin.clone()))
    };
    let wanted = Some((serde_json::Value::Null, "default".into()));
    assert_eq!(value(&told.settings), wanted);
    let restart = told.restart.unwrap();
    assert_eq!(restart.settings.len(), 1);
    let wanted = Some((7.into(), "BATON_AGENT_MAX_TURNS".into()));
    assert_eq!(value(&restart.settings), wanted);
}

#[test]
fn settings_with_which_no_daemon_starts_are_told() {
    let told = told(&[], &[("BATON_AGENT_MAX_TRUNS", "7")]);
    let problem = told.restart.unwrap().problem.unwrap();
    assert!(problem.contains("BATON_AGENT_MAX_TRUNS"), "{problem}");
}

#[test]
fn a_login_shell_that_is_asked_leaves_nothing_to_compare() {
    let told = told(&[("A", "1")], &[("BATON_AGENT_LOGIN_SHELL", "always")]);
    assert_eq!(told.restart.unwrap().variables, []);
}

#[test]
fn a_key_is_hidden_whatever_its_variable_is_called() {
    let key = format!("sk-ant-api03-{}", "x1Y2".repeat(20));
    let told = told(&[("SOMETHING", &key)], &[]);
    let shown = told.variables.iter();
    let shown = shown.clone().find(|one| one.variable == "SOMETHING");
    assert!(!shown.unwrap().value.contains("x1Y2"));
}
