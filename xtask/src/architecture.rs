//! Which crate may use which: the crate map of ARCHITECTURE.md, as code.
//!
//! A crate earns its place by what it forbids, so adding an edge means editing
//! a table here in the same commit and saying why in it.

use crate::metadata::{Kind, Metadata, Package};

/// One member of the workspace and the members that it may use.
pub struct Row {
    pub name: &'static str,
    pub may_use: &'static [&'static str],
}

/// Every member has a row; edges go down.
pub const MEMBERS: &[Row] = &[
    Row {
        name: "baton-protocol",
        may_use: &[],
    },
    Row {
        name: "baton-process",
        may_use: &[],
    },
    Row {
        name: "baton-claude",
        may_use: &["baton-process"],
    },
    Row {
        name: "baton-store",
        may_use: &["baton-protocol"],
    },
    Row {
        name: "baton-rules",
        may_use: &["baton-protocol"],
    },
    Row {
        name: "baton-project",
        may_use: &["baton-protocol", "baton-process"],
    },
    Row {
        name: "baton-session",
        may_use: &[
            "baton-protocol",
            "baton-store",
            "baton-claude",
            "baton-process",
            // What a tool call may do, and which tools a folder wants.
            "baton-rules",
            "baton-project",
        ],
    },
    Row {
        name: "baton-server",
        may_use: &[
            "baton-protocol",
            "baton-store",
            "baton-session",
            "baton-rules",
            "baton-project",
        ],
    },
    Row {
        name: "baton-mcp",
        may_use: &["baton-protocol", "baton-process", "baton-project"],
    },
    Row {
        name: "baton-stdio",
        may_use: &[
            "baton-protocol",
            // For its splitter of lines.
            "baton-process",
            "baton-store",
            "baton-session",
        ],
    },
    Row {
        name: "baton",
        may_use: &[
            "baton-mcp",
            "baton-stdio",
            "baton-protocol",
            "baton-process",
            "baton-store",
            "baton-session",
            "baton-rules",
            "baton-project",
            "baton-server",
        ],
    },
    Row {
        name: "baton-testkit",
        may_use: &["baton-protocol", "baton-process"],
    },
    Row {
        name: "xtask",
        may_use: &[
            "baton-protocol",
            "baton-process",
            "baton-claude",
            "baton-store",
            "baton-session",
            "baton-server",
            "baton-stdio",
            // It attacks them.
            "baton-rules",
        ],
    },
];

/// Dev only: any member's tests may use it, no member's product may.
const DEV_ONLY: &str = "baton-testkit";

/// One outside crate and the members that alone may pull it in.
pub struct Reserved {
    pub name: &'static str,
    pub only: &'static [&'static str],
    pub why: &'static str,
}

