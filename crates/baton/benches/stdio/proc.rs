//! Memory of a process, as the system tells it.

use std::{fs, path::Path};

/// In bytes.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Memory {
    /// What it has made itself: no file's pages.
    pub(crate) own: u64,
    /// Shared pages counted by their share.
    pub(crate) pss: u64,
    /// Pages that nobody else has.
    pub(crate) private: u64,
    pub(crate) resident: u64,
}

pub(crate) fn memory(pid: u32) -> Memory {
    let rollup = fs::read_to_string(format!("/proc/{pid}/smaps_rollup")).unwrap();
    let kilobytes = |name: &str| -> u64 {
        let line = rollup.lines().find_map(|line| line.strip_prefix(name));
        line.and_then(|text| text.trim().trim_end_matches(" kB").parse().ok())
            .unwrap_or_default()
    };
    Memory {
        own: kilobytes("Anonymous:") << 10,
        pss: kilobytes("Pss:") << 10,
        private: (kilobytes("Private_Clean:") + kilobytes("Private_Dirty:")) << 10,
        resident: kilobytes("Rss:") << 10,
    }
}

/// Processes of this one's program whose environment or command line names
/// `root`, itself among them.
pub(crate) fn alike(pid: u32, root: &Path) -> Vec<u32> {
    let exe = |pid: u32| fs::read_link(format!("/proc/{pid}/exe")).ok();
    let (own, root) = (exe(pid), root.to_str().unwrap());
    let names = |pid: u32, file: &str| {
        let bytes = fs::read(format!("/proc/{pid}/{file}")).unwrap_or_default();
        String::from_utf8_lossy(&bytes).contains(root)
    };
    let all = fs::read_dir("/proc").unwrap().flatten();
    all.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok())
        .filter(|one| exe(*one) == own && (names(*one, "cmdline") || names(*one, "environ")))
        .collect()
}
