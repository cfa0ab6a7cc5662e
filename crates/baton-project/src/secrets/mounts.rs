//! Whether something is mounted on a folder, so that it may be a part of
//! another one.

use std::{os::fd::BorrowedFd, path::Path};

/// Whether a folder is where a file system, or a part of one, is put in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mounted {
    /// Also where it cannot be told.
    Maybe,
    No,
}

#[cfg(target_os = "linux")]
pub(crate) fn is_mounted_fd(folder: BorrowedFd<'_>) -> Mounted {
    use rustix::fs::{AtFlags, StatxFlags, statx};
    told(statx(
        folder,
        "",
        AtFlags::EMPTY_PATH,
        StatxFlags::BASIC_STATS,
    ))
}

#[cfg(target_os = "linux")]
pub(crate) fn is_mounted(folder: &Path) -> Mounted {
    use rustix::fs::{AtFlags, CWD, StatxFlags, statx};
    told(statx(
        CWD,
        folder,
        AtFlags::empty(),
        StatxFlags::BASIC_STATS,
    ))
}

#[cfg(target_os = "linux")]
fn told(told: rustix::io::Result<rustix::fs::Statx>) -> Mounted {
    use rustix::fs::StatxAttributes;
    const ROOT: StatxAttributes = StatxAttributes::MOUNT_ROOT;
    match told {
        Ok(told) if told.stx_attributes_mask.contains(ROOT) => {
            if told.stx_attributes.contains(ROOT) {
                Mounted::Maybe
            } else {
                Mounted::No
            }
        }
        Ok(_) | Err(_) => Mounted::Maybe,
    }
}

/// Other systems do not show one folder at two places.
#[cfg(not(target_os = "linux"))]
pub(crate) fn is_mounted_fd(_: BorrowedFd<'_>) -> Mounted {
    Mounted::No
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn is_mounted(_: &Path) -> Mounted {
    Mounted::No
}
