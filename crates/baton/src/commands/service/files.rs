//! The file that makes a service of the daemon, and the commands around it.

use std::{
    fmt::Write as _,
    io,
    path::{Path, PathBuf},
};

use crate::{failure::Failure, setup::Setup};

/// Who runs services here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Manager {
    Systemd,
    Launchd,
}

const UNIT: &str = "baton.service";
const LABEL: &str = "sh.baton.daemon";

/// Where the service's file is.
#[derive(Debug)]
pub(super) struct ServiceFile {
    manager: Manager,
    pub(super) file: PathBuf,
    /// The user's number, as launchd wants it.
    user: u32,
}

impl ServiceFile {
    pub(super) fn find(setup: &Setup) -> Result<Self, Failure> {
        let env = setup.process_env();
        let get = |name: &str| {
            let value = env.get(std::ffi::OsStr::new(name));
            value.map(PathBuf::from).filter(|path| path.is_absolute())
        };
        let home = || {
            get("HOME")
                .ok_or_else(|| Failure::new("there is no home folder for a service", "Set HOME."))
        };
        let manager = Manager::of_this_system();
        let file = match manager {
            Manager::Systemd => match get("XDG_CONFIG_HOME") {
                Some(config) => config,
                None => home()?.join(".config"),
            }
            .join("systemd/user")
            .join(UNIT),
            Manager::Launchd => home()?
                .join("Library/LaunchAgents")
                .join(format!("{LABEL}.plist")),
        };
        Ok(Self {
            manager,
            file,
            user: rustix::process::getuid().as_raw(),
        })
    }

    pub(super) fn text(&self, program: &Path, data: &Path) -> String {
        match self.manager {
            Manager::Systemd => unit(program, data),
            Manager::Launchd => property_list(program, data),
        }
    }

    pub(super) fn write(&self, text: &str) -> Result<(), Failure> {
        let write = || {
            if let Some(folder) = self.file.parent() {
                std::fs::create_dir_all(folder)?;
            }
            let new = self.file.with_extension("new");
            std::fs::write(&new, text)?;
            std::fs::rename(&new, &self.file)
        };
        write().map_err(|error| self.failure(&error))
    }

    pub(super) fn remove(&self) -> Result<(), Failure> {
        std::fs::remove_file(&self.file).map_err(|error| self.failure(&error))
    }

    fn failure(&self, error: &io::Error) -> Failure {
        Failure::new(
            format!("{} cannot be changed: {error}", self.file.display()),
            "Check its permissions and the disk.",
        )
    }

    /// What makes the service run, now and after every start of the machine.
    pub(super) fn begin(&self) -> Vec<Vec<String>> {
        match self.manager {
            Manager::Systemd => vec![
                words(&["systemctl", "--user", "daemon-reload"]),
                words(&["systemctl", "--user", "enable", UNIT]),
                words(&["systemctl", "--user", "restart", UNIT]),
            ],
            Manager::Launchd => vec![self.launchctl("bootstrap", &self.file.to_string_lossy())],
        }
    }

    pub(super) fn end(&self) -> Vec<Vec<String>> {
        match self.manager {
            Manager::Systemd => vec![words(&["systemctl", "--user", "disable", "--now", UNIT])],
            Manager::Launchd => vec![self.launchctl("bootout", &self.file.to_string_lossy())],
        }
    }

    /// Ends well if the service runs.
    pub(super) fn ask(&self) -> Vec<String> {
        match self.manager {
            Manager::Systemd => words(&["systemctl", "--user", "is-active", "--quiet", UNIT]),
            Manager::Launchd => {
                let target = format!("gui/{}/{LABEL}", self.user);
                words(&["launchctl", "print", &target])
            }
        }
    }

    /// What the user may want to do beside.
    pub(super) fn hint(&self) -> Option<String> {
        match self.manager {
            Manager::Systemd => Some(
                "It ends when you log out, unless you let your services stay: loginctl enable-linger"
                    .to_owned(),
            ),
            Manager::Launchd => None,
        }
    }

