//! One way to put a question: rules and a call as text, the verdict as text.

use std::path::{Path, PathBuf};

use baton_protocol::words::{ApprovalKind, PermissionMode, RuleDecision, Scope};
use baton_protocol::{RuleId, ToolKind, ToolUse};
use baton_rules::{
    By, Call, FakePaths, Pattern, Plans, Resolved, Rule, Stage, Surroundings, Verdict, judge,
};
use serde_json::{Value, json};

pub(crate) const PROJECT: &str = "/home/user/proj";
pub(crate) const HOME: &str = "/home/user";
pub(crate) const PLANS: &str = "/home/user/.claude/plans";

/// The plans of an agent, of which one is the session's own.
struct Planned;

impl Plans for Planned {
    fn folder(&self) -> &Path {
        Path::new(PLANS)
    }

    fn is_own(&self, plan: &Path) -> bool {
        plan == Path::new(PLANS).join("own.md")
    }
}

/// A situation to judge calls in.
pub(crate) struct World {
    pub(crate) rules: Vec<Rule>,
    pub(crate) mode: PermissionMode,
    pub(crate) stage: Stage,
    pub(crate) kind: ApprovalKind,
    pub(crate) paths: FakePaths,
    pub(crate) extra: Vec<PathBuf>,
    pub(crate) secrets: Vec<PathBuf>,
    pub(crate) credentials: Vec<PathBuf>,
    pub(crate) obeyed: Vec<PathBuf>,
    /// Folders of the agent's own settings, beside the one in the home.
    pub(crate) settings: Vec<PathBuf>,
    /// Where the agent is, below the project.
    pub(crate) cwd: &'static str,
    /// What the agent itself found doubtful.
    pub(crate) doubt: Option<&'static str>,
    pub(crate) own_server: Option<&'static str>,
}

/// Rules as lines: `allow Bash(ls:*)`, or `deny user Read(.env)` with a scope.
pub(crate) fn world(rules: &str) -> World {
    World {
        rules: rules
            .lines()
            .filter(|line| !line.trim().is_empty())
            .map(rule)
            .collect(),
        mode: PermissionMode::Default,
        stage: Stage::Asked,
        kind: ApprovalKind::Tool,
        paths: FakePaths::default(),
        extra: Vec::new(),
        secrets: Vec::new(),
        credentials: Vec::new(),
        obeyed: Vec::new(),
        settings: Vec::new(),
        cwd: "",
        doubt: None,
        own_server: None,
    }
}

pub(crate) fn rule(line: &str) -> Rule {
    let (decision, rest) = line.trim().split_once(' ').unwrap();
    let scoped = rest
        .split_once(' ')
        .and_then(|(word, rest)| Some((word.parse::<Scope>().ok()?, rest)));
    let (scope, text) = scoped.unwrap_or((Scope::Project, rest));
    Rule {
        id: "rul_00000000000000000000000000000001"
            .parse::<RuleId>()
            .unwrap(),
        pattern: Pattern::parse(text).unwrap_or_else(|error| panic!("{text}: {error}")),
        decision: decision.parse::<RuleDecision>().unwrap(),
        scope,
    }
}

impl World {
    pub(crate) fn mode(mut self, mode: PermissionMode) -> Self {
        self.mode = mode;
        self
    }

    /// The server that Baton gave the agent.
    pub(crate) fn own_server(mut self, server: &'static str) -> Self {
        self.own_server = Some(server);
        self
    }

    pub(crate) fn before_use(mut self) -> Self {
        self.stage = Stage::BeforeUse;
        self
    }

    pub(crate) fn links<'a>(mut self, links: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        self.paths = FakePaths::with_links(links);
        self
    }

    /// Files that are there, below the project.
    pub(crate) fn files<'a>(mut self, files: impl IntoIterator<Item = &'a str>) -> Self {
        let files: Vec<_> = files
            .into_iter()
            .map(|file| format!("{PROJECT}/{file}"))
            .collect();
        self.paths = self.paths.and_files(files.iter().map(String::as_str));
        self
    }

    /// Where the agent is.
    pub(crate) const fn at(mut self, cwd: &'static str) -> Self {
        self.cwd = cwd;
        self
    }

    pub(crate) fn judge(&self, tool: &str, input: &Value) -> Verdict {
        let cwd = Path::new(PROJECT).join(self.cwd);
        let call = Call {
            cwd: &cwd,
            doubt: self.doubt,
            ..call(tool, input)
        };
        let resolved = Resolved::of(&call, &self.paths);
        let around = Surroundings {
            own_server: self.own_server,
            plans: Some(&Planned),
            extra: &self.extra,
            readable: &[],
            secrets: &self.secrets,
            credentials: &self.credentials,
            obeyed: &self.obeyed,
            settings: &self.settings,
            paths: &self.paths,
        };
        judge(
            self.stage,
            self.kind,
            self.mode,
            &self.rules,
            &resolved,
            &around,
        )
    }

    /// The verdict on a call given as `Bash ls -l`, `Edit src/x` or a tool alone.
    pub(crate) fn verdict(&self, text: &str) -> Verdict {
        let (tool, input) = input(text);
        self.judge(tool, &input)
    }

    #[track_caller]
    pub(crate) fn check(&self, text: &str, expected: &str) -> &Self {
        let verdict = self.verdict(text);
        assert_eq!(brief(&verdict), expected, "{text}\n{verdict:?}");
        self
    }
}

