use super::*;

#[test]
fn a_prompt_without_directives_is_echoed() {
    let expected = Round {
        say: Some("You said: hello there".to_owned()),
        ..Round::default()
    };
    assert_eq!(rounds("hello there"), [expected]);
}

#[test]
fn each_tool_call_ends_a_round_and_the_last_round_only_talks() {
    let got = rounds("THINK[hm] RUN[ls] then TOK[3]");
    let first = Round {
        think: Some("hm".to_owned()),
        tools: vec![Tool::Run("ls".to_owned())],
        ..Round::default()
    };
    let last = Round {
        tokens: Some(3),
        ..Round::default()
    };
    assert_eq!(got, [first, last]);
}

#[test]
fn an_ampersand_joins_two_calls_and_brackets_nest() {
    let got = rounds("RUN[echo a[1]]&AGENT[RUN[ls] TOK[2]]");
    let tools = vec![
        Tool::Run("echo a[1]".to_owned()),
        Tool::Agent("RUN[ls] TOK[2]".to_owned()),
    ];
    assert_eq!(got.len(), 2);
    assert_eq!(got[0].tools, tools);
    assert_eq!(got[1].say.as_deref(), Some("Done."));
}

#[test]
fn an_edit_reads_the_file_first() {
    let got = rounds("EDIT[a.txt|old|new]");
    assert_eq!(got[0].tools, [Tool::Read("a.txt".to_owned())]);
    let edit = Tool::Edit("a.txt".to_owned(), "old".to_owned(), "new".to_owned());
    assert_eq!(got[1].tools, [edit]);
    assert_eq!(got.len(), 3);
}

#[test]
fn errors_stalls_and_delays_belong_to_their_round() {
    let got = rounds("ERR[529x2] SLOW[5] STALL TOK[9]");
    let expected = Round {
        tokens: Some(9),
        error: Some((529, 2)),
        slow_ms: 5,
        stall: true,
        ..Round::default()
    };
    assert_eq!(got, [expected]);
    assert_eq!(rounds("ERR[401]")[0].error, Some((401, u32::MAX)));
    let wanted = Some("You said: INSTALL it");
    assert_eq!(rounds("INSTALL it")[0].say.as_deref(), wanted);
}

#[test]
fn a_task_list_uses_the_tool_that_is_offered() {
    let todo = Tool::Todo(vec!["a".to_owned(), "b".to_owned()]);
    assert_eq!(calls(&todo, &["TodoWrite"]).len(), 1);
    assert_eq!(calls(&todo, &["TaskCreate"]).len(), 2);
}
