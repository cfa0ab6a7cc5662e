//! The process: what comes in, what is remembered, when turns begin and end.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::io::{self, BufRead as _, Write as _};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::Duration;

use serde_json::{Value, json};

use crate::messages;
use crate::options::Options;
use crate::output::Output;
use crate::prompt::Point;
use crate::tools::Backup;
use crate::transcript::{History, Transcript, session_file};

/// Lines read ahead; when full, the host's writes back up in the pipe.
const INBOX: usize = 256;

pub(crate) type Flow<T> = Result<T, Stop>;

/// Why something did not run to its end.
#[derive(Debug)]
pub(crate) enum Stop {
    /// The process ends with this code.
    Exit(u8),
    /// The process ends with this text on stderr and code 1.
    Refused(String),
    /// The running turn ends; the process goes on.
    Abort(Abort),
    Io(io::Error),
}

/// How a turn is cut short.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Abort {
    Streaming,
    Tools,
    /// By a message with priority "now".
    Urgent,
}

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// Something the engine reacts to.
pub(crate) enum EngineInput {
    Line(String),
    Eof,
    Sigint,
    /// A command ended: tool call, exit code, stdout, stderr.
    Command {
        tool: String,
        code: i32,
        stdout: String,
        stderr: String,
    },
}

/// A user message that waits for its turn.
#[derive(Debug, Clone)]
pub(crate) struct Message {
    pub(crate) uuid: String,
    pub(crate) content: Value,
}

pub(crate) struct Engine {
    pub(crate) options: Options,
    pub(crate) out: Output,
    pub(crate) sender: SyncSender<EngineInput>,
    inbox: Receiver<EngineInput>,
    pub(crate) session: String,
    pub(crate) model: String,
    pub(crate) mode: String,
    pub(crate) mode_before_plan: String,
    pub(crate) transcript: Transcript,
    seen: HashSet<String>,
    pub(crate) queue: VecDeque<Message>,
    /// Answers of the host that nobody has fetched yet.
    pub(crate) answers: HashMap<String, Value>,
    pub(crate) asked: Vec<String>,
    pub(crate) hooks: BTreeMap<String, Vec<Value>>,
    pub(crate) forward_text: bool,
    pub(crate) rules: Vec<(String, Option<String>)>,
    pub(crate) backups: Vec<(String, Vec<Backup>)>,
    /// Ended commands whose result nobody has fetched yet.
    pub(crate) commands: HashMap<String, (i32, String, String)>,
    pub(crate) background: BTreeMap<String, String>,
    pub(crate) interrupted: Option<Abort>,
    /// What an interrupt would cut short now.
    pub(crate) phase: Abort,
    pub(crate) in_turn: bool,
    pub(crate) eof: bool,
    pub(crate) wedge_next: bool,
    pub(crate) crash: Option<Point>,
    pub(crate) sigterm_exits: Arc<AtomicBool>,
    pub(crate) last_is_error: bool,
    pub(crate) api_calls: u64,
    pub(crate) tool_calls: u64,
    pub(crate) tasks: u64,
}

impl Engine {
    /// Checks the session as the CLI does, then listens to stdin and signals.
    pub(crate) fn open(options: Options) -> Flow<Self> {
        let mut out = Output::new();
        let fresh = out.ids.uuid();
        let resumed = options.resume.clone();
        let session = match (&options.session_id, &resumed) {
            (Some(id), _) => id.clone(),
            (None, Some(id)) if !options.fork => id.clone(),
            (None, _) => fresh,
        };
        let file = session_file(&options.config_dir, &options.cwd, &session);
        if resumed.is_none() && file.exists() {
            return Err(Stop::Refused(format!(
                "Error: Session ID {session} is already in use."
            )));
        }
        let (sender, inbox) = sync_channel(INBOX);
        let sigterm_exits = listen(&sender)?;
        let version = options.version;
        let mut engine = Self {
            transcript: Transcript::new(
                file,
                options.keep_transcript,
                &session,
                version.number(),
                &options.cwd,
            ),
            model: options
                .model
                .clone()
                .unwrap_or_else(|| version.default_model().to_owned()),
            mode: options.mode.clone(),
            mode_before_plan: "default".to_owned(),
            options,
            out,
            sender,
            inbox,
            session,
            sigterm_exits,
            seen: HashSet::new(),
            queue: VecDeque::new(),
            answers: HashMap::new(),
            asked: Vec::new(),
            hooks: BTreeMap::new(),
            forward_text: false,
            rules: Vec::new(),
            backups: Vec::new(),
            commands: HashMap::new(),
            background: BTreeMap::new(),
            interrupted: None,
            phase: Abort::Streaming,
            in_turn: false,
            eof: false,
            wedge_next: false,
            crash: None,
            last_is_error: false,
            api_calls: 0,
            tool_calls: 0,
            tasks: 0,
        };
        if let Some(id) = resumed {
            engine.load(&id)?;
        }
        Ok(engine)
    }

