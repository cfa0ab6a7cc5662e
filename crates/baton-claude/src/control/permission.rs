//! Permission modes, rules and decisions.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;

use super::incoming::CanUseTool;
use crate::json::{RawJson, word_enum};

word_enum! {
    /// What the CLI may do without asking.
    PermissionMode {
        /// Ask for everything that is not read-only.
        Default = "default",
        /// File changes below the working directory run without asking.
        AcceptEdits = "acceptEdits",
        /// Plan first. It does not block by itself: an allowed tool runs.
        Plan = "plan",
        /// Everything runs without asking.
        BypassPermissions = "bypassPermissions",
        /// What is not allowed beforehand is refused without asking.
        DontAsk = "dontAsk",
        /// A model decides.
        Auto = "auto",
    }
}

word_enum! {
    /// Where a permission change is kept.
    PermissionDestination {
        /// `~/.claude/settings.json`.
        UserSettings = "userSettings",
        /// `.claude/settings.json`; ignored while the folder is not trusted.
        ProjectSettings = "projectSettings",
        /// `.claude/settings.local.json`.
        LocalSettings = "localSettings",
        /// This process only.
        Session = "session",
        /// As if given on the command line.
        CliArg = "cliArg",
    }
}

word_enum! {
    /// What a rule does with the calls it matches.
    RuleBehavior {
        /// They run.
        Allow = "allow",
        /// They are refused.
        Deny = "deny",
        /// They are asked about.
        Ask = "ask",
    }
}

/// Which calls a rule matches.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PermissionRule {
    /// The tool.
    pub tool_name: String,
    /// What its input must look like, such as `git:*`; absent means any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule_content: Option<String>,
}

/// A change to what needs asking. The CLI suggests some with each ask; send
/// back exactly the one the user picked, since the whole list may contain a
/// change of mode.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PermissionUpdate {
    /// Adds rules.
    AddRules(RulesUpdate),
    /// Replaces all rules of a behaviour.
    ReplaceRules(RulesUpdate),
    /// Takes rules away.
    RemoveRules(RulesUpdate),
    /// Changes the mode.
    SetMode {
        /// The new mode.
        mode: PermissionMode,
        /// Where it is kept.
        destination: PermissionDestination,
    },
    /// Lets the session work in more directories.
    AddDirectories(DirectoriesUpdate),
    /// Takes directories away.
    RemoveDirectories(DirectoriesUpdate),
    /// A suggestion this crate cannot read, to be sent back as it came.
    Other(RawJson),
}

/// Rules to add, replace or remove.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RulesUpdate {
    /// The rules.
    pub rules: Vec<PermissionRule>,
    /// What they do.
    pub behavior: RuleBehavior,
    /// Where they are kept.
    pub destination: PermissionDestination,
}

/// Directories to add or remove.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DirectoriesUpdate {
    /// The directories.
    pub directories: Vec<String>,
    /// Where it is kept.
    pub destination: PermissionDestination,
}

/// All fields of all updates. An unknown field makes the update
/// [`PermissionUpdate::Other`], so that nothing is lost on the way back.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct UpdateWire {
    #[serde(rename = "type")]
    kind: String,
    rules: Option<Vec<PermissionRule>>,
    behavior: Option<RuleBehavior>,
    mode: Option<PermissionMode>,
    directories: Option<Vec<String>>,
    destination: PermissionDestination,
}

impl UpdateWire {
    fn into_update(self) -> Option<PermissionUpdate> {
        let kind = self.kind.clone();
        Some(match &*kind {
            "addRules" => PermissionUpdate::AddRules(self.into_rules()?),
            "replaceRules" => PermissionUpdate::ReplaceRules(self.into_rules()?),
            "removeRules" => PermissionUpdate::RemoveRules(self.into_rules()?),
            "setMode" => PermissionUpdate::SetMode {
                mode: self.mode?,
                destination: self.destination,
            },
            "addDirectories" => PermissionUpdate::AddDirectories(self.into_directories()?),
            "removeDirectories" => PermissionUpdate::RemoveDirectories(self.into_directories()?),
            _ => return None,
        })
    }

    fn into_rules(self) -> Option<RulesUpdate> {
        Some(RulesUpdate {
            rules: self.rules?,
            behavior: self.behavior?,
            destination: self.destination,
        })
    }

    fn into_directories(self) -> Option<DirectoriesUpdate> {
        Some(DirectoriesUpdate {
            directories: self.directories?,
            destination: self.destination,
        })
    }
}

/// The same fields on the way out.
#[derive(Serialize)]
struct UpdateOut<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    rules: Option<&'a [PermissionRule]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    behavior: Option<&'a RuleBehavior>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mode: Option<&'a PermissionMode>,
    #[serde(skip_serializing_if = "Option::is_none")]
    directories: Option<&'a [String]>,
    destination: &'a PermissionDestination,
}

impl<'a> UpdateOut<'a> {
    fn new(kind: &'static str, destination: &'a PermissionDestination) -> Self {
        Self {
            kind,
            rules: None,
            behavior: None,
            mode: None,
            directories: None,
            destination,
        }
    }

    fn rules(kind: &'static str, update: &'a RulesUpdate) -> Self {
        Self {
            rules: Some(&update.rules),
            behavior: Some(&update.behavior),
            ..Self::new(kind, &update.destination)
        }
    }

    fn directories(kind: &'static str, update: &'a DirectoriesUpdate) -> Self {
        Self {
            directories: Some(&update.directories),
            ..Self::new(kind, &update.destination)
        }
    }
}

impl Serialize for PermissionUpdate {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let out = match self {
            Self::AddRules(update) => UpdateOut::rules("addRules", update),
            Self::ReplaceRules(update) => UpdateOut::rules("replaceRules", update),
            Self::RemoveRules(update) => UpdateOut::rules("removeRules", update),
            Self::SetMode { mode, destination } => UpdateOut {
                mode: Some(mode),
                ..UpdateOut::new("setMode", destination)
            },
            Self::AddDirectories(update) => UpdateOut::directories("addDirectories", update),
            Self::RemoveDirectories(update) => UpdateOut::directories("removeDirectories", update),
            Self::Other(raw) => return raw.serialize(serializer),
        };
        out.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for PermissionUpdate {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = <&RawValue>::deserialize(deserializer)?;
        let wire: Option<UpdateWire> = serde_json::from_str(raw.get()).ok();
        Ok(wire
            .and_then(UpdateWire::into_update)
            .unwrap_or_else(|| Self::Other(raw.into())))
    }
}

/// The answer to [`crate::CanUseTool`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "behavior", rename_all = "lowercase")]
pub enum PermissionDecision {
    /// The tool runs.
    #[serde(rename_all = "camelCase")]
    Allow {
        /// The whole input to run it with. Always sent: 2.1.197 takes an
        /// allow without it for a refusal.
        updated_input: RawJson,
        /// What else to allow from now on.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        updated_permissions: Vec<PermissionUpdate>,
    },
    /// The tool does not run.
    Deny {
        /// What the model is told; dropped when `interrupt` is set.
        message: String,
        /// Whether the turn ends too.
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        interrupt: bool,
    },
}

impl PermissionDecision {
    /// Lets the call run as it is.
    #[must_use]
    pub fn allow(ask: &CanUseTool) -> Self {
        Self::Allow {
            updated_input: ask.input.clone(),
            updated_permissions: Vec::new(),
        }
    }

    /// Refuses the call; the model is told why and goes on.
    #[must_use]
    pub fn deny(message: impl Into<String>) -> Self {
        Self::Deny {
            message: message.into(),
            interrupt: false,
        }
    }
}
