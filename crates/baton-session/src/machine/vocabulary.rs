//! What goes into the machine and what comes out: the closed lists.

use std::time::Duration;

use baton_protocol::{
    ApprovalId, BlobId, Event, Live, MessageId, Timestamp, Turn,
    event::{ApprovalResolved, ErrorRaised, Moved, SessionCreated, SessionOptions, UserMessage},
    words::{
        ApprovalKind, ClientRef, DecidedBy, EndStatus, ErrorCode, Json, MemoryLoss, PermissionMode,
        RuleDecision, SessionState,
    },
};
use baton_rules::RuleRef;
use uuid::Uuid;

use super::{memory::Recalled, observed::Observed};
use crate::agents::{AgentCommand, AgentOutput, AskDecision};

/// Times that govern a session.
#[derive(Debug, Clone, PartialEq)]
pub struct Limits {
    /// How long a tool approval waits; none is for ever.
    pub approval_timeout: Option<Duration>,
    /// How long questions and plans wait.
    pub question_timeout: Option<Duration>,
    /// How long an agent may take to obey an interrupt before it is killed.
    pub interrupt_grace: Duration,
    /// How long a process may take from its start until it takes prompts.
    pub start_timeout: Duration,
    /// How long an agent may take to answer a request.
    pub reply_timeout: Duration,
    /// How long a turn may take. This and the next two stand still while a
    /// person is asked.
    pub turn_timeout: Option<Duration>,
    /// How long a session may have nothing to do before it ends.
    pub idle_timeout: Option<Duration>,
    /// How long a session may live before it ends.
    pub lifetime: Option<Duration>,
    /// How long an agent may be silent when it should be at work.
    pub hang_timeout: Option<Duration>,
    /// How long an agent's holder may give nothing in a turn before it is asked
    /// whether it is awake.
    pub holder_silence: Duration,
    /// How long a process without work is kept.
    pub process_idle: Option<Duration>,
    /// Whether what waits is held when somebody stops a turn. Not where nobody
    /// could let it go on.
    pub stop_holds: bool,
    /// Whether a session may be created without permission checks.
    pub bypass_allowed: bool,
    /// What a session may cost unless it was created with another budget.
    pub session_budget_usd: Option<f64>,
    /// What all sessions together may cost in a day.
    pub day_budget_usd: Option<f64>,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            approval_timeout: None,
            question_timeout: Some(Duration::from_secs(24 * 60 * 60)),
            interrupt_grace: Duration::from_secs(10),
            start_timeout: Duration::from_secs(60),
            reply_timeout: Duration::from_secs(60),
            turn_timeout: Some(Duration::from_secs(30 * 60)),
            idle_timeout: Some(Duration::from_secs(30 * 60)),
            lifetime: Some(Duration::from_secs(4 * 60 * 60)),
            hang_timeout: Some(Duration::from_secs(300)),
            holder_silence: Duration::from_secs(60),
            process_idle: Some(Duration::from_secs(300)),
            stop_holds: true,
            bypass_allowed: true,
            session_budget_usd: None,
            day_budget_usd: None,
        }
    }
}

impl Limits {
    /// How long a request of this kind waits for a person.
    pub(super) const fn of_asking(&self, kind: ApprovalKind) -> Option<Duration> {
        match kind {
            ApprovalKind::Question | ApprovalKind::Plan => self.question_timeout,
            ApprovalKind::Tool | ApprovalKind::Other => self.approval_timeout,
        }
    }
}

/// When a step happens, and one id it may use.
#[derive(Debug, Clone, Copy)]
pub struct Moment {
    /// By the wall clock: what events are stamped with.
    pub now: Timestamp,
    /// By a clock that nobody sets and that sleeps with the computer: what
    /// deadlines and durations are counted by.
    pub at: Timestamp,
    pub fresh: Uuid,
}

