//! Commands that steer a session from elsewhere.

use baton_testkit::{LIMIT, Sandbox, bin};
use serde_json::Value;

use crate::{Bench, kind, web::send};

fn events(lines: &[Value]) -> Vec<Value> {
    let events = lines.iter().filter(|line| line.get("seq").is_some());
    events.cloned().collect()
}

#[test]
fn several_watchers_see_the_same_and_end_with_the_session() {
    let bench = Bench::new();
    bench.ok(&["run", "--agent", "demo", "text"]);
    let watchers = [(); 2].map(|()| bench.start(&["watch", "last", "--json"]));
    let late = bench.start(&["watch", "last", "--json", "--after", "5"]);
    for watcher in watchers.iter().chain([&late]) {
        watcher.wait_for(|line| kind(line) == "turn.completed", LIMIT);
    }
    bench.ok(&["send", "last", "think", "--wait"]);
    bench.ok(&["end", "last"]);
    let ended = watchers.map(|watcher| watcher.finish(LIMIT));
    let whole = bench.export("last");
    for watched in ended {
        watched.expect_success();
        assert_eq!(events(&watched.json_lines()), whole);
    }
    let watched = late.finish(LIMIT);
    assert_eq!(events(&watched.json_lines()), whole[5..]);
    // One that ended is shown and done.
    let after = bench.ok(&["watch", "last"]);
    after.shows("Markdown with");
    after.tells("> text");
    after.tells("the session has ended");
}

/// A run whose approval waits for another client.
pub(crate) fn asking(bench: &Bench, prompt: &str) -> (baton_testkit::Running, String) {
    let args = [
        "run",
        "--json",
        "--approvals",
        "wait",
        "--agent",
        "demo",
        prompt,
    ];
    let run = bench.start(&args);
    let asked = run.wait_for(|line| kind(line) == "approval.requested", LIMIT);
    let id = asked["payload"]["approvalId"].as_str().unwrap();
    (run, id.to_owned())
}

#[test]
fn the_first_of_two_clients_answers_and_the_second_is_told() {
    let bench = Bench::new();
    let (run, id) = asking(&bench, "approval");
    let status = bench.baton(&["status"]).stdout;
    assert!(status.contains(&format!("approve {id}")), "{status}");
    bench.ok(&["approve", &id]);
    let late = bench.fails(1, &["deny", &id, "--message", "no"]);
    let told = format!("approval {id} is already allowed by a person (baton approve)");
    late.tells(&told);
    run.finish(LIMIT).expect_success();
    assert!(bench.sandbox.project().join("baton-demo.txt").exists());
    let nothing = bench.fails(1, &["approve", "last"]);
    nothing.tells("nothing waits");
    for odd in ["nope", "apr_0"] {
        let run = bench.fails(1, &["approve", odd]);
        run.tells(&format!(
            "`{odd}` is neither a request that is open nor a session"
        ));
    }
}

#[test]
fn questions_are_answered_and_input_is_changed_from_the_command_line() {
    let bench = Bench::new();
    let (run, _) = asking(&bench, "question");
    let odd = bench.fails(2, &["approve", "last", "--answer", "Which?=Green"]);
    let question = "Which colour should the button have?";
    odd.tells(question);
    let bare = bench.fails(1, &["approve", "last"]);
    bare.tells("--answer");
    let answer = format!("{question}=Green");
    bench.ok(&["approve", "last", "--answer", &answer]);
    run.finish(LIMIT).expect_success();
    let text = bench.ok(&["export", "last", "--format", "markdown"]);
    text.shows("*answered by a person (baton approve)*");
    let (run, id) = asking(&bench, "approval");
    let input = r#"{"file_path":"other.txt","content":"changed"}"#;
    let short = &id[..id.len() - 4];
    bench.ok(&["approve", short, "--input", input, "--json"]);
    run.finish(LIMIT).expect_success();
    let resolved = bench.export("last");
    let resolved = resolved
        .iter()
        .find(|event| kind(event) == "approval.resolved");
    let resolved = &resolved.unwrap()["payload"];
    assert_eq!(resolved["modifiedInput"]["content"], "changed");
    assert_eq!(resolved["client"]["name"], "baton approve");
}

