//! What comes in with a message: the prompt and the files that go along.

use std::{
    io::Read,
    path::{Path, PathBuf},
};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use baton_protocol::api::AttachmentBody;

use crate::failure::Failure;

/// A message is one line to the agent and one event in the log; what is larger
/// is refused here, before anything is stored.
const MAX_PROMPT: u64 = 10 * MB;
const MAX_FILE: u64 = 20 * MB;
const MAX_FILES: usize = 10;
const MAX_FILES_BYTES: u64 = 45 * MB;
const MB: u64 = 1024 * 1024;

pub(super) fn prompt(text: &str) -> Result<String, Failure> {
    let text = if text == "-" {
        from_input()?
    } else {
        text.to_owned()
    };
    if text.trim().is_empty() {
        return Err(Failure::usage("the prompt is empty", "Write a prompt."));
    }
    if text.len() as u64 > MAX_PROMPT {
        return Err(Failure::usage(
            "the prompt is larger than 10 MB",
            "Shorten it to at most 10 MB, or name a file in the project instead.",
        ));
    }
    Ok(text)
}

fn from_input() -> Result<String, Failure> {
    let mut text = String::new();
    let mut input = std::io::stdin().take(MAX_PROMPT + 1);
    input.read_to_string(&mut text).map_err(|error| {
        Failure::usage(
            format!("the prompt cannot be read: {error}"),
            "Pipe text into baton, or write the prompt as an argument.",
        )
    })?;
    Ok(text)
}

pub(super) fn attach_all(paths: &[PathBuf]) -> Result<Vec<AttachmentBody>, Failure> {
    if paths.len() > MAX_FILES {
        return Err(Failure::usage(
            format!("{} files cannot be attached", paths.len()),
            format!("Attach at most {MAX_FILES} files."),
        ));
    }
    let mut room = MAX_FILES_BYTES;
    let mut files = Vec::new();
    for path in paths {
        let (file, bytes) = attach(path)?;
        room = room.checked_sub(bytes).ok_or_else(|| {
            Failure::usage(
                "the attached files are larger than 45 MB in all",
                "Attach at most 45 MB.",
            )
        })?;
        files.push(file);
    }
    Ok(files)
}

/// A file and how long it is.
fn attach(path: &Path) -> Result<(AttachmentBody, u64), Failure> {
    let refuse = |why: &str, remedy: &str| {
        Failure::usage(
            format!("{} cannot be attached: {why}", path.display()),
            remedy,
        )
    };
    let unreadable =
        |error: std::io::Error| refuse(&error.to_string(), "Name a file you may read.");
    let meta = std::fs::metadata(path).map_err(unreadable)?;
    if !meta.is_file() {
        return Err(refuse("it is not a file", "Name a file."));
    }
    if meta.len() > MAX_FILE {
        return Err(refuse("it is too large", "Name a file of at most 20 MB."));
    }
    let bytes = std::fs::read(path).map_err(unreadable)?;
    let Some(media_type) = media_type(&bytes) else {
        return Err(refuse(
            "it is neither UTF-8 text nor an image that agents can see",
            "Attach text, PNG, JPEG, GIF or WebP; the agent can read other files in the project itself.",
        ));
    };
    let file = AttachmentBody {
        name: path.to_string_lossy().into_owned(),
        media_type: media_type.to_owned(),
        data: STANDARD.encode(&bytes),
    };
    Ok((file, bytes.len() as u64))
}

/// By the bytes, never by the name.
fn media_type(bytes: &[u8]) -> Option<&'static str> {
    Some(match bytes {
        [0x89, b'P', b'N', b'G', ..] => "image/png",
        [0xff, 0xd8, 0xff, ..] => "image/jpeg",
        [b'G', b'I', b'F', b'8', ..] => "image/gif",
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
        ] => "image/webp",
        _ if std::str::from_utf8(bytes).is_ok() => "text/plain",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn images_are_known_by_their_bytes() {
        assert_eq!(media_type(b"\x89PNG\r\n"), Some("image/png"));
        assert_eq!(media_type(b"RIFF\0\0\0\0WEBPVP8"), Some("image/webp"));
        assert_eq!(media_type(b"\xff\xd8\xff\xe0"), Some("image/jpeg"));
        assert_eq!(media_type(b"hello.png"), Some("text/plain"));
        assert_eq!(media_type(b"\x7fELF\xfe\xff"), None);
    }
}