/// Everything that can change a session: the closed list.
#[derive(Debug, Clone, PartialEq)]
pub enum Input {
    Create {
        created: SessionCreated,
        agent_session_id: Option<String>,
    },
    /// The machine says whether it is queued.
    Send {
        message: UserMessage,
        when_busy: WhenBusy,
    },
    TakeBack {
        message: MessageId,
        client: Option<ClientRef>,
    },
    /// Other words for a message that waits.
    Edit {
        message: MessageId,
        text: String,
        client: Option<ClientRef>,
    },
    /// Another place among those that wait: before that one, or at the end.
    Move {
        message: MessageId,
        before: Option<MessageId>,
        client: Option<ClientRef>,
    },
    /// Begins a message that waits as soon as can be; a running turn is stopped
    /// for it.
    SendNow {
        message: MessageId,
        client: Option<ClientRef>,
    },
    /// What waits now is not begun before somebody lets it go on.
    HoldQueue {
        client: Option<ClientRef>,
    },
    ReleaseQueue {
        client: Option<ClientRef>,
    },
    Answer {
        approval: ApprovalId,
        decision: AskDecision,
        by: DecidedBy,
        client: Option<ClientRef>,
        /// Answers questions of this kind from now on.
        remember: Option<RuleRef>,
    },
    /// Stops the running turn, or what goes on in the background where none runs.
    /// Where somebody wants that, what waits is held for them.
    Interrupt {
        by: Option<ClientRef>,
    },
    /// Ends the process of the running turn without waiting for it to obey.
    Kill,
    /// The folder is no longer trusted that its process was started in: the
    /// process and the turn in it end without being asked.
    Distrust,
    /// Closes an idle process; the session stays.
    Close,
    /// Closes a process that nothing is left for: its place is wanted.
    Evict,
    /// Begins nothing that waits from here on: the owner is about to end. What
    /// waits stays for the next owner.
    Hold,
    End {
        status: EndStatus,
        reason: String,
    },
    /// Takes an ended session up again.
    Resume,
    /// Records why something could not be done.
    Tell(ErrorRaised),
    /// Runs with these options from the next process on.
    SetOptions(Box<SessionOptions>),
    /// What the session may cost in all; none is as the settings say.
    SetBudget {
        usd: Option<f64>,
    },
    /// Somebody has chosen what is done about a past that the agent lacks; that
    /// was recorded before.
    ChooseMemory,
    /// All sessions together have spent what the day may cost.
    OverBudget {
        spent: f64,
        budget: f64,
    },
    Rename {
        title: String,
    },
    /// The folder of its project was moved.
    Follow(Box<Moved>),
    SetModel {
        model: Option<String>,
    },
    SetPermissionMode {
        mode: PermissionMode,
    },
    Rewind {
        checkpoint: MessageId,
        dry_run: bool,
    },
    ContextUsage,
    /// Asks which MCP servers the agent has, and how they are.
    McpStatus,
    /// Ends one sub-agent or background command.
    StopTask {
        task_id: String,
    },
    /// What the agent said.
    Agent(AgentOutput),
    /// What somebody else's process did, in the order it happened.
    Observed(Vec<Observed>),
    /// What the agent's own records were found to hold, before a process is
    /// started on them.
    Recalled(Recalled),
    /// Somebody else's process went on with the conversation that the idle
    /// process at hand has in mind.
    Outdated,
    /// What waits cannot begin yet, and is tried again a little later; why, if
    /// that was not told before.
    Wait(Option<Trouble>),
    /// The agent's process could not be started.
    StartFailed(Trouble),
    /// It was started, could not be spoken to, and was ended.
    NotAttached(Trouble),
    /// The agent's process has ended.
    Exited(ProcessEnd),
    /// There is a place for what [`super::Machine::wants_to_begin`].
    Begin,
    /// Time has passed.
    Tick,
}

/// What becomes of a message to a busy session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WhenBusy {
    Refuse,
    Queue,
}

/// Why something did not work, in words for a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trouble {
    pub code: ErrorCode,
    pub message: String,
    pub hint: Option<String>,
    pub detail: Option<String>,
}

impl Trouble {
    pub(super) fn told(self) -> ErrorRaised {
        ErrorRaised {
            code: self.code,
            message: self.message,
            hint: self.hint,
            retryable: true,
            retry_at: None,
            detail: self.detail,
        }
    }
}

/// How an agent's process ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProcessEnd {
    pub exit_code: Option<i32>,
    /// In words: `exit code 1`, `killed by signal 9`, `lost`.
    pub how: String,
    /// The holder or the machine went away with it.
    pub lost: bool,
    pub stderr: String,
    /// It ended before our eyes, not while nobody was here.
    pub watched: bool,
    /// Whether the agent has stored the message that was running.
    pub stored: Stored,
}

/// What an agent's own records say of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stored {
    /// It keeps none that could be read.
    Unknown,
    No,
    Yes,
}

/// Something to be done, in order.
#[derive(Debug, Clone, PartialEq)]
pub enum Effect {
    /// Commit this event. Nothing after it happens before.
    Record {
        event: Event,
        turn: Turn,
        agent_id: Option<String>,
    },
    /// What follows happened then, not now.
    At(Timestamp),
    /// Commit these bytes with the events.
    Blob {
        id: BlobId,
        media_type: String,
        bytes: Vec<u8>,
    },
    /// Commit the rule that an answer is remembered by, unless it is there.
    AddRule {
        rule: RuleRef,
        decision: RuleDecision,
        client: Option<ClientRef>,
        approval: ApprovalId,
    },
    /// Remember that the agent waits for an answer.
    OpenRequest {
        request: String,
        /// None for one that no person is asked about.
        approval: Option<ApprovalId>,
    },
    /// Remember what becomes of such a request.
    CloseRequest {
        request: String,
        close: CloseRequest,
    },
    /// Show this.
    Live(Live),
    /// Start a process.
    Start,
    /// Tell the agent.
    Tell(AgentCommand),
    /// Commit that the session is to end with its process.
    RememberEnd { status: EndStatus, reason: String },
    /// Close the agent's stdin, so that it ends when it is done.
    CloseStdin,
    /// End the process and everything it started. One with work under way is
    /// not let finish first: nobody could hear what it asks.
    Kill { has_work: bool },
    /// Give the asker of a request the agent's answer.
    Settled {
        request: String,
        outcome: Result<Json, String>,
    },
}