#[test]
fn a_denial_can_stop_the_turn() {
    let bench = Bench::new();
    let (run, id) = asking(&bench, "approval");
    bench.ok(&["deny", &id, "--interrupt"]);
    assert_eq!(run.finish(LIMIT).code(), Some(1));
}

#[test]
fn a_message_to_a_busy_session_waits_or_is_refused() {
    let bench = Bench::in_sandbox(Sandbox::new()).with("BATON_AGENT_DEMO_PACE_MS", "20");
    let run = bench.start(&["run", "--json", "--agent", "demo", "slow"]);
    run.wait_for(|line| kind(line) == "assistant.delta", LIMIT);
    let busy = bench.fails(1, &["send", "last", "text"]);
    busy.tells("baton send --queue");
    let queued = bench.ok(&["send", "last", "--queue", "--json", "text"]);
    assert_eq!(queued.json_lines()[0]["turn"], Value::Null);
    bench.ok(&["interrupt", "last"]);
    run.wait_for(|line| kind(line) == "turn.completed", LIMIT);
    // The run saw its own turn end; the queued one follows when it is let go on.
    run.wait_exit(LIMIT);
    bench.ok(&["queue", "last", "--release"]);
    let wait = bench.start(&["watch", "last", "--json"]);
    wait.wait_for(
        |line| line["type"] == "turn.completed" && line["turn"] == 2,
        LIMIT,
    );
}

#[test]
fn ids_may_be_cut_short_and_titles_changed() {
    let bench = Bench::new();
    bench.ok(&["run", "--agent", "demo", "text"]);
    let rows = bench.baton(&["sessions", "--json"]).json_lines();
    let id = rows[0]["id"].as_str().unwrap().to_owned();
    for name in [&id[..20], id.trim_start_matches("ses_"), "last"] {
        bench.ok(&["title", name, "A name"]);
        assert_eq!(bench.export(name).len(), bench.export(&id).len());
    }
    let rows = bench.baton(&["sessions", "--json"]).json_lines();
    assert_eq!(rows[0]["title"], "A name");
    bench.ok(&["run", "--agent", "demo", "text"]);
    bench.fails(1, &["interrupt", "ses_0"]);
    let several = bench.baton(&["interrupt", &id[..8]]);
    several.tells("is the beginning of 2 sessions");
}

#[test]
fn an_ended_session_is_taken_up_again() {
    let bench = Bench::new();
    bench.ok(&["run", "--agent", "demo", "text"]);
    bench.ok(&["end", "last"]);
    bench.ok(&["watch", "last"]);
    // A message is reason enough to go on.
    bench.ok(&["send", "last", "text", "--wait"]);
    bench.ok(&["end", "last"]);
    bench.ok(&["run", "--resume", "last", "text"]);
    bench.ok(&["end", "last"]);
    bench.ok(&["resume", "last"]);
    bench.ok(&["send", "last", "text", "--wait"]);
}