/// What calls of the tools in these tests are. The agents' own translations say
/// it of theirs.
pub(crate) fn what(tool: &str, input: &Value) -> ToolUse {
    let field = |name: &str| input[name].as_str().map(str::to_owned);
    let path = || Some(field("path").unwrap_or_else(|| ".".to_owned()));
    let mut what = ToolUse::default();
    let subject = &mut what.subject;
    what.kind = match tool {
        "Bash" | "Monitor" | "PowerShell" => {
            subject.command = field("command");
            subject.language = (tool == "PowerShell").then(|| tool.to_owned());
            ToolKind::Shell
        }
        "Read" | "Edit" | "Write" | "MultiEdit" => {
            subject.path = field("file_path");
            match tool {
                "Read" => ToolKind::Read,
                "Write" => ToolKind::Write,
                _ => ToolKind::Edit,
            }
        }
        "NotebookEdit" => {
            subject.path = field("notebook_path");
            ToolKind::Edit
        }
        "Glob" | "Grep" | "LS" => {
            subject.path = path();
            match tool {
                "Glob" => subject.pattern = field("pattern"),
                "Grep" => subject.query = Some(String::new()),
                _ => {}
            }
            ToolKind::Search
        }
        "WebFetch" => {
            subject.url = field("url");
            ToolKind::Fetch
        }
        "WebSearch" => {
            subject.query = Some(String::new());
            ToolKind::Fetch
        }
        "Agent" | "Task" => {
            what.is_unusual = field("isolation").is_some();
            ToolKind::Agent
        }
        "SendMessage" => ToolKind::Message,
        "AskUserQuestion" => ToolKind::Question,
        "ExitPlanMode" => ToolKind::Plan,
        "TodoWrite" | "TodoRead" | "TaskCreate" | "TaskUpdate" | "TaskList" | "TaskGet" => {
            ToolKind::Todo
        }
        "AgentOutputTool" | "BashOutput" | "CronList" | "EnterPlanMode" | "KillBash"
        | "KillShell" | "ReportFindings" | "StructuredOutput" | "TaskOutput" | "TaskStop"
        | "ToolSearch" => ToolKind::Inner,
        "CronCreate" => ToolKind::Schedule,
        "Skill" => ToolKind::Skill,
        _ if tool.contains("Mcp") => {
            subject.server = field("server");
            ToolKind::Mcp
        }
        _ if tool.starts_with("mcp__") => {
            subject.tool = Some(tool.to_owned());
            ToolKind::Mcp
        }
        _ => ToolKind::Other,
    };
    what
}

pub(crate) fn call<'a>(tool: &'a str, input: &'a Value) -> Call<'a> {
    Call {
        tool,
        what: Box::leak(Box::new(what(tool, input))),
        input,
        cwd: Path::new(PROJECT),
        moving: false,
        doubt: None,
        project: Path::new(PROJECT),
        home: Path::new(HOME),
    }
}

pub(crate) fn input(text: &str) -> (&str, Value) {
    let (tool, rest) = text.split_once(' ').unwrap_or((text, ""));
    let field = match tool {
        "Bash" | "Monitor" => "command",
        "Grep" | "LS" => "path",
        "Glob" => "pattern",
        "WebFetch" => "url",
        "NotebookEdit" | "NotebookRead" => "notebook_path",
        _ => "file_path",
    };
    let input = if rest.is_empty() {
        json!({})
    } else {
        json!({ field: rest })
    };
    (tool, input)
}

/// `allow`, `deny`, `ask` or `unmatched`, and by what.
pub(crate) fn brief(verdict: &Verdict) -> String {
    let by = |by: &By| match by {
        By::Rule(rule) => format!("{} {}", rule.scope, rule.text),
        By::Mode(mode) => mode.to_string(),
        By::Tools => "tools".to_owned(),
    };
    match verdict {
        Verdict::Allow { by: who } => format!("allow: {}", by(who)),
        Verdict::Deny { by: who, .. } => format!("deny: {}", by(who)),
        Verdict::Ask {
            rule: Some(rule), ..
        } => format!("ask: {} {}", rule.scope, rule.text),
        Verdict::Ask { rule: None, .. } => "ask".to_owned(),
        Verdict::Unmatched => "unmatched".to_owned(),
    }
}
