//! The real shell as the judge of the parser.
//!
//! Random lines of shell syntax are judged. Those that rules let pass are run
//! by bash, where every program is a stand-in, and none of them may start the
//! one program that no rule lets pass.

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Stdio};

use baton_protocol::words::PermissionMode;
use baton_rules::Verdict;
use serde_json::json;

use crate::support::{World, world};

/// No loops without end among them, and no path that leaves the folder.
#[rustfmt::skip]
const PIECES: &[&str] = &[
    "a", "a ", "b", "evil", "evil ", " ", " ", " ", " ", "'", "\"", "$(", ")", "`", "; ", " && ", " || ", " | ", " & ", "\\", "{ ", "; }", "{", "}", "$",
    "<", ">", "<<E\n", "\nE\n", "\n", "#", "=", "x=", "if ", "; then ", "; fi", "for x in a; do ", "; done", "case a in a) ", ";;", " esac", "[[ ", " ]]", "((",
    "))", "(", "~", "*", "?", "[", "]", "$'", "\\x65", "! ", "$x", "${x}", "${x:-", "<(", ">(", "<<<", "2>", "&>", "'evil'", "\"e\"vil", "e\\vil", "E", "eval ",
    "command ", "a() ", "function a ", "@(", "\t", "\r", "time ", "<<-E\n", "<<'E'\n", "\\\n", "\u{a0}", "$\"", "$((", "$[", "{a,evil}", "|&", ";&", "=(", "exec ",
    "trap ", " EXIT", "-", "--", "coproc ", "elif ", "else ", "bash -c ", "env ", "nice ",
];
const TRIES: usize = 12_000;

/// A small generator with a fixed start, so that every run is the same.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % bound as u64).unwrap()
    }

    fn line(&mut self) -> String {
        let length = 2 + self.below(12);
        let mut line: String = (0..length)
            .map(|_| PIECES[self.below(PIECES.len())])
            .collect();
        if !line.contains("vil") && !line.contains("x65") {
            line.push_str("evil");
        }
        line
    }
}

fn passes(world: &World, line: &str) -> bool {
    matches!(
        world.judge("Bash", &json!({ "command": line })),
        Verdict::Allow { .. }
    )
}

#[test]
fn bash_never_starts_what_the_rules_do_not_let_pass() {
    let folder = tempfile::tempdir().unwrap();
    let (programs, work) = (folder.path().join("programs"), folder.path().join("work"));
    let marker = folder.path().join("marker");
    std::fs::create_dir(&programs).unwrap();
    std::fs::create_dir(&work).unwrap();
    let program = |name: &str, text: &str| {
        std::fs::write(programs.join(name), format!("#!/bin/sh\n{text}\n")).unwrap();
        std::fs::set_permissions(programs.join(name), std::fs::Permissions::from_mode(0o755))
            .unwrap();
    };
    program("a", "exit 0");
    program("b", "exit 1");
    program("evil", &format!(": > '{}'", marker.display()));
    for real in ["bash", "env", "nice"] {
        let found = ["/bin", "/usr/bin"]
            .map(|folder| Path::new(folder).join(real))
            .into_iter()
            .find(|path| path.exists());
        std::os::unix::fs::symlink(found.unwrap(), programs.join(real)).unwrap();
    }

    let denying = world("deny Bash(evil:*)").mode(PermissionMode::BypassPermissions);
    let allowing = world(
        "allow Bash(a:*)\nallow Bash(b:*)\nallow Bash(bash:*)\nallow Bash(eval:*)\nallow Bash(env:*)\nallow Bash(exec:*)\nallow Edit(**)",
    );
    let mut random = Random(0x2633_1215_0110_0042);
    let mut ran = 0;
    for _ in 0..TRIES {
        let line = random.line();
        if !(passes(&denying, &line) || passes(&allowing, &line)) {
            continue;
        }
        ran += 1;
        run(&line, &programs, &work);
        assert!(
            !marker.exists(),
            "started by {line:?}, or by one before it in the background"
        );
    }
    assert!(ran > 200, "only {ran} lines were run");
}

#[expect(
    clippy::disallowed_methods,
    reason = "the real shell is what is compared with"
)]
fn run(line: &str, programs: &Path, work: &Path) {
    let status = Command::new("/bin/bash")
        .args(["-c", line])
        .env_clear()
        .env("PATH", programs)
        .env("HOME", work)
        .current_dir(work)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    // How it ends says nothing here.
    status.unwrap();
}