/// What becomes of a request of the agent.
#[derive(Debug, Clone, PartialEq)]
pub enum CloseRequest {
    /// It is answered, and the answer is sent again after a restart until
    /// it is confirmed.
    Answered(Json),
    /// The agent has gone on, so it has the answer.
    Confirmed,
    /// Nobody waits for the answer any more.
    Dropped,
}

/// What the asker learns at once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reply {
    Done,
    Message {
        message_id: MessageId,
        turn: Option<Turn>,
        state: SessionState,
    },
    /// The answer comes as [`Effect::Settled`] with this id.
    Later {
        request: String,
    },
}

/// A refused command: the session is as it was.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Rejected {
    #[error("the message is empty")]
    Empty,
    #[error("turn {turn} is still running")]
    Busy { turn: Turn },
    #[error("the session has ended")]
    Ended,
    #[error("message {id} was already sent with other text")]
    MessageConflict { id: MessageId },
    #[error("message {id} is not waiting in the queue")]
    NotQueued { id: MessageId },
    #[error("no sub-agent or background command {task_id} is at work in this session")]
    UnknownTask { task_id: String },
    #[error("no approval {approval} in this session")]
    UnknownApproval { approval: ApprovalId },
    #[error("approval {} is already {}", .0.approval_id, crate::views::decided::decision_words(.0, ApprovalKind::Other, None))]
    AlreadyAnswered(Box<ApprovalResolved>),
    #[error("a question can only be allowed together with its answers")]
    AnswersMissing,
    #[error("this agent cannot do that: {what}")]
    Unsupported { what: &'static str },
    #[error("bypassPermissions must be chosen when the session is created")]
    BypassNotChosen,
    #[error("process {pid} runs this session elsewhere")]
    OwnedElsewhere { pid: i32 },
    #[error("{}", super::memory::in_words(*reason))]
    MemoryLost { reason: MemoryLoss },
    #[error("the session's history is still being read")]
    BeingRead,
    #[error("the session runs here")]
    RunsHere,
    #[error("turn {turn} runs in a process that is not Baton's; stop it where it runs")]
    RunsElsewhere { turn: Turn },
    #[error("bypassPermissions is switched off by the setting agent.allowBypass")]
    BypassForbidden,
    #[error("the budget of {which} is spent: {} of {}", dollars(*spent), dollars(*budget))]
    BudgetSpent {
        which: &'static str,
        spent: f64,
        budget: f64,
    },
    #[error("a question or a plan is answered once; only tool calls can be remembered")]
    CannotRemember,
    #[error("{0}")]
    BadRule(String),
    #[error("the rule {rule} denies this input")]
    DeniedByRule { rule: String },
    #[error("the message names {path} with @, and {why}")]
    MentionDenied { path: String, why: String },
    #[error("/{command} is not sent to the agent: {why}")]
    CommandRefused { command: String, why: &'static str },
}

impl Rejected {
    /// The refusal as an event, for those that a person must act on.
    pub fn told(&self) -> ErrorRaised {
        let (code, hint) = if matches!(self, Self::BudgetSpent { .. }) {
            (ErrorCode::Budget, self.budget_hint())
        } else {
            (
                ErrorCode::InvalidRequest,
                "Check the request and try again.",
            )
        };
        ErrorRaised {
            code,
            message: self.to_string(),
            hint: Some(hint.into()),
            retryable: true,
            retry_at: None,
            detail: None,
        }
    }
}

/// What a person can do where the day's budget is spent.
pub const DAY_IS_SPENT: &str =
    "Wait until tomorrow, or raise agent.budgetUsdPerDay; what waits goes on then.";

impl Rejected {
    /// What a person can do about a budget that is spent.
    pub const fn budget_hint(&self) -> &'static str {
        if matches!(self, Self::BudgetSpent { which, .. } if matches!(which.as_bytes(), b"this day"))
        {
            DAY_IS_SPENT
        } else {
            "Raise it with `baton budget SESSION AMOUNT`, or in the page's menu of the session; what \
             waits goes on then."
        }
    }
}

/// An amount; one below a cent with the digits that tell it from nothing.
fn dollars(amount: f64) -> String {
    if amount <= 0.0 || amount >= 0.01 {
        return format!("${amount:.2}");
    }
    let text = format!("{amount:.6}");
    format!("${}", text.trim_end_matches('0').trim_end_matches('.'))
}

#[cfg(test)]
mod tests {
    use super::dollars;

    #[test]
    fn an_amount_below_a_cent_is_more_than_nothing() {
        let texts = [0.0, 5.0, 0.013, 0.0008, 0.0001, 0.002_514].map(dollars);
        let wanted = ["$0.00", "$5.00", "$0.01", "$0.0008", "$0.0001", "$0.002514"];
        assert_eq!(texts, wanted);
    }
}
