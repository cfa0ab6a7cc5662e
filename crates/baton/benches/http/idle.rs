//! What a daemon takes that has nothing to do.

use std::time::Duration;

use baton_testkit::bin;

use crate::{daemon::Daemon, proc, reader::Transport};

const WATCHED: Duration = Duration::from_secs(20);
/// Threads that helped at the start end by themselves after ten seconds.
const SETTLED: Duration = Duration::from_secs(15);

pub(crate) fn run() {
    println!(
        "an idle daemon with HTTP, watched for {} s\n",
        WATCHED.as_secs()
    );
    println!(
        "                               wake-ups/s   CPU ms   PSS MB   private MB   resident MB"
    );
    let daemon = Daemon::start();
    row("no session, no client", &daemon);
    let session = daemon.session();
    row("a session with its process", &daemon);
    let clients = [Transport::WebSocket, Transport::Sse];
    let clients = clients.map(|transport| daemon.follow(&session, transport));
    row("and two clients", &daemon);
    drop(clients);
    let size = std::fs::metadata(bin("baton")).unwrap().len();
    println!("\nbinary: {:.1} MB\n", size as f64 / 1e6);
}

fn row(name: &str, daemon: &Daemon) {
    std::thread::sleep(SETTLED);
    let pid = daemon.pid();
    let (waits, cpu) = (proc::waits(pid), proc::cpu_ms(pid));
    std::thread::sleep(WATCHED);
    let waits = proc::waits(pid) - waits;
    let memory = proc::memory(pid);
    println!(
        "{name:<29}  {:10.2}  {:7}  {:7.1}  {:11.1}  {:12.1}",
        waits as f64 / WATCHED.as_secs_f64(),
        proc::cpu_ms(pid) - cpu,
        memory.pss as f64 / 1e6,
        memory.private as f64 / 1e6,
        memory.resident as f64 / 1e6,
    );
}