#[test]
fn sessions_are_listed_by_folder_and_state_and_an_ended_one_is_deleted() {
    let bench = Bench::new();
    let other = bench.sandbox.home().join("other");
    std::fs::create_dir_all(&other).unwrap();
    let folder = other.display().to_string();
    let named = ["run", "--agent", "demo", "--title", "A name", "text"];
    bench.ok(&named);
    bench.ok(&["run", "--agent", "demo", "--project", &folder, "text"]);
    let rows = |args: &[&str]| {
        let mut all = vec!["sessions", "--json"];
        all.extend(args);
        bench.baton(&all).json_lines()
    };
    let there = rows(&["--project", &folder]);
    assert_eq!(there.len(), 1, "{there:?}");
    assert_eq!(rows(&["--state", "idle"]).len(), 2);
    assert_eq!(rows(&["--state", "ended"]).len(), 0);
    let shown = bench.baton(&["sessions"]).stdout;
    assert!(
        shown.contains("PROJECT") && shown.contains("other"),
        "{shown}"
    );
    // A project has several names, and what is cut off keeps the filters.
    let project = there[0]["projectId"].as_str().unwrap();
    for name in ["other", project] {
        assert_eq!(rows(&["--project", name]), there, "{name}");
    }
    bench.fails(1, &["sessions", "--project", "nowhere"]);
    let one = ["--project", &folder, "--state", "idle", "--limit", "1"];
    bench.ok(&["run", "--agent", "demo", "--project", &folder, "text"]);
    let more = bench.baton(&[&["sessions"], &one[..]].concat()).stdout;
    let further = format!("sessions --project {folder} --state idle --limit 2");
    assert!(more.contains(&further), "{more}");
    let second = &rows(&one)[0]["id"];
    let second = second.as_str().unwrap();
    bench.ok(&["end", second]);
    bench.ok(&["delete", second]);
    let id = there[0]["id"].as_str().unwrap();
    let refused = bench.baton(&["delete", id]);
    refused.tells("baton end");
    bench.ok(&["end", id]);
    bench.ok(&["delete", id]);
    let left = rows(&[]);
    assert_eq!(left.len(), 1);
    assert_eq!(left[0]["title"], "A name");
}

#[test]
fn what_waits_is_listed_and_taken_back_one_by_one_or_with_an_interrupt() {
    let bench = Bench::in_sandbox(Sandbox::new()).with("BATON_AGENT_DEMO_PACE_MS", "20");
    let run = bench.start(&["run", "--json", "--agent", "demo", "slow"]);
    run.wait_for(|line| kind(line) == "assistant.delta", LIMIT);
    for text in ["one", "two", "three"] {
        bench.ok(&["send", "last", "--queue", text]);
    }
    let listed = bench.baton(&["queue", "last", "--json"]).json_lines();
    let texts: Vec<&str> = listed
        .iter()
        .filter_map(|one| one["text"].as_str())
        .collect();
    assert_eq!(texts, ["one", "two", "three"]);
    let first = listed[0]["messageId"].as_str().unwrap();
    bench
        .baton(&["queue", "last", "--take-back", &first[..13]])
        .expect_success();
    bench.fails(1, &["queue", "last", "--take-back", first]);
    let [second, third] = [1, 2].map(|at| listed[at]["messageId"].as_str().unwrap());
    bench.ok(&["queue", "last", "--edit", second, "two and a half"]);
    bench.ok(&["queue", "last", "--last", second]);
    bench.ok(&["queue", "last", "--hold"]);
    let ordered = bench.baton(&["queue", "last", "--json"]).json_lines();
    let told: Vec<_> = ordered
        .iter()
        .map(|one| (one["messageId"].as_str().unwrap(), one["held"] == true))
        .collect();
    assert_eq!(told, [(third, true), (second, true)]);
    assert_eq!(ordered[1]["text"], "two and a half");
    bench.ok(&["queue", "last"]).shows("--release");
    bench.ok(&["queue", "last", "--release"]);
    bench.fails(1, &["queue", "last", "--now", first]);
    bench.fails(2, &["queue", "last", "--hold", "--release"]);
    let shown = bench.baton(&["queue", "last"]).stdout;
    assert!(!shown.contains("held"), "{shown}");
    assert!(!shown.contains(first) && shown.contains("two"), "{shown}");
    let cleared = bench.ok(&["interrupt", "last", "--clear"]);
    cleared.shows("2 messages");
    run.finish(LIMIT);
    let events = bench.export("last");
    let count = |name: &str| events.iter().filter(|event| kind(event) == name).count();
    assert_eq!((count("message.removed"), count("turn.started")), (3, 1));
    bench.ok(&["end", "last"]);
    let watched = bench.ok(&["watch", "last"]);
    watched.tells("taken back, not sent: one");
}

