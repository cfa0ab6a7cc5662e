//! Small words that several events share, and JSON carried as it came.

use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::DeserializeOwned};
use serde_json::value::RawValue;

macro_rules! word {
    ($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident = $text:literal,)+ }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
        pub enum $name { $($(#[$vdoc])* #[serde(rename = $text)] $variant,)+ }

        impl $name {
            pub const ALL: &'static [Self] = &[$(Self::$variant,)+];

            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $text,)+ }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl std::str::FromStr for $name {
            type Err = UnknownWord;

            fn from_str(text: &str) -> Result<Self, UnknownWord> {
                Self::ALL.iter().copied().find(|word| word.as_str() == text).ok_or_else(|| UnknownWord {
                    got: text.chars().take(80).collect(),
                    known: Self::ALL.iter().map(|word| word.as_str()).collect::<Vec<_>>().join(", "),
                })
            }
        }
    };
}

/// A word that is not in its list.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{got}` is none of: {known}")]
pub struct UnknownWord {
    pub got: String,
    pub known: String,
}

word!(
    /// How a session is driven.
    Mode { Structured = "structured", Terminal = "terminal", }
);
word!(
    /// How the agent's processes relate to turns.
    Runtime {
        /// One long-lived process, stdin kept open.
        Streaming = "streaming",
        /// A process per turn.
        Resume = "resume",
    }
);
word!(
    /// Where a session stands.
    SessionState {
        Starting = "starting",
        Processing = "processing",
        /// For a person: an approval, a question or a plan is open.
        Waiting = "waiting",
        Idle = "idle",
        Ended = "ended",
    }
);
word!(
    /// Where a session stands, for lists. One that is asleep has ended, but not
    /// for good: the next message wakes it.
    ListedState {
        Starting = "starting",
        Processing = "processing",
        Waiting = "waiting",
        Idle = "idle",
        Asleep = "asleep",
        /// By a person or a fault.
        Ended = "ended",
    }
);

impl ListedState {
    /// As sessions have it: the state, and of an ended one whether it is asleep.
    pub const fn parts(self) -> (SessionState, Option<bool>) {
        match self {
            Self::Starting => (SessionState::Starting, None),
            Self::Processing => (SessionState::Processing, None),
            Self::Waiting => (SessionState::Waiting, None),
            Self::Idle => (SessionState::Idle, None),
            Self::Asleep => (SessionState::Ended, Some(true)),
            Self::Ended => (SessionState::Ended, Some(false)),
        }
    }
}

