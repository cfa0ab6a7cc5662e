//! Sessions that somebody else's process began.
//!
//! `Foreign` is that process: the real CLI, started by the test beside Baton.

use baton_claude::transcript::owner_of;
use baton_protocol::{Envelope, Event, api::PastSession};
use baton_session::{
    CommandError, RealWorld, SessionHandle, SupervisorError, World as _, machine::WhenBusy,
};
use baton_testkit::{
    LIMIT, Running, Version,
    model::{self, Script},
};
use expect_test::expect;
use serde_json::json;
use uuid::Uuid;

use crate::{
    both::check,
    rules,
    talk::{Talk, outbound, soon},
    world::{MODEL, Setup, World, wait_until},
};

/// Runs until it is stopped; the CLI refuses a plain long sleep.
pub(crate) const FOREVER: &str = "until test -e go; do sleep 0.1; done";

/// Somebody else's CLI.
pub(crate) struct Foreign {
    pub(crate) session: Uuid,
    running: Running,
}

impl Foreign {
    pub(crate) fn begin(world: &World) -> Self {
        let session = RealWorld.random_id();
        Self::start(world, session, "--session-id")
    }

    pub(crate) fn resume(world: &World, session: Uuid) -> Self {
        Self::start(world, session, "--resume")
    }

    fn start(world: &World, session: Uuid, how: &str) -> Self {
        let session_id = session.to_string();
        let args = [
            "--output-format=stream-json",
            "--input-format=stream-json",
            "--verbose",
            "--permission-mode=bypassPermissions",
            "--model",
            MODEL,
            how,
            &session_id,
        ];
        let running = world.sandbox.start(world.claude(), args);
        Self { session, running }
    }

    pub(crate) fn pid(&self) -> i32 {
        self.running.pid()
    }

    pub(crate) fn send(&self, text: &str) {
        self.running.send(&json!({
            "type": "user",
            "uuid": RealWorld.random_id(),
            "message": {"role": "user", "content": text},
        }));
    }

    /// Sends and waits until the CLI has told the end of the turn.
    pub(crate) fn turn(&self, text: &str) {
        self.send(text);
        tokio::task::block_in_place(|| {
            self.running
                .wait_for(|line| line["type"] == "result", LIMIT);
        });
    }

    /// Lets it finish and waits until it has.
    pub(crate) fn end(self) {
        self.running.close_stdin();
        tokio::task::block_in_place(|| self.running.finish(LIMIT));
    }

    pub(crate) fn kill(self) {
        self.running.signal(baton_testkit::Signal::KILL);
        tokio::task::block_in_place(|| self.running.finish(LIMIT));
    }
}

pub(crate) async fn import(world: &mut World, session: Uuid) -> Talk {
    let folder = world.sandbox.project();
    // 2.1.197 writes its rows a moment after it has told of them.
    let config = world.sandbox.home().join(".claude");
    wait_until("the transcript is there", || {
        baton_claude::transcript::locate(&config, session).is_ok_and(|found| !found.is_empty())
    })
    .await;
    let import = world.supervisor.import(session, &folder);
    let handle = soon("it is imported", import).await.unwrap();
    world.follow(handle)
}

pub(crate) async fn list(world: &World) -> Vec<PastSession> {
    let folder = world.sandbox.project();
    world.supervisor.history(&folder).await.unwrap()
}

pub(crate) fn agent_session(talk: &Talk) -> Uuid {
    let mut names = talk
        .seen
        .iter()
        .filter_map(|envelope| match &envelope.event {
            Event::SessionUpdated(updated) => updated.agent_session_id.as_deref(),
            _ => None,
        });
    names.next_back().unwrap().parse().unwrap()
}

/// Why a message is refused.
async fn refused(talk: &Talk, text: &str) -> String {
    match talk.handle.send(outbound(text, WhenBusy::Queue)).await {
        Err(CommandError::Rejected(rejected)) => rejected.to_string(),
        other => panic!("not refused: {other:?}"),
    }
}

pub(crate) fn command(command: &str) -> model::Reply {
    let input = json!({"command": command, "description": "run a command"});
    model::tool_use("Bash", input)
}

