//! Judging one call: everything that decides about it, taken from the session
//! at one moment. Whatever it does may look at the disk.

use std::{path::PathBuf, sync::Arc};

use baton_project::{git, profile, secrets::SecretPlaces, surface::ToolLimit};
use baton_protocol::{
    ToolKind, ToolUse,
    event::Suggestion,
    words::{ApprovalKind, PermissionMode, Risk, RuleDecision},
};
use baton_rules::{
    By, Call, RealPaths, Resolved, Rule, Stage, Surroundings, Verdict, judge, weight,
};
use serde_json::Value;

use crate::{
    agents::{AgentHome, Ask, Doubt},
    caution, folder,
    host::Host,
    preview,
};

use super::plans::OwnPlans;
use crate::actor::whereabouts::is_of_files;

/// What a session's calls are judged by.
pub(super) struct Gate {
    pub(super) mode: PermissionMode,
    pub(super) rules: Vec<Rule>,
    /// A rule that may forbid something and cannot be read.
    pub(super) broken: Option<String>,
    /// The agent runs in a mode that it may not.
    pub(super) overreaches: bool,
    pub(super) tools: ToolLimit,
    /// Scripts in the folder that its hooks and servers run.
    pub(super) scripts: Vec<PathBuf>,
    pub(super) host: Option<Arc<dyn Host>>,
    pub(super) secrets: Arc<SecretPlaces>,
    pub(super) home: Arc<AgentHome>,
    /// What the folder brought, as the running process was given it.
    pub(super) brought: Option<PathBuf>,
    pub(super) place: CallFolders,
}

impl Gate {
    /// Fills in what only the owner of the files and rules can know of a call.
    pub(super) fn weigh(&self, stage: Stage, ask: &mut Ask) {
        let input = ask.input.value();
        ask.verdict = self.verdict(stage, ask, &input);
        let planned = self.mode == PermissionMode::Plan && ask.verdict == Verdict::Unmatched;
        if planned && stage == Stage::BeforeUse && ask.what.kind.changes_file() {
            self.place.plans.will_be_written(&self.place.cwd, &input);
        }
        ask.held = stage == Stage::BeforeUse && ask.kind == ApprovalKind::Tool && self.holds(ask);
        let shown = match (&ask.verdict, stage) {
            (Verdict::Ask { .. }, _) if ask.held => true,
            // Left to the agent, which asks if it must.
            (
                Verdict::Unmatched | Verdict::Allow { .. } | Verdict::Ask { .. },
                Stage::BeforeUse,
            ) => false,
            _ => true,
        };
        if shown {
            let cwd = &self.place.project;
            let secrets = self.secrets.look();
            ask.preview = preview::preview(&ask.what, &input, cwd, &secrets);
            ask.warnings = caution::warnings(&ask.what, &input, cwd);
            ask.risk = self.risk(ask, &input);
        }
        if (stage == Stage::Asked || ask.held) && ask.kind == ApprovalKind::Tool {
            let call = self.place.call(&ask.tool_name, &ask.what, &input);
            let suggestions = baton_rules::suggestions(&call, &RealPaths);
            ask.suggestions = suggestions
                .into_iter()
                .map(|(rule, scope)| Suggestion { rule, scope })
                .collect();
        }
    }

    /// Whether a question of the agent's would be answered by somebody else: by
    /// its own classifier, or by a hook that was written while it runs.
    fn holds(&self, ask: &Ask) -> bool {
        let Verdict::Ask { reason, .. } = &ask.verdict else {
            return false;
        };
        let judged = self.mode == PermissionMode::Auto;
        (judged && reason != baton_rules::UNCOVERED) || self.home.hooks_may_answer()
    }

