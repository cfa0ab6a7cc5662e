//! What a turn did, counted by tool name.

use baton_protocol::{
    ToolKind,
    event::{ToolRequested, TurnStats},
};

/// Counts a tool call.
pub(crate) fn requested(stats: &mut TurnStats, call: &ToolRequested) {
    stats.tool_calls += 1;
    *stats.tools_by_type.entry(call.name.clone()).or_default() += 1;
    let kind = call.tool_kind;
    stats.files_read += u32::from(kind.reads_files());
    stats.files_written += u32::from(kind.changes_file());
    stats.bash_commands += u32::from(kind == ToolKind::Shell);
    stats.web_searches += u32::from(kind == ToolKind::Fetch);
}

#[cfg(test)]
mod tests {
    use baton_protocol::words::Json;

    use super::*;

    #[test]
    fn each_tool_is_counted_in_its_own_column() {
        let mut stats = TurnStats::default();
        for kind in [
            ToolKind::Read,
            ToolKind::Search,
            ToolKind::Write,
            ToolKind::Edit,
            ToolKind::Shell,
            ToolKind::Fetch,
            ToolKind::Mcp,
        ] {
            let call = ToolRequested {
                tool_use_id: "t".into(),
                name: format!("{kind:?}"),
                tool_kind: kind,
                subject: Box::default(),
                input: Json::null(),
                label: String::new(),
                parent_tool_use_id: None,
            };
            requested(&mut stats, &call);
        }
        assert_eq!(
            (
                stats.tool_calls,
                stats.files_read,
                stats.files_written,
                stats.bash_commands,
                stats.web_searches
            ),
            (7, 2, 2, 1, 1)
        );
        assert_eq!(stats.tools_by_type["Mcp"], 1);
    }
}
