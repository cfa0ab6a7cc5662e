//! The table in words: docs/config.md is this.

use std::fmt::Write;

use super::keys::{KEYS, LIVE, NONE, Reach, SettingKind, sections};

/// The whole page.
pub(super) fn page() -> String {
    let mut page = INTRODUCTION.to_owned();
    for section in sections() {
        write!(page, "\n## {section}\n").ok();
        for key in KEYS.iter().filter(|key| key.section() == section) {
            let default = match key.default {
                NONE => NONE.to_owned(),
                default => format!("`{default}`"),
            };
            let personal = match key.reach {
                Reach::Anywhere => "",
                Reach::Personal => "Not in `./baton.yaml`.\n",
            };
            let live = if LIVE.contains(&key.name) {
                "Changes when the daemon reads its settings again.\n"
            } else {
                ""
            };
            write!(
                page,
                "\n### {}\n\n{}\n{}\nDefault: {default}.\n{personal}{live}Environment: `{}`.\n",
                key.name,
                key.doc,
                kind(key.kind),
                key.variable(),
            )
            .ok();
        }
    }
    page
}

const INTRODUCTION: &str = "\
# Configuration

<!-- Generated from the table in crates/baton/src/config/keys.rs by `make codegen`. -->

Baton reads its settings from one YAML file, then from the environment, then from flags; what comes later counts.
The file is the one named by `--config`, else `baton.yaml` in the current folder, else `config.yaml` in the data folder.
The daemon reads it when it starts, and again on SIGHUP or `baton config reload`, which tells what changed and what waits for `baton restart`.
`baton config show` prints every setting with its value and where that comes from, and the environment that agents get: those of the daemon, if one runs, and where your shell differs from what it started with.

A name that is not below is refused at the start, and so is a value that does not fit; the message names the file, the line and the reason.
`none` means no value, or no limit, where a setting can be without.

A `baton.yaml` in the current folder may have come with somebody else's project.
It counts only if nobody but you can change it, and it cannot set what runs programs, widens what agents may do or lifts a limit: those settings, marked below, come from your own `config.yaml` even then.
A file named by `--config` may set everything.

In the environment lists are written with commas, and names with values as in YAML: `BATON_AGENT_ENV='{LANG: C, TZ: UTC}'`.
A variable `BATON_…` of a section that there is not is told with the nearest that stands for a setting, and passed over.

An example:

```yaml
agent:
  model: sonnet
  tools: standard
  budgetUsdPerDay: 20
  env:
    RUST_BACKTRACE: 1
projects:
  env:
    ~/code/shop:
      DATABASE_URL: postgres:///shop
```
";

fn kind(kind: SettingKind) -> String {
    match kind {
        SettingKind::Text(max) => format!("Text of at most {max} characters."),
        SettingKind::Path => "A path from the root or from `~`.".to_owned(),
        SettingKind::Secret(least) => {
            format!("Text of at least {least} characters, which is never shown.")
        }
        SettingKind::Host => "An IP address, or `localhost`.".to_owned(),
        SettingKind::Urls => {
            "A list of addresses with scheme and host, and a port if it is an odd one.".to_owned()
        }
        SettingKind::Hosts => "A list of names of hosts, or `none`.".to_owned(),
        SettingKind::Paths => "A list of paths from the root or from `~`.".to_owned(),
        SettingKind::Patterns => "A list of patterns as in a `.gitignore`, or `none`.".to_owned(),
        SettingKind::Flag => "`true` or `false`.".to_owned(),
        SettingKind::Number(min, max) => format!("A whole number from {min} to {max}."),
        SettingKind::Time => "Milliseconds, or `none` for no limit.".to_owned(),
        SettingKind::Money => "US dollars.".to_owned(),
        SettingKind::Word(words) => format!("One of `{}`.", words.join("`, `")),
        SettingKind::Words(words) => format!("Any of `{}`, or `none`.", words.join("`, `")),
        SettingKind::Tools => "One word for a tier, or a list.".to_owned(),
        SettingKind::Variables => "Names with values.".to_owned(),
        SettingKind::FolderVariables => "Folders with names and values below each.".to_owned(),
    }
}