    pub(super) fn verdict(&self, stage: Stage, ask: &Ask, input: &Value) -> Verdict {
        let (kind, tool) = (ask.kind, ask.tool_name.as_str());
        let (mode, place) = (self.mode, &self.place);
        let call = Call {
            doubt: match &ask.doubt {
                Some(Doubt::Unchecked(why)) => Some(why),
                Some(Doubt::Settings) | None => None,
            },
            ..place.call(tool, &ask.what, input)
        };
        let resolved = Resolved::of(&call, &RealPaths);
        let host = self.host.as_deref();
        let own = host.map(Host::server);
        let of_host = own.and_then(|server| baton_rules::tool_of_server(server, tool));
        let changes = host
            .zip(of_host)
            .is_some_and(|(host, tool)| host.changes(tool));
        // What changes a workspace is as free as the agent's own tools are.
        let free = own.filter(|_| !changes);
        // A person sees a proposal in any case.
        let credentials = git::credentials(&place.project);
        let own_server = own.filter(|_| !changes || of_host == Some(PROPOSE));
        let around = self.around(own_server, &credentials);
        // A request of an unknown kind is no tool: a person reads it.
        if kind != ApprovalKind::Other && !folder::permits(&self.tools, tool, &ask.what, free) {
            return Verdict::Deny {
                by: By::Tools,
                message: format!(
                    "{tool} is not among the tools of this session. Go on without it."
                ),
            };
        }
        // What denies where nobody is asked is no rule, and Baton's own tools are
        // not held up by it; what a rule asks about is denied there all the same.
        let own_mode = match of_host {
            Some(_) if mode == PermissionMode::DontAsk => PermissionMode::Default,
            _ => mode,
        };
        let judged = judge(stage, kind, own_mode, &self.rules, &resolved, &around);
        // Where some versions decide by themselves, they are made to ask.
        let made_to_ask = mode == PermissionMode::Plan && stage == Stage::BeforeUse;
        let verdict = match of_own_tool(own, tool, judged, made_to_ask) {
            Verdict::Ask { reason, .. } => unless_quiet(mode, reason),
            decided @ (Verdict::Allow { .. } | Verdict::Deny { .. } | Verdict::Unmatched) => {
                decided
            }
        };
        // What the user told the agent itself to ask about is asked.
        let settings = ask.doubt == Some(Doubt::Settings);
        let verdict = if settings && matches!(verdict, Verdict::Unmatched | Verdict::Allow { .. }) {
            let reason = "your settings of the agent ask about it".to_owned();
            unless_quiet(mode, reason)
        } else if ask.what.kind == ToolKind::Agent && goes_by_itself(&verdict) {
            let brought = self.brought.as_deref();
            let (folder, extra) = (&place.project, &place.extra);
            let more = self
                .home
                .sub_agent_wants_more(brought, folder, extra, input);
            more.map_or(verdict, |reason| unless_quiet(mode, reason))
        } else {
            let verdict = self.unless_git_reaches_out(verdict, &ask.what);
            self.unless_folders_are_sought(verdict, &ask.what)
        };
        self.in_doubt(stage, kind, self.unless_it_moves(verdict, &ask.what))
    }

    /// The path that was judged is the file's only as long as the agent stays
    /// where it is. Nobody is asked about one that may be another by then.
    fn unless_it_moves(&self, verdict: Verdict, what: &ToolUse) -> Verdict {
        let stays = !self.place.file_may_change || !is_of_files(what.kind);
        if stays || matches!(verdict, Verdict::Deny { .. }) {
            return verdict;
        }
        let message = "Another call may change the folder first, so it is not known which file \
                       this is. Name it by its whole path.";
        Verdict::Deny {
            by: By::Mode(self.mode),
            message: message.to_owned(),
        }
    }

    /// Git only reads where a repository's own files lead it nowhere else. In
    /// bypass mode that matters where a rule is about reading.
    fn unless_git_reaches_out(&self, verdict: Verdict, what: &ToolUse) -> Verdict {
        let command = what.subject.command.as_deref().unwrap_or_default();
        let unasked =
            matches!(verdict, Verdict::Allow { by: By::Mode(_) }) || goes_by_itself(&verdict);
        let matters = self.mode != PermissionMode::BypassPermissions
            || self.rules.iter().any(forbids_reading);
        if what.kind != ToolKind::Shell || !command.contains("git") || !unasked || !matters {
            return verdict;
        }
        let shows = || command.contains("remote") && git::rewrites_with_secrets(&self.place.home);
        match git::reaches_out(&self.place.project) {
            Some(why) => {
                let reason = format!("git may show files outside the project here: {why}");
                unless_quiet(self.mode, reason)
            }
            None if self.mode != PermissionMode::BypassPermissions && shows() => {
                let reason = "your git settings put credentials into addresses".to_owned();
                unless_quiet(self.mode, reason)
            }
            None => verdict,
        }
    }

