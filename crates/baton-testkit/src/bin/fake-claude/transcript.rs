//! The session file, in the CLI's own place and format, as far as resume and
//! readers of transcripts need it.

use std::collections::HashSet;
use std::fs::{File, OpenOptions};
use std::io::{self, BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::clock::timestamp;

/// An open session file; rows are on disk when a call returns.
pub(crate) struct Transcript {
    path: PathBuf,
    file: Option<File>,
    keep: bool,
    session: String,
    version: &'static str,
    cwd: String,
    /// The newest row of the conversation, parent of the next.
    leaf: Option<String>,
    last_prompt: String,
}

/// What resuming learns from a file.
pub(crate) struct History {
    pub(crate) uuids: HashSet<String>,
    pub(crate) leaf: Option<String>,
    rows: Vec<Value>,
}

impl History {
    /// Reads a session; `None` when there is none.
    pub(crate) fn read(path: &Path) -> Option<Self> {
        let file = File::open(path).ok()?;
        let rows: Vec<Value> = BufReader::new(file)
            .lines()
            .map_while(Result::ok)
            .filter_map(|line| serde_json::from_str(&line).ok())
            .collect();
        let chain = |row: &&Value| row["type"] == "user" || row["type"] == "assistant";
        let uuid = |row: &Value| row["uuid"].as_str().map(str::to_owned);
        let uuids = rows.iter().filter(chain).filter_map(uuid).collect();
        let leaf = rows.iter().rev().find(chain).and_then(uuid);
        Some(Self { uuids, leaf, rows })
    }

    /// Whether a row is on the branch that ends in the newest row.
    pub(crate) fn on_active_branch(&self, wanted: &str) -> bool {
        let mut at = self.leaf.clone();
        while let Some(uuid) = at {
            if uuid == wanted {
                return true;
            }
            let row = self
                .rows
                .iter()
                .rev()
                .find(|row| row["uuid"] == uuid.as_str());
            at = row.and_then(|row| row["parentUuid"].as_str().map(str::to_owned));
        }
        false
    }
}

impl Transcript {
    pub(crate) fn new(
        path: PathBuf,
        keep: bool,
        session: &str,
        version: &'static str,
        cwd: &Path,
    ) -> Self {
        Self {
            path,
            file: None,
            keep,
            session: session.to_owned(),
            version,
            cwd: cwd.display().to_string(),
            leaf: None,
            last_prompt: String::new(),
        }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Goes on after this row.
    pub(crate) fn continue_after(&mut self, leaf: Option<String>) {
        self.leaf = leaf;
    }

    /// Copies the rows of another session under this one's id.
    pub(crate) fn fork(&mut self, history: &History) -> io::Result<()> {
        for row in &history.rows {
            let mut row = row.clone();
            row["sessionId"] = json!(self.session);
            self.write(&row)?;
        }
        Ok(())
    }

    /// A row of the conversation: `user` or `assistant`, with its own fields.
    pub(crate) fn chain(&mut self, uuid: &str, fields: Value) -> io::Result<()> {
        #[expect(
            clippy::disallowed_methods,
            reason = "the real CLI writes down who started it"
        )]
        let entrypoint = std::env::var("CLAUDE_CODE_ENTRYPOINT");
        let entrypoint = entrypoint.unwrap_or_else(|_| "sdk-cli".into());
        let mut row = json!({
            "parentUuid": self.leaf, "isSidechain": false, "uuid": uuid, "timestamp": timestamp(),
            "userType": "external", "entrypoint": entrypoint, "cwd": self.cwd, "sessionId": self.session,
            "version": self.version, "gitBranch": "HEAD",
        });
        if let (Value::Object(row), Value::Object(fields)) = (&mut row, fields) {
            row.extend(fields);
        }
        self.leaf = Some(uuid.to_owned());
        self.write(&row)
    }

    pub(crate) fn prompt(&mut self, text: &str) -> io::Result<()> {
        self.last_prompt = text.to_owned();
        let operation = |operation: &str| json!({"type": "queue-operation", "operation": operation, "timestamp": timestamp(), "sessionId": self.session});
        let (mut enqueue, dequeue) = (operation("enqueue"), operation("dequeue"));
        enqueue["content"] = json!(text);
        self.write(&enqueue)?;
        self.write(&dequeue)
    }

    /// The row written at a clean end.
    pub(crate) fn close(&mut self) -> io::Result<()> {
        if self.last_prompt.is_empty() {
            return Ok(());
        }
        let row = json!({
            "type": "last-prompt", "lastPrompt": self.last_prompt, "leafUuid": self.leaf, "sessionId": self.session,
        });
        self.write(&row)
    }

    fn write(&mut self, row: &Value) -> io::Result<()> {
        if !self.keep {
            return Ok(());
        }
        if self.file.is_none() {
            if let Some(folder) = self.path.parent() {
                std::fs::create_dir_all(folder)?;
            }
            self.file = Some(
                OpenOptions::new()
                    .create(true)
                    .append(true)
                    .open(&self.path)?,
            );
        }
        match &mut self.file {
            Some(file) => file.write_all(format!("{row}\n").as_bytes()),
            None => Ok(()),
        }
    }
}

/// `<config>/projects/<escaped cwd>/<session>.jsonl`
pub(crate) fn session_file(config: &Path, cwd: &Path, session: &str) -> PathBuf {
    config
        .join("projects")
        .join(escape(&cwd.display().to_string()))
        .join(format!("{session}.jsonl"))
}

/// Every UTF-16 unit outside `[A-Za-z0-9]` becomes a dash; long names end in a hash.
pub(crate) fn escape(path: &str) -> String {
    const LONGEST: usize = 200;
    let unit = |unit: u16| {
        char::from_u32(u32::from(unit))
            .filter(char::is_ascii_alphanumeric)
            .unwrap_or('-')
    };
    let escaped: String = path.encode_utf16().map(unit).collect();
    if escaped.len() <= LONGEST {
        return escaped;
    }
    let hash = path.encode_utf16().fold(0_i32, |hash, unit| {
        hash.wrapping_mul(31).wrapping_add(i32::from(unit))
    });
    format!("{}-{}", &escaped[..LONGEST], base36(hash.unsigned_abs()))
}

fn base36(mut number: u32) -> String {
    let mut digits = Vec::new();
    loop {
        digits.push(char::from_digit(number % 36, 36).unwrap_or('0'));
        number /= 36;
        if number == 0 {
            return digits.into_iter().rev().collect();
        }
    }
}

#[cfg(test)]
#[path = "transcript_tests.rs"]
mod tests;