#[test]
fn a_session_that_is_asleep_is_not_counted_as_ended() {
    let bench = Bench::new().with("BATON_AGENT_IDLE_TIMEOUT_MS", "500");
    bench.ok(&["run", "--agent", "demo", "text"]);
    bench.ok(&["watch", "last"]);
    let rows = |state: &str| {
        let listed = bench.baton(&["sessions", "--json", "--state", state]);
        listed.json_lines().len()
    };
    assert_eq!((rows("asleep"), rows("ended"), rows("idle")), (1, 0, 0));
    let token = std::fs::read_to_string(bench.sandbox.data().join("token")).unwrap();
    let over_http = |state: &str| {
        let head = format!("GET /api/v1/sessions?state={state}");
        let (_, body) = send(&bench, &head, Some(token.trim()), "");
        let body: Value = serde_json::from_str(&body).unwrap();
        body["items"].as_array().unwrap().len()
    };
    assert_eq!((over_http("asleep"), over_http("ended")), (1, 0));
    let status = bench.baton(&["status"]).stdout;
    assert!(status.contains("1 asleep, 0 ended"), "{status}");
}

#[test]
fn files_are_put_back_and_sessions_forked() {
    let sandbox = Sandbox::new().with_env(
        "BATON_AGENT_CLAUDE_PATH",
        bin("fake-claude").display().to_string(),
    );
    let bench = Bench::in_sandbox(sandbox);
    bench.ok(&["run", "hello"]);
    let list = bench.ok(&["rewind", "last"]);
    list.shows("hello");
    list.shows("shell commands");
    let listed = bench.baton(&["rewind", "last", "--json"]).json_lines();
    let id = listed[0]["items"][0]["checkpointId"]
        .as_str()
        .unwrap()
        .to_owned();
    let dry = bench.baton(&["rewind", "last", &id[..8], "--dry-run"]);
    dry.expect_success();
    dry.shows("would be put back");
    let fork = bench.ok(&["fork", "last", "--json"]);
    let from = bench.baton(&["sessions", "--json"]).json_lines();
    assert_eq!(from.len(), 2);
    assert_eq!(
        fork.json_lines()[0]["forkedFrom"],
        from.iter().find(|row| row["forkedFrom"].is_null()).unwrap()["id"]
    );
    bench.fails(1, &["rewind", "last", "zzz"]);
}

fn fake_claude() -> Bench {
    let path = bin("fake-claude").display().to_string();
    Bench::in_sandbox(Sandbox::new().with_env("BATON_AGENT_CLAUDE_PATH", path))
}

/// A session, a copy of it, and a copy of that, which has ended. The first was
/// told something after it was copied.
fn copies(bench: &Bench) -> [String; 3] {
    bench.ok(&["run", "the first words"]);
    let source = bench.baton(&["sessions", "--json"]).json_lines()[0]["id"].clone();
    let source = source.as_str().unwrap();
    let fork = |of: &str| {
        let made = bench.baton(&["fork", of, "--json"]).json_lines();
        made[0]["id"].as_str().unwrap().to_owned()
    };
    let copy = fork(source);
    bench.ok(&["run", "--resume", source, "said to the source alone"]);
    bench.ok(&["run", "--resume", &copy, "said to the copy"]);
    let of_copy = fork(&copy);
    bench.ok(&["end", &of_copy]);
    [source.to_owned(), copy, of_copy]
}

#[test]
fn a_fork_shows_what_it_began_with_and_nothing_that_came_after() {
    let bench = fake_claude();
    let [source, copy, of_copy] = copies(&bench);
    let token = std::fs::read_to_string(bench.sandbox.data().join("token")).unwrap();
    let head = format!("GET /api/v1/sessions/{of_copy}/export?format=markdown");
    let (status, told) = send(&bench, &head, Some(token.trim()), "");
    assert!(status.contains("200"), "{status}");
    for told in [
        bench
            .baton(&["export", &of_copy, "--format", "markdown"])
            .stdout,
        bench
            .baton(&["export", &of_copy, "--format", "html"])
            .stdout,
        bench.baton(&["watch", &of_copy]).stderr,
        told,
    ] {
        let at = |words: &str| {
            let at = told.find(words);
            at.unwrap_or_else(|| panic!("{words}: {told}"))
        };
        let order = [
            at(&format!("rom {source}, of which this session is a copy")),
            at("the first words"),
            at(&format!("rom {copy}, of which this session is a copy")),
            at("said to the copy"),
            at("ere the copy begins"),
        ];
        assert!(order.is_sorted(), "{told}");
        assert_eq!(told.matches("of which this session").count(), 2, "{told}");
        assert!(!told.contains("said to the source alone"), "{told}");
    }
    // The log itself is each session's own.
    let events = bench.export(&of_copy);
    assert!(
        events
            .iter()
            .all(|event| event["sessionId"] == of_copy.as_str())
    );
    bench.stop();
}

