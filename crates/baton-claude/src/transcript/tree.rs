//! A whole transcript and its branches.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::fs::File;
use std::io::{self, BufRead as _, BufReader};
use std::path::Path;

use uuid::Uuid;

use super::row::{Row, RowBody};
use crate::json::RawJson;
use crate::message::content::ContentBlock;

/// All rows of a transcript, in the order they were written.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Transcript {
    /// The rows.
    pub rows: Vec<Row>,
    /// Lines that are no rows and were skipped.
    pub malformed: usize,
    /// Whether the file ends in the middle of a row, as it does while the CLI
    /// writes or after it was killed.
    pub unfinished: bool,
}

impl Transcript {
    /// Reads a whole file.
    ///
    /// # Errors
    /// Fails when the file cannot be read.
    pub fn read(path: &Path) -> io::Result<Self> {
        Ok(Self::parse(&std::fs::read(path)?))
    }

    /// Reads a whole file's bytes.
    #[must_use]
    pub fn parse(bytes: &[u8]) -> Self {
        let mut transcript = Self::default();
        for line in bytes.split_inclusive(|byte| *byte == b'\n') {
            let whole = line.ends_with(b"\n");
            if line.trim_ascii().is_empty() {
                continue;
            }
            match Row::decode(line) {
                Some(row) => transcript.rows.push(row),
                None if whole => transcript.malformed += 1,
                None => transcript.unfinished = true,
            }
        }
        transcript
    }

    /// The conversation as it stands: the rows from the first to the newest
    /// leaf, through compactions, with folded messages and with all results of
    /// tools that ran side by side. Sub-agents have files of their own.
    #[must_use]
    pub fn active_branch(&self) -> Vec<&Row> {
        let by_uuid = self.by_uuid();
        let Some(leaf) = self.leaf(&by_uuid) else {
            return Vec::new();
        };
        let mut branch = BTreeSet::new();
        self.walk_up(leaf, &by_uuid, &mut branch);
        self.add_compactions(&by_uuid, &mut branch);
        self.add_parallel_results(&by_uuid, &mut branch);
        // A parent is always written before its children, so the order of the
        // file is the order of the branch.
        branch.into_iter().map(|index| &self.rows[index]).collect()
    }

    /// The rows that belong to the conversation but not to its active branch.
    #[must_use]
    pub fn abandoned(&self) -> Vec<&Row> {
        let active: HashSet<*const Row> = self
            .active_branch()
            .into_iter()
            .map(std::ptr::from_ref)
            .collect();
        let is_abandoned =
            |row: &&Row| is_link(row) && !active.contains(&std::ptr::from_ref::<Row>(row));
        self.rows.iter().filter(is_abandoned).collect()
    }

    /// Whether a message has this uuid, in any branch.
    #[must_use]
    pub fn contains_message(&self, uuid: Uuid) -> bool {
        let uuid = uuid.to_string();
        self.rows.iter().any(|row| row.is_message(&uuid))
    }

    /// First of its uuid wins: a fork copies rows once, never twice.
    fn by_uuid(&self) -> HashMap<&str, usize> {
        let mut by_uuid = HashMap::new();
        for (index, row) in self.rows.iter().enumerate() {
            if let Some(uuid) = row.uuid.as_deref().filter(|_| is_link(row)) {
                by_uuid.entry(uuid).or_insert(index);
            }
        }
        by_uuid
    }

    /// The newest row of the conversation, unless a shutdown after it named
    /// another leaf.
    fn leaf(&self, by_uuid: &HashMap<&str, usize>) -> Option<usize> {
        for (index, row) in self.rows.iter().enumerate().rev() {
            if let RowBody::LastPrompt {
                leaf_uuid: Some(leaf),
                ..
            } = &row.body
                && let Some(index) = by_uuid.get(leaf.as_str())
            {
                return Some(*index);
            }
            if is_link(row) {
                return Some(index);
            }
        }
        None
    }

