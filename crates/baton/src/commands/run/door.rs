//! What comes in with a run: the prompt and the files that go along.

use std::{io::Read, path::Path};

use baton_session::agents::PromptFile;

use crate::failure::Failure;

pub(super) fn prompt(text: &str) -> Result<String, Failure> {
    if text != "-" {
        return Ok(text.to_owned());
    }
    let mut text = String::new();
    std::io::stdin()
        .read_to_string(&mut text)
        .map_err(|error| {
            Failure::usage(
                format!("the prompt cannot be read: {error}"),
                "Pipe text into baton, or write the prompt as an argument.",
            )
        })?;
    Ok(text)
}

/// Larger files are refused: they would not fit into a conversation.
const MAX_FILE: u64 = 20 * 1024 * 1024;

pub(super) fn attach(path: &Path) -> Result<PromptFile, Failure> {
    let refuse = |why: String| {
        Failure::usage(
            format!("{} cannot be attached: {why}", path.display()),
            "Name a file of at most 20 MB.",
        )
    };
    let meta = std::fs::metadata(path).map_err(|error| refuse(error.to_string()))?;
    if !meta.is_file() || meta.len() > MAX_FILE {
        return Err(refuse("it is not a file, or too large".into()));
    }
    let bytes = std::fs::read(path).map_err(|error| refuse(error.to_string()))?;
    Ok(PromptFile {
        name: path.to_string_lossy().into_owned(),
        media_type: media_type(&bytes).to_owned(),
        bytes,
    })
}

/// By the bytes, never by the name.
fn media_type(bytes: &[u8]) -> &'static str {
    match bytes {
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
        _ => "text/plain",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn images_are_known_by_their_bytes() {
        assert_eq!(media_type(b"\x89PNG\r\n"), "image/png");
        assert_eq!(media_type(b"RIFF\0\0\0\0WEBPVP8"), "image/webp");
        assert_eq!(media_type(b"\xff\xd8\xff\xe0"), "image/jpeg");
        assert_eq!(media_type(b"hello.png"), "text/plain");
    }
}