word!(
    /// How a session ended.
    EndStatus {
        Completed = "completed",
        /// A person wanted it.
        Stopped = "stopped",
        Failed = "failed",
        /// It had nothing to do, or lasted long enough; the next message wakes it.
        Asleep = "asleep",
    }
);
word!(
    /// Who began a turn.
    Origin { User = "user", Agent = "agent", Schedule = "schedule", }
);
word!(
    /// Why a turn ended.
    StopReason {
        End = "end",
        Interrupted = "interrupted",
        Timeout = "timeout",
        MaxTurns = "max_turns",
        Budget = "budget",
        Error = "error",
    }
);
word!(
    /// How an agent came to lack a part of a session's past.
    MemoryLoss {
        /// Its transcript is not there.
        Gone = "gone",
        /// Its transcript ends before what the log has.
        Behind = "behind",
        /// Somebody else's process went on with another branch of it.
        Torn = "torn",
    }
);
word!(
    /// What is done about a past that the agent lacks.
    Remedy {
        /// It is given what the log has of it, with the next message.
        Log = "log",
        /// It goes on without.
        None = "none",
        /// It gets no message until a person chooses one of the others.
        Refuse = "refuse",
    }
);
word!(
    /// What a text that looks like a credential seems to be.
    SecretKind {
        Password = "password",
        /// A key or token that a machine made.
        Token = "token",
        PrivateKey = "private_key",
    }
);
word!(ApprovalKind { Tool = "tool", Question = "question", Plan = "plan", Other = "other", });
word!(
    /// How much harm a tool call could do; the warnings beside it say why.
    Risk {
        /// It is known to change nothing.
        Low = "low",
        /// It runs or changes something in the project that nobody knows.
        Medium = "medium",
        /// It looks dangerous, cannot be undone or reaches beyond the project.
        High = "high",
    }
);
word!(Decision { Allow = "allow", Deny = "deny", });
word!(
    /// What a rule says about the calls it matches.
    RuleDecision { Allow = "allow", Deny = "deny", Ask = "ask", }
);
word!(
    /// What ended an approval.
    DecidedBy { User = "user", Rule = "rule", Mode = "mode", Timeout = "timeout", Cancelled = "cancelled", }
);
word!(
    /// How far a remembered decision reaches.
    Scope { Session = "session", Project = "project", User = "user", }
);
word!(
    /// What the agent may do without asking.
    PermissionMode {
        Default = "default",
        AcceptEdits = "acceptEdits",
        Plan = "plan",
        DontAsk = "dontAsk",
        BypassPermissions = "bypassPermissions",
        Auto = "auto",
    }
);
word!(
    /// What a signed-in client may do. Each may do all that those before it may.
    AccessScope {
        /// Read.
        Observe = "observe",
        /// Steer sessions and answer approvals.
        Operate = "operate",
        /// Decide who may sign in.
        Admin = "admin",
    }
);
word!(
    /// What a device signed in with.
    SignInMethod { Pin = "pin", Token = "token", Link = "link", }
);
word!(
    /// What works beside the conversation.
    WorkKind {
        Subagent = "subagent",
        /// A command, or whatever else the agent lets run.
        Task = "task",
    }
);
word!(TaskStatus { Running = "running", Completed = "completed", Failed = "failed", Stopped = "stopped", });
word!(TodoStatus { Pending = "pending", InProgress = "in_progress", Completed = "completed", });
word!(
    /// What kind of trouble an `error` event tells of.
    ErrorCode {
        /// The agent is not signed in, or its sign-in has run out.
        Auth = "auth",
        /// The agent's program is missing or does not start.
        AgentMissing = "agent_missing",
        /// The agent's process ended when it should not have.
        AgentExited = "agent_exited",
        /// The agent or its holder vanished without a word.
        AgentLost = "agent_lost",
        /// The agent said something that is not its language.
        AgentGarbled = "agent_garbled",
        /// The agent did not answer a request in time.
        AgentSilent = "agent_silent",
        /// The agent refused a request.
        AgentRefused = "agent_refused",
        RateLimit = "rate_limit",
        Overloaded = "overloaded",
        ModelNotFound = "model_not_found",
        InvalidRequest = "invalid_request",
        Network = "network",
        Timeout = "timeout",
        Budget = "budget",
        /// A message took as many rounds of tools as it may.
        TurnLimit = "turn_limit",
        /// As many agents run as may.
        SessionLimit = "session_limit",
        Internal = "internal",
    }
);

/// Tokens counted by the model's provider.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct Usage {
    pub input_tokens: u64,
    pub output_tokens: u64,
    pub cache_read_input_tokens: u64,
    pub cache_creation_input_tokens: u64,
}

impl Usage {
    #[must_use]
    pub const fn plus(self, other: Self) -> Self {
        Self {
            input_tokens: self.input_tokens.saturating_add(other.input_tokens),
            output_tokens: self.output_tokens.saturating_add(other.output_tokens),
            cache_read_input_tokens: self
                .cache_read_input_tokens
                .saturating_add(other.cache_read_input_tokens),
            cache_creation_input_tokens: self
                .cache_creation_input_tokens
                .saturating_add(other.cache_creation_input_tokens),
        }
    }
}

/// Who did something: the screen it came from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ClientRef {
    pub id: String,
    pub name: String,
}

/// A JSON value whose text is kept as it came: tool inputs, raw messages.
pub struct Json(Box<RawValue>);

impl Json {
    /// Serialises `value`; anything that cannot be JSON becomes `null`.
    pub fn of<T: Serialize + ?Sized>(value: &T) -> Self {
        serde_json::value::to_raw_value(value).map_or_else(|_| Self::null(), Self)
    }

    pub fn null() -> Self {
        Self(RawValue::NULL.to_owned())
    }

    pub const fn from_raw(raw: Box<RawValue>) -> Self {
        Self(raw)
    }

    pub fn raw(&self) -> &RawValue {
        &self.0
    }

    pub fn text(&self) -> &str {
        self.0.get()
    }

    pub fn value(&self) -> serde_json::Value {
        serde_json::from_str(self.text()).unwrap_or(serde_json::Value::Null)
    }

    /// Reads the value as `T`, if it is one.
    pub fn parse<T: DeserializeOwned>(&self) -> Option<T> {
        serde_json::from_str(self.text()).ok()
    }
}

impl Clone for Json {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl PartialEq for Json {
    fn eq(&self, other: &Self) -> bool {
        self.text() == other.text() || self.value() == other.value()
    }
}

impl fmt::Debug for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())
    }
}

impl Serialize for Json {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Box::<RawValue>::deserialize(deserializer).map(Self)
    }
}

impl JsonSchema for Json {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Json".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"description": "Any JSON value, as the agent wrote it."})
    }
}
