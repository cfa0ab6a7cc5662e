//! A sandbox, a model and a supervisor: everything a scenario lives in.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use baton_protocol::{
    Envelope, Event, RunnerId, Seq, SessionId,
    event::SessionOptions,
    words::{PermissionMode, Remedy},
};
use baton_session::{
    Defaults, Host, NewSessionSpec, PoolLimits, RealWorld, SessionHandle, Settings, Supervisor,
    World as Surroundings,
    agents::{AgentHome, AgentKind},
    machine::Limits,
};
use baton_store::{Store, StoreOptions};
use baton_testkit::{
    LIMIT, Sandbox, Signal, Version, bin, claude_cli,
    model::{ModelServer, Reply, Script},
};

use crate::{
    rules, show,
    talk::{Talk, soon},
};

/// A model both CLIs know by the same name, price and window.
pub(crate) const MODEL: &str = "claude-sonnet-4-5";

/// What a world is made of.
pub(crate) struct Setup {
    claude: PathBuf,
    script: Script,
    env: Vec<(&'static str, Option<String>)>,
    limits: Limits,
    pool: PoolLimits,
    surroundings: Arc<dyn Surroundings>,
    skill_shell: bool,
    lost_memory: Remedy,
    host: Option<Arc<dyn Host>>,
    whole: bool,
}

impl Setup {
    pub(crate) fn real(version: Version) -> Self {
        Self::of(claude_cli(version))
    }

    /// The fake CLI, which speaks as 2.1.197 unless told otherwise.
    pub(crate) fn fake() -> Self {
        Self::of(bin("fake-claude"))
    }

    /// Whatever is at this path.
    pub(crate) fn of(claude: PathBuf) -> Self {
        Self {
            claude,
            script: Script::new(),
            env: Vec::new(),
            limits: Limits::default(),
            pool: PoolLimits::default(),
            surroundings: Arc::new(RealWorld),
            skill_shell: false,
            lost_memory: Remedy::Log,
            host: None,
            whole: false,
        }
    }

    /// Logs are shown whole, with what is the same in most of them.
    pub(crate) const fn whole(mut self) -> Self {
        self.whole = true;
        self
    }

    /// Skills may run shell commands.
    pub(crate) const fn skill_shell(mut self) -> Self {
        self.skill_shell = true;
        self
    }

    /// What is done about a past that an agent lacks.
    pub(crate) const fn lost_memory(mut self, remedy: Remedy) -> Self {
        self.lost_memory = remedy;
        self
    }

    /// Gives the agents tools of its own.
    pub(crate) fn host(mut self, host: impl Host + 'static) -> Self {
        self.host = Some(Arc::new(host));
        self
    }

    /// Other surroundings for the first owner.
    pub(crate) fn surroundings(mut self, surroundings: Arc<dyn Surroundings>) -> Self {
        self.surroundings = surroundings;
        self
    }

    pub(crate) fn script(mut self, script: Script) -> Self {
        self.script = script;
        self
    }

    /// A model that says these, one after the other.
    pub(crate) fn replies(self, replies: impl IntoIterator<Item = Reply>) -> Self {
        self.script(Script::new().replies(replies))
    }

    pub(crate) fn env(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.env.push((name, Some(value.into())));
        self
    }

    pub(crate) fn without(mut self, name: &'static str) -> Self {
        self.env.push((name, None));
        self
    }

    pub(crate) fn limits(mut self, change: impl FnOnce(&mut Limits)) -> Self {
        change(&mut self.limits);
        self
    }

    /// How many processes there may be: in all, in a project, without work.
    pub(crate) fn places(mut self, sessions: usize, per_project: usize, warm: usize) -> Self {
        self.pool = PoolLimits {
            sessions,
            per_project,
            warm,
        };
        self
    }

    pub(crate) fn start(self) -> World {
        let model = ModelServer::start(self.script);
        let mut sandbox = Sandbox::new().with_model(&model);
        for (name, value) in self.env {
            sandbox = match value {
                Some(value) => sandbox.with_env(name, value),
                None => sandbox.without_env(name),
            };
        }
        let defaults = Defaults {
            skill_shell: self.skill_shell,
            lost_memory: self.lost_memory,
            ..Defaults::default()
        };
        let settings = Settings {
            defaults,
            limits: self.limits,
            pool: self.pool,
            host: self.host,
            ..Settings::default()
        };
        let supervisor = owner(&sandbox, &self.claude, &settings, self.surroundings);
        World {
            sandbox,
            model,
            supervisor,
            claude: self.claude,
            settings,
            sessions: Vec::new(),
            notes: Vec::new(),
            whole: self.whole,
        }
    }
}

/// One scenario's surroundings.
pub(crate) struct World {
    pub(crate) sandbox: Sandbox,
    pub(crate) model: ModelServer,
    pub(crate) supervisor: Supervisor,
    claude: PathBuf,
    settings: Settings,
    sessions: Vec<SessionId>,
    notes: Vec<String>,
    whole: bool,
}

impl World {
    pub(crate) async fn session(&mut self) -> Talk {
        self.session_with(|_| {}).await
    }

