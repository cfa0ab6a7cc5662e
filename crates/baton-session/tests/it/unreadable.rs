//! Live agents whose holder cannot be read: their files are damaged or gone, or
//! the holder stands still. Whatever it is, the agent can be stopped, the log
//! says what became of it, and the next message has one process and no more.

use std::{
    fs::{self, OpenOptions, Permissions},
    io::Write,
    os::unix::fs::{MetadataExt, PermissionsExt},
    path::{Path, PathBuf},
    time::Duration,
};

use baton_protocol::{
    Event,
    words::{DecidedBy, EndStatus, ErrorCode},
};
use baton_session::machine::Limits;
use baton_testkit::{
    Signal,
    model::{self},
};
use expect_test::expect;

use crate::{
    both::check_story,
    owners::{bash, taken_over},
    talk::{Talk, allow},
    world::{Setup, World, wait_until},
};

/// What happens to a holder's folder, or to the holder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Damage {
    Cut,
    Emptied,
    Flipped,
    Appended,
    JournalRemoved,
    SocketRemoved,
    SocketReplaced,
    LockRemoved,
    AgentFileRemoved,
    EverythingRemoved,
    FolderRemoved,
    Forbidden,
    Stopped,
}

impl Damage {
    fn happen(self, world: &World) {
        let dir = holder_folder(world);
        let remove = |name: &str| fs::remove_file(dir.join(name)).unwrap();
        match self {
            Self::Cut => {
                let file = OpenOptions::new().write(true).open(journal(&dir)).unwrap();
                file.set_len(file.metadata().unwrap().len() / 2).unwrap();
            }
            Self::Emptied => {
                OpenOptions::new()
                    .write(true)
                    .truncate(true)
                    .open(journal(&dir))
                    .unwrap();
            }
            Self::Flipped => {
                let bytes = fs::read(journal(&dir)).unwrap();
                let flipped: Vec<u8> = bytes.iter().map(|byte| byte ^ 0x55).collect();
                // In place: the holder has the file open.
                let mut file = OpenOptions::new().write(true).open(journal(&dir)).unwrap();
                file.write_all(&flipped).unwrap();
            }
            Self::Appended => {
                let mut file = OpenOptions::new().append(true).open(journal(&dir)).unwrap();
                // The holder writes behind it and does not know of it, so it
                // reads this where it looks for what was said since.
                file.write_all(&vec![0x55; 4 << 20]).unwrap();
            }
            Self::JournalRemoved => fs::remove_file(journal(&dir)).unwrap(),
            Self::SocketRemoved => remove("sock"),
            Self::SocketReplaced => {
                remove("sock");
                fs::write(dir.join("sock"), "not a socket").unwrap();
            }
            Self::LockRemoved => remove("lock"),
            Self::AgentFileRemoved => remove("agent"),
            Self::EverythingRemoved => {
                for entry in fs::read_dir(&dir).unwrap().flatten() {
                    let path = entry.path();
                    let removed = match path.is_dir() {
                        true => fs::remove_dir_all(path),
                        false => fs::remove_file(path),
                    };
                    removed.unwrap();
                }
            }
            Self::FolderRemoved => fs::remove_dir_all(&dir).unwrap(),
            // Root passes this, and then nothing is damaged at all.
            Self::Forbidden => fs::set_permissions(&dir, Permissions::from_mode(0o000)).unwrap(),
            Self::Stopped => world.signal_holder(Signal::STOP),
        }
    }
}

fn holder_folder(world: &World) -> PathBuf {
    let holders = world.sandbox.data().join("holders");
    let mut entries = fs::read_dir(holders).unwrap().flatten();
    entries.next().unwrap().path()
}

fn journal(dir: &Path) -> PathBuf {
    let entries = fs::read_dir(dir).unwrap().flatten();
    let mut paths = entries.map(|entry| entry.path());
    paths
        .find(|path| path.extension().is_some_and(|found| found == "journal"))
        .unwrap()
}

