use std::{
    collections::BTreeMap, ffi::OsString, os::unix::fs::PermissionsExt, path::Path, time::Duration,
};

use baton_protocol::words::{PermissionMode, Runtime};
use expect_test::expect_file;
use tempfile::TempDir;

use super::{
    keys::{KEYS, MODES, Reach, SettingKind},
    layers::Origin,
    *,
};
use crate::failure::Exit;

/// A data folder and a current folder.
struct World {
    root: TempDir,
    env: BTreeMap<OsString, OsString>,
    flags: Vec<FlagValue>,
    named: Option<&'static str>,
}

impl World {
    fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        for folder in ["data", "here"] {
            std::fs::create_dir(root.path().join(folder)).unwrap();
        }
        let env = [("HOME", "/home/user"), ("BATON_LOG", "x"), ("PATH", "/bin")];
        Self {
            root,
            env: env.map(|(name, value)| (name.into(), value.into())).into(),
            flags: Vec::new(),
            named: None,
        }
    }

    fn file(self, path: &str, text: &str) -> Self {
        let path = self.root.path().join(path);
        std::fs::write(&path, text).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
        self
    }

    fn variable(mut self, name: &str, value: &str) -> Self {
        self.env.insert(name.into(), value.into());
        self
    }

    fn flag(mut self, flag: &'static str, key: &'static str, value: &str) -> Self {
        let value = value.to_owned();
        self.flags.push(FlagValue { flag, key, value });
        self
    }

    fn read(&self) -> Result<Config, String> {
        let named = self.named.map(|path| self.root.path().join(path));
        let read = Config::read(&Sources {
            env: &self.env,
            data: &self.root.path().join("data"),
            folder: Some(&self.root.path().join("here")),
            config: named.as_deref(),
            flags: &self.flags,
        });
        let root = format!("{}/", self.root.path().display());
        read.map_err(|failure| {
            assert_eq!(failure.exit, Exit::Usage);
            failure.what.replace(&root, "")
        })
    }

    fn origin(&self, key: &str) -> String {
        let config = self.read().unwrap();
        let setting = config.settings.iter().find(|setting| setting.key == key);
        let root = format!("{}/", self.root.path().display());
        setting.unwrap().origin.to_string().replace(&root, "")
    }
}

#[track_caller]
fn refused(world: &World, expected: &str) {
    assert_eq!(world.read().unwrap_err(), expected);
}

/// A value other than the default, as the environment has it.
fn other(kind: SettingKind, default: &str) -> String {
    let other = |words: &[&str]| {
        let mut words = words.iter().filter(|word| **word != default);
        (*words.next().unwrap()).to_owned()
    };
    match kind {
        SettingKind::Text(_) => "words".into(),
        SettingKind::Path => "~/bin/claude".into(),
        SettingKind::Secret(least) => "7".repeat(least + 1),
        SettingKind::Host => "0.0.0.0".into(),
        SettingKind::Urls => "https://Baton.example.org:443/,http://[::1]:80".into(),
        SettingKind::Hosts => "Images.example.org,cdn.example.org".into(),
        SettingKind::Paths => "/srv/code,~/code".into(),
        SettingKind::Patterns => "*.bak,old-?".into(),
        SettingKind::Flag => if default == "true" { "false" } else { "true" }.into(),
        SettingKind::Number(min, _) => (min + 3).to_string(),
        SettingKind::Time => "1234".into(),
        SettingKind::Money => "2.5".into(),
        SettingKind::Word(words) | SettingKind::Words(words) => other(words),
        SettingKind::Tools => "Read, Edit,mcp__x__*".into(),
        SettingKind::Variables => "{LANG: C}".into(),
        SettingKind::FolderVariables => "{~/shop: {LANG: C}}".into(),
    }
}

#[test]
fn the_page_about_the_configuration_is_committed_as_generated() {
    expect_file!["../../../docs/config.md"].assert_eq(&describe::page());
}

