//! A script's words as inputs of the machine.

use std::{collections::BTreeMap, time::Duration};

use baton_protocol::{
    ApprovalId, Live, MessageId, RuleId, Seq, Timestamp, ToolKind,
    event::{
        AgentRetry, AssistantBlock, AssistantMessage, MemoryLost, PermissionModeChanged,
        SessionCreated, SessionOptions, SessionStarted, SubagentStarted, SubagentStopped,
        TaskUpdated, ToolRequested, UserMessage,
    },
    live::ToolProgress,
    words::{
        ApprovalKind, ClientRef, DecidedBy, EndStatus, ErrorCode, Json, MemoryLoss, Mode,
        PermissionMode, Risk, Runtime, Scope, StopReason, TaskStatus, Usage,
    },
};
use baton_rules::{By, RuleRef, Verdict};
use expect_test::Expect;
use serde_json::json;
use uuid::Uuid;

use super::{
    super::{
        Adopted, Effect, Input, Limits, Machine, Moment, ProcessEnd, Recalled, Rejected, Reply,
        Stored, Trouble, WhenBusy,
    },
    elsewhere, render,
};
use crate::{
    agents::{AgentOutput, Ask, AskDecision, ToolResult, TurnEnd, Whole},
    machine::Facts,
};

/// A machine with a clock and the names its script uses.
#[derive(Clone)]
pub(super) struct World {
    pub(super) machine: Machine,
    pub(super) now: Timestamp,
    /// The same, by a clock that nobody sets.
    pub(super) at: Timestamp,
    steps: u128,
    /// No place is left for a process.
    full: bool,
    /// The agent's requests, by the approvals they became.
    names: BTreeMap<ApprovalId, String>,
}

pub(super) type Stepped = Result<(Reply, Vec<Effect>), Rejected>;

impl World {
    pub(super) fn new(facts: Facts) -> Self {
        Self {
            machine: Machine::new(facts, limits()),
            now: Timestamp::from_millis(1_000_000),
            at: Timestamp::from_millis(1_000_000),
            steps: 0,
            full: false,
            names: BTreeMap::new(),
        }
    }

    /// Does one step.
    pub(super) fn step(&mut self, words: &str) -> Stepped {
        if let Some(seconds) = words.strip_prefix("wait ") {
            let passed = Duration::from_secs(seconds.parse().unwrap());
            self.now = self.now.plus(passed);
            self.at = self.at.plus(passed);
            return self.step("tick");
        }
        // The wall clock is set, or the computer has slept.
        if let Some(seconds) = words.strip_prefix("jump ") {
            let seconds: i64 = seconds.parse().unwrap();
            self.now = Timestamp::from_millis(self.now.as_millis() + seconds * 1000);
            return self.step("tick");
        }
        if matches!(words, "restart" | "adopt") {
            self.new_owner(words == "adopt");
            let mut effects = Vec::new();
            // As a session's task does once it has read what was left.
            if self.machine.is_unsettled() {
                let moment = self.moment();
                effects = self.machine.step(moment, Input::Tick)?.1;
            }
            return self.begin(effects, Reply::Done);
        }
        if words == "watch" {
            self.machine.watch_gate();
            return Ok((Reply::Done, Vec::new()));
        }
        if let Some(request) = words.strip_prefix("host ") {
            let (request, acts) = match request.strip_suffix(" acts") {
                Some(request) => (request, true),
                None => (request, false),
            };
            self.machine.host_answered(request.to_owned(), acts);
            return Ok((Reply::Done, Vec::new()));
        }
        if matches!(words, "full" | "room") {
            self.full = words == "full";
            return self.begin(Vec::new(), Reply::Done);
        }
        let moment = self.moment();
        let input = self.input(words);
        let (reply, effects) = self.machine.step(moment, input)?;
        self.begin(effects, reply)
    }

    fn moment(&mut self) -> Moment {
        self.steps += 1;
        Moment {
            now: self.now,
            at: self.at,
            fresh: Uuid::from_u128(self.steps),
        }
    }

