//! Where the daemon is found: its socket and the file that tells of it.

use std::{
    fs::{File, OpenOptions, Permissions},
    io::{self, Write},
    os::{
        fd::AsRawFd,
        unix::fs::{OpenOptionsExt, PermissionsExt},
    },
    path::{Path, PathBuf},
};

use baton_protocol::Timestamp;
use baton_server::{Spare, is_full};
use serde::Serialize;
use tokio::net::{UnixListener, UnixStream};

use crate::failure::Failure;

const SOCKET: &str = "daemon.sock";
const FACTS: &str = "daemon.json";

/// What fits into a socket's address on every system we know.
const MAX_ADDRESS: usize = 100;

pub(super) fn socket_path(data: &Path) -> PathBuf {
    data.join(SOCKET)
}

/// The socket's address. A long path does not fit, but the way through an open
/// folder does; the folder must stay open while the address is used.
struct Address {
    path: PathBuf,
    _folder: Option<File>,
}

fn address(data: &Path) -> io::Result<Address> {
    let path = socket_path(data);
    if path.as_os_str().len() <= MAX_ADDRESS || !cfg!(target_os = "linux") {
        return Ok(Address {
            path,
            _folder: None,
        });
    }
    let folder = File::open(data)?;
    let short = PathBuf::from(format!("/proc/self/fd/{}", folder.as_raw_fd()));
    Ok(Address {
        path: short.join(SOCKET),
        _folder: Some(folder),
    })
}

/// Binds the socket, in place of one that a dead daemon left. Only the owner of
/// the folder may call this.
pub(super) fn bind(data: &Path) -> Result<UnixListener, Failure> {
    let fail = |error: io::Error| {
        Failure::new(
            format!(
                "the control socket {} cannot be made: {error}",
                socket_path(data).display()
            ),
            "Check the data folder, or choose another with --data-dir.",
        )
    };
    remove(&socket_path(data)).map_err(fail)?;
    let address = address(data).map_err(fail)?;
    let listener = UnixListener::bind(&address.path).map_err(fail)?;
    std::fs::set_permissions(&address.path, Permissions::from_mode(0o600)).map_err(fail)?;
    Ok(listener)
}

/// Reaches the daemon; none if there is none.
pub(crate) async fn connect(data: &Path) -> io::Result<Option<UnixStream>> {
    let connected = match address(data) {
        Ok(address) => UnixStream::connect(&address.path).await,
        Err(error) => Err(error),
    };
    match connected {
        Ok(stream) => Ok(Some(stream)),
        Err(error)
            if matches!(
                error.kind(),
                io::ErrorKind::NotFound | io::ErrorKind::ConnectionRefused
            ) =>
        {
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Facts<'a> {
    pid: u32,
    version: &'a str,
    started_at: Timestamp,
    url: Option<&'a str>,
}

/// Tells other programs of this daemon.
pub(super) fn write_facts(
    data: &Path,
    version: &str,
    started_at: Timestamp,
    url: &str,
) -> Result<(), Failure> {
    let facts = Facts {
        pid: std::process::id(),
        version,
        started_at,
        url: Some(url),
    };
    let text = serde_json::to_string(&facts).unwrap_or_default();
    // Whole or not at all, for whoever reads it meanwhile.
    let new = data.join("daemon.json.new");
    let write = || {
        remove(&new)?;
        let mut open = OpenOptions::new();
        let mut file = open.write(true).create_new(true).mode(0o600).open(&new)?;
        writeln!(file, "{text}")?;
        std::fs::rename(&new, data.join(FACTS))
    };
    let written = match write() {
        Err(error) if is_full(&error) && Spare::of(data).give_up() => write(),
        written => written,
    };
    match written {
        Ok(()) => Ok(()),
        // Who looks for the daemon asks its socket first, and on a full disk
        // it is needed most.
        Err(error) if is_full(&error) => {
            tracing::warn!(%error, "{FACTS} cannot be written");
            remove(&data.join(FACTS)).ok();
            remove(&new).ok();
            Ok(())
        }
        Err(error) => Err(Failure::new(
            format!("{} cannot be written: {error}", data.join(FACTS).display()),
            "Check the data folder and the disk, or choose another with --data-dir.",
        )),
    }
}

/// Leaves nothing behind that looks like a daemon.
pub(super) fn clear(data: &Path) {
    for name in [SOCKET, FACTS] {
        if let Err(error) = remove(&data.join(name)) {
            tracing::warn!(%error, name, "cannot be removed");
        }
    }
}

fn remove(path: &Path) -> io::Result<()> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}