    /// Where a shell looks for folders elsewhere first, `cd sub` may lead there.
    fn unless_folders_are_sought(&self, verdict: Verdict, what: &ToolUse) -> Verdict {
        let command = what.subject.command.as_deref().unwrap_or_default();
        let unasked = match &verdict {
            Verdict::Unmatched => true,
            // A rule about commands is about this one, wherever it leads.
            Verdict::Allow { by: By::Rule(rule) } => {
                let is = |known: &Rule| known.id == rule.id && known.pattern.is_shell();
                !self.rules.iter().any(is)
            }
            Verdict::Allow { by: By::Mode(_) } => {
                let forbids = |rule: &Rule| rule.decision != RuleDecision::Allow;
                self.mode != PermissionMode::BypassPermissions || self.rules.iter().any(forbids)
            }
            Verdict::Ask { .. } => goes_by_itself(&verdict),
            Verdict::Allow { by: By::Tools } | Verdict::Deny { .. } => false,
        };
        let sought = || profile::seeks_folders(&self.place.home);
        if !unasked || what.kind != ToolKind::Shell || !goes_by_name(command) || !sought() {
            return verdict;
        }
        let reason = "your shell looks for folders elsewhere first (CDPATH); `cd ./NAME` is clear";
        unless_quiet(self.mode, reason.to_owned())
    }

    fn around<'a>(
        &'a self,
        own_server: Option<&'a str>,
        credentials: &'a [PathBuf],
    ) -> Surroundings<'a> {
        let place = &self.place;
        Surroundings {
            own_server,
            plans: Some(&place.plans),
            extra: &place.extra,
            readable: &place.readable,
            secrets: &place.secrets,
            credentials,
            obeyed: &self.scripts,
            settings: &place.settings,
            paths: &RealPaths,
        }
    }

    /// How much harm a call could do, for whoever is asked. Its warnings are
    /// there already.
    fn risk(&self, ask: &Ask, input: &Value) -> Risk {
        // Nothing is known of other requests than those for tools.
        if ask.kind == ApprovalKind::Other {
            return Risk::Medium;
        }
        let resolved = Resolved::of(
            &self.place.call(&ask.tool_name, &ask.what, input),
            &RealPaths,
        );
        let own = self.host.as_deref().map(Host::server);
        let credentials = git::credentials(&self.place.project);
        let around = self.around(own, &credentials);
        caution::risk(ask.what.kind, weight(&resolved, &around), &ask.warnings)
    }

    /// Nothing passes unasked where something that may forbid it cannot be
    /// read, or where the agent does not run as it should.
    fn in_doubt(&self, stage: Stage, kind: ApprovalKind, verdict: Verdict) -> Verdict {
        if kind != ApprovalKind::Tool
            || matches!(verdict, Verdict::Deny { .. } | Verdict::Ask { .. })
        {
            return verdict;
        }
        if let Some(rule) = &self.broken {
            let reason = format!("the rule `{rule}` cannot be read and may forbid it");
            return unless_quiet(self.mode, reason);
        }
        if stage == Stage::BeforeUse && self.overreaches {
            let reason = "the agent runs in a mode that it may not".to_owned();
            return Verdict::Ask { reason, rule: None };
        }
        verdict
    }
}

/// Whether no person looks at a call and none has made a rule for it. What
/// planning makes the agent ask about is answered without one. Bypass is the
/// one mode that is a person's word for everything.
fn goes_by_itself(verdict: &Verdict) -> bool {
    match verdict {
        Verdict::Unmatched => true,
        Verdict::Allow { by: By::Mode(mode) } => *mode != PermissionMode::BypassPermissions,
        Verdict::Ask { reason, .. } => reason == baton_rules::UNCOVERED,
        Verdict::Allow {
            by: By::Rule(_) | By::Tools,
        }
        | Verdict::Deny { .. } => false,
    }
}