    /// Begins what waits to begin, as a session's task does after each step.
    fn begin(&mut self, mut effects: Vec<Effect>, reply: Reply) -> Stepped {
        while self.machine.wants_to_begin() && (self.machine.has_process() || !self.full) {
            // Scripts name requests by their steps: this is none of them.
            let moment = Moment {
                now: self.now,
                at: self.at,
                fresh: Uuid::max(),
            };
            let (_, begun) = self.machine.step(moment, Input::Begin)?;
            effects.extend(begun);
        }
        let stepped = Ok((reply, effects));
        for effect in stepped.iter().flat_map(|(_, effects)| effects) {
            if let Effect::OpenRequest { request, approval } = effect {
                self.names.extend(approval.map(|id| (id, request.clone())));
            }
        }
        stepped
    }

    /// Another owner opens the session with what the log says. It finds the
    /// process again, or nothing.
    fn new_owner(&mut self, finds_process: bool) {
        let old = &self.machine;
        let mut new = Machine::new(old.facts().clone(), limits());
        if finds_process {
            let adopted = match old.ending.clone() {
                Some((status, reason)) => Adopted::Ending { status, reason },
                None => Adopted::Started,
            };
            let moment = Moment {
                now: self.now,
                at: self.at,
                fresh: Uuid::nil(),
            };
            let mut unconfirmed = old.life.unconfirmed.clone();
            // The next owner does not know which calls they are about.
            unconfirmed
                .values_mut()
                .for_each(|unheard| unheard.call = None);
            new.adopt(
                moment,
                adopted,
                &old.notes(moment),
                old.life.requests.clone(),
                unconfirmed,
            );
        }
        self.machine = new;
    }

    /// Does one step and says what followed.
    fn told(&mut self, words: &str) -> String {
        match self.step(words) {
            Ok((reply, effects)) => render::followed(&reply, &effects, &self.names),
            Err(rejected) => format!("refused: {}", render::refused(&rejected, &self.names)),
        }
    }

    /// The approval that the agent's request became.
    fn approval(&self, name: &str) -> ApprovalId {
        let mut names = self.names.iter().rev();
        let known = names.find(|(_, request)| *request == name);
        known.map_or(ApprovalId::from_uuid(Uuid::max()), |(id, _)| *id)
    }

    fn input(&self, words: &str) -> Input {
        let mut words = words.split(' ');
        let verb = words.next().unwrap();
        let first = words.next().unwrap_or_default();
        let second = words.next().unwrap_or_default();
        match verb {
            "allow" | "answers" | "deny" | "refuse" | "absent" => Input::Answer {
                approval: self.approval(first),
                decision: decision(verb, second),
                by: if verb == "absent" {
                    DecidedBy::Mode
                } else {
                    DecidedBy::User
                },
                client: Some(client()),
                remember: None,
            },
            "always" | "never" => Input::Answer {
                approval: self.approval(first),
                decision: decision(if verb == "always" { "allow" } else { "deny" }, ""),
                by: DecidedBy::User,
                client: Some(client()),
                remember: Some(RuleRef {
                    id: RuleId::from_uuid(Uuid::from_u128(8)),
                    text: "Bash(ls)".into(),
                    scope: second.parse().unwrap(),
                }),
            },
            _ => input(verb, first, second),
        }
    }
}

/// Runs a script and compares every step's consequences. The steps before
/// `||` lead up to the case and are left out.
#[track_caller]
#[expect(
    clippy::needless_pass_by_value,
    reason = "an expectation is written where it is given"
)]
pub(super) fn check(script: &str, expected: Expect) {
    let (before, shown) = script.split_once("||").unwrap_or(("", script));
    let mut world = World::new(Facts::default());
    for words in steps(before) {
        let followed = world.told(words);
        assert!(!followed.starts_with("refused"), "{words}: {followed}");
    }
    let mut told = String::new();
    for words in steps(shown) {
        told += &format!("{words}: {}\n", world.told(words));
    }
    expected.assert_eq(&told);
}

pub(super) fn steps(script: &str) -> impl Iterator<Item = &str> {
    let words = script.split('|').map(str::trim);
    words.filter(|words| !words.is_empty())
}