    pub(crate) async fn session_in(&mut self, mode: PermissionMode) -> Talk {
        self.session_with(|options| options.permission_mode = Some(mode))
            .await
    }

    pub(crate) async fn session_with(&mut self, change: impl FnOnce(&mut SessionOptions)) -> Talk {
        let mut options = SessionOptions {
            model: Some(MODEL.into()),
            ..SessionOptions::default()
        };
        change(&mut options);
        let handle = self.supervisor.create(self.spec(options)).await.unwrap();
        self.follow(handle)
    }

    /// A session in the project that is not there yet.
    pub(crate) fn spec(&self, options: SessionOptions) -> NewSessionSpec {
        NewSessionSpec {
            agent: AgentKind::Claude,
            cwd: self.sandbox.project(),
            project: None,
            title: None,
            runtime: None,
            options,
        }
    }

    /// Also shows and checks this session at the end.
    pub(crate) fn follow(&mut self, handle: SessionHandle) -> Talk {
        if !self.sessions.contains(&handle.id()) {
            self.sessions.push(handle.id());
        }
        Talk::new(handle, self.supervisor.store().clone())
    }

    /// The owner stops; the agents go on alone.
    pub(crate) async fn let_go(&self) {
        soon("the owner lets go", self.supervisor.detach()).await;
    }

    /// Becomes the next owner of the folder.
    pub(crate) async fn take_over(&mut self) -> Vec<SessionHandle> {
        self.take_over_in(Arc::new(RealWorld)).await
    }

    /// The same, in other surroundings.
    pub(crate) async fn take_over_in(
        &mut self,
        surroundings: Arc<dyn Surroundings>,
    ) -> Vec<SessionHandle> {
        self.supervisor = owner(&self.sandbox, &self.claude, &self.settings, surroundings);
        soon("the new owner takes over", self.supervisor.take_over())
            .await
            .unwrap()
    }

    /// How many processes the next owner lets run.
    pub(crate) fn set_places(&mut self, places: usize) {
        self.settings.pool = PoolLimits {
            sessions: places,
            per_project: places,
            warm: places,
        };
    }

    /// The CLI, to be started by somebody else.
    pub(crate) fn claude(&self) -> &Path {
        &self.claude
    }

    /// The log as nobody's owner, to do what an owner did in its last moment.
    pub(crate) fn store(&self) -> Store {
        open_store(&self.sandbox)
    }

    /// The agents' processes: the CLI with this sandbox's home.
    pub(crate) fn agent_pids(&self) -> Vec<i32> {
        let home = format!("HOME={}", self.sandbox.home().display());
        let program = self.claude.to_str().unwrap();
        let ours = |pid: &i32| {
            let command = read(*pid, "cmdline");
            let program_runs = command.first().is_some_and(|first| first == program);
            program_runs && read(*pid, "environ").contains(&home)
        };
        roots(&pids().filter(ours).collect::<Vec<_>>())
    }

    /// Ends the only agent as a crash would.
    pub(crate) fn kill_agent(&self) {
        signal_only(&self.agent_pids(), Signal::KILL);
    }

    /// Signals the only agent.
    pub(crate) fn signal_agent(&self, signal: Signal) {
        signal_only(&self.agent_pids(), signal);
    }

    /// Signals the only holder.
    pub(crate) fn signal_holder(&self, signal: Signal) {
        let folder = self.sandbox.data().display().to_string();
        let holds = |pid: &i32| {
            let command = read(*pid, "cmdline");
            command.iter().any(|word| word == "__holder")
                && command.iter().any(|word| word.contains(&folder))
        };
        signal_only(&roots(&pids().filter(holds).collect::<Vec<_>>()), signal);
    }

    /// Waits until the CLI has told of the end of the model's answer. It begins
    /// a call before that, and a stop in between leaves the answer uncounted.
    pub(crate) async fn answer_is_whole(&self) {
        self.has_written("message_stop").await;
    }

    /// Waits until an agent that runs has written `text`, on either of its outputs.
    pub(crate) async fn has_written(&self, text: &str) {
        let holders = self.sandbox.data().join("holders");
        wait_until(text, || written(&holders, text)).await;
    }

    /// Waits until the CLI has stored `text`. Before that a turn with a tool
    /// call is not gone on with when its process is lost.
    pub(crate) async fn transcript_has(&self, text: &str) {
        let folder = self.sandbox.home().join(".claude/projects");
        wait_until(text, || written(&folder, text)).await;
    }

    /// Waits until the CLI has stored what it said last. 2.1.197 does so a moment
    /// after it has told of it, and one that is killed before lacks it.
    pub(crate) async fn remembers(&self, talk: &Talk) {
        let said = talk.seen.iter().rev().find_map(|one| match &one.event {
            Event::AssistantMessage(said) => said.0.agent_uuid.clone(),
            _ => None,
        });
        self.transcript_has(&said.unwrap()).await;
    }

    /// A line of the scenario's own in what is shown.
    pub(crate) fn note(&mut self, note: impl Into<String>) {
        self.notes.push(note.into());
    }

