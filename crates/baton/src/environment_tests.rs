use std::{
    os::unix::{ffi::OsStringExt, fs::PermissionsExt},
    time::Duration,
};

use tempfile::TempDir;

use super::*;
use crate::config::Sources;

fn env(pairs: &[(&str, &str)]) -> BTreeMap<OsString, OsString> {
    let pair = |(name, value): &(&str, &str)| (name.into(), value.into());
    pairs.iter().map(pair).collect()
}

/// The configuration that these variables make.
fn config(settings: &[(&str, &str)]) -> Config {
    let env = env(settings);
    // A folder of its own: nobody else's files may count.
    let data = TempDir::new().unwrap();
    Config::read(&Sources {
        env: &env,
        data: data.path(),
        folder: None,
        config: None,
        flags: &[],
    })
    .unwrap()
}

async fn read(process: &[(&str, &str)], settings: &[(&str, &str)]) -> AgentEnvironment {
    AgentEnvironment::read(&env(process), &config(settings)).await
}

fn lines(environment: &AgentEnvironment) -> Vec<String> {
    let line = |(name, variable): (&OsString, &Variable)| {
        format!(
            "{}={} ({})",
            name.display(),
            variable.value.display(),
            variable.origin
        )
    };
    environment.variables.iter().map(line).collect()
}

const TERMINAL: &[(&str, &str)] = &[("TERM", "xterm"), ("SHELL", "/bin/sh")];

#[tokio::test]
async fn agents_get_what_the_user_has_without_baton_and_enclosing_agents() {
    let process = [
        TERMINAL,
        &[
            ("HOME", "/h"),
            ("ANTHROPIC_API_KEY", "k"),
            ("BATON_AUTH_TOKEN", "secret"),
            ("BATON_DATA_DIR", "/d"),
            ("CLAUDECODE", "1"),
            ("CLAUDE_CODE_ENTRYPOINT", "cli"),
            ("CLAUDE_CODE_SSE_PORT", "1"),
            ("CLAUDE_CODE_SESSION_ID", "x"),
            ("CLAUDE_CODE_REMOTE", "true"),
            ("CLAUDE_CODE_OAUTH_TOKEN_FILE_DESCRIPTOR", "5"),
            ("CLAUDE_CODE_OAUTH_TOKEN", "t"),
            ("CLAUDE_CODE_USE_BEDROCK", "1"),
            ("CLAUDE_CODE_MAX_OUTPUT_TOKENS", "9"),
            ("CLAUDE_CONFIG_DIR", "/c"),
            ("TMUX", "/tmp/tmux"),
            ("COLUMNS", "80"),
            ("PWD", "/somewhere"),
            ("NOTIFY_SOCKET", "/run/x"),
        ],
    ]
    .concat();
    let environment = read(&process, &[]).await;
    let names: Vec<_> = environment
        .variables
        .keys()
        .map(|name| name.display().to_string())
        .collect();
    assert_eq!(
        names,
        [
            "ANTHROPIC_API_KEY",
            "CLAUDE_CODE_EXPERIMENTAL_AGENT_TEAMS",
            "CLAUDE_CODE_MAX_OUTPUT_TOKENS",
            "CLAUDE_CODE_OAUTH_TOKEN",
            "CLAUDE_CODE_USE_BEDROCK",
            "CLAUDE_CONFIG_DIR",
            "HOME",
            "SHELL",
            "TERM",
        ]
    );
    let wanted = "Baton's own";
    assert_eq!(environment.left_out[OsStr::new("BATON_AUTH_TOKEN")], wanted);
    assert_eq!(environment.left_out.len(), 12);
    assert!(environment.notices.is_empty());
}

#[tokio::test]
async fn settings_add_variables_for_all_and_for_folders() {
    let settings = [
        ("HOME", "/h"),
        ("BATON_AGENT_ENV", "{LANG: C, A: agent}"),
        (
            "BATON_PROJECTS_ENV",
            "{~/shop: {A: shop, B: shop}, ~/shop/web: {B: web}, ~/sho: {A: other}}",
        ),
    ];
    let environment = read(TERMINAL, &settings).await;
    assert_eq!(
        lines(&environment),
        [
            "A=agent (agent.env)",
            "CLAUDE_CODE_EXPERIMENTAL_AGENT_TEAMS=1 (agent.agentTeams)",
            "LANG=C (agent.env)",
            "SHELL=/bin/sh (environment)",
            "TERM=xterm (environment)",
        ]
    );
    let of = |folder: &str, name: &str| {
        let all = environment.in_folder(Path::new(folder));
        let variable = all.get(OsStr::new(name));
        variable.map(|variable| variable.value.display().to_string())
    };
    assert_eq!(of("/h/shop/web/src", "A").as_deref(), Some("shop"));
    assert_eq!(of("/h/shop/web/src", "B").as_deref(), Some("web"));
    assert_eq!(of("/h/shop", "B").as_deref(), Some("shop"));
    assert_eq!(of("/h/shopping", "A").as_deref(), Some("agent"));
    let off = read(
        &[TERMINAL, &[(TEAMS, "1")]].concat(),
        &[("BATON_AGENT_AGENT_TEAMS", "false")],
    )
    .await;
    assert_eq!(off.get(TEAMS), None);
}

