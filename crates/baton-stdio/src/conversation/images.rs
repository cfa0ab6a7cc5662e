//! Images that the log refers to, given to the parent.

use std::{
    fs::File,
    io::{self, Write},
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
};

use base64::{Engine, engine::general_purpose::STANDARD};
use baton_protocol::BlobId;
use baton_session::SessionHandle;

use crate::output::{ImageOutput, Output};

/// An image up to this size is in its line; a line has room for it.
const MAX_IN_LINE: usize = 512 << 10;

pub(super) struct Images {
    /// Where larger ones are kept.
    pub(super) folder: PathBuf,
}

impl Images {
    /// Adds the images themselves to lines that tell of one.
    pub(super) async fn fill(&self, session: &SessionHandle, out: &mut [Output]) {
        for said in out {
            let Output::ImageOutput(image) = said else {
                continue;
            };
            if image.data.is_some() || image.path.is_some() {
                continue;
            }
            let Ok(id) = image.image_id.parse::<BlobId>() else {
                continue;
            };
            match session.blob(id).await {
                Ok(Some(blob)) => self.add(image, blob.bytes),
                Ok(None) => tracing::warn!("an image is not in the log"),
                Err(error) => tracing::warn!(%error, "an image cannot be read"),
            }
        }
    }

    fn add(&self, image: &mut ImageOutput, bytes: Vec<u8>) {
        if bytes.len() <= MAX_IN_LINE {
            image.data = Some(STANDARD.encode(bytes));
            return;
        }
        let path = self.folder.join(&image.image_id);
        match keep(&path, &bytes) {
            Ok(()) => image.path = Some(path.display().to_string()),
            Err(error) => tracing::warn!(%error, "an image cannot be kept"),
        }
    }
}

/// The same image again is the same file.
fn keep(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut open = File::options();
    let made = open.write(true).create_new(true).mode(0o600).open(path);
    match made {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        made => made?.write_all(bytes),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn image(bytes: &[u8]) -> ImageOutput {
        ImageOutput {
            image_id: "blb_1".into(),
            media_type: "image/png".into(),
            bytes: bytes.len() as u64,
            width: None,
            height: None,
            tool_use_id: None,
            data: None,
            path: None,
        }
    }

    #[test]
    fn a_small_image_is_in_its_line_and_a_large_one_in_a_file() {
        let folder = tempfile::tempdir().unwrap();
        let images = Images {
            folder: folder.path().to_owned(),
        };
        let small = vec![7; MAX_IN_LINE];
        let mut told = image(&small);
        images.add(&mut told, small.clone());
        assert_eq!(STANDARD.decode(told.data.as_ref().unwrap()).unwrap(), small);
        let line = crate::line(&told.into(), 1, baton_protocol::Timestamp::from_millis(0));
        let line: serde_json::Value = serde_json::from_slice(&line.unwrap()).unwrap();
        assert!(line.get("cut").is_none(), "a line has room for it");
        let large = vec![7; MAX_IN_LINE + 1];
        for _ in 0..2 {
            let mut told = image(&large);
            images.add(&mut told, large.clone());
            assert_eq!(told.data, None);
            let path = PathBuf::from(told.path.unwrap());
            assert_eq!(std::fs::read(&path).unwrap(), large);
            let mode = path.metadata().unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600);
        }
    }
}
