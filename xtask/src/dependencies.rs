//! What may be pulled in from outside: licences, sources, bans, duplicates.

use std::collections::{BTreeMap, BTreeSet};

use crate::licence;
use crate::metadata::Metadata;

/// What is allowed. The tables below are this repository's.
pub struct Policy {
    pub licences: &'static [&'static str],
    /// Crate and reason.
    pub banned: &'static [(&'static str, &'static str)],
    /// Crates present in more than one version, with why and since when.
    pub duplicates: &'static [Duplicate],
    /// The most packages from outside, all platforms counted.
    pub ceiling: usize,
}

/// A duplicate that is tolerated for now.
pub struct Duplicate {
    pub name: &'static str,
    /// The day it was last looked at.
    pub since: &'static str,
    pub why: &'static str,
}

pub const POLICY: Policy = Policy {
    licences: &[
        "Apache-2.0",
        "Apache-2.0 WITH LLVM-exception",
        "BSD-2-Clause",
        "BSD-3-Clause",
        "ISC",
        "MIT",
        "Unicode-3.0",
        "Zlib",
    ],
    banned: &[
        ("async-std", "tokio is the runtime"),
        ("async-trait", "the language has async functions in traits"),
        ("aws-lc-rs", "ring is the cryptography; one C build less"),
        ("aws-lc-sys", "ring is the cryptography; one C build less"),
        ("chrono", "jiff is the calendar"),
        ("native-tls", "rustls, so that every platform does the same"),
        ("openssl", "rustls, so that every platform does the same"),
        (
            "openssl-sys",
            "rustls, so that every platform does the same",
        ),
        ("rsa", "timing leak RUSTSEC-2023-0071 is open"),
        ("serde_yaml", "unmaintained"),
        (
            "sqlx",
            "rusqlite is the database; they cannot share a binary",
        ),
    ],
    duplicates: &[
        Duplicate {
            name: "block-buffer",
            since: "2026-11-15",
            why: "WebSocket handshakes stay on digest 0.10, argon2 is on 0.11",
        },
        Duplicate {
            name: "cpufeatures",
            since: "2026-11-15",
            why: "WebSocket handshakes stay on digest 0.10, argon2 is on 0.11",
        },
        Duplicate {
            name: "crypto-common",
            since: "2026-11-15",
            why: "WebSocket handshakes stay on digest 0.10, argon2 is on 0.11",
        },
        Duplicate {
            name: "digest",
            since: "2026-11-15",
            why: "WebSocket handshakes stay on digest 0.10, argon2 is on 0.11",
        },
        Duplicate {
            name: "r-efi",
            since: "2026-11-15",
            why: "firmware only, not built; comes with getrandom",
        },
        Duplicate {
            name: "rand",
            since: "2026-11-15",
            why: "tungstenite is on 0.9, proptest on 0.10",
        },
        Duplicate {
            name: "rand_core",
            since: "2026-11-15",
            why: "tungstenite is on 0.9, proptest on 0.10",
        },
        Duplicate {
            name: "bit-vec",
            since: "2026-11-15",
            why: "rcgen's optional parser of certificates, which no build of ours enables, is behind proptest's",
        },
        Duplicate {
            name: "bitflags",
            since: "2026-11-15",
            why: "version 1 comes with defmt, which no build of ours enables",
        },
        Duplicate {
            name: "getrandom",
            since: "2026-11-15",
            why: "ring 0.17 stays on 0.2",
        },
        Duplicate {
            name: "syn",
            since: "2026-11-15",
            why: "derive crates are moving from 2 to 3",
        },
        Duplicate {
            name: "windows-sys",
            since: "2026-11-15",
            why: "Windows only, not built; ring 0.17 stays on 0.52",
        },
    ],
    // HTTP, TLS and WebSockets brought the last eighty.
    ceiling: 270,
};

/// How cargo names the public registry, whatever mirror served it.
const REGISTRY: &str = "registry+https://github.com/rust-lang/crates.io-index";

pub fn problems(metadata: &Metadata, policy: &Policy) -> Vec<String> {
    let mut problems = Vec::new();
    let mut versions: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    let mut outside = 0;
    for package in &metadata.packages {
        let name = package.name.as_str();
        let label = format!("{name} {}", package.version);
        versions.entry(name).or_default().insert(&package.version);
        let member = metadata
            .members()
            .any(|member| std::ptr::eq(member, package));
        if !member {
            outside += 1;
            if package.source.as_deref() != Some(REGISTRY) {
                problems.push(format!("{label} does not come from the public registry"));
            }
        }
        match &package.license {
            Some(expression) if licence::satisfied(expression, policy.licences) => {}
            Some(expression) => problems.push(format!(
                "{label} has the licence {expression:?}, which is not accepted"
            )),
            None => problems.push(format!("{label} names no licence")),
        }
        if let Some((_, why)) = policy.banned.iter().find(|(banned, _)| *banned == name) {
            problems.push(format!("{label} is banned: {why}"));
        }
    }
    problems.extend(duplicates(&versions, policy));
    if outside > policy.ceiling {
        problems.push(format!(
            "{outside} packages from outside, the ceiling is {}: drop some, or raise it in xtask/src/dependencies.rs and say why",
            policy.ceiling
        ));
    }
    problems
}

fn duplicates(versions: &BTreeMap<&str, BTreeSet<&str>>, policy: &Policy) -> Vec<String> {
    let mut problems = Vec::new();
    for (name, versions) in versions {
        let tolerated = policy.duplicates.iter().any(|known| known.name == *name);
        if versions.len() > 1 && !tolerated {
            problems.push(format!(
                "{name} is there in {} versions ({}): unify them, or list it with the date and the reason in xtask/src/dependencies.rs",
                versions.len(),
                versions.iter().copied().collect::<Vec<_>>().join(", ")
            ));
        }
    }
    for known in policy.duplicates {
        if versions.get(known.name).is_none_or(|there| there.len() < 2) {
            problems.push(format!(
                "{} is listed as a duplicate since {} but is none: remove it from the list",
                known.name, known.since
            ));
        }
    }
    problems
}
