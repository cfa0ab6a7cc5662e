//! What the system tells of processes.

use std::{fs, path::Path};

/// Of one process, or of several together.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Memory {
    /// Shared pages counted by their share, in bytes.
    pub(crate) pss: u64,
    /// Pages that nobody else has.
    pub(crate) private: u64,
    pub(crate) resident: u64,
}

/// CPU time so far, in milliseconds; the system counts in steps of ten.
pub(crate) fn cpu_ms(pid: u32) -> u64 {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    // The name, in parentheses, may hold anything.
    let fields = stat.rsplit(')').next().unwrap_or_default();
    let number = |index: usize| -> u64 {
        let field = fields.split_whitespace().nth(index);
        field.and_then(|text| text.parse().ok()).unwrap_or_default()
    };
    (number(11) + number(12)) * 10
}

/// CPU time of the whole machine so far that was not idle, in milliseconds.
pub(crate) fn machine_ms() -> u64 {
    let stat = fs::read_to_string("/proc/stat").unwrap();
    let numbers: Vec<u64> = stat
        .lines()
        .next()
        .unwrap()
        .split_whitespace()
        .skip(1)
        .map(|text| text.parse().unwrap())
        .collect();
    // Idle, waiting for the disk, and stolen are nobody's work here.
    let busy: u64 = [0, 1, 2, 5, 6]
        .into_iter()
        .map(|index| numbers[index])
        .sum();
    busy * 10
}

pub(crate) fn load() -> String {
    let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    load.split_whitespace().take(1).collect()
}

/// Times that threads of a process went to sleep and woke again.
pub(crate) fn waits(pid: u32) -> u64 {
    let Ok(threads) = fs::read_dir(format!("/proc/{pid}/task")) else {
        return 0;
    };
    let of_thread = |path: &Path| -> u64 {
        let status = fs::read_to_string(path.join("status")).unwrap_or_default();
        let line = status
            .lines()
            .find_map(|line| line.strip_prefix("voluntary_ctxt_switches:"));
        line.and_then(|text| text.trim().parse().ok())
            .unwrap_or_default()
    };
    threads
        .flatten()
        .map(|thread| of_thread(&thread.path()))
        .sum()
}

pub(crate) fn memory(pid: u32) -> Memory {
    let rollup = fs::read_to_string(format!("/proc/{pid}/smaps_rollup")).unwrap_or_default();
    let kilobytes = |name: &str| -> u64 {
        let line = rollup.lines().find_map(|line| line.strip_prefix(name));
        line.and_then(|text| text.trim().trim_end_matches(" kB").parse().ok())
            .unwrap_or_default()
    };
    Memory {
        pss: kilobytes("Pss:") << 10,
        private: (kilobytes("Private_Clean:") + kilobytes("Private_Dirty:")) << 10,
        resident: kilobytes("Rss:") << 10,
    }
}

pub(crate) fn memory_of(pids: &[u32]) -> Memory {
    let mut sum = Memory::default();
    for pid in pids {
        let one = memory(*pid);
        sum.pss += one.pss;
        sum.private += one.private;
        sum.resident += one.resident;
    }
    sum
}

/// Processes of this program whose command line or environment names `root`.
pub(crate) fn of_program(program: &Path, root: &Path) -> Vec<u32> {
    let program = program.canonicalize().unwrap();
    let root = root.to_str().unwrap();
    let names = |pid: u32, file: &str| {
        let bytes = fs::read(format!("/proc/{pid}/{file}")).unwrap_or_default();
        String::from_utf8_lossy(&bytes).contains(root)
    };
    fs::read_dir("/proc")
        .unwrap()
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok())
        .filter(|pid| {
            fs::read_link(format!("/proc/{pid}/exe")).is_ok_and(|exe| exe == program)
                && (names(*pid, "cmdline") || names(*pid, "environ"))
        })
        .collect()
}
