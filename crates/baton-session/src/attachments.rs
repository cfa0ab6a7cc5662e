//! Files that come with a message: what is taken, under which name and type.
//!
//! The one door for every front end. An image is what its bytes say it is, and
//! a claim that differs is refused rather than guessed at; everything else must
//! be text. Nothing is fetched from anywhere: what arrives here are bytes.

mod image;
mod name;

pub use image::{ImageKind, dimensions, output_type, sniff};
pub use name::clean_name;
use name::clean_path;

use crate::agents::PromptFile;

/// The most files in one message.
pub const MAX_COUNT: usize = 10;
/// The most bytes of one file.
pub const MAX_FILE: usize = 20 << 20;
/// The most bytes of all files of one message.
pub const MAX_ALL: usize = 50 << 20;
/// The most that files may take in the one line that brings them to the agent:
/// as much as [`MAX_ALL`] of images. Text can grow more than images there.
const MAX_IN_LINE: usize = MAX_ALL / 3 * 4 + 4096;

/// A file as a client gave it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Incoming {
    /// With the folders it is in, from the project's, if they are to be told.
    pub name: String,
    /// What the client says it is.
    pub media_type: Option<String>,
    pub content: IncomingContent,
}

/// Where a file's bytes are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum IncomingContent {
    Bytes(Vec<u8>),
    /// Somewhere else.
    Url(String),
}

/// Why files are not taken. [`AttachmentError::hint`] says what to do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AttachmentError {
    #[error("{count} files cannot be attached to one message")]
    TooMany { count: usize },
    #[error("{name} cannot be attached: it is larger than {} MB", MAX_FILE >> 20)]
    TooLarge { name: String },
    #[error("{name} cannot be attached: the files are larger than {} MB in all", MAX_ALL >> 20)]
    TooLargeInAll { name: String },
    #[error("{name} cannot be attached: it is given as {claimed}, but its bytes are {found}")]
    Mismatch {
        name: String,
        claimed: String,
        found: &'static str,
    },
    #[error("{name} cannot be attached: it begins like {kind} but has no size")]
    Damaged { name: String, kind: &'static str },
    #[error("{name} cannot be attached: it is neither text nor an image that agents can see")]
    NotText { name: String },
    #[error("{name} cannot be attached: it is an address, and nothing is fetched from addresses")]
    Remote { name: String },
}

impl AttachmentError {
    /// What to do about it.
    pub const fn hint(&self) -> &'static str {
        match self {
            Self::TooMany { .. } => "Attach at most 10 files.",
            Self::TooLarge { .. } => "Attach files of at most 20 MB.",
            Self::TooLargeInAll { .. } => {
                "Attach at most 50 MB in all, or put the files into the project and name them."
            }
            Self::Mismatch { .. } => "Give it the name and type that its content has.",
            Self::Damaged { .. } => "Look whether the image opens, and save it again.",
            Self::NotText { .. } => {
                "Attach UTF-8 text, PNG, JPEG, GIF or WebP; the agent can read other files in the project itself."
            }
            Self::Remote { .. } => "Download the file and attach it, or write the address as text.",
        }
    }
}

/// Takes the files of one message, in their order.
///
/// # Errors
/// When one of them cannot be taken; then none is.
pub fn accept(files: Vec<Incoming>) -> Result<Vec<PromptFile>, AttachmentError> {
    if files.len() > MAX_COUNT {
        return Err(AttachmentError::TooMany { count: files.len() });
    }
    let mut taken: Vec<PromptFile> = Vec::new();
    let (mut all, mut in_line) = (0, 0);
    for file in files {
        let names = taken.iter().map(|file| file.name.as_str());
        let name = name::unique(&clean_path(&file.name), &names.collect::<Vec<_>>());
        let IncomingContent::Bytes(bytes) = file.content else {
            return Err(AttachmentError::Remote { name });
        };
        if bytes.len() > MAX_FILE {
            return Err(AttachmentError::TooLarge { name });
        }
        let claim = Claim::of(file.media_type.as_deref(), &name);
        let media_type = claim.check(&name, &bytes)?;
        all += bytes.len();
        in_line += if media_type.starts_with("image/") {
            bytes.len().div_ceil(3) * 4
        } else {
            escaped(&bytes)
        };
        if all > MAX_ALL || in_line > MAX_IN_LINE {
            return Err(AttachmentError::TooLargeInAll { name });
        }
        taken.push(PromptFile {
            name,
            media_type,
            bytes,
        });
    }
    Ok(taken)
}