#[test]
fn without_any_file_the_defaults_are_what_the_mission_says() {
    let config = World::new().read().unwrap();
    let minutes = |minutes: u64| Some(Duration::from_secs(60 * minutes));
    let agent = &config.agent;
    assert_eq!(agent.turn_timeout, minutes(30));
    assert_eq!(agent.idle_timeout, minutes(30));
    assert_eq!(agent.lifetime, minutes(240));
    assert_eq!(agent.hang_timeout, minutes(5));
    assert_eq!(agent.process_idle, minutes(5));
    assert_eq!(agent.approval_timeout, None);
    assert_eq!(agent.question_timeout, minutes(24 * 60));
    assert_eq!(agent.max_processes, 8);
    assert_eq!(agent.max_sessions, 16);
    assert_eq!(agent.max_sessions_per_project, 8);
    assert_eq!(agent.setting_sources, ["user", "project", "local"]);
    assert_eq!(agent.tools, ToolChoice::Tier("full".into()));
    assert_eq!(agent.runtime, Runtime::Streaming);
    assert_eq!(agent.permission_mode, None);
    assert!(agent.allow_bypass && agent.agent_teams && agent.env.is_empty());
    assert_eq!(config.store.retention, None);
    assert!(config.files.is_empty());
    assert!(
        config
            .settings
            .iter()
            .all(|setting| setting.origin == Origin::Default)
    );
}

#[test]
fn every_setting_of_the_table_reaches_the_part_that_uses_it() {
    let plain = World::new().read().unwrap();
    for key in KEYS {
        let text = other(key.kind, key.default);
        let world = World::new().variable(&key.variable(), &text);
        let config = world.read().unwrap();
        let parts = |config: &Config| {
            let Config {
                runner,
                auth,
                store,
                agent,
                projects,
                ..
            } = config.clone();
            (runner, auth, store, agent, projects)
        };
        assert_ne!(parts(&config), parts(&plain), "{} is used", key.name);
        assert_eq!(world.origin(key.name), key.variable());
        assert_eq!(config.settings.len(), KEYS.len());
        assert!(key.doc.ends_with('.'), "{}", key.name);
        if key.may_be_none() {
            let none = World::new().variable(&key.variable(), "none").read();
            let none = none.unwrap().settings;
            let none = none.iter().find(|setting| setting.key == key.name);
            assert_eq!(none.unwrap().value, value::Value::None, "{}", key.name);
        }
    }
    let modes: Vec<_> = PermissionMode::ALL
        .iter()
        .map(|mode| mode.as_str())
        .collect();
    assert_eq!(modes, MODES);
    assert_eq!(
        KEYS.iter()
            .map(Key::variable)
            .find(|name| name.ends_with("PATH")),
        Some("BATON_AGENT_CLAUDE_PATH".into())
    );
}

#[test]
fn the_environment_counts_more_than_the_file_and_a_flag_more_than_both() {
    let mut world = World::new().file("data/config.yaml", "\nagent:\n  model: one\n");
    assert_eq!(world.origin("agent.model"), "data/config.yaml:3");
    world = world.variable("BATON_AGENT_MODEL", "two");
    assert_eq!(world.origin("agent.model"), "BATON_AGENT_MODEL");
    world = world.flag("--model", "agent.model", "three");
    assert_eq!(world.origin("agent.model"), "--model");
    assert_eq!(world.read().unwrap().agent.model.as_deref(), Some("three"));
}

#[test]
fn the_named_file_counts_before_the_folders_and_that_before_the_data_folders() {
    let mut world = World::new()
        .file("named.yaml", "agent: {model: named, claudePath: /x}")
        .file("here/baton.yaml", "agent: {model: here}")
        .file(
            "data/config.yaml",
            "agent: {model: data, fallbackModel: data, claudePath: /own}",
        );
    let config = world.read().unwrap();
    assert_eq!(config.agent.model.as_deref(), Some("here"));
    // One file counts, except for what the folder's file may not say.
    assert_eq!(config.agent.fallback_model, None);
    assert_eq!(config.agent.claude_path.as_deref(), Some(Path::new("/own")));
    world.named = Some("named.yaml");
    let config = world.read().unwrap();
    assert_eq!(config.agent.model.as_deref(), Some("named"));
    assert_eq!(config.agent.claude_path.as_deref(), Some(Path::new("/x")));
    world.named = Some("missing.yaml");
    refused(&world, "the configuration missing.yaml is not there");
}