    fn walk_up(&self, leaf: usize, by_uuid: &HashMap<&str, usize>, branch: &mut BTreeSet<usize>) {
        let mut next = Some(leaf);
        // A row already seen would be a cycle, which no honest file has.
        while let Some(index) = next.filter(|index| branch.insert(*index)) {
            let row = &self.rows[index];
            let parent = row
                .parent_uuid
                .as_deref()
                .or(row.logical_parent_uuid.as_deref());
            next = parent.and_then(|parent| by_uuid.get(parent).copied());
        }
    }

    /// A compaction that kept the newest messages leaves them hanging on their
    /// old parents, so that the way up passes beside its mark and its summary.
    fn add_compactions(&self, by_uuid: &HashMap<&str, usize>, branch: &mut BTreeSet<usize>) {
        let newest = branch.last().copied().unwrap_or_default();
        for (index, row) in self.rows.iter().enumerate().take(newest) {
            let RowBody::System(system) = &row.body else {
                continue;
            };
            if !row.is_compact_boundary() || branch.contains(&index) {
                continue;
            }
            let kept = system.compact_metadata.as_ref().and_then(preserved_tail);
            let on_branch = |uuid: &String| {
                by_uuid
                    .get(uuid.as_str())
                    .is_some_and(|at| branch.contains(at))
            };
            if kept.as_ref().is_some_and(on_branch) {
                branch.insert(index);
                branch.extend(self.summary_of(row));
            }
        }
    }

    fn summary_of(&self, boundary: &Row) -> Option<usize> {
        self.rows.iter().position(|row| {
            matches!(&row.body, RowBody::User(user) if user.is_compact_summary)
                && row.parent_uuid.is_some()
                && row.parent_uuid == boundary.uuid
        })
    }

    /// Results of tools that ran side by side hang on their own calls; only
    /// the last one is on the way up.
    fn add_parallel_results(&self, by_uuid: &HashMap<&str, usize>, branch: &mut BTreeSet<usize>) {
        let mut open: HashSet<&str> = HashSet::new();
        for index in branch.iter() {
            for block in self.rows[*index].blocks() {
                if let ContentBlock::ToolUse { id, .. } = block {
                    open.insert(id);
                }
            }
        }
        for index in branch.iter() {
            for id in self.rows[*index].results() {
                open.remove(id);
            }
        }
        for (index, row) in self.rows.iter().enumerate() {
            let parent = row
                .parent_uuid
                .as_deref()
                .and_then(|parent| by_uuid.get(parent));
            if is_link(row)
                && parent.is_some_and(|parent| branch.contains(parent))
                && row.results().any(|id| open.remove(id))
            {
                branch.insert(index);
            }
        }
    }
}

/// Whether a row is a link of the conversation's chain.
pub(super) fn is_link(row: &Row) -> bool {
    let in_chain = matches!(
        &row.body,
        RowBody::User(_) | RowBody::Assistant(_) | RowBody::Attachment(_) | RowBody::System(_)
    );
    // An unknown row with a parent may be a link of a newer CLI's chain.
    let is_unknown = matches!(&row.body, RowBody::Other { .. });
    let in_chain = in_chain || is_unknown && row.parent_uuid.is_some();
    in_chain && row.uuid.is_some() && !row.is_sidechain
}

fn preserved_tail(metadata: &RawJson) -> Option<String> {
    let metadata: serde_json::Value = metadata.parse().ok()?;
    let segment = metadata.get("preservedSegment")?;
    Some(segment.get("tailUuid")?.as_str()?.to_owned())
}

/// Whether a transcript on disk has a message with this uuid, without keeping
/// the file in memory.
///
/// # Errors
/// Fails when the file cannot be read.
pub fn contains_message(path: &Path, uuid: Uuid) -> io::Result<bool> {
    let uuid = uuid.to_string();
    let mut file = BufReader::new(File::open(path)?);
    let mut line = Vec::new();
    while file.read_until(b'\n', &mut line)? > 0 {
        // Most rows do not even mention it; parse only those that do.
        let mentions = line
            .windows(uuid.len())
            .any(|window| window == uuid.as_bytes());
        if mentions && Row::decode(&line).is_some_and(|row| row.is_message(&uuid)) {
            return Ok(true);
        }
        line.clear();
    }
    Ok(false)
}

#[cfg(test)]
#[path = "tree_tests.rs"]
mod tests;
