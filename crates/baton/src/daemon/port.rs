//! Who has a port, where the system tells.

use std::{
    collections::BTreeSet,
    fmt, fs, io,
    net::{IpAddr, SocketAddr, TcpListener},
    path::Path,
};

use crate::terminal::clean;

/// Longest part of a command line that is shown.
const MAX_NAME: usize = 60;

/// As the kernel writes that a socket listens.
const LISTENS: &str = "0A";

/// Whether the daemon could listen there. None if that cannot be told.
pub(crate) fn is_free(host: IpAddr, port: u16) -> Option<bool> {
    match TcpListener::bind(SocketAddr::new(host, port)) {
        Ok(_) => Some(true),
        Err(error) if error.kind() == io::ErrorKind::AddrInUse => Some(false),
        Err(_) => None,
    }
}

/// A port that something else listens on.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Taken {
    address: SocketAddr,
    by: Option<Program>,
}

/// A process that listens.
#[derive(Debug, PartialEq, Eq)]
struct Program {
    pid: u32,
    name: String,
    /// It is a Baton, and this is its data folder.
    baton: Option<String>,
}

impl Taken {
    pub(crate) fn at(address: SocketAddr) -> Self {
        Self {
            address,
            by: listener(Path::new("/proc"), address.port()),
        }
    }

    /// What to do about it.
    pub(crate) fn remedy(&self) -> String {
        let port = self.address.port();
        let other = "choose another port with --port, with runner.port in the configuration or \
             with BATON_RUNNER_PORT (0 takes a free one)";
        match &self.by {
            Some(Program {
                baton: Some(data), ..
            }) => format!("Stop that one with `baton --data-dir {data} stop`, or {other}."),
            Some(program) => format!("End that program (`kill {}`), or {other}.", program.pid),
            None => format!(
                "End that program, which `sudo ss -ltnp 'sport = :{port}'` names, or {other}."
            ),
        }
    }
}

impl fmt::Display for Taken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (ip, port) = (self.address.ip(), self.address.port());
        write!(f, "port {port} on {ip} is taken by ")?;
        match &self.by {
            Some(Program {
                pid,
                baton: Some(data),
                ..
            }) => write!(f, "another Baton (process {pid}, data folder {data})"),
            Some(Program { pid, name, .. }) => write!(f, "{name} (process {pid})"),
            None => f.write_str("another program"),
        }
    }
}

/// Only processes of the same user can be looked at, and only on Linux.
fn listener(proc: &Path, port: u16) -> Option<Program> {
    let mut sockets = BTreeSet::new();
    for table in ["net/tcp", "net/tcp6"] {
        let text = fs::read_to_string(proc.join(table)).unwrap_or_default();
        sockets.extend(text.lines().filter_map(|line| socket(line, port)));
    }
    let ours = |entry: fs::DirEntry| {
        let pid: u32 = entry.file_name().to_str()?.parse().ok()?;
        let open = fs::read_dir(entry.path().join("fd")).ok()?;
        let mut open = open.filter_map(|fd| fs::read_link(fd.ok()?.path()).ok());
        let listens = open.any(|link| sockets.contains(&*link.to_string_lossy()));
        listens.then(|| program(&entry.path(), pid))
    };
    fs::read_dir(proc)
        .ok()?
        .filter_map(Result::ok)
        .find_map(ours)
}

/// The name of a socket that listens on this port, from a line of the kernel's table.
fn socket(line: &str, port: u16) -> Option<String> {
    let fields: Vec<&str> = line.split_whitespace().collect();
    let (_, local) = fields.get(1)?.rsplit_once(':')?;
    let listens = fields.get(3) == Some(&LISTENS);
    let here = u16::from_str_radix(local, 16) == Ok(port);
    (listens && here).then_some(())?;
    Some(format!("socket:[{}]", fields.get(9)?))
}

fn program(folder: &Path, pid: u32) -> Program {
    let words = fs::read(folder.join("cmdline")).unwrap_or_default();
    let words: Vec<String> = words
        .split(|byte| *byte == 0)
        .map(|word| String::from_utf8_lossy(word).into_owned())
        .collect();
    let path = words.first().map_or("", String::as_str);
    let name = path.rsplit('/').next().unwrap_or_default();
    let data = words.iter().position(|word| word == "--data-dir");
    let data = data.and_then(|at| words.get(at + 1));
    Program {
        pid,
        name: match name {
            "" => "a program".to_owned(),
            name => clean(name, MAX_NAME),
        },
        baton: data
            .filter(|_| name == "baton")
            .map(|data| clean(data, MAX_NAME * 4)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_the_kernel_tells_the_port_and_the_socket() {
        let line = "   0: 0100007F:0A49 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 31337 1 0000000000000000 100 0 0 10 0";
        assert_eq!(socket(line, 2633).as_deref(), Some("socket:[31337]"));
        assert_eq!(socket(line, 2634), None);
        let connected = line.replace(" 0A ", " 01 ");
        assert_eq!(socket(&connected, 2633), None);
        assert_eq!(socket("  sl  local_address rem_address   st", 2633), None);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_port_of_this_process_is_told_with_its_number() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let taken = Taken::at(address);
        let pid = std::process::id();
        assert!(
            taken.to_string().contains(&format!("(process {pid})")),
            "{taken}"
        );
        assert!(taken.remedy().contains(&format!("`kill {pid}`")));
        assert_eq!(is_free(address.ip(), address.port()), Some(false));
    }

    #[test]
    fn another_baton_is_told_with_its_folder() {
        let taken = Taken {
            address: "127.0.0.1:2633".parse().unwrap(),
            by: Some(Program {
                pid: 7,
                name: "baton".into(),
                baton: Some("/srv/baton".into()),
            }),
        };
        assert_eq!(
            taken.to_string(),
            "port 2633 on 127.0.0.1 is taken by another Baton (process 7, data folder /srv/baton)"
        );
        assert!(
            taken
                .remedy()
                .starts_with("Stop that one with `baton --data-dir /srv/baton stop`")
        );
    }
}