pub const RESERVED: &[Reserved] = &[
    Reserved {
        name: "anyhow",
        only: &["baton", "baton-testkit", "xtask"],
        why: "libraries have typed errors",
    },
    Reserved {
        name: "argon2",
        only: &["baton-server"],
        why: "one place knows PINs",
    },
    Reserved {
        name: "axum",
        // The binary's benchmark measures against a bare relay.
        only: &["baton", "baton-server"],
        why: "one place serves HTTP",
    },
    Reserved {
        name: "clap",
        only: &["baton", "baton-testkit", "xtask"],
        why: "libraries have no command line",
    },
    Reserved {
        name: "granit-parser",
        only: &["baton"],
        why: "libraries read no configuration",
    },
    Reserved {
        name: "hyper",
        only: &["baton-server"],
        why: "one place serves HTTP",
    },
    Reserved {
        name: "ignore",
        only: &["baton-project"],
        why: "projects know which files a repository leaves out",
    },
    Reserved {
        name: "libc",
        only: &["baton-process"],
        why: "rustix is the safe door to the system",
    },
    Reserved {
        name: "pty-process",
        only: &["baton-process"],
        why: "process owns every child, on pipes or PTY",
    },
    Reserved {
        name: "rcgen",
        only: &["baton-server"],
        why: "one place makes certificates",
    },
    Reserved {
        name: "ring",
        // The server hashes tokens and draws them.
        only: &["baton-project", "baton-server", "baton-session"],
        why: "few places hash and sign",
    },
    Reserved {
        name: "rusqlite",
        only: &["baton-store"],
        why: "nothing outside the store knows SQL",
    },
    Reserved {
        name: "rustix",
        // The binary asks the terminal for its size and locks the data folder;
        // the testkit's fake CLI misbehaves with signals and groups on purpose.
        // A project's files are opened below its folder, whatever links say.
        only: &["baton", "baton-process", "baton-project", "baton-testkit"],
        why: "process owns signals, groups and descriptors",
    },
    Reserved {
        name: "rustls",
        only: &["baton-server"],
        why: "one place serves HTTP",
    },
    Reserved {
        name: "rustls-native-certs",
        only: &["baton-server"],
        why: "one place fetches from outside",
    },
    Reserved {
        name: "similar",
        // Sessions make the hunks that a person approves, projects mark the
        // words that changed within git's.
        only: &["baton-project", "baton-session"],
        why: "few places compare texts",
    },
    Reserved {
        name: "time",
        only: &[],
        why: "jiff is the calendar; rcgen brings this one for itself",
    },
    Reserved {
        name: "tokio",
        only: &[
            "baton",
            "baton-claude",
            "baton-mcp",
            "baton-process",
            // It waits for git.
            "baton-project",
            "baton-server",
            "baton-session",
            "baton-stdio",
            "baton-store",
            "baton-testkit",
        ],
        why: "the contract knows neither IO nor async",
    },
    Reserved {
        name: "tracing-subscriber",
        only: &["baton"],
        why: "only the binary decides where logs go",
    },
];

/// What the workspace does against the two tables.
pub fn problems(metadata: &Metadata, members: &[Row], reserved: &[Reserved]) -> Vec<String> {
    let mut problems = Vec::new();
    for package in metadata.members() {
        let Some(row) = members.iter().find(|row| row.name == package.name) else {
            problems.push(format!(
                "{} has no row in MEMBERS: add it to xtask/src/architecture.rs with the members it may use, and to the crate map in ARCHITECTURE.md",
                package.name
            ));
            continue;
        };
        for dependency in &package.dependencies {
            let edge = (dependency.name.as_str(), dependency.kind);
            problems.extend(inner_edge(row, edge, members));
            problems.extend(outer_edge(package, edge.0, reserved));
        }
    }
    for row in members {
        if !metadata.members().any(|package| package.name == row.name) {
            problems.push(format!(
                "{} has a row in MEMBERS but is no member of the workspace: remove the row",
                row.name
            ));
        }
    }
    problems
}

fn inner_edge(row: &Row, (name, kind): (&str, Option<Kind>), members: &[Row]) -> Option<String> {
    if !members.iter().any(|member| member.name == name) {
        return None;
    }
    if name == DEV_ONLY {
        return (kind != Some(Kind::Dev)).then(|| {
            format!(
                "{} uses {DEV_ONLY} outside its tests: make it a dev-dependency",
                row.name
            )
        });
    }
    // A crate's own tests may name it again, for its features.
    (name != row.name && !row.may_use.contains(&name)).then(|| {
        format!(
            "{} may not use {name}: a new edge is a decision, made in MEMBERS (xtask/src/architecture.rs) and written down in docs/decisions",
            row.name
        )
    })
}

fn outer_edge(package: &Package, name: &str, reserved: &[Reserved]) -> Option<String> {
    let rule = reserved.iter().find(|rule| rule.name == name)?;
    (!rule.only.contains(&package.name.as_str())).then(|| {
        format!(
            "{} may not pull in {name} ({}): see RESERVED in xtask/src/architecture.rs",
            package.name, rule.why
        )
    })
}
