//! Standard output, written without waiting where the system allows to know.

use std::{
    io::{self, Write},
    os::fd::BorrowedFd,
};

use baton_stdio::Out;
use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    fs::{FileType, fstat},
    net::SendFlags,
    stdio::stdout,
};

/// A pipe that may be written takes this much without a wait, as nobody else
/// writes to it: on Linux it has a page free, elsewhere the least that POSIX
/// asks for.
const PIPE_ROOM: usize = if cfg!(target_os = "linux") { 4096 } else { 512 };

pub(super) struct Stdout {
    kind: FileType,
}

impl Stdout {
    pub(super) fn new() -> Self {
        let kind = fstat(stdout()).map(|stat| FileType::from_raw_mode(stat.st_mode));
        Self {
            kind: kind.unwrap_or(FileType::Unknown),
        }
    }
}

impl Out for Stdout {
    fn write_now(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = if self.kind == FileType::Fifo {
            if bytes.len() > PIPE_ROOM || asked(PollFlags::OUT) != PollFlags::OUT {
                return Ok(0);
            }
            rustix::io::write(stdout(), bytes)
        } else if self.kind == FileType::Socket {
            rustix::net::send(stdout(), bytes, SendFlags::DONTWAIT | SendFlags::NOSIGNAL)
        } else {
            // A file or a terminal may take its time, and does not tell.
            return Ok(0);
        };
        match written {
            Err(rustix::io::Errno::AGAIN | rustix::io::Errno::INTR) => Ok(0),
            other => Ok(other?),
        }
    }
}

impl Write for Stdout {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        loop {
            match rustix::io::write(stdout(), bytes) {
                // The parent's choice; this is where waiting is right.
                Err(rustix::io::Errno::AGAIN) => {
                    let mut fds = [PollFd::from_borrowed_fd(stdout(), PollFlags::OUT)];
                    poll(&mut fds, None)?;
                }
                written => return Ok(written?),
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Whether nobody has the other end of the output.
pub(super) fn is_alone() -> bool {
    asked(PollFlags::empty()).intersects(PollFlags::ERR | PollFlags::HUP)
}

/// What the system says of the output right now.
fn asked(flags: PollFlags) -> PollFlags {
    let out: BorrowedFd<'_> = stdout();
    let mut fds = [PollFd::from_borrowed_fd(out, flags)];
    let now = Timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    match poll(&mut fds, Some(&now)) {
        Ok(_) => fds[0].revents(),
        Err(_) => PollFlags::empty(),
    }
}