pub(super) fn limits() -> Limits {
    Limits {
        holder_silence: Duration::from_secs(60),
        approval_timeout: Some(Duration::from_secs(100)),
        question_timeout: Some(Duration::from_secs(1000)),
        interrupt_grace: Duration::from_secs(10),
        start_timeout: Duration::from_secs(60),
        reply_timeout: Duration::from_secs(30),
        turn_timeout: Some(Duration::from_secs(5000)),
        idle_timeout: Some(Duration::from_secs(20_000)),
        lifetime: Some(Duration::from_secs(50_000)),
        hang_timeout: Some(Duration::from_secs(2000)),
        process_idle: Some(Duration::from_secs(3000)),
        stop_holds: true,
        bypass_allowed: true,
        session_budget_usd: Some(5.0),
        day_budget_usd: None,
    }
}

/// `m1` and its like, as message ids.
pub(super) fn message(name: &str) -> MessageId {
    let number = name[1..].parse().unwrap();
    MessageId::from_uuid(uuid::Builder::from_random_bytes(u128::to_be_bytes(number)).into_uuid())
}

fn input(verb: &str, first: &str, second: &str) -> Input {
    match verb {
        "create" => create(first),
        "begun" | "sees" => elsewhere::seen(verb, first, second),
        "send" => send(first, second, WhenBusy::Refuse),
        "queue" => send(first, second, WhenBusy::Queue),
        "interrupt" => Input::Interrupt { by: None },
        // What a person does.
        "halt" => Input::Interrupt { by: Some(client()) },
        "kill" => Input::Kill,
        "distrust" => Input::Distrust,
        "close" => Input::Close,
        "evict" => Input::Evict,
        "hold" => Input::Hold,
        "resume" => Input::Resume,
        "end" => Input::End {
            status: EndStatus::Stopped,
            reason: "asked".into(),
        },
        "over" => Input::OverBudget {
            spent: 2.1,
            budget: 2.0,
        },
        "budget" => Input::SetBudget {
            usd: first.parse().ok(),
        },
        "forgets" => Input::Recalled(Recalled {
            elsewhere: Vec::new(),
            lost: Some(MemoryLost {
                reason: MemoryLoss::Gone,
                remedy: first.parse().unwrap(),
                after: Seq::START,
            }),
        }),
        "choose" => Input::ChooseMemory,
        "rename" => Input::Rename {
            title: first.into(),
        },
        "model" => Input::SetModel {
            model: Some(first.to_owned()).filter(|model| !model.is_empty()),
        },
        "mode" => Input::SetPermissionMode {
            mode: first.parse().unwrap(),
        },
        "rewind" | "preview" => Input::Rewind {
            checkpoint: message(first),
            dry_run: verb == "preview",
        },
        "context" => Input::ContextUsage,
        "stop" => Input::StopTask {
            task_id: first.into(),
        },
        "startfail" => Input::StartFailed(Trouble {
            code: ErrorCode::AgentMissing,
            message: "claude was not found".into(),
            hint: Some("Install it.".into()),
            detail: None,
        }),
        "unattached" => Input::NotAttached(Trouble {
            code: ErrorCode::Internal,
            message: "claude cannot be started".into(),
            hint: None,
            detail: None,
        }),
        "exit" | "lost" | "died" => Input::Exited(ProcessEnd {
            watched: verb == "died",
            stored: match second {
                "has" => Stored::Yes,
                "lacks" => Stored::No,
                _ => Stored::Unknown,
            },
            exit_code: first.parse().ok(),
            how: if verb == "lost" { "lost" } else { "exit code" }.into(),
            lost: verb == "lost",
            stderr: if verb == "died" { "" } else { second }.into(),
        }),
        "tick" => Input::Tick,
        _ => of_queue(verb, first, second)
            .unwrap_or_else(|| Input::Agent(output(verb, first, second))),
    }
}

/// What people do with messages that wait.
fn of_queue(verb: &str, first: &str, second: &str) -> Option<Input> {
    Some(match verb {
        "back" => Input::TakeBack {
            message: message(first),
            client: None,
        },
        "edit" => Input::Edit {
            message: message(first),
            text: if second == "blank" { " \n" } else { second }.into(),
            client: None,
        },
        "move" => Input::Move {
            message: message(first),
            before: (!second.is_empty()).then(|| message(second)),
            client: None,
        },
        "now" => Input::SendNow {
            message: message(first),
            client: None,
        },
        "pause" => Input::HoldQueue { client: None },
        "release" => Input::ReleaseQueue { client: None },
        _ => return None,
    })
}