/// Whether a command goes to a folder that it names without saying where it is.
fn goes_by_name(command: &str) -> bool {
    let ends = |c: char| c.is_whitespace() || ";&|(){}`".contains(c);
    let bare = command.replace(['"', '\'', '\\'], "");
    let words: Vec<&str> = bare.split(ends).filter(|word| !word.is_empty()).collect();
    let plain = |word: &str| word == "." || word == ".." || word == "~";
    let rooted = |word: &str| {
        let starts = ["/", "./", "../", "~/"];
        plain(word) || starts.iter().any(|start| word.starts_with(start))
    };
    let to = |at: usize| words.get(at + 1).copied();
    let mut cds = words.iter().enumerate();
    cds.any(|(at, word)| {
        matches!(*word, "cd" | "chdir" | "pushd") && to(at).is_some_and(|to| !rooted(to))
    })
}

fn forbids_reading(rule: &Rule) -> bool {
    rule.decision != RuleDecision::Allow && rule.pattern.to_string().starts_with("Read")
}

/// Asks, or denies where nobody is asked.
fn unless_quiet(mode: PermissionMode, reason: String) -> Verdict {
    if mode != PermissionMode::DontAsk {
        return Verdict::Ask { reason, rule: None };
    }
    let message = format!(
        "This was not run: nobody is asked in this session, and {reason}. Go on with what is \
         allowed, or say at the end what was left undone."
    );
    Verdict::Deny {
        by: By::Mode(mode),
        message,
    }
}

/// Baton's own tools need no person, whatever the agent's habits are, except
/// one: what a workspace runs is decided by a person, in every mode.
fn of_own_tool(own: Option<&str>, tool: &str, verdict: Verdict, made_to_ask: bool) -> Verdict {
    use Verdict::{Allow, Ask, Deny, Unmatched};
    let Some(own) = own.and_then(|server| baton_rules::tool_of_server(server, tool)) else {
        return verdict;
    };
    match verdict {
        Allow { .. } | Ask { .. } | Unmatched if own == PROPOSE => Ask {
            reason: "it changes what runs in this workspace".to_owned(),
            rule: None,
        },
        Ask { rule: None, .. } if made_to_ask => verdict,
        Unmatched | Ask { rule: None, .. } => Allow {
            by: By::Mode(PermissionMode::Default),
        },
        Allow { .. } | Ask { .. } | Deny { .. } => verdict,
    }
}

/// The tool whose calls a person always sees.
const PROPOSE: &str = "propose_scripts_config";

/// Where a session's calls happen.
pub(super) struct CallFolders {
    pub(super) cwd: PathBuf,
    pub(super) moving: bool,
    /// The call names a file from where the agent is, and another call may
    /// take the agent elsewhere first.
    pub(super) file_may_change: bool,
    pub(super) project: PathBuf,
    pub(super) home: PathBuf,
    pub(super) plans: OwnPlans,
    pub(super) extra: Vec<PathBuf>,
    pub(super) readable: Vec<PathBuf>,
    pub(super) secrets: Vec<PathBuf>,
    /// Folders of the user's own settings of agents.
    pub(super) settings: Vec<PathBuf>,
}

impl CallFolders {
    pub(super) fn call<'a>(
        &'a self,
        tool: &'a str,
        what: &'a ToolUse,
        input: &'a Value,
    ) -> Call<'a> {
        Call {
            tool,
            what,
            input,
            cwd: &self.cwd,
            moving: self.moving,
            doubt: None,
            project: &self.project,
            home: &self.home,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::goes_by_name;

    #[test]
    fn a_folder_is_plain_only_where_it_is_said_where_it_is() {
        for command in [
            "cd sub",
            "ls; cd sub&&cat x",
            "(cd \"sub\"; ls)",
            "cd -P sub",
            "cd -",
            "cd $X",
            "c'd' sub",
            "pushd sub",
        ] {
            assert!(goes_by_name(command), "{command}");
        }
        for command in [
            "cd",
            "cd ./sub",
            "cd ..",
            "cd /a/b && ls",
            "cd ~/x",
            "ls sub",
            "cd ../x",
        ] {
            assert!(!goes_by_name(command), "{command}");
        }
    }
}