#[test]
fn a_session_begun_elsewhere_is_listed_imported_followed_and_taken_up() {
    check(
        |setup| {
            setup.replies([
                command("echo first"),
                model::text("One."),
                command("echo second"),
                model::text("Two."),
                model::text("Three."),
            ])
        },
        async |world| {
            let foreign = Foreign::begin(world);
            foreign.turn("begin");
            // 2.1.197 writes its rows a moment after it has told of them.
            let listing = async {
                loop {
                    let listed = list(world).await;
                    if !listed.is_empty() {
                        return listed;
                    }
                    tokio::task::yield_now().await;
                }
            };
            let listed = soon("it is listed", listing).await;
            assert_eq!(listed.len(), 1);
            assert_eq!(listed[0].agent_session_id, foreign.session.to_string());
            let live = listed[0].live.as_ref().unwrap();
            assert_eq!(live.pid, foreign.pid());
            assert_eq!(live.entrypoint.as_deref(), Some("sdk-cli"));
            assert_eq!(listed[0].imported_as, None);

            let mut talk = import(world, foreign.session).await;
            talk.until_idle().await;
            foreign.turn("go on");
            talk.until_turn_end().await;
            let why = refused(&talk, "me too").await;
            let wanted = format!("process {} runs this session elsewhere", foreign.pid());
            assert_eq!(why, wanted);
            foreign.end();
            talk.turn("and here").await;
            let listed = list(world).await;
            assert_eq!(listed[0].imported_as, Some(talk.id()));
        },
        expect![[r#"
            session.created {"agent":"claude","cwd":"[PROJECT]","mode":"structured","options":{"checkpointing":true},"resumes":"resumes1","runtime":"streaming","title":"begin"}
            session.updated {"agentSessionId":"resumes1"}
            user.message {"messageId":"messageId1","text":"begin"}
            turn.started {"origin":"user","turn":1}
            message.delivered {"messageId":"messageId1"}
            Bash","subject":{"command":"echo first"},"toolKind":"shell runs unasked in toolu_test_1: "Running echo first" {"command":"echo first","description":"run a command"} "detail":{"stderr":"","stdout":"first"},"name":"Bash","output":"first"
            assistant.message {"agentUuid":"agentUuid1","content":"One.","messageId":"msg_test_2","model":"claude-sonnet-4-5","usage":{"inputTokens":100,"outputTokens":20}}
            turn.completed {"messageIds":["messageId1"],"result":"One.","stats":{"bashCommands":1,"toolCalls":1,"toolsByType":{"Bash":1}},"stopReason":"end","turn":1,"usage":{"inputTokens":200,"outputTokens":40}}
            session.state {"state":"idle"}
            user.message {"messageId":"messageId2","text":"go on"}
            turn.started {"origin":"user","turn":2}
            message.delivered {"messageId":"messageId2"}
            session.state {"state":"processing"}
            Bash","subject":{"command":"echo second"},"toolKind":"shell runs unasked in toolu_test_2: "Running echo second" {"command":"echo second","description":"run a command"} "detail":{"stderr":"","stdout":"second"},"name":"Bash","output":"second"
            assistant.message {"agentUuid":"agentUuid2","content":"Two.","messageId":"msg_test_4","model":"claude-sonnet-4-5","usage":{"inputTokens":100,"outputTokens":20}}
            turn.completed {"messageIds":["messageId2"],"result":"Two.","stats":{"bashCommands":1,"toolCalls":1,"toolsByType":{"Bash":1}},"stopReason":"end","turn":2,"usage":{"inputTokens":200,"outputTokens":40}}
            session.state {"state":"idle"}
            user.message {"messageId":"messageId3","text":"and here"}
            turn.started {"origin":"user","turn":3}
            session.state {"state":"starting"}
            session.state {"state":"processing"}
            197: session.started {"agentSessionId":"resumes1","agentVersion":"[VERSION]","model":"claude-sonnet-4-5","permissionMode":"default","slashCommands":"…","tools":"…"}
            message.delivered {"messageId":"messageId3"}
            checkpoint.created {"checkpointId":"messageId3"}
            325: session.started {"agentSessionId":"resumes1","agentVersion":"[VERSION]","model":"claude-sonnet-4-5","permissionMode":"default","slashCommands":"…","tools":"…"}
            end of turn 3, agentUuid3, msg_test_5, window 200000, 0.0006 for "inputTokens":100,"outputTokens":20: "Three."
            The model heard 1: ["begin"]; 3: [{"result":"first"}]; 5: ["go on"]; 7: [{"result":"second"}]; 9: ["and here"]
        "#]],
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_running_cli_is_the_owner_of_its_session_until_it_ends() {
    for version in Version::ALL {
        let script = Script::new().replies([model::text("One."), model::text("Two.")]);
        let world = Setup::real(version).script(script).start();
        let config = world.sandbox.home().join(".claude");
        let foreign = Foreign::begin(&world);
        let (session, pid) = (foreign.session, foreign.pid());
        foreign.turn("one");
        let owner = owner_of(&config, session).unwrap().unwrap();
        assert_eq!((owner.pid, owner.session), (pid, session));
        assert_eq!(owner.entrypoint.as_deref(), Some("sdk-cli"));
        foreign.end();
        assert_eq!(owner_of(&config, session).unwrap(), None);
        let foreign = Foreign::resume(&world, session);
        foreign.turn("two");
        let owner = owner_of(&config, session).unwrap().unwrap();
        assert_eq!(owner.pid, foreign.pid());
        let file = config.join(format!("sessions/{}.json", owner.pid));
        let text = std::fs::read_to_string(&file).unwrap();
        foreign.kill();
        assert!(file.exists(), "a killed process leaves its file");
        assert_eq!(owner_of(&config, session).unwrap(), None);
        // Another process got its number: this one.
        let (then, now) = (owner.pid.to_string(), std::process::id().to_string());
        std::fs::write(&file, text.replace(&then, &now)).unwrap();
        assert_eq!(owner_of(&config, session).unwrap(), None);
        world.let_go().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_session_that_somebody_took_up_is_not_run_by_two() {
    for version in Version::ALL {
        let script = Script::new().replies([model::text("One."), model::text("Two.")]);
        let mut world = Setup::real(version).script(script).start();
        let mut talk = world.session().await;
        talk.turn("one").await;
        talk.close().await;
        let foreign = Foreign::resume(&world, agent_session(&talk));
        // A process is known by its file as soon as it has started.
        let config = world.sandbox.home().join(".claude");
        wait_until("it is known", || {
            owner_of(&config, foreign.session).unwrap().is_some()
        })
        .await;
        let pid = foreign.pid();
        let refusal = format!("process {pid} runs this session elsewhere");
        assert_eq!(refused(&talk, "two").await, refusal);
        // Something else that wants a process is told why there is none.
        let checkpoint = talk.seen.iter().find_map(|envelope| match envelope.event {
            Event::CheckpointCreated(ref created) => Some(created.checkpoint_id),
            _ => None,
        });
        let failed = talk.handle.rewind(checkpoint.unwrap(), true).await;
        assert!(
            matches!(&failed, Err(CommandError::Agent(why)) if *why == refusal),
            "{failed:?}"
        );
        foreign.end();
        talk.turn("two").await;
        world.finish().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_same_session_imported_twice_is_one() {
    let script = Script::new().replies([model::text("One.")]);
    let mut world = Setup::real(Version::V325).script(script).start();
    let foreign = Foreign::begin(&world);
    let session = foreign.session;
    foreign.turn("one");
    foreign.end();
    let folder = world.sandbox.project();
    let (one, two) = tokio::join!(
        world.supervisor.import(session, &folder),
        world.supervisor.import(session, &folder)
    );
    let id = one.unwrap().id();
    assert_eq!(two.unwrap().id(), id);
    let before = world.log(id).await;
    world.let_go().await;
    world.take_over().await;
    let again = import(&mut world, session).await;
    assert_eq!(again.id(), id);
    assert_eq!(world.log(id).await, before);
    let nobody = RealWorld.random_id();
    let missing = world.supervisor.import(nobody, &folder).await;
    assert!(
        matches!(missing, Err(SupervisorError::NoTranscript { .. })),
        "{missing:?}"
    );
    world.finish().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_killed_owner_leaves_nothing_open() {
    for version in Version::ALL {
        let script = Script::new().replies([command(FOREVER), model::text("Here again.")]);
        let mut world = Setup::real(version).script(script).start();
        let foreign = Foreign::begin(&world);
        foreign.send("wait");
        let folder = world.sandbox.project();
        let mut listed = Vec::new();
        // The first rows are written while the command runs.
        while listed.is_empty() {
            listed = world.supervisor.history(&folder).await.unwrap();
            tokio::task::yield_now().await;
        }
        let mut talk = import(&mut world, foreign.session).await;
        talk.until_seen("the command", |event| {
            matches!(event, Event::ToolRequested(_))
        })
        .await;
        foreign.kill();
        talk.until_turn_end().await;
        let ends = talk
            .seen
            .iter()
            .filter_map(|envelope| match &envelope.event {
                Event::ToolCompleted(tool) => Some(tool.is_error.to_string()),
                Event::TurnCompleted(turn) => Some(turn.stop_reason.to_string()),
                _ => None,
            });
        assert_eq!(ends.collect::<Vec<_>>(), ["true", "interrupted"]);
        talk.turn("are you there?").await;
        let logged = world.log(talk.id()).await;
        rules::check(&logged);
        world.let_go().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_next_owner_goes_on_following() {
    for version in Version::ALL {
        let script = Script::new().replies([
            model::text("One."),
            command("echo unwatched"),
            model::text("Two."),
            model::text("Three."),
        ]);
        let mut world = Setup::real(version).script(script).start();
        let foreign = Foreign::begin(&world);
        foreign.turn("one");
        let id = import(&mut world, foreign.session).await.id();
        world.let_go().await;
        foreign.turn("two");
        let taken = world.take_over().await;
        let ids: Vec<_> = taken.iter().map(SessionHandle::id).collect();
        assert_eq!(ids, [id], "what somebody runs is followed again");
        let mut talk = world.follow(taken[0].clone()).begun_elsewhere();
        let mut ends = 0;
        talk.until("the turn nobody watched", |event| {
            ends += u32::from(matches!(event, Event::TurnCompleted(_)));
            ends == 2
        })
        .await;
        foreign.turn("three");
        talk.until_turn_end().await;
        foreign.end();
        let said: Vec<_> = talk.seen.iter().filter_map(said).collect();
        assert_eq!(said, ["one", "One.", "two", "Two.", "three", "Three."]);
        world.finish().await;
    }
}

fn said(envelope: &Envelope) -> Option<&str> {
    match &envelope.event {
        Event::UserMessage(message) => Some(&message.text),
        Event::AssistantMessage(message) => Some(&message.0.content),
        _ => None,
    }
}
