//! The tools: their names, what they take, and who does them.

mod activity;
mod diff;
mod issue;
mod review;
mod scripts;
mod status;

use schemars::{JsonSchema, generate::SchemaSettings};
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::{Value, json};

use crate::workspace::Workspace;

/// Why a tool has no result.
#[derive(Debug)]
pub(crate) enum ToolError {
    Unknown,
    /// In words for the agent, which may do better.
    Failed(String),
}

impl ToolError {
    pub(crate) fn new(error: impl std::fmt::Display) -> Self {
        Self::Failed(error.to_string())
    }
}

type Outcome = Result<Value, ToolError>;

/// A tool without arguments.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Nothing {}

macro_rules! tools {
    ($($name:literal($args:ty) $kind:ident = $run:path, $text:literal;)+) => {
        /// Every tool's name.
        pub const NAMES: &[&str] = &[$($name,)+];

        /// Whether a tool changes the workspace, and not only reads of it or
        /// remarks on it.
        pub fn changes_workspace(name: &str) -> bool {
            match name {
                $($name => stringify!($kind) == "writes",)+
                _ => false,
            }
        }

        /// Every tool as a client sees it.
        pub(crate) fn list() -> Vec<Value> {
            vec![$(described::<$args>($name, $text, stringify!($kind)),)+]
        }

        /// Calls a tool.
        pub(crate) async fn call(workspace: &Workspace, name: &str, arguments: &Value) -> Outcome {
            match name {
                $($name => $run(workspace, taken::<$args>(arguments)?).await,)+
                _ => Err(ToolError::Unknown),
            }
        }
    };
}

tools! {
    "get_session_status"(Nothing) reads = status::get,
        "Where this workspace stands: branch, uncommitted changes, commits ahead of and behind the target branch, and the issue being worked on.";
    "get_workspace_diff"(diff::Args) reads = diff::get,
        "What has changed in this workspace, as counts per file or as a whole diff. Compared with the target branch where there is one, else with the last commit.";
    "get_recent_activity"(activity::Args) reads = activity::get,
        "The latest commits of this workspace, the newest first.";
    "add_review_comment"(review::Add) remarks = review::add,
        "Keeps a review comment on a file or on lines of it, for people and agents to read later.";
    "list_review_comments"(review::List) reads = review::list,
        "Review comments on this workspace, the oldest first; of one file if `path` is given.";
    "resolve_review_comment"(review::Resolve) remarks = review::resolve,
        "Marks a review comment as settled, or opens it again. It stays listed; only people remove comments.";
    "get_review_comment_stats"(Nothing) reads = review::stats,
        "How many review comments each file has.";
    "get_issue_context"(issue::Get) reads = issue::get,
        "What is known about the issue being worked on, or about another one.";
    "start_issue"(issue::Start) writes = issue::start,
        "Begins work on an issue: makes its branch, or goes to it, and marks the issue as in progress.";
    "update_issue_status"(issue::Update) writes = issue::update,
        "Keeps a new status of an issue. It is kept here only; no tracker is told.";
    "get_workspace_scripts_config"(Nothing) reads = scripts::get,
        "The scripts that this workspace runs, from .baton/config.json.";
    "propose_scripts_config"(scripts::Propose) writes = scripts::propose,
        "Proposes a change of the scripts in .baton/config.json. A person must approve it.";
}

fn described<A: JsonSchema>(name: &str, text: &str, kind: &str) -> Value {
    let mut schema = SchemaSettings::draft2020_12()
        .with(|settings| settings.inline_subschemas = true)
        .into_generator()
        .into_root_schema_for::<A>()
        .to_value();
    if let Some(fields) = schema.as_object_mut() {
        fields.remove("$schema");
        fields.remove("title");
        fields.remove("description");
        fields.entry("properties").or_insert_with(|| json!({}));
    }
    json!({
        "name": name,
        "description": text,
        "inputSchema": schema,
        "annotations": {"readOnlyHint": kind == "reads", "destructiveHint": false, "openWorldHint": false},
    })
}

fn taken<A: DeserializeOwned>(arguments: &Value) -> Result<A, ToolError> {
    if !arguments.is_object() {
        return Err(ToolError::new("the arguments are one object"));
    }
    A::deserialize(arguments)
        .map_err(|error| ToolError::Failed(format!("the arguments do not fit: {error}")))
}

/// The beginning of a text, at most `limit` bytes, cut at a line's end.
fn cut(text: &str, limit: usize) -> (&str, bool) {
    if text.len() <= limit {
        return (text, false);
    }
    let head = text
        .get(..text.floor_char_boundary(limit))
        .unwrap_or_default();
    let end = head.rfind('\n').map_or(head.len(), |at| at + 1);
    (head.get(..end).unwrap_or_default(), true)
}
