//! Images by their bytes: which kind, and how large.
//!
//! Only headers are read. Every read is checked, because the bytes come from
//! anyone. The crate `imagesize` would not do: as of 0.15 it gives up at the
//! fill bytes that a JPEG may have before a marker, reads on behind the start
//! of the picture, and takes the scale of a WebP for a part of its size.

/// An image that agents can see.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ImageKind {
    Png,
    Jpeg,
    Gif,
    Webp,
}

impl ImageKind {
    pub const fn media_type(self) -> &'static str {
        match self {
            Self::Png => "image/png",
            Self::Jpeg => "image/jpeg",
            Self::Gif => "image/gif",
            Self::Webp => "image/webp",
        }
    }

    pub const fn name(self) -> &'static str {
        match self {
            Self::Png => "PNG",
            Self::Jpeg => "JPEG",
            Self::Gif => "GIF",
            Self::Webp => "WebP",
        }
    }

    /// By a type in small letters, without parameters.
    pub fn from_media_type(essence: &str) -> Option<Self> {
        Some(match essence {
            "image/png" | "image/x-png" => Self::Png,
            "image/jpeg" | "image/jpg" | "image/pjpeg" => Self::Jpeg,
            "image/gif" => Self::Gif,
            "image/webp" => Self::Webp,
            _ => return None,
        })
    }

    /// By a file name's ending.
    pub fn from_name(name: &str) -> Option<Self> {
        let (_, ending) = name.rsplit_once('.')?;
        Some(match ending.to_ascii_lowercase().as_str() {
            "png" => Self::Png,
            "jpg" | "jpeg" | "jpe" => Self::Jpeg,
            "gif" => Self::Gif,
            "webp" => Self::Webp,
            _ => return None,
        })
    }
}

/// Which kind of image these bytes begin like.
pub fn sniff(bytes: &[u8]) -> Option<ImageKind> {
    if bytes.starts_with(b"\x89PNG\r\n\x1a\n") {
        Some(ImageKind::Png)
    } else if bytes.starts_with(&[0xff, 0xd8, 0xff]) {
        Some(ImageKind::Jpeg)
    } else if bytes.starts_with(b"GIF87a") || bytes.starts_with(b"GIF89a") {
        Some(ImageKind::Gif)
    } else if bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(b"WEBP") {
        Some(ImageKind::Webp)
    } else {
        None
    }
}

/// The type to keep an image of a tool under. Its bytes count before its claim,
/// and what no picture viewer would open must not be opened as anything else:
/// a page or a drawing with scripts in it would run where it is shown.
pub fn output_type(claimed: &str, bytes: &[u8]) -> String {
    let claimed = claimed.trim().to_ascii_lowercase();
    match sniff(bytes) {
        Some(kind) => kind.media_type().to_owned(),
        None if claimed.starts_with("image/") && !claimed.starts_with("image/svg") => claimed,
        None => "application/octet-stream".to_owned(),
    }
}

/// Width and height in pixels, as the header tells them.
pub fn dimensions(bytes: &[u8]) -> Option<(u32, u32)> {
    let (width, height) = match sniff(bytes)? {
        ImageKind::Png => png(bytes)?,
        ImageKind::Jpeg => jpeg(bytes)?,
        ImageKind::Gif => (little16(bytes, 6)?, little16(bytes, 8)?),
        ImageKind::Webp => webp(bytes)?,
    };
    (width > 0 && height > 0).then_some((width, height))
}

fn png(bytes: &[u8]) -> Option<(u32, u32)> {
    (bytes.get(12..16)? == b"IHDR").then_some(())?;
    Some((big32(bytes, 16)?, big32(bytes, 20)?))
}

/// Goes from segment to segment until the one that begins a frame.
fn jpeg(bytes: &[u8]) -> Option<(u32, u32)> {
    let mut at = 2;
    loop {
        if *bytes.get(at)? != 0xff {
            return None;
        }
        // Any number of these may stand before a marker.
        while *bytes.get(at)? == 0xff {
            at += 1;
        }
        let marker = *bytes.get(at)?;
        at += 1;
        match marker {
            // Tables and arithmetic coding share the frames' range of numbers.
            0xc0..=0xc3 | 0xc5..=0xc7 | 0xc9..=0xcb | 0xcd..=0xcf => {
                return Some((big16(bytes, at + 5)?, big16(bytes, at + 3)?));
            }
            // These stand alone.
            0x01 | 0xd0..=0xd8 => {}
            // The picture begins, or ends, and no frame has.
            0xd9 | 0xda | 0x00 => return None,
            _ => {
                let length = usize::try_from(big16(bytes, at)?).ok()?;
                if length < 2 {
                    return None;
                }
                at += length;
            }
        }
    }
}

fn webp(bytes: &[u8]) -> Option<(u32, u32)> {
    match bytes.get(12..16)? {
        b"VP8 " => {
            (bytes.get(23..26)? == [0x9d, 0x01, 0x2a]).then_some(())?;
            // The upper two bits are a scale.
            Some((little16(bytes, 26)? & 0x3fff, little16(bytes, 28)? & 0x3fff))
        }
        b"VP8L" => {
            (*bytes.get(20)? == 0x2f).then_some(())?;
            let low = little16(bytes, 21)?;
            let bits = low | (little16(bytes, 23)? << 16);
            Some(((bits & 0x3fff) + 1, ((bits >> 14) & 0x3fff) + 1))
        }
        b"VP8X" => Some((little24(bytes, 24)? + 1, little24(bytes, 27)? + 1)),
        _ => None,
    }
}

fn big16(bytes: &[u8], at: usize) -> Option<u32> {
    let two = bytes.get(at..)?.first_chunk()?;
    Some(u32::from(u16::from_be_bytes(*two)))
}

fn big32(bytes: &[u8], at: usize) -> Option<u32> {
    let four = bytes.get(at..)?.first_chunk()?;
    Some(u32::from_be_bytes(*four))
}

fn little16(bytes: &[u8], at: usize) -> Option<u32> {
    let two = bytes.get(at..)?.first_chunk()?;
    Some(u32::from(u16::from_le_bytes(*two)))
}

fn little24(bytes: &[u8], at: usize) -> Option<u32> {
    let [low, middle, high] = *bytes.get(at..)?.first_chunk()?;
    Some(u32::from_le_bytes([low, middle, high, 0]))
}
