//! A tool for this crate's tests: `hold` is a holder, `own` an owner that takes
//! a holder's output into a file until it is killed or the agent ends.

use std::ffi::OsString;
use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use baton_process::holder::{HolderEvent, Position, attach, holder_main};

fn main() -> ExitCode {
    let mut args = std::env::args_os().skip(1);
    match args.next().as_deref().and_then(|word| word.to_str()) {
        Some("hold") => holder_main(args),
        Some("own") => own(&args.collect::<Vec<_>>()),
        _ => ExitCode::from(2),
    }
}

fn own(args: &[OsString]) -> ExitCode {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    let (Ok(runtime), [dir, from, taken]) = (runtime, args) else {
        return ExitCode::from(2);
    };
    let Some(from) = from.to_str().and_then(|from| from.parse().ok()) else {
        return ExitCode::from(2);
    };
    match runtime.block_on(take(Path::new(dir), Position(from), Path::new(taken))) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            writeln!(io::stderr(), "{error}").ok();
            ExitCode::FAILURE
        }
    }
}

/// Takes output in pieces that end anywhere, each with the position after it
/// in one write, as a transaction would.
async fn take(dir: &Path, from: Position, taken: &Path) -> io::Result<()> {
    let mut file = OpenOptions::new().append(true).create(true).open(taken)?;
    let (mut reader, mut writer) = attach(dir, from).await.map_err(io::Error::other)?;
    loop {
        match reader.next().await.map_err(io::Error::other)? {
            HolderEvent::Output { start, bytes } => {
                let mut at = 0;
                while at < bytes.len() {
                    let piece = 1 + (start.0 as usize).wrapping_mul(31).wrapping_add(at) % 7919;
                    let end = bytes.len().min(at + piece);
                    let after = start + end;
                    let mut record = after.0.to_le_bytes().to_vec();
                    record.extend_from_slice(&((end - at) as u64).to_le_bytes());
                    record.extend_from_slice(&bytes[at..end]);
                    file.write_all(&record)?;
                    writer.commit(after).await;
                    at = end;
                }
            }
            HolderEvent::Exited { .. } => return Ok(()),
            HolderEvent::Stderr { .. } | HolderEvent::CaughtUp { .. } => {}
        }
    }
}
