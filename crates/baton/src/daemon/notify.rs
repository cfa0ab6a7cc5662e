//! What a service manager is told: that the daemon serves, lives and ends.
//!
//! The protocol of systemd: lines in one datagram to the socket that
//! `NOTIFY_SOCKET` names. Without one, nothing is said.

use std::{
    collections::BTreeMap,
    ffi::{OsStr, OsString},
    io,
    os::unix::{
        ffi::OsStrExt,
        net::{SocketAddr, UnixDatagram},
    },
    time::Duration,
};

/// The way to the service manager, if there is one.
#[derive(Debug, Clone, Default)]
pub(super) struct Notify {
    address: Option<SocketAddr>,
    /// How often it wants to hear that the daemon lives.
    watchdog: Option<Duration>,
}

impl Notify {
    /// Reads from the environment where it is, and how often it asks.
    pub(super) fn of(env: &BTreeMap<OsString, OsString>, pid: u32) -> Self {
        let get = |name: &str| env.get(OsStr::new(name)).filter(|value| !value.is_empty());
        let number = |name: &str| get(name).and_then(|value| value.to_str()?.parse::<u64>().ok());
        let ours = number("WATCHDOG_PID").is_none_or(|wanted| wanted == u64::from(pid));
        let limit = number("WATCHDOG_USEC").filter(|limit| *limit > 0 && ours);
        Self {
            address: get("NOTIFY_SOCKET").and_then(|place| address(place).ok()),
            watchdog: limit.map(Duration::from_micros),
        }
    }

    pub(super) fn ready(&self) {
        self.say("READY=1\nSTATUS=serving");
    }

    pub(super) fn stopping(&self) {
        self.say("STOPPING=1\nSTATUS=ending; agents go on unless they were told to end");
    }

    pub(super) fn alive(&self) {
        self.say("WATCHDOG=1");
    }

    /// How often to say that the daemon lives: twice as often as is asked.
    pub(super) fn every(&self) -> Option<Duration> {
        self.address.as_ref()?;
        self.watchdog.map(|limit| limit / 2)
    }

    /// Whoever does not listen does not matter.
    fn say(&self, words: &str) {
        let Some(address) = &self.address else { return };
        let said = UnixDatagram::unbound().and_then(|socket| {
            // A manager that does not read must not hold the daemon up.
            socket.set_nonblocking(true)?;
            socket.send_to_addr(words.as_bytes(), address)
        });
        if let Err(error) = said {
            tracing::warn!(%error, "the service manager cannot be told");
        }
    }
}

/// A path, or an abstract name behind an `@`.
fn address(place: &OsStr) -> io::Result<SocketAddr> {
    match place.as_bytes() {
        #[cfg(target_os = "linux")]
        [b'@', name @ ..] => {
            use std::os::linux::net::SocketAddrExt;
            SocketAddr::from_abstract_name(name)
        }
        [b'/', ..] => SocketAddr::from_pathname(place),
        _ => Err(io::ErrorKind::InvalidInput.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn env(pairs: &[(&str, &str)]) -> BTreeMap<OsString, OsString> {
        let pairs = pairs.iter();
        pairs
            .map(|(name, value)| (name.into(), value.into()))
            .collect()
    }

    #[test]
    fn the_manager_hears_what_is_said_and_is_asked_how_often() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("notify");
        let manager = UnixDatagram::bind(&place).unwrap();
        let pairs = [
            ("NOTIFY_SOCKET", place.to_str().unwrap()),
            ("WATCHDOG_USEC", "60000000"),
            ("WATCHDOG_PID", "7"),
        ];
        let notify = Notify::of(&env(&pairs), 7);
        assert_eq!(notify.every(), Some(Duration::from_secs(30)));
        assert_eq!(Notify::of(&env(&pairs), 8).every(), None);
        notify.ready();
        notify.alive();
        notify.stopping();
        for expected in ["READY=1\n", "WATCHDOG=1", "STOPPING=1\n"] {
            let mut heard = [0; 200];
            let length = manager.recv(&mut heard).unwrap();
            let heard = str::from_utf8(&heard[..length]).unwrap();
            assert!(heard.starts_with(expected), "{heard}");
        }
    }

    #[test]
    fn without_a_manager_nothing_is_said() {
        for pairs in [
            &[][..],
            &[("NOTIFY_SOCKET", "")],
            &[("NOTIFY_SOCKET", "relative")],
            &[("NOTIFY_SOCKET", "/nowhere/at/all")],
        ] {
            let notify = Notify::of(&env(pairs), 7);
            notify.ready();
            assert_eq!(notify.every(), None);
        }
    }
}