    fn launchctl(&self, verb: &str, file: &str) -> Vec<String> {
        words(&["launchctl", verb, &format!("gui/{}", self.user), file])
    }
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

/// `KillMode=process` is what lets agents live on under their holders when the
/// daemon is stopped or started anew.
fn unit(program: &Path, data: &Path) -> String {
    let (program, data) = (quoted(program), quoted(data));
    format!(
        "[Unit]
Description=Baton, which runs coding agents
StartLimitIntervalSec=60
StartLimitBurst=5

[Service]
Type=notify
NotifyAccess=main
ExecStart={program} serve --data-dir {data}
ExecReload=/bin/kill -HUP $MAINPID
KillMode=process
Restart=on-failure
RestartSec=2
WatchdogSec=120
TimeoutStartSec=120
TimeoutStopSec=60
UMask=0077

[Install]
WantedBy=default.target
"
    )
}

/// A word as systemd reads it back.
fn quoted(path: &Path) -> String {
    let mut word = String::from("\"");
    for c in path.to_string_lossy().chars() {
        match c {
            '"' | '\\' => word.extend(['\\', c]),
            '%' | '$' => word.extend([c, c]),
            _ if c.is_control() => {
                write!(word, "\\x{:02x}", u32::from(c)).ok();
            }
            _ => word.push(c),
        }
    }
    word.push('"');
    word
}

/// `AbandonProcessGroup` is what lets agents live on; `KeepAlive` starts a
/// daemon again that failed, not one that was stopped.
fn property_list(program: &Path, data: &Path) -> String {
    let log = escaped(&data.join("daemon.log"));
    let (program, data) = (escaped(program), escaped(data));
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>
<!DOCTYPE plist PUBLIC \"-//Apple//DTD PLIST 1.0//EN\" \"http://www.apple.com/DTDs/PropertyList-1.0.dtd\">
<plist version=\"1.0\">
<dict>
  <key>Label</key>
  <string>{LABEL}</string>
  <key>ProgramArguments</key>
  <array>
    <string>{program}</string>
    <string>serve</string>
    <string>--data-dir</string>
    <string>{data}</string>
  </array>
  <key>RunAtLoad</key>
  <true/>
  <key>KeepAlive</key>
  <dict>
    <key>SuccessfulExit</key>
    <false/>
  </dict>
  <key>AbandonProcessGroup</key>
  <true/>
  <key>ThrottleInterval</key>
  <integer>5</integer>
  <key>Umask</key>
  <integer>63</integer>
  <key>StandardErrorPath</key>
  <string>{log}</string>
</dict>
</plist>
"
    )
}

/// A path as XML reads it back.
fn escaped(path: &Path) -> String {
    let text = path.to_string_lossy();
    let text = text.replace('&', "&amp;").replace('<', "&lt;");
    text.replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn odd() -> PathBuf {
        PathBuf::from("/opt/a b/50%/$x/\"q\"/<&>")
    }

    #[test]
    fn a_unit_keeps_agents_alive_and_names_paths_as_they_are() {
        let unit = unit(&odd().join("baton"), Path::new("/data/me/.baton"));
        let lines: Vec<&str> = unit.lines().collect();
        for line in [
            "Type=notify",
            "KillMode=process",
            "Restart=on-failure",
            "ExecStart=\"/opt/a b/50%%/$$x/\\\"q\\\"/<&>/baton\" serve --data-dir \"/data/me/.baton\"",
            "WantedBy=default.target",
        ] {
            assert!(lines.contains(&line), "{line}\n{unit}");
        }
        let newline = quoted(Path::new("/a\nExecStartPre=/bin/evil"));
        assert_eq!(newline, "\"/a\\x0aExecStartPre=/bin/evil\"");
    }

    #[test]
    fn a_property_list_keeps_agents_alive_and_names_paths_as_they_are() {
        let list = property_list(&odd(), Path::new("/data/me/.baton"));
        assert!(list.contains("<string>/opt/a b/50%/$x/\"q\"/&lt;&amp;&gt;</string>"));
        assert!(list.contains("<key>AbandonProcessGroup</key>\n  <true/>"));
        assert!(list.contains("<key>SuccessfulExit</key>\n    <false/>"));
        assert!(list.contains("<string>/data/me/.baton/daemon.log</string>"));
    }
}