pub(super) fn output(verb: &str, first: &str, second: &str) -> AgentOutput {
    match verb {
        "ready" => AgentOutput::Ready,
        "started" => AgentOutput::Started(SessionStarted {
            agent_session_id: Some("conversation".into()),
            model: Some(if first.is_empty() { "opus" } else { first }.into()),
            tools: Vec::new(),
            mcp_servers: Vec::new(),
            slash_commands: Vec::new(),
            permission_mode: Some(second.parse().unwrap_or(PermissionMode::Default)),
            agent_version: None,
            pid: None,
        }),
        "used" => AgentOutput::Spent(tokens(first.parse().unwrap())),
        "compacting" => AgentOutput::Compacting(first != "over"),
        "turn" => AgentOutput::TurnStarted,
        "taken" => AgentOutput::Taken(message(first)),
        "unstopped" => AgentOutput::Unstopped,
        "rest" => AgentOutput::AtRest,
        "result" => AgentOutput::ToolResult(ToolResult {
            tool_use_id: first.into(),
            output: if second == "long" {
                "x".repeat(70_000)
            } else {
                second.to_owned()
            },
            whole: Whole::Said,
            detail: None,
            is_error: false,
            images: Vec::new(),
            parent_tool_use_id: None,
            agent_id: None,
        }),
        "live" => AgentOutput::Live(Live::ToolProgress(ToolProgress {
            tool_use_id: first.into(),
            elapsed_ms: 1,
        })),
        "ask" => AgentOutput::Ask {
            request: first.into(),
            ask: asked(first, second),
        },
        "gate" => AgentOutput::Gate {
            request: first.into(),
            ask: asked(first, second),
        },
        "withdraw" => AgentOutput::AskWithdrawn {
            request: first.into(),
        },
        "done" | "failed" | "interrupted" => ended(verb),
        "reply" => AgentOutput::Reply {
            request: request(first),
            outcome: Ok(Json::of(&match second {
                "cannot" => json!({"canRewind": false, "error": "no such checkpoint"}),
                _ => json!({"filesChanged": ["a.txt"]}),
            })),
        },
        "replyerr" => AgentOutput::Reply {
            request: request(first),
            outcome: Err("no".into()),
        },
        "unsupported" => AgentOutput::Unsupported {
            request: first.into(),
            what: "a hook".into(),
        },
        _ => said(verb, first, second),
    }
}

fn said(verb: &str, first: &str, second: &str) -> AgentOutput {
    let parent = Some(second.to_owned()).filter(|parent| !parent.is_empty());
    match verb {
        "say" => event(AssistantMessage(AssistantBlock {
            message_id: "msg".into(),
            agent_uuid: None,
            block: 0,
            content: first.into(),
            model: None,
            usage: None,
            parent_tool_use_id: None,
            aborted: false,
        })),
        "tool" => event(ToolRequested {
            tool_use_id: first.into(),
            name: "Bash".into(),
            tool_kind: ToolKind::Shell,
            subject: Box::default(),
            input: Json::null(),
            label: String::new(),
            parent_tool_use_id: parent,
        }),
        "subagent" => event(SubagentStarted {
            agent_id: first.into(),
            agent_type: None,
            parent_tool_use_id: parent,
            description: None,
        }),
        "stopped" => event(SubagentStopped {
            agent_id: first.into(),
            agent_type: None,
            parent_tool_use_id: None,
            description: None,
            status: second.parse().unwrap_or(TaskStatus::Completed),
            result: None,
        }),
        "task" => event(TaskUpdated {
            task_id: first.into(),
            status: second.parse().unwrap_or(TaskStatus::Running),
            description: None,
            tool_use_id: None,
            summary: None,
        }),
        "retry" => event(AgentRetry {
            attempt: 1,
            delay_ms: first.parse::<u64>().unwrap() * 1000,
            reason: "overloaded".into(),
            max_attempts: None,
        }),
        "entered" => event(PermissionModeChanged {
            mode: first.parse().unwrap(),
            by: "agent".into(),
        }),
        _ => panic!("no such word: {verb}"),
    }
}

