//! What a tool said, for people; the log keeps how the agent wrote it.

/// What an agent puts around an output to tell its model what it is.
const MARKS: [&str; 3] = ["tool_use_error", "persisted-output", "truncated-output"];
/// How an agent tells its model of a call that fell with its turn, whoever or
/// whatever ended that. It is no word of a person's.
const FELL: &str = "The user doesn't want to proceed with this tool use. The tool use was rejected";
/// Behind it, where a person did say something.
const SAID: &str = "the user said:";

/// An output as a person should read it.
pub fn for_people(output: &str, is_error: bool) -> &str {
    if is_error && output.starts_with(FELL) && !output.contains(SAID) {
        return "Stopped before it was done.";
    }
    let text = output.trim();
    let within = |mark: &&str| {
        let text = text
            .strip_prefix('<')?
            .strip_prefix(mark)?
            .strip_prefix('>')?;
        let text = text.strip_suffix('>')?.strip_suffix(mark)?;
        text.strip_suffix("</")
    };
    MARKS.iter().find_map(within).map_or(output, str::trim)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_around_the_whole_output_are_left_out() {
        let told = "<tool_use_error>\nBlocked: sleep\n</tool_use_error>\n";
        assert_eq!(for_people(told, true), "Blocked: sleep");
        for other in [
            "a <tool_use_error>b</tool_use_error>",
            "<tool_use_error>cut",
            "<tool_use_error>a</persisted-output>",
            "<tool_use_error>",
            "<b>bold</b>",
            " as it is\n",
            "",
        ] {
            assert_eq!(for_people(other, true), other);
        }
    }

    #[test]
    fn nobody_is_said_to_have_refused_what_fell_with_its_turn() {
        let fell = format!("{FELL} (eg. if it was a file edit, …). STOP what you are doing.");
        assert_eq!(for_people(&fell, true), "Stopped before it was done.");
        let said = format!("{fell} To tell you how to proceed, {SAID}\nshorter");
        assert_eq!(for_people(&said, true), said);
        // A tool may print anything.
        assert_eq!(for_people(&fell, false), fell);
    }
}
