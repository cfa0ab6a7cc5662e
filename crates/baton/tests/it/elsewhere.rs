//! Sessions that were begun without Baton, from the terminal.

use std::path::PathBuf;

use baton_testkit::{Sandbox, bin};
use serde_json::{Value, json};

use crate::{Bench, kind};

const NAME: &str = "3f2a9c1e-0000-4000-8000-000000000001";

/// Where Claude Code keeps what it knows of the project.
fn transcripts(bench: &Bench) -> PathBuf {
    let cwd = bench.sandbox.project().canonicalize().unwrap();
    let slug: String = cwd
        .to_str()
        .unwrap()
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '-' })
        .collect();
    bench.sandbox.home().join(".claude/projects").join(slug)
}

/// A project in which somebody has used Claude Code before.
fn used_before() -> Bench {
    let path = bin("fake-claude").display().to_string();
    let bench = Bench::in_sandbox(Sandbox::new().with_env("BATON_AGENT_CLAUDE_PATH", path));
    let cwd = bench.sandbox.project().canonicalize().unwrap();
    let cwd = cwd.to_str().unwrap();
    let folder = transcripts(&bench);
    std::fs::create_dir_all(&folder).unwrap();
    let row = |number: u32, parent: Option<u32>, body: &Value| {
        let uuid = |number: u32| format!("00000000-0000-4000-8000-{number:012}");
        let mut row = json!({
            "uuid": uuid(number), "parentUuid": parent.map(uuid), "sessionId": NAME, "cwd": cwd,
            "isSidechain": false, "version": "2.1.197",
            "timestamp": format!("2026-01-01T00:00:0{number}.000Z"),
        });
        let fields = row.as_object_mut().unwrap();
        fields.extend(body.as_object().unwrap().clone());
        format!("{row}\n")
    };
    let asked = json!({"type": "user", "message": {"role": "user", "content": "Why is it slow?"}});
    let answered = json!({"type": "assistant", "message": {
        "id": "msg_1", "model": "claude-sonnet-4-5", "role": "assistant",
        "content": [{"type": "text", "text": "Because of the loop."}],
        "stop_reason": "end_turn", "usage": {"input_tokens": 10, "output_tokens": 2}}});
    let text = row(1, None, &asked) + &row(2, Some(1), &answered);
    std::fs::write(folder.join(format!("{NAME}.jsonl")), text).unwrap();
    bench
}

#[test]
fn what_was_begun_elsewhere_is_listed_taken_in_and_gone_on_with() {
    let bench = used_before();
    let list = bench.ok(&["history"]);
    list.shows(NAME);
    list.shows("Why is it slow?");
    let import = bench.ok(&["import", "3f2a"]);
    let id = import.stdout.lines().next().unwrap().to_owned();
    import.shows(&format!("run --resume {id}"));
    let again = bench.baton(&["import", NAME, "--json"]).json_lines();
    assert_eq!(again[0]["id"], id.as_str());
    let listed = bench.baton(&["history", "--json"]).json_lines();
    assert_eq!(listed[0]["importedAs"], id.as_str());
    let shown = bench.baton(&["export", &id, "--format", "markdown"]).stdout;
    assert!(shown.contains("Because of the loop."), "{shown}");
    bench.ok(&["run", "--resume", &id, "hello"]);
    let events = bench.export(&id);
    let turns = events
        .iter()
        .filter(|event| kind(event) == "turn.completed");
    assert_eq!(turns.count(), 2);
    for (name, told) in [
        ("zzzz", "names 0 sessions"),
        (
            "3f2a9c1e-0000-4000-8000-00000000000f",
            "3f2a9c1e-0000-4000-8000-00000000000f",
        ),
    ] {
        let odd = bench.fails(1, &["import", name]);
        odd.tells(told);
    }
}

#[test]
fn a_session_that_runs_elsewhere_is_followed_but_not_gone_on_with() {
    let bench = used_before();
    // The registry entry of a live process; any will do.
    let pid = std::process::id();
    let folder = bench.sandbox.home().join(".claude/sessions");
    std::fs::create_dir_all(&folder).unwrap();
    let entry = json!({"pid": pid, "sessionId": NAME, "entrypoint": "cli"});
    std::fs::write(folder.join(format!("{pid}.json")), entry.to_string()).unwrap();
    let list = bench.baton(&["history"]).stdout;
    assert!(
        list.contains(&format!("runs in process {pid} (cli)")),
        "{list}"
    );
    let import = bench.baton(&["import", NAME]).stdout;
    assert!(
        import.contains(&format!("process {pid} runs it")),
        "{import}"
    );
    let refused = bench.fails(1, &["send", "last", "hello"]);
    refused.tells(&format!("process {pid} runs this session elsewhere"));
    refused.tells("end the process that has it");
}

#[test]
fn a_past_that_the_agent_lacks_is_told_on_the_terminal_with_a_way_on() {
    const GONE: &str = "The agent's own record of this session is gone";
    let forget = |bench: &Bench| {
        let id = bench.baton(&["import", NAME, "--json"]).json_lines();
        let id = id[0]["id"].as_str().unwrap().to_owned();
        std::fs::remove_file(transcripts(bench).join(format!("{NAME}.jsonl"))).unwrap();
        id
    };
    let bench = used_before();
    let id = forget(&bench);
    let run = bench.ok(&["run", "--resume", &id, "hello"]);
    run.tells(GONE);
    let shown = bench.baton(&["export", &id, "--format", "markdown"]).stdout;
    assert!(shown.contains(GONE), "{shown}");

    let bench = used_before().with("BATON_AGENT_LOST_MEMORY", "refuse");
    let id = forget(&bench);
    let refused = bench.fails(1, &["send", &id, "hello"]);
    refused.tells("--memory log");
    bench.ok(&["end", &id]);
    let watched = bench.baton(&["watch", &id]).stderr;
    let way_on = format!("send {id} --memory log");
    for told in [GONE, &way_on] {
        assert!(watched.contains(told), "{told}: {watched}");
    }
}