#[test]
fn programs_get_the_past_of_a_fork_when_they_ask_and_search_names_it() {
    let bench = fake_claude();
    let [source, copy, of_copy] = copies(&bench);
    let token = std::fs::read_to_string(bench.sandbox.data().join("token")).unwrap();
    // Each event is its own session's.
    let head = format!("GET /api/v1/sessions/{of_copy}/export?past=true");
    let (_, told) = send(&bench, &head, Some(token.trim()), "");
    let lines = |text: &str| -> Vec<Value> {
        let lines = text.lines().filter(|line| line.starts_with('{'));
        lines
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    };
    for events in [
        bench.baton(&["export", &of_copy, "--past"]).json_lines(),
        bench
            .baton(&["watch", &of_copy, "--json", "--past"])
            .json_lines(),
        lines(&told),
    ] {
        let mut from: Vec<_> = events
            .iter()
            .filter(|event| event["seq"].is_u64())
            .map(|event| event["sessionId"].as_str().unwrap())
            .collect();
        from.dedup();
        assert_eq!(from, [&source, &copy, &of_copy]);
        let words = serde_json::to_string(&events).unwrap();
        assert!(words.contains("the first words") && words.contains("said to the copy"));
        assert!(!words.contains("said to the source alone"));
    }
    // A screen learns where it is, and search says whose past a hit is.
    let head = format!("GET /api/v1/sessions/{of_copy}");
    let (_, told) = send(&bench, &head, Some(token.trim()), "");
    let view = lines(&told).pop().unwrap();
    let past = view["past"].as_array().unwrap();
    let sessions: Vec<_> = past.iter().map(|part| &part["sessionId"]).collect();
    assert_eq!(sessions, [&source, &copy]);
    let copies_with = |words: &str| {
        let found = bench.baton(&["search", words, "--json"]).json_lines();
        let hit = found.iter().find(|hit| hit["snippet"] == words);
        hit.unwrap()["copies"].clone()
    };
    let wanted = serde_json::json!([copy, of_copy]);
    assert_eq!(copies_with("the first words"), wanted);
    let wanted = serde_json::json!([of_copy]);
    assert_eq!(copies_with("said to the copy"), wanted);
    assert!(copies_with("said to the source alone").is_null());
    let shown = bench.baton(&["search", "said to the copy"]).stdout;
    assert!(
        shown.contains(&format!("also the past of {of_copy}")),
        "{shown}"
    );
    bench.stop();
}

#[test]
fn model_and_mode_are_changed_and_commands_listed() {
    let bench = fake_claude();
    bench.ok(&["run", "hello"]);
    let mode = bench.ok(&["mode", "last", "plan"]);
    let part = "goes on in mode plan\n";
    assert!(mode.stdout.ends_with(part), "{}", mode.stdout);
    let model = bench.ok(&["model", "last", "opus"]);
    let part = "goes on with opus\n";
    assert!(model.stdout.ends_with(part), "{}", model.stdout);
    let default = bench.baton(&["model", "last"]);
    default.shows("default model");
    let events = bench.export("last");
    let last = |wanted: &str| {
        let found = events.iter().rfind(|event| kind(event) == wanted);
        found.unwrap()["payload"].clone()
    };
    assert_eq!(last("permission_mode.changed")["mode"], "plan");
    assert_eq!(last("model.changed").get("model"), None);
    let commands = bench.ok(&["commands", "last"]);
    for told in ["/compact <instructions>", "Summarise the conversation"] {
        commands.shows(told);
    }
    let listed = bench.baton(&["commands", "last", "--json"]).json_lines();
    assert_eq!(listed[0]["items"][0]["name"], "clear");
    assert_eq!(listed[0]["items"][0]["description"], "Start over");
    assert_eq!(listed[0]["items"][0].get("argumentHint"), None);
    bench.fails(2, &["mode", "last", "quick"]);
}

