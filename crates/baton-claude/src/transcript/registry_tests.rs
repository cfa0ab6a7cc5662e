use super::*;

const SESSION: &str = "11111111-2222-4333-8444-555555555555";

struct Registry {
    folder: tempfile::TempDir,
}

impl Registry {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("sessions")).unwrap();
        Self { folder }
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.folder.path().join("sessions").join(name), text).unwrap();
    }

    fn pids(&self) -> Vec<i32> {
        let owners = owners(self.folder.path()).unwrap();
        owners.iter().map(|owner| owner.pid).collect()
    }
}

fn own_start() -> String {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap();
    let (_, fields) = stat.rsplit_once(')').unwrap();
    fields.split_whitespace().nth(19).unwrap().to_owned()
}

#[test]
fn a_live_process_is_the_owner_of_its_session() {
    let registry = Registry::new();
    let pid = std::process::id();
    registry.write(
        &format!("{pid}.json"),
        &format!(
            r#"{{"pid":{pid},"sessionId":"{SESSION}","cwd":"/p","procStart":"{}","kind":"interactive","entrypoint":"cli","version":"2.1.197","later":{{}}}}"#,
            own_start()
        ),
    );
    let owner = owner_of(registry.folder.path(), SESSION.parse().unwrap()).unwrap();
    assert_eq!(
        owner,
        Some(SessionProcess {
            pid: i32::try_from(pid).unwrap(),
            session: SESSION.parse().unwrap(),
            cwd: Some("/p".into()),
            entrypoint: Some("cli".into()),
            version: Some("2.1.197".into()),
        })
    );
    assert_eq!(owner_of(registry.folder.path(), Uuid::nil()).unwrap(), None);
}

#[test]
fn a_dead_or_reused_number_is_no_owner() {
    let registry = Registry::new();
    let pid = std::process::id();
    let file = |pid: i64, start: &str| {
        format!(r#"{{"pid":{pid},"sessionId":"{SESSION}","procStart":{start}}}"#)
    };
    // Linux gives no such number.
    registry.write("1.json", &file(i64::from(i32::MAX), "\"1\""));
    registry.write("2.json", &file(i64::from(pid), "\"1\""));
    registry.write("3.json", &file(0, "null"));
    registry.write("4.json", &file(-1, "null"));
    assert_eq!(registry.pids(), Vec::<i32>::new());
    registry.write("5.json", &file(i64::from(pid), "\"Mon Jan  1 00:00:00\""));
    assert_eq!(registry.pids().len(), 1, "an unknown count is not compared");
}

#[test]
fn what_is_no_registry_file_is_skipped() {
    let registry = Registry::new();
    registry.write("1.json", "");
    registry.write("2.json", "[]");
    registry.write("3.json", r#"{"pid":1}"#);
    registry.write("4.json", r#"{"pid":1,"sessionId":"no uuid"}"#);
    registry.write("5.txt", &format!(r#"{{"pid":1,"sessionId":"{SESSION}"}}"#));
    registry.write("6.json", &" ".repeat(70_000));
    std::fs::create_dir(registry.folder.path().join("sessions/7.json")).unwrap();
    assert_eq!(registry.pids(), Vec::<i32>::new());
    assert_eq!(owners(Path::new("/no/such/folder")).unwrap(), Vec::new());
}
