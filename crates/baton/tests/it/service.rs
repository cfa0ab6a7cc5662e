//! The daemon as a service: its file, what its manager hears, its settings
//! read again, and a machine that stays awake.

use std::{
    fs,
    io::Write,
    os::unix::{fs::PermissionsExt, net::UnixDatagram},
    path::{Path, PathBuf},
    time::Duration,
};

use baton_testkit::{LIMIT, Sandbox, Signal, bin};
use serde_json::{Value, json};

use crate::Bench;

/// A folder before all others on the PATH, for programs that are not there.
fn with_programs(programs: &[(&str, &str)]) -> (Bench, PathBuf) {
    let sandbox = Sandbox::new();
    let folder = sandbox.root().join("programs");
    fs::create_dir_all(&folder).unwrap();
    for (name, script) in programs {
        let path = folder.join(name);
        let mut file = fs::File::create(&path).unwrap();
        write!(file, "#!/bin/sh\n{script}\n").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }
    let path = format!("{}:{}", folder.display(), sandbox.env()["PATH"]);
    let sandbox = sandbox.with_env("PATH", path);
    let bench = Bench::in_sandbox(sandbox).with("BATON_RUNNER_PORT", "0");
    (bench, folder)
}

fn write_config(bench: &Bench, text: &str) {
    let path = bench.sandbox.data().join("config.yaml");
    fs::create_dir_all(bench.sandbox.data()).unwrap();
    let private = fs::Permissions::from_mode(0o700);
    fs::set_permissions(bench.sandbox.data(), private).unwrap();
    fs::write(&path, text).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
}

/// Sends one of the daemon's own messages over the control socket.
fn ask(bench: &Bench, message: &Value) -> Value {
    use std::io::{BufRead, BufReader};
    let place = bench.sandbox.data().join("daemon.sock");
    let mut stream = std::os::unix::net::UnixStream::connect(place).unwrap();
    stream.set_read_timeout(Some(LIMIT)).unwrap();
    writeln!(stream, "{message}").unwrap();
    let mut line = String::new();
    BufReader::new(stream).read_line(&mut line).unwrap();
    serde_json::from_str(&line).unwrap()
}

#[test]
fn the_manager_hears_that_the_daemon_serves_lives_and_ends() {
    let sandbox = Sandbox::new();
    let place = sandbox.root().join("notify");
    let manager = UnixDatagram::bind(&place).unwrap();
    manager.set_read_timeout(Some(LIMIT)).unwrap();
    let bench = Bench::in_sandbox(sandbox)
        .with("BATON_RUNNER_PORT", "0")
        .with("NOTIFY_SOCKET", place.to_str().unwrap())
        .with("WATCHDOG_USEC", "200000");
    let serving = bench.start(&["serve"]);
    let hear = || {
        let mut heard = [0; 200];
        let length = manager.recv(&mut heard).unwrap();
        String::from_utf8(heard[..length].to_vec()).unwrap()
    };
    assert!(hear().starts_with("READY=1\n"));
    assert_eq!(hear(), "WATCHDOG=1");
    assert_eq!(hear(), "WATCHDOG=1");
    serving.signal(Signal::TERM);
    while !hear().starts_with("STOPPING=1\n") {}
    serving.finish(LIMIT).expect_success();
}

#[test]
fn a_daemon_in_the_background_tells_nobody_elses_manager() {
    let sandbox = Sandbox::new();
    let place = sandbox.root().join("notify");
    let manager = UnixDatagram::bind(&place).unwrap();
    manager.set_nonblocking(true).unwrap();
    let bench = Bench::in_sandbox(sandbox)
        .with("BATON_RUNNER_PORT", "0")
        .with("NOTIFY_SOCKET", place.to_str().unwrap());
    bench.ok(&["start"]);
    bench.stop();
    assert!(manager.recv(&mut [0; 200]).is_err());
}

#[test]
fn a_service_is_installed_asked_about_and_removed() {
    let log = "echo \"$@\" >> \"$HOME/calls\"";
    let (bench, _) = with_programs(&[("systemctl", log)]);
    let unit = bench
        .sandbox
        .home()
        .join(".config/systemd/user/baton.service");
    let asked = bench.fails(1, &["service", "status"]);
    assert!(asked.stdout.contains("no service is installed"));
    let install = bench.ok(&["service", "install", "--allow-root"]);
    install.shows("enable-linger");
    // What a shell says is not a service's, and is said with what keeps it.
    for told in [
        "BATON_AGENT_DEMO_PACE_MS of this shell is not the service's: write agent.demoPaceMs to ",
        "BATON_DAEMON_IDLE_EXIT_S of this shell",
    ] {
        install.shows(told);
    }
    let part = "BATON_DATA_DIR";
    assert!(!install.stdout.contains(part), "{}", install.stdout);
    let text = fs::read_to_string(&unit).unwrap();
    let data = bench.sandbox.data();
    let start = format!(
        "ExecStart=\"{}\" serve --data-dir \"{}\"",
        bin("baton").display(),
        data.display()
    );
    assert!(text.lines().any(|line| line == start), "{text}");
    check_with_systemd(&bench, &unit);
    let printed = bench.baton(&["service", "install", "--print"]);
    assert_eq!(printed.stdout, text);
    bench.ok(&["service", "status"]);
    bench.ok(&["service", "uninstall"]);
    assert!(!unit.exists());
    let calls = fs::read_to_string(bench.sandbox.home().join("calls")).unwrap();
    let calls: Vec<&str> = calls.lines().collect();
    assert_eq!(
        calls,
        [
            "--user daemon-reload",
            "--user enable baton.service",
            "--user restart baton.service",
            "--user is-active --quiet baton.service",
            "--user disable --now baton.service",
        ]
    );
}