#[test]
fn only_a_process_without_terminal_or_shell_or_begun_by_systemd_is_a_service() {
    let service = |pairs: &[(&str, &str)]| runs_as_service(&env(pairs), 7);
    assert!(!service(TERMINAL));
    // A terminal of a desktop session has the session's marks.
    let desktop: &[(&str, &str)] = &[("INVOCATION_ID", "x"), ("SYSTEMD_EXEC_PID", "1")];
    assert!(!service(&[TERMINAL, desktop].concat()));
    assert!(service(&[TERMINAL, &[("SYSTEMD_EXEC_PID", "7")]].concat()));
    assert!(service(&[("SHELL", "/bin/sh"), ("INVOCATION_ID", "x")]));
    assert!(service(&[("TERM", "xterm")]));
}

#[test]
fn the_login_shell_of_a_user_stands_in_the_seventh_field() {
    let table = "root:x:0:0:root:/root:/bin/bash\nbad\nme:x:1000:1000::/home/user:/usr/bin/zsh\n\
                 odd:x:7:7::/:\n";
    let of = |user| login_shell::of_user(table, user);
    assert_eq!(of(0), Some("/bin/bash".into()));
    assert_eq!(of(1000), Some("/usr/bin/zsh".into()));
    assert_eq!((of(7), of(5)), (None, None));
}

#[test]
fn only_what_stands_between_the_marks_is_taken() {
    let between = |text: &str| login_shell::between(text.as_bytes(), b"#M#");
    let said =
        between("A=noise\0#M#A=1\0B=x\ny=z\0C\0=d\0BASH_FUNC_f%%=() {\0E=\0#M#A=2\0").unwrap();
    assert_eq!(said, env(&[("A", "1"), ("B", "x\ny=z"), ("E", "")]));
    assert_eq!(between("#M#A=1\0"), None);
    assert_eq!(between("A=1\0"), None);
    let odd = login_shell::between(b"#M#A=\xff\0#M#", b"#M#").unwrap();
    assert_eq!(odd[OsStr::new("A")], OsString::from_vec(vec![0xff]));
}

/// A home with a start-up file, and a shell.
struct Home {
    root: TempDir,
    shell: String,
}

impl Home {
    fn bash(profile: &str) -> Self {
        let root = tempfile::tempdir().unwrap();
        std::fs::write(root.path().join(".bash_profile"), profile).unwrap();
        Self {
            root,
            shell: "/bin/bash".into(),
        }
    }

    /// A shell of our own making.
    fn script(text: &str) -> Self {
        let mut home = Self::bash("");
        let path = home.root.path().join("shell");
        std::fs::write(&path, text).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        home.shell = path.display().to_string();
        home
    }

    fn process(&self) -> BTreeMap<OsString, OsString> {
        let home = self.root.path().display().to_string();
        env(&[
            ("HOME", &home),
            ("SHELL", &self.shell),
            ("PATH", "/opt/image/bin:/usr/bin:/bin"),
            ("KEPT", "process"),
        ])
    }

    async fn read(&self) -> AgentEnvironment {
        AgentEnvironment::read(&self.process(), &config(&[])).await
    }
}

#[test]
fn what_stood_before_the_systems_folders_still_does() {
    let path = |shell: &str, process: &str| {
        let joined = joined(OsStr::new(shell), OsStr::new(process));
        joined.display().to_string()
    };
    assert_eq!(
        path("/usr/bin:/bin", "/venv:/usr/bin"),
        "/venv:/usr/bin:/bin"
    );
    assert_eq!(
        path("/cargo:/usr/bin", "/a:/b:/usr/bin:/c:/d"),
        "/cargo:/a:/b:/usr/bin:/c:/d"
    );
    assert_eq!(path("/x:/y", "/y:/x:/z"), "/x:/y:/z");
    assert_eq!(path("/x", "/only"), "/x:/only");
    assert_eq!(path("/x::/x", ""), "/x");
}

