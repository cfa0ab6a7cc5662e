//! Reads the journal of a holder that is gone.
//!
//! Reading blocks, but on files that were written moments ago and in steps of
//! one record, so it is done in place.

use std::path::Path;

use tokio::task::spawn_blocking;

use super::Position;
use super::attach::HolderEvent;
use super::end::sweep;
use super::journal::{JournalError, RecordKind, segments};
use super::read::JournalReader;
use crate::exit::{Exit, ExitReport};

#[derive(Debug)]
pub(super) struct Dead {
    reader: JournalReader,
    report: ExitReport,
    next: Next,
    caught_up: bool,
}

/// What is still to be told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Next {
    Records,
    Exit,
    Nothing,
}

impl Dead {
    /// Opens the journal, after whatever the holder left running was ended:
    /// that does not hang on what can be read of it.
    pub(super) async fn open(dir: &Path, from: Position) -> Result<Self, JournalError> {
        let dir = dir.to_owned();
        let opened = spawn_blocking(move || Self::open_blocking(&dir, from)).await;
        opened.map_err(|error| JournalError::Io(error.into()))?
    }

    fn open_blocking(dir: &Path, from: Position) -> Result<Self, JournalError> {
        let swept = sweep(dir);
        let report = last_report(dir)?.unwrap_or(ExitReport {
            exit: Exit::Lost,
            leaked: swept.ended,
            output_closed: false,
        });
        let reader = JournalReader::open(dir, from)?;
        Ok(Self {
            reader,
            report,
            next: Next::Records,
            caught_up: false,
        })
    }

    pub(super) fn set_caught_up(&mut self, caught_up: bool) {
        self.caught_up = caught_up;
    }

    pub(super) fn next(&mut self) -> Result<Option<HolderEvent>, JournalError> {
        while self.next == Next::Records {
            let before = self.reader.position();
            match self.reader.next()? {
                Some(record) if record.kind == RecordKind::Exit => {
                    self.next = Next::Exit;
                    if !self.caught_up {
                        return Ok(Some(HolderEvent::CaughtUp { end: before }));
                    }
                }
                Some(record) => {
                    let (start, bytes) = (record.start, record.payload);
                    return Ok(Some(match record.kind {
                        RecordKind::Stderr => HolderEvent::Stderr { start, bytes },
                        RecordKind::Stdout | RecordKind::Exit => {
                            HolderEvent::Output { start, bytes }
                        }
                    }));
                }
                None => {
                    self.next = Next::Exit;
                    if !self.caught_up {
                        return Ok(Some(HolderEvent::CaughtUp { end: before }));
                    }
                }
            }
        }
        if self.next == Next::Nothing {
            return Ok(None);
        }
        self.next = Next::Nothing;
        let (report, end) = (self.report.clone(), self.reader.position());
        Ok(Some(HolderEvent::Exited { report, end }))
    }
}

/// The end, if the journal has one: it is the last record.
fn last_report(dir: &Path) -> Result<Option<ExitReport>, JournalError> {
    let Some(last) = segments(dir)?.pop() else {
        return Ok(None);
    };
    let mut reader = JournalReader::open(dir, Position(last))?;
    while let Some(record) = reader.next()? {
        if record.kind == RecordKind::Exit {
            return Ok(serde_json::from_slice(&record.payload).ok());
        }
    }
    Ok(None)
}
