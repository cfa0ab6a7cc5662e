use std::fs::{self, OpenOptions};
use std::io::Write as _;

use super::*;
use crate::transcript::RowBody;

struct Growing {
    _folder: tempfile::TempDir,
    path: PathBuf,
}

impl Growing {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s.jsonl");
        Self {
            _folder: folder,
            path,
        }
    }

    fn append(&self, text: &str) {
        let mut file = OpenOptions::new()
            .append(true)
            .create(true)
            .open(&self.path)
            .unwrap();
        file.write_all(text.as_bytes()).unwrap();
    }
}

fn row(title: &str) -> String {
    format!("{{\"type\":\"custom-title\",\"customTitle\":\"{title}\"}}\n")
}

fn titles(found: &Followed) -> Vec<&str> {
    let mut titles = Vec::new();
    for row in &found.rows {
        let RowBody::CustomTitle(title) = &row.body else {
            panic!("{row:?}")
        };
        titles.push(title.as_str());
    }
    titles
}

#[test]
fn rows_are_given_once_and_only_when_complete() {
    let file = Growing::new();
    let mut follower = Follower::from_start(&file.path);
    assert!(follower.look().unwrap().is_empty(), "there is no file yet");
    file.append(&row("one"));
    let two = row("two");
    file.append(&two[..10]);
    assert_eq!(titles(&follower.look().unwrap()), ["one"]);
    assert!(follower.look().unwrap().is_empty());
    file.append(&two[10..]);
    file.append(&row("three"));
    assert_eq!(titles(&follower.look().unwrap()), ["two", "three"]);
}

#[test]
fn following_from_the_end_skips_what_was_there_but_not_a_half_row() {
    let file = Growing::new();
    file.append(&row("old"));
    let new = row("new");
    file.append(&new[..5]);
    let mut follower = Follower::from_end(&file.path).unwrap();
    assert!(follower.look().unwrap().is_empty());
    file.append(&new[5..]);
    assert_eq!(titles(&follower.look().unwrap()), ["new"]);

    let mut follower = Follower::from_end(file.path.with_extension("missing")).unwrap();
    fs::write(file.path.with_extension("missing"), row("born")).unwrap();
    assert_eq!(titles(&follower.look().unwrap()), ["born"]);
}

#[test]
fn the_end_is_found_behind_a_long_half_row() {
    let file = Growing::new();
    file.append(&row("old"));
    file.append(&format!(
        "{{\"type\":\"custom-title\",\"customTitle\":\"{}",
        "x".repeat(3 * LOOK)
    ));
    let mut follower = Follower::from_end(&file.path).unwrap();
    assert_eq!(follower.offset, row("old").len() as u64);
    file.append("\"}\n");
    let mut rows = 0;
    loop {
        let found = follower.look().unwrap();
        rows += found.rows.len();
        if !found.more {
            break;
        }
    }
    assert_eq!(rows, 1);
}

#[test]
fn a_file_cut_short_or_replaced_is_read_anew_and_said_so() {
    let file = Growing::new();
    file.append(&(row("one") + &row("two")));
    let mut follower = Follower::from_start(&file.path);
    assert!(!follower.look().unwrap().restarted);
    fs::write(&file.path, row("cut")).unwrap();
    let found = follower.look().unwrap();
    assert_eq!((titles(&found), found.restarted), (vec!["cut"], true));

    let other = file.path.with_extension("new");
    fs::write(&other, row("longer than before") + &row("x")).unwrap();
    fs::rename(&other, &file.path).unwrap();
    let found = follower.look().unwrap();
    assert_eq!(titles(&found), vec!["longer than before", "x"]);
    assert!(found.restarted);
    assert!(follower.look().unwrap().is_empty());
}

#[test]
fn a_half_row_is_forgotten_when_the_file_is_replaced() {
    let file = Growing::new();
    file.append("{\"type\":");
    let mut follower = Follower::from_start(&file.path);
    assert!(follower.look().unwrap().is_empty());
    let other = file.path.with_extension("new");
    fs::write(&other, row("whole")).unwrap();
    fs::rename(&other, &file.path).unwrap();
    assert_eq!(titles(&follower.look().unwrap()), ["whole"]);
}

#[test]
fn malformed_lines_are_counted() {
    let file = Growing::new();
    file.append("nonsense\n\n[]\n");
    file.append(&row("fine"));
    let found = Follower::from_start(&file.path).look().unwrap();
    assert_eq!((titles(&found), found.malformed), (vec!["fine"], 2));
}

#[tokio::test(start_paused = true)]
async fn next_waits_until_there_is_something() {
    let file = Growing::new();
    let mut follower = Follower::from_end(&file.path).unwrap();
    let interval = Duration::from_millis(100);
    let start = tokio::time::Instant::now();
    let write = async {
        tokio::time::sleep(Duration::from_millis(350)).await;
        file.append(&row("late"));
    };
    let (found, ()) = tokio::join!(follower.next(interval), write);
    assert_eq!(titles(&found.unwrap()), ["late"]);
    assert_eq!(start.elapsed(), Duration::from_millis(400));
}