#[test]
fn a_file_in_the_folder_cannot_say_what_runs_programs_or_lifts_limits() {
    for key in KEYS.iter().filter(|key| key.reach == Reach::Personal) {
        let (section, name) = key.name.split_once('.').unwrap();
        let text = format!("{section}:\n  {name}: {}\n", other(key.kind, key.default));
        let world = World::new().file("here/baton.yaml", &text);
        refused(
            &world,
            &format!(
                "here/baton.yaml:2: `{}` cannot be set by a file that lies in the current folder",
                key.name
            ),
        );
    }
    let personal = [
        "claudePath",
        "env",
        "allowBypass",
        "permissionMode",
        "tools",
    ];
    for name in personal {
        let key = keys::Key::find(&format!("agent.{name}")).unwrap();
        assert_eq!(key.reach, Reach::Personal, "{name}");
    }
}

#[test]
fn a_file_that_others_can_change_is_not_read() {
    for path in ["here/baton.yaml", "data/config.yaml"] {
        let world = World::new().file(path, "agent: {model: x}");
        let file = world.root.path().join(path);
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o622)).unwrap();
        let told = format!("the configuration {path} can be changed by others, so it is not read");
        refused(&world, &told);
    }
}

#[test]
fn unknown_names_are_refused_with_their_place_and_the_nearest_known_one() {
    let file = |text: &str| World::new().file("data/config.yaml", text);
    refused(
        &file("agent:\n  model: x\n  turnTimoutMs: 5\n"),
        "data/config.yaml:3: `agent.turnTimoutMs` is no setting; the nearest is `agent.turnTimeoutMs`",
    );
    refused(
        &file("agents:\n  model: x\n"),
        "data/config.yaml:1: `agents` is no setting; the nearest is `agent`",
    );
    refused(
        &file("kitchenSinks: 1\n"),
        "data/config.yaml:1: `kitchenSinks` is no setting",
    );
    refused(
        &file("agent.model: x\n"),
        "data/config.yaml:1: `agent.model` cannot be written in one word",
    );
    refused(
        &file("agent: 5\n"),
        "data/config.yaml:1: agent holds no names with values",
    );
    refused(
        &file("- agent\n"),
        "data/config.yaml:1: the file holds no names with values",
    );
    refused(
        &World::new().variable("BATON_AGENT_MODLE", "x"),
        "the environment variable BATON_AGENT_MODLE stands for no setting; the nearest is BATON_AGENT_MODEL",
    );
    assert!(World::new().variable("BATON_DATA_DIR", "/x").read().is_ok());
    assert!(file("agent:\nrunner:\n  name:\n").read().is_ok());
}

#[test]
fn a_variable_of_no_section_is_told_with_the_one_that_may_be_meant() {
    let notices = |name: &str| World::new().variable(name, "x").read().unwrap().notices;
    assert_eq!(
        notices("BATON_AGNET_MODEL"),
        [
            "the environment variable BATON_AGNET_MODEL stands for no setting and is passed over; the nearest is BATON_AGENT_MODEL"
        ]
    );
    assert_eq!(
        notices("BATON_DATADIR"),
        [
            "the environment variable BATON_DATADIR stands for no setting and is passed over; the nearest is BATON_DATA_DIR"
        ]
    );
    // A cluster has such for each service that it runs.
    assert_eq!(
        notices("BATON_SERVICE_HOST_OF_SOMEBODY_ELSE"),
        [
            "the environment variable BATON_SERVICE_HOST_OF_SOMEBODY_ELSE stands for no setting and is passed over"
        ]
    );
    for own in [
        "BATON_LOG",
        "BATON_DATA_DIR",
        "BATON_HOLDER",
        "BATON_TEST_CACHE",
    ] {
        assert_eq!(notices(own), [""; 0], "{own}");
    }
}

/// One setting of an agent in a file, and what is told of it.
#[track_caller]
fn check(text: &str, line: usize, told: &str) {
    let world = World::new().file("data/config.yaml", &format!("agent:\n  {text}\n"));
    refused(&world, &format!("data/config.yaml:{line}: {told}"));
}