/// Everything that carries the mark of a holder below this world's folder.
fn marked(world: &World) -> Vec<i32> {
    let mark = format!("BATON_HOLDER={}", world.sandbox.data().display());
    let pids = fs::read_dir("/proc").unwrap().flatten();
    let pids = pids.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    pids.filter(|pid| {
        let environ = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        String::from_utf8_lossy(&environ).contains(&mark)
    })
    .collect()
}

fn is_root() -> bool {
    fs::metadata("/proc/self").unwrap().uid() == 0
}

fn runs(pid: i32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let state = stat.rsplit(')').next().unwrap_or_default().trim_start();
    !state.is_empty() && !state.starts_with(['Z', 'X'])
}

/// A turn that talks without end, with a process of its own below it.
async fn talking(world: &mut World) -> Talk {
    let mut talk = world.session().await;
    talk.ignore_live();
    talk.send("grandchild\nrate 100 per second for 3600 s")
        .await;
    until!(talk, SessionStarted);
    talk
}

/// The turn is over, the session goes on in one process, and in the end nothing
/// of the first one runs.
async fn goes_on(world: World, mut talk: Talk, before: &[i32]) -> Talk {
    talk.until_turn_end().await;
    if was_lost(&talk).is_some() {
        // The log says so, so it is so.
        assert_eq!(still_run(before), [0; 0]);
    }
    talk.turn("say two").await;
    assert_eq!(world.agent_pids().len(), 1);
    world.finish().await;
    assert_eq!(still_run(before), [0; 0]);
    talk
}

fn still_run(pids: &[i32]) -> Vec<i32> {
    pids.iter().copied().filter(|pid| runs(*pid)).collect()
}

fn was_lost(talk: &Talk) -> Option<String> {
    let mut errors = talk
        .seen
        .iter()
        .filter_map(|envelope| match &envelope.event {
            Event::Error(error) if error.code == ErrorCode::AgentLost => {
                Some(error.message.clone())
            }
            _ => None,
        });
    errors.next()
}

fn hasty(limits: &mut Limits) {
    limits.interrupt_grace = Duration::from_millis(20);
}

/// The damage happens while nobody owns the agent.
async fn without_an_owner(damage: Damage, lost: bool) {
    let mut world = Setup::fake().limits(hasty).start();
    let talk = talking(&mut world).await;
    world.let_go().await;
    let before = marked(&world);
    assert!(before.len() >= 3, "holder, agent and its child: {before:?}");
    let grown = fs::metadata(journal(&holder_folder(&world))).unwrap().len() + 20_000;
    wait_until("the agent says more", || {
        fs::metadata(journal(&holder_folder(&world))).unwrap().len() > grown
    })
    .await;
    damage.happen(&world);
    if damage == Damage::Appended {
        // Only what is said after it cannot be read.
        let length = || fs::metadata(journal(&holder_folder(&world))).unwrap().len();
        let appended = length();
        wait_until("the agent says more", || length() > appended).await;
    }
    let mut talk = taken_over(&mut world, talk).await;
    talk.ignore_live();
    talk.handle.interrupt().await.unwrap();
    let talk = goes_on(world, talk, &before).await;
    assert_eq!(was_lost(&talk).is_some(), lost, "{:#?}", talk.story());
}

/// The damage happens under the owner, who lets go only later.
async fn under_an_owner(damage: Damage) {
    let mut world = Setup::fake().limits(hasty).start();
    let talk = talking(&mut world).await;
    let before = marked(&world);
    damage.happen(&world);
    world.let_go().await;
    let mut talk = taken_over(&mut world, talk).await;
    talk.ignore_live();
    talk.handle.interrupt().await.unwrap();
    goes_on(world, talk, &before).await;
}

