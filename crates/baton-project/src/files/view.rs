//! One file: which it is, and some of its lines.

use std::{
    fs::File,
    io::{BufRead, BufReader, Read},
};

use base64::{Engine, engine::general_purpose::STANDARD};
use baton_protocol::api::{ContentKind, FileView};
use ring::digest::{SHA256, digest};
use rustix::fs::Stat;

use super::{
    list::{modified, size},
    open::{FileError, ProjectFolder},
    text::{Encoding, HEAD, Sniffed, decode, sniff},
};
use crate::text::hex;

/// The most text in one answer, in bytes of the file.
const TEXT: usize = 1 << 20;
/// How far into a file lines are looked for and counted.
const SCANNED: u64 = 64 << 20;
/// The largest image that is sent.
const IMAGE: u64 = 8 << 20;
/// UTF-16 is read whole.
const WIDE: u64 = 4 << 20;

/// Which lines are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lines {
    /// Counted from 1.
    pub from: u64,
    pub count: u64,
}

/// What a file is shown as.
pub type Viewed = FileView;

impl ProjectFolder {
    /// Shows a file of the project.
    pub fn view(&self, path: &str, lines: Lines) -> Result<Viewed, FileError> {
        let inside = self.resolve(path)?;
        let (mut file, stat) = self.file(&inside)?;
        let fail = |source| FileError::Io {
            path: path.to_owned(),
            source,
        };
        let mut head = Vec::with_capacity(HEAD);
        file.by_ref()
            .take(HEAD as u64)
            .read_to_end(&mut head)
            .map_err(fail)?;
        let view = FileView {
            path: inside.0.to_string_lossy().into_owned(),
            kind: ContentKind::Binary,
            media_type: "application/octet-stream".to_owned(),
            size: size(&stat),
            modified_at: modified(&stat),
            etag: etag(&stat),
            encoding: None,
            text: None,
            from: None,
            lines: None,
            total_lines: None,
            data: None,
            truncated: false,
        };
        let content = Content { head, file };
        match sniff(&content.head) {
            Sniffed::Text(encoding) => content.text(view, encoding, lines),
            Sniffed::Image(media_type) => content.image(view, media_type),
            Sniffed::Binary => Ok(view),
        }
        .map_err(fail)
    }
}

struct Content {
    head: Vec<u8>,
    file: File,
}

impl Content {
    fn image(self, view: FileView, media_type: &str) -> std::io::Result<FileView> {
        let (bytes, whole) = self.all(IMAGE)?;
        Ok(FileView {
            kind: ContentKind::Image,
            media_type: media_type.to_owned(),
            data: whole.then(|| STANDARD.encode(bytes)),
            truncated: !whole,
            ..view
        })
    }

    fn text(self, view: FileView, encoding: Encoding, wanted: Lines) -> std::io::Result<FileView> {
        let (bytes, whole) = match encoding {
            Encoding::Utf8 | Encoding::Latin1 => {
                let bytes = self.head.as_slice().chain(&self.file).take(SCANNED + 1);
                return Ok(cut(bytes, wanted)?.shown(view, encoding));
            }
            Encoding::Utf16Le | Encoding::Utf16Be => self.all(WIDE)?,
        };
        if !whole {
            // Lines cannot be told apart without reading all of it.
            return Ok(view);
        }
        let (text, _) = decode(bytes, encoding);
        let cut = cut(text.as_bytes(), wanted)?;
        let shown = cut.shown(view, Encoding::Utf8);
        Ok(FileView {
            encoding: Some(encoding.name().to_owned()),
            ..shown
        })
    }

    /// All of it, or as much as is allowed.
    fn all(self, limit: u64) -> std::io::Result<(Vec<u8>, bool)> {
        let mut bytes = self.head;
        self.file
            .take(limit + 1 - bytes.len() as u64)
            .read_to_end(&mut bytes)?;
        let whole = bytes.len() as u64 <= limit;
        Ok((bytes, whole))
    }
}

/// Lines out of a file.
struct Cut {
    bytes: Vec<u8>,
    from: u64,
    lines: u64,
    /// None if the end was not reached.
    total: Option<u64>,
    truncated: bool,
}

impl Cut {
    fn shown(self, view: FileView, encoding: Encoding) -> FileView {
        let (mut text, encoding) = decode(self.bytes, encoding);
        if self.from == 1
            && let Some(rest) = text.strip_prefix('\u{FEFF}')
        {
            text = rest.to_owned();
        }
        FileView {
            kind: ContentKind::Text,
            media_type: "text/plain".to_owned(),
            encoding: Some(encoding.name().to_owned()),
            text: Some(text),
            from: Some(self.from),
            lines: Some(self.lines),
            total_lines: self.total,
            truncated: self.truncated,
            ..view
        }
    }
}

/// Reads on to the wanted lines, takes them, and counts the rest.
fn cut(bytes: impl Read, wanted: Lines) -> std::io::Result<Cut> {
    let mut reader = BufReader::with_capacity(64 << 10, bytes);
    let mut taken = Cut {
        bytes: Vec::new(),
        from: wanted.from,
        lines: 0,
        total: None,
        truncated: false,
    };
    let end = wanted.from.saturating_add(wanted.count);
    // The line that is being read; a last one without an end counts too.
    let (mut line, mut begun, mut scanned) = (1_u64, false, 0_u64);
    loop {
        let buffer = reader.fill_buf()?;
        if buffer.is_empty() {
            taken.total = (scanned <= SCANNED).then(|| line - u64::from(!begun));
            break;
        }
        let ended = memchr::memchr(b'\n', buffer);
        let part = ended.map_or(buffer, |at| &buffer[..=at]);
        if (wanted.from..end).contains(&line) {
            if !begun && taken.bytes.len() < TEXT {
                taken.lines += 1;
            }
            let room = TEXT - taken.bytes.len();
            taken.truncated |= part.len() > room;
            taken.bytes.extend_from_slice(&part[..part.len().min(room)]);
        }
        scanned += part.len() as u64;
        let length = part.len();
        begun = ended.is_none();
        line += u64::from(ended.is_some());
        reader.consume(length);
    }
    taken.truncated |= taken
        .total
        .is_none_or(|total| total >= end || wanted.from > 1);
    if taken.bytes.len() == TEXT {
        whole_characters(&mut taken.bytes);
    }
    Ok(taken)
}

/// A cut in the middle of a character would make the rest unreadable.
fn whole_characters(bytes: &mut Vec<u8>) {
    if let Err(error) = std::str::from_utf8(bytes)
        && error.error_len().is_none()
    {
        bytes.truncate(error.valid_up_to());
    }
}

/// Whatever changes about a file changes one of these.
fn etag(stat: &Stat) -> String {
    let facts = format!(
        "{} {} {} {}.{} {}.{}",
        stat.st_dev,
        stat.st_ino,
        stat.st_size,
        stat.st_mtime,
        stat.st_mtime_nsec,
        stat.st_ctime,
        stat.st_ctime_nsec
    );
    hex(&digest(&SHA256, facts.as_bytes()).as_ref()[..16])
}