#[test]
fn bad_values_are_refused_with_their_place_and_the_reason() {
    check(
        "maxSessions: 0",
        2,
        "`agent.maxSessions`: it is a whole number from 1 to 1000",
    );
    check(
        "maxSessions: none",
        2,
        "`agent.maxSessions`: it is a whole number from 1 to 1000",
    );
    check(
        "maxTurns: -1",
        2,
        "`agent.maxTurns`: it is a whole number from 1 to 100000, or none",
    );
    check(
        "turnTimeoutMs: 30 min",
        2,
        "`agent.turnTimeoutMs`: it is a whole number from 1 to 315360000000, or none",
    );
    check(
        "allowBypass: yes",
        2,
        "`agent.allowBypass`: it is true or false",
    );
    check(
        "runtime: stream",
        2,
        "`agent.runtime`: it is one of streaming, resume; did you mean streaming?",
    );
    check(
        "settingSources: [user, projekt]",
        2,
        "`agent.settingSources`: it is one of user, project, local; did you mean project?",
    );
    check(
        "tools: readonl",
        2,
        "`agent.tools`: it is one of readonly, standard, full, or a list of tools; did you mean readonly?",
    );
    check(
        "tools: [Read, 'a b']",
        2,
        "`agent.tools`: `a b` is no name of a tool",
    );
    for odd in [
        "10.0.0.1",
        "localhost",
        "a b.org",
        "https://example.org",
        "-x.org",
    ] {
        check(
            &format!("imageHosts: ['{odd}']"),
            2,
            &format!(
                "`agent.imageHosts`: `{odd}` is not the name of a host, such as images.example.org"
            ),
        );
    }
    check(
        "claudePath: claude",
        2,
        "`agent.claudePath`: it is a path from the root or from ~",
    );
    check(
        "budgetUsdPerDay: 0",
        2,
        "`agent.budgetUsdPerDay`: it is a number of dollars above 0",
    );
    check(
        "budgetUsdPerDay: NaN",
        2,
        "`agent.budgetUsdPerDay`: it is a number of dollars above 0",
    );
    check("model: [a]", 2, "`agent.model`: it is text, not a list");
    check("model: ''", 2, "`agent.model`: it is empty");
}

#[test]
fn bad_variables_prompts_and_combinations_are_refused_too() {
    check(
        "env:\n    A: 1\n    B C: 2",
        4,
        "`agent.env`: `B C` is no name of a variable",
    );
    check(
        "env:\n    BATON_AUTH_TOKEN: x",
        3,
        "`agent.env`: `BATON_AUTH_TOKEN` is Baton's own and never reaches agents",
    );
    check(
        "env: LANG",
        2,
        "`agent.env`: it is names with values, not one value",
    );
    let long = format!("appendSystemPrompt: {}", "é".repeat(4001));
    check(
        &long,
        2,
        "`agent.appendSystemPrompt`: it has 4001 characters, and 4000 is the most",
    );
    let fits = format!("agent:\n  appendSystemPrompt: {}\n", "é".repeat(4000));
    assert!(World::new().file("data/config.yaml", &fits).read().is_ok());
    refused(
        &World::new().variable("BATON_AGENT_MAX_TURNS", "many"),
        "BATON_AGENT_MAX_TURNS: `agent.maxTurns`: it is a whole number from 1 to 100000, or none",
    );
    refused(
        &World::new()
            .variable("BATON_AGENT_PERMISSION_MODE", "bypassPermissions")
            .variable("BATON_AGENT_ALLOW_BYPASS", "false"),
        "agent.permissionMode is bypassPermissions, which agent.allowBypass forbids",
    );
}

#[test]
fn variables_keep_their_words_and_paths_their_home() {
    let world = World::new().file(
        "data/config.yaml",
        "agent:\n  env: {A: 1.10, B: true, C: ~, D: none}\n  claudePath: ~/bin/claude\n\
         projects:\n  env:\n    ~/shop: {X: y}\n    '~': {Z: z}\n",
    );
    let config = world.read().unwrap();
    let env: Vec<_> = config
        .agent
        .env
        .iter()
        .map(|(n, v)| format!("{n}={v}"))
        .collect();
    assert_eq!(env, ["A=1.10", "B=true", "C=", "D=none"]);
    let wanted = Some(Path::new("/home/user/bin/claude"));
    assert_eq!(config.agent.claude_path.as_deref(), wanted);
    assert_eq!(config.projects.env[Path::new("/home/user/shop")]["X"], "y");
}

