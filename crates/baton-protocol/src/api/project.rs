//! Projects, their files and their changes, as clients ask for them.
//!
//! `project` in a payload names a project by its slug, by its id or by the
//! absolute path of its folder.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::part::Part;
use crate::{event::LineKind, id::ProjectId, time::Timestamp};

/// A folder to be listed as a project. One that is listed already stays as it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ProjectAdd {
    /// The folder: an absolute path, or one below `~`.
    pub path: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
}

/// Which folder of the machine is looked into.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct ListFolders {
    /// An absolute path, or one below `~`; the home folder when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
}

/// Folders that can become projects: below the home folder and the roots of the
/// settings. Hidden ones, and those where secrets are kept, are left out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Folders {
    /// The folder itself.
    pub path: String,
    /// The one that it is in; none where looking ends.
    pub parent: Option<String>,
    /// Where looking begins, the home folder first.
    pub roots: Vec<String>,
    /// The project that this folder is, if it is one.
    pub project: Option<String>,
    /// By name.
    pub items: Vec<FolderEntry>,
    /// It has more folders than are shown.
    pub truncated: bool,
    /// Folders that agents were used in and that are no projects; only where no
    /// path was asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub known: Vec<String>,
}

/// One folder in another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FolderEntry {
    pub name: String,
    pub path: String,
    /// A repository begins there.
    pub is_repository: bool,
    /// The project that it is, if it is one.
    pub project: Option<String>,
}

/// Names one project.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ProjectName {
    pub project: String,
}

/// What is to change about a project.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ProjectUpdate {
    pub project: String,
    /// What to call it; none calls it by its folder.
    #[serde(default)]
    pub title: Option<String>,
}

/// Where a project's folder is now. It was moved already; nothing of it is touched.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ProjectMove {
    pub project: String,
    /// The folder as it is now, as an absolute path.
    pub to: String,
}

/// Which projects, the last used first.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct ListProjects {
    /// At most 1,000; 200 when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// `next` of an earlier answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

/// A folder that agents work in, and what is known about it by now.
///
/// What git says is null where it is not known: in a folder that is no
/// repository, before the folder is trusted (then only what files say), or while
/// git takes too long. What the folder itself says is null while its disk takes
/// too long.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Project {
    pub id: ProjectId,
    pub slug: String,
    /// Given by a person.
    pub title: Option<String>,
    /// Of the folder.
    pub name: String,
    pub path: String,
    pub git_remote: Option<String>,
    pub git_branch: Option<String>,
    pub is_dirty: Option<bool>,
    /// Commits that the upstream branch does not have.
    pub ahead: Option<u64>,
    pub behind: Option<u64>,
    /// It has a folder `.claude`; null while that is not known.
    pub has_claude_config: Option<bool>,
    pub last_modified: Option<Timestamp>,
    /// What it would run by itself was accepted. False too while that is not
    /// known: then nothing of it runs either.
    pub trusted: bool,
    /// The folder is there; null while that is not known.
    pub exists: Option<bool>,
    /// When a session in it was last used.
    pub last_used_at: Option<Timestamp>,
}

/// Part of the list of projects.
pub type Projects = Part<Project>;

/// What a scan found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Scanned {
    /// Folders that were looked at, listed before or not.
    pub found: u64,
    /// Those that are listed from now on.
    pub added: Vec<Project>,
}

/// Which folder's entries: folders first, by name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ListFiles {
    pub project: String,
    /// Below the project's folder; empty is the folder itself.
    #[serde(default)]
    pub path: String,
    /// At most 1,000; 500 when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// `next` of an earlier answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

/// Letters of a path, for a list of what fits best.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FindFiles {
    pub project: String,
    /// In their order, wherever in the path, capital or not; none for what
    /// changed last. At most 200.
    #[serde(default)]
    pub letters: String,
    /// At most 200; 40 when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
}

/// A file or folder that fits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FoundFile {
    /// Below the project's folder.
    pub path: String,
    pub kind: FileKind,
}

/// What fits, the best first. What the repository leaves out is not in it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FoundFiles {
    pub items: Vec<FoundFile>,
    /// The project has more files than were looked through.
    pub truncated: bool,
}

/// Looks for words in the files of a whole project.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SearchFiles {
    pub project: String,
    /// At most 500 characters, in one line.
    pub text: String,
    /// It is a regular expression.
    #[serde(default)]
    pub regex: bool,
    /// Capitals count.
    #[serde(default)]
    pub exact_case: bool,
    /// Only below this folder.
    #[serde(default)]
    pub below: String,
    /// Lines, at most 1000; 200 when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
}

/// A line in which it was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FoundLine {
    pub line: u64,
    /// Of a long line the part around it.
    pub text: String,
    /// Where it begins in the text, in characters.
    pub from: u32,
    pub to: u32,
    /// The line has more than the text.
    pub cut: bool,
}