/// What a file is said to be: by its type, else by its name.
enum Claim {
    Image(ImageKind),
    /// A type of its own that is no image we know.
    Other(String),
    Nothing,
}

impl Claim {
    fn of(media_type: Option<&str>, name: &str) -> Self {
        let essence = media_type.and_then(|claimed| claimed.split(';').next());
        let essence = essence.unwrap_or_default().trim().to_ascii_lowercase();
        match essence.as_str() {
            "" | "application/octet-stream" => match ImageKind::from_name(name) {
                Some(kind) => Self::Image(kind),
                None => Self::Nothing,
            },
            _ => match ImageKind::from_media_type(&essence) {
                Some(kind) => Self::Image(kind),
                None => Self::Other(essence),
            },
        }
    }

    /// The file's true type, if the claim allows it.
    fn check(self, name: &str, bytes: &[u8]) -> Result<String, AttachmentError> {
        let mismatch = |claimed: String, found| AttachmentError::Mismatch {
            name: name.to_owned(),
            claimed,
            found,
        };
        let found = sniff(bytes);
        match (self, found) {
            (Self::Image(claimed), Some(kind)) if claimed != kind => {
                Err(mismatch(claimed.media_type().into(), kind.name()))
            }
            (Self::Other(claimed), Some(kind)) => Err(mismatch(claimed, kind.name())),
            (Self::Image(_) | Self::Nothing, Some(kind)) => match dimensions(bytes) {
                Some(_) => Ok(kind.media_type().to_owned()),
                None => Err(AttachmentError::Damaged {
                    name: name.to_owned(),
                    kind: kind.name(),
                }),
            },
            (Self::Image(claimed), None) => Err(mismatch(
                claimed.media_type().into(),
                if is_text(bytes) {
                    "text"
                } else {
                    "something else"
                },
            )),
            (Self::Other(_) | Self::Nothing, None) if !is_text(bytes) => {
                Err(AttachmentError::NotText {
                    name: name.to_owned(),
                })
            }
            (Self::Other(claimed), None) if is_plain_type(&claimed) => Ok(claimed),
            (Self::Other(_) | Self::Nothing, None) => Ok("text/plain".to_owned()),
        }
    }
}

/// A type that can be kept as it was given. An image drawn in text goes to the
/// agent as the text that it is.
fn is_plain_type(essence: &str) -> bool {
    let word = |part: &str| {
        let mut chars = part.chars();
        !part.is_empty() && chars.all(|c| c.is_ascii_alphanumeric() || "!#$&^_.+-".contains(c))
    };
    essence.len() <= 100
        && !essence.starts_with("image/")
        && essence
            .split_once('/')
            .is_some_and(|(kind, sub)| word(kind) && word(sub))
}

fn is_text(bytes: &[u8]) -> bool {
    !bytes.contains(&0) && std::str::from_utf8(bytes).is_ok()
}

/// How many bytes a text takes as a JSON string, without its quotes.
fn escaped(bytes: &[u8]) -> usize {
    let each = bytes.iter().map(|byte| match byte {
        b'"' | b'\\' | b'\n' | b'\r' | b'\t' | 0x08 | 0x0c => 2,
        0..0x20 => 6,
        _ => 1,
    });
    each.sum()
}

#[cfg(test)]
#[path = "attachments_tests.rs"]
mod tests;