#[test]
fn a_message_that_was_queued_at_a_stop_waits_for_the_next_word() {
    let bench = Bench::in_sandbox(Sandbox::new()).with("BATON_AGENT_DEMO_PACE_MS", "20");
    let queue = || {
        let run = bench.start(&["run", "--json", "--agent", "demo", "slow"]);
        run.wait_for(|line| kind(line) == "assistant.delta", LIMIT);
        bench.ok(&["send", "last", "--queue", "text"]);
        bench.ok(&["stop", "--grace", "0"]);
        let left = std::fs::read_dir(bench.sandbox.data().join("holders")).unwrap();
        assert_eq!(left.count(), 0, "no process is left");
        assert_eq!(run.finish(LIMIT).code(), Some(1));
        let events = bench.export("last");
        let begun = events.iter().filter(|event| kind(event) == "turn.started");
        assert_eq!(begun.count(), 1);
    };
    let ended = |turn: u64| {
        let watch = bench.start(&["watch", "last", "--json"]);
        let done = |line: &Value| kind(line) == "turn.completed" && line["turn"] == turn;
        watch.wait_for(done, LIMIT);
    };
    queue();
    bench.ok(&["resume", "last"]);
    ended(2);
    queue();
    // A new message goes behind it, and its own answer is waited for.
    let args = ["run", "--resume", "last", "think", "--json"];
    let run = bench.ok(&args);
    let texts = run.json_lines();
    let turns = texts.iter().filter(|line| kind(line) == "turn.completed");
    assert_eq!(turns.count(), 2, "the one that waited, and this one");
}

#[test]
fn a_spent_budget_is_raised_from_the_command_line() {
    let bench = fake_claude();
    let run = ["run", "--max-budget", "0.0001", "say one"];
    bench.ok(&run);
    let spent = bench.fails(1, &["send", "last", "say two", "--wait"]);
    spent.tells("baton budget SESSION AMOUNT");
    bench.fails(2, &["budget", "last", "-1"]);
    bench.ok(&["budget", "last", "9"]);
    bench.ok(&["send", "last", "say two", "--wait"]);
}

#[test]
fn a_background_command_is_listed_and_stopped_from_the_command_line() {
    use baton_testkit::{
        Version, claude_cli,
        model::{ModelServer, Script},
    };
    let server = ModelServer::start(Script::directed());
    let claude = claude_cli(Version::V325).display().to_string();
    let sandbox = Sandbox::new().with_model(&server);
    let bench = Bench::in_sandbox(sandbox).with("BATON_AGENT_CLAUDE_PATH", &claude);
    let mode = ["--permission-mode", "bypassPermissions"];
    let prompt = "BG[until test -e go; do sleep 0.1; done; touch done]";
    let run = bench.start(&[&["run", "--json"], &mode[..], &[prompt]].concat());
    run.wait_for(|line| kind(line) == "turn.completed", LIMIT);
    let tasks = bench.baton(&["tasks", "last", "--json"]).json_lines();
    let task = tasks[0]["id"].as_str().unwrap();
    let shown = bench.baton(&["tasks", "last"]).stdout;
    assert!(shown.contains(task), "{shown}");
    bench.fails(1, &["tasks", "last", "--stop", "nothing"]);
    bench.ok(&["tasks", "last", "--stop", task]);
    run.finish(LIMIT);
    let ended = bench.export("last").into_iter();
    let ended = ended.filter(|event| kind(event) == "task.updated");
    let ended: Vec<Value> = ended
        .map(|event| event["payload"]["status"].clone())
        .collect();
    assert_eq!(ended.last().unwrap(), "stopped");
    assert!(!bench.sandbox.project().join("done").exists());
    bench.stop();
}
