//! What the agent's CLI would take from a folder and from the folders above it.

use std::path::{Path, PathBuf};

use super::{
    files::{self, Listing},
    item::{Found, Kind, Scan, hash, stamp},
    settings,
};
use crate::{
    git::Repository,
    surface::{self, Surface, SurfaceFile},
};

/// The most that is read of a settings file.
const SETTINGS_BYTES: u64 = 1 << 20;

/// How far up is looked.
const LEVELS: usize = 64;

/// Folders of files below `.claude`, by what they are to the CLI.
const FOLDERS: &[(&str, Kind, Listing)] = &[
    ("commands", Kind::Command, Listing::Files),
    ("agents", Kind::Agent, Listing::Files),
    ("skills", Kind::Skill, Listing::Folders),
    ("output-styles", Kind::OutputStyle, Listing::Files),
    ("hooks", Kind::Other, Listing::Files),
    ("workflows", Kind::Other, Listing::Files),
    ("routines", Kind::Other, Listing::Files),
];

/// Single files below `.claude` that the CLI obeys.
const FILES: &[&str] = &["launch.json", "scheduled_tasks.json", "loop.md"];

/// Prompts that the CLI gives itself at a time.
const SCHEDULED: &str = "scheduled_tasks.json";

/// The prompts in that file.
fn prompts(name: &str, bytes: &[u8]) -> Option<String> {
    let content: serde_json::Value = serde_json::from_slice(bytes).ok()?;
    let tasks = content
        .get("tasks")
        .filter(|_| name == SCHEDULED)?
        .as_array()?;
    let prompts = tasks.iter().filter_map(|task| task.get("prompt")?.as_str());
    Some(prompts.collect::<Vec<_>>().join("; "))
}

pub(super) fn look(scan: &mut Scan, claude_config: &Path) {
    let folder = scan.folder.clone();
    let mut bases: Vec<&Path> = folder.ancestors().take(LEVELS).collect();
    // In a linked work tree the CLI also looks where the repository itself is.
    let main = Repository::find(&folder).and_then(|found| found.main_tree());
    bases.extend(main.as_deref().filter(|main| !folder.starts_with(main)));
    for base in bases {
        let mcp = base.join(".mcp.json");
        if let Some(bytes) = scan.read(base, &mcp, SETTINGS_BYTES) {
            settings::mcp_file(scan, base, &mcp, &bytes);
        }
        let claude = base.join(".claude");
        if !same(&claude, claude_config) {
            look_below(scan, base, &claude);
        }
    }
    tool_surface(scan, &folder);
}

fn look_below(scan: &mut Scan, base: &Path, claude: &Path) {
    for name in ["settings.json", "settings.local.json"] {
        let file = claude.join(name);
        if let Some(bytes) = scan.read(base, &file, SETTINGS_BYTES) {
            settings::settings_file(scan, base, &file, &bytes);
        }
    }
    for (name, kind, listing) in FOLDERS {
        files::list(scan, base, &claude.join(name), *kind, *listing);
    }
    for name in FILES {
        let file = claude.join(name);
        if let Some(bytes) = scan.read(base, &file, SETTINGS_BYTES) {
            let prompts = prompts(name, &bytes);
            let detail = prompts.unwrap_or_else(|| format!("{} bytes", bytes.len()));
            let danger = (*name == SCHEDULED).then(|| "It begins turns by itself".to_owned());
            let found = Found {
                kind: Kind::Other,
                name,
                detail: &detail,
                content: Some(hash(&bytes)),
                danger,
            };
            scan.add(base, &file, &found);
        }
    }
}

fn tool_surface(scan: &mut Scan, folder: &Path) {
    let file = folder.join(surface::FILE);
    let Some(SurfaceFile { surface, bytes }) = Surface::read(folder) else {
        return;
    };
    match surface {
        Ok(surface) => {
            let tools = surface
                .tools
                .as_ref()
                .map_or_else(|| "all tools".to_owned(), |tools| tools.join(" "));
            let note = surface.note.as_ref().map(|note| format!("; note: {note}"));
            let found = Found {
                kind: Kind::ToolSurface,
                name: "tools",
                detail: &(tools + &note.unwrap_or_default()),
                content: Some(hash(&bytes)),
                danger: None,
            };
            scan.add(folder, &file, &found);
            scan.surface = Some(surface);
        }
        Err(error) => {
            let content = if bytes.is_empty() {
                stamp(&file)
            } else {
                bytes
            };
            scan.problem(folder, &file, &error.to_string(), &content);
            scan.surface = Some(Surface::fail_closed(&error));
        }
    }
}

fn same(one: &Path, other: &Path) -> bool {
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| PathBuf::from(path));
    real(one) == real(other)
}
