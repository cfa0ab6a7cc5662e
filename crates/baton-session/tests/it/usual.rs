//! What most logs have in common, told in one line instead of many.
//!
//! Only lines that are to the letter as they are here are told in short, and
//! all that may differ in them stands in the short line: two logs that differ
//! look different. `turns` has a whole log of each CLI.

use std::collections::BTreeMap;

/// Lines of a log with names for what differs, and how they are told. A name
/// that comes back stands for the same text.
type Usual = (&'static str, &'static str);

const OPENED: Usual = (
    r#"session.created {"agent":"claude","cwd":"[PROJECT]","mode":"structured","options":{"checkpointing":true,"model":"claude-sonnet-4-5"},"runtime":"streaming"}
session.updated {"agentSessionId":"agentSessionId<s>"}
session.state {"state":"idle"}"#,
    "opened as <s>",
);

/// The older CLI says first that it runs, the newer one first that it has read.
const BEGUN: [Usual; 2] = [
    (
        r#"user.message {"messageId":"messageId<n>","text":<text>}
turn.started {"origin":"user","turn":<n>}
session.state {"state":"starting"}
session.state {"state":"processing"}
session.started {"agentSessionId":"agentSessionId<s>","agentVersion":"[VERSION]","model":"<model>","permissionMode":"<mode>","slashCommands":"…","tools":"…"}
message.delivered {"messageId":"messageId<n>"}
checkpoint.created {"checkpointId":"messageId<n>"}"#,
        "turn <n> in a new process of <s> with <model>, mode <mode>: <text>",
    ),
    (
        r#"user.message {"messageId":"messageId<n>","text":<text>}
turn.started {"origin":"user","turn":<n>}
session.state {"state":"starting"}
session.state {"state":"processing"}
message.delivered {"messageId":"messageId<n>"}
checkpoint.created {"checkpointId":"messageId<n>"}
session.started {"agentSessionId":"agentSessionId<s>","agentVersion":"[VERSION]","model":"<model>","permissionMode":"<mode>","slashCommands":"…","tools":"…"}"#,
        "turn <n> in a new process of <s> with <model>, mode <mode>: <text>",
    ),
];

const USUAL: &[Usual] = &[
    (
        r#"user.message {"messageId":"messageId<n>","text":<text>}
turn.started {"origin":"user","turn":<n>}
session.state {"state":"processing"}
message.delivered {"messageId":"messageId<n>"}
checkpoint.created {"checkpointId":"messageId<n>"}"#,
        "turn <n>: <text>",
    ),
    (
        r#"user.message {"messageId":"messageId<n>","text":<text>}
turn.started {"origin":"user","turn":<n>}
session.state {"state":"starting"}
session.state {"state":"processing"}
session.started {"agentSessionId":"agentSessionId<s>","agentVersion":"[VERSION]","model":"<model>","permissionMode":"<mode>","slashCommands":"…","tools":"…"}"#,
        "turn <n> in a new process of <s> with <model>, mode <mode>, not read yet: <text>",
    ),
    (
        r#"tool.requested {"input":<input>,"label":<label>,"name":"<tool>","toolUseId":"<call>"}
approval.requested {"approvalId":"apr_<a>","input":<input>,"kind":"tool",<more>,"toolName":"<tool>","toolUseId":"<call>"}
session.state {"state":"waiting"}"#,
        "<tool> asks as apr_<a> in <call>: <label> <input> <more>",
    ),
    (
        r#"approval.resolved {"approvalId":"apr_<a>","by":"user","decision":<more>}
session.state {"state":"processing"}"#,
        "apr_<a> is answered by the user: <more>",
    ),
    (
        r#"tool.requested {"input":<input>,"label":<label>,"name":"<tool>","toolUseId":"<call>"}
tool.completed {<ended>,"toolUseId":"<call>"}"#,
        "<tool> runs unasked in <call>: <label> <input> <ended>",
    ),
    (
        r#"assistant.message {"agentUuid":"agentUuid<u>","content":<said>,"messageId":"<message>","model":"claude-sonnet-4-5","usage":{"inputTokens":100,"outputTokens":20}}
context.usage {"tokens":120,"window":<window>}
turn.completed {"costUsd":<cost>,"messageIds":["messageId<n>"],"result":<said>,<stats>"stopReason":"end","turn":<n>,"usage":{<tokens>}}
session.state {"state":"idle"}"#,
        "end of turn <n>, agentUuid<u>, <message>, window <window>, <cost> for <tokens>: <said> <stats>",
    ),
];

/// A log with its usual parts in short; `newer` is whose habits are usual.
pub(crate) fn in_short(lines: &[String], newer: bool) -> Vec<String> {
    let begun = BEGUN[usize::from(newer)];
    let known: Vec<Usual> = [OPENED, begun].iter().chain(USUAL).copied().collect();
    let mut told = Vec::new();
    let mut rest = lines;
    while let [line, after @ ..] = rest {
        let short = known.iter().find_map(|(usual, short)| {
            let usual: Vec<&str> = usual.lines().collect();
            let lines = rest.get(..usual.len())?;
            let mut names = BTreeMap::new();
            let mut pairs = usual.iter().zip(lines);
            let same = pairs.all(|(usual, line)| is_like(line, usual, &mut names));
            same.then(|| (filled(short, &names), &rest[usual.len()..]))
        });
        let (line, after) = short.unwrap_or_else(|| (line.clone(), after));
        told.push(line);
        rest = after;
    }
    told
}

/// Whether a line is like the usual one; `names` learns what its names stand for.
fn is_like<'a>(
    line: &'a str,
    usual: &'static str,
    names: &mut BTreeMap<&'static str, &'a str>,
) -> bool {
    let mut parts = usual.split('<');
    let start = parts.next().unwrap_or_default();
    let mut rest = line.strip_prefix(start);
    while let (Some(line), Some(part)) = (rest, parts.next()) {
        let (name, next) = part.split_once('>').unwrap();
        // What follows the last name is the end, however often it was there before.
        let is_last = parts.clone().next().is_none();
        let found = if is_last {
            line.strip_suffix(next).map(|value| (value, ""))
        } else {
            line.split_once(next)
        };
        rest = found.and_then(|(value, rest)| {
            let known = names.entry(name).or_insert(value);
            (*known == value).then_some(rest)
        });
    }
    rest == Some("")
}

fn filled(short: &str, names: &BTreeMap<&'static str, &str>) -> String {
    let mut parts = short.split('<');
    let start = parts.next().unwrap_or_default().to_owned();
    let line = parts.fold(start, |line, part| {
        let (name, next) = part.split_once('>').unwrap();
        line + names[name] + next
    });
    line.trim_end().to_owned()
}

#[test]
fn a_log_that_differs_anywhere_is_told_differently() {
    for (usual, short) in [OPENED].iter().chain(&BEGUN).chain(USUAL) {
        let whole: Vec<String> = usual
            .replace(['<', '>'], "")
            .lines()
            .map(Into::into)
            .collect();
        let newer = *usual == BEGUN[1].0;
        let wanted = short.replace(['<', '>'], "");
        assert_eq!(in_short(&whole, newer), [wanted.trim_end()]);
        for line in 0..whole.len() {
            let mut other = whole.clone();
            other[line].insert(0, 'x');
            assert!(in_short(&other, newer).contains(&other[line]), "{short}");
            other[line] = format!("{}x", whole[line]);
            assert!(in_short(&other, newer).contains(&other[line]), "{short}");
        }
    }
}