    fn load(&mut self, id: &str) -> Flow<()> {
        let file = session_file(&self.options.config_dir, &self.options.cwd, id);
        let Some(history) = History::read(&file) else {
            return self.refuse_resume(&format!("No conversation found with session ID: {id}"));
        };
        let mut leaf = history.leaf.clone();
        if let Some(at) = self.options.resume_at.clone() {
            if !history.on_active_branch(&at) {
                return self.refuse_resume(&format!("No message found with message.uuid of: {at}"));
            }
            leaf = Some(at);
        }
        if self.options.fork {
            self.transcript.fork(&history)?;
        }
        self.transcript.continue_after(leaf);
        self.seen = history.uuids;
        Ok(())
    }

    fn refuse_resume(&mut self, text: &str) -> Flow<()> {
        let line = messages::failed_start(self, text);
        self.out.line(&line)?;
        self.out.flush()?;
        Err(Stop::Refused(text.to_owned()))
    }

    /// Serves until the end of stdin, a signal or a directive.
    pub(crate) fn run(mut self) -> Flow<u8> {
        if let Some(script) = self.options.script.clone() {
            crate::script::run(&mut self, &script)?;
        }
        loop {
            if let Some(message) = self.next_message()? {
                self.turn(message)?;
            } else if self.eof && self.background.is_empty() {
                self.transcript.close()?;
                self.out.flush()?;
                return Ok(u8::from(self.last_is_error));
            } else {
                self.wait()?;
            }
        }
    }

    /// Takes everything queued as one message, as the CLI does after a turn.
    fn next_message(&mut self) -> Flow<Option<Message>> {
        let mut waiting: Vec<Message> = self.queue.drain(..).collect();
        let Some(mut last) = waiting.pop() else {
            return Ok(None);
        };
        for earlier in &waiting {
            self.replay(earlier)?;
        }
        if !waiting.is_empty() {
            waiting.push(last.clone());
            let texts: Vec<String> = waiting
                .iter()
                .map(|message| messages::text_of(&message.content))
                .collect();
            last.content = json!(texts.join("\n"));
        }
        Ok(Some(last))
    }

    /// Blocks for one input and handles it.
    pub(crate) fn wait(&mut self) -> Flow<()> {
        self.out.flush()?;
        match self.inbox.recv() {
            Ok(input) => self.handle(input),
            Err(_) => Err(Stop::Exit(1)),
        }
    }

    /// The next line of stdin, for scripts; `None` at its end.
    pub(crate) fn next_line(&mut self) -> Flow<Option<String>> {
        self.out.flush()?;
        loop {
            match self.inbox.recv() {
                Ok(EngineInput::Line(line)) => return Ok(Some(line)),
                Ok(EngineInput::Eof) | Err(_) => return Ok(None),
                Ok(EngineInput::Sigint | EngineInput::Command { .. }) => {}
            }
        }
    }

    /// Handles inputs for so long; pacing and listening in one.
    pub(crate) fn wait_at_most(&mut self, time: Duration) -> Flow<()> {
        self.out.flush()?;
        match self.inbox.recv_timeout(time) {
            Ok(input) => self.handle(input),
            Err(RecvTimeoutError::Timeout) => Ok(()),
            Err(RecvTimeoutError::Disconnected) => Err(Stop::Exit(1)),
        }
    }

    /// Handles what is there already, and ends the turn when it was interrupted.
    pub(crate) fn poll(&mut self) -> Flow<()> {
        while let Ok(input) = self.inbox.try_recv() {
            self.handle(input)?;
        }
        self.check_abort()
    }

    pub(crate) fn check_abort(&mut self) -> Flow<()> {
        match self.interrupted {
            Some(abort) => Err(Stop::Abort(abort)),
            None => Ok(()),
        }
    }

    fn handle(&mut self, input: EngineInput) -> Flow<()> {
        match input {
            EngineInput::Line(line) => self.handle_line(&line),
            EngineInput::Eof => {
                self.eof = true;
                Ok(())
            }
            EngineInput::Sigint if self.in_turn => {
                // As after end of input: this turn is the last.
                self.eof = true;
                self.interrupt(self.phase)
            }
            EngineInput::Sigint => Err(Stop::Exit(0)),
            EngineInput::Command {
                tool,
                code,
                stdout,
                stderr,
            } => {
                self.commands.insert(tool.clone(), (code, stdout, stderr));
                if self.background.contains_key(&tool) && !self.in_turn {
                    self.background_ended(&tool)?;
                }
                Ok(())
            }
        }
    }