/// Our own requests are named by the step that made them.
fn request(step: &str) -> String {
    Uuid::from_u128(step[1..].parse().unwrap()).to_string()
}

pub(super) fn create(agent: &str) -> Input {
    Input::Create {
        created: SessionCreated {
            agent: if agent == "demo" { "demo" } else { "claude" }.into(),
            mode: Mode::Structured,
            runtime: if agent == "resume" {
                Runtime::Resume
            } else {
                Runtime::Streaming
            },
            cwd: "/home/user/project".into(),
            project: None,
            title: None,
            forked_from: None,
            forked_at: None,
            resumes: None,
            options: SessionOptions {
                checkpointing: Some(true).filter(|_| agent == "checkpoints"),
                permission_mode: agent.parse().ok(),
                ..SessionOptions::default()
            },
        },
        agent_session_id: Some("conversation".to_owned()).filter(|_| agent != "demo"),
    }
}

fn send(name: &str, text: &str, when_busy: WhenBusy) -> Input {
    Input::Send {
        message: UserMessage {
            message_id: message(name),
            text: match text {
                "" => "hello".into(),
                "blank" => " \n".into(),
                text => text.into(),
            },
            attachments: Vec::new(),
            queued: false,
            client: Some(client()),
        },
        when_busy,
    }
}

fn client() -> ClientRef {
    ClientRef {
        id: "c1".into(),
        name: "terminal".into(),
    }
}

fn decision(verb: &str, more: &str) -> AskDecision {
    match verb {
        "allow" => AskDecision::Allow {
            modified_input: None,
            mode: more.parse().ok(),
        },
        "answers" => AskDecision::Allow {
            modified_input: Some(json!({"answers": {"Which?": "This"}})),
            mode: None,
        },
        _ => AskDecision::Deny {
            message: more.into(),
            interrupt: verb == "refuse",
        },
    }
}

fn asked(name: &str, what: &str) -> Ask {
    let (kind, tool) = match what {
        "question" => (ApprovalKind::Question, "AskUserQuestion"),
        "plan" => (ApprovalKind::Plan, "ExitPlanMode"),
        "other" => (ApprovalKind::Other, "elicitation"),
        _ => (ApprovalKind::Tool, "Bash"),
    };
    Ask {
        kind,
        tool_use_id: Some(what.to_owned()).filter(|call| call == "t1"),
        tool_name: tool.into(),
        input: Json::of(&json!({"name": name})),
        risk: Risk::High,
        reason: None,
        agent_id: Some(what.to_owned()).filter(|agent| agent.starts_with('s')),
        verdict: verdict(what),
        held: what == "held",
        ..Ask::default()
    }
}

fn verdict(word: &str) -> Verdict {
    let rule = By::Rule(RuleRef {
        id: RuleId::from_uuid(Uuid::from_u128(7)),
        text: "Bash(ls)".into(),
        scope: Scope::Project,
    });
    match word {
        "allowed" => Verdict::Allow { by: rule },
        "bypassed" => Verdict::Allow {
            by: By::Mode(PermissionMode::BypassPermissions),
        },
        "denied" => Verdict::Deny {
            by: rule,
            message: "not here".into(),
        },
        "planning" => Verdict::Deny {
            by: By::Mode(PermissionMode::Plan),
            message: "only planning".into(),
        },
        "doubted" | "held" => Verdict::Ask {
            reason: "a rule asks".into(),
            rule: None,
        },
        _ => Verdict::Unmatched,
    }
}

fn tokens(output: u64) -> Usage {
    Usage {
        output_tokens: output,
        ..Usage::default()
    }
}

fn ended(verb: &str) -> AgentOutput {
    AgentOutput::TurnEnded(TurnEnd {
        stop_reason: (verb == "interrupted").then_some(StopReason::Interrupted),
        is_error: verb == "failed",
        cost_usd: Some(0.5),
        usage: Some(tokens(100)),
        ..TurnEnd::default()
    })
}

fn event(event: impl Into<baton_protocol::Event>) -> AgentOutput {
    AgentOutput::Event {
        event: event.into(),
        agent_id: None,
    }
}
