use std::fs;

use super::*;

struct Disk {
    root: tempfile::TempDir,
}

impl Disk {
    fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir(root.path().join("a-b")).unwrap();
        fs::create_dir_all(root.path().join("a/b")).unwrap();
        Self { root }
    }

    fn config(&self) -> PathBuf {
        self.root.path().join("config")
    }

    fn cwd(&self, name: &str) -> PathBuf {
        self.root.path().join(name).canonicalize().unwrap()
    }

    /// Writes a session of `name`; `{cwd}` in rows stands for its directory.
    fn session(&self, name: &str, id: u128, rows: &str) -> PathBuf {
        let cwd = self.cwd(name);
        let path = super::super::session_file(&self.config(), &cwd, Uuid::from_u128(id)).unwrap();
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, rows.replace("{cwd}", cwd.to_str().unwrap())).unwrap();
        path
    }

    fn titles(&self, name: &str) -> Vec<(u128, Option<String>)> {
        let listing = list_sessions(&self.config(), &self.cwd(name)).unwrap();
        assert_eq!(listing.unreadable, 0);
        let mut titles: Vec<_> = listing
            .sessions
            .into_iter()
            .map(|file| (file.id.as_u128(), file.title))
            .collect();
        titles.sort();
        titles
    }
}

const PROMPT: &str = r#"{"type":"user","uuid":"u","cwd":"{cwd}","message":{"content":" first "}}"#;

#[test]
fn sessions_of_directories_that_share_a_folder_are_told_apart() {
    let disk = Disk::new();
    let one = disk.session("a-b", 1, PROMPT);
    let two = disk.session("a/b", 2, PROMPT);
    assert_eq!(one.parent(), two.parent());
    assert_eq!(disk.titles("a-b"), [(1, Some("first".to_owned()))]);
    assert_eq!(disk.titles("a/b"), [(2, Some("first".to_owned()))]);
}

#[test]
fn subagents_empty_files_and_strangers_are_left_out() {
    let disk = Disk::new();
    let path = disk.session("a-b", 1, PROMPT);
    disk.session(
        "a-b",
        2,
        &PROMPT.replace("{\"type", "{\"isSidechain\":true,\"type"),
    );
    disk.session(
        "a-b",
        3,
        r#"{"type":"queue-operation","operation":"enqueue"}"#,
    );
    disk.session("a-b", 4, "");
    fs::write(path.with_file_name("notes.jsonl"), PROMPT).unwrap();
    fs::write(path.with_extension("txt"), PROMPT).unwrap();
    assert_eq!(disk.titles("a-b").len(), 1);
    let missing = list_sessions(Path::new("/no/such/config"), &disk.cwd("a-b")).unwrap();
    assert_eq!(missing, Listing::default());
}

#[test]
fn titles_come_from_the_best_source() {
    let disk = Disk::new();
    let rows = [
        r#"{"type":"user","isMeta":true,"cwd":"{cwd}","message":{"content":"meta"}}"#,
        r#"{"type":"user","isCompactSummary":true,"message":{"content":"compacted"}}"#,
        r#"{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t"}]}}"#,
        r#"{"type":"user","message":{"content":[{"type":"text","text":"asked"}]}}"#,
        r#"{"type":"summary","summary":"summed"}"#,
        r#"{"type":"last-prompt","lastPrompt":"last"}"#,
        r#"{"type":"ai-title","aiTitle":"made"}"#,
        r#"{"type":"custom-title","customTitle":"given first"}"#,
        r#"{"type":"custom-title","customTitle":"given"}"#,
    ];
    let best = ["asked", "summed", "last", "made", "given first", "given"];
    for (count, wanted) in (4..=rows.len()).zip(best) {
        disk.session("a-b", 1, &rows[..count].join("\n"));
        let expected = [(1, Some(wanted.to_owned()))];
        assert_eq!(disk.titles("a-b"), expected, "{count} rows");
    }
}

#[test]
fn only_the_edges_of_a_large_file_are_read() {
    let disk = Disk::new();
    let filler = format!("{{\"type\":\"mode\",\"mode\":\"{}\"}}\n", "x".repeat(1000));
    let custom =
        |title: &str| format!("{{\"type\":\"custom-title\",\"customTitle\":\"{title}\"}}\n");
    let middle = filler.repeat(200);
    let file = format!("{PROMPT}\n{middle}{}{middle}", custom("unseen"));
    disk.session("a-b", 1, &file);
    assert_eq!(disk.titles("a-b"), [(1, Some("first".to_owned()))]);
    disk.session("a-b", 1, &format!("{file}{}", custom("seen")));
    assert_eq!(disk.titles("a-b"), [(1, Some("seen".to_owned()))]);
    // Between one and two edges long: nothing is missed and nothing twice.
    let file = format!("{PROMPT}\n{}{}", filler.repeat(80), custom("near"));
    disk.session("a-b", 1, &file);
    assert_eq!(disk.titles("a-b"), [(1, Some("near".to_owned()))]);
}

#[test]
fn subagents_of_a_session_are_found_with_what_is_known_of_them() {
    let disk = Disk::new();
    let path = disk.session("a-b", 1, PROMPT);
    assert_eq!(subagents(&path).unwrap(), []);
    let folder = path.with_extension("").join("subagents");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("agent-x1.jsonl"), "").unwrap();
    fs::write(folder.join("agent-x2.jsonl"), "").unwrap();
    let meta = r#"{"agentType":"Explore","description":"look","toolUseId":"t1","spawnDepth":1}"#;
    fs::write(folder.join("agent-x1.meta.json"), meta).unwrap();
    let found = subagents(&path).unwrap();
    assert_eq!(found.len(), 2);
    assert_eq!(
        found[0],
        Subagent {
            agent_id: "x1".to_owned(),
            path: folder.join("agent-x1.jsonl"),
            agent_type: Some("Explore".to_owned()),
            description: Some("look".to_owned()),
            tool_use_id: Some("t1".to_owned()),
        }
    );
    assert_eq!((&*found[1].agent_id, &found[1].agent_type), ("x2", &None));
}
