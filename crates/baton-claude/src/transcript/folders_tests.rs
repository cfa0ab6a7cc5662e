use super::*;

fn write(config: &Path, folder: &str, name: &str, cwd: &str) {
    let folder = config.join("projects").join(folder);
    std::fs::create_dir_all(&folder).unwrap();
    let row = serde_json::json!({
        "type": "user", "uuid": "11111111-1111-4111-8111-111111111111", "parentUuid": null,
        "sessionId": "22222222-2222-4222-8222-222222222222", "isSidechain": false, "cwd": cwd,
        "timestamp": "2026-11-15T06:44:01.522Z", "message": {"role": "user", "content": "hi"},
    });
    std::fs::write(folder.join(name), format!("not json\n{row}\n")).unwrap();
}

#[test]
fn folders_are_told_by_rows_and_not_by_names() {
    let dir = tempfile::tempdir().unwrap();
    let config = dir.path();
    assert_eq!(known_folders(config).unwrap(), Vec::<PathBuf>::new());
    write(config, "-home-me-a-b", "1.jsonl", "/people/me/a-b");
    write(config, "-home-me-a-b", "2.jsonl", "/people/me/a/b");
    write(config, "-x", "3.jsonl", "/people/me/a/b");
    write(config, "-x", "notes.txt", "/people/me/notes");
    std::fs::write(config.join("projects/file.jsonl"), "").unwrap();
    let expected = ["/people/me/a/b", "/people/me/a-b"].map(PathBuf::from);
    assert_eq!(known_folders(config).unwrap(), expected);
}
