//! Where a path leads, by its words alone.

use std::path::{Component, Path, PathBuf};

pub(super) fn lexically_inside(path: &Path, cwd: &Path) -> bool {
    let mut whole = PathBuf::new();
    for part in cwd.join(path).components() {
        match part {
            Component::ParentDir => {
                whole.pop();
            }
            Component::CurDir => {}
            Component::Prefix(_) | Component::RootDir | Component::Normal(_) => whole.push(part),
        }
    }
    whole.starts_with(cwd)
}