/// A file in which it was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FoundText {
    /// Below the project's folder.
    pub path: String,
    /// In their order.
    pub lines: Vec<FoundLine>,
    /// It is in more lines of this file.
    pub more: bool,
}

/// Where words are in a project. What the repository leaves out, large files
/// and what is no text were not looked through.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SearchedFiles {
    pub items: Vec<FoundText>,
    /// How many were looked through.
    pub files: u64,
    /// Not all of them were, or not all that was found is told.
    pub truncated: bool,
}

/// What an entry of a folder is; links are not followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum FileKind {
    File,
    Folder,
    Link,
    /// A pipe, a socket or a device. It is never opened.
    Other,
}

/// What git says about a path; of a folder, about what is in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum ChangeKind {
    Added,
    Modified,
    Deleted,
    Renamed,
    Copied,
    /// From a file to a link, for example.
    TypeChanged,
    Untracked,
    /// A merge that nobody has finished.
    Conflicted,
}

/// One entry of a folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FileEntry {
    pub name: String,
    /// To ask for it with; none if its name is not Unicode.
    pub path: Option<String>,
    pub kind: FileKind,
    /// In bytes; only of files.
    pub size: Option<u64>,
    pub modified_at: Option<Timestamp>,
    /// The repository's rules leave it out.
    pub ignored: bool,
    /// None if there is no change, or if git was not asked.
    pub git_status: Option<ChangeKind>,
}

/// Part of a folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FileList {
    pub path: String,
    pub items: Vec<FileEntry>,
    /// Where the next part begins; none at the end.
    pub next: Option<String>,
    /// The folder has more entries than are ever listed.
    pub truncated: bool,
    /// Whether git was asked about changes.
    pub git_asked: bool,
}

/// Which lines of which file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ReadFile {
    pub project: String,
    /// Below the project's folder.
    pub path: String,
    /// The first line, counted from 1; 1 when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<u64>,
    /// How many lines, at most 10,000; 2,000 when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lines: Option<u32>,
}

/// What a file holds, told from its bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum ContentKind {
    Text,
    Image,
    Binary,
}

/// A file, or part of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FileView {
    pub path: String,
    pub kind: ContentKind,
    /// Of images; `text/plain` and `application/octet-stream` otherwise.
    pub media_type: String,
    pub size: u64,
    pub modified_at: Option<Timestamp>,
    /// Changes when the file does.
    pub etag: String,
    /// How the text was read: `utf-8`, `utf-16le`, `utf-16be`, `iso-8859-1`.
    pub encoding: Option<String>,
    /// The lines asked for, as they are, line ends included.
    pub text: Option<String>,
    /// The number of the first line in `text`.
    pub from: Option<u64>,
    /// How many lines `text` has.
    pub lines: Option<u64>,
    /// How many the file has; none if it is too long to be counted.
    pub total_lines: Option<u64>,
    /// An image, in Base64.
    pub data: Option<String>,
    /// There is more of it than is shown here.
    pub truncated: bool,
}

/// Which changes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DiffBody {
    pub project: String,
    /// Only of this file or folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
}

/// How the work tree differs from the last commit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Diff {
    /// The commit; none before the first.
    pub base: Option<String>,
    /// By path; untracked files last.
    pub files: Vec<FileDiff>,
    /// Lines in all files that are counted.
    pub additions: u64,
    pub deletions: u64,
    /// More has changed than is listed here.
    pub truncated: bool,
}

/// What the sides of a change are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum DiffKind {
    Text,
    Binary,
    /// Another repository inside this one; its commits are compared.
    Submodule,
}

/// How one file changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FileDiff {
    pub path: String,
    /// Where it was, if it was moved or copied.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub old_path: Option<String>,
    pub status: ChangeKind,
    pub kind: DiffKind,
    /// As git writes them, such as `100644`; none on a side that is not there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub old_mode: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub new_mode: Option<String>,
    /// None where lines are not counted.
    pub additions: Option<u64>,
    pub deletions: Option<u64>,
    pub hunks: Vec<DiffHunk>,
    /// Its change is longer than is shown here.
    pub truncated: bool,
}

/// Lines that change together, with a little around them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DiffHunk {
    pub old_start: u64,
    pub old_lines: u64,
    pub new_start: u64,
    pub new_lines: u64,
    pub lines: Vec<DiffRow>,
}

/// One line of a change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DiffRow {
    pub kind: LineKind,
    /// Its number before; none for an added line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub old: Option<u64>,
    /// Its number now; none for a removed line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub new: Option<u64>,
    /// Without the line's end.
    pub text: String,
    /// What changed within the line: beginnings and ends in UTF-16 code units.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub marks: Vec<(u32, u32)>,
    /// The file ends here without a newline.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub no_newline: bool,
}