    fn handle_line(&mut self, line: &str) -> Flow<()> {
        if line.is_empty() || (self.options.version.is_325() && line.trim().is_empty()) {
            return Ok(());
        }
        let value: Value = match serde_json::from_str(line) {
            Ok(value) => value,
            Err(error) => {
                return Err(Stop::Refused(format!(
                    "Error parsing streaming input line: {line}: {error}"
                )));
            }
        };
        match value["type"].as_str() {
            Some("user") => self.receive(&value),
            Some("control_request") if value["request"].is_object() => {
                let id = value["request_id"].as_str().unwrap_or_default();
                self.control(id, &value["request"])
            }
            Some("control_request") => Err(Stop::Exit(1)),
            Some("control_response") => {
                if self.options.replay {
                    self.out.line(&value)?;
                }
                let id = value["response"]["request_id"].as_str().unwrap_or_default();
                if self.asked.iter().any(|asked| asked == id) {
                    self.answers
                        .insert(id.to_owned(), value["response"].clone());
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn receive(&mut self, value: &Value) -> Flow<()> {
        let message = &value["message"];
        if message["role"] != "user" || message["content"].is_null() {
            return Err(Stop::Refused(
                "Error: Expected message role 'user'".to_owned(),
            ));
        }
        let uuid = value["uuid"]
            .as_str()
            .map_or_else(|| self.out.ids.uuid(), str::to_owned);
        let message = Message {
            uuid,
            content: message["content"].clone(),
        };
        if !self.seen.insert(message.uuid.clone()) {
            self.replay(&message)?;
            return self.lifecycle(&message.uuid, "completed");
        }
        self.lifecycle(&message.uuid, "queued")?;
        self.queue.push_back(message);
        if value["priority"] == "now" && self.in_turn {
            return self.interrupt(Abort::Urgent);
        }
        Ok(())
    }

    pub(crate) fn interrupt(&mut self, abort: Abort) -> Flow<()> {
        if self.in_turn {
            self.interrupted = Some(abort);
            for id in std::mem::take(&mut self.asked) {
                self.out
                    .line(&json!({"type": "control_cancel_request", "request_id": id}))?;
            }
        }
        Ok(())
    }

    /// Echoes an accepted message when the host asked for that.
    pub(crate) fn replay(&mut self, message: &Message) -> Flow<()> {
        if self.options.replay {
            let line = messages::replay(self, message);
            self.out.line(&line)?;
        }
        Ok(())
    }

    pub(crate) fn lifecycle(&mut self, uuid: &str, state: &str) -> Flow<()> {
        if self.options.version.is_325() {
            let line = json!({
                "type": "command_lifecycle", "command_uuid": uuid, "state": state,
                "uuid": self.out.ids.uuid(), "session_id": self.session,
            });
            self.out.line(&line)?;
        }
        Ok(())
    }

    /// Writes to stderr; a host that closed it does not care.
    pub(crate) fn complain(text: &str) {
        drop(writeln!(io::stderr(), "{text}"));
    }
}

/// Starts the reader of stdin and the signal handlers. The flag says whether
/// SIGTERM ends the process, with the real CLI's code.
fn listen(sender: &SyncSender<EngineInput>) -> io::Result<Arc<AtomicBool>> {
    let lines = sender.clone();
    std::thread::Builder::new().spawn(move || {
        for line in io::stdin().lock().lines() {
            // The engine is gone when nobody takes the line.
            let Ok(line) = line else { break };
            if lines.send(EngineInput::Line(line)).is_err() {
                return;
            }
        }
        drop(lines.send(EngineInput::Eof));
    })?;

    let (mut wake, woken) = UnixStream::pair()?;
    signal_hook::low_level::pipe::register(signal_hook::consts::SIGINT, woken)?;
    let signals = sender.clone();
    std::thread::Builder::new().spawn(move || {
        let mut byte = [0];
        while matches!(io::Read::read(&mut wake, &mut byte), Ok(1)) {
            if signals.send(EngineInput::Sigint).is_err() {
                return;
            }
        }
    })?;

    let exits = Arc::new(AtomicBool::new(true));
    signal_hook::flag::register_conditional_shutdown(
        signal_hook::consts::SIGTERM,
        143,
        Arc::clone(&exits),
    )?;
    Ok(exits)
}
