//! What a turn did, counted by tool name.

use baton_protocol::event::TurnStats;

/// Counts a tool call.
pub(crate) fn requested(stats: &mut TurnStats, tool: &str) {
    stats.tool_calls += 1;
    *stats.tools_by_type.entry(tool.to_owned()).or_default() += 1;
    match tool {
        "Read" | "Glob" | "Grep" => stats.files_read += 1,
        "Write" | "Edit" | "MultiEdit" | "NotebookEdit" => stats.files_written += 1,
        "Bash" => stats.bash_commands += 1,
        "WebSearch" | "WebFetch" => stats.web_searches += 1,
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_tool_is_counted_in_its_own_column() {
        let mut stats = TurnStats::default();
        for tool in [
            "Read",
            "Grep",
            "Write",
            "Edit",
            "Bash",
            "WebFetch",
            "mcp__x__y",
        ] {
            requested(&mut stats, tool);
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
        assert_eq!(stats.tools_by_type["mcp__x__y"], 1);
    }
}