#[tokio::test]
async fn a_service_takes_its_agents_environment_from_the_login_shell() {
    let home = Home::bash(
        "echo Welcome; printf 'A=noise\\0'; cat; echo oops >&2\n\
         export FROM_PROFILE='two\nlines' BATON_AUTH_TOKEN=x CLAUDECODE=1\n\
         export PATH=/home/user/bin:/usr/bin\n\
         f() { :; }; export -f f\n",
    );
    let environment = home.read().await;
    assert_eq!(environment.notices, [""; 0]);
    let value = |name: &str| {
        environment
            .get(name)
            .map(|value| value.display().to_string())
    };
    assert_eq!(value("FROM_PROFILE").as_deref(), Some("two\nlines"));
    assert_eq!(value("KEPT").as_deref(), Some("process"));
    let wanted = Some("/home/user/bin:/opt/image/bin:/usr/bin:/bin");
    assert_eq!(value("PATH").as_deref(), wanted);
    for gone in ["A", "BATON_AUTH_TOKEN", "CLAUDECODE", "PWD", "SHLVL", "_"] {
        assert_eq!(value(gone), None, "{gone}");
    }
    let origin = |name: &str| environment.variables[OsStr::new(name)].origin;
    assert_eq!(origin("FROM_PROFILE"), VariableOrigin::LoginShell);
    assert_eq!(origin("KEPT"), VariableOrigin::Process);
}

#[tokio::test]
async fn a_shell_that_fails_leaves_the_environment_of_the_process_and_says_so() {
    let home = Home::bash("exit 3\n");
    let environment = home.read().await;
    assert_eq!(
        environment.notices,
        [
            "the agents' environment is that of this process, because the login shell /bin/bash ended with exit code 3 and said nothing"
        ]
    );
    assert_eq!(environment.get("KEPT"), Some(OsStr::new("process")));
    let mut missing = Home::bash("");
    missing.shell = "/nowhere/shell".into();
    let notices = missing.read().await.notices;
    let part = "/nowhere/shell did not answer";
    assert!(notices[0].contains(part), "{notices:?}");
}

#[tokio::test]
async fn a_shell_that_complains_but_answers_is_believed() {
    let home = Home::script(
        "#!/bin/sh\nexec 2>&1\nset -x\n[ \"$1\" = -l ] && env -i A=1 B=2 /bin/sh -xc \"$3\"; exit 1\n",
    );
    let environment = home.read().await;
    assert_eq!(environment.notices, [""; 0]);
    let shell = |name: &str| environment.variables[OsStr::new(name)].origin;
    assert_eq!(shell("A"), VariableOrigin::LoginShell);
    assert_eq!(shell("B"), VariableOrigin::LoginShell);
}

#[tokio::test]
async fn a_shell_that_says_nothing_of_itself_is_named_all_the_same() {
    let home = Home::script("#!/bin/sh\nunset SHELL; eval \"$3\"\n");
    let environment = home.read().await;
    assert_eq!(environment.get("SHELL"), Some(OsStr::new(&home.shell)));
}

#[tokio::test]
async fn a_shell_that_hangs_is_killed_when_its_time_is_up() {
    let home = Home::script("#!/bin/sh\necho $$ > \"$HOME/pid\"; exec sleep 1012\n");
    let process = home.process();
    let env: Vec<_> = process.clone().into_iter().collect();
    let time = Duration::from_secs(2);
    let error = login_shell::read_within(&process, &env, time)
        .await
        .unwrap_err();
    assert!(error.contains("did not end within 2s"), "{error}");
    let pid = std::fs::read_to_string(home.root.path().join("pid")).unwrap();
    let gone = async {
        let place = format!("/proc/{}/cmdline", pid.trim());
        while std::fs::read(&place).is_ok_and(|line| !line.is_empty()) {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    let waited = tokio::time::timeout(Duration::from_secs(20), gone).await;
    assert!(waited.is_ok(), "the shell is still there");
}

#[tokio::test]
async fn a_shell_that_floods_is_not_believed() {
    let home = Home::script("#!/bin/sh\nhead -c 3000000 /dev/zero; eval \"$3\"\n");
    let environment = home.read().await;
    assert!(
        environment.notices[0].contains("exit code 0"),
        "{:?}",
        environment.notices
    );
}
