use super::*;

#[test]
fn versions_are_read_from_what_the_cli_prints() {
    let version = Version {
        major: 2,
        minor: 1,
        patch: 197,
    };
    assert_eq!("2.1.197 (Claude Code)\n".parse(), Ok(version));
    assert_eq!("2.1.197".parse(), Ok(version));
    assert_eq!("2.1.197-beta.3".parse(), Ok(version));
    assert_eq!(version.to_string(), "2.1.197");
    for text in ["", "claude", "2.1", "2.1.x", "2.1.197.4", "v2.1.197"] {
        assert!(text.parse::<Version>().is_err(), "{text}");
    }
}

#[test]
fn versions_compare_by_number() {
    let parse = |text: &str| text.parse::<Version>().unwrap();
    assert!(parse("2.1.325") > parse("2.1.197"));
    assert!(parse("2.10.0") > parse("2.9.999"));
}

#[test]
fn nothing_known_means_the_old_behaviour() {
    let unknown = Capabilities::default();
    let old = Capabilities::of_version("2.1.197".parse().unwrap());
    for capabilities in [&unknown, &old] {
        assert!(!capabilities.reports_message_lifecycle());
        assert!(!capabilities.interrupt_reports_queue());
        assert!(!capabilities.results_name_their_messages());
        assert!(capabilities.allow_needs_input());
        assert!(capabilities.blank_line_is_fatal());
        assert!(capabilities.malformed_request_wedges());
        assert_eq!(capabilities.transcript_delay(), Duration::from_millis(200));
        assert_eq!(
            capabilities.dangling_tool_on_resume(),
            DanglingTool::Dropped
        );
    }
}

#[test]
fn capabilities_are_learnt_from_both_lines() {
    let mut capabilities = Capabilities::default();
    let answer = InitializeAnswer {
        claude_code_version: Some("2.1.325".into()),
        capabilities: Some(vec!["interrupt_receipt_v1".into()]),
        ..InitializeAnswer::default()
    };
    capabilities.learn_from_initialize(&answer);
    assert!(capabilities.interrupt_reports_queue());
    assert!(!capabilities.reports_message_lifecycle());
    assert!(capabilities.marks_aborted_answers());
    let init = Init {
        capabilities: Some(vec!["msg_lifecycle_v1".into()]),
        ..Init::default()
    };
    capabilities.learn_from_init(&init);
    assert!(capabilities.reports_message_lifecycle());
    assert!(capabilities.interrupt_reports_queue());
    assert_eq!(capabilities.version(), Some(NEWER));
}
