//! What bytes are: text and how it is written, an image, or neither.

/// Enough to tell.
pub(super) const HEAD: usize = 8 << 10;

/// How a text is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Encoding {
    Utf8,
    Utf16Le,
    Utf16Be,
    /// Every byte is a character; what is not Unicode is read so.
    Latin1,
}

impl Encoding {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Utf8 => "utf-8",
            Self::Utf16Le => "utf-16le",
            Self::Utf16Be => "utf-16be",
            Self::Latin1 => "iso-8859-1",
        }
    }
}

/// What the beginning of a file says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sniffed {
    Text(Encoding),
    Image(&'static str),
    Binary,
}

pub(super) fn sniff(head: &[u8]) -> Sniffed {
    if let Some(media_type) = image(head) {
        return Sniffed::Image(media_type);
    }
    match head {
        [0xFF, 0xFE, ..] if is_wide(head, u16::from_le_bytes) => {
            return Sniffed::Text(Encoding::Utf16Le);
        }
        [0xFE, 0xFF, ..] if is_wide(head, u16::from_be_bytes) => {
            return Sniffed::Text(Encoding::Utf16Be);
        }
        _ => {}
    }
    if head.contains(&0) {
        return Sniffed::Binary;
    }
    match std::str::from_utf8(head) {
        Ok(_) => Sniffed::Text(Encoding::Utf8),
        // Cut in the middle of a character.
        Err(error) if error.error_len().is_none() && head.len() >= HEAD => {
            Sniffed::Text(Encoding::Utf8)
        }
        Err(_) if looks_written(head) => Sniffed::Text(Encoding::Latin1),
        Err(_) => Sniffed::Binary,
    }
}

/// Noise may begin like UTF-16, but hardly goes on like it.
fn is_wide(head: &[u8], read: fn([u8; 2]) -> u16) -> bool {
    let text = utf16(head, read);
    // The last character may be cut.
    let whole = text.strip_suffix('\u{FFFD}').unwrap_or(&text);
    !whole.contains(['\0', '\u{FFFD}'])
}

/// Text has hardly any control characters beside blanks.
fn looks_written(head: &[u8]) -> bool {
    let controls = head
        .iter()
        .filter(|byte| {
            byte.is_ascii_control() && !matches!(byte, b'\t' | b'\n' | b'\r' | 0x0C | 0x1B)
        })
        .count();
    controls * 50 <= head.len()
}

/// Only what every browser shows as a picture and cannot run; SVG is text.
fn image(head: &[u8]) -> Option<&'static str> {
    match head {
        [0x89, b'P', b'N', b'G', 0x0D, 0x0A, 0x1A, 0x0A, ..] => Some("image/png"),
        [0xFF, 0xD8, 0xFF, ..] => Some("image/jpeg"),
        [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => Some("image/gif"),
        [
            b'R',
            b'I',
            b'F',
            b'F',
            _,
            _,
            _,
            _,
            b'W',
            b'E',
            b'B',
            b'P',
            ..,
        ] => Some("image/webp"),
        [
            _,
            _,
            _,
            _,
            b'f',
            b't',
            b'y',
            b'p',
            b'a',
            b'v',
            b'i',
            b'f' | b's',
            ..,
        ] => Some("image/avif"),
        [0, 0, 1, 0, count, 0, ..] if *count > 0 => Some("image/x-icon"),
        [b'B', b'M', _, _, _, _, 0, 0, 0, 0, ..] => Some("image/bmp"),
        _ => None,
    }
}

/// Bytes as text, and how they were read after all.
pub(super) fn decode(bytes: Vec<u8>, encoding: Encoding) -> (String, Encoding) {
    match encoding {
        Encoding::Utf8 => match String::from_utf8(bytes) {
            Ok(text) => (text, Encoding::Utf8),
            Err(error) => (latin1(error.as_bytes()), Encoding::Latin1),
        },
        Encoding::Latin1 => (latin1(&bytes), Encoding::Latin1),
        Encoding::Utf16Le => (utf16(&bytes, u16::from_le_bytes), encoding),
        Encoding::Utf16Be => (utf16(&bytes, u16::from_be_bytes), encoding),
    }
}

fn latin1(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| char::from(*byte)).collect()
}

fn utf16(bytes: &[u8], read: fn([u8; 2]) -> u16) -> String {
    let (pairs, _) = bytes.as_chunks::<2>();
    let units: Vec<u16> = pairs.iter().map(|pair| read(*pair)).collect();
    let text = String::from_utf16_lossy(&units);
    text.strip_prefix('\u{FEFF}').unwrap_or(&text).to_owned()
}
