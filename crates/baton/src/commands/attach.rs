//! What comes in with a message: the prompt and the files that go along.

use std::{
    io::Read,
    path::{Path, PathBuf},
};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use baton_protocol::api::AttachmentBody;
use baton_session::attachments::{
    AttachmentError, Incoming, IncomingContent, MAX_COUNT, MAX_FILE, accept,
};

use crate::failure::Failure;

/// A message is one line to the agent and one event in the log; what is larger
/// is refused here, before anything is stored.
const MAX_PROMPT: u64 = 10 << 20;

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

/// Reads the files; whether they can be sent is decided where the daemon
/// decides it too, so that nothing is begun with files that it would refuse.
pub(super) fn attach_all(paths: &[PathBuf]) -> Result<Vec<AttachmentBody>, Failure> {
    let refused = |error: AttachmentError| Failure::usage(error.to_string(), error.hint());
    if paths.len() > MAX_COUNT {
        let count = paths.len();
        return Err(refused(AttachmentError::TooMany { count }));
    }
    let mut files = Vec::new();
    for path in paths {
        files.push(file(path)?);
    }
    let taken = accept(files).map_err(refused)?;
    let sent = taken.into_iter().map(|file| AttachmentBody {
        name: file.name,
        media_type: Some(file.media_type),
        data: STANDARD.encode(&file.bytes),
        upload_id: None,
        url: None,
    });
    Ok(sent.collect())
}

fn file(path: &Path) -> Result<Incoming, Failure> {
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
    // One byte more than may be sent tells that there are more.
    let mut bytes = Vec::new();
    let opened = std::fs::File::open(path).map_err(unreadable)?;
    let read = opened.take(MAX_FILE as u64 + 1).read_to_end(&mut bytes);
    read.map_err(unreadable)?;
    Ok(Incoming {
        name: path.to_string_lossy().into_owned(),
        media_type: None,
        content: IncomingContent::Bytes(bytes),
    })
}
