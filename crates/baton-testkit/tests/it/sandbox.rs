//! What a sandbox leaves behind: nothing of its own, and everything else.

use std::io::Read as _;
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Child, ExitStatus};

use baton_testkit::Sandbox;

/// A process that waits for the end of its input and has nothing of the
/// sandbox but what is given here.
fn waiting(sandbox: &Sandbox, argument: &str, variable: Option<(&str, String)>) -> Child {
    let mut child = sandbox
        .command("/bin/sh")
        .args(["-c", "echo up; read line; exit 7", "holder", argument])
        .env_clear()
        .envs(variable)
        .current_dir("/")
        .spawn()
        .unwrap();
    // A spawn returns in the middle of the exec, before the system shows what
    // the process was given; its first word proves that the exec is over.
    let mut word = [0; 3];
    let stdout = child.stdout.as_mut().unwrap();
    stdout.read_exact(&mut word).unwrap();
    child
}

/// How it ended, after the sandbox had its chance: what was spared by then
/// ends by itself.
fn end(mut child: Child) -> ExitStatus {
    drop(child.stdin.take());
    child.wait().unwrap()
}

#[test]
fn a_process_with_a_sandbox_path_on_its_command_line_ends_with_the_sandbox() {
    let sandbox = Sandbox::new();
    let below = sandbox.data().join("holders/1").display().to_string();
    let root = sandbox.root().display().to_string();
    let option = format!("{{\"dir\":\"{root}\"}}");
    let children: Vec<Child> = [below, root, option]
        .iter()
        .map(|argument| waiting(&sandbox, argument, None))
        .collect();
    drop(sandbox);
    for child in children {
        assert_eq!(end(child).signal(), Some(9));
    }
}

#[test]
fn a_process_marked_by_a_holder_of_the_sandbox_ends_with_it() {
    let sandbox = Sandbox::new();
    let holder = sandbox.data().join("holders/1").display().to_string();
    let child = waiting(&sandbox, "agent", Some(("BATON_HOLDER", holder)));
    drop(sandbox);
    assert_eq!(end(child).signal(), Some(9));
}

#[test]
fn processes_of_others_are_spared() {
    let (sandbox, other) = (Sandbox::new(), Sandbox::new());
    let root = sandbox.root().display().to_string();
    let children = [
        waiting(&other, &other.root().display().to_string(), None),
        waiting(&other, &format!("{root}more"), None),
        waiting(&other, "agent", Some(("BATON_HOLDER", format!("{root}-2")))),
        waiting(&other, "agent", Some(("ELSEWHERE", root))),
    ];
    drop(sandbox);
    for child in children {
        assert_eq!(end(child).code(), Some(7));
    }
}
