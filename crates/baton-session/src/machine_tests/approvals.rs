//! Questions to a person: first answer wins, nobody is a no.

use expect_test::expect;

use super::script::check;

#[test]
fn a_question_waits_and_the_answer_is_recorded_before_the_agent_hears_it() {
    check(
        "create | send m1 | ready | taken m1 || tool t1 | ask a1 | allow a1 | result t1 ok | done",
        expect![[r#"
            tool t1: tool.requested t1
            ask a1: approval.requested tool; open a1; WAITING
            allow a1: approval.resolved a1 allow by user; keep answer a1; tell allow a1; PROCESSING
            result t1 ok: tool.completed t1
            done: turn.completed 1 [m1] end; confirmed a1; IDLE
        "#]],
    );
}

#[test]
fn a_second_answer_is_refused() {
    check(
        "create | send m1 | ready || ask a1 | allow a1 | deny a1 | allow a1",
        expect![[r#"
            ask a1: approval.requested tool; open a1; WAITING
            allow a1: approval.resolved a1 allow by user; keep answer a1; tell allow a1; PROCESSING
            deny a1: refused: unknown approval a1
            allow a1: refused: unknown approval a1
        "#]],
    );
}

#[test]
fn a_denial_without_words_gets_some() {
    check(
        "create | send m1 | ready || ask a1 | ask a2 | deny a1 | refuse a2 never",
        expect![[r#"
            ask a1: approval.requested tool; open a1; WAITING
            ask a2: approval.requested tool; open a2
            deny a1: approval.resolved a1 deny by user; keep answer a1; tell deny a1 (The user denied this request.)
            refuse a2 never: approval.resolved a2 deny by user; keep answer a2; tell deny a2 and stop (never); PROCESSING
        "#]],
    );
}

/// The agent is not told that a person decided where there was none.
#[test]
fn a_denial_for_want_of_a_person_says_so() {
    check(
        "create | send m1 | ready || ask a1 | ask a2 | absent a1 | absent a2 nobody",
        expect![[r#"
            ask a1: approval.requested tool; open a1; WAITING
            ask a2: approval.requested tool; open a2
            absent a1: approval.resolved a1 deny by mode unattended; keep answer a1; tell deny a1 (Nobody could be asked, so this was denied.)
            absent a2 nobody: approval.resolved a2 deny by mode unattended; keep answer a2; tell deny a2 (nobody); PROCESSING
        "#]],
    );
}

#[test]
fn an_unknown_approval_is_refused() {
    check(
        "create | send m1 | ready || allow a1",
        expect![[r#"
        allow a1: refused: unknown approval ?
    "#]],
    );
}

#[test]
fn a_question_needs_its_answers() {
    check(
        "create | send m1 | ready || ask a1 question | allow a1 | answers a1 | ask a2 question | deny a2",
        expect![[r#"
            ask a1 question: approval.requested question; open a1; WAITING
            allow a1: refused: a question can only be allowed together with its answers
            answers a1: approval.resolved a1 allow by user; keep answer a1; tell allow a1 changed; PROCESSING
            ask a2 question: approval.requested question; open a2; WAITING
            deny a2: approval.resolved a2 deny by user; keep answer a2; tell deny a2 (The user denied this request.); PROCESSING
        "#]],
    );
}

#[test]
fn a_plan_may_name_the_mode_to_go_on_in() {
    check(
        "create | send m1 | ready || ask a1 plan | allow a1 acceptEdits",
        expect![[r#"
            ask a1 plan: approval.requested plan; open a1; WAITING
            allow a1 acceptEdits: approval.resolved a1 allow by user; keep answer a1; tell allow a1 acceptEdits; PROCESSING
        "#]],
    );
}

#[test]
fn a_plan_cannot_lead_into_bypass() {
    check(
        "create | send m1 | ready || ask a1 plan | allow a1 bypassPermissions | allow a1",
        expect![[r#"
            ask a1 plan: approval.requested plan; open a1; WAITING
            allow a1 bypassPermissions: refused: bypassPermissions must be chosen when the session is created
            allow a1: approval.resolved a1 allow by user; keep answer a1; tell allow a1; PROCESSING
        "#]],
    );
}

#[test]
fn nobody_answering_in_time_denies() {
    check(
        "create | send m1 | ready || ask a1 | ask a2 question | wait 99 | wait 1 | wait 899 | wait 1",
        expect![[r#"
            ask a1: approval.requested tool; open a1; WAITING
            ask a2 question: approval.requested question; open a2
            wait 99: nothing
            wait 1: approval.resolved a1 deny by timeout; keep answer a1; tell deny a1 (Nobody answered in time, so this was denied.)
            wait 899: nothing
            wait 1: approval.resolved a2 deny by timeout; keep answer a2; tell deny a2 (Nobody answered in time, so this was denied.); PROCESSING
        "#]],
    );
}

#[test]
fn a_withdrawn_question_is_cancelled() {
    check(
        "create | send m1 | ready || ask a1 | withdraw a1 | withdraw a1 | allow a1",
        expect![[r#"
            ask a1: approval.requested tool; open a1; WAITING
            withdraw a1: approval.resolved a1 deny by cancelled; drop a1; PROCESSING
            withdraw a1: nothing
            allow a1: refused: unknown approval a1
        "#]],
    );
}

#[test]
fn the_same_request_twice_is_one_question() {
    check(
        "create | send m1 | ready || ask a1 | ask a1 | allow a1 | ask a1 | done | ask a1",
        expect![[r#"
            ask a1: approval.requested tool; open a1; WAITING
            ask a1: nothing
            allow a1: approval.resolved a1 allow by user; keep answer a1; tell allow a1; PROCESSING
            ask a1: nothing
            done: turn.completed 1 [m1] end; confirmed a1; IDLE
            ask a1: approval.requested tool; open a1; WAITING
        "#]],
    );
}

#[test]
fn several_questions_are_open_at_once_and_without_a_turn() {
    check(
        "create | send m1 | ready | subagent s1 | subagent s2 || ask a1 s1 | ask a2 s2 | done | allow a2 | deny a1",
        expect![[r#"
            ask a1 s1: approval.requested tool; open a1; WAITING
            ask a2 s2: approval.requested tool; open a2
            done: turn.completed 1 [m1] end +s1 +s2
            allow a2: approval.resolved a2 allow by user; keep answer a2; tell allow a2
            deny a1: approval.resolved a1 deny by user; keep answer a1; tell deny a1 (The user denied this request.); PROCESSING
        "#]],
    );
}

#[test]
fn a_turn_that_ends_takes_its_own_questions_with_it() {
    check(
        "create | send m1 | ready | subagent s1 t1 || ask a1 | ask a2 s1 | ask a3 other | done",
        expect![[r#"
            ask a1: approval.requested tool; open a1; WAITING
            ask a2 s1: approval.requested tool; open a2
            ask a3 other: approval.requested other; open a3
            done: approval.resolved a1 deny by cancelled; drop a1; turn.completed 1 [m1] end +s1
        "#]],
    );
}

#[test]
fn a_sub_agents_calls_outlive_the_turn_only_while_it_does() {
    check(
        "create | send m1 | ready || tool t1 | subagent s1 t1 | tool t2 t1 | tool t3 tgone | result t1 | done | result t2",
        expect![[r#"
            tool t1: tool.requested t1
            subagent s1 t1: subagent.started s1
            tool t2 t1: tool.requested t2
            tool t3 tgone: tool.requested t3
            result t1: tool.completed t1
            done: tool.completed t3 error; turn.completed 1 [m1] end +s1
            result t2: tool.completed t2
        "#]],
    );
}

#[test]
fn something_nobody_can_do_is_refused_to_the_agent() {
    check(
        "create | send m1 | ready || unsupported r1",
        expect![[r#"
            unsupported r1: open r1; keep answer r1; tell refuse r1: a hook is not supported by this host
        "#]],
    );
}

#[test]
fn what_rules_and_mode_decide_is_recorded_as_a_question_and_its_answer() {
    check(
        "create | send m1 | ready || ask a1 allowed | ask a2 denied | ask a3 bypassed | ask a4 doubted",
        expect![[r#"
            ask a1 allowed: approval.requested tool; open a1; approval.resolved a1 allow by rule Bash(ls); keep answer a1; tell allow a1
            ask a2 denied: approval.requested tool; open a2; approval.resolved a2 deny by rule Bash(ls); keep answer a2; tell deny a2 (not here)
            ask a3 bypassed: approval.requested tool; open a3; approval.resolved a3 allow by mode bypassPermissions; keep answer a3; tell allow a3
            ask a4 doubted: approval.requested tool; open a4; WAITING
        "#]],
    );
}

#[test]
fn the_gate_stops_makes_ask_or_lets_pass() {
    check(
        "create | send m1 | ready || gate g1 denied | gate g2 planning | gate g3 doubted | gate g4 allowed | gate g5 | gate g5 | gate g6 question | done",
        expect![[r#"
            gate g1 denied: approval.requested tool; approval.resolved ? deny by rule Bash(ls); open g1; keep answer g1; tell stop g1 (not here)
            gate g2 planning: approval.requested tool; approval.resolved ? deny by mode plan; open g2; keep answer g2; tell stop g2 (only planning)
            gate g3 doubted: open g3; keep answer g3; tell make g3 ask (a rule asks)
            gate g4 allowed: open g4; keep answer g4; tell pass g4
            gate g5: open g5; keep answer g5; tell pass g5
            gate g5: nothing
            gate g6 question: open g6; keep answer g6; tell pass g6
            done: turn.completed 1 [m1] end; confirmed g1; confirmed g2; confirmed g3; confirmed g4; confirmed g5; confirmed g6; IDLE
        "#]],
    );
}

#[test]
fn what_was_said_at_the_gate_is_confirmed_when_the_call_has_ended() {
    check(
        "create | send m1 | ready | tool t1 || gate g1 t1 | result t1 ok | done",
        expect![[r#"
            gate g1 t1: open g1; keep answer g1; tell pass g1
            result t1 ok: confirmed g1; tool.completed t1
            done: turn.completed 1 [m1] end; IDLE
        "#]],
    );
}

#[test]
fn an_answer_can_be_remembered_as_a_rule_for_tools_only() {
    check(
        "create | send m1 | ready | ask a1 | ask a2 | ask a3 question || always a1 project | never a2 session | always a3 user",
        expect![[r#"
            always a1 project: rule allow Bash(ls) for project; approval.resolved a1 allow by user Bash(ls); keep answer a1; tell allow a1
            never a2 session: rule deny Bash(ls) for session; approval.resolved a2 deny by user Bash(ls); keep answer a2; tell deny a2 (The user denied this request.)
            always a3 user: refused: a question can only be allowed together with its answers
        "#]],
    );
}

/// Something else would answer what the agent asks, so a person answers at the gate.
#[test]
fn a_call_that_is_held_waits_for_a_person_at_the_gate() {
    check(
        "create | send m1 | ready || gate g1 held | allow g1 | gate g2 held | deny g2",
        expect![[r#"
            gate g1 held: approval.requested tool; open g1; WAITING
            allow g1: approval.resolved g1 allow by user; keep answer g1; tell allow g1; PROCESSING
            gate g2 held: approval.requested tool; open g2; WAITING
            deny g2: approval.resolved g2 deny by user; keep answer g2; tell deny g2 (The user denied this request.); PROCESSING
        "#]],
    );
}

/// What passes the gate is named by its call; a result of any other ends the agent.
#[test]
fn an_agent_that_uses_a_tool_without_permission_is_ended() {
    check(
        "watch | create | send m1 | ready || tool t1 | gate g1 t1 | result t1 | tool t2 | result t2",
        expect![[r#"
            tool t1: tool.requested t1
            gate g1 t1: open g1; keep answer g1; tell pass g1
            result t1: confirmed g1; tool.completed t1
            tool t2: tool.requested t2
            result t2: tool.completed t2; error agent_exited (the agent used a tool without asking Baton for permission, so no rule was looked at; it was ended at once); KILL AT ONCE
        "#]],
    );
    check(
        "watch | create | send m1 | ready | tool t1 | gate g1 t1 | adopt | watch || result t1",
        expect![[r#"
            result t1: tool.completed t1
        "#]],
    );
}
