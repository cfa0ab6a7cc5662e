//! Names for byte strings kept beside the log.

use baton_protocol::{BlobId, ProjectId};
use ring::digest::{SHA256, digest};
use uuid::Uuid;

/// The id follows from the bytes, so the same image twice is one blob.
pub(crate) fn id_of(bytes: &[u8]) -> BlobId {
    let hash = digest(&SHA256, bytes);
    let mut head = [0_u8; 16];
    head.copy_from_slice(&hash.as_ref()[..16]);
    BlobId::from_uuid(Uuid::from_bytes(head))
}

/// A project's id: it follows from the canonical path.
pub fn project_id(canonical_path: &str) -> ProjectId {
    let hash = digest(&SHA256, canonical_path.as_bytes());
    let mut whole = [0_u8; 32];
    whole.copy_from_slice(hash.as_ref());
    ProjectId::from_digest(&whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_bytes_have_the_same_name() {
        assert_eq!(id_of(b"x"), id_of(b"x"));
        assert_ne!(id_of(b"x"), id_of(b"y"));
    }

    #[test]
    fn a_project_is_named_by_the_digest_of_its_path() {
        // printf %s /home/user/project | sha256sum
        assert_eq!(
            project_id("/home/user/project").to_string(),
            "prj_9dad1e4e08b0b11c"
        );
    }
}