    pub(crate) async fn log(&self, session: SessionId) -> Vec<Envelope> {
        let store = self.supervisor.store();
        let mut log = Vec::new();
        let mut after = Seq::START;
        loop {
            let page = store.read_after(session, after, 500).await.unwrap();
            let Some(last) = page.last() else {
                return log;
            };
            after = last.seq;
            log.extend(page.iter().map(|stored| stored.envelope().unwrap()));
        }
    }

    /// Lets every process end, checks every log, and returns them as text,
    /// with what the model was told.
    pub(crate) async fn finish(self) -> String {
        let mut logs = Vec::new();
        for session in &self.sessions {
            let handle = self.supervisor.open(*session).await.unwrap();
            // An ended session refuses this, but has no process either.
            handle.close().await.ok();
            let gone = handle.wait_for(|progress| !progress.has_process);
            soon("the agent ends", gone).await;
            logs.push(self.log(*session).await);
        }
        for log in &logs {
            rules::check(log);
        }
        let holders = self.supervisor.store().holders().await.unwrap();
        assert!(holders.is_empty(), "holders are left: {holders:?}");
        self.model.assert_finished();
        let shown = show::all(
            &self.sandbox,
            &logs,
            &self.notes,
            &self.model.requests(),
            self.whole,
        );
        soon("the owner lets go", self.supervisor.detach()).await;
        shown
    }
}

fn owner(
    sandbox: &Sandbox,
    claude: &Path,
    settings: &Settings,
    surroundings: Arc<dyn Surroundings>,
) -> Supervisor {
    let store = open_store(sandbox);
    let env = sandbox.env().iter();
    let home = AgentHome {
        baton: bin("baton"),
        holder_command: "__holder".into(),
        demo_command: "__demo".into(),
        claude: Some(claude.to_owned()),
        claude_named: false,
        claude_config: sandbox.home().join(".claude"),
        env: env
            .map(|(name, value)| (name.into(), value.into()))
            .collect(),
        demo_pace: std::time::Duration::ZERO,
    };
    let holders = sandbox.data().join("holders");
    let new = Supervisor::new(store, surroundings, home, holders, settings.clone());
    // Worlds are made in the middle of scenarios, each of which has threads to spare.
    tokio::task::block_in_place(|| tokio::runtime::Handle::current().block_on(new)).unwrap()
}

/// Whether a file below `folder` holds `text`.
fn written(folder: &Path, text: &str) -> bool {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths = entries.map(|entry| entry.path());
    paths.any(|path| {
        if path.is_dir() {
            return written(&path, text);
        }
        let bytes = std::fs::read(&path).unwrap_or_default();
        // A row that is not whole yet counts for nothing after a kill.
        let rows = path.extension().is_some_and(|end| end == "jsonl");
        let whole = bytes.iter().rposition(|byte| *byte == b'\n').unwrap_or(0);
        let end = if rows { whole } else { bytes.len() };
        String::from_utf8_lossy(&bytes[..end]).contains(text)
    })
}

fn pids() -> impl Iterator<Item = i32> {
    let entries = std::fs::read_dir("/proc").unwrap().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

/// The command lines of all processes that name a path, words apart.
pub(crate) fn command_lines(path: &str) -> Vec<String> {
    let lines = pids().map(|pid| read(pid, "cmdline").join(" "));
    lines.filter(|line| line.contains(path)).collect()
}

/// Those that are not children of the others: until a child becomes another
/// program it looks just like its parent.
fn roots(pids: &[i32]) -> Vec<i32> {
    let parent = |pid: i32| {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        let (_, fields) = stat.rsplit_once(')')?;
        fields.split_ascii_whitespace().nth(1)?.parse().ok()
    };
    let is_root = |pid: &i32| parent(*pid).is_none_or(|parent: i32| !pids.contains(&parent));
    pids.iter().copied().filter(is_root).collect()
}

/// The words of one of a process's files; none once it is gone.
fn read(pid: i32, file: &str) -> Vec<String> {
    let text = std::fs::read(format!("/proc/{pid}/{file}")).unwrap_or_default();
    let words = text.split(|byte| *byte == 0);
    words
        .map(|word| String::from_utf8_lossy(word).into_owned())
        .collect()
}

fn signal_only(pids: &[i32], signal: Signal) {
    let [pid] = pids else {
        panic!("not one process: {pids:?}");
    };
    baton_testkit::send_signal(*pid, signal);
}

fn open_store(sandbox: &Sandbox) -> Store {
    let options = StoreOptions::new(RunnerId::from_uuid(RealWorld.id()));
    Store::open(&sandbox.data().join("baton.db"), &options).unwrap()
}

/// Polls: files and foreign processes tell nobody when they change.
pub(crate) async fn wait_until(what: &str, mut holds: impl FnMut() -> bool) {
    let poll = async {
        while !holds() {
            tokio::time::sleep(std::time::Duration::from_millis(10)).await;
        }
    };
    let waited = tokio::time::timeout(LIMIT, poll).await;
    assert!(waited.is_ok(), "waited in vain until {what}");
}