#[test]
fn a_folder_is_known_by_its_true_path() {
    let world = World::new();
    let root = world.root.path().canonicalize().unwrap();
    std::os::unix::fs::symlink(root.join("here"), root.join("link")).unwrap();
    let text = format!("{{{}: {{A: b}}}}", root.join("link").display());
    let config = world.variable("BATON_PROJECTS_ENV", &text).read().unwrap();
    assert_eq!(config.projects.env[&root.join("here")]["A"], "b");
}

#[test]
fn a_token_and_a_pin_are_shown_to_nobody_even_when_they_are_wrong() {
    for (variable, secret) in [
        ("BATON_AUTH_TOKEN", "s3cr3t-of-at-least-thirty-two-chars"),
        ("BATON_AUTH_PIN", "839102"),
    ] {
        let config = World::new().variable(variable, secret).read().unwrap();
        let shown = config.settings.iter().map(|s| s.value.shown().to_string());
        assert!(!shown.collect::<String>().contains(secret));
        assert!(!format!("{config:?}").contains(secret));
        for bad in [&secret[..5], &format!("{secret} {secret}")] {
            let told = World::new().variable(variable, bad).read().unwrap_err();
            assert!(!told.contains(bad), "{told}");
        }
    }
}

#[test]
fn addresses_are_whole_and_written_one_way() {
    let world = World::new().variable(
        "BATON_RUNNER_PUBLIC_URLS",
        "https://Baton.Example.org/,http://[2001:DB8::1]:2633,https://a.b:443",
    );
    assert_eq!(
        world.read().unwrap().runner.public_urls,
        [
            "https://baton.example.org",
            "http://[2001:db8::1]:2633",
            "https://a.b"
        ]
    );
    let bad_ones =
        "baton.example.org ftp://a.b https://a.b/path https://me:pw@a.b https://a.b:99999
        https://*.b https:// null";
    for bad in bad_ones.split_whitespace() {
        let world = World::new().variable("BATON_RUNNER_PUBLIC_URLS", bad);
        assert!(world.read().is_err(), "{bad}");
    }
    let exposed = |host: &str| {
        let world = World::new().variable("BATON_RUNNER_HOST", host);
        world.read().map(|config| config.runner.is_exposed())
    };
    assert_eq!(exposed("localhost"), Ok(false));
    assert_eq!(exposed("127.0.0.2"), Ok(false));
    assert_eq!(exposed("::1"), Ok(false));
    assert_eq!(exposed("::ffff:127.0.0.1"), Ok(false));
    assert_eq!(exposed("0.0.0.0"), Ok(true));
    assert_eq!(exposed("::"), Ok(true));
    assert_eq!(exposed("192.0.2.1"), Ok(true));
    assert!(exposed("example.org").is_err());
}

#[test]
fn secrets_are_not_shown() {
    for (name, value, shown) in [
        ("GITHUB_TOKEN", "x", "***"),
        ("Api_Key", "x", "***"),
        ("DB_PASSWORD", "x", "***"),
        ("MY_SECRET_THING", "x", "***"),
        ("DATABASE_URL", "postgres://me:pw@host/db", "***"),
        (
            "DATABASE_URL",
            "postgres://host/db?a=@",
            "postgres://host/db?a=@",
        ),
        ("LANG", "C", "C"),
    ] {
        assert_eq!(shown_value(name, value), shown, "{name}");
    }
    let world = World::new().variable("BATON_PROJECTS_ENV", "{/p: {A_TOKEN: t, B: c}}");
    let config = world.read().unwrap();
    let setting = config.settings.last().unwrap();
    assert_eq!(
        setting.value.shown().to_string(),
        r#"{"/p":{"A_TOKEN":"***","B":"c"}}"#
    );
}