/// The damage happens under the owner, who goes on.
async fn with_an_owner(damage: Damage) {
    let mut world = Setup::fake().limits(hasty).start();
    let talk = talking(&mut world).await;
    let before = marked(&world);
    damage.happen(&world);
    talk.handle.interrupt().await.unwrap();
    goes_on(world, talk, &before).await;
}

macro_rules! damages {
    ($($name:ident: $damage:ident, lost: $lost:expr;)*) => {$(
        mod $name {
            use super::Damage;

            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn while_nobody_owns_it() {
                super::without_an_owner(Damage::$damage, $lost).await;
            }

            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn under_an_owner_that_goes() {
                super::under_an_owner(Damage::$damage).await;
            }

            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn under_an_owner_that_stays() {
                super::with_an_owner(Damage::$damage).await;
            }
        }
    )*};
}

damages! {
    a_cut_journal: Cut, lost: true;
    an_emptied_journal: Emptied, lost: true;
    a_flipped_journal: Flipped, lost: true;
    a_journal_with_something_appended: Appended, lost: true;
    a_removed_journal: JournalRemoved, lost: true;
    a_removed_socket: SocketRemoved, lost: true;
    a_socket_that_is_none: SocketReplaced, lost: true;
    a_removed_lock: LockRemoved, lost: true;
    a_removed_agent_file: AgentFileRemoved, lost: false;
    a_folder_without_anything: EverythingRemoved, lost: true;
    a_removed_folder: FolderRemoved, lost: true;
    a_forbidden_folder: Forbidden, lost: !super::is_root();
    a_holder_that_stands_still: Stopped, lost: true;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_open_approval_is_cancelled_with_an_agent_that_cannot_be_read() {
    let mut world = Setup::fake().start();
    let mut talk = world.session().await;
    talk.send("bash touch made").await;
    let asked = talk.until_ask().await;
    world.let_go().await;
    let before = marked(&world);
    Damage::SocketRemoved.happen(&world);
    let mut talk = taken_over(&mut world, talk).await;
    let resolved = talk.until("the approval's end", |event| {
        matches!(event, Event::ApprovalResolved(_))
    });
    let Event::ApprovalResolved(resolved) = resolved.await.event else {
        unreachable!("the condition above");
    };
    assert_eq!(resolved.approval_id, asked.approval_id);
    assert_eq!(resolved.by, DecidedBy::Cancelled);
    goes_on(world, talk, &before).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_message_that_waited_is_begun_after_the_loss() {
    let mut world = Setup::fake().limits(hasty).start();
    let talk = talking(&mut world).await;
    talk.send("say later").await;
    world.let_go().await;
    let before = marked(&world);
    Damage::JournalRemoved.happen(&world);
    let mut talk = taken_over(&mut world, talk).await;
    until!(talk, Error);
    assert!(was_lost(&talk).is_some());
    assert_eq!(still_run(&before), [0; 0]);
    until!(talk, AssistantMessage, |message| message.0.content
        == "later");
    talk.until_turn_end().await;
    world.finish().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_log_says_that_an_idle_agent_was_lost() {
    let mut world = Setup::fake().start();
    let mut talk = world.session().await;
    talk.turn("say one").await;
    world.let_go().await;
    let before = marked(&world);
    Damage::LockRemoved.happen(&world);
    let mut talk = taken_over(&mut world, talk).await;
    until!(talk, Error, |error| error.code == ErrorCode::AgentLost);
    assert_eq!(still_run(&before), [0; 0]);
    talk.turn("say two").await;
    world.finish().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_session_that_was_to_end_ends_though_its_agent_cannot_be_read() {
    let mut world = Setup::fake().start();
    let talk = talking(&mut world).await;
    let before = marked(&world);
    world.signal_holder(Signal::STOP);
    talk.handle.end(EndStatus::Stopped, "enough").await.unwrap();
    world.let_go().await;
    let mut talk = taken_over(&mut world, talk).await;
    talk.ignore_live();
    until!(talk, SessionEnded);
    assert_eq!(still_run(&before), [0; 0]);
    world.finish().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_holder_that_stands_still_is_noticed_though_nobody_asks() {
    let soon = |limits: &mut Limits| limits.holder_silence = Duration::from_millis(200);
    let mut world = Setup::fake().limits(soon).start();
    let talk = talking(&mut world).await;
    let before = marked(&world);
    world.signal_holder(Signal::STOP);
    goes_on(world, talk, &before).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_silent_agent_whose_holder_is_awake_is_left_alone() {
    let soon = |limits: &mut Limits| limits.holder_silence = Duration::from_millis(5);
    let mut world = Setup::fake().limits(soon).start();
    let mut talk = world.session().await;
    talk.send("hang").await;
    talk.until_live("Let me").await;
    let before = world.agent_pids();
    tokio::time::sleep(Duration::from_millis(300)).await;
    talk.handle.interrupt().await.unwrap();
    talk.until_turn_end().await;
    assert_eq!(was_lost(&talk), None);
    assert_eq!(world.agent_pids(), before);
    world.finish().await;
}

/// A copy of the log that was made before the agent was started is put back.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_agent_that_the_log_does_not_know_is_ended_before_another_begins() {
    let mut world = Setup::fake().limits(hasty).start();
    let log = world.sandbox.data().join("baton.db");
    let kept = world.sandbox.data().join("kept.db");
    let talk = world.session().await;
    world.supervisor.store().backup(&kept).await.unwrap();
    talk.send("rate 100 per second for 3600 s").await;
    world.has_written("content_block_delta").await;
    world.let_go().await;
    let before = marked(&world);
    assert!(before.len() >= 2, "{before:?}");
    for side in ["baton.db-wal", "baton.db-shm"] {
        fs::remove_file(world.sandbox.data().join(side)).ok();
    }
    fs::rename(kept, log).unwrap();
    let taken = world.take_over().await;
    assert_eq!(still_run(&before), [0; 0]);
    let handle = taken.into_iter().find(|handle| handle.id() == talk.id());
    let mut talk = world.follow(handle.unwrap());
    talk.turn("say two").await;
    assert_eq!(world.agent_pids().len(), 1);
    world.finish().await;
}

/// The real CLIs, with a tool that runs.
#[test]
fn a_real_agent_that_cannot_be_read_is_ended_with_its_tool() {
    for damage in [
        Damage::SocketRemoved,
        Damage::LockRemoved,
        Damage::JournalRemoved,
    ] {
        check_story(
            |setup| setup.replies([bash("touch made; sleep 1013"), model::text("second")]),
            async |world| {
                let mut talk = world.session().await;
                talk.send("go").await;
                let asked = talk.until_ask().await;
                talk.answer(&asked, allow()).await;
                let made = world.sandbox.project().join("made");
                wait_until("the command runs", || made.exists()).await;
                world.let_go().await;
                let before = marked(world);
                assert!(before.len() >= 4, "{before:?}");
                damage.happen(world);
                let mut talk = taken_over(world, talk).await;
                talk.handle.interrupt().await.unwrap();
                talk.until_turn_end().await;
                assert_eq!(still_run(&before), [0; 0], "{damage:?}");
                talk.turn("and now").await;
                assert_eq!(world.agent_pids().len(), 1, "{damage:?}");
                let (lost, story) = (was_lost(&talk).unwrap(), talk.story());
                // Why it was lost differs with the damage.
                let why = lost.rfind("lost: ").unwrap()..lost.len() - 1;
                story.replace(&lost[why], "lost: …")
            },
            expect![[r#"
                Bash: Running touch made; sleep 1013 → asked: - → allow by user → failed: The agent stopped before this tool reported a result.
                error agent_lost: the agent's process ended in the middle of the turn (lost: …)
            "#]],
        );
    }
}
