use super::*;

const UUID: Uuid = Uuid::from_u128(0x0193_2a7b_0000_7000_8000_0000_0000_002a);

#[test]
fn an_id_reads_back_as_it_was_written() {
    let id = SessionId::from_uuid(UUID);
    let json = serde_json::to_string(&id).unwrap();
    assert_eq!(
        json,
        r#""ses_01932a7b000070008000_00000000002a""#.replace("8000_", "8000")
    );
    assert_eq!(serde_json::from_str::<SessionId>(&json).unwrap(), id);
}

#[test]
fn the_wrong_kind_of_id_is_refused_by_both_names() {
    let text = ApprovalId::from_uuid(UUID).to_string();
    let error = text.parse::<SessionId>().unwrap_err();
    assert_eq!(
        error.to_string(),
        format!("expected a session id such as `ses_…`, got `{text}`, which is an approval id")
    );
}

#[test]
fn nonsense_is_refused_without_repeating_all_of_it() {
    let error = "x".repeat(10_000).parse::<SessionId>().unwrap_err();
    assert!(error.to_string().len() < 200);
}

#[test]
fn hyphens_inside_a_prefixed_id_are_refused() {
    let text = format!("ses_{}", UUID.hyphenated());
    assert!(text.parse::<SessionId>().is_err());
}

#[test]
fn ids_sort_by_time_of_making() {
    let early = SessionId::from_uuid(Uuid::from_u128(1));
    let late = SessionId::from_uuid(Uuid::from_u128(2));
    assert!(early < late && early.to_string() < late.to_string());
}

#[test]
fn a_project_id_is_sixteen_hex_digits_of_the_digest() {
    let mut digest = [0_u8; 32];
    digest[7] = 0xab;
    let id = ProjectId::from_digest(&digest);
    assert_eq!(id.to_string(), "prj_00000000000000ab");
    assert_eq!(id.to_string().parse::<ProjectId>().unwrap(), id);
    assert!("prj_+0000000000000ab".parse::<ProjectId>().is_err());
}

#[test]
fn a_message_id_is_a_plain_uuid() {
    let id = MessageId::from_uuid(UUID);
    assert_eq!(id.to_string(), "01932a7b-0000-7000-8000-00000000002a");
    assert_eq!(id.to_string().parse::<MessageId>().unwrap(), id);
}