/// Where there is a systemd, it reads the file too.
fn check_with_systemd(bench: &Bench, unit: &Path) {
    let Some(analyze) = ["/usr/bin", "/bin"]
        .map(|folder| Path::new(folder).join("systemd-analyze"))
        .into_iter()
        .find(|program| program.exists())
    else {
        return;
    };
    let mut verify = bench.sandbox.command(analyze);
    verify.args(["verify", "--user"]).arg(unit);
    verify.env("XDG_RUNTIME_DIR", bench.sandbox.root());
    let output = verify.output().unwrap();
    let told = String::from_utf8_lossy(&output.stderr);
    // One that cannot even begin here has no opinion.
    let able = !told.contains("Failed to initialize manager");
    assert!(output.status.success() || !able, "{told}");
}

#[test]
fn root_gets_no_service_by_accident() {
    let (bench, _) = with_programs(&[]);
    let root = fs::metadata("/proc/self").is_ok_and(|meta| {
        use std::os::unix::fs::MetadataExt;
        meta.uid() == 0
    });
    let install = bench.baton(&["service", "install", "--no-start"]);
    let unit = bench
        .sandbox
        .home()
        .join(".config/systemd/user/baton.service");
    assert_eq!(install.code() == Some(0), !root, "{}", install.stderr);
    assert_eq!(unit.exists(), !root);
}

#[test]
fn settings_are_read_again_and_what_needs_a_restart_is_named() {
    let (bench, _) = with_programs(&[]);
    write_config(&bench, "agent:\n  model: one\n");
    bench.ok(&["start"]);
    let nothing = bench.baton(&["config", "reload"]);
    assert!(nothing.stdout.contains("nothing has changed"));
    write_config(&bench, "agent:\n  model: two\nauth:\n  pin: '839102'\n");
    let reload = bench.baton(&["config", "reload", "--json"]);
    let told = &reload.json_lines()[0];
    assert_eq!(told["changed"], json!(["auth.pin"]));
    assert_eq!(told["needRestart"], json!(["agent.model"]));
    let configured = ask(&bench, &json!({"cmd": "set_pin", "pin": null}));
    assert_eq!(configured["ok"], false, "{configured}");
    // What is wrong changes nothing, and what was said before still holds.
    write_config(&bench, "agent:\n  modle: two\n");
    let wrong = bench.fails(1, &["config", "reload"]);
    wrong.tells("agent.model");
    write_config(&bench, "agent:\n  model: two\n");
    baton_testkit::send_signal(bench.daemon(), Signal::HUP);
    let cleared = || ask(&bench, &json!({"cmd": "set_pin", "pin": null}))["ok"] == true;
    wait_until(cleared);
    let again = bench.baton(&["config", "reload"]);
    again.shows("agent.model");
    bench.stop();
}

/// Looks until it is so, with a generous limit.
#[track_caller]
fn wait_until(mut holds: impl FnMut() -> bool) {
    let mut looks = 0;
    while !holds() {
        looks += 1;
        assert!(looks < 3000, "it never came to be");
        std::thread::park_timeout(Duration::from_millis(20));
    }
}

#[test]
fn the_machine_is_kept_awake_only_while_an_agent_works_and_never_after_the_daemon() {
    let hold = "echo $$ > \"$HOME/held\"; for last; do :; done; \"$last\"; rm -f \"$HOME/held\"";
    let (bench, _) = with_programs(&[("systemd-inhibit", hold)]);
    let bench = bench.with("BATON_AGENT_DEMO_PACE_MS", "200");
    let held = bench.sandbox.home().join("held");
    bench.ok(&["start"]);
    let on = ask(&bench, &json!({"cmd": "set_keep_awake", "enabled": true}));
    assert_eq!(on, json!({"ok": true, "keepAwake": true, "active": false}));
    assert_eq!(
        ask(&bench, &json!({"cmd": "get_status"}))["keepAwake"],
        true
    );
    wait_until(|| !held.exists());
    let work = bench.start(&["run", "--agent", "demo", "tour"]);
    wait_until(|| held.exists());
    bench.kill_daemon();
    wait_until(|| !held.exists());
    drop(work);
    bench.stop();
}

#[test]
fn a_machine_that_cannot_be_kept_awake_says_so() {
    let refuse = "echo 'Failed to inhibit: no manager' >&2; exit 1";
    let (bench, _) = with_programs(&[("systemd-inhibit", refuse)]);
    bench.ok(&["start"]);
    let on = ask(&bench, &json!({"cmd": "set_keep_awake", "enabled": true}));
    assert_eq!(on["ok"], false);
    let why = on["error"].as_str().unwrap();
    assert!(why.contains("Failed to inhibit"), "{why}");
    assert_eq!(
        ask(&bench, &json!({"cmd": "get_status"}))["keepAwake"],
        false
    );
    bench.stop();
}
