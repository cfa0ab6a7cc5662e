//! Tool calls: each begins once and ends once.

use std::{collections::BTreeMap, time::Duration};

use baton_protocol::{
    ApprovalId, Timestamp,
    event::{ToolCompleted, ToolRequested},
    words::Json,
};

use super::Output;
use crate::output::{HookPostTool, HookPreTool, ToolEnd, ToolProgress, ToolStart};

/// How often a call that still runs is told of.
const PROGRESS: Duration = Duration::from_secs(2);

/// How much of an output its summary is.
const SUMMARY: usize = 200;

/// The calls under way.
#[derive(Debug, Default)]
pub(super) struct Tools {
    open: BTreeMap<String, Open>,
}

#[derive(Debug)]
struct Open {
    name: String,
    input: Json,
    agent_id: Option<String>,
    parent: Option<String>,
    since: Timestamp,
    /// When it was last told of.
    told: Timestamp,
    /// It does not run before this is answered, and since when it waits.
    asked: Option<(ApprovalId, Timestamp)>,
}

impl Tools {
    pub(super) fn is_empty(&self) -> bool {
        self.open.is_empty()
    }

    /// What a call under way was given.
    pub(super) fn input(&self, tool_use_id: &str) -> Option<&Json> {
        self.open.get(tool_use_id).map(|open| &open.input)
    }

    pub(super) fn requested(
        &mut self,
        at: Timestamp,
        call: &ToolRequested,
        agent_id: Option<String>,
        out: &mut Vec<Output>,
    ) {
        if self.open.contains_key(&call.tool_use_id) {
            return;
        }
        out.push(
            HookPreTool {
                tool_use_id: call.tool_use_id.clone(),
                tool_name: call.name.clone(),
                input: call.input.clone(),
                agent_id: agent_id.clone(),
            }
            .into(),
        );
        out.push(
            ToolStart {
                tool_use_id: call.tool_use_id.clone(),
                name: call.name.clone(),
                input: call.input.clone(),
                label: call.label.clone(),
                agent_id: agent_id.clone(),
                parent_tool_use_id: call.parent_tool_use_id.clone(),
            }
            .into(),
        );
        let open = Open {
            name: call.name.clone(),
            input: call.input.clone(),
            agent_id,
            parent: call.parent_tool_use_id.clone(),
            since: at,
            told: at,
            asked: None,
        };
        self.open.insert(call.tool_use_id.clone(), open);
    }

    /// A call waits for an answer.
    pub(super) fn asked(&mut self, at: Timestamp, approval: ApprovalId, tool_use_id: &str) {
        if let Some(open) = self.open.get_mut(tool_use_id) {
            open.asked = Some((approval, at));
        }
    }

    /// It has its answer: the wait was none of its own time.
    pub(super) fn answered(&mut self, at: Timestamp, approval: ApprovalId) {
        for open in self.open.values_mut() {
            if let Some((_, since)) = open.asked.take_if(|(asked, _)| *asked == approval) {
                open.since = open.since.plus(at.since(since));
                open.told = at;
            }
        }
    }

    pub(super) fn completed(
        &mut self,
        done: &ToolCompleted,
        agent_id: Option<String>,
        out: &mut Vec<Output>,
    ) {
        if !self.open.contains_key(&done.tool_use_id) {
            // An end without a beginning gets one, so that the two still pair.
            let call = ToolRequested {
                tool_kind: Default::default(),
                subject: Default::default(),
                tool_use_id: done.tool_use_id.clone(),
                name: done.name.clone(),
                input: Json::null(),
                label: done.name.clone(),
                parent_tool_use_id: done.parent_tool_use_id.clone(),
            };
            self.requested(Timestamp::from_millis(0), &call, agent_id.clone(), out);
        }
        let open = self.open.remove(&done.tool_use_id);
        let agent_id = open.and_then(|open| open.agent_id).or(agent_id);
        let summary = summary(&done.output);
        out.push(
            HookPostTool {
                tool_use_id: done.tool_use_id.clone(),
                tool_name: done.name.clone(),
                failed: done.is_error,
                error: done.is_error.then(|| summary.clone()),
                duration_ms: done.duration_ms,
                agent_id: agent_id.clone(),
            }
            .into(),
        );
        out.push(
            ToolEnd {
                tool_use_id: done.tool_use_id.clone(),
                name: done.name.clone(),
                success: !done.is_error,
                summary,
                output: done.output.clone(),
                images: done.images.iter().map(ToString::to_string).collect(),
                truncated: done.truncated.then_some(true),
                duration_ms: done.duration_ms,
                agent_id,
                parent_tool_use_id: done.parent_tool_use_id.clone(),
            }
            .into(),
        );
    }

    /// Nothing more comes: whatever is open has ended.
    pub(super) fn close(&mut self, out: &mut Vec<Output>) {
        let open = std::mem::take(&mut self.open);
        for (tool_use_id, open) in open {
            out.extend(cut_short(
                tool_use_id,
                open.name,
                open.agent_id,
                open.parent,
            ));
        }
    }

    pub(super) fn tick(&mut self, now: Timestamp, out: &mut Vec<Output>) {
        for (tool_use_id, open) in &mut self.open {
            if open.asked.is_some() || now.since(open.told) < PROGRESS {
                continue;
            }
            open.told = now;
            let elapsed = now.since(open.since).as_millis();
            out.push(
                ToolProgress {
                    tool_use_id: tool_use_id.clone(),
                    name: open.name.clone(),
                    elapsed_ms: u64::try_from(elapsed).unwrap_or(u64::MAX),
                    agent_id: open.agent_id.clone(),
                }
                .into(),
            );
        }
    }
}

/// The end of a call that nobody will tell the end of.
pub(crate) fn cut_short(
    tool_use_id: String,
    name: String,
    agent_id: Option<String>,
    parent_tool_use_id: Option<String>,
) -> [Output; 2] {
    const WHY: &str = "The conversation ended before this tool reported a result.";
    let post = HookPostTool {
        tool_use_id: tool_use_id.clone(),
        tool_name: name.clone(),
        failed: true,
        error: Some(WHY.to_owned()),
        duration_ms: 0,
        agent_id: agent_id.clone(),
    };
    let end = ToolEnd {
        tool_use_id,
        name,
        success: false,
        summary: WHY.to_owned(),
        output: WHY.to_owned(),
        images: Vec::new(),
        truncated: None,
        duration_ms: 0,
        agent_id,
        parent_tool_use_id,
    };
    [post.into(), end.into()]
}

/// The first line with something in it, not too long.
fn summary(output: &str) -> String {
    let line = output.lines().map(str::trim).find(|line| !line.is_empty());
    let line = line.unwrap_or_default();
    let mut short: String = line.chars().take(SUMMARY).collect();
    if short.len() < line.len() {
        short.push('…');
    }
    short
}
